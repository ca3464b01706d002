"""Plain tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lay rows out in columns as wide as their widest cell; columns that are empty throughout are left out."""
    used = [place for place in range(len(heads)) if any(row[place] for row in rows)]
    widths = {place: max(len(heads[place]), *(len(row[place]) for row in rows)) for place in used}
    lines = [heads, *rows]
    return "\n".join("  ".join(line[place].ljust(widths[place]) for place in used).rstrip() for line in lines)
