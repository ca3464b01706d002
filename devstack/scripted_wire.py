"""What every scripted endpoint shares: reading requests, keeping the ledger, being late or refusing as scripted."""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import cast

from aiohttp import web
from pydantic import JsonValue

from devstack.scripted_turns import KEPT, Recorded, Script, Step, Uses


class Ledger:
    """The script in force, how far it is used up, and what was asked."""

    def __init__(self) -> None:
        self.script: Script | None = None
        self._uses: dict[str, Uses] = {}
        self._numbers = 0
        self.requests: deque[Recorded] = deque(maxlen=KEPT)

    def set(self, script: Script | None) -> None:
        """Put a script in force, unused; None gives back the default answers. What was recorded stays."""
        self.script = script
        self._uses = {}

    def uses(self, section: str) -> Uses:
        """The counts of one section of the script."""
        return self._uses.setdefault(section, Uses())

    def record(self, request: web.Request, body: JsonValue) -> Recorded:
        """Note a request that came in."""
        self._numbers += 1
        noted = Recorded(
            number=self._numbers,
            path=request.path,
            body=body,
            authorized=request.headers.get("Authorization", "").startswith("Bearer "),
            received_at=time.time(),
        )
        self.requests.append(noted)
        return noted

    @asynccontextmanager
    async def answering(self, noted: Recorded) -> AsyncGenerator[None]:
        """Note when the answer ended, however it did."""
        try:
            yield
        finally:
            noted.finished_at = time.time()


async def read_body(request: web.Request) -> dict[str, JsonValue]:
    """Read a JSON object; anything else is refused as OpenAI and Firecrawl refuse it."""
    try:
        body: object = await request.json()
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise web.HTTPBadRequest(
            text=json.dumps({"success": False, "error": {"message": "The body is no JSON object.", "code": None}}),
            content_type="application/json",
        )
    return cast("dict[str, JsonValue]", body)


async def obey(request: web.Request, step: Step) -> web.Response | None:
    """Do what a step says besides answering; returns the response to send, or None when the step answers normally."""
    await asyncio.sleep(step.delay_seconds)
    if step.drop:
        drop(request)
    if step.body is not None:
        return web.Response(
            status=step.status, body=step.body.encode(), content_type=step.content_type, headers=step.headers
        )
    if step.status != web.HTTPOk.status_code:
        return refusal(step.status, error=step.error, headers=step.headers)
    return None


def refusal(
    status: int, *, error: dict[str, JsonValue] | None = None, headers: dict[str, str] | None = None
) -> web.Response:
    """An error as OpenAI writes it."""
    plain: dict[str, JsonValue] = {"message": "The script says so.", "type": "scripted", "param": None, "code": None}
    return web.json_response({"error": error or plain}, status=status, headers=headers)


def drop(request: web.Request) -> None:
    """Close the connection at once, as a crashed server does."""
    if request.transport is not None:
        request.transport.abort()
    raise ConnectionResetError("The script says that the connection breaks.")


def as_object(value: JsonValue) -> dict[str, JsonValue]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: JsonValue) -> list[JsonValue]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []
