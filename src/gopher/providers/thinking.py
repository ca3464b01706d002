"""A model's private reasoning, written into its answer between `<think>` tags, and how the answer is freed of it."""

from __future__ import annotations

import re
from typing import Final

_OPENING: Final = re.compile(r"<think(?:ing)?>", re.IGNORECASE)
_CLOSING: Final = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_BEGINNINGS: Final = tuple("<thinking>"[:length] for length in range(9, 0, -1))
_CLOSING_KEPT: Final = len("</thinking>") - 1
_FENCE: Final = "```"

# Some templates put the opening tag into the prompt, so that the answer begins inside the block and only its end is
# seen. It counts when it has a line to itself: an answer that talks about the tag keeps its words.
_ORPHAN: Final = re.compile(r"(?:^|\n)[ \t]*</think(?:ing)?>[ \t]*(?:\n|$)", re.IGNORECASE)


class VisibleText:
    """Takes an answer piece by piece and gives back what a reader may see of it.

    A tag inside a code fence or right behind a backtick is part of the answer. A block that is never closed swallows
    the rest.
    """

    def __init__(self) -> None:
        self._shown: list[str] = []
        self._pending = ""
        self._thinking = False

    def feed(self, piece: str) -> str:
        """Take the next piece; return the text that has become visible, perhaps none: a possible tag is held back."""
        self._pending += piece
        before = len(self._shown)
        while self._step():
            pass
        return "".join(self._shown[before:])

    def finish(self) -> str:
        """Say that nothing more comes; return the text that was held back."""
        rest = "" if self._thinking else self._pending
        self._pending = ""
        self._shown.append(rest)
        return rest

    @property
    def text(self) -> str:
        """All visible text so far, freed also of a block whose beginning was not in the answer, and stripped."""
        text = "".join(self._shown)
        orphan = _ORPHAN.search(text)
        if orphan and text.count(_FENCE, 0, orphan.start()) % 2 == 0:
            text = text[orphan.end() :]
        return text.strip()

    def _step(self) -> bool:
        """Use up the pending text to the next tag; False when no whole tag is left in it."""
        tag = (_CLOSING if self._thinking else _OPENING).search(self._pending)
        if tag is None:
            self._keep_possible_tag()
            return False
        if self._thinking:
            self._thinking = False
        else:
            self._shown.append(self._pending[: tag.start()])
            if self._in_code():
                self._shown.append(tag.group())
            else:
                self._thinking = True
        self._pending = self._pending[tag.end() :]
        return True

    def _keep_possible_tag(self) -> None:
        if self._thinking:
            self._pending = self._pending[-_CLOSING_KEPT:]
            return
        lowered = self._pending.lower()
        kept = next((len(start) for start in _BEGINNINGS if lowered.endswith(start)), 0)
        cut = len(self._pending) - kept
        self._shown.append(self._pending[:cut])
        self._pending = self._pending[cut:]

    def _in_code(self) -> bool:
        text = "".join(self._shown)
        return text.endswith("`") or text.count(_FENCE) % 2 == 1
