"""The JSON form of runs: ids as texts, since many readers of JSON round numbers of that size; content on demand."""

from __future__ import annotations

from typing import Final

from pydantic import JsonValue

from gopher.cli.installation import run_page
from gopher.domain.conversation import RequestedCall
from gopher.domain.ids import workflow_id
from gopher.domain.transcripts import PromptEntry, RunDetails, RunSummary, StoredTurn, ToolResult
from gopher.settings import Settings
from gopher.store.deliveries import Delivery

QUEUED: Final = "queued"
"""The status of a request whose run has not begun."""


def status_of(summary: RunSummary) -> str:
    """The status in a word."""
    return summary.status.value if summary.status else QUEUED


def summary_document(settings: Settings, summary: RunSummary) -> dict[str, JsonValue]:
    """A run without its steps."""
    return {
        "id": str(summary.request_id),
        "workflow_id": workflow_id(summary.request_id),
        "surface": summary.surface.value,
        "guild_id": str(summary.guild_id) if summary.guild_id else None,
        "channel_id": str(summary.channel_id),
        "user_id": str(summary.user_id),
        "status": status_of(summary),
        "error_code": summary.error_code,
        "model": summary.model,
        "iterations": summary.iterations,
        "tool_calls": summary.tool_calls,
        "prompt_tokens": summary.prompt_tokens,
        "completion_tokens": summary.completion_tokens,
        "trace_id": summary.trace_id,
        "requested_at": summary.requested_at.isoformat(),
        "started_at": summary.started_at.isoformat() if summary.started_at else None,
        "completed_at": summary.completed_at.isoformat() if summary.completed_at else None,
        "temporal_url": run_page(settings, summary.request_id, summary.workflow_run_id),
    }


def run_document(
    settings: Settings, details: RunDetails, deliveries: tuple[Delivery, ...], *, content: bool
) -> dict[str, JsonValue]:
    """A run with prompt, turns, calls and deliveries; `content` tells whether with what was said."""
    transcript = details.transcript
    prompt: list[JsonValue] = [_prompt(entry, content=content) for entry in transcript.prompt]
    turns: list[JsonValue] = [_turn(stored, transcript.results, content=content) for stored in transcript.turns]
    sent: list[JsonValue] = [_delivery(delivery, content=content) for delivery in deliveries]
    return {**summary_document(settings, details.summary), "prompt": prompt, "turns": turns, "deliveries": sent}


def _said(text: str, *, content: bool) -> dict[str, JsonValue]:
    return {"characters": len(text), **({"content": text} if content else {})}


def _prompt(entry: PromptEntry, *, content: bool) -> dict[str, JsonValue]:
    return {"layer": entry.layer, "role": entry.role.value, **_said(entry.content, content=content)}


def _turn(stored: StoredTurn, results: tuple[ToolResult, ...], *, content: bool) -> dict[str, JsonValue]:
    turn = stored.turn
    made = {result.position: result for result in results if result.iteration == stored.iteration}
    calls: list[JsonValue] = [
        _call(position, call, made.get(position), content=content) for position, call in enumerate(turn.calls)
    ]
    return {
        "iteration": stored.iteration,
        "model": turn.model,
        "finish_reason": turn.finish_reason,
        "prompt_tokens": turn.prompt_tokens,
        "completion_tokens": turn.completion_tokens,
        "first_token_ms": turn.first_token_ms,
        "duration_ms": turn.duration_ms,
        **_said(turn.text, content=content),
        "calls": calls,
    }


def _call(position: int, call: RequestedCall, result: ToolResult | None, *, content: bool) -> dict[str, JsonValue]:
    return {
        "position": position,
        "name": call.name,
        "arguments": _said(call.arguments, content=content),
        "effect": result.effect.value if result and result.effect else None,
        "success": result.success if result else None,
        "error_code": result.error_code if result else None,
        "duration_ms": result.duration_ms if result else None,
        "result": _said(result.result, content=content) if result else None,
    }


def _delivery(delivery: Delivery, *, content: bool) -> dict[str, JsonValue]:
    return {
        "purpose": delivery.purpose,
        "chunk": delivery.chunk,
        "message_id": str(delivery.message_id) if delivery.message_id else None,
        "sent_at": delivery.sent_at.isoformat() if delivery.sent_at else None,
        **_said(delivery.content, content=content),
    }
