"""Finds the requests that begin at a place in a message: an opener, and a frame that covers all that follows."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from gopher.domain.write_intent.clauses import Clause
from gopher.domain.write_intent.frames import Frame, Indexed
from gopher.domain.write_intent.grammar import Fit, Part, Sequence, Window, phrase
from gopher.domain.write_intent.language import ENGLISH, ENGLISH_OPENERS, GRAMMAR, HINGLISH, HINGLISH_OPENERS
from gopher.domain.write_intent.openers import (
    GERUNDS,
    PARTICIPLES,
    Opener,
    VerbForm,
)
from gopher.domain.write_intent.requests import MessageRef, Plainness, WriteAction, WriteRequest
from gopher.domain.write_intent.slots import Draft, draft
from gopher.domain.write_intent.targets import TARGET
from gopher.domain.write_intent.tokens import Text, TokenKind
from gopher.domain.write_intent.words import CONDITIONS, HEDGES, NEGATORS


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a stretch of the message asks for."""

    requests: tuple[WriteRequest, ...]
    """One for each action that the words may mean, plain ones only if there is any."""
    end: int
    """Where the words of the request surely end."""
    open_until: int
    """Where its content may end at the latest; equal to `end` when nothing is open."""
    courteous: bool
    """Asked as a question by courtesy."""
    sealed: bool = False
    """What is open follows a colon: all of it is content."""


_TAIL: Final = phrase("TAIL")
_PASSIVE: Final = phrase("TARGET|THISTHREAD [ to ] [ be|get|gets|is|gotten|got|being ] <participle> TAIL")
_SHOULD_BE: Final = phrase("TARGET|THISTHREAD ( should|must|could be | needs|ought|deserves to be ) <participle> TAIL")
_MOST_WINDOWS: Final = 8
_MOST_FITS: Final = 40
_NO_OPENER: Final = Opener(body=Sequence(()), plainness=Plainness.EXPLICIT, form=VerbForm.BARE, courteous=False)
_STATING: Final = Opener(body=Sequence(()), plainness=Plainness.UNSURE, form=VerbForm.PARTICIPLE, courteous=False)
"""`this should be pinned`."""
_POLITE_TOKENS: Final = frozenset({"please", "kindly"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    draft: Draft
    window_end: int
    courteous: bool


def asked_at(text: Text, clauses: tuple[Clause, ...], index: int, start: int) -> Asked | None:
    """Read the requests that begin at token `start` of clause `index`; None when the grammar knows none."""
    found = list(_found(text, clauses, index, start))
    if not found:
        return None
    plain = [each for each in found if each.draft.request.plainness is Plainness.EXPLICIT]
    kept = plain or found
    requests = tuple(_merged(kept, action) for action in dict.fromkeys(each.draft.request.action for each in kept))
    opened = [each for each in kept if not each.draft.closed]
    closed = [each.window_end for each in kept if each.draft.closed]
    end = max(closed, default=min(each.window_end for each in kept))
    return Asked(
        requests=requests,
        end=end,
        open_until=max((each.window_end for each in opened), default=end),
        sealed=any(each.draft.sealed for each in opened),
        courteous=any(each.courteous for each in kept) or _is_polite(text, start, end),
    )


_POINTING: Final = frozenset({"this", "that", "it", "these", "those"})


def _explains_itself(window: Window, start: int, fit: Fit) -> bool:
    """Say whether what looks like a reason is the request's own object: `pin this is broken`, `react to this was wrong`."""
    reasons = [filled for filled in fit.slots if filled.slot == "reason"]
    if not reasons or fit.values(TARGET):
        return False
    return window.word(reasons[0].start) in _POINTING or _is_bare(window, start, fit)


def _is_bare(window: Window, start: int, fit: Fit) -> bool:
    """Say whether nothing but the verb asks: `pin`."""
    rest = min((filled.start for filled in fit.slots if filled.slot in ("after", "reason", "end")), default=fit.end)
    asking = [at for at in range(start, rest) if not GRAMMAR.passes(window.tokens[at])]
    return len(asking) == 1


def _is_polite(text: Text, start: int, end: int) -> bool:
    words = [token.word for token in text.tokens[start:end]]
    if any(pair in (("for", "me"), ("for", "us")) for pair in itertools.pairwise(words)):
        return True
    return any(token.word in _POLITE_TOKENS or token.word in _HINGLISH_COURTESIES for token in text.tokens[start:end])


def _merged(found: list[_Found], action: WriteAction) -> WriteRequest:
    """Join the readings of one action: the first says of what; all say which words may be meant."""
    drafts = [each.draft.request for each in found if each.draft.request.action is action]
    named = [each for each in drafts if each.channel is not None or each.thread is not None]
    # `saying hi in #general`: words that end with a channel name it, rather than quoting it.
    pool = named or drafts
    best = pool[0]
    alike = [each for each in pool if each.channel == best.channel and each.target in (best.target, None)]
    return replace(
        best,
        contents=tuple(dict.fromkeys(words for each in alike for words in each.contents)),
        names=tuple(dict.fromkeys(words for each in alike for words in each.names)),
        emojis=tuple(dict.fromkeys(emoji for each in alike for emoji in each.emojis)),
    )


def _found(text: Text, clauses: tuple[Clause, ...], index: int, start: int) -> Iterator[_Found]:
    windows = _windows(text, clauses, index, start)
    own = windows[0]
    for opener, after, frames in _beginnings(own):
        if opener.form is VerbForm.PARTICIPLE:
            yield from _passive(own, opener, after)
            continue
        for window in windows:
            shaped = _with_base_verb(window, after) if opener.form is VerbForm.GERUND else window
            words = frozenset(token.word for token in shaped.tokens[after : shaped.end])
            ahead = GRAMMAR.ahead(shaped, after)
            for indexed in frames:
                if (window is own or indexed.entry.reaches_on) and indexed.may_fit(words, ahead):
                    yield from _fitting(text, indexed.entry, opener, shaped, after)


def _windows(text: Text, clauses: tuple[Clause, ...], index: int, start: int) -> tuple[Window, ...]:
    """The clause itself, and it together with more and more of what follows, for words that run on."""
    ends = [clauses[at].end for at in range(index, len(clauses))]
    kept = [*ends[: _MOST_WINDOWS - 1], ends[-1]] if len(ends) > _MOST_WINDOWS else ends
    first = Window(tokens=text.tokens, start=start, end=kept[0])
    return tuple(replace(first, end=end) for end in kept)


def _beginnings(window: Window) -> Iterator[tuple[Opener, int, tuple[Indexed[Frame], ...]]]:
    """Every way in which the clause may begin: with nothing or a courtesy, and the frames that may follow it."""
    yield _NO_OPENER, window.start, ENGLISH
    yield _STATING, window.start, ()
    yield _NO_OPENER, window.start, HINGLISH
    words = frozenset(token.word for token in window.tokens[window.start : window.end])
    ahead = GRAMMAR.ahead(window, window.start)
    for openers, frames in ((ENGLISH_OPENERS, ENGLISH), (HINGLISH_OPENERS, HINGLISH)):
        for opener in (indexed.entry for indexed in openers if indexed.may_fit(words, ahead)):
            for end in dict.fromkeys(fit.end for fit in GRAMMAR.fits(opener.body, window, window.start)):
                yield opener, end, frames


def _with_base_verb(window: Window, position: int) -> Window:
    """Read `mind pinning this` as `pin this`."""
    at = GRAMMAR.skip(window, position)
    base = GERUNDS.get(window.word(at))
    if base is None:
        return Window(tokens=window.tokens, start=window.start, end=window.start)
    tokens = (*window.tokens[:at], replace(window.tokens[at], word=base), *window.tokens[at + 1 :])
    return replace(window, tokens=tokens, memo={})


def _fitting(text: Text, frame: Frame, opener: Opener, window: Window, start: int) -> Iterator[_Found]:
    whole = Sequence((frame.body, _TAIL))
    for count, fit in enumerate(GRAMMAR.fits(whole, window, start)):
        if count >= _MOST_FITS:
            return
        if (
            fit.end != window.end
            or _explains_itself(window, start, fit)
            or _asks_whether(opener, window, start)
            or _negates(frame, window, start, fit)
        ):
            continue
        made = draft(text, frame, fit, start=GRAMMAR.skip(window, start))
        if made is not None:
            yield _Found(
                draft=_weakened(text, made, opener, window, fit), window_end=window.end, courteous=opener.courteous
            )


_HINGLISH_COURTESIES: Final = frozenset("sakte doge dogey loge".split())


def _asks_whether(opener: Opener, window: Window, start: int) -> bool:
    """`kya tum` before anything but `kar sakte ho`, `kar doge` is a real question."""
    if opener is _NO_OPENER or all(token.word != "kya" for token in window.tokens[window.start : start]):
        return False
    return not any(token.word in _HINGLISH_COURTESIES for token in window.tokens[start : window.end])


def _weakened(text: Text, made: Draft, opener: Opener, window: Window, fit: Fit) -> Draft:
    """Make a request unsure for what is around it: a doubtful opener, a hedge, a bare word."""
    written = [(filled.start, filled.end) for filled in fit.slots if filled.slot in ("literal", "loose", "topic")]
    hedged = any(
        window.tokens[at].word in HEDGES and not any(first <= at < last for first, last in written)
        for at in range(window.start, window.end)
    )
    bare = len(text.tokens) == 1
    supposing = opener.courteous and any(
        window.tokens[at].word in _SUPPOSING for first, last in written for at in range(first, last)
    )
    if opener.plainness is Plainness.UNSURE or bare or supposing or (hedged and not opener.courteous):
        return replace(made, request=replace(made.request, plainness=Plainness.UNSURE))
    return made


_SUPPOSING: Final = frozenset({"if", "unless"})
"""After a courtesy this makes a question of the whole: `would you remember that I like tea if I left`."""


def _passive(window: Window, opener: Opener, start: int) -> Iterator[_Found]:
    """`I want this pinned`."""
    for at in range(start, window.end):
        base = PARTICIPLES.get(window.word(at))
        if base is None:
            continue
        tokens = (*window.tokens[:at], replace(window.tokens[at], word="<participle>"), *window.tokens[at + 1 :])
        shaped = replace(window, tokens=tokens, memo={})
        for fit in GRAMMAR.fits(_SHOULD_BE if opener is _STATING else _PASSIVE, shaped, start):
            if fit.end == window.end:
                yield _Found(draft=_passive_draft(base, opener, fit), window_end=window.end, courteous=opener.courteous)
                return


def _passive_draft(base: str, opener: Opener, fit: Fit) -> Draft:
    target = next((value for value in fit.values(TARGET) if isinstance(value, MessageRef)), None)
    on_thread = base in ("archive", "unarchive", "reopen", "close")
    action = WriteAction.THREAD_EDIT if on_thread else WriteAction(base)
    plainness = opener.plainness if on_thread == (target is None) else Plainness.UNSURE
    request = WriteRequest(
        action=action,
        plainness=plainness,
        target=None if on_thread else target,
        archived=base in ("archive", "close") if on_thread else None,
    )
    return Draft(request=request, closed=True)


_FREE: Final = frozenset({"quoted", "literal", "loose", "topic", "old", "new", "reason", "after"})


def _negates(frame: Frame, window: Window, start: int, fit: Fit) -> bool:
    """Say whether a negation stands anywhere in the words of a request but in what is to be written, and in courtesies.

    The grammar has no negations to begin with; this holds even if one of its slots takes a word that it should not.
    """
    if frame.despite_negation:
        return False
    free = [(filled.start, filled.end) for filled in fit.slots if filled.slot in _FREE]
    return any(
        window.tokens[at].word in NEGATORS and not any(first <= at < last for first, last in free)
        for at in range(start, window.end)
    )


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
    for opener in (_NO_OPENER, *fitting):
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
