"""The grammar of requests, assembled: every named phrase and slot, and the frames with the words that they need."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from gopher.domain.write_intent import (
    afterthoughts,
    contents,
    emojis,
    english_keeping,
    english_messages,
    english_sending,
    hinglish,
    openers,
    targets,
)
from gopher.domain.write_intent.frames import Frame, Indexed
from gopher.domain.write_intent.grammar import Grammar
from gopher.domain.write_intent.notation import beginning
from gopher.domain.write_intent.openers import Opener
from gopher.domain.write_intent.requests import WriteAction
from gopher.domain.write_intent.words import HEDGES, PASSED

GRAMMAR: Final = Grammar(
    phrases={
        **targets.PHRASES,
        **emojis.PHRASES,
        **contents.PHRASES,
        **openers.PHRASES,
        **afterthoughts.PHRASES,
        **english_messages.PHRASES,
        **english_sending.PHRASES,
        **english_keeping.PHRASES,
        **hinglish.PHRASES,
    },
    captures={
        **afterthoughts.CAPTURES,
        **targets.CAPTURES,
        **english_messages.CAPTURES,
        **english_keeping.CAPTURES,
        **hinglish.CAPTURES,
    },
    slots={**targets.SLOTS, **emojis.SLOTS, **contents.SLOTS, **afterthoughts.SLOTS},
    passed=PASSED | HEDGES,
)


def _indexed_frames(frames: Iterable[Frame]) -> tuple[Indexed[Frame], ...]:
    return tuple(
        Indexed(needs=GRAMMAR.needs(frame.body), beginning=beginning(frame.body), entry=frame) for frame in frames
    )


def _indexed_openers(entries: Iterable[Opener]) -> tuple[Indexed[Opener], ...]:
    return tuple(
        Indexed(needs=GRAMMAR.needs(opener.body), beginning=beginning(opener.body), entry=opener) for opener in entries
    )


ENGLISH: Final = _indexed_frames((*english_messages.FRAMES, *english_sending.FRAMES, *english_keeping.FRAMES))
HINGLISH: Final = _indexed_frames(hinglish.FRAMES)
ENGLISH_OPENERS: Final = _indexed_openers(openers.OPENERS)
HINGLISH_OPENERS: Final = _indexed_openers(openers.HINGLISH_OPENERS)

ACTION_WORDS: Final[dict[WriteAction, frozenset[str]]] = {
    WriteAction.PIN: frozenset("pin pinned pinning pins".split()),
    WriteAction.UNPIN: frozenset("unpin unpinned unpinning unpins pin pins".split()),
    WriteAction.REACT: frozenset("react reacted reacting reacts reaction reactions emoji emojis".split()),
    WriteAction.UNREACT: frozenset("unreact unreacted unreacting reaction reactions".split()),
    WriteAction.SEND: frozenset(
        "send sent sending sends post posted posting posts say said saying says write writing announce tell share message bhej bhejna bhejo"
        " likh likho bol bolo".split()
    ),
    WriteAction.REPLY: frozenset(
        "reply replied replying replies respond responded responding answer answered jawab".split()
    ),
    WriteAction.THREAD_CREATE: frozenset("thread threads".split()),
    WriteAction.THREAD_EDIT: frozenset(
        "rename renamed renaming archive archived archiving close reopen unarchive thread".split()
    ),
    WriteAction.EDIT: frozenset("edit edited editing edits change changed changing update rewrite fix badal".split()),
    WriteAction.DELETE: frozenset(
        "delete deleted deleting deletes remove removed removing erase hata hatao mita mitao unsend".split()
    ),
    WriteAction.MEMORY_REMEMBER: frozenset(
        "remember remembered remembering remembers note save memorize yaad bhool bhoolna forget".split()
    ),
    WriteAction.MEMORY_FORGET: frozenset(
        "forget forgot forgetting forgets forgotten memory memories bhool bhula".split()
    ),
}
"""Words that name an action, asked for or not: they tell why something was not authorized."""
