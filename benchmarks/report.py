"""What every benchmark prints: a table for a person and, as the last line, one JSON object for a program."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What a value should reach."""

    value: float
    at_least: bool
    """False when less is better."""

    def met_by(self, measured: float) -> bool:
        """Tell whether a measured value reaches it."""
        return measured >= self.value if self.at_least else measured <= self.value


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value that this share of the values (0 to 1) does not exceed; the values need not be sorted."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def print_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print columns: the first to the left, the others to the right."""
    widths = [max(len(row[column]) for row in (headings, *rows)) for column in range(len(headings))]
    for row in (headings, *rows):
        aligned: Sequence[Callable[[str, int], str]] = [str.ljust, *[str.rjust] * (len(row) - 1)]
        print("  ".join(align(cell, width) for align, cell, width in zip(aligned, row, widths, strict=True)).rstrip())


def print_result(benchmark: str, values: Mapping[str, float], targets: Mapping[str, Target]) -> None:
    """Print the last line. A target names one of the values."""
    result = {
        "benchmark": benchmark,
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}",
        "values": {name: round(value, 3) for name, value in values.items()},
        "targets": {name: f"{'>=' if target.at_least else '<='} {target.value:g}" for name, target in targets.items()},
        "met": all(target.met_by(values[name]) for name, target in targets.items()),
    }
    print(json.dumps(result))
