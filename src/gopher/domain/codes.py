"""Codes of failures: what they look like, and the one for what nobody foresaw."""

from __future__ import annotations

import re
from typing import Final

UNEXPECTED: Final = "unexpected"
"""A bug, or a change in what we depend on."""

_CODE: Final = re.compile(r"[a-z][a-z0-9_]*")


def is_foreseen(kind: str | None) -> bool:
    """Tell whether the type of a failure is a code of this project; the names of Python's exceptions are not."""
    return kind is not None and kind != UNEXPECTED and _CODE.fullmatch(kind) is not None
