"""Reads requests with the object before the verb: `I want this pinned`, `can this be deleted please`."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from gopher.domain.write_intent.fitting import is_polite
from gopher.domain.write_intent.grammar import Fit, Window
from gopher.domain.write_intent.language import GRAMMAR
from gopher.domain.write_intent.notation import Sequence, phrase
from gopher.domain.write_intent.openers import PARTICIPLES, Opener, VerbForm
from gopher.domain.write_intent.requests import MessageRef, Plainness, WriteAction, WriteRequest
from gopher.domain.write_intent.slots import Draft
from gopher.domain.write_intent.targets import TARGET

STATING: Final = Opener(body=Sequence(()), plainness=Plainness.UNSURE, form=VerbForm.PARTICIPLE, courteous=False)
"""The beginning of `this should be pinned`, which is none."""

_PASSIVE: Final = phrase("TARGET|THISTHREAD [ to ] [ be|get|gets|is|gotten|got|being ] <participle> TAIL")
_SHOULD_BE: Final = phrase("TARGET|THISTHREAD ( should|must|could be | needs|ought|deserves to be ) <participle> TAIL")


def passive(window: Window, opener: Opener, start: int) -> Draft | None:
    """Read `I want this pinned`; None when it is none."""
    for at in range(start, window.end):
        base = PARTICIPLES.get(window.word(at))
        if base is None:
            continue
        tokens = (*window.tokens[:at], replace(window.tokens[at], word="<participle>"), *window.tokens[at + 1 :])
        shaped = replace(window, tokens=tokens, memo={})
        for fit in GRAMMAR.fits(_SHOULD_BE if opener is STATING else _PASSIVE, shaped, start):
            if fit.end == window.end:
                return _passive_draft(base, _settled(window, opener), fit)
    return None


def _settled(window: Window, opener: Opener) -> Plainness:
    """With a please, `can this be pinned` is a request."""
    could = window.word(GRAMMAR.skip(window, window.start)) in ("can", "could")
    return Plainness.EXPLICIT if could and is_polite(window.tokens[window.start : window.end]) else opener.plainness


def _passive_draft(base: str, plainness: Plainness, fit: Fit) -> Draft:
    target = next((value for value in fit.values(TARGET) if isinstance(value, MessageRef)), None)
    on_thread = base in ("archive", "unarchive", "reopen", "close")
    action = WriteAction.THREAD_EDIT if on_thread else WriteAction(base)
    certain = plainness if on_thread == (target is None) else Plainness.UNSURE
    request = WriteRequest(
        action=action,
        plainness=certain,
        target=None if on_thread else target,
        archived=base in ("archive", "close") if on_thread else None,
    )
    return Draft(request=request, closed=True)
