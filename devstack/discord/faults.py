"""Faults that tests switch on: what goes wrong next, for which requests and events, and how often."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from typing import Final

_PARAMETER: Final = re.compile(r"\\\{[a-z_]+\\\}")


class RequestFault(StrEnum):
    """What can go wrong with a REST request."""

    SERVER_ERROR = "server_error"
    """Answer 5xx before anything happens."""
    LOSE_RESPONSE = "lose_response"
    """Do what was asked, then close the connection instead of answering."""
    RATE_LIMIT = "rate_limit"
    """Answer 429 before anything happens."""
    SLOW = "slow"
    """Answer late; what was asked happens after the wait."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedFault:
    """One switched-on fault of REST requests."""

    fault: RequestFault
    method: str
    """An HTTP method, or `*`."""
    route: str
    """A route as in Discord's documentation, `/channels/{channel_id}/messages`; `*` stands for anything."""
    remaining: int
    """How many more requests it hits."""
    status: int = 503
    """For server errors."""
    retry_after: timedelta = timedelta(seconds=1)
    """For rate limits and slowness: how long."""
    everything: bool = False
    """For rate limits: the global one."""
    scope: str = "user"
    """For rate limits: user, shared or global."""

    def hits(self, method: str, route: str) -> bool:
        """Tell whether a request is of this kind."""
        if self.method not in ("*", method):
            return False
        pattern = _PARAMETER.sub(r"[^/]+", re.escape(self.route)).replace(r"\*", ".*")
        return re.fullmatch(pattern, route) is not None or self.route == route


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """How an event of one kind is delivered to bots now."""

    delay: timedelta
    copies: int


class Faults:
    """The faults that are switched on. A fault that was used up disappears."""

    def __init__(self) -> None:
        self._requests: list[PlannedFault] = []
        self._delays: dict[str, timedelta] = {}
        self._duplicates: dict[str, int] = {}
        self.refuse_connections = False
        """Whether gateway connections are closed at once."""
        self.outage = False
        """Whether every REST request is answered with 503."""
        self.invalid_resumes = 0
        """How many more resumes are answered with an invalid session."""

    def plan(self, fault: PlannedFault) -> None:
        """Switch a fault of REST requests on."""
        self._requests.append(fault)

    def take(self, method: str, route: str) -> PlannedFault | None:
        """Find the fault that this request meets, and use it up by one. An outage is met by all, and lasts."""
        if self.outage:
            return PlannedFault(fault=RequestFault.SERVER_ERROR, method="*", route="*", remaining=1)
        for index, fault in enumerate(self._requests):
            if fault.hits(method, route):
                if fault.remaining <= 1:
                    del self._requests[index]
                else:
                    self._requests[index] = replace(fault, remaining=fault.remaining - 1)
                return fault
        return None

    def delay_events(self, name: str, delay: timedelta) -> None:
        """Deliver every event of a kind late, until set to zero."""
        if delay:
            self._delays[name] = delay
        else:
            self._delays.pop(name, None)

    def duplicate_events(self, name: str, count: int) -> None:
        """Deliver the next events of a kind twice."""
        self._duplicates[name] = count

    def delivery(self, name: str) -> Delivery:
        """Decide how an event is delivered now; uses up a duplication."""
        copies = 1
        if self._duplicates.get(name, 0) > 0:
            self._duplicates[name] -= 1
            copies = 2
        return Delivery(delay=self._delays.get(name, timedelta()), copies=copies)

    def take_invalid_resume(self) -> bool:
        """Tell whether this resume is to fail, and use that up."""
        if self.invalid_resumes > 0:
            self.invalid_resumes -= 1
            return True
        return False

    def clear(self) -> None:
        """Switch everything off."""
        self._requests.clear()
        self._delays.clear()
        self._duplicates.clear()
        self.refuse_connections = False
        self.outage = False
        self.invalid_resumes = 0
