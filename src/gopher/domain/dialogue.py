"""The dialogue with the model so far: the prompt, then each finished turn with the results of its calls."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from gopher.domain.conversation import PromptMessage, Role
from gopher.domain.prompts import LAST_TURN
from gopher.domain.transcripts import PromptEntry, Transcript


def next_prompt(transcript: Transcript, *, last: bool) -> tuple[PromptMessage, ...]:
    """Write down what the next turn is asked with, in order.

    A turn with a call that has no result is left out: it was given up (its time was over), and providers refuse calls
    without results. `last` adds the order to answer from what is there. Neighbours of one role become one message, and
    nothing but the first message has the role `system`: the chat templates of many open models refuse anything else.
    """
    results = {(result.iteration, result.position): result.result for result in transcript.results}
    messages = _joined(transcript.prompt)
    prompted = len(messages)
    for stored in transcript.turns:
        answers = [results.get((stored.iteration, position)) for position in range(len(stored.turn.calls))]
        settled = [answer for answer in answers if answer is not None]
        if len(settled) < len(answers):
            continue
        turn = stored.turn
        messages.append(PromptMessage(role=Role.ASSISTANT, content=turn.text, tool_calls=turn.calls))
        messages += [
            PromptMessage(role=Role.TOOL, content=answer, tool_call_id=call.id)
            for call, answer in zip(turn.calls, settled, strict=True)
        ]
    if last and len(messages) > prompted:
        messages.append(PromptMessage(role=Role.USER, content=LAST_TURN))
    return tuple(messages)


def _joined(prompt: Iterable[PromptEntry]) -> list[PromptMessage]:
    return [
        PromptMessage(role=role, content="\n\n".join(entry.content for entry in group))
        for role, group in groupby(prompt, lambda entry: entry.role)
    ]
