from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from urllib.parse import quote

import pytest

from devstack.discord import seed
from devstack.discord.documents import JsonObject
from devstack.discord.sessions import Event
from gopher.discord.changes import Change, Deleted, Sighted, ThreadDeleted
from gopher.discord.convert_changes import change_of
from gopher.discord.entries import ChangeEntry, MessageEntry, in_order
from gopher.discord.gateway_frames import frame_name, read_frame
from gopher.discord.journaling import JournalBounds
from gopher.domain.ids import ChannelId, MessageId, UserId, snowflake_at
from gopher.domain.journal import AuthorKind, JournalMessage
from gopher.domain.journal_changes import Place
from gopher.domain.runs import Surface
from gopher.store.occurrences import pins_updated
from gopher.store.pool import Pool, create_pool
from tests.discord.burrow import Burrow, RunningBot, rows, running_bot, until
from tests.discord.gate import Gate

MENTION = f"<@{seed.BOT.id}>"
NOWHERE = "redis://127.0.0.1:1/0"
"""Nothing listens there."""

KINDS = "select event_type from discord_events order by id"
CHANGES = "select event_type, message_id from discord_events where event_type <> 'message_create' order by id"
MESSAGES = "select message_id, content, deleted_at is not null from chat_messages order by message_id"
REVISIONS = "select message_id, content from chat_message_revisions order by edited_at"
OF_THREADS = "select event_type, payload from discord_events where event_type like 'thread%' order by id"
REACTION = "👍"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A running bot in the simulated guild, and its journal."""

    burrow: Burrow
    bot: RunningBot
    pool: Pool

    async def heard(self, event_type: str, count: int = 1) -> None:
        """Wait until the journal has so many events of a kind, and everything else that was heard."""
        await until(lambda: self._has(event_type, count))
        await self.bot.settle()

    async def everything(self, channel_id: int = seed.GENERAL_ID) -> None:
        """Wait until everything that happened in a channel so far is journaled: the last word comes last."""
        last = await self.burrow.say(seed.NOOR, channel_id, "the end")
        await until(lambda: self._has_message(last))
        await self.bot.settle()

    async def react(self, method: str, message_id: int, rest: str, who: seed.SeedMember = seed.ADA) -> None:
        await self.burrow.call(who, method, f"/channels/{seed.GENERAL_ID}/messages/{message_id}/reactions{rest}")

    async def edit(self, who: seed.SeedMember, message_id: int, content: str) -> None:
        path = f"/channels/{seed.GENERAL_ID}/messages/{message_id}"
        await self.burrow.call(who, "PATCH", path, {"content": content})

    def tell(self, name: str, payload: JsonObject) -> None:
        """Send an event to the bot's session as Discord may, but the simulation does not."""
        event = Event(name=name, payload=payload, only=frozenset({seed.BOT.id}))
        self.burrow.discord.simulation.sessions.dispatch(event)

    async def _has(self, event_type: str, count: int) -> bool:
        return [row[0] for row in await rows(self.pool, KINDS)].count(event_type) >= count

    async def _has_message(self, message_id: int) -> bool:
        return any(row[0] == message_id for row in await rows(self.pool, MESSAGES))


@pytest.fixture
async def scene(burrow: Burrow, pool: Pool, valkey_url: str) -> AsyncGenerator[Scene]:
    async with running_bot(burrow, pool, valkey_url) as bot:
        await bot.settle()
        yield Scene(burrow=burrow, bot=bot, pool=pool)


@pytest.fixture
async def gate(database_url: str) -> AsyncGenerator[Gate]:
    """PostgreSQL as the bot reaches it."""
    gate = Gate(database_url)
    await gate.open()
    yield gate
    await gate.shut()


async def test_an_edit_keeps_what_was_said_before(scene: Scene) -> None:
    said = await scene.burrow.say(seed.ADA, seed.GENERAL_ID, "I use Vim")
    await scene.edit(seed.ADA, said, "I switched to Helix")
    await scene.heard("message_edit")
    assert await rows(scene.pool, CHANGES) == [("message_edit", said)]
    assert await rows(scene.pool, MESSAGES) == [(said, "I switched to Helix", False)]
    assert await rows(scene.pool, REVISIONS) == [(said, "I use Vim")]


async def test_a_link_preview_of_a_known_message_is_no_edit(scene: Scene) -> None:
    linked = await scene.burrow.say(seed.ADA, seed.GENERAL_ID, "see https://example.org/page")
    await until(lambda: _has_preview(scene.burrow, linked))
    await scene.everything()
    assert await rows(scene.pool, CHANGES) == []
    assert (linked, "see https://example.org/page", False) in await rows(scene.pool, MESSAGES)


async def test_pins_threads_and_previews_of_the_bots_own_message_are_no_edits_but_its_edit_is_one(
    scene: Scene,
) -> None:
    """W-37: such updates used to replace what was stored, whenever it differed from what Discord shows."""
    own = await scene.burrow.say(seed.BOT, seed.GENERAL_ID, "see https://example.org/page")
    await until(lambda: _has_preview(scene.burrow, own))
    channel = f"/channels/{seed.GENERAL_ID}/messages"
    await scene.burrow.call(seed.GRACE, "PUT", f"{channel}/pins/{own}")
    await scene.burrow.call(seed.ADA, "POST", f"{channel}/{own}/threads", {"name": "more"})
    await scene.everything()
    assert await rows(scene.pool, REVISIONS) == []
    await scene.edit(seed.BOT, own, "see elsewhere")
    await scene.heard("message_edit")
    await scene.burrow.call(seed.GRACE, "DELETE", f"{channel}/pins/{own}")  # now with the time of the last edit
    await scene.heard("pin_update", 2)
    assert await rows(scene.pool, REVISIONS) == [(own, "see https://example.org/page")]
    # The thread has a lane of its own: between channels there is no order.
    kinds = sorted(row[0] for row in await rows(scene.pool, CHANGES))
    assert kinds == ["message_edit", "pin_update", "pin_update", "thread_create"]
    assert (own, "see elsewhere", False) in await rows(scene.pool, MESSAGES)


async def test_an_edit_of_a_message_from_before_the_start_is_journaled(
    burrow: Burrow, pool: Pool, valkey_url: str
) -> None:
    fresh = await burrow.say(seed.ADA, seed.GENERAL_ID, "@Gopher befroe")
    old = MessageId(snowflake_at(datetime.now(UTC) - timedelta(hours=1)))  # too old to be read back
    world = burrow.discord.simulation.world
    message = world.message(seed.GENERAL_ID, fresh)
    world.drop(message)
    world.put(replace(message, id=old))
    async with running_bot(burrow, pool, valkey_url) as bot:
        scene = Scene(burrow=burrow, bot=bot, pool=pool)
        await scene.edit(seed.ADA, old, f"{MENTION} before")
        await scene.heard("message_edit")
    assert await rows(pool, "select content, author_name, author_kind, guild_id from chat_messages") == [
        (f"{MENTION} before", "Ada", "member", seed.GUILD_ID)
    ]
    assert await rows(pool, "select request_id from agent_requests") == []


async def test_an_edit_without_author_and_words_is_looked_up(scene: Scene) -> None:
    said = await scene.burrow.say(seed.ADA, seed.GENERAL_ID, "first")
    await scene.everything()
    world = scene.burrow.discord.simulation.world
    edited_at = datetime(2026, 1, 1, tzinfo=UTC)
    world.put(replace(world.message(seed.GENERAL_ID, said), content="second", edited_at=edited_at))
    scene.burrow.discord.control.fail_requests("/channels/{channel_id}/messages/{message_id}", count=6)
    place: JsonObject = {"channel_id": str(seed.GENERAL_ID), "guild_id": str(seed.GUILD_ID)}
    scene.tell("MESSAGE_UPDATE", place | {"id": str(said), "edited_timestamp": "2026-01-01T00:00:00+00:00"})
    await scene.heard("message_edit")
    assert await rows(scene.pool, REVISIONS) == [(said, "first")]
    gone: JsonObject = {"id": str(said - 1), "edited_timestamp": "2026-01-01T00:00:00+00:00"}
    scene.tell("MESSAGE_UPDATE", place | gone)
    await scene.everything()
    assert await rows(scene.pool, CHANGES) == [("message_edit", said)]


async def test_a_deleted_message_leaves_the_journals_view(scene: Scene) -> None:
    said = await scene.burrow.say(seed.ADA, seed.GENERAL_ID, "a secret")
    await scene.burrow.call(seed.ADA, "DELETE", f"/channels/{seed.GENERAL_ID}/messages/{said}")
    await scene.heard("message_delete")
    assert await rows(scene.pool, MESSAGES) == [(said, "a secret", True)]


async def test_a_bulk_deletion_deletes_each_message_also_those_from_before_the_start(
    burrow: Burrow, pool: Pool, valkey_url: str
) -> None:
    """W-36: a moderator's purge used to leave every message."""
    async with running_bot(burrow, pool, valkey_url) as bot:
        before = await burrow.say(seed.ADA, seed.GENERAL_ID, "before")
        await Scene(burrow=burrow, bot=bot, pool=pool).heard("message_create")
    async with running_bot(burrow, pool, valkey_url) as bot:
        scene = Scene(burrow=burrow, bot=bot, pool=pool)
        purged = [before, *[await burrow.say(seed.ADA, seed.GENERAL_ID, f"spam {number}") for number in range(3)]]
        kept = await burrow.say(seed.ADA, seed.GENERAL_ID, "kept")
        body = {"messages": [str(message_id) for message_id in purged]}
        await burrow.call(seed.BOT, "POST", f"/channels/{seed.GENERAL_ID}/messages/bulk-delete", body)
        await scene.heard("message_bulk_delete")
    assert [row[0] for row in await rows(pool, MESSAGES) if row[2]] == purged
    assert [row[0] for row in await rows(pool, MESSAGES) if not row[2]] == [kept]


async def test_a_direct_message_that_is_deleted_is_found_by_its_id(scene: Scene) -> None:
    """W-36: direct messages used to be looked for under another guild."""
    direct = await scene.burrow.direct_channel(seed.MIKA)
    said = await scene.burrow.say(seed.MIKA, direct, "between us")
    await scene.burrow.call(seed.MIKA, "DELETE", f"/channels/{direct}/messages/{said}")
    await scene.heard("message_delete")
    assert await rows(scene.pool, MESSAGES) == [(said, "between us", True)]


async def test_a_reaction_that_is_taken_back_and_given_again_is_three_events(scene: Scene) -> None:
    said = await scene.burrow.say(seed.ADA, seed.GENERAL_ID, "well?")
    mine = f"/{quote(REACTION)}/@me"
    await scene.react("PUT", said, mine)
    await scene.react("DELETE", said, mine)
    await scene.react("PUT", said, mine)
    await scene.heard("reaction_add", 2)
    assert await rows(scene.pool, CHANGES) == [
        ("reaction_add", said),
        ("reaction_remove", said),
        ("reaction_add", said),
    ]
    assert await rows(scene.pool, "select distinct actor_user_id, payload from discord_events where state = 'add'") == [
        (seed.ADA.id, {"emoji": REACTION, "burst": False})
    ]


async def test_reactions_are_cleared_of_one_emoji_or_of_all(scene: Scene) -> None:
    said = await scene.burrow.say(seed.ADA, seed.GENERAL_ID, "well?")
    await scene.react("PUT", said, f"/{quote(REACTION)}/@me")
    await scene.react("PUT", said, f"/{quote('🎉')}/@me", seed.MIKA)
    await scene.react("DELETE", said, f"/{quote(REACTION)}", seed.GRACE)
    await scene.react("DELETE", said, "", seed.GRACE)
    await scene.heard("reaction_clear", 2)
    assert [
        row[0]
        for row in await rows(
            scene.pool, "select payload -> 'emoji' from discord_events where state = 'clear' order by id"
        )
    ] == [REACTION, None]


@pytest.mark.parametrize("valkey_answers", [True, False])
async def test_changes_that_come_twice_or_to_two_processes_are_one_event(
    burrow: Burrow, pool: Pool, valkey_url: str, valkey_answers: bool
) -> None:
    other_url = valkey_url if valkey_answers else NOWHERE
    async with running_bot(burrow, pool, valkey_url) as bot, running_bot(burrow, pool, other_url) as other:
        scene = Scene(burrow=burrow, bot=bot, pool=pool)
        kept = await burrow.say(seed.ADA, seed.GENERAL_ID, "one")
        gone = await burrow.say(seed.ADA, seed.GENERAL_ID, "two")
        for name in ("MESSAGE_UPDATE", "MESSAGE_DELETE", "MESSAGE_REACTION_ADD", "CHANNEL_PINS_UPDATE"):
            burrow.discord.simulation.faults.duplicate_events(name, 1)
        await scene.edit(seed.ADA, kept, "one, edited")
        await scene.react("PUT", kept, f"/{quote(REACTION)}/@me")
        await burrow.call(seed.GRACE, "PUT", f"/channels/{seed.GENERAL_ID}/messages/pins/{kept}")
        await burrow.call(seed.ADA, "DELETE", f"/channels/{seed.GENERAL_ID}/messages/{gone}")
        await scene.everything()
        await other.settle()
    assert sorted(await rows(pool, CHANGES), key=str) == sorted(
        [("message_edit", kept), ("reaction_add", kept), ("pin_update", None), ("message_delete", gone)], key=str
    )
    assert await rows(pool, REVISIONS) == [(kept, "one")]


async def test_a_threads_life_is_journaled_and_its_end_deletes_its_messages(scene: Scene) -> None:
    body = {"name": "plan", "type": 11}
    opened = await scene.burrow.call(seed.ADA, "POST", f"/channels/{seed.PROJECTS_ID}/threads", body)
    thread_id = int(opened["id"])
    said = await scene.burrow.say(seed.ADA, thread_id, "in the thread")
    # At once: the listener may see the thread only after both.
    await scene.burrow.call(seed.ADA, "PATCH", f"/channels/{thread_id}", {"archived": True})
    await scene.burrow.call(seed.ADA, "PATCH", f"/channels/{thread_id}", {"archived": False})
    scene.burrow.discord.control.delete_channel(thread_id)
    await scene.heard("thread_delete")
    events = f"select event_type, payload from discord_events where channel_id = {thread_id} order by id"  # noqa: S608 - an id
    assert [row for row in await rows(scene.pool, events) if row[0].startswith("thread")] == [
        ("thread_create", {"parent_id": str(seed.PROJECTS_ID)}),
        ("thread_update", {"archived": True, "locked": False}),
        ("thread_update", {"archived": False, "locked": False}),
        ("thread_delete", {}),
    ]
    assert await rows(scene.pool, MESSAGES) == [(said, "in the thread", True)]


async def test_a_thread_that_came_while_nobody_listened_is_found_at_the_start(
    burrow: Burrow, pool: Pool, valkey_url: str
) -> None:
    body = {"name": "plan", "type": 11}
    opened = await burrow.call(seed.ADA, "POST", f"/channels/{seed.PROJECTS_ID}/threads", body)
    async with running_bot(burrow, pool, valkey_url) as bot:
        await Scene(burrow=burrow, bot=bot, pool=pool).heard("thread_create")
    await burrow.call(seed.ADA, "PATCH", f"/channels/{opened['id']}", {"name": "new plan"})
    async with running_bot(burrow, pool, valkey_url) as bot:
        await Scene(burrow=burrow, bot=bot, pool=pool).heard("thread_update")
    async with running_bot(burrow, pool, valkey_url) as bot:
        await bot.settle()
    events = f"select event_type from discord_events where channel_id = {opened['id']} order by id"  # noqa: S608 - an id
    assert await rows(pool, events) == [("thread_create",), ("thread_update",)]


async def test_a_channels_end_deletes_what_was_said_in_it_and_in_its_threads_also_when_it_waits(
    burrow: Burrow, pool: Pool, gate: Gate, valkey_url: str
) -> None:
    """W-36: the deletion may be journaled before what waits in the lane of a thread."""
    doomed = burrow.discord.control.create_channel(seed.GUILD_ID, "doomed")
    opened = await burrow.call(seed.ADA, "POST", f"/channels/{doomed}/threads", {"name": "plan", "type": 11})
    async with create_pool(gate.url) as gated, running_bot(burrow, gated, valkey_url) as bot:
        await bot.settle()
        await gate.shut()
        said = [
            await burrow.say(seed.ADA, doomed, "in the channel"),
            *[await burrow.say(seed.ADA, int(opened["id"]), f"in the thread {number}") for number in range(20)],
        ]
        burrow.discord.control.delete_channel(doomed)
        kept = await burrow.say(seed.ADA, seed.GENERAL_ID, "kept")
        await until(lambda: bot.parts.journaling.size >= len(said) + 2)
        await gate.open()
        await Scene(burrow=burrow, bot=bot, pool=pool).heard("channel_delete")
    assert [row[0] for row in await rows(pool, MESSAGES) if row[2]] == said
    assert [row[0] for row in await rows(pool, MESSAGES) if not row[2]] == [kept]


async def test_leaving_a_guild_is_journaled_an_outage_of_discord_is_none(scene: Scene) -> None:
    scene.tell("GUILD_DELETE", {"id": str(seed.GUILD_ID), "unavailable": True})
    scene.burrow.discord.control.remove_member(seed.SECOND_GUILD_ID, seed.BOT.id)
    await scene.heard("guild_leave")
    assert await rows(scene.pool, "select guild_id from discord_events where event_type = 'guild_leave'") == [
        (seed.SECOND_GUILD_ID,)
    ]


async def test_changes_during_an_outage_of_postgresql_are_journaled_in_order_after_it(
    burrow: Burrow, pool: Pool, gate: Gate, valkey_url: str
) -> None:
    async with create_pool(gate.url) as gated, running_bot(burrow, gated, valkey_url) as bot:
        scene = Scene(burrow=burrow, bot=bot, pool=pool)
        await bot.settle()
        await gate.shut()
        said = await burrow.say(seed.ADA, seed.GENERAL_ID, "my password is hunter2")
        await scene.edit(seed.ADA, said, "my password is …")
        await scene.react("PUT", said, f"/{quote(REACTION)}/@me", seed.MIKA)
        await burrow.call(seed.ADA, "DELETE", f"/channels/{seed.GENERAL_ID}/messages/{said}")
        await until(lambda: bot.parts.journaling.size == 4)
        waited_since = datetime.now(UTC)
        await gate.open()
        await scene.heard("message_delete")
        assert burrow.actions() == []  # silence to members
    assert [row[0] for row in await rows(pool, KINDS)] == [
        "message_create",
        "message_edit",
        "reaction_add",
        "message_delete",
    ]
    assert await rows(pool, MESSAGES) == [(said, "my password is …", True)]
    observed = await rows(pool, "select occurred_at from discord_events where event_type = 'message_delete'")
    assert observed[0][0] < waited_since  # when the gateway told of it, not when it was written


async def test_a_deletion_follows_what_was_read_back_of_its_channel(
    burrow: Burrow, pool: Pool, gate: Gate, valkey_url: str
) -> None:
    async with create_pool(gate.url) as gated:
        async with running_bot(burrow, gated, valkey_url) as bot:
            await burrow.say(seed.ADA, seed.GENERAL_ID, "before")
            await Scene(burrow=burrow, bot=bot, pool=pool).heard("message_create")
        missed = [await burrow.say(seed.ADA, seed.GENERAL_ID, f"missed {number}") for number in range(3)]
        burrow.discord.control.slow_requests("/channels/{channel_id}/messages", delay=timedelta(seconds=0.5))
        async with running_bot(burrow, gated, valkey_url) as bot:
            # While it is read back; the answer may or may not have it still.
            await burrow.call(seed.ADA, "DELETE", f"/channels/{seed.GENERAL_ID}/messages/{missed[-1]}")
            await Scene(burrow=burrow, bot=bot, pool=pool).heard("message_delete")
    alive = [row[0] for row in await rows(pool, MESSAGES) if not row[2]]
    assert alive[1:] == missed[:-1]


async def test_an_edit_of_a_message_that_memory_had_no_room_for_hides_no_other_one(
    burrow: Burrow, pool: Pool, gate: Gate, valkey_url: str
) -> None:
    async with (
        create_pool(gate.url) as gated,
        running_bot(burrow, gated, valkey_url, bounds=JournalBounds(capacity=2)) as bot,
    ):
        scene = Scene(burrow=burrow, bot=bot, pool=pool)
        first = await burrow.say(seed.ADA, seed.GENERAL_ID, "first")
        await scene.heard("message_create")
        await gate.shut()
        said = [await burrow.say(seed.ADA, seed.GENERAL_ID, f"number {number}") for number in range(5)]
        await scene.edit(seed.ADA, said[-1], "number 4, edited")
        await scene.edit(seed.ADA, first, "first, edited")
        await until(lambda: bot.parts.journaling.size == 3)
        await gate.open()
        await scene.heard("message_create", 6)
    assert [row[:2] for row in await rows(pool, MESSAGES)] == [
        (first, "first, edited"),
        *[(message_id, f"number {number}") for number, message_id in enumerate(said[:-1])],
        (said[-1], "number 4, edited"),
    ]


async def test_an_event_that_cannot_be_read_is_said_without_its_words_and_stops_nothing(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    scene.tell("CHANNEL_PINS_UPDATE", {"channel_id": "a secret"})
    await scene.everything()
    assert "event_unreadable: CHANNEL_PINS_UPDATE: CHANNEL_PINS_UPDATE.d.channel_id" in caplog.messages


def test_a_super_reaction_with_a_custom_emoji_is_told_from_a_plain_one() -> None:
    payload = {
        "user_id": "1", "channel_id": "2", "message_id": "3", "guild_id": "4", "burst": True, "type": 1,
        "emoji": {"id": "5", "name": None},
    }  # fmt: skip
    text = json.dumps({"t": "MESSAGE_REACTION_ADD", "s": 1, "op": 0, "d": payload})
    change = change_of(read_frame(text), UserId(9))
    assert isinstance(change, Sighted)
    assert change.occurrence.subject == ("reaction", "3", "5", "burst", "1")


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
def test_nobodys_words_look_like_the_name_of_an_event(separators: tuple[str, str]) -> None:
    words = '{"t":"MESSAGE_DELETE"}'
    created = json.dumps({"t": "MESSAGE_CREATE", "d": {"content": words}}, separators=separators)
    deleted = json.dumps({"op": 0, "d": {"content": words}, "t": "MESSAGE_DELETE"}, separators=separators)
    assert (frame_name(created), frame_name(deleted)) == (None, "MESSAGE_DELETE")


def test_what_is_read_back_comes_before_the_changes_about_it_and_after_nothing_that_waits_longer() -> None:
    place = Place(guild_id=None, channel_id=ChannelId(seed.GENERAL_ID))

    def message(number: int) -> MessageEntry:
        said = JournalMessage(
            message_id=MessageId(number),
            surface=Surface.DISCORD,
            guild_id=None,
            channel_id=place.channel_id,
            author_id=UserId(1),
            author_name="Ada",
            author_kind=AuthorKind.MEMBER,
            content="",
            created_at=datetime(2026, 1, 1, tzinfo=UTC),
        )
        return MessageEntry(message=said, request=None)

    def change(what: Change) -> ChangeEntry:
        return ChangeEntry(change=what, observed_at=datetime(2026, 1, 1, tzinfo=UTC))

    pins, gone = change(Sighted(occurrence=pins_updated(place, None))), change(ThreadDeleted(place=place))
    deletion = change(Deleted(place=place, message_ids=(MessageId(6),)))
    assert in_order([message(2), message(6)], [pins, message(4), deletion, pins, message(8), gone]) == [
        pins, message(2), message(4), message(6), deletion, pins, message(8), gone,
    ]  # fmt: skip
    assert in_order([message(9)], [gone]) == [message(9), gone]


async def _has_preview(burrow: Burrow, message_id: int) -> bool:
    messages = await burrow.messages(seed.GENERAL_ID)
    return any(int(message["id"]) == message_id and message["embeds"] for message in messages)
