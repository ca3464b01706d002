"""Cuts a message into sentences and clauses, remembering what stands between them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from gopher.domain.write_intent.tokens import Text, Token, TokenKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """A stretch of tokens without a boundary inside."""

    start: int
    end: int
    """Exclusive."""
    sentence: int
    lead: str
    """What joins it to the clause before: a mark or a connective; empty at the beginning of a sentence."""
    closed_by: str
    """The mark that follows; empty where a connective follows or the text ends."""
    asks: bool
    """Its sentence ends with a question mark."""


_ENDINGS: Final = frozenset({"\n", ".", "!", "?", ";"})
_PAUSES: Final = frozenset({",", "...", "-", "(", ")", "[", "]", ":", "/"})
_CONNECTIVES: Final = frozenset(
    {"and", "then", "but", "also", "or", "plus", "aur", "phir", "fir", "lekin", "magar", "though"}
)
# `so` joins a request to its reason (`so we don't lose it`), or a reason to its request (`so pin it`).
_AFTER_SO: Final = frozenset(
    {"please", "can", "could", "would", "will", "pin", "unpin", "delete", "remove", "react", "reply", "edit", "isko"}
)


def split(text: Text) -> tuple[Clause, ...]:
    """Return the clauses in order; empty ones, as between two marks, are left out."""
    clauses: list[Clause] = []
    asking = _asking_sentences(text.tokens)
    start, sentence, lead = 0, 0, ""
    for position, token in enumerate((*text.tokens, None)):
        if token is not None and not _separates(text.tokens, position):
            continue
        mark = token.word if token is not None and token.kind is TokenKind.MARK else ""
        if start < position:
            clauses.append(
                Clause(start=start, end=position, sentence=sentence, lead=lead, closed_by=mark, asks=sentence in asking)
            )
        elif clauses and mark and clauses[-1].sentence == sentence and clauses[-1].closed_by != ":":
            # Of several marks the last says most, but for the colon in `here:` before a line break.
            clauses[-1] = replace(clauses[-1], closed_by=mark)
        if token is not None and token.kind is TokenKind.FOREIGN:
            clauses.append(
                Clause(start=position, end=position + 1, sentence=sentence, lead="", closed_by="\n", asks=False)
            )
        if token is not None and _ends_sentence(token):
            sentence, lead = sentence + 1, ""
        elif token is not None:
            lead = token.word
        start = position + 1
    return tuple(clauses)


def _ends_sentence(token: Token) -> bool:
    return token.kind is TokenKind.FOREIGN or (token.kind is TokenKind.MARK and token.word in _ENDINGS)


def _separates(tokens: tuple[Token, ...], position: int) -> bool:
    token = tokens[position]
    if token.kind is TokenKind.MARK:
        if token.word == ":" and _is_reference(tokens, position + 1):
            return False
        return token.word in _ENDINGS or token.word in _PAUSES
    if token.kind is TokenKind.FOREIGN or token.word in _CONNECTIVES:
        return True
    return token.word == "so" and position + 1 < len(tokens) and tokens[position + 1].word in _AFTER_SO


def _is_reference(tokens: tuple[Token, ...], position: int) -> bool:
    """A link or an id after a colon belongs to the words before it: `pin this one: https://…`."""
    return position < len(tokens) and tokens[position].kind in (TokenKind.LINK, TokenKind.NUMBER)


def _asking_sentences(tokens: tuple[Token, ...]) -> frozenset[int]:
    asking: set[int] = set()
    sentence, first = 0, 0
    for position, token in enumerate(tokens):
        if not _ends_sentence(token):
            continue
        together = position > 0 and tokens[position - 1].end == token.start and _ends_sentence(tokens[position - 1])
        # Of `?!` and `!?` every mark belongs to the sentence before the first.
        first = first if together else sentence
        if token.word == "?":
            asking.add(first)
        sentence += 1
    return frozenset(asking)
