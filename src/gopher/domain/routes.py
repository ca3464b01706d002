"""Decides whether a message addresses the bot, from facts alone: before anything is stored, asked or sent."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from gopher.domain.ids import UserId
from gopher.domain.journal import AuthorKind


class MessageKind(StrEnum):
    """What sort of message Discord delivered."""

    TALK = "talk"
    """Somebody wrote, attached or put a sticker."""
    REPLY = "reply"
    """The same, in reply to another message."""
    SYSTEM = "system"
    """Discord's own notice: a join, a boost, a pin, a thread created, …"""


class AddressReason(StrEnum):
    """Why a message is for the bot."""

    MENTION = "mention"
    REPLY = "reply"
    DIRECT_MESSAGE = "direct_message"
    NAME = "name"


class SilenceReason(StrEnum):
    """Why a message is not for the bot."""

    OWN = "own"
    SYSTEM = "system"
    OTHER_BOT = "other_bot"
    """A bot or webhook that no operator allowed, or that did not mention this bot."""
    UNADDRESSED = "unaddressed"


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressFacts:
    """What the decision needs to know of a message."""

    kind: MessageKind
    author_id: UserId
    author_kind: AuthorKind
    content: str
    mentioned_user_ids: frozenset[UserId]
    """Users that Discord says are mentioned. Roles, @everyone and @here are never among them; the author of a
    replied-to message is, unless the reply's ping was switched off."""
    direct_message: bool
    replied_to_user_id: UserId | None
    """Author of the replied-to message; None when this is no reply or Discord did not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who the bot is, for this decision."""

    bot_id: UserId
    names: tuple[str, ...]
    """Names that address it at the start of a message."""
    allowed_bot_ids: frozenset[UserId]
    """Bots and webhooks that may address it by mentioning it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Addressed:
    """The message is for the bot."""

    reason: AddressReason


@dataclass(frozen=True, slots=True, kw_only=True)
class NotAddressed:
    """The message is not for the bot, which must not answer, whatever fails afterwards."""

    reason: SilenceReason


# Invisible characters that may stand before a word: joiners, direction marks, the byte order mark.
_INVISIBLE: Final = "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
_EMPHASIS: Final = "*_"
_COMMAS: Final = ",\u060c\u3001"
_CLOSING: Final = "!?.:\u061f" + _COMMAS
# What may follow the colon of a call; else it is part of something: gopher://host, gopher:latest, gopher:)
_AFTER_COLON: Final = re.compile(r"$|[\s*_`<\"']|[^\x00-\x7f]")


def route(facts: AddressFacts, identity: Identity) -> Addressed | NotAddressed:
    """Say whether the message is for the bot, and why or why not."""
    if facts.author_kind is AuthorKind.ASSISTANT or facts.author_id == identity.bot_id:
        return NotAddressed(reason=SilenceReason.OWN)
    if facts.kind is MessageKind.SYSTEM:
        return NotAddressed(reason=SilenceReason.SYSTEM)
    if facts.author_kind is not AuthorKind.MEMBER:
        return _route_bot(facts, identity)
    return _route_member(facts, identity)


def _route_bot(facts: AddressFacts, identity: Identity) -> Addressed | NotAddressed:
    # A written mention only: two bots that reply to each other with pings would otherwise never stop.
    if facts.author_id in identity.allowed_bot_ids and _mentions(facts, identity.bot_id):
        return Addressed(reason=AddressReason.MENTION)
    return NotAddressed(reason=SilenceReason.OTHER_BOT)


def _route_member(facts: AddressFacts, identity: Identity) -> Addressed | NotAddressed:
    if _mentions(facts, identity.bot_id):
        return Addressed(reason=AddressReason.MENTION)
    if _replies_to(facts, identity.bot_id):
        return Addressed(reason=AddressReason.REPLY)
    if facts.direct_message:
        return Addressed(reason=AddressReason.DIRECT_MESSAGE)
    if calls_by_name(facts.content, identity.names):
        return Addressed(reason=AddressReason.NAME)
    return NotAddressed(reason=SilenceReason.UNADDRESSED)


def _mentions(facts: AddressFacts, bot_id: UserId) -> bool:
    if bot_id not in facts.mentioned_user_ids:
        return False
    # The ping of a reply puts the author of the replied-to message on Discord's list without being written.
    return facts.kind is not MessageKind.REPLY or f"<@{bot_id}>" in facts.content or f"<@!{bot_id}>" in facts.content


def _replies_to(facts: AddressFacts, bot_id: UserId) -> bool:
    if facts.kind is not MessageKind.REPLY:
        return False
    if facts.replied_to_user_id is not None:
        return facts.replied_to_user_id == bot_id
    # Discord did not resolve the reply; its ping still names the author of the replied-to message.
    return bot_id in facts.mentioned_user_ids


def calls_by_name(content: str, names: Iterable[str]) -> bool:
    """Say whether the text begins by calling one of the names: the name and a comma or colon, or the name alone.

    Case, width and composition of letters do not matter, nor does emphasis around the name or an @ before it. A quote,
    a heading, a web address (`gopher://…`) and a tag (`gopher:latest`) are no call.
    """
    text = _plain(content.lstrip(_INVISIBLE + " \t\r\n"))
    return any(_calls(text, _plain(name.strip())) for name in names if name.strip())


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def _calls(text: str, name: str) -> bool:
    opened = text.lstrip(_EMPHASIS)
    bare = opened.removeprefix("@")
    if not bare.startswith(name):
        return False
    rest = bare[len(name) :]
    if len(opened) < len(text):
        rest = rest.lstrip(_EMPHASIS)  # the separator may stand inside the emphasis: **gopher:** and **gopher**:
    alone = rest.strip(_EMPHASIS + _CLOSING + _INVISIBLE + " \t\r\n")
    if not alone:
        return True
    return rest[0] in _COMMAS or (rest[0] == ":" and _AFTER_COLON.match(rest, 1) is not None)
