"""What the demo model understands of a prompt: who asks what, what was said before, and what tools have answered."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from typing import Final

from pydantic import JsonValue

OWN_NAME: Final = "Gopher"

# The marks of `gopher.domain.context`: the delimiter is different in every prompt and is learned from the marks
# themselves.
_BLOCK: Final = re.compile(
    r"<(?P<mark>\w+):(?P<kind>message|quoted|request)(?P<attributes>[^>]*)>\n(?P<body>.*?)\n</(?P=mark):(?P=kind)>",
    re.DOTALL,
)
_ATTRIBUTE: Final = re.compile(r'(\w+)=(?:"([^"]*)"|(\S+))')
_ATTACHMENT: Final = re.compile(r"^<\w+:attachment [^>]*/>$", re.MULTILINE)
_ADDRESS: Final = re.compile(r"^(?:\s*<@!?\d+>[\s,:]*|\s*@?gopher\s*[,:!]\s*)+", re.IGNORECASE)
_CHANNEL: Final = re.compile(r"Channel id: (\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One message of the conversation."""

    author: str
    text: str
    message_id: str | None = None
    own: bool = False
    """True for what this bot said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflinePrompt:
    """A prompt as far as it is understood."""

    requester: str | None
    """None when the prompt does not name one."""
    request: str
    """Without the mention or name that addresses the bot, stripped."""
    request_id: str | None
    channel_id: str | None
    recent: tuple[Said, ...]
    """Oldest first."""
    quoted: Said | None
    results: tuple[str, ...]
    """What tools answered since the request, in order."""
    words: int
    """Of the whole prompt: stands for tokens."""


def read_prompt(messages: Sequence[dict[str, JsonValue]]) -> OfflinePrompt:
    """Read the messages of a chat-completions request; a prompt without marks is read as plain turns."""
    last = max((index for index, message in enumerate(messages) if message.get("role") == "user"), default=-1)
    asked = _content(messages[last]) if last >= 0 else ""
    blocks = dict(_blocks(asked))
    request = blocks.get("request") or Said(author="", text=asked)
    quoted = blocks.get("quoted")
    recent: list[Said] = []
    for message in messages[: max(last, 0)]:
        for kind, said in _said(message):
            if kind == "quoted":
                quoted = said
            else:
                recent.append(said)
    channel = _CHANNEL.search("\n".join(_content(message) for message in messages if message.get("role") == "system"))
    return OfflinePrompt(
        requester=request.author or None,
        request=_ADDRESS.sub("", request.text).strip(),
        request_id=request.message_id,
        channel_id=channel.group(1) if channel else None,
        recent=tuple(recent),
        quoted=quoted,
        results=tuple(_content(message) for message in messages[last + 1 :] if message.get("role") == "tool"),
        words=sum(len(_content(message).split()) for message in messages),
    )


def _said(message: dict[str, JsonValue]) -> Iterator[tuple[str, Said]]:
    text = _content(message)
    match message.get("role"):
        case "assistant" if text:
            yield "message", Said(author=OWN_NAME, text=text, own=True)
        case "user":
            yield from _blocks(text)
        case _:
            return


def _blocks(text: str) -> Iterator[tuple[str, Said]]:
    for block in _BLOCK.finditer(text):
        attributes = {name: quoted or plain for name, quoted, plain in _ATTRIBUTE.findall(block["attributes"])}
        yield (
            block["kind"],
            Said(
                author=unescape(attributes.get("author", "")),
                text=_ATTACHMENT.sub("", block["body"]).strip(),
                message_id=attributes.get("id"),
                own=attributes.get("author_kind") == "you",
            ),
        )


def _content(message: dict[str, JsonValue]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""
