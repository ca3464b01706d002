"""Finds what makes the words of a request doubtful: described rather than given, conditional, somebody else's."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from typing import Final

from gopher.domain.write_intent import contents
from gopher.domain.write_intent.grammar import Filled, Fit
from gopher.domain.write_intent.requests import Plainness, WriteAction, WriteRequest
from gopher.domain.write_intent.tokens import Text, Token, TokenKind
from gopher.domain.write_intent.words import QUESTION_WORDS

_WITH_CONTENT: Final = frozenset({WriteAction.SEND, WriteAction.REPLY, WriteAction.EDIT, WriteAction.MEMORY_REMEMBER})
_ON_MEMORIES: Final = frozenset({WriteAction.MEMORY_REMEMBER, WriteAction.MEMORY_FORGET})
_CHANGES: Final = frozenset(
    "be include mention sound have add remove fix look contain make use become match reflect".split()
)
_FOR_PROGRAMS: Final = frozenset(
    "each every any all processing handling background worker workers daemon main single multiple gui ui socket sockets client clients task tasks loop io cpu process timer connection connections queue job jobs async uploads downloads".split()
)
_TIMES: Final = frozenset(
    "tomorrow tonight later kal baad monday tuesday wednesday thursday friday saturday sunday".split()
)
FOR_THE_REQUEST: Final = frozenset("if unless when whenever once until till agar jab".split())
"""Words that begin a condition which may be meant for the request itself."""


def doubted(text: Text, request: WriteRequest, fit: Fit) -> WriteRequest:
    """Make a request unsure whose words are only described, may hold a condition, or speak of programs."""
    unsure = False
    for filled in fit.slots:
        tokens = text.tokens[filled.start : filled.end]
        if filled.slot not in (contents.LITERAL, contents.LOOSE, contents.TOPIC) or not tokens:
            continue
        if request.action in _WITH_CONTENT and filled.slot != contents.TOPIC:
            unsure |= _is_described(text, request.action, filled)
        if request.action in _ON_MEMORIES:
            unsure |= _hangs_on_others(tokens) or (
                request.action is WriteAction.MEMORY_FORGET and tokens[-1].word in _TIMES
            )
        else:
            unsure |= _may_be_condition(text, filled, channel_follows=filled.end < fit.end)
        unsure |= _is_attributed(tokens)
        if request.action is WriteAction.THREAD_CREATE and filled.slot == contents.TOPIC:
            unsure |= any(token.word in _FOR_PROGRAMS for token in tokens)
        if request.action is WriteAction.MEMORY_FORGET and filled.slot == contents.TOPIC:
            words = span_text(text, filled)
            unsure |= _IDLE.fullmatch(words) is not None or _FOR_A_WHILE.search(words) is not None
        if request.action is WriteAction.REPLY and after_colon(text, filled):
            unsure |= tokens[0].word in QUESTION_WORDS or span_text(text, filled).endswith("?")
    if unsure:
        return replace(request, plainness=Plainness.UNSURE, contents=(), names=())
    return request


_FOR_A_WHILE: Final = re.compile(
    r"(?i)\bfor (?:a|one|the) (?:night|day|while|second|sec|minute|moment|bit|week|evening)\b"
)
_SPEAKING: Final = frozenset("say bol bolo bolna likh likho keh kaho".split())
_SPOKEN: Final = frozenset(
    "hello hi hey hii good gm gn gud happy merry welcome congrats congratulations thanks thank test testing yes no ok brb gg lol haha"
    " back live ready sorry bye cheers namaste welcome hurray yay woohoo goodnight morning night namaskar shukriya mubarak shubh hola".split()
)


def _is_said(text: Text, filled: Filled) -> bool:
    """Say whether words that only stand before a channel are said there, and no thing that is to be sent there.

    `send hello to #general`, `post the shop is open in #general`, `say cheese in #general`; not `send photos to #general`.
    """
    tokens = text.tokens[filled.start : filled.end]
    around = (*text.tokens[max(0, filled.start - 1) : filled.start], *text.tokens[filled.end : filled.end + 1])
    if any(token.word in _SPEAKING for token in around) or contents.is_statement(tokens):
        return True
    wordless = all(token.kind is not TokenKind.WORD for token in tokens)
    return wordless or tokens[0].word in _SPOKEN


_REMARKING: Final = frozenset("note mind down".split())


def _is_remark(text: Text, filled: Filled) -> bool:
    """`keep in mind that it's late`: something pointed out rather than to be kept, unless it is about oneself."""
    before = text.tokens[max(0, filled.start - _VERB_AND_THAT) : filled.start]
    about_oneself = any(token.word in contents.OWN for token in text.tokens[filled.start : filled.end])
    return any(token.word in _REMARKING for token in before) and not about_oneself


_VERB_AND_THAT: Final = 2
_IDLE: Final = re.compile(
    r"(?i)(?:anything|something|nothing|that|this|it)|i (?:ever |just )?(?:said|asked|mentioned|told|exist\w*|was)(?: (?:that|this|it|anything|something|so|you|here|that to you))*"
)
"""`forget I said that`: a turn of phrase, not a wish."""


def _is_described(text: Text, action: WriteAction, filled: Filled) -> bool:
    words = span_text(text, filled)
    if action is WriteAction.MEMORY_REMEMBER:
        if _is_remark(text, filled):
            return True
        after_that = filled.start > 0 and text.tokens[filled.start - 1].word == "that"
        return contents.is_empty(words) or (after_that and not contents.is_fact(text.tokens[filled.start : filled.end]))
    tokens = text.tokens[filled.start : filled.end]
    if action is WriteAction.SEND and filled.slot == contents.LOOSE and not _is_said(text, filled):
        return True
    # `be shorter` says how to change the message, `Tuesday not Monday` what: neither is what it is to say.
    contrasts = any(token.word in ("not", "rather") for token in tokens[1:]) and not contents.is_statement(tokens)
    changes = action is WriteAction.EDIT and (tokens[0].word in _CHANGES or contrasts)
    return changes or contents.is_described(words, marked=filled.slot == contents.LITERAL)


def after_colon(text: Text, filled: Filled) -> bool:
    """Say whether unquoted words follow a colon: then all of them are meant."""
    return filled.slot == contents.LITERAL and filled.start > 0 and text.tokens[filled.start - 1].word == ":"


def _may_be_condition(text: Text, filled: Filled, *, channel_follows: bool) -> bool:
    """Say whether unquoted words may hold a condition for the request itself: `saying yes if Ada agrees`.

    `when` and `until` hold a condition of the words themselves where a statement stands before them: `saying the shop
    is closed until Monday`. After a colon everything is what is to be written.
    """
    tokens = text.tokens[filled.start : filled.end]
    if after_colon(text, filled):
        return False
    for position, token in enumerate(tokens[1:], start=1):
        if token.word in FOR_THE_REQUEST and not (
            token.word in _OF_THE_WORDS and contents.is_statement(tokens[:position])
        ):
            return True
    short = len(tokens) <= _TOO_SHORT_FOR_A_TIME
    loose = filled.slot == contents.LOOSE
    return loose and not channel_follows and short and len(tokens) > 1 and tokens[-1].word in _TIMES


def _hangs_on_others(tokens: tuple[Token, ...]) -> bool:
    """`my birthday if Ada agrees`: a condition that is none of the requester's own habits."""
    pairs = itertools.pairwise(tokens)
    return any(
        token.word in FOR_THE_REQUEST - _OF_THE_WORDS and after.word not in _OWN_SUBJECTS for token, after in pairs
    )


_OWN_SUBJECTS: Final = frozenset(["i", "my", "we", "it", "there", "not", "you", "possible"])


def _is_attributed(tokens: tuple[Token, ...]) -> bool:
    """`… said Ada`: may say whose words these are."""
    return any(token.word in ("said", "says") for token in tokens[-_ATTRIBUTION:])


_ATTRIBUTION: Final = 5
_OF_THE_WORDS: Final = frozenset({"when", "until", "till"})
_TOO_SHORT_FOR_A_TIME: Final = 2


def span_text(text: Text, filled: Filled) -> str:
    """Return the words that fill a slot, tidied."""
    return contents.tidy(text.slice(filled.start, filled.end))
