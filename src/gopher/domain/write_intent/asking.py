"""Finds the requests that begin at a place in a message: an opener, and a frame that covers all that follows."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from gopher.domain.write_intent.clauses import Clause
from gopher.domain.write_intent.fitting import Attempt, is_polite, stands, weakened
from gopher.domain.write_intent.frames import Frame, Indexed
from gopher.domain.write_intent.grammar import Window
from gopher.domain.write_intent.language import ENGLISH, ENGLISH_OPENERS, GRAMMAR, HINGLISH, HINGLISH_OPENERS
from gopher.domain.write_intent.notation import Sequence, phrase
from gopher.domain.write_intent.openers import GERUNDS, Opener, VerbForm
from gopher.domain.write_intent.passives import STATING, passive
from gopher.domain.write_intent.requests import Plainness, WriteAction, WriteRequest
from gopher.domain.write_intent.slots import Draft, draft
from gopher.domain.write_intent.tokens import Text


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
_MOST_WINDOWS: Final = 8
_MOST_FITS: Final = 40
NO_OPENER: Final = Opener(body=Sequence(()), plainness=Plainness.EXPLICIT, form=VerbForm.BARE, courteous=False)
"""A request may begin with its verb."""


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
        courteous=any(each.courteous for each in kept) or is_polite(text.tokens[start:end]),
    )


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
            made = passive(own, opener, after)
            if made is not None:
                yield _Found(draft=made, window_end=own.end, courteous=opener.courteous)
            continue
        for window in windows:
            shaped = _with_base_verb(window, after) if opener.form is VerbForm.GERUND else window
            words = frozenset(token.word for token in shaped.tokens[after : shaped.end])
            ahead = GRAMMAR.ahead(shaped, after)
            for indexed in frames:
                if (window is own or indexed.entry.reaches_on) and indexed.may_fit(words, ahead):
                    yield from _fitting(_attempts(text, indexed.entry, opener, shaped, after))


def _windows(text: Text, clauses: tuple[Clause, ...], index: int, start: int) -> tuple[Window, ...]:
    """The clause itself, and it together with more and more of what follows, for words that run on."""
    ends = [clauses[at].end for at in range(index, len(clauses))]
    kept = [*ends[: _MOST_WINDOWS - 1], ends[-1]] if len(ends) > _MOST_WINDOWS else ends
    first = Window(tokens=text.tokens, start=start, end=kept[0])
    return tuple(replace(first, end=end) for end in kept)


def _beginnings(window: Window) -> Iterator[tuple[Opener, int, tuple[Indexed[Frame], ...]]]:
    """Every way in which the clause may begin: with nothing or a courtesy, and the frames that may follow it."""
    yield NO_OPENER, window.start, ENGLISH
    yield STATING, window.start, ()
    yield NO_OPENER, window.start, HINGLISH
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


def _fitting(attempts: Iterator[Attempt]) -> Iterator[_Found]:
    for attempt in itertools.islice(attempts, _MOST_FITS):
        if not stands(attempt):
            continue
        start = GRAMMAR.skip(attempt.window, attempt.start)
        made = draft(attempt.text, attempt.frame, attempt.fit, start=start)
        if made is not None:
            yield _Found(
                draft=weakened(attempt, made), window_end=attempt.window.end, courteous=attempt.opener.courteous
            )


def _attempts(text: Text, frame: Frame, opener: Opener, window: Window, start: int) -> Iterator[Attempt]:
    for fit in GRAMMAR.fits(Sequence((frame.body, _TAIL)), window, start):
        yield Attempt(text=text, frame=frame, opener=opener, window=window, start=start, fit=fit)
