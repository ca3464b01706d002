"""bot.py as operators meet it: what it says and how it ends when something is wrong, and when it is asked to stop."""

from __future__ import annotations

import asyncio
import json
import sys

import pytest

from devstack.discord import seed
from devstack.program import ROOT
from tests.system.installation import Installation

REFUSALS = {
    "no token": ({"DISCORD_TOKEN": ""}, "DISCORD_TOKEN is not set"),
    "a wrong token": ({"DISCORD_TOKEN": "MTIwMA.wrong.token"}, "Discord does not accept DISCORD_TOKEN"),
    "no database": ({"DATABASE_URL": ""}, "DATABASE_URL is not set"),
    "no Valkey": ({"REDIS_URL": ""}, "REDIS_URL is not set"),
    "an address that is none": ({"REDIS_URL": "http://localhost"}, "REDIS_URL"),
    "a namespace that is not there": ({"TEMPORAL_NAMESPACE": "nowhere"}, "Temporal has no namespace 'nowhere'"),
    "another server than Discord's": ({"DISCORD_API_URL": "{openai}"}, "DISCORD_API_URL"),
}


async def run(installation: Installation, *options: str, **changed: str) -> tuple[int, str]:
    """Run bot.py to its end; returns its status and what it said, its log lines left out."""
    environment = installation.environment() | changed
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(ROOT / "bot.py"),
        *options,
        env={name: value for name, value in environment.items() if value},
        cwd="/",
        stderr=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(60):
            _, said = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode is not None
    lines = [line for line in said.decode().splitlines() if not line.startswith('{"time"')]
    return process.returncode, "\n".join(lines)


@pytest.mark.parametrize(("changed", "sentence"), REFUSALS.values(), ids=REFUSALS.keys())
async def test_what_only_an_operator_can_mend_is_one_line_and_status_2(
    installation: Installation, changed: dict[str, str], sentence: str
) -> None:
    changed = {
        name: value.format(openai=installation.environment()["OPENAI_BASE_URL"]) for name, value in changed.items()
    }
    status, said = await run(installation, **changed)
    assert (status, said.count("\n")) == (2, 0), said
    assert sentence in said


async def test_missing_intents_are_one_line_and_status_2(installation: Installation) -> None:
    await installation.power("set_intents", granted=[])
    try:
        status, said = await run(installation)
    finally:
        await installation.power("set_intents", granted=["MESSAGE_CONTENT", "GUILD_MEMBERS", "GUILD_PRESENCES"])
    assert (status, said.count("\n")) == (2, 0), said
    assert "Message Content Intent" in said


async def test_an_unknown_option_is_status_2(installation: Installation) -> None:
    status, said = await run(installation, "--rest")
    assert status == 2
    assert said.endswith("unrecognized arguments: --rest")


async def test_it_stops_when_it_is_asked_to_and_its_log_is_json_without_words(installation: Installation) -> None:
    canary = "canaryinacoalmine"
    await installation.say(seed.ADA, seed.RANDOM_ID, f"a {canary} among members")
    assert await installation.end("bot") == 0
    await installation.restart("bot")
    lines = installation.log("bot").splitlines()
    assert all(json.loads(line)["process"] == "bot" for line in lines)
    assert canary not in installation.log("bot")
