"""Messages as rows of `chat_messages`: the columns, the parameters of a write, and the record that a row becomes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TypedDict

from psycopg.types.json import Jsonb

from gopher.domain.ids import ChannelId, GuildId, MessageId, RequestId, UserId
from gopher.domain.journal import Attachment, AuthorKind, JournalMessage
from gopher.domain.runs import Surface


class AttachmentDocument(TypedDict):
    """One element of `chat_messages.attachments`."""

    attachment_id: int
    filename: str
    content_type: str | None
    size: int
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageRow:
    """One row of `chat_messages`; a select list names these columns."""

    message_id: int
    surface: str
    guild_id: int | None
    channel_id: int
    author_id: int
    author_name: str
    author_kind: str
    content: str
    attachments: list[AttachmentDocument]
    reply_to_message_id: int | None
    request_id: int | None
    created_at: datetime

    def record(self) -> JournalMessage:
        """Give the row its types."""
        return JournalMessage(
            message_id=MessageId(self.message_id),
            surface=Surface(self.surface),
            guild_id=None if self.guild_id is None else GuildId(self.guild_id),
            channel_id=ChannelId(self.channel_id),
            author_id=UserId(self.author_id),
            author_name=self.author_name,
            author_kind=AuthorKind(self.author_kind),
            content=self.content,
            attachments=tuple(Attachment(**document) for document in self.attachments),
            reply_to_message_id=None if self.reply_to_message_id is None else MessageId(self.reply_to_message_id),
            request_id=None if self.request_id is None else RequestId(self.request_id),
            created_at=self.created_at,
        )


def message_document(message: JournalMessage) -> dict[str, object]:
    """Write a message as a JSON document whose keys are the columns."""
    return {
        "message_id": message.message_id,
        "surface": message.surface,
        "guild_id": message.guild_id,
        "channel_id": message.channel_id,
        "author_id": message.author_id,
        "author_name": message.author_name,
        "author_kind": message.author_kind,
        "content": message.content,
        "attachments": [_attachment_document(attachment) for attachment in message.attachments],
        "reply_to_message_id": message.reply_to_message_id,
        "request_id": message.request_id,
        "created_at": message.created_at.isoformat(),
    }


def message_parameters(message: JournalMessage) -> dict[str, object]:
    """Name the values of a message as statements name their parameters: after the columns."""
    document = message_document(message)
    return {**document, "attachments": Jsonb(document["attachments"])}


def _attachment_document(attachment: Attachment) -> AttachmentDocument:
    return {
        "attachment_id": attachment.attachment_id,
        "filename": attachment.filename,
        "content_type": attachment.content_type,
        "size": attachment.size,
        "url": attachment.url,
    }
