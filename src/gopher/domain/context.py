"""The prompt of a request, layer by layer: persona, policy, the recent conversation, a quoted message, the request.

Only the persona and the policy have the role `system`. What people wrote is fenced by marks that contain a delimiter
made for this request alone, so that no text can close its fence or open another one.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from html import escape
from itertools import groupby
from typing import Final, TypeAlias

from gopher.domain import prompts
from gopher.domain.conversation import Role
from gopher.domain.ids import MessageId, UserId, snowflake_time
from gopher.domain.journal import Attachment, AuthorKind, JournalMessage, RequestFacts
from gopher.domain.transcripts import PromptEntry

MESSAGE_CHARACTERS: Final = 3_000
"""Most of one earlier message: longer than any that a member without Nitro can send (2,000), so only unusual ones are
cut."""

RECENT_CHARACTERS: Final = 24_000
"""Most of the recent conversation together, about 6,000 tokens; the oldest messages fall out first."""

NAME_CHARACTERS: Final = 80
"""Discord's display names have at most 32 characters, terminals' and webhooks' may have more."""


_Part: TypeAlias = "tuple[Layer, Role, str]"


class Layer(StrEnum):
    """What a part of a prompt is for."""

    PERSONA = "persona"
    POLICY = "policy"
    RECENT = "recent"
    QUOTED = "quoted"
    REQUEST = "request"


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextFacts:
    """Everything that a prompt is made of."""

    request: RequestFacts
    message: JournalMessage | None
    """The message that asks; None when an interaction asks."""
    recent: tuple[JournalMessage, ...]
    """The channel before the request, oldest first."""
    quoted: JournalMessage | None
    """What the request replies to; None when it replies to nothing, or to something that is not known."""
    bot_id: UserId | None
    """None where the bot has no account, or none that is known."""
    now: datetime
    """Aware, UTC."""
    delimiter: str
    """Random, letters and digits."""
    tools: bool
    """Whether the model will be offered tools."""


def build_prompt(facts: ContextFacts) -> tuple[PromptEntry, ...]:
    """Put the prompt together. The request is always last and whole; every other part has a cap."""
    fence = _Fence(facts.delimiter)
    recent = _within(facts.recent, RECENT_CHARACTERS)
    place = prompts.RequestPlace(
        surface=facts.request.surface,
        guild_id=facts.request.guild_id,
        channel_id=facts.request.channel_id,
        requester_id=facts.request.user_id,
        bot_id=facts.bot_id,
        message_id=None if facts.message is None else facts.message.message_id,
        now=facts.now,
        delimiter=facts.delimiter,
    )
    parts = [
        (Layer.PERSONA, Role.SYSTEM, prompts.PERSONA),
        (Layer.POLICY, Role.SYSTEM, prompts.policy(place, tools=facts.tools)),
        *_recent_parts(recent, fence),
    ]
    if facts.quoted is not None:
        parts.append((Layer.QUOTED, Role.USER, fence.message("quoted", facts.quoted, MESSAGE_CHARACTERS)))
    parts.append((Layer.REQUEST, Role.USER, _request_text(facts, fence)))
    return tuple(
        PromptEntry(position=position, layer=layer, role=role, content=content)
        for position, (layer, role, content) in enumerate(parts)
    )


def escape_name(name: str) -> str:
    """Make a name that can stand inside a mark: one line without control characters, quotes or brackets."""
    visible = "".join(" " if unicodedata.category(character)[0] in "CZ" else character for character in name)
    return escape(" ".join(visible.split())[:NAME_CHARACTERS], quote=True)


class _Fence:
    """Writes marks with the request's delimiter around what people wrote."""

    def __init__(self, delimiter: str) -> None:
        self._delimiter = delimiter

    def message(self, kind: str, message: JournalMessage, most: int | None) -> str:
        attributes = [
            f"id={message.message_id}",
            f'author="{escape_name(message.author_name)}"',
            f"author_id={message.author_id}",
            *(["author_kind=you"] if message.author_kind is AuthorKind.ASSISTANT else []),
            *(["author_kind=bot"] if message.author_kind in (AuthorKind.BOT, AuthorKind.WEBHOOK) else []),
            *_sent_attributes(message),
        ]
        lines = [self.text(message.content, most), *(self.attachment(file) for file in message.attachments)]
        return self.block(kind, attributes, "\n".join(line for line in lines if line))

    def sent(self, message: JournalMessage) -> str:
        return f"<{self._delimiter}:sent {' '.join([f'id={message.message_id}', *_sent_attributes(message)])}/>"

    def attachment(self, file: Attachment) -> str:
        kind = escape_name(file.content_type or "unknown")
        return f'<{self._delimiter}:attachment name="{escape_name(file.filename)}" type="{kind}" bytes={file.size}/>'

    def block(self, kind: str, attributes: Iterable[str], body: str) -> str:
        opening = " ".join([f"<{self._delimiter}:{kind}", *attributes])
        return f"{opening}>\n{body}\n</{self._delimiter}:{kind}>"

    def text(self, text: str, most: int | None) -> str:
        # Nobody can guess the delimiter; that no text contains it is made certain, not likely.
        whole = text.replace(self._delimiter, "…")
        if most is None or len(whole) <= most:
            return whole
        return f"{whole[:most]}… [{len(whole) - most} characters cut]"


def _sent_attributes(message: JournalMessage) -> list[str]:
    at = f"at={_instant(message.created_at)}"
    return [at] if message.reply_to_message_id is None else [at, f"reply_to={message.reply_to_message_id}"]


def _instant(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _recent_parts(recent: Sequence[JournalMessage], fence: _Fence) -> list[_Part]:
    """Fence members' messages; give this bot's own as such, with their ids in the next part of members."""
    parts: list[_Part] = []
    notes: list[str] = []
    for own, messages in groupby(recent, lambda message: message.author_kind is AuthorKind.ASSISTANT):
        group = list(messages)
        if own:
            if not parts:  # some providers refuse a conversation that the assistant opens
                parts.append((Layer.RECENT, Role.USER, "(The conversation before this is not shown.)"))
            text = "\n".join(fence.text(message.content, MESSAGE_CHARACTERS) for message in group)
            parts.append((Layer.RECENT, Role.ASSISTANT, text.strip() or "(a message without text)"))
            notes = [fence.sent(message) for message in group]
        else:
            blocks = [*notes, *(fence.message("message", message, MESSAGE_CHARACTERS) for message in group)]
            parts.append((Layer.RECENT, Role.USER, "\n".join(blocks)))
            notes = []
    if notes:
        parts.append((Layer.RECENT, Role.USER, "\n".join(notes)))
    return parts


def _request_text(facts: ContextFacts, fence: _Fence) -> str:
    if facts.message is not None:
        return fence.message("request", facts.message, None)
    request = facts.request
    name = f'author="{escape_name(request.user_name or "")}"'
    at = f"at={_instant(snowflake_time(request.request_id))}"
    return fence.block("request", [name, f"author_id={request.user_id}", at], fence.text(request.prompt or "", None))


def _within(recent: Sequence[JournalMessage], most: int) -> tuple[JournalMessage, ...]:
    """Drop the oldest messages until the texts fit."""
    kept: list[JournalMessage] = []
    seen: set[MessageId] = set()
    total = 0
    for message in reversed(recent):
        total += min(len(message.content), MESSAGE_CHARACTERS)
        if total > most:
            break
        if message.message_id not in seen:
            kept.append(message)
            seen.add(message.message_id)
    return tuple(reversed(kept))
