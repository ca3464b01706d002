"""The dialogue that a turn is asked with."""

from __future__ import annotations

from gopher.domain.conversation import ChatTurn, PromptMessage, RequestedCall, Role
from gopher.domain.dialogue import next_prompt
from gopher.domain.prompts import LAST_TURN
from gopher.domain.runs import Effect
from gopher.domain.transcripts import PromptEntry, StoredTurn, ToolResult, Transcript

ROLES = (Role.SYSTEM, Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.USER, Role.USER)
PROMPT = tuple(
    PromptEntry(position=position, layer="x", role=role, content=f"p{position}") for position, role in enumerate(ROLES)
)


def turn(iteration: int, *ids: str, text: str = "") -> StoredTurn:
    calls = tuple(RequestedCall(id=call_id, name="tool", arguments="{}") for call_id in ids)
    answer = ChatTurn(
        text=text,
        calls=calls,
        finish_reason="stop",
        model="m",
        prompt_tokens=0,
        completion_tokens=0,
        first_token_ms=None,
        duration_ms=1,
    )
    return StoredTurn(iteration=iteration, turn=answer)


def result(iteration: int, position: int) -> ToolResult:
    return ToolResult(
        iteration=iteration,
        position=position,
        call_id="c",
        tool_name="tool",
        effect=Effect.READ,
        success=True,
        error_code=None,
        result=f"r{iteration}.{position}",
        duration_ms=1,
    )


def asked(*turns: StoredTurn, results: tuple[ToolResult, ...] = (), last: bool = False) -> tuple[PromptMessage, ...]:
    return next_prompt(Transcript(prompt=PROMPT, turns=turns, results=results), last=last)


def test_neighbours_of_one_role_are_one_message_and_system_is_first() -> None:
    assert [(message.role, message.content) for message in asked()] == [
        (Role.SYSTEM, "p0\n\np1"),
        (Role.USER, "p2"),
        (Role.ASSISTANT, "p3"),
        (Role.USER, "p4\n\np5"),
    ]


def test_calls_of_equal_id_are_answered_each_in_their_order() -> None:
    messages = asked(turn(1, "same", "same", text="hm"), results=(result(1, 1), result(1, 0)))[4:]
    assert messages == (
        PromptMessage(role=Role.ASSISTANT, content="hm", tool_calls=turn(1, "same", "same").turn.calls),
        PromptMessage(role=Role.TOOL, content="r1.0", tool_call_id="same"),
        PromptMessage(role=Role.TOOL, content="r1.1", tool_call_id="same"),
    )


def test_a_turn_that_was_given_up_is_left_out() -> None:
    messages = asked(turn(1, "a"), turn(2, "b", "c"), results=(result(1, 0), result(2, 0)))
    assert [message.content for message in messages[4:]] == ["", "r1.0"]


def test_the_last_turn_is_told_that_it_is_the_last() -> None:
    messages = asked(turn(1, "a"), results=(result(1, 0),), last=True)
    assert messages[-1] == PromptMessage(role=Role.USER, content=LAST_TURN)


def test_a_last_turn_that_is_also_the_first_was_not_cut_short() -> None:
    assert asked(last=True) == asked()
