"""What a check found."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One fact about one part."""

    part: str
    what: str
    """The fact, without a full stop."""
    remedy: str | None = None
    """For a problem one sentence how to mend it; None means that all is well."""

    @property
    def ok(self) -> bool:
        """Whether it is no problem."""
        return self.remedy is None
