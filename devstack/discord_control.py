"""The control endpoint: faults, clocks and other powers that Discord gives nobody, for tests and the supervisor."""

from __future__ import annotations

from aiohttp import web

from devstack.discord_simulation import Simulation


class Control:
    """Powers over a simulation, as methods and as `POST /control/...` with JSON."""

    def __init__(self, sim: Simulation) -> None:
        self._sim = sim

    def routes(self) -> list[web.RouteDef]:
        """List what is served."""
        return []

    def drop_connections(self) -> int:
        """Cut every gateway connection without a word; tell how many there were."""
        wires = [s.wire for s in self._sim.sessions.all() if s.wire is not None]
        for wire in wires:
            wire.hang_up(0)
        return len(wires)
