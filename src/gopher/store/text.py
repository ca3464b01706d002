"""Text that PostgreSQL can hold: strangers' words may contain what its text and jsonb types refuse."""

from __future__ import annotations

import json
import re
from typing import Final

import psycopg
from psycopg.abc import Buffer
from psycopg.adapt import AdaptersMap, Dumper
from psycopg.types.json import set_json_dumps

REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"

# An odd number of backslashes before `u0000`: the escape of a NUL, not the words "\u0000" themselves.
_JSON_NUL: Final = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")


def storable(text: str) -> str:
    """Replace what PostgreSQL refuses, NUL characters and lone surrogates, by U+FFFD; the rest comes back as it is."""
    if "\0" in text:
        text = text.replace("\0", REPLACEMENT)
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        # Through UTF-16 two halves that stand side by side become the character they mean; only lone ones are replaced.
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def json_text(value: object) -> str:
    """Serialise for jsonb, which refuses the escapes of NUL and of lone surrogates; both become U+FFFD."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if "\\u0000" in text:
        text = _JSON_NUL.sub(rf"\1{REPLACEMENT}", text)
    return storable(text)


class _StorableTextDumper(Dumper):
    """Sends a `str` parameter as text of unknown type, like psycopg's own, but never one that the server refuses."""

    def dump(self, obj: str) -> Buffer | None:
        return storable(obj).encode()


def adapters() -> AdaptersMap:
    """Make the adapters of this project's connections: every text and every JSON document they send can be stored."""
    adapters_map = AdaptersMap(psycopg.adapters)
    adapters_map.register_dumper(str, _StorableTextDumper)
    set_json_dumps(json_text, context=adapters_map)
    return adapters_map
