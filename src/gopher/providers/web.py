"""Web research through Firecrawl: pages that a query names are read, anything else is searched for."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Final, cast

import httpx
from firecrawl.v2.client_async import AsyncFirecrawlClient  # pyright: ignore[reportMissingTypeStubs] # it ships none

from gopher.domain.web_pages import WebPage, explicit_urls, is_error_page, read_page, read_pages
from gopher.errors import ProviderError, ProviderRejected, ProviderUnavailable
from gopher.providers.endpoint import check_key, check_url, host_of
from gopher.providers.retry_after import parse_retry_after

FIRECRAWL_URL: Final = "https://api.firecrawl.dev"
MOST_PAGES: Final = 10
"""Of one query: each is scraped, and each is paid for."""

_READING_SHARE: Final = 0.6
"""Of the deadline, for reading the named pages: the rest is for a search when none can be read."""
_SERVER_SHARE: Final = 0.9
"""Of the deadline, for Firecrawl itself: its own "timed out" says more than ours."""
_SCRAPE_OPTIONS: Final[Mapping[str, object]] = {
    "formats": ["markdown"],
    "onlyMainContent": True,
    "removeBase64Images": True,
    "blockAds": True,
    "maxAge": 60
    * 60
    * 1000,  # milliseconds: an hour-old copy of Firecrawl's answers at once and is fresh enough for a chat
}
_LATER: Final[Mapping[int, str]] = {
    HTTPStatus.REQUEST_TIMEOUT: "web_timeout",
    HTTPStatus.TOO_MANY_REQUESTS: "web_rate_limited",
}
_FINAL_CODES: Final = frozenset({"web_authentication", "web_quota", "web_rate_limited", "web_not_firecrawl"})
"""Failures that a search right after would meet as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebFindings:
    """What a query gave."""

    pages: tuple[WebPage, ...]
    """Never empty. Named pages in their order, else web before news, in Firecrawl's order."""
    read: bool
    """True when these are pages that the query named; False when they were searched for."""


class WebResearch:
    """Firecrawl's search and scrape. Safe to use from many tasks at once; close it in the end. Retries nothing."""

    def __init__(self, *, api_key: str, api_url: str | None) -> None:
        """Check the settings; nothing is sent. An `api_url` of None means Firecrawl's own.

        Raises:
            ConfigurationError: the URL or the key cannot be used.
        """
        url = check_url(api_url or FIRECRAWL_URL, variable="FIRECRAWL_API_URL")
        self._host = host_of(url)
        # The SDK's own `search` drops flat results and fails whole when one item lacks its URL, so only its transport
        # is used: address, key, attribution. One attempt: whoever calls has the one retry policy, and the deadline.
        self._firecrawl = AsyncFirecrawlClient(
            api_key=check_key(api_key, variable="FIRECRAWL_API_KEY"),
            api_url=url,
            timeout=None,
            max_retries=1,
            origin="gopher",
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._firecrawl.async_http_client.close()

    async def research(self, query: str, *, limit: int, deadline: timedelta) -> WebFindings:
        """Read the pages that the query names; when it names none, or none can be read, search.

        Args:
            query: What is wanted, in words or with http(s) addresses.
            limit: Most pages, 1 to 10; more is taken as 10.
            deadline: For everything together.

        Raises:
            ProviderUnavailable: `web_unavailable`, `web_timeout`, `web_rate_limited`, with what Firecrawl said about
                when to come back.
            ProviderRejected: `web_authentication`, `web_quota`, `web_not_firecrawl`, `web_rejected`,
                `web_nothing_found`.
        """
        limit = max(1, min(limit, MOST_PAGES))
        try:
            async with asyncio.timeout(deadline.total_seconds()):
                pages = await self._read(explicit_urls(query)[:limit], deadline * _READING_SHARE)
                if pages:
                    return WebFindings(pages=pages, read=True)
                return WebFindings(pages=await self._search(query, limit, deadline), read=False)
        except TimeoutError:
            raise self._timed_out() from None

    async def _read(self, urls: tuple[str, ...], deadline: timedelta) -> tuple[WebPage, ...]:
        """Read pages in parallel; those that could be read, in the order of their addresses."""
        outcomes = await asyncio.gather(*(self._read_one(url, deadline) for url in urls))
        pages = [outcome for outcome in outcomes if isinstance(outcome, WebPage)]
        if not pages:
            for outcome in outcomes:
                if isinstance(outcome, ProviderError) and outcome.code in _FINAL_CODES:
                    raise outcome
        return tuple({page.url: page for page in pages}.values())

    async def _read_one(self, url: str, deadline: timedelta) -> WebPage | ProviderError | None:
        payload = {"url": url, **_SCRAPE_OPTIONS, "timeout": _milliseconds(deadline)}
        try:
            async with asyncio.timeout(deadline.total_seconds()):
                found = await self._ask("/v2/scrape", payload)
        except TimeoutError:
            return self._timed_out()
        except ProviderError as error:
            return error
        page = None if is_error_page(found) else read_page(found, fallback_url=url)
        return page if page and page.content else None

    async def _search(self, query: str, limit: int, deadline: timedelta) -> tuple[WebPage, ...]:
        payload = {
            "query": query,
            "limit": limit,
            "sources": [{"type": "web"}, {"type": "news"}],
            "scrapeOptions": dict(_SCRAPE_OPTIONS),
            "timeout": _milliseconds(deadline),
        }
        pages = read_pages(await self._ask("/v2/search", payload), limit=limit)
        if not pages:
            raise ProviderRejected("The web search found nothing usable.", code="web_nothing_found")
        return pages

    async def _ask(self, path: str, payload: Mapping[str, object]) -> object:
        """Send one request and return the `data` of its answer."""
        try:
            response = await self._firecrawl.async_http_client.post(path, dict(payload))
        except httpx.HTTPError:
            raise ProviderUnavailable(
                f"The connection to Firecrawl at {self._host} failed.", code="web_unavailable"
            ) from None
        if response.status_code != HTTPStatus.OK:
            raise self._failure(response)
        body = _json(response)
        if isinstance(body, list):
            return cast("list[object]", body)
        if not isinstance(body, Mapping):
            raise self._not_firecrawl()
        answer = cast("Mapping[str, object]", body)
        if answer.get("success") is False:
            raise ProviderRejected(f"Firecrawl at {self._host} refused the request.", code="web_rejected")
        return answer.get("data", answer)

    def _failure(self, response: httpx.Response) -> ProviderError:
        """Judge a status; what Firecrawl writes about it can quote the query, so it is not passed on."""
        status = response.status_code
        said = f"Firecrawl at {self._host} answered with status {status}"
        if status in _LATER or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            return ProviderUnavailable(
                f"{said}.",
                code=_LATER.get(status, "web_unavailable"),
                retry_after=parse_retry_after(response.headers, now=datetime.now(UTC)),
            )
        if status == HTTPStatus.UNAUTHORIZED:
            return ProviderRejected(f"{said}: check FIRECRAWL_API_KEY.", code="web_authentication")
        if status == HTTPStatus.PAYMENT_REQUIRED:
            return ProviderRejected(f"{said}: the account has no credit left.", code="web_quota")
        if _json(response) is None:
            return self._not_firecrawl()
        return ProviderRejected(f"{said}.", code="web_rejected")

    def _not_firecrawl(self) -> ProviderRejected:
        return ProviderRejected(
            f"What answers at {self._host} is not Firecrawl: check FIRECRAWL_API_URL.", code="web_not_firecrawl"
        )

    def _timed_out(self) -> ProviderUnavailable:
        return ProviderUnavailable(f"Firecrawl at {self._host} did not answer in time.", code="web_timeout")


def _milliseconds(deadline: timedelta) -> int:
    return max(1000, round(deadline.total_seconds() * 1000 * _SERVER_SHARE))


def _json(response: httpx.Response) -> object:
    """The body as JSON; None when it is none."""
    try:
        return response.json()
    except ValueError:
        return None
