"""The simulated Discord as a server: REST, gateway, attachments and chat page on one port of the loopback interface.

`python -m devstack.discord.server --port N --data DIR` runs it; tests import `SimulatedDiscord`.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
from pathlib import Path
from typing import Final

from aiohttp import web

from devstack.discord import founding, seed
from devstack.discord.control import Control
from devstack.discord.control_http import ControlEndpoint
from devstack.discord.documents import JsonObject
from devstack.discord.gateway import Connection
from devstack.discord.page import Page
from devstack.discord.rest.border import MAXIMUM_BODY, RestApi
from devstack.discord.rest.routes import ROUTES
from devstack.discord.simulation import Simulation, build
from devstack.discord.storage import FileStorage, MemoryStorage
from gopher.errors import ConfigurationError

_HOST: Final = "127.0.0.1"
_DATABASE: Final = "discord.sqlite3"


class SimulatedDiscord:
    """One simulated Discord. Without a data directory it is new at every start and keeps everything in memory."""

    def __init__(
        self, data: Path | None = None, *, temporal_ui_url: str | None = None, namespace: str = "default"
    ) -> None:
        self._data = data
        self._info: JsonObject = {
            "temporal_ui_url": temporal_ui_url,
            "namespace": namespace,
            "bot": {"id": str(seed.BOT.id), "name": seed.BOT.display_name},
            "application_id": str(seed.APPLICATION_ID),
        }
        self._runner: web.AppRunner | None = None
        self._sim: Simulation | None = None
        self._base = ""

    @property
    def api_url(self) -> str:
        """Base of the HTTP API, for `disnake.http.Route.BASE`; `http://127.0.0.1:PORT/api/v10`."""
        return f"{self._base}/api/v10"

    @property
    def page_url(self) -> str:
        """Where the chat page is."""
        return f"{self._base}/"

    @property
    def control_url(self) -> str:
        """Base of the control endpoint."""
        return f"{self._base}/control"

    @property
    def simulation(self) -> Simulation:
        """The parts, for tests that look inside. Only between `start` and `stop`."""
        if self._sim is None:
            raise RuntimeError("The simulated Discord is not running: call start() first.")
        return self._sim

    @property
    def control(self) -> Control:
        """Faults and other powers, as methods. Only between `start` and `stop`."""
        return Control(self.simulation)

    async def start(self, port: int = 0) -> None:
        """Listen on the loopback interface; port 0 lets the kernel choose.

        Raises:
            ConfigurationError: the port is taken, or the data is of a newer version.
        """
        sim = self._build()
        self._sim = sim
        app = web.Application(client_max_size=MAXIMUM_BODY)
        rest = RestApi(sim, ROUTES)
        app.router.add_route("*", "/api/{path:.*}", rest.handle)

        async def gateway(request: web.Request) -> web.StreamResponse:
            return await Connection(sim, request).serve()

        app.router.add_get("/gateway", gateway)
        app.add_routes(ControlEndpoint(Control(sim)).routes())
        app.add_routes(Page(sim, self._info).routes())
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, _HOST, port).start()
        except OSError as error:
            await self.stop()
            raise ConfigurationError(
                f"The simulated Discord cannot listen on {_HOST}:{port} ({error.strerror}): choose another port.",
                code="port_in_use",
            ) from error
        bound = self._runner.addresses[0][1]
        self._base = f"http://{_HOST}:{bound}"
        sim.urls.base = self._base
        sim.api_url = self.api_url
        sim.gateway_url = f"ws://{_HOST}:{bound}/gateway"

    async def stop(self) -> None:
        """Close every connection and the storage. May be repeated."""
        sim, self._sim = self._sim, None
        runner, self._runner = self._runner, None
        if sim is not None:
            sim.timers.close()
            for session in sim.sessions.all():
                if session.wire is not None:
                    session.wire.hang_up(1001)
        if runner is not None:
            await runner.cleanup()
        if sim is not None:
            sim.storage.close()

    def _build(self) -> Simulation:
        if self._data is None:
            sim = build(MemoryStorage())
            founding.found(sim.world)
            return sim
        storage = FileStorage(self._data / _DATABASE)
        sim = build(storage)
        if not sim.world.load(storage):
            founding.found(sim.world)
        sim.recall_nonces()
        return sim


async def _serve(options: argparse.Namespace) -> None:
    data: Path | None = options.data
    server = SimulatedDiscord(data, temporal_ui_url=options.temporal_ui, namespace=options.namespace)
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopping.set)
    await server.start(options.port)
    ready_file = os.environ.get("GOPHER_READY_FILE")
    if ready_file:
        await asyncio.to_thread(Path(ready_file).write_text, server.page_url, encoding="utf-8")
    try:
        await stopping.wait()
    finally:
        await server.stop()


def main() -> None:
    """Run until SIGINT or SIGTERM."""
    parser = argparse.ArgumentParser(prog="python -m devstack.discord.server", description="A simulated Discord.")
    parser.add_argument("--port", type=int, default=0, help="port on 127.0.0.1 (0: any)")
    parser.add_argument("--data", type=Path, default=None, help="directory to keep the state in (unset: memory)")
    parser.add_argument("--temporal-ui", default=os.environ.get("GOPHER_TEMPORAL_UI"), help="URL of the Temporal UI")
    parser.add_argument(
        "--namespace", default=os.environ.get("TEMPORAL_NAMESPACE", "default"), help="Temporal namespace"
    )
    try:
        asyncio.run(_serve(parser.parse_args()))
    except ConfigurationError as error:
        parser.exit(2, f"{error}\n")


if __name__ == "__main__":
    main()
