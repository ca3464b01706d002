"""Reads requests of which only the beginning is understood: the requester must be asked."""

from __future__ import annotations

from typing import Final

from gopher.domain.write_intent.asking import NO_OPENER, Asked
from gopher.domain.write_intent.clauses import Clause
from gopher.domain.write_intent.grammar import Window
from gopher.domain.write_intent.language import ENGLISH_OPENERS, GRAMMAR
from gopher.domain.write_intent.notation import Part, phrase
from gopher.domain.write_intent.requests import MessageRef, Plainness, WriteAction, WriteRequest
from gopher.domain.write_intent.targets import TARGET
from gopher.domain.write_intent.tokens import Text, TokenKind
from gopher.domain.write_intent.words import CONDITIONS

_STUBS: Final[dict[WriteAction, tuple[Part, ...]]] = {
    WriteAction.PIN: (phrase("pin TARGET"),),
    WriteAction.UNPIN: (phrase("unpin TARGET"),),
    WriteAction.DELETE: (phrase("delete|remove|erase MTARGET"),),
    WriteAction.REACT: (
        phrase("react ON TARGET"),
        phrase("react with"),
        phrase("PUT EMOS"),
        phrase("PUT [ a ] reaction"),
    ),
    WriteAction.UNREACT: (phrase("TAKEOFF ITSREACTION"), phrase("unreact")),
    WriteAction.EDIT: (phrase("edit MTARGET"),),
    WriteAction.REPLY: (phrase("ANSWER TOTARGET"),),
    WriteAction.SEND: (phrase("send|post|announce [ AMSG ] INCH"), phrase("send|post AMSG")),
    WriteAction.THREAD_CREATE: (phrase("MAKETHREAD ATHREAD"),),
    WriteAction.THREAD_EDIT: (phrase("rename|archive|unarchive|reopen|close THISTHREAD"),),
}
"""Beginnings of requests of which the rest is not understood."""

_GOING_ON: Final = frozenset(
    "in on at for with to from and or also too but under by of into the so as until till right down over up back up across".split()
)


def begun_at(text: Text, clause: Clause, start: int) -> Asked | None:
    """Read a request of which only the beginning is understood, so that the requester must be asked; None for none.

    A noun right after the part that is understood names another thing than a message: `delete this branch`.
    """
    window = Window(tokens=text.tokens, start=start, end=clause.end)
    words = frozenset(token.word for token in text.tokens[start : clause.end])
    ahead = GRAMMAR.ahead(window, start)
    fitting = (indexed.entry for indexed in ENGLISH_OPENERS if indexed.may_fit(words, ahead))
    for opener in (NO_OPENER, *fitting):
        for begin in dict.fromkeys(fit.end for fit in GRAMMAR.fits(opener.body, window, start)):
            for action, stubs in _STUBS.items():
                fits = (fit for stub in stubs for fit in GRAMMAR.fits(stub, window, begin))
                fit = max(fits, key=lambda each: each.end, default=None)
                if fit is not None and _goes_on(window, fit.end) and not _hangs_on_a_case(window, fit.end):
                    target = next((value for value in fit.values(TARGET) if isinstance(value, MessageRef)), None)
                    request = WriteRequest(action=action, plainness=Plainness.UNSURE, target=target)
                    return Asked(requests=(request,), end=clause.end, open_until=clause.end, courteous=opener.courteous)
    return None


def _goes_on(window: Window, position: int) -> bool:
    at = GRAMMAR.skip(window, position)
    kind = window.kind(at)
    return kind is not None and (kind is not TokenKind.WORD or window.word(at) in _GOING_ON)


def _hangs_on_a_case(window: Window, position: int) -> bool:
    return any(window.word(at) in CONDITIONS for at in range(position, window.end))
