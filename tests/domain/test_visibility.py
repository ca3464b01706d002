"""What operators see in the Temporal UI."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from gopher.domain.codes import UNEXPECTED, is_foreseen
from gopher.domain.ids import ChannelId, GuildId, RequestId, UserId
from gopher.domain.journal import RequestFacts, Trigger
from gopher.domain.runs import Surface
from gopher.domain.visibility import Progress, details, preview, static_summary

PROGRESS = Progress(
    doing="lookup, fetch",
    iterations=2,
    calls={"lookup": 3, "fetch": 1},
    refused={},
    prompt_tokens=10,
    completion_tokens=4,
    elapsed=timedelta(seconds=1.26),
)


def test_details_tell_how_far_a_run_is() -> None:
    assert details(PROGRESS) == (
        "**lookup, fetch**\n\n- iterations: 2\n- tools: lookup: 3, fetch: 1\n- refused: none\n"
        "- tokens: 10 in, 4 out\n- workflow time: 1.3 s"
    )


def test_details_tell_why_it_ended() -> None:
    ended = Progress(
        doing="failed",
        iterations=0,
        calls={},
        refused={"tool_budget": 2},
        prompt_tokens=0,
        completion_tokens=0,
        elapsed=timedelta(),
        code="authentication",
    )
    assert details(ended).startswith("**failed** (`authentication`)")
    assert "refused: tool_budget: 2" in details(ended)


@pytest.mark.parametrize(
    ("guild_id", "surface", "place"),
    [
        (GuildId(7), Surface.DISCORD, "guild 7"),
        (None, Surface.DISCORD, "discord, direct"),
        (None, Surface.TERMINAL, "terminal, direct"),
    ],
)
def test_a_summary_names_trigger_place_and_requester(guild_id: GuildId | None, surface: Surface, place: str) -> None:
    facts = RequestFacts(
        request_id=RequestId(1),
        surface=surface,
        trigger=Trigger.MESSAGE,
        guild_id=guild_id,
        channel_id=ChannelId(8),
        user_id=UserId(9),
        user_name="canary",
        prompt="canary",
        interaction_token=None,
        traceparent=None,
        state="queued",
        created_at=datetime(2026, 5, 1, tzinfo=UTC),
    )
    assert static_summary(facts) == f"message 1 by 9 in {place}, channel 8"


def test_a_preview_is_the_first_words_on_one_line() -> None:
    assert preview("a\n b\tc") == "a b c"
    assert preview("x" * 100) == "x" * 80 + "…"


@pytest.mark.parametrize(
    ("kind", "foreseen"),
    [("run_timeout", True), ("ValueError", False), (UNEXPECTED, False), (None, False), ("", False)],
)
def test_a_code_is_told_from_the_name_of_an_exception(kind: str | None, foreseen: bool) -> None:
    assert is_foreseen(kind) is foreseen
