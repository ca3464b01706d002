"""The web research of the scripted providers: Firecrawl's search and scrape, scripted or with pages made up."""

from __future__ import annotations

from typing import Literal
from urllib.parse import quote_plus

from aiohttp import web
from pydantic import JsonValue

from devstack.scripted_turns import WebTurn
from devstack.scripted_wire import Ledger, obey, read_body

_STANDIN = "This page is a stand-in of the demo: no web was searched. Set FIRECRAWL_API_KEY for real results."


class WebEndpoint:
    """`POST /v2/search` and `POST /v2/scrape`."""

    def __init__(self, ledger: Ledger, endpoint: Literal["search", "scrape"]) -> None:
        self._ledger = ledger
        self._endpoint = endpoint

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """Answer one request by the script, or with the stand-in's pages."""
        body = await read_body(request)
        noted = self._ledger.record(request, body)
        async with self._ledger.answering(noted):
            asked = str(body.get("query" if self._endpoint == "search" else "url") or "")
            response = await self._answer(request, asked, noted.authorized)
            noted.status = response.status
            return response

    async def _answer(self, request: web.Request, asked: str, authorized: bool) -> web.Response:
        if not authorized:
            return _failure(401, "Unauthorized: Token missing")
        if not asked:
            return _failure(400, "query or url is missing")
        script = self._ledger.script
        turn = self._choose(asked)
        if turn is None:
            if script is not None and script.otherwise == "error":
                return _failure(400, "No scripted turn matches.")
            return _success(self._made_up(asked))
        response = await obey(request, turn)
        if response is not None:
            return response if turn.body is not None else _failure(turn.status, "The script says so.", turn)
        return _success(turn.data if turn.data is not None else self._made_up(asked), turn.headers)

    def _choose(self, asked: str) -> WebTurn | None:
        script = self._ledger.script
        if script is None:
            return None
        taken = self._ledger.uses("web").take(
            (position, turn)
            for position, turn in enumerate(script.web)
            if turn.endpoint in (None, self._endpoint) and (turn.match is None or turn.match in asked)
        )
        return script.web[taken] if taken is not None else None

    def _made_up(self, asked: str) -> JsonValue:
        if self._endpoint == "scrape":
            return _page(asked, f"Stand-in of {asked}")
        address = f"https://example.org/search?q={quote_plus(asked)}"
        return {
            "web": [_page(f"{address}&page={number}", f"Stand-in result {number}") for number in (1, 2)],
            "news": [],
        }


def _page(url: str, title: str) -> JsonValue:
    metadata: dict[str, JsonValue] = {"title": title, "sourceURL": url, "url": url, "statusCode": 200}
    return {
        "url": url,
        "title": title,
        "description": _STANDIN,
        "markdown": f"# {title}\n\n{_STANDIN}",
        "metadata": metadata,
    }


def _success(data: JsonValue, headers: dict[str, str] | None = None) -> web.Response:
    return web.json_response({"success": True, "data": data}, headers=headers)


def _failure(status: int, message: str, turn: WebTurn | None = None) -> web.Response:
    code = turn.error.get("code") if turn and turn.error else None
    return web.json_response(
        {"success": False, "error": message, **({"code": code} if code else {})},
        status=status,
        headers=turn.headers if turn else None,
    )
