"""Compares words: whether what a call would write is what the requester gave."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from enum import StrEnum
from typing import Final


class Likeness(StrEnum):
    """How a text relates to the words that were given."""

    SAME = "same"
    """But for case, spacing, quotation marks around it, and the punctuation at its end."""
    NEAR = "near"
    """Most of the words are the same: a correction, a shortening, a greeting more."""
    OTHER = "other"


def _set(*lines: str) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*|[^\w\s]")
_WORDS_ONLY: Final = re.compile(r"[^\W_]+")
_EDGES: Final = " \t\n\"'`\u201c\u201d\u2018\u2019*"
_END: Final = " \t\n.!\u2026"
_ENOUGH: Final = 0.6
_SHORTEST_STEM: Final = 3
_DENYING: Final = _set(
    "not no never none nobody nothing dont doesnt didnt isnt arent wasnt cant cannot wont without nahi mat"
)
_NEGATIONS: Final = _DENYING | _set("hate hates dislike dislikes")
# What a memory says in place of the requester's own I, my, mine, and what holds a sentence together.
_GLUE: Final = _set(
    "a an the is are am was were be been has have had do does did i im ive my mine me we our us you your user users he",
    "she they his her their them it its s m ve re of to in on at for and that this who which as with prefers name",
    "called ki ka ke ko hai hain ho mera meri mere mujhe main mein requester member",
)


def likeness(proposed: str, given: Iterable[str]) -> Likeness:
    """Tell how a text relates to the nearest of the words that were given."""
    best = Likeness.OTHER
    for words in given:
        if _folded(proposed) == _folded(words):
            return Likeness.SAME
        if _overlap(proposed, words) >= _ENOUGH:
            best = Likeness.NEAR
    return best


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'").strip(_EDGES)
    return " ".join(plain.rstrip(_END).strip(_EDGES).split())


def _overlap(left: str, right: str) -> float:
    ours, theirs = set(_WORD.findall(_folded(left))), set(_WORD.findall(_folded(right)))
    return len(ours & theirs) / len(ours | theirs) if ours and theirs else 0.0


def retells(proposed: str, given: Iterable[str]) -> Likeness:
    """Tell how a statement about the requester relates to their own: `The user likes tea` retells `I like tea`.

    SAME means that every word of weight was given and that a negation is in both or in neither.
    """
    best = Likeness.OTHER
    ours = _weighty(proposed)
    for words in given:
        theirs = _weighty(words)
        if ours and ours <= theirs and bool(_negations(proposed)) == bool(_negations(words)):
            return Likeness.SAME
        if len(ours & theirs) >= _ENOUGH * len(ours) > 0:
            best = Likeness.NEAR
    return best


def mentions(text: str, topic: str) -> bool:
    """Say whether a text speaks of a topic: holds every word of weight that the topic has, in some form."""
    wanted = _weighty(topic)
    return bool(wanted) and wanted <= _weighty(text)


def made_of(proposed: str, topic: str, *, besides: frozenset[str]) -> bool:
    """Say whether a name consists of a topic's words, and of words that say nothing."""
    words = _weighty(proposed) - {_stem(word) for word in besides}
    return bool(words) and words <= _weighty(topic)


def _weighty(text: str) -> frozenset[str]:
    words = (word.replace("'", "") for word in _WORDS_ONLY.findall(_folded(text).replace("'", "")))
    return frozenset(_stem(word) for word in words if word not in _GLUE and word not in _DENYING)


def _negations(text: str) -> frozenset[str]:
    return frozenset(_WORDS_ONLY.findall(_folded(text).replace("'", ""))) & _NEGATIONS


def _stem(word: str) -> str:
    """Take off what differs between `likes` and `like`, `parties` and `party`; that both give the same is enough."""
    for ending in ("ies", "ing", "ed", "es", "s", "y", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word[: -len(ending)]
    return word
