"""The default situation of a labelled line: a plausible moment in which only the text decides.

- A text channel of a server; requester and bot have every permission, the requester is an administrator, writes are on.
- `replied_to`: the line is a reply. The replied-to message is the bot's own, sent at this requester's request, where
  the action is edit, delete or unreact, or where the text says that it is the bot's; the requester's own where the text
  says so; another member's otherwise. There are earlier messages of everybody in the channel.
- For `thread_edit` the channel is a thread.
- The call that is decided takes everything from the text: the target, channel, emoji, name and words that it gives.
  Where it gives none, the call has some of its own, as a model would: a usual emoji, composed words, some message.
- The bot is the one of the simulated Discord, also called Gopher; where a file's messages begin by mentioning somebody
  else, it is whom they mention most (see `commonest_listener`).
- A link leads into the server where it is posted, unless it leads into a direct message.
- A channel exists if the text writes it with a #, calls it a channel, or it has a common name.
- Where a text wants something forgotten, there is a memory of just that.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

from gopher.domain.authorization import Allowed, Ask, Decision, authorize
from gopher.domain.ids import ChannelId, GuildId, MessageId, UserId
from gopher.domain.write_binding import resolve
from gopher.domain.write_intent.reading import read
from gopher.domain.write_intent.requests import (
    ChannelRef,
    ChannelRefKind,
    Listener,
    MessageRef,
    MessageRefKind,
    Plainness,
    Scope,
    WriteAction,
    WriteRequest,
)
from gopher.domain.writes import (
    ChannelFacts,
    ChannelKind,
    CurrentRequest,
    MemoryFacts,
    MessageFacts,
    Permission,
    ProposedWrite,
    WriteFacts,
)

BOT: Final = UserId(1200000000000000001)
REQUESTER: Final = UserId(1200000000000000101)
SOMEBODY: Final = UserId(1200000000000000102)
GUILD: Final = GuildId(1200000000000001000)
HERE: Final = ChannelId(1200000000000002009)
THERE: Final = ChannelId(1200000000000002010)
REQUEST: Final = MessageId(1300000000000000900)
REPLIED_TO: Final = MessageId(1300000000000000500)
BOTS_LAST: Final = MessageId(1300000000000000700)
REQUESTERS_LAST: Final = MessageId(1300000000000000800)
COMMON_CHANNELS: Final = frozenset(
    [
        "general",
        "random",
        "announcements",
        "announcement",
        "announce",
        "projects",
        "project",
        "staff",
        "mods",
        "memes",
        "meme",
        "lounge",
        "chat",
        "off-topic",
        "offtopic",
        "dev",
        "help",
        "support",
        "welcome",
        "introductions",
        "introduce",
        "rules",
        "news",
        "updates",
        "bot-commands",
        "bots",
        "gaming",
        "music",
        "media",
        "art",
        "study",
        "homework",
        "events",
        "lobby",
        "main",
        "team",
        "standup",
        "feedback",
        "suggestions",
        "releases",
        "release",
        "logs",
        "log",
        "testing",
        "test",
        "intro",
        "hangout",
    ]
)
_ENOUGH_MENTIONS: Final = 3
_EXAMPLE: Final = 123
_COMPOSED: Final = "composed words"
_LINK: Final = re.compile(r"discord(?:app)?\.com/channels/(\d+)/")
_FIRST_MENTION: Final = re.compile(r"\s*<@!?(\d+)>")
_ON_OWN_MESSAGES: Final = frozenset({WriteAction.EDIT, WriteAction.DELETE, WriteAction.UNREACT})


def commonest_listener(texts: Iterable[str]) -> Listener:
    """Find out who the bot is: the bot of the simulated Discord, unless messages begin by mentioning somebody else.

    That needs to be at least three messages, so that a line that speaks to another member does not make him the bot;
    123 is taken for the bot at once, since examples of such lines call it so.
    """
    first = Counter(int(match[1]) for text in texts if (match := _FIRST_MENTION.match(text)))
    commonest, count = first.most_common(1)[0] if first else (int(BOT), 0)
    if int(BOT) in first or (count < _ENOUGH_MENTIONS and _EXAMPLE not in first):
        return Listener(bot_id=BOT)
    return Listener(bot_id=UserId(commonest if count >= _ENOUGH_MENTIONS else _EXAMPLE))


def decide(text: str, *, replied: bool, action: WriteAction, listener: Listener) -> Decision:
    """Decide on the call that the text proposes by itself; of several, on the one that fares best."""
    request = CurrentRequest(
        text=text,
        requester_id=REQUESTER,
        guild_id=_guild(text),
        channel_id=HERE,
        listener=listener,
        message_id=REQUEST,
        replied_to=REPLIED_TO if replied else None,
        requester_last_message_id=REQUESTERS_LAST,
        bot_last_message_id=BOTS_LAST,
        previous_message_id=REQUESTERS_LAST,
    )
    asked = read(text, listener).of(action) or (WriteRequest(action=action, plainness=Plainness.UNSURE),)
    decisions = [_decide(each, request) for each in asked]
    return min(decisions, key=lambda each: (not isinstance(each, Allowed), not isinstance(each, Ask)))


def _guild(text: str) -> GuildId:
    """Return the server of the first link in the text, so that a link is one into the server where it is posted."""
    link = _LINK.search(text)
    return GuildId(int(link[1])) if link else GUILD


def _decide(asked: WriteRequest, request: CurrentRequest) -> Decision:
    place = _place(asked, request)
    message = _message(asked, request, place)
    call = _call(asked, place, message)
    facts = WriteFacts(
        writes_enabled=True,
        requester_is_administrator=True,
        place=place,
        message=message,
        memory=_memory(asked, call, request.guild_id),
    )
    return authorize(call, request, facts)


def _place(asked: WriteRequest, request: CurrentRequest) -> ChannelFacts:
    named = asked.thread if asked.action is WriteAction.THREAD_EDIT else asked.channel
    channel_id, name = HERE, "here"
    if named is not None and named.kind is ChannelRefKind.ID and named.channel_id is not None:
        channel_id = named.channel_id
    elif named is not None and named.kind is ChannelRefKind.NAME and _exists(named, request.text):
        channel_id, name = THERE, named.name or ""
    elif asked.target is not None and asked.target.channel_id is not None:
        channel_id = asked.target.channel_id
    everything = frozenset(Permission)
    return ChannelFacts(
        channel_id=channel_id,
        guild_id=request.guild_id,
        kind=ChannelKind.PUBLIC_THREAD if asked.action is WriteAction.THREAD_EDIT else ChannelKind.TEXT,
        name=name,
        thread_owner_id=request.listener.bot_id if asked.action is WriteAction.THREAD_EDIT else None,
        requester_permissions=everything,
        bot_permissions=everything,
    )


def _exists(named: ChannelRef, text: str) -> bool:
    name = named.name or ""
    lowered = text.lower()
    return name in COMMON_CHANNELS or f"#{name}" in lowered or f"{name} channel" in lowered or f"{name} chat" in lowered


def _message(asked: WriteRequest, request: CurrentRequest, place: ChannelFacts) -> MessageFacts | None:
    meant = resolve(asked.target, request)
    if meant is None and asked.action in (WriteAction.THREAD_CREATE, WriteAction.MEMORY_REMEMBER):
        return None
    content = f"We meet at {asked.replacement.old} then" if asked.replacement else "We meet at noon then"
    return MessageFacts(
        message_id=meant if meant is not None else REQUESTERS_LAST,
        channel_id=place.channel_id,
        author_id=_author(asked.target, asked.action, request.listener),
        requested_by=REQUESTER,
        content=content,
    )


def _author(reference: MessageRef | None, action: WriteAction, listener: Listener) -> UserId:
    match reference.kind if reference is not None else MessageRefKind.DEICTIC:
        case MessageRefKind.BOT | MessageRefKind.BOT_LAST | MessageRefKind.BOT_SAID:
            return listener.bot_id
        case MessageRefKind.REQUESTER | MessageRefKind.REQUESTER_LAST | MessageRefKind.REQUESTER_SAID:
            return REQUESTER
        case MessageRefKind.OTHER:
            return SOMEBODY
        case MessageRefKind.DEICTIC | MessageRefKind.ID | MessageRefKind.PREVIOUS | MessageRefKind.ABOVE:
            return listener.bot_id if action in _ON_OWN_MESSAGES else SOMEBODY


def _call(asked: WriteRequest, place: ChannelFacts, message: MessageFacts | None) -> ProposedWrite:
    renames = asked.action is WriteAction.THREAD_EDIT and (asked.names or asked.archived is None)
    return ProposedWrite(
        action=asked.action,
        channel_id=place.channel_id,
        message_id=message.message_id if message is not None else None,
        content=_content(asked, message),
        emoji=asked.emojis[0] if asked.emojis else "👍",
        name=_name(asked) if renames or asked.action is WriteAction.THREAD_CREATE else None,
        archived=asked.archived,
        scope=asked.scope,
        memory_id=asked.memory_id if asked.memory_id is not None else 1,
    )


def _content(asked: WriteRequest, message: MessageFacts | None) -> str:
    if asked.replacement is not None and message is not None:
        return message.content.replace(asked.replacement.old, asked.replacement.new)
    if asked.contents:
        return asked.contents[0]
    remembers = asked.action is WriteAction.MEMORY_REMEMBER
    return message.content if remembers and message is not None else _COMPOSED


def _name(asked: WriteRequest) -> str:
    return asked.names[0] if asked.names else asked.topic or "Discussion"


def _memory(asked: WriteRequest, call: ProposedWrite, guild_id: GuildId | None) -> MemoryFacts | None:
    if asked.action is not WriteAction.MEMORY_FORGET:
        return None
    return MemoryFacts(
        memory_id=call.memory_id or 1,
        scope=Scope.USER,
        subject_id=REQUESTER,
        guild_id=guild_id,
        key="remembered",
        content=asked.topic or "Likes tea",
    )
