"""The planner: every limit holds, every call gets exactly one result, nothing gathered is thrown away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gopher.domain.agent_loop import (
    GiveAnswer,
    GiveUp,
    LoopState,
    MakeCalls,
    Step,
    TakeTurn,
    after_calls,
    after_failed_turn,
    after_turn,
    next_step,
)
from gopher.domain.runs import CallSummary, Effect, RunLimits, TaskQueue, TurnVerdict
from gopher.domain.tools import UNKNOWN_TOOL

LIMITS = RunLimits()
NOW = timedelta()


def seconds(number: float) -> timedelta:
    return timedelta(seconds=number)


def call(position: int, name: str = "read", *, fingerprint: str | None = None, **changes: object) -> CallSummary:
    write = name == "write"
    summary = CallSummary(
        position=position,
        name=name,
        effect=Effect.WRITE if write else Effect.READ,
        parallel_safe=name == "read",
        queue=TaskQueue.GOPHER,
        local=False,
        timeout=None,
        fingerprint=fingerprint or f"{name}{position}",
    )
    return replace(summary, **changes)  # pyright: ignore[reportArgumentType] # the fields that a test names


def verdict(*calls: CallSummary, iteration: int = 1, characters: int = 0) -> TurnVerdict:
    return TurnVerdict(
        iteration=iteration, calls=calls, model="m", prompt_tokens=0, completion_tokens=0, characters=characters
    )


def after_first_turn(*calls: CallSummary, limits: RunLimits = LIMITS) -> LoopState:
    step = next_step(LoopState(), limits, NOW)
    assert isinstance(step, TakeTurn)
    return after_turn(LoopState(), step, verdict(*calls))


def batches(state: LoopState, limits: RunLimits = LIMITS) -> list[tuple[list[int], list[tuple[int, str]]]]:
    """All steps of calls from here: positions allowed, positions and codes refused."""
    found: list[tuple[list[int], list[tuple[int, str]]]] = []
    while isinstance(step := next_step(state, limits, NOW), MakeCalls):
        allowed = [allowed.call.position for allowed in step.allowed]
        found.append((allowed, [(refused.position, refused.code) for refused in step.refused]))
        state = after_calls(state, step)
    return found


def test_a_run_begins_with_a_turn_with_tools_that_may_use_all_its_time() -> None:
    assert next_step(LoopState(), LIMITS, NOW) == TakeTurn(
        iteration=1, tools_enabled=True, deadline=seconds(100), available=seconds(120)
    )


def test_a_turn_without_calls_is_the_answer() -> None:
    step = next_step(LoopState(), LIMITS, NOW)
    assert isinstance(step, TakeTurn)
    answered = after_turn(LoopState(), step, verdict(characters=3))
    assert next_step(answered, LIMITS, NOW) == GiveAnswer(iteration=1)


def test_a_turn_that_says_and_asks_nothing_ends_the_run() -> None:
    step = next_step(LoopState(), LIMITS, NOW)
    assert isinstance(step, TakeTurn)
    assert next_step(after_turn(LoopState(), step, verdict()), LIMITS, NOW) == GiveUp(code="empty_answer")


def test_a_failed_turn_ends_the_run_with_its_code() -> None:
    step = next_step(LoopState(), LIMITS, NOW)
    assert isinstance(step, TakeTurn)
    failed = after_failed_turn(LoopState(), step, "authentication")
    assert next_step(failed, LIMITS, NOW) == GiveUp(code="authentication")


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        pytest.param("rrr", [[0, 1, 2]], id="adjacent reads together"),
        pytest.param("wr", [[0], [1]], id="a read after a write waits for it"),
        pytest.param("rw", [[0], [1]], id="a write waits for reads before it"),
        pytest.param("rrwwrr", [[0, 1], [2], [3], [4, 5]], id="writes alone and in order"),
        pytest.param("rrrrrrrr", [[0, 1, 2, 3, 4, 5], [6, 7]], id="no more reads together than allowed"),
        pytest.param("srs", [[0], [1], [2]], id="a read that is not parallel-safe alone"),
    ],
)
def test_batches(calls: str, expected: list[list[int]]) -> None:
    kinds = {"r": "read", "w": "write", "s": "serial"}
    state = after_first_turn(*(call(position, kinds[kind]) for position, kind in enumerate(calls)))
    assert [allowed for allowed, _ in batches(state)] == expected


def test_an_unknown_tool_is_refused_alone_and_in_order() -> None:
    state = after_first_turn(call(0), call(1, UNKNOWN_TOOL), call(2))
    assert batches(state) == [([0], []), ([], [(1, "unknown_tool")]), ([2], [])]


def test_the_third_identical_call_is_refused_also_within_one_batch() -> None:
    state = after_first_turn(*(call(position, fingerprint="same") for position in range(3)))
    assert batches(state) == [([0, 1], [(2, "repeated_call")])]


def test_a_refused_call_does_not_count_as_made() -> None:
    limits = replace(LIMITS, identical_calls=1, tool_calls=2)
    state = after_first_turn(
        call(0, fingerprint="a"), call(1, fingerprint="a"), call(2, UNKNOWN_TOOL), call(3, fingerprint="b")
    )
    assert batches(state, limits) == [([0], [(1, "repeated_call")]), ([], [(2, "unknown_tool")]), ([3], [])]


def test_calls_beyond_the_budget_are_refused_and_a_last_turn_answers() -> None:
    limits = replace(LIMITS, tool_calls=2)
    state = after_first_turn(*(call(position) for position in range(4)))
    step = next_step(state, limits, NOW)
    assert isinstance(step, MakeCalls)
    assert [allowed.call.position for allowed in step.allowed] == [0, 1]
    assert [(refused.position, refused.code) for refused in step.refused] == [(2, "tool_budget"), (3, "tool_budget")]
    last = next_step(after_calls(state, step), limits, NOW)
    assert isinstance(last, TakeTurn)
    assert not last.tools_enabled


def test_a_budget_that_is_used_up_exactly_offers_no_more_tools() -> None:
    limits = replace(LIMITS, tool_calls=1)
    state = after_first_turn(call(0))
    step = next_step(state, limits, NOW)
    assert isinstance(step, MakeCalls)
    last = next_step(after_calls(state, step), limits, NOW)
    assert isinstance(last, TakeTurn)
    assert not last.tools_enabled


def test_the_last_iteration_has_no_tools_and_its_calls_are_ignored() -> None:
    limits = replace(LIMITS, iterations=1)
    step = next_step(LoopState(), limits, NOW)
    assert isinstance(step, TakeTurn)
    assert not step.tools_enabled
    state = after_turn(LoopState(), step, verdict(call(0), characters=5))
    assert next_step(state, limits, NOW) == GiveAnswer(iteration=1)


def test_a_call_gets_its_own_timeout_or_the_runs_but_no_more_than_is_left_for_tools() -> None:
    state = after_first_turn(call(0), call(1, timeout=seconds(45)), call(2, timeout=seconds(5)))
    step = next_step(state, LIMITS, NOW)
    assert isinstance(step, MakeCalls)
    assert [allowed.deadline for allowed in step.allowed] == [seconds(30), seconds(45), seconds(5)]
    late = next_step(state, LIMITS, seconds(80))
    assert isinstance(late, MakeCalls)
    assert [allowed.deadline for allowed in late.allowed] == [seconds(10), seconds(10), seconds(5)]


def test_when_the_tools_time_is_over_calls_are_refused_and_the_rest_of_the_time_is_for_the_answer() -> None:
    state = after_first_turn(call(0), call(1, "write"))
    step = next_step(state, LIMITS, seconds(89))
    assert isinstance(step, MakeCalls)
    assert [(refused.position, refused.code) for refused in step.refused] == [(0, "run_timeout")]
    state = after_calls(state, step)
    step = next_step(state, LIMITS, seconds(89))
    assert isinstance(step, MakeCalls)
    state = after_calls(state, step)
    assert next_step(state, LIMITS, seconds(90)) == TakeTurn(
        iteration=2, tools_enabled=False, deadline=seconds(30), available=seconds(30)
    )


def test_a_turn_with_tools_leaves_time_for_a_last_one_once_there_is_something_to_answer_from() -> None:
    state = after_first_turn(call(0))
    step = next_step(state, LIMITS, NOW)
    assert isinstance(step, MakeCalls)
    turn = next_step(after_calls(state, step), LIMITS, seconds(10))
    assert turn == TakeTurn(iteration=2, tools_enabled=True, deadline=seconds(80), available=seconds(80))


def gathered_and_asking() -> tuple[LoopState, TakeTurn]:
    state = after_first_turn(call(0))
    step = next_step(state, LIMITS, NOW)
    assert isinstance(step, MakeCalls)
    state = after_calls(state, step)
    turn = next_step(state, LIMITS, seconds(10))
    assert isinstance(turn, TakeTurn)
    return state, turn


def test_a_turn_that_used_up_the_tools_time_is_followed_by_one_that_answers() -> None:
    state, turn = gathered_and_asking()
    failed = after_failed_turn(state, turn, "run_timeout")
    last = next_step(failed, LIMITS, seconds(90))
    assert isinstance(last, TakeTurn)
    assert (last.iteration, last.tools_enabled, last.available) == (3, False, seconds(30))


def test_a_turn_that_failed_early_ends_the_run() -> None:
    state, turn = gathered_and_asking()
    assert next_step(after_failed_turn(state, turn, "quota"), LIMITS, seconds(20)) == GiveUp(code="quota")


def test_a_last_turn_that_fails_ends_the_run_with_its_code() -> None:
    state, turn = gathered_and_asking()
    failed = after_failed_turn(state, turn, "run_timeout")
    last = next_step(failed, LIMITS, seconds(90))
    assert isinstance(last, TakeTurn)
    assert next_step(after_failed_turn(failed, last, "provider_timeout"), LIMITS, seconds(119)) == GiveUp(
        code="provider_timeout"
    )


def test_a_run_whose_time_is_over_ends() -> None:
    assert next_step(LoopState(), LIMITS, seconds(120)) == GiveUp(code="run_timeout")


KINDS = st.sampled_from(["read", "read", "write", "serial", UNKNOWN_TOOL])
TURNS = st.lists(
    st.tuples(st.lists(st.tuples(KINDS, st.integers(0, 3)), max_size=12), st.integers(0, 2), st.booleans()),
    max_size=12,
)
SOME_LIMITS = st.builds(
    RunLimits,
    iterations=st.integers(1, 6),
    tool_calls=st.integers(1, 12),
    parallel_reads=st.integers(1, 4),
    identical_calls=st.integers(1, 3),
    tool_timeout=st.just(seconds(30)),
    run_timeout=st.integers(10, 300).map(seconds),
    turn_timeout=st.integers(5, 200).map(seconds),
)
SILENT: tuple[list[tuple[str, int]], int, bool] = ([], 1, False)
TIMES = st.lists(st.floats(0, 1.2), min_size=1, max_size=8)


@dataclass(kw_only=True)
class Played:
    """What a model and a clock made of a run."""

    steps: list[tuple[timedelta, Step]] = field(default_factory=list[tuple[timedelta, Step]])
    asked: list[tuple[int, int, str]] = field(default_factory=list[tuple[int, int, str]])
    """Iteration, position and kind of every call of a turn with tools."""
    made: list[tuple[int, int, str]] = field(default_factory=list[tuple[int, int, str]])
    refused: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    times_made: Counter[str] = field(default_factory=Counter[str])


def play(
    turns: Sequence[tuple[list[tuple[str, int]], int, bool]], limits: RunLimits, shares: Sequence[float]
) -> Played:
    """Drive the planner with a model that answers by script and steps that take a share of their deadline."""
    played, state, elapsed = Played(), LoopState(), timedelta()
    script, pace = iter(turns), 0
    while True:
        step = next_step(state, limits, elapsed)
        assert step == next_step(state, limits, elapsed)
        played.steps.append((elapsed, step))
        assert len(played.steps) < 500
        share, pace = shares[pace % len(shares)], pace + 1
        match step:
            case TakeTurn():
                calls, characters, fails = next(script, SILENT)
                elapsed += min(step.available, step.available * share)
                if fails:
                    state = after_failed_turn(state, step, "some_failure")
                    continue
                summaries = [
                    call(position, kind, fingerprint=f"{kind}{number}") for position, (kind, number) in enumerate(calls)
                ]
                state = after_turn(state, step, verdict(*summaries, iteration=step.iteration, characters=characters))
                if step.tools_enabled:
                    played.asked += [(step.iteration, summary.position, summary.name) for summary in summaries]
            case MakeCalls():
                for allowed in step.allowed:
                    played.made.append((step.iteration, allowed.call.position, allowed.call.name))
                    played.times_made[allowed.call.fingerprint] += 1
                played.refused += [(step.iteration, refused.position) for refused in step.refused]
                elapsed += max((allowed.deadline for allowed in step.allowed), default=timedelta()) * min(share, 1)
                state = after_calls(state, step)
            case GiveAnswer() | GiveUp():
                return played


@given(turns=TURNS, limits=SOME_LIMITS, shares=TIMES)
def test_every_run_ends_within_its_limits(
    turns: list[tuple[list[tuple[str, int]], int, bool]], limits: RunLimits, shares: list[float]
) -> None:
    played = play(turns, limits, shares)
    asked = [step for _, step in played.steps if isinstance(step, TakeTurn)]
    assert len(asked) <= limits.iterations
    assert [step.iteration for step in asked] == list(range(1, len(asked) + 1))
    assert len(played.made) <= limits.tool_calls
    assert all(times <= limits.identical_calls for times in played.times_made.values())
    for elapsed, step in played.steps:
        match step:
            case TakeTurn():
                assert timedelta() < step.deadline <= step.available
                assert elapsed + step.available <= limits.run_timeout
                assert step.deadline <= limits.turn_timeout
            case MakeCalls():
                assert step.allowed or step.refused
                assert len(step.allowed) <= limits.parallel_reads
                for allowed in step.allowed:
                    assert timedelta() < allowed.deadline
                    assert elapsed + allowed.deadline <= limits.run_timeout
            case GiveAnswer() | GiveUp():
                pass


@given(turns=TURNS, limits=SOME_LIMITS, shares=TIMES)
def test_every_call_that_was_asked_for_gets_exactly_one_result(
    turns: list[tuple[list[tuple[str, int]], int, bool]], limits: RunLimits, shares: list[float]
) -> None:
    played = play(turns, limits, shares)
    settled = Counter([(iteration, position) for iteration, position, _ in played.made] + played.refused)
    assert settled == Counter((iteration, position) for iteration, position, _ in played.asked)


@given(turns=TURNS, limits=SOME_LIMITS, shares=TIMES)
def test_writes_run_alone_in_the_models_order(
    turns: list[tuple[list[tuple[str, int]], int, bool]], limits: RunLimits, shares: list[float]
) -> None:
    played = play(turns, limits, shares)
    for _, step in played.steps:
        if isinstance(step, MakeCalls) and any(not allowed.call.parallel_safe for allowed in step.allowed):
            assert len(step.allowed) == 1
            assert not step.refused
    for (iteration, position, kind), (next_iteration, next_position, next_kind) in pairwise(played.made):
        if iteration == next_iteration and "write" in (kind, next_kind):
            assert position < next_position


@given(turns=TURNS, limits=SOME_LIMITS, shares=st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_what_was_gathered_is_always_answered_from_unless_the_model_fails(
    turns: list[tuple[list[tuple[str, int]], int, bool]], limits: RunLimits, shares: list[float]
) -> None:
    talking = [(calls, 1, False) for calls, _, _ in turns]
    played = play(talking, limits, [min(share, 0.95) for share in shares])
    _, end = played.steps[-1]
    assert isinstance(end, GiveAnswer)


@given(turns=TURNS, limits=SOME_LIMITS, shares=TIMES)
def test_after_a_turn_without_tools_there_is_none_with_them(
    turns: list[tuple[list[tuple[str, int]], int, bool]], limits: RunLimits, shares: list[float]
) -> None:
    enabled = [step.tools_enabled for _, step in play(turns, limits, shares).steps if isinstance(step, TakeTurn)]
    assert enabled == sorted(enabled, reverse=True)
    assert enabled.count(False) <= 1
