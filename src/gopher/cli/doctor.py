"""`./gopher doctor`: looks at every part and says for each problem how to mend it."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeAlias

from gopher.cli.checks import cache, database, gateway, model, orchestration, packages
from gopher.cli.checks.findings import Finding
from gopher.settings import Settings

Check: TypeAlias = Callable[[Settings], Awaitable[list[Finding]]]

CHECKS: Final[Sequence[Check]] = (
    packages.examine,
    database.examine,
    cache.examine,
    orchestration.examine,
    gateway.examine,
    model.examine,
)
WORD_WIDTH: Final = 9
PART_WIDTH: Final = 12


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Check everything; returns 1 when there is any problem."""
    return asyncio.run(_examine(settings, as_json=arguments.json))


async def _examine(settings: Settings, *, as_json: bool) -> int:
    """Check all parts side by side, and tell of each as soon as those before it are done."""
    findings: list[Finding] = []
    async with asyncio.TaskGroup() as group:
        running = [group.create_task(_found(check, settings)) for check in CHECKS]
        for check in running:
            found = await check
            findings += found
            if not as_json:
                print("\n".join(_lines(found)), flush=True)
    problems = sum(not finding.ok for finding in findings)
    if as_json:
        print(json.dumps(_document(findings), indent=2, ensure_ascii=False))
    else:
        print(f"\n{problems} problem{'s' if problems != 1 else ''}." if problems else "\nAll is well.")
    return 1 if problems else 0


async def _found(check: Check, settings: Settings) -> list[Finding]:
    return await check(settings)


def _lines(findings: Sequence[Finding]) -> list[str]:
    lines: list[str] = []
    for finding in findings:
        word = "ok" if finding.ok else "PROBLEM"
        lines.append(f"{word:<{WORD_WIDTH}}{finding.part:<{PART_WIDTH}}{finding.what}")
        if finding.remedy is not None:
            lines.append(f"{'':<{WORD_WIDTH + PART_WIDTH}}{finding.remedy}")
    return lines


def _document(findings: Sequence[Finding]) -> dict[str, object]:
    return {
        "ok": all(finding.ok for finding in findings),
        "findings": [
            {"part": finding.part, "ok": finding.ok, "what": finding.what, "remedy": finding.remedy}
            for finding in findings
        ],
    }
