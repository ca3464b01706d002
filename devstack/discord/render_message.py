"""How messages look on the wire: for REST answers, for gateway events, and with their content withheld."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from devstack.discord import render
from devstack.discord.attachments import SignedUrls
from devstack.discord.documents import JsonObject, JsonValue, is_object, timestamp
from devstack.discord.messages import Attachment, Cause, Message, MessageFlag, MessageKind, Reaction, Reference
from devstack.discord.state import World

_REPLYING: Final = frozenset({MessageKind.REPLY, MessageKind.THREAD_STARTER})
_APPLICATION_COMMAND: Final = 2
_NO_CONTENT: Final[JsonObject] = {"content": "", "embeds": [], "attachments": [], "components": []}
_ATTACHED: Final = "attachment://"


def without_content(body: JsonObject) -> JsonObject:
    """Withhold what bots without the intent MESSAGE_CONTENT may not read, in the referenced message too."""
    referenced = body.get("referenced_message")
    if is_object(referenced):
        return body | _NO_CONTENT | {"referenced_message": {**referenced, **_NO_CONTENT}}
    return body | _NO_CONTENT


@dataclass(frozen=True, slots=True)
class MessageRenderer:
    """Renders messages of one world."""

    world: World
    urls: SignedUrls

    def rest(self, message: Message, *, viewer_id: int, nonce: bool = False) -> JsonObject:
        """Render for a REST answer. The nonce is told only by the answer that creates the message."""
        body = self._base(message)
        reactions = [self._reaction(r, viewer_id) for r in message.reactions]
        if reactions:
            body["reactions"] = reactions
        if nonce and message.nonce is not None:
            body["nonce"] = message.nonce
        self._add_referenced(body, message)
        thread = self.world.channels.get(message.id)
        if thread is not None and thread.is_thread:
            body["thread"] = render.channel(self.world, thread)
        return body

    def event(self, message: Message, *, nonce: bool = False) -> JsonObject:
        """Render for MESSAGE_CREATE and whole MESSAGE_UPDATEs: with the guild, and members where users are.

        Ephemeral messages carry neither guild nor members, as Discord documents.
        """
        body = self._base(message)
        if nonce and message.nonce is not None:
            body["nonce"] = message.nonce
        self._add_referenced(body, message)
        thread = self.world.channels.get(message.id)
        if thread is not None and thread.is_thread:
            body["thread"] = render.channel(self.world, thread)
        if message.guild_id is None or message.ephemeral_for is not None:
            return body
        body["guild_id"] = str(message.guild_id)
        author = self.world.members.get((message.guild_id, message.author_id))
        if author is not None:
            body["member"] = render.bare_member(author)
        body["mentions"] = [self._mention(user_id, message.guild_id) for user_id in message.mentions.user_ids]
        return body

    def link_preview(self, message: Message) -> JsonObject:
        """Render the partial MESSAGE_UPDATE by which Discord adds previews of links: no author, no edit time."""
        body: JsonObject = {
            "id": str(message.id),
            "channel_id": str(message.channel_id),
            "embeds": self._embeds(message),
        }
        if message.guild_id is not None:
            body["guild_id"] = str(message.guild_id)
        return body

    def _base(self, message: Message) -> JsonObject:
        flags = message.flags
        if message.id in self.world.channels:
            flags |= MessageFlag.HAS_THREAD
        body: JsonObject = {
            "id": str(message.id),
            "channel_id": str(message.channel_id),
            "type": int(message.kind),
            "content": message.content,
            "author": render.user(self.world.user(message.author_id)),
            "timestamp": timestamp(message.created_at),
            "edited_timestamp": render.moment(message.edited_at),
            "tts": message.tts,
            "mention_everyone": message.mentions.everyone,
            "mentions": [render.user(self.world.user(i)) for i in message.mentions.user_ids],
            "mention_roles": render.strings(message.mentions.role_ids),
            "attachments": self._attachments(message),
            "embeds": self._embeds(message),
            "components": list(message.components),
            "pinned": message.pinned_at is not None,
            "flags": int(flags),
        }
        if message.application_id is not None:
            body["application_id"] = str(message.application_id)
            body["webhook_id"] = str(message.application_id)
        if message.reference is not None:
            body["message_reference"] = _reference(message.reference)
        if message.cause is not None:
            self._add_cause(body, message.cause)
        return body

    def _embeds(self, message: Message) -> list[JsonValue]:
        if message.suppresses_embeds:
            return []
        if not message.attachments:
            return [*message.embeds, *message.link_embeds]
        by_name = {f"{_ATTACHED}{a.filename}": a for a in message.attachments}
        return [*(self._with_files(e, message.channel_id, by_name) for e in message.embeds), *message.link_embeds]

    def _with_files(self, embed: JsonObject, channel_id: int, by_name: Mapping[str, Attachment]) -> JsonObject:
        """Put signed URLs in the place of references to the message's own files."""
        shown = dict(embed)
        for key in ("image", "thumbnail"):
            picture = embed.get(key)
            file = by_name.get(str(picture["url"])) if is_object(picture) else None
            if file is not None:
                url = self.urls.sign(channel_id, file.id, file.filename)
                shown[key] = {"url": url, "proxy_url": url, "width": file.width or 0, "height": file.height or 0}
        return shown

    def _attachments(self, message: Message) -> list[JsonValue]:
        """Render the files that no embed shows."""
        if not message.attachments:
            return []
        pictures = [e.get(key) for e in message.embeds for key in ("image", "thumbnail")]
        shown = {str(p["url"]) for p in pictures if is_object(p)}
        ephemeral = message.ephemeral_for is not None
        return [
            self.urls.render(message.channel_id, a, ephemeral=ephemeral)
            for a in message.attachments
            if f"{_ATTACHED}{a.filename}" not in shown
        ]

    def _add_referenced(self, body: JsonObject, message: Message) -> None:
        reference = message.reference
        if message.kind not in _REPLYING or reference is None or reference.message_id is None:
            return
        found = self.world.messages.get(reference.message_id)
        body["referenced_message"] = None if found is None else self._base(found)

    def _add_cause(self, body: JsonObject, cause: Cause) -> None:
        if cause.kind == _APPLICATION_COMMAND and cause.name is not None:
            body["interaction"] = {
                "id": str(cause.interaction_id),
                "type": cause.kind,
                "name": cause.name,
                "user": render.user(self.world.user(cause.user_id)),
            }
        body["interaction_metadata"] = self._metadata(cause)

    def _metadata(self, cause: Cause) -> JsonObject:
        who = render.user(self.world.user(cause.user_id))
        metadata: JsonObject = {
            "id": str(cause.interaction_id),
            "type": cause.kind,
            "user": who,
            "authorizing_integration_owners": {},
        }
        if cause.original_response_id is not None:
            metadata["original_response_message_id"] = str(cause.original_response_id)
        if cause.component_message_id is not None:
            metadata["interacted_message_id"] = str(cause.component_message_id)
        if cause.kind == _APPLICATION_COMMAND and cause.name is not None:
            metadata["name"] = cause.name
        if cause.trigger is not None:
            metadata["triggering_interaction_metadata"] = self._metadata(cause.trigger)
        return metadata

    def _mention(self, user_id: int, guild_id: int) -> JsonObject:
        body = render.user(self.world.user(user_id))
        member = self.world.members.get((guild_id, user_id))
        if member is not None:
            body["member"] = render.bare_member(member)
        return body

    def _reaction(self, reaction: Reaction, viewer_id: int) -> JsonObject:
        count = len(reaction.user_ids)
        return {
            "emoji": emoji(reaction.emoji),
            "count": count,
            "count_details": {"burst": 0, "normal": count},
            "burst_colors": [],
            "me_burst": False,
            "me": viewer_id in reaction.user_ids,
        }


def emoji(name: str) -> JsonObject:
    """Render an emoji from its name in routes: a Unicode one, or `name:id`."""
    text, _, custom_id = name.partition(":")
    if custom_id.isdigit():
        return {"id": custom_id, "name": text, "animated": False}
    return {"id": None, "name": name}


def _reference(reference: Reference) -> JsonObject:
    body: JsonObject = {"type": 0, "channel_id": str(reference.channel_id)}
    if reference.message_id is not None:
        body["message_id"] = str(reference.message_id)
    if reference.guild_id is not None:
        body["guild_id"] = str(reference.guild_id)
    return body
