"""Cuts a message into tokens with offsets: words in one spelling, mentions, links, emoji, quotations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from gopher.domain.write_intent.spans import Span, SpanKind, clean, find_spans
from gopher.domain.write_intent.spelling import canonical


class TokenKind(StrEnum):
    """What a token is."""

    WORD = "word"
    NUMBER = "number"
    USER = "user"
    EVERYONE = "everyone"
    """@everyone, @here or a role: many people."""
    NAME = "name"
    """An @ and a name in plain text."""
    CHANNEL = "channel"
    CHANNEL_NAME = "channel_name"
    EMOJI = "emoji"
    LINK = "link"
    """A link to a message."""
    URL = "url"
    QUOTE = "quote"
    CODE = "code"
    FOREIGN = "foreign"
    MARK = "mark"
    """Punctuation that separates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A piece of a cleaned message."""

    kind: TokenKind
    word: str
    """The canonical spelling; for marks the mark, for other kinds the text."""
    start: int
    end: int
    ids: tuple[int | None, ...] = ()
    """User: (id). Channel: (id). Link: (guild or None for a direct message, channel, message)."""
    raw: str = ""
    """The word as written, empty for other kinds."""
    inner: str = ""
    """What a quotation, code or foreign span holds."""
    possessive: bool = False
    """`Ada's`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A message, cut up."""

    cleaned: str
    tokens: tuple[Token, ...]
    unclosed: bool
    """A quotation that never ends."""

    def slice(self, start: int, end: int) -> str:
        """Return the text that tokens `start` to `end` (exclusive) cover."""
        if start >= end:
            return ""
        return self.cleaned[self.tokens[start].start : self.tokens[end - 1].end]


_EMOJI: Final = (
    "(?:[\U0001f1e6-\U0001f1ff]{2}|[0-9#*]\ufe0f?\u20e3|"
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u25fe\u2600-\u27bf\u2934\u2935\u2b05-\u2b55"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff](?:\ufe0f|[\U0001f3fb-\U0001f3ff])*"
    "(?:\u200d[\u2600-\u27bf\U0001f000-\U0001faff](?:\ufe0f|[\U0001f3fb-\U0001f3ff])*)*)"
)
_TOKEN: Final = re.compile(
    rf"""(?x)
    (?P<user><@!?(?P<user_id>\d+)>)
  | (?P<everyone><@&\d+>|@everyone\b|@here\b)
  | (?P<channel><\#(?P<channel_id>\d+)>)
  | (?P<custom><a?:\w{{1,64}}:\d+>)
  | (?P<link><?https?://(?:\w+\.)?discord(?:app)?\.com/channels/(?P<link_guild>\d+|@me)/(?P<link_channel>\d+)/(?P<link_message>\d+)/?(?:\?\S*)?>?)
  | (?P<url><?(?:https?://|www\.)[^\s>]+>?)
  | (?P<name>@[\w.-]+)
  | (?P<channel_name>\#[^\W\d_][\w-]*)
  | (?P<emoji>{_EMOJI})
  | (?P<heart><3\b)
  | (?P<shortcode>:[a-z0-9_+-]{{2,64}}:(?!\w))
  | (?P<smiley>(?<!\w)(?:[:;=]'?-?[)(\]\[DPpOo3/\\|*]|[xX]D)(?!\w))
  | (?P<number>\d+(?![\w.:,]*\w))
  | (?P<word>(?!w/)\w+(?:[.'+-]\w+)*\+*)
  | (?P<line>\n+)
  | (?P<dots>\.{{2,}})
  | (?P<dash>(?<=\s)(?:--?|~|\|)(?=\s)|[\u2014\u2013\u2192]|[-=]>)
  | (?P<with>(?i:(?<!\w)w/o?(?!\w)|(?<!\w)w/(?=\w)))
  | (?P<slash>(?<!\S)[/!$?%]\w+)
  | (?P<mark>[.!?;:,()\[\]&/"])
    """
)
_MARKS: Final = {"line": "\n", "dots": "...", "dash": "-"}


def tokenize(text: str) -> Text:
    """Cut a message up. The tokens are in order and do not overlap; blanks and bare emphasis marks are none."""
    cleaned = clean(text)
    spans = find_spans(cleaned)
    tokens: list[Token] = []
    position = 0
    for span in spans:
        tokens.extend(_between(cleaned, position, span.start))
        tokens.append(_spanned(span))
        position = span.end
    tokens.extend(_between(cleaned, position, len(cleaned)))
    return Text(cleaned=cleaned, tokens=tuple(tokens), unclosed=any(not span.closed for span in spans))


def _spanned(span: Span) -> Token:
    kind = {SpanKind.QUOTE: TokenKind.QUOTE, SpanKind.CODE: TokenKind.CODE, SpanKind.FOREIGN: TokenKind.FOREIGN}[
        span.kind
    ]
    return Token(kind=kind, word=f"<{kind}>", start=span.start, end=span.end, inner=span.inner)


def _between(cleaned: str, start: int, end: int) -> Iterator[Token]:
    position = start
    # Marks of emphasis are no words: \b must not see the underscore of _this_ as part of one.
    while match := _TOKEN.search(cleaned, position, end):
        yield from _token(match)
        position = match.end()


def _token(match: re.Match[str]) -> Iterator[Token]:
    group = match.lastgroup or ""
    raw, start, end = match[0], match.start(), match.end()
    match group:
        case "word":
            yield from _words(raw, start)
        case "line" | "dots" | "dash" | "mark":
            yield Token(kind=TokenKind.MARK, word=_MARKS.get(group, raw), start=start, end=end)
        case "user":
            yield Token(kind=TokenKind.USER, word=raw, start=start, end=end, ids=(int(match["user_id"]),))
        case "channel":
            yield Token(kind=TokenKind.CHANNEL, word=raw, start=start, end=end, ids=(int(match["channel_id"]),))
        case "link":
            yield Token(kind=TokenKind.LINK, word=raw, start=start, end=end, ids=_link_ids(match))
        case "custom" | "emoji" | "shortcode" | "heart" | "smiley":
            word = "\u2764" if group == "heart" else raw
            yield Token(kind=TokenKind.EMOJI, word=word, start=start, end=end)
        case "number" if raw in ("2", "4"):
            yield from _words(raw, start)
        case "with":
            yield Token(
                kind=TokenKind.WORD, word="without" if raw.lower() == "w/o" else "with", start=start, end=end, raw=raw
            )
        case "slash":
            yield Token(kind=TokenKind.WORD, word=raw.lower(), start=start, end=end)
        case _:
            yield Token(kind=TokenKind(group), word=raw.lower(), start=start, end=end)


def _link_ids(match: re.Match[str]) -> tuple[int | None, ...]:
    guild = match["link_guild"]
    return (None if guild == "@me" else int(guild), int(match["link_channel"]), int(match["link_message"]))


def _words(raw: str, start: int) -> Iterator[Token]:
    core = raw.strip("_")
    lead = len(raw) - len(raw.lstrip("_"))
    if not core:
        return
    possessive = bool(re.search(r"(?:'s|s')$", core, re.IGNORECASE))
    begin = start + lead
    finish = begin + len(core)
    for word in canonical(core):
        yield Token(kind=TokenKind.WORD, word=word, start=begin, end=finish, raw=core, possessive=possessive)
