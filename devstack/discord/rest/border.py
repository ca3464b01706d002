"""The REST border: finds the route, knows the caller, reads the body, meets faults and limits, answers and logs."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final
from urllib.parse import unquote

from aiohttp import web

from devstack.discord.documents import JsonObject, JsonValue, dumps, parse
from devstack.discord.errors import Code, Refused
from devstack.discord.faults import PlannedFault, RequestFault
from devstack.discord.limits import Standing, bucket
from devstack.discord.objects import User
from devstack.discord.rest.call import Call, Route, Routes, Upload
from devstack.discord.simulation import LoggedRequest, Simulation

MAXIMUM_BODY: Final = 25 << 20
"""Bytes of a request, as Discord's largest default upload."""
_MAJOR: Final = ("channel_id", "guild_id", "webhook_id")
_VIA: Final = {"Via": "1.1 google"}
"""Discord's edge adds it to its own answers; clients tell a ban of Cloudflare by its absence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A request as far as it was understood, for the log."""

    request: web.Request
    route: str
    caller: User | None = None
    body: JsonValue = None


class RestApi:
    """Serves every request below `/api`."""

    def __init__(self, sim: Simulation, routes: Sequence[Route]) -> None:
        self._sim = sim
        self._routes = Routes(routes)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer one request."""
        segments = [unquote(s) for s in request.rel_url.raw_path.strip("/").split("/")[1:]]
        if segments and segments[0].startswith("v") and segments[0][1:].isdigit():
            segments = segments[1:]
        found = self._routes.find(request.method, segments)
        if isinstance(found, HTTPStatus):
            self._log(_Asked(request=request, route="?"), found)
            return _json(found, {"message": f"{found.value}: {found.phrase}", "code": 0}, {})
        route, parameters = found
        fault = self._sim.faults.take(route.method, route.path)
        if fault is not None and fault.fault is RequestFault.SLOW:
            await asyncio.sleep(fault.retry_after.total_seconds())
        try:
            body, uploads = await _read(request)
        except Refused as refused:
            return self._refuse(_Asked(request=request, route=route.path), refused, {})
        caller = self._caller(request)
        asked = _Asked(request=request, route=route.path, caller=caller, body=body)
        if fault is not None and fault.fault in (RequestFault.SERVER_ERROR, RequestFault.RATE_LIMIT):
            return self._fail(asked, fault)
        if caller is None and not route.open:
            return self._refuse(asked, Refused(Code.NO_TOKEN), {})
        call = Call(
            sim=self._sim, caller=caller, parameters=parameters, query=dict(request.query), body=body, uploads=uploads
        )
        lose = fault is not None and fault.fault is RequestFault.LOSE_RESPONSE
        return self._serve(asked, route, call, lose=lose)

    def _serve(self, asked: _Asked, route: Route, call: Call, *, lose: bool) -> web.StreamResponse:
        major = "/".join(call.parameters.get(name, "") for name in _MAJOR)
        standing = self._sim.limits.count(call.caller.id if call.caller else 0, route.method, route.path, major)
        if standing.exceeded:
            return self._limit(asked, standing)
        try:
            answer = route.serve(call)
        except Refused as refused:
            self._sim.storage.commit()
            return self._refuse(asked, refused, standing.headers())
        # Nothing that was answered may be lost: the commit comes before the first byte of the answer.
        self._sim.storage.commit()
        if lose:
            self._log(asked, 0)
            if asked.request.transport is not None:
                asked.request.transport.abort()
            return web.Response(status=HTTPStatus.INTERNAL_SERVER_ERROR)
        self._log(asked, answer.status)
        if answer.status is HTTPStatus.NO_CONTENT:
            return web.Response(status=HTTPStatus.NO_CONTENT, headers=standing.headers() | _VIA)
        return _json(answer.status, answer.payload, standing.headers())

    def _caller(self, request: web.Request) -> User | None:
        """Find who asks: bots write `Bot token`, people the bare token, and neither may write it the other's way."""
        scheme, _, token = request.headers.get("Authorization", "").rpartition(" ")
        user = self._sim.world.user_of_token(token)
        if user is None or user.bot is not (scheme == "Bot"):
            return None
        return user

    def _refuse(self, asked: _Asked, refused: Refused, headers: Mapping[str, str]) -> web.Response:
        self._log(asked, refused.status, int(refused.code))
        return _json(refused.status, refused.payload(), headers)

    def _limit(self, asked: _Asked, standing: Standing) -> web.Response:
        self._log(asked, HTTPStatus.TOO_MANY_REQUESTS)
        scope = "global" if standing.everything else "user"
        headers = _retry_headers(standing.reset_after, scope)
        body = _retry_body(standing.reset_after, everything=standing.everything)
        if not standing.everything:
            headers |= standing.headers()
        return _json(HTTPStatus.TOO_MANY_REQUESTS, body, headers)

    def _fail(self, asked: _Asked, fault: PlannedFault) -> web.Response:
        """Answer with the failure that was planned, before anything happens."""
        if fault.fault is RequestFault.SERVER_ERROR:
            self._log(asked, fault.status)
            return _json(fault.status, {"message": f"{fault.status}: Service Unavailable", "code": 0}, {})
        self._log(asked, HTTPStatus.TOO_MANY_REQUESTS)
        seconds = fault.retry_after.total_seconds()
        headers = _retry_headers(seconds, "global" if fault.everything else fault.scope)
        if not fault.everything:
            headers["X-RateLimit-Bucket"] = bucket(asked.request.method, asked.route)
        return _json(HTTPStatus.TOO_MANY_REQUESTS, _retry_body(seconds, everything=fault.everything), headers)

    def _log(self, asked: _Asked, status: int, error_code: int | None = None) -> None:
        self._sim.request_count += 1
        self._sim.requests.append(
            LoggedRequest(
                number=self._sim.request_count,
                at=self._sim.clock.now(),
                method=asked.request.method,
                route=asked.route,
                path=asked.request.path,
                user_id=None if asked.caller is None else asked.caller.id,
                body=asked.body,
                status=int(status),
                error_code=error_code,
            )
        )


async def _read(request: web.Request) -> tuple[JsonValue, tuple[Upload, ...]]:
    """Read the body, JSON or multipart."""
    if not request.body_exists:
        return None, ()
    try:
        if request.content_type == "multipart/form-data":
            return await _read_multipart(request)
        text = await request.text()
    except web.HTTPRequestEntityTooLarge:
        raise Refused(Code.REQUEST_TOO_LARGE) from None
    return (_parsed(text) if text else None), ()


async def _read_multipart(request: web.Request) -> tuple[JsonValue, tuple[Upload, ...]]:
    body: JsonValue = None
    uploads: list[Upload] = []
    for name, value in (await request.post()).items():
        if isinstance(value, web.FileField):
            kind = value.content_type or "application/octet-stream"
            uploads.append(Upload(field=name, filename=value.filename, content_type=kind, content=value.file.read()))
        elif name == "payload_json":
            body = _parsed(value if isinstance(value, str) else value.decode())
    return body, tuple(uploads)


def _parsed(text: str) -> JsonValue:
    try:
        return parse(text)
    except ValueError:
        raise Refused(Code.INVALID_JSON) from None


def _json(status: int, payload: JsonValue, headers: Mapping[str, str]) -> web.Response:
    # The charset is left out: clients compare the header with "application/json".
    return web.Response(
        status=status, body=dumps(payload).encode(), content_type="application/json", headers={**headers, **_VIA}
    )


def _retry_headers(seconds: float, scope: str) -> dict[str, str]:
    headers = {"Retry-After": str(max(1, math.ceil(seconds))), "X-RateLimit-Scope": scope}
    if scope == "global":
        headers["X-RateLimit-Global"] = "true"
    return headers


def _retry_body(seconds: float, *, everything: bool) -> JsonObject:
    message = "You are being rate limited."
    return {"message": message, "code": 0, "retry_after": round(seconds, 3), "global": everything}
