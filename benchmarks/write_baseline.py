"""The baseline of the benchmark: the keyword test of the bot that this one replaces."""

from __future__ import annotations

import re
from typing import Final

from gopher.domain.write_intent.requests import WriteAction

_VETO: Final = re.compile(
    r"\b(?:do not|don't|dont|never)\s+(?:react|unreact|send|post|say|reply|create|start|make|edit"
    r"|change|correct|delete|remove|pin|unpin|rename|archive|reopen)\b",
    re.IGNORECASE,
)
_KEYWORDS: Final[dict[WriteAction, str]] = {
    WriteAction.REACT: r"\breact\b|\b(?:add|put)\b.{0,20}\b(?:reaction|emoji)\b",
    WriteAction.UNREACT: r"\b(?:remove|undo|clear|take off)\b.{0,30}\b(?:reaction|emoji)\b",
    WriteAction.SEND: r"\b(?:send|post|write|say)\b.{0,80}\b(?:message|this|that|it|in|to|channel)\b",
    WriteAction.REPLY: r"\breply\b.{0,80}\b(?:to|message|this|that|it|with)\b",
    WriteAction.THREAD_CREATE: r"\b(?:create|start|make|open)\b.{0,30}\bthread\b",
    WriteAction.THREAD_EDIT: r"\b(?:rename|archive|unarchive|reopen|close)\b.{0,35}\bthread\b"
    r"|\bthread\b.{0,35}\b(?:rename|archive|unarchive|reopen|close)\b",
    WriteAction.EDIT: r"\b(?:edit|change|correct|rewrite)\b.{0,50}\b(?:message|reply|response|it|that)\b",
    WriteAction.DELETE: r"\b(?:delete|remove)\b.{0,50}\b(?:your|bot|message|reply|response|it|that)\b",
    WriteAction.PIN: r"\bpin\b",
    WriteAction.UNPIN: r"\bunpin\b",
    WriteAction.MEMORY_REMEMBER: r"\b(?:remember|save|store|keep|note)\b",
    WriteAction.MEMORY_FORGET: r"\b(?:forget|erase|remove|delete)\b.{0,40}"
    r"\b(?:memory|remembered|what you know|that fact|this fact)\b",
}
_ON_MEMORIES: Final = frozenset({WriteAction.MEMORY_REMEMBER, WriteAction.MEMORY_FORGET})


def baseline_allows(text: str, action: WriteAction) -> bool:
    """Say whether the keyword test takes the text for a request of the action."""
    if action not in _ON_MEMORIES and _VETO.search(text):
        return False
    return re.search(_KEYWORDS[action], text.strip(), re.IGNORECASE | re.DOTALL) is not None
