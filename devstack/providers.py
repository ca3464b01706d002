"""Stand-ins of the providers in one server: an OpenAI-compatible API and Firecrawl, scripted or with the demo model.

`python -m devstack.providers --port N` serves until it is told to stop. Scripts come over HTTP as well, so that a test
may script the providers of other processes: `POST /control/script` (a `Script`, or null for none),
`GET /control/requests`, `POST /control/reset`.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path

from aiohttp import web
from pydantic import JsonValue, ValidationError

from devstack import offline_model, scripted_embeddings
from devstack.scripted_embeddings import EmbeddingEndpoint
from devstack.scripted_firecrawl import WebEndpoint
from devstack.scripted_model import ChatEndpoint
from devstack.scripted_turns import ModelTurn, Recorded, Script, Step, WebTurn
from devstack.scripted_wire import Ledger

HOST = "127.0.0.1"
LAST_PORT = 65535
LARGEST_BODY = 64 * 1024 * 1024
"""Bytes of a request: a long prompt with images."""


class ScriptedProviders:
    """The server, for use in one process. Start it, script it, look at what was asked, stop it."""

    def __init__(self) -> None:
        self._ledger = Ledger()
        self._runner: web.AppRunner | None = None
        self._port = 0

    async def start(self, port: int = 0) -> None:
        """Listen on loopback; port 0 lets the kernel choose. Raises `OSError` when the port is taken."""
        app = web.Application(client_max_size=LARGEST_BODY)
        app.add_routes(
            [
                web.post("/v1/chat/completions", ChatEndpoint(self._ledger).serve),
                web.post("/v1/embeddings", EmbeddingEndpoint(self._ledger).serve),
                web.get("/v1/models", _models),
                web.post("/v2/search", WebEndpoint(self._ledger, "search").serve),
                web.post("/v2/scrape", WebEndpoint(self._ledger, "scrape").serve),
                web.post("/control/script", self._set_script),
                web.post("/control/reset", self._reset),
                web.get("/control/requests", self._list_requests),
                web.get("/health", _health),
            ]
        )
        # A handler ends with its client: a stalled answer must not outlive the attempt that it was for.
        self._runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, HOST, port)
        await site.start()
        self._port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        """Close every connection and stop listening; harmless when it never started."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    @property
    def openai_base_url(self) -> str:
        """For `OPENAI_BASE_URL`."""
        return f"http://{HOST}:{self._port}/v1"

    @property
    def firecrawl_url(self) -> str:
        """For Firecrawl's API URL; its client adds the version itself."""
        return f"http://{HOST}:{self._port}"

    @property
    def control_url(self) -> str:
        """Base of the control endpoints."""
        return f"http://{HOST}:{self._port}/control"

    @property
    def open_connections(self) -> int:
        """How many client connections are open now, idle ones included."""
        server = self._runner.server if self._runner else None
        return len(server.connections) if server is not None else 0

    def script(
        self, *chat: ModelTurn, web_turns: Sequence[WebTurn] = (), embeddings: Sequence[Step] = (), demo: bool = False
    ) -> None:
        """Put a script in force and forget what was asked; `demo` lets the demo model answer what no turn matches."""
        self._ledger.set(
            Script(
                chat=chat, web=tuple(web_turns), embeddings=tuple(embeddings), otherwise="default" if demo else "error"
            )
        )
        self._ledger.requests.clear()

    @property
    def requests(self) -> tuple[Recorded, ...]:
        """What was asked since the script was set, in the order of arrival."""
        return tuple(self._ledger.requests)

    async def _set_script(self, request: web.Request) -> web.Response:
        text = await request.text()
        try:
            self._ledger.set(None if text.strip() in ("", "null") else Script.model_validate_json(text))
        except ValidationError as error:
            return web.json_response({"error": error.errors(include_url=False, include_context=False)}, status=400)
        self._ledger.requests.clear()
        return web.json_response({"ok": True})

    async def _reset(self, _request: web.Request) -> web.Response:
        self._ledger.set(None)
        self._ledger.requests.clear()
        return web.json_response({"ok": True})

    async def _list_requests(self, request: web.Request) -> web.Response:
        path = request.query.get("path")
        noted: list[JsonValue] = [
            entry.model_dump(mode="json") for entry in self._ledger.requests if path in (None, entry.path)
        ]
        return web.json_response({"requests": noted, "now": time.time()})


async def _models(_request: web.Request) -> web.Response:
    names = (offline_model.MODEL_NAME, scripted_embeddings.MODEL_NAME)
    return web.json_response(
        {
            "object": "list",
            "data": [{"id": name, "object": "model", "created": 0, "owned_by": "devstack"} for name in names],
        }
    )


async def _health(_request: web.Request) -> web.Response:
    return web.json_response({"ok": True})


async def serve(port: int) -> None:
    """Serve until SIGINT or SIGTERM; create the file named by GOPHER_READY_FILE once it listens."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    providers = ScriptedProviders()
    await providers.start(port)
    _say_ready()
    await stop.wait()
    await providers.stop()


def _say_ready() -> None:
    ready = os.environ.get("GOPHER_READY_FILE")
    if ready:
        Path(ready).touch()


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > LAST_PORT:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: a number from 0 to {LAST_PORT} is needed")
    return int(text)


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve on the command line; 1 when the port cannot be used."""
    parser = argparse.ArgumentParser(prog="python -m devstack.providers", description="Stand-ins of the providers.")
    parser.add_argument("--port", type=_port, default=0, help="port on 127.0.0.1; 0 lets the kernel choose")
    port = parser.parse_args(arguments).port
    try:
        asyncio.run(serve(port))
    except OSError as error:
        reason = os.strerror(error.errno or 0).lower()
        parser.exit(1, f"The port {port} cannot be used ({reason}): choose another with --port.\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
