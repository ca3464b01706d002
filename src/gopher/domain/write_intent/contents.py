"""Where the words to be written begin and end, and whether they were given at all or only described."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from gopher.domain.write_intent.grammar import Filling, Slot, Window
from gopher.domain.write_intent.tokens import Token, TokenKind
from gopher.domain.write_intent.words import CONDITIONS, FINITE

QUOTED: Final = "quoted"
LITERAL: Final = "literal"
"""Words after a marker: `saying …`, `that says …`, a colon."""
LOOSE: Final = "loose"
"""Words that are the content only by their place: `post hello in #general`."""
TOPIC: Final = "topic"
CLOSING: Final = frozenset({"\n", ".", ";"})


_LONGEST_AFTERTHOUGHT: Final = 16
"""How many tokens may follow marked words and not belong to them: `… in #general please`."""
_LONGEST_LOOSE: Final = 60


def _quoted(window: Window, position: int) -> Iterator[Filling]:
    if window.kind(position) in (TokenKind.QUOTE, TokenKind.CODE):
        yield position + 1, window.tokens[position].inner.strip()


# What begins with a quotation is the quotation; what follows it must be understood: `"done" if Ada agrees`.
_NO_BEGINNING: Final = frozenset({TokenKind.MARK, TokenKind.QUOTE, TokenKind.CODE})


def _literal(window: Window, position: int) -> Iterator[Filling]:
    """Everything to the end of the window, or less where something else follows; the longest first."""
    if position >= window.end or window.kind(position) in _NO_BEGINNING:
        return
    shortest = max(position, window.end - 1 - _LONGEST_AFTERTHOUGHT)
    for end in range(window.end, shortest, -1):
        if window.kind(end - 1) is not TokenKind.MARK or window.word(end - 1) in ("!", "?", ".", '"', ")", "..."):
            yield end, (position, end)


def _loose(window: Window, position: int) -> Iterator[Filling]:
    """The same within a sentence, the shortest first."""
    if window.kind(position) is None or window.kind(position) in _NO_BEGINNING:
        return
    for end in range(position + 1, min(window.end, position + _LONGEST_LOOSE) + 1):
        token = window.tokens[end - 1]
        if token.kind is TokenKind.MARK and token.word in CLOSING:
            return
        if token.kind is not TokenKind.MARK:
            yield end, (position, end)


_NOT_TO_REMEMBER: Final = frozenset("when how what who where why me us him them if whether guys which".split())
_SHORTEST_FACT: Final = 3
OWN: Final = frozenset("i my our we mera mujhe hum humara hamara mere meri mine main mein".split())


def _self_fact(window: Window, position: int) -> Iterator[Filling]:
    """`I like tea`, `my birthday is 5 May`: a statement that begins with the requester."""
    rest = window.tokens[position : window.end]
    by_itself = window.word(position) == "i" and len(rest) >= _SHORTEST_FACT
    if window.word(position) in OWN and (by_itself or is_statement(rest)):
        yield from _literal(window, position)


def _hindi_fact(window: Window, position: int) -> Iterator[Filling]:
    """`main non veg nahi khata`: verbs are too many to list, so three words will do."""
    if window.word(position) in OWN and window.end - position >= _SHORTEST_FACT:
        yield from _literal(window, position)


def _loose_fact(window: Window, position: int) -> Iterator[Filling]:
    if window.word(position) not in _NOT_TO_REMEMBER and window.end - position >= _SHORTEST_FACT:
        yield from _literal(window, position)


def _self_topic(window: Window, position: int) -> Iterator[Filling]:
    if window.word(position) in OWN:
        yield from _literal(window, position)


_IDIOMATIC: Final = frozenset("it this that about".split())


def _other_topic(window: Window, position: int) -> Iterator[Filling]:
    """Anything but what an idiom forgets: `forget it`, `forget about it`."""
    if any(window.word(at) not in _IDIOMATIC for at in range(position, window.end)):
        yield from _literal(window, position)


def _memory_id(window: Window, position: int) -> Iterator[Filling]:
    raw = window.tokens[position].raw or window.word(position) if window.word(position) else ""
    if raw.isdecimal():
        yield position + 1, int(raw)


def _replaced(window: Window, position: int) -> Iterator[Filling]:
    """One side of `change 5pm to 6pm`."""
    if window.kind(position) is TokenKind.QUOTE:
        yield position + 1, window.tokens[position].inner
        return
    for end in range(position + 1, min(window.end, position + _LONGEST_REPLACED) + 1):
        if window.kind(end - 1) is TokenKind.MARK:
            return
        yield end, (position, end)


_LONGEST_REPLACED: Final = 6

SLOTS: Final[dict[str, tuple[str, Slot]]] = {
    "QUOTED": (QUOTED, _quoted),
    "LITERAL": (LITERAL, _literal),
    "LOOSE": (LOOSE, _loose),
    "TOPIC": (TOPIC, _literal),
    "SELFTOPIC": (TOPIC, _self_topic),
    "OTHERTOPIC": (TOPIC, _other_topic),
    "SELFFACT": (LITERAL, _self_fact),
    "HFACT": (LITERAL, _hindi_fact),
    "LOOSEFACT": (LITERAL, _loose_fact),
    "MEMORYID": ("memory_id", _memory_id),
    "OLD": ("old", _replaced),
    "NEW": ("new", _replaced),
}

PHRASES: Final[dict[str, str]] = {
    "TEXT": "[ : ] QUOTED | [ : ] LITERAL",
    "SAYING": ": | SAYINGWORD",
    "SAYINGWORD": "saying|reading|stating | that|which says|reads|goes|states | and|to say|write | by|with saying | with [ the|a ] text|message|content|words|caption"
    " | say | that|which says that",
}

# What is only described has still to be composed: `a joke`, `something nice`, `the summary`.
_DESCRIBING: Final = re.compile(
    r"(?i)(?:a|an|the|some|something|anything|smth|smthn|sth|somethin|your|my|our|his|her|their|whatever|this|that|it|these|those|one|two|three|\d+"
    r"|fast|now|again|soon|asap|quick|first|\w+ly|me|us|about|another|more|any|what|how|why|who|koi|kuch|sab|sabhi|log|kya|kaun|tum|aap|usko|isko|ek|apna|apni|mera|meri|info|information|details|everything|all|back|to|with"
    r"|summary|results?|congratulations to|wishes|instructions|stuff)\b"
)
_ALSO_A_SENTENCE: Final = re.compile(r"(?i)\b(?:is|are|was|were|am|i'm|it's|that's|we're|they're|will|won't|has|have|had|can|can't|must|should"
    r"|don't|does|did|hai|hain|ho|tha|thi|hoga|gaya|gayi|moved|starts?|ends?|closes?|opens?|begins?|works?|happens?|rocks?|sucks?)\b")  # fmt: skip
_NOTHING_GIVEN: Final = re.compile(
    r"(?i)(?:(?:a|an|the|some|another|new|quick|short|one|ek|koi|kuch|back|again|something|anything|it|this|that|them|these|those|now|"
    r"message|msg|messages|text|reply|asap|fast|please|pls|reply|response|here|there|to|him|her|everyone|me|us)\W*)+"
)
_LEAD: Final = " \t\n,:;-\u2013\u2014=>"


def tidy(text: str) -> str:
    """Take away what separates the words from the request, and one pair of quotation marks around them."""
    stripped = text.strip(" \t\n").lstrip(_LEAD).strip()
    if len(stripped) > 1 and stripped[0] == stripped[-1] and stripped[0] in "\"'`":
        stripped = stripped[1:-1].strip()
    return stripped


def is_empty(text: str) -> bool:
    """Say whether the words only point: `this`, `a message`."""
    return _NOTHING_GIVEN.fullmatch(text.strip()) is not None


def is_described(text: str, *, marked: bool) -> bool:
    """Say whether unquoted words describe what to write rather than being it.

    `marked`: a marker stood before them (`saying the shop is open`), so that only vague words count as a description.
    """
    if is_empty(text):
        return True
    if marked:
        return bool(
            re.match(
                r"(?i)(?:something|anything|smth|sth|whatever|some|a few words|koi|kuch|about|how|what|why|who|where|when|if|whether|to)\b",
                text.strip(),
            )
        )
    return bool(_DESCRIBING.match(text.strip())) and not _ALSO_A_SENTENCE.search(text)


def has_condition(tokens: tuple[Token, ...]) -> bool:
    """Say whether words that are content only by their place may hold a condition for the request itself."""
    return any(token.word in CONDITIONS and position > 0 for position, token in enumerate(tokens))


_COMPLEMENT: Final = frozenset(
    "i me my our we you your he she they it his her their the a an this these there everyone nobody people mera mujhe hum main".split()
)


def is_fact(tokens: tuple[Token, ...]) -> bool:
    """Say whether words after `that` make a fact of their own: `Bob likes tea`, and not `time we won`."""
    if not tokens:
        return False
    possessive = tokens[0].possessive
    return (
        possessive
        or tokens[0].word in _COMPLEMENT
        or (
            any(token.word in FINITE for token in tokens[1:3])
            and not any(token.word in _COMPLEMENT for token in tokens[1:2])
        )
    )


def is_statement(tokens: tuple[Token, ...]) -> bool:
    """Say whether the words make a statement, so that there is something to remember."""
    return any(token.word in FINITE for token in tokens)
