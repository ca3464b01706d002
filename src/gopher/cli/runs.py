"""`./gopher runs`: what ran and why it ended, from the database. Content is shown only on demand."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from datetime import UTC, datetime
from typing import Final

from gopher.cli.installation import database, run_page
from gopher.cli.run_documents import run_document, status_of, summary_document
from gopher.cli.tables import table
from gopher.domain.ids import RequestId, workflow_id
from gopher.domain.transcripts import RunDetails, RunSummary, StoredTurn, ToolResult
from gopher.settings import Settings
from gopher.store.deliveries import Delivery, DeliveryStore
from gopher.store.runs import RunStore

EXIT_UNKNOWN: Final = 1
DEFAULT_LIMIT: Final = 20
LARGEST_LIMIT: Final = 1000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommands and their options."""
    commands = parser.add_subparsers(dest="runs_command", metavar="COMMAND", required=True)
    listing = commands.add_parser("list", help="the newest runs", description="Show the newest runs.")
    listing.add_argument("--limit", type=_limit, default=DEFAULT_LIMIT, metavar="N", help="how many (default: 20)")
    listing.add_argument("--json", action="store_true", help="as one JSON document")
    showing = commands.add_parser("show", help="one run", description="Show a run's turns, tool calls and deliveries.")
    showing.add_argument("id", type=_request_id, metavar="ID", help="the run's id, or agent/ID")
    showing.add_argument("--content", action="store_true", help="show also what was said")
    showing.add_argument("--json", action="store_true", help="as one JSON document")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Show runs; returns the exit status, 1 when there is no such run."""
    if arguments.runs_command == "list":
        return asyncio.run(_list(settings, arguments.limit, as_json=arguments.json))
    return asyncio.run(_show(settings, arguments.id, content=arguments.content, as_json=arguments.json))


async def _list(settings: Settings, limit: int, *, as_json: bool) -> int:
    async with database(settings) as pool:
        runs = await RunStore(pool).recent_runs(limit)
    if as_json:
        print(json.dumps({"runs": [summary_document(settings, summary) for summary in runs]}, indent=2))
    elif not runs:
        print("No runs yet.")
    else:
        heads = ("RUN", "ASKED", "STATUS", "CODE", "FROM", "MODEL", "TURNS", "TOOLS", "TOKENS", "SECONDS")
        print(table(heads, [_row(summary) for summary in runs]))
    return 0


async def _show(settings: Settings, request_id: RequestId, *, content: bool, as_json: bool) -> int:
    async with database(settings) as pool:
        details = await RunStore(pool).run_details(request_id)
        deliveries = await DeliveryStore(pool).deliveries(request_id)
    if details is None:
        print(f"There is no run {request_id}; ./gopher runs list shows the newest.", file=sys.stderr)
        return EXIT_UNKNOWN
    if as_json:
        print(json.dumps(run_document(settings, details, deliveries, content=content), indent=2, ensure_ascii=False))
    else:
        print("\n".join(_lines(settings, details, deliveries, content=content)))
    return 0


def _row(summary: RunSummary) -> tuple[str, ...]:
    return (
        str(summary.request_id),
        _moment(summary.requested_at),
        status_of(summary),
        summary.error_code or "",
        summary.surface.value,
        summary.model or "",
        str(summary.iterations),
        str(summary.tool_calls),
        str(summary.prompt_tokens + summary.completion_tokens),
        _duration(summary),
    )


def _lines(settings: Settings, details: RunDetails, deliveries: tuple[Delivery, ...], *, content: bool) -> list[str]:
    summary, transcript = details.summary, details.transcript
    place = f"guild {summary.guild_id}, channel" if summary.guild_id else "channel"
    code = f" ({summary.error_code})" if summary.error_code else ""
    page = run_page(settings, summary.request_id, summary.workflow_run_id)
    lines = [
        f"run        {summary.request_id}  ({workflow_id(summary.request_id)})",
        f"status     {status_of(summary)}{code}",
        f"asked      {_moment(summary.requested_at)} by {summary.user_id}",
        f"where      {summary.surface}, {place} {summary.channel_id}",
        f"took       {_duration(summary) or '-'} s from begin to end",
        f"model      {summary.model or '-'}, {summary.prompt_tokens} tokens in, {summary.completion_tokens} out",
        *([f"trace      {summary.trace_id}"] if summary.trace_id else []),
        *([f"temporal   {page}"] if page else []),
    ]
    if transcript.prompt:
        lines += ["", "PROMPT"]
    for entry in transcript.prompt:
        lines.append(f"  {entry.layer:<10} {entry.role:<9} {len(entry.content)} characters")
        lines += _indented(entry.content, show=content)
    for stored in transcript.turns:
        lines += ["", *_turn_lines(stored, transcript.results, content=content)]
    if deliveries:
        lines += ["", "DELIVERIES"]
    for delivery in deliveries:
        lines.append(
            f"  {delivery.purpose:<7} {delivery.chunk + 1:>2}  {_sent(delivery)}  {len(delivery.content)} characters"
        )
        lines += _indented(delivery.content, show=content)
    return lines


def _turn_lines(stored: StoredTurn, results: tuple[ToolResult, ...], *, content: bool) -> list[str]:
    turn = stored.turn
    first = f", first token after {turn.first_token_ms} ms" if turn.first_token_ms is not None else ""
    tokens = f"{turn.prompt_tokens} tokens in, {turn.completion_tokens} out"
    lines = [f"TURN {stored.iteration}  {turn.model}: {turn.finish_reason}, {tokens}, {turn.duration_ms} ms{first}"]
    lines += _indented(turn.text, show=content)
    made = {result.position: result for result in results if result.iteration == stored.iteration}
    for position, call in enumerate(turn.calls):
        result = made.get(position)
        lines.append(f"  {position}  {call.name}  {_outcome(result)}")
        lines += _indented(call.arguments, show=content)
        lines += _indented(result.result if result else "", show=content)
    return lines


def _outcome(result: ToolResult | None) -> str:
    if result is None:
        return "not made"
    how = "ok" if result.success else f"failed ({result.error_code})"
    effect = result.effect.value if result.effect else "unknown"
    return f"{effect}, {how}, {result.duration_ms} ms, {len(result.result)} characters"


def _sent(delivery: Delivery) -> str:
    if delivery.message_id is None:
        return f"claimed {_moment(delivery.claimed_at)}, not known to be sent"
    return f"message {delivery.message_id}" + (f" at {_moment(delivery.sent_at)}" if delivery.sent_at else "")


def _indented(text: str, *, show: bool) -> list[str]:
    return [f"      | {line}" for line in text.splitlines()] if show else []


def _moment(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%SZ")


def _duration(summary: RunSummary) -> str:
    if summary.started_at is None or summary.completed_at is None:
        return ""
    return f"{(summary.completed_at - summary.started_at).total_seconds():.1f}"


def _limit(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= LARGEST_LIMIT:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 to {LARGEST_LIMIT}")
    return int(text)


def _request_id(text: str) -> RequestId:
    digits = text.removeprefix("agent/")
    if not digits.isdecimal() or int(digits) >= 2**63:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no id of a run: a number is needed, as ./gopher runs list shows it"
        )
    return RequestId(int(digits))
