"""Judges one way in which a frame fits: whether it stands at all, and what makes it unsure."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import Final

from gopher.domain.write_intent.frames import Frame
from gopher.domain.write_intent.grammar import Fit, Window
from gopher.domain.write_intent.language import GRAMMAR
from gopher.domain.write_intent.openers import Opener
from gopher.domain.write_intent.requests import Plainness
from gopher.domain.write_intent.slots import Draft
from gopher.domain.write_intent.targets import TARGET
from gopher.domain.write_intent.tokens import Text, Token
from gopher.domain.write_intent.words import HEDGES, NEGATORS


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A frame that fits after an opener."""

    text: Text
    frame: Frame
    opener: Opener
    window: Window
    start: int
    """Where the frame begins, after the opener."""
    fit: Fit


_FREE: Final = frozenset({"quoted", "literal", "loose", "topic", "old", "new", "reason", "after"})
"""Slots that hold what is to be written, and courtesies: what they hold says nothing of the request itself."""
_WRITTEN: Final = frozenset({"literal", "loose", "topic"})
_POINTING: Final = frozenset({"this", "that", "these", "those"})
_POLITE: Final = frozenset({"please", "kindly"})
_HINGLISH_COURTESIES: Final = frozenset({"sakte", "doge", "dogey", "loge"})
_TELLING: Final = frozenset(
    ("bro man dude fam mate king queen boss bestie chief homie really actually literally still").split()
)
_SUPPOSING: Final = frozenset({"if", "unless"})


def stands(attempt: Attempt) -> bool:
    """Say whether the fit covers all there is, and denies and asks nothing."""
    return (
        attempt.fit.end == attempt.window.end
        and not _explains_itself(attempt)
        and not _asks_whether(attempt)
        and not _negates(attempt)
    )


def weakened(attempt: Attempt, made: Draft) -> Draft:
    """Make a request unsure for what is around it: a doubtful opener, a hedge, a bare word."""
    window, opener = attempt.window, attempt.opener
    polite = opener.courteous and is_polite(window.tokens[window.start : window.end])
    doubtful = opener.plainness is Plainness.UNSURE and not polite
    bare = len(attempt.text.tokens) == 1 and "^" not in attempt.text.cleaned
    hedged = not opener.courteous and _is_hedged(attempt)
    if doubtful or bare or hedged or _tells(attempt) or _supposes(attempt):
        return replace(made, request=replace(made.request, plainness=Plainness.UNSURE))
    return made


def is_polite(tokens: tuple[Token, ...]) -> bool:
    """Say whether a question in these words is one by courtesy: with a please, a `for me`, a `kar sakte ho`."""
    words = [token.word for token in tokens]
    if any(pair in (("for", "me"), ("for", "us")) for pair in itertools.pairwise(words)):
        return True
    return any(word in _POLITE or word in _HINGLISH_COURTESIES for word in words)


def _explains_itself(attempt: Attempt) -> bool:
    """Say whether what looks like a reason is the request's own object: `pin this is broken`."""
    reasons = [filled for filled in attempt.fit.slots if filled.slot == "reason"]
    if not reasons or attempt.fit.values(TARGET):
        return False
    return attempt.window.word(reasons[0].start) in _POINTING or _is_bare(attempt)


def _is_bare(attempt: Attempt) -> bool:
    """Say whether nothing but the verb asks: `pin`."""
    around = [filled.start for filled in attempt.fit.slots if filled.slot in ("after", "reason", "end")]
    rest = min(around, default=attempt.fit.end)
    asking = [at for at in range(attempt.start, rest) if not GRAMMAR.passes(attempt.window.tokens[at])]
    return len(asking) == 1


def _asks_whether(attempt: Attempt) -> bool:
    """`kya tum` before anything but `kar sakte ho`, `kar doge` is a real question."""
    window = attempt.window
    if all(token.word != "kya" for token in window.tokens[window.start : attempt.start]):
        return False
    return not any(token.word in _HINGLISH_COURTESIES for token in window.tokens[attempt.start : window.end])


def _negates(attempt: Attempt) -> bool:
    """Say whether a negation stands anywhere in the words of a request but in what is to be written, and in courtesies.

    The grammar has no negations to begin with; this holds even if one of its slots takes a word that it should not.
    """
    if attempt.frame.despite_negation:
        return False
    return any(
        attempt.window.tokens[at].word in NEGATORS and not _lies_in(attempt, at, _FREE)
        for at in range(attempt.start, attempt.window.end)
    )


def _is_hedged(attempt: Attempt) -> bool:
    return any(
        attempt.window.tokens[at].word in HEDGES and not _lies_in(attempt, at, _WRITTEN)
        for at in range(attempt.window.start, attempt.window.end)
    )


def _tells(attempt: Attempt) -> bool:
    """`bro really put a 💀 on this` tells of somebody: `put` and `hit` look the same when it is over."""
    verb = GRAMMAR.skip(attempt.window, attempt.start)
    before = (attempt.window.word(at) for at in range(attempt.start, verb))
    return attempt.window.word(verb) in ("put", "hit") and not _TELLING.isdisjoint(before)


def _supposes(attempt: Attempt) -> bool:
    """`would you remember that I like tea if I left`: after a courtesy, a condition makes the whole a question."""
    return attempt.opener.courteous and any(
        attempt.window.tokens[at].word in _SUPPOSING and _lies_in(attempt, at, _WRITTEN)
        for at in range(attempt.start, attempt.window.end)
    )


def _lies_in(attempt: Attempt, position: int, slots: frozenset[str]) -> bool:
    return any(filled.start <= position < filled.end for filled in attempt.fit.slots if filled.slot in slots)
