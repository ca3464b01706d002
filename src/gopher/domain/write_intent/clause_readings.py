"""A clause that has been read, and what its words tell about the requests beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from gopher.domain.write_intent.asking import Asked
from gopher.domain.write_intent.clauses import Clause
from gopher.domain.write_intent.moods import Mood
from gopher.domain.write_intent.requests import Plainness, Refusal, WriteAction
from gopher.domain.write_intent.words import EXCLAIMING, OTHERS

Verdict = Plainness | Refusal
"""What one thing beside a request says of it: UNSURE, or why it does not stand."""

SHORT: Final = 4
"""Words of a clause that can hardly be about anything but what it stands beside."""
SUBJECTS: Final = frozenset(["i", "we", "they", "it", "he", "she", "you", "let", "us", "lets"])


@dataclass(frozen=True, slots=True, kw_only=True)
class ClauseReading:
    """A clause with what it is."""

    clause: Clause
    mood: Mood
    complete: bool
    """False: it hangs on what follows."""
    actions: frozenset[WriteAction]
    """The actions that its words name."""
    words: tuple[str, ...]
    """Those that may not be passed over."""
    possessive: bool
    """Something in it is somebody's: `Ada's words`."""
    polite: bool
    """Nothing but a courtesy: `please`, `ok`."""
    asked: Asked | None = None

    @property
    def first(self) -> str:
        """The first of the words; empty where there are none."""
        return self.words[0] if self.words else ""

    @property
    def last(self) -> str:
        """The last of the words; empty where there are none."""
        return self.words[-1] if self.words else ""


def is_about_it(each: ClauseReading) -> bool:
    """Say whether a statement beside a request is plainly the requester's own: about this, or about themselves."""
    if _HINGLISH_FINITE.intersection(each.words) and each.first not in OTHERS | _THIRD:
        return True
    return each.first in _ABOUT_IT or bool(EXCLAIMING.intersection(each.words[:_START]))


_HINGLISH_FINITE: Final = frozenset(
    ["hai", "ho", "tha", "thi", "gaya", "gayi", "diya", "kiya", "liya", "hoga", "tune", "tumne"]
)
_THIRD: Final = frozenset(["usne", "unhone", "wo", "usko", "unko"])


_START: Final = 2
_ABOUT_IT: Final = frozenset(
    (
        "this that it these those they there i we me my our mine the a an here people everyone everybody someone nobody some"
        " most many all each every let us you your because since so lots thanks sorry agreed ye wo isme mujhe hum humko humara"
        " mera bahut bohot sab log yaha kaafi important zaroori no one what which now just"
    ).split()
)


def shares_action(negated: ClauseReading, own: ClauseReading) -> bool:
    """Say whether one clause names an action that the other asks for."""
    return own.asked is not None and any(request.action in negated.actions for request in own.asked.requests)
