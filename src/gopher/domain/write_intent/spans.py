"""Finds the parts of a message that are not the requester speaking: quotations, code, forwarded and pasted text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class SpanKind(StrEnum):
    """What a span is."""

    QUOTE = "quote"
    """In quotation marks: may be what a request wants to be written, never a request itself."""
    CODE = "code"
    FOREIGN = "foreign"
    """Block quotes, struck-out text, spoilers, link texts, forwarded and pasted text: no part of any request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A part of the text that says nothing for the requester."""

    kind: SpanKind
    start: int
    end: int
    inner: str
    """The text between the marks."""
    closed: bool = True
    """False: the closing mark is missing and the span runs to the end."""


_INVISIBLE: Final = frozenset("\u200b\u200c\u2060\ufeff\u00ad")
_DIRECTION: Final = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_PLAIN: Final = str.maketrans(
    {
        "\u2018": "'",
        "\u2019": "'",
        "\u201b": "'",
        "\u00b4": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u201e": '"',
        "\u201f": '"',
        "\u00ab": '"',
        "\u00bb": '"',
        "\u2026": "...",
        "\u00a0": " ",
        "\r": "\n",
    }
)

# From the marker on, the words are somebody else's: a forwarded message, a copied log, a chat template, markup.
_FOREIGN_REST: Final = re.compile(
    r"""(?ix)
    ^[ \t>*_-]*(?:
        (?:-{2,}\s*)?(?:forwarded|original)\s+(?:message|from|text)\b
      | (?:fwd?|fw)\s*: | \[?forwarded\b
      | \[?\s*(?:system|assistant|developer|admin|user|inst|tool|root|sudo|moderator)\s*(?:message|prompt|override|note)?\s*[\]:]
      | \[/?[A-Z_ ]{3,}\]
      | <\|?/?(?:system|assistant|user|im_start|im_end|inst|tool|instructions?|prompt|s)\b
      | \#{2,}\s*(?:system|instructions?|assistant|user|prompt|new|task)
      | (?:begin|start|end)\s+of\s+(?:the\s+)?(?:transcript|log|message|quote|instructions?|prompt|page|document|article|file|e?mail|text|content|context)
      | -{3,} | ={3,} | _{3,} | \*{3,}\s*$
    )
    """,
    re.MULTILINE,
)
_SPEAKER_TIME: Final = re.compile(
    r"""(?imx)^(?:
        [^\n]{1,40}?\s[-\u2014\u2013]*\s*(?:today|yesterday)\s+at\s+\d{1,2}[:.]\d\d\b
      | \[?\(?\d{1,2}[:.]\d\d(?:[:.]\d\d)?\s*(?:[ap]m)?\]?\)?,?\s+<?@?[^\n\s:>]{1,32}[:>]
      | <[a-z][\w.-]{1,31}>\s
      | [^\n]{1,32}?\s+\d{1,2}/\d{1,2}/\d{2,4}[ ,]+\d{1,2}[:.]\d\d
    )"""
)

_FENCE: Final = re.compile(r"(`{3,}|~{3,})(.*?)(?:\1|\Z)", re.DOTALL)
_INLINE_CODE: Final = re.compile(r"(`{1,2})([^`]+?)\1")
_BLOCK_REST: Final = re.compile(r"^[ \t]*>>>.*\Z", re.MULTILINE | re.DOTALL)
_BLOCK_LINE: Final = re.compile(r"^[ \t]*(?:>|&gt;).*$", re.MULTILINE)
_STRUCK: Final = re.compile(r"~~(.+?)~~", re.DOTALL)
_SPOILER: Final = re.compile(r"\|\|(.+?)\|\|", re.DOTALL)
_LINK_TEXT: Final = re.compile(r"\[([^\]\n]{1,200})\]\(\s*<?https?://[^)\s]*\)")
_TAGGED: Final = re.compile(r"<([a-z]{1,20})>(.*?)</\1>", re.DOTALL | re.IGNORECASE)
_COMMENT: Final = re.compile(r"<!--.*?(?:-->|\Z)|/\*.*?(?:\*/|\Z)", re.DOTALL)
_DOUBLE: Final = re.compile(r'(?:(?<=[\s(\[{:,;=>\-*_])|^)"(?=[^\s"])(.*?)(?:(?<!\s)"|(\Z))', re.DOTALL | re.MULTILINE)
_SINGLE: Final = re.compile(
    r"(?:(?<=[\s(\[{:,;=>\-*_])|^)'(?=[^\s'])([^\n]*?[^\s'])'(?=$|[\s.,;:!?)\]}*_])", re.MULTILINE
)


def clean(text: str) -> str:
    """Make invisible and typographic characters plain, keeping every visible word as it is."""
    kept = "".join(_plain_character(character) for character in text.replace("\r\n", "\n"))
    return kept.translate(_PLAIN)


def _plain_character(character: str) -> str:
    if character in _INVISIBLE or character in _DIRECTION or "\U000e0000" <= character <= "\U000e007f":
        return ""
    folded = unicodedata.normalize("NFKC", character)
    # Only letters and digits in another dress (fullwidth, mathematical): a fold that is longer would move everything.
    return folded if len(folded) == 1 and folded.isascii() and folded.isalnum() else character


def has_direction_marks(text: str) -> bool:
    """Say whether the text can look different from what it is: marks that turn the direction of writing."""
    return any(character in _DIRECTION for character in text)


def find_spans(text: str) -> tuple[Span, ...]:
    """Return the spans of a cleaned text in order, none overlapping another: what begins first, wins."""
    taken: list[Span] = []
    for group in (_code, _foreign, _quotes):
        taken.extend(_outside(group(_blank(text, taken), text), taken))
    return tuple(sorted(taken, key=lambda span: span.start))


def _outside(found: Iterator[Span], taken: list[Span]) -> list[Span]:
    kept: list[Span] = []
    for span in sorted(found, key=lambda each: (each.start, -each.end)):
        if not any(span.start < other.end and other.start < span.end for other in (*taken, *kept)):
            kept.append(span)
    return kept


def _blank(text: str, spans: list[Span]) -> str:
    """Overwrite spans, keeping offsets, so that marks inside one do not open another."""
    for span in spans:
        text = text[: span.start] + "\x00" * (span.end - span.start) + text[span.end :]
    return text


def _code(blanked: str, text: str) -> Iterator[Span]:
    del blanked
    for match in _FENCE.finditer(text):
        yield Span(kind=SpanKind.CODE, start=match.start(), end=match.end(), inner=_fenced(match[2]))
    for match in _INLINE_CODE.finditer(text):
        yield Span(kind=SpanKind.CODE, start=match.start(), end=match.end(), inner=match[2].strip())


def _fenced(inner: str) -> str:
    first, line_break, rest = inner.partition("\n")
    return (rest if line_break and re.fullmatch(r"[\w+#.-]*", first.strip()) else inner).strip("\n")


def _foreign(blanked: str, text: str) -> Iterator[Span]:
    for pattern in (_FOREIGN_REST, _SPEAKER_TIME):
        if match := pattern.search(blanked):
            yield Span(kind=SpanKind.FOREIGN, start=match.start(), end=len(text), inner=text[match.start() :])
    for pattern in (_BLOCK_REST, _BLOCK_LINE, _STRUCK, _SPOILER, _LINK_TEXT, _TAGGED, _COMMENT):
        for match in pattern.finditer(blanked):
            inner = text[match.start() : match.end()].strip(" \t>~|")
            yield Span(kind=SpanKind.FOREIGN, start=match.start(), end=match.end(), inner=inner)


def _quotes(blanked: str, text: str) -> Iterator[Span]:
    for match in _DOUBLE.finditer(blanked):
        start, end = match.span(1)
        closed = match[2] is None
        yield Span(kind=SpanKind.QUOTE, start=match.start(), end=match.end(), inner=text[start:end], closed=closed)
    for match in _SINGLE.finditer(blanked):
        start, end = match.span(1)
        yield Span(kind=SpanKind.QUOTE, start=match.start(), end=match.end(), inner=text[start:end])
