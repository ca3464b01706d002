"""What the simulated Discord serves beside its API: the chat page's files, what the page must know, attachments."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from pathlib import Path
from typing import Final

from aiohttp import web

from devstack.discord import seed
from devstack.discord.documents import JsonObject, dumps
from devstack.discord.simulation import Simulation

PAGE: Final = Path(__file__).parent.parent / "page"
_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".json": "application/json",
    ".woff2": "font/woff2",
}
_NO_CACHE: Final = {"Cache-Control": "no-store"}
_UNSAFE_INLINE: Final = frozenset({"text/html", "image/svg+xml"})
"""Attachments of these types are handed over as downloads: they could run as the page."""

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Page:
    """Serves the page beside the API, so that the page needs no cross-origin permissions."""

    def __init__(self, sim: Simulation, info: JsonObject) -> None:
        self._sim = sim
        self._info = info

    def routes(self) -> list[web.RouteDef]:
        """List what is served."""
        return [
            web.get("/sim/members", self.members),
            web.get("/sim/info", self.info),
            web.get("/attachments/{channel_id}/{attachment_id}/{filename}", self.attachment),
            web.get("/", self.file),
            web.get("/{name:[^/]+}", self.file),
            web.get("/{name:(?:assets|icons|js|css)/.+}", self.file),
        ]

    async def members(self, request: web.Request) -> web.Response:
        """List who can be spoken as, tokens included: a toy on the loopback interface, and it says so."""
        people = [
            {
                "id": str(person.id),
                "username": person.username,
                "name": person.display_name,
                "colour": f"#{person.colour:06x}",
                "token": person.token,
            }
            for person in seed.MEMBERS
        ]
        note = "A simulated Discord on the loopback interface: these tokens open nothing else."
        return _json(request, {"note": note, "members": people})

    async def info(self, request: web.Request) -> web.Response:
        """Tell what the page needs beyond the API: where runs can be looked at, and who the bot is."""
        return _json(request, self._info)

    async def attachment(self, request: web.Request) -> web.Response:
        """Hand out an attachment to whoever has a signed and unexpired URL; 404 to others."""
        path = f"/attachments/{'/'.join(request.match_info[n] for n in ('channel_id', 'attachment_id', 'filename'))}"
        attachment_id = request.match_info["attachment_id"]
        if not attachment_id.isdigit() or not self._sim.urls.accepts(path, dict(request.query)):
            return _gone()
        content = self._sim.storage.blob(int(attachment_id))
        found = self._sim.world.attachments.get(int(attachment_id))
        if content is None or found is None:
            return _gone()
        kind = found.content_type
        headers = {"Content-Type": kind, "X-Content-Type-Options": "nosniff", "Cache-Control": "private, max-age=3600"}
        if kind.partition(";")[0] in _UNSAFE_INLINE:
            headers["Content-Disposition"] = "attachment"
        return web.Response(body=content, headers=headers)

    async def file(self, request: web.Request) -> web.Response:
        """Serve a file of the page, never from a cache."""
        name = request.match_info.get("name") or "index.html"
        path = (PAGE / name).resolve()
        if not path.is_relative_to(PAGE.resolve()) or not path.is_file():
            return web.Response(status=HTTPStatus.NOT_FOUND, text="There is no such page here.\n", headers=_NO_CACHE)
        kind = _TYPES.get(path.suffix, "application/octet-stream")
        return web.Response(body=path.read_bytes(), headers={"Content-Type": kind, **_NO_CACHE})


def _json(_request: web.Request, payload: JsonObject) -> web.Response:
    return web.Response(body=dumps(payload).encode(), content_type="application/json", headers=_NO_CACHE)


def _gone() -> web.Response:
    text = "This content is no longer available.\n"
    return web.Response(status=HTTPStatus.NOT_FOUND, text=text, headers=_NO_CACHE)
