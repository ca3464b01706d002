"""Events that Discord gives neither an id nor a time: reactions, thread updates, pins, departures.

The rule that tells a new one from one seen twice is `docs/decisions/0024`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from psycopg.types.json import Jsonb

from gopher.domain.ids import ChannelId, GuildId, MessageId, UserId
from gopher.domain.journal_changes import Place, Reaction, ReactionChange, Thread
from gopher.store.pool import Connection

SEEN_TWICE_WITHIN: Final = timedelta(seconds=60)
"""Two sightings of one event are no farther apart: gateways deliver within seconds, and clocks differ by a few more.
The same state again after that means that the change between was missed."""

FOREVER: Final = timedelta(days=36_500)
"""For subjects whose state alone matters: the same state again is never news."""

# Sightings of one subject, and of its ancestors and descendants, take turns. In a statement of its own, so that the
# next one's snapshot shows what the predecessor in the queue wrote.
SQL_TAKE_TURN = "select pg_advisory_xact_lock(hashtextextended(%(root)s::text, 0))"

# A descendant's state says that something changed since, but never that all of this was seen before: after one emoji
# was cleared the others can still be there.
#
# '0' follows '/' in ASCII, and the column's collation is "C": the range holds exactly the descendants.
SQL_INSERT_OCCURRENCE = """
with related as (
    select id, state, occurred_at, true as covers
    from discord_events
    where subject = any(%(ancestors)s::text[])
    union all
    select id, state, occurred_at, false as covers
    from discord_events
    where subject > %(subject)s::text || '/' and subject < %(subject)s::text || '0'
), neighbours as (
    (select state, occurred_at, covers from related where occurred_at <= %(observed_at)s::timestamptz
     order by occurred_at desc, id desc limit 1)
    union all
    (select state, occurred_at, covers from related where occurred_at > %(observed_at)s::timestamptz
     order by occurred_at, id limit 1)
)
insert into discord_events (event_key, event_type, guild_id, channel_id, message_id, actor_user_id, payload,
                            occurred_at, subject, state)
select %(event_key)s::text, %(event_type)s::text, %(guild_id)s::bigint, %(channel_id)s::bigint, %(message_id)s::bigint,
       %(actor_user_id)s::bigint, %(event_payload)s::jsonb, %(observed_at)s::timestamptz, %(subject)s::text,
       %(state)s::text
where not exists (
    select from neighbours
    where covers and state = %(state)s::text
        and occurred_at between %(observed_at)s::timestamptz - %(seen_twice_within)s::interval
            and %(observed_at)s::timestamptz + %(seen_twice_within)s::interval
)
on conflict (event_key) do nothing
returning id
"""

SQL_INSERT_THREAD_CREATE = """
insert into discord_events (event_key, event_type, guild_id, channel_id, actor_user_id, payload, occurred_at, subject,
                            state)
values ('thread_create:' || %(channel_id)s::bigint, 'thread_create', %(guild_id)s::bigint, %(channel_id)s::bigint,
        %(actor_user_id)s::bigint, %(event_payload)s::jsonb, %(created_at)s::timestamptz, %(subject)s::text,
        %(state)s::text)
on conflict (event_key) do nothing
returning id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrence:
    """One sighting of something that has no identity of its own."""

    event_type: str
    subject: tuple[str, ...]
    """The path, root first."""
    state: str
    guild_id: GuildId | None
    channel_id: ChannelId | None
    message_id: MessageId | None = None
    actor_user_id: UserId | None = None
    payload: Mapping[str, object] = field(default_factory=dict[str, object])
    seen_twice_within: timedelta = SEEN_TWICE_WITHIN


async def write_occurrence(connection: Connection, occurrence: Occurrence, observed_at: datetime) -> bool:
    """Journal a sighting in the caller's transaction, unless a neighbour in time says that it was seen before."""
    path = occurrence.subject
    await connection.execute(SQL_TAKE_TURN, {"root": "/".join(path[:2])})
    parameters = {
        "event_key": f"{occurrence.event_type}:{'/'.join(path)}:{observed_at.astimezone(UTC).isoformat()}",
        "event_type": occurrence.event_type,
        "subject": "/".join(path),
        "ancestors": ["/".join(path[:length]) for length in range(2, len(path) + 1)],
        "state": occurrence.state,
        "guild_id": occurrence.guild_id,
        "channel_id": occurrence.channel_id,
        "message_id": occurrence.message_id,
        "actor_user_id": occurrence.actor_user_id,
        "event_payload": Jsonb(occurrence.payload),
        "observed_at": observed_at,
        "seen_twice_within": occurrence.seen_twice_within,
    }
    cursor = await connection.execute(SQL_INSERT_OCCURRENCE, parameters)
    return cursor.rowcount == 1


async def write_thread_create(connection: Connection, thread: Thread, created_at: datetime) -> bool:
    """Journal a new thread in the caller's transaction; its updates are compared with this first state."""
    parameters = {
        "guild_id": thread.place.guild_id,
        "channel_id": thread.place.channel_id,
        "actor_user_id": thread.owner_id,
        "event_payload": Jsonb({"parent_id": str(thread.parent_id)}),
        "created_at": created_at,
        "subject": "/".join(_thread_subject(thread.place.channel_id)),
        "state": _thread_state(thread),
    }
    cursor = await connection.execute(SQL_INSERT_THREAD_CREATE, parameters)
    return cursor.rowcount == 1


def reaction_seen(change: ReactionChange, reaction: Reaction) -> Occurrence:
    """Describe one member's reaction that came or went."""
    return Occurrence(
        event_type=f"reaction_{change}",
        subject=(
            "reaction",
            str(reaction.message_id),
            _path_part(reaction.emoji),
            "burst" if reaction.burst else "plain",
            str(reaction.user_id),
        ),
        state=change,
        guild_id=reaction.place.guild_id,
        channel_id=reaction.place.channel_id,
        message_id=reaction.message_id,
        actor_user_id=reaction.user_id,
        payload={"emoji": reaction.emoji, "burst": reaction.burst},
    )


def reactions_cleared(place: Place, message_id: MessageId, emoji: str | None) -> Occurrence:
    """Describe the end of all reactions of a message, or of all those with one emoji."""
    every = ("reaction", str(message_id))
    return Occurrence(
        event_type="reaction_clear",
        subject=every if emoji is None else (*every, _path_part(emoji)),
        state="clear",
        guild_id=place.guild_id,
        channel_id=place.channel_id,
        message_id=message_id,
        payload={"emoji": emoji},
    )


def thread_updated(thread: Thread) -> Occurrence:
    """Describe a thread as it is now: the same again is not news."""
    return Occurrence(
        event_type="thread_update",
        subject=_thread_subject(thread.place.channel_id),
        state=_thread_state(thread),
        guild_id=thread.place.guild_id,
        channel_id=thread.place.channel_id,
        payload={"archived": thread.archived, "locked": thread.locked},
        seen_twice_within=FOREVER,
    )


def pins_updated(place: Place, last_pin_at: datetime | None) -> Occurrence:
    """Describe a change of a channel's pins, of which Discord only tells when the newest one was made."""
    last = None if last_pin_at is None else last_pin_at.isoformat()
    return Occurrence(
        event_type="pin_update",
        subject=("pins", str(place.channel_id)),
        state=last or "none",
        guild_id=place.guild_id,
        channel_id=place.channel_id,
        payload={"last_pin_at": last},
    )


def guild_left(guild_id: GuildId) -> Occurrence:
    """Describe that the bot is no longer in a guild."""
    return Occurrence(
        event_type="guild_leave", subject=("guild", str(guild_id)), state="left", guild_id=guild_id, channel_id=None
    )


def _thread_subject(thread_id: ChannelId) -> tuple[str, ...]:
    return ("thread", str(thread_id))


def _thread_state(thread: Thread) -> str:
    """A name is a member's words, so the ledger only tells whether it changed."""
    name = hashlib.sha256(thread.name.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{'archived' if thread.archived else 'open'},{'locked' if thread.locked else 'unlocked'},{name}"


def _path_part(emoji: str) -> str:
    """No emoji has a slash, but whoever writes to the gateway's socket is a stranger."""
    return emoji.replace("/", "%2F")
