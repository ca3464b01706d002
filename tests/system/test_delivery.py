"""Answers on their way through a whole installation: what arrives, and how runs end whose answer cannot arrive."""

from __future__ import annotations

from uuid import uuid4

from devstack.discord import seed
from devstack.discord.permissions import Permission
from gopher.domain.chunks import split
from tests.system.asking import Asked
from tests.system.installation import Installation, until

SEND = "/channels/{channel_id}/messages"
TYPING = "/channels/{channel_id}/typing"
ENDED = "select status, error_code from agent_runs where request_id = %s::bigint"


async def ends(installation: Installation, asked: Asked) -> tuple[str, str | None]:
    """Wait until the request is closed; returns how its run ended."""
    statement = "select state from agent_requests where request_id = %s::bigint"

    async def is_closed() -> bool:
        return await installation.rows(statement, asked.message_id) == [("finished",)]

    await until(is_closed, within=30, what="the request is closed")
    ((status, code),) = await installation.rows(ENDED, asked.message_id)
    return status, code


async def test_an_answer_with_code_arrives_whole_in_order_and_pings_nobody(installation: Installation) -> None:
    code = "\n".join(f"value_{number} = {number}  # {'x' * 50}" for number in range(55))
    asked = Asked(f"@everyone <@{seed.GRACE.id}> {uuid4().hex}\n\n```python\n{code}\n```\nDone.")
    assert 3500 < len(asked.answer) < 4000
    await asked.ask(installation, seed.PROJECTS_ID)
    assert await ends(installation, asked) == ("completed", None)
    said = [
        message for message in await installation.messages(seed.PROJECTS_ID) if int(message["id"]) > asked.message_id
    ]
    assert [message["content"] for message in said] == [chunk.text for chunk in split(asked.answer)]
    assert all(message["content"].count("```") == 2 for message in said)
    assert said[0]["message_reference"]["message_id"] == str(asked.message_id)
    assert not any(message["mentions"] or message["mention_everyone"] for message in said)
    sent = [request["body"] for request in await installation.bot_requests("POST", SEND)]
    assert all(body["allowed_mentions"] == {"parse": [], "replied_user": False} for body in sent)
    assert all(body["enforce_nonce"] for body in sent)


async def test_typing_is_shown_in_the_channel_of_the_question(installation: Installation) -> None:
    before = len(await installation.bot_requests("POST", TYPING))
    asked = Asked(thinking_seconds=1)
    await asked.ask(installation, seed.RANDOM_ID)
    await ends(installation, asked)
    shown = (await installation.bot_requests("POST", TYPING))[before:]
    assert shown
    assert {request["path"].split("/")[4] for request in shown} == {str(seed.RANDOM_ID)}


async def test_the_channel_is_deleted_before_the_answer(installation: Installation) -> None:
    created = await installation.power("create_channel", guild_id=str(seed.GUILD_ID), name="fleeting")
    channel_id = int(created["id"])
    asked = Asked(thinking_seconds=1.5)
    await asked.ask(installation, channel_id)
    await until(lambda: _model_is_asked(installation), within=20, what="the model is asked")
    await installation.power("delete_channel", channel_id=str(channel_id))
    assert await ends(installation, asked) == ("failed", "channel_gone")


async def test_the_permission_to_write_is_lost_before_the_answer(installation: Installation) -> None:
    asked = Asked(thinking_seconds=1.5)
    await asked.ask(installation, seed.RANDOM_ID)
    await until(lambda: _model_is_asked(installation), within=20, what="the model is asked")
    place = {"channel_id": str(seed.RANDOM_ID), "target_id": str(seed.BOT.id)}
    await installation.power("set_overwrite", **place, deny=int(Permission.SEND_MESSAGES))
    assert await ends(installation, asked) == ("failed", "missing_permission")
    await installation.power("clear_overwrite", **place)
    assert await installation.answers(asked.message_id, seed.RANDOM_ID) == []


async def test_the_question_is_deleted_before_the_answer(installation: Installation) -> None:
    asked = Asked(thinking_seconds=1.5)
    await asked.ask(installation, seed.RANDOM_ID)
    await until(lambda: _model_is_asked(installation), within=20, what="the model is asked")
    await installation.delete(seed.ADA, seed.RANDOM_ID, asked.message_id)
    assert await ends(installation, asked) == ("completed", None)
    last = (await installation.messages(seed.RANDOM_ID))[-1]
    assert last["content"] == asked.answer
    assert "message_reference" not in last


async def _model_is_asked(installation: Installation) -> bool:
    return len(await installation.model_requests()) > 0
