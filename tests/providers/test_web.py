from __future__ import annotations

import time
import traceback
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
from pydantic import JsonValue

from devstack.providers import ScriptedProviders
from devstack.scripted_turns import WebTurn
from gopher.errors import ConfigurationError, ProviderError, ProviderRejected, ProviderUnavailable
from gopher.providers.web import WebResearch

KEY = "fc-secret-key"
DEADLINE = timedelta(seconds=10)
CANARY = "canary-91c"


@pytest.fixture
async def web(providers: ScriptedProviders) -> AsyncIterator[WebResearch]:
    research = WebResearch(api_key=KEY, api_url=providers.firecrawl_url)
    yield research
    await research.close()


def page(url: str, **fields: JsonValue) -> JsonValue:
    return {"url": url, "title": "T", "markdown": f"body of {url}", **fields}


def asked(providers: ScriptedProviders) -> list[str]:
    return [request.path.rsplit("/", 1)[1] for request in providers.requests]


async def test_words_are_searched_in_web_and_news_with_the_pages_contents(
    providers: ScriptedProviders, web: WebResearch
) -> None:
    providers.script(web_turns=[WebTurn(data={"web": [page("https://e.org/w")], "news": [page("https://e.org/n")]})])
    findings = await web.research("best burrow", limit=5, deadline=DEADLINE)
    assert [found.url for found in findings.pages] == ["https://e.org/w", "https://e.org/n"]
    assert findings.pages[0].content == "body of https://e.org/w"
    assert not findings.read
    (request,) = providers.requests
    assert request.authorized
    assert isinstance(request.body, dict)
    assert (request.body["query"], request.body["limit"]) == ("best burrow", 5)
    assert request.body["sources"] == [{"type": "web"}, {"type": "news"}]
    options = request.body["scrapeOptions"]
    assert isinstance(options, dict)
    assert (options["formats"], options["onlyMainContent"], options["maxAge"]) == (["markdown"], True, 3_600_000)


@pytest.mark.parametrize(
    "turn",
    [
        WebTurn(data=[page("https://e.org/w")]),
        WebTurn(body='[{"url": "https://e.org/w"}]'),
        WebTurn(body='{"success": true, "web": [{"url": "https://e.org/w"}, {"title": "no address"}]}'),
    ],
)
async def test_flat_results_and_items_without_fields_are_no_loss(
    providers: ScriptedProviders, web: WebResearch, turn: WebTurn
) -> None:
    providers.script(web_turns=[turn])
    findings = await web.research("burrow", limit=5, deadline=DEADLINE)
    assert [found.url for found in findings.pages] == ["https://e.org/w"]


async def test_named_pages_are_read_in_parallel_and_only_they_are_returned(
    providers: ScriptedProviders, web: WebResearch
) -> None:
    providers.script(
        web_turns=[
            WebTurn(endpoint="scrape", match="/a", data=page("https://e.org/a"), delay_seconds=0.4),
            WebTurn(endpoint="scrape", match="/b", data=page("https://e.org/b"), delay_seconds=0.4),
            WebTurn(endpoint="scrape", match="/c", status=500),
        ]
    )
    begun = time.monotonic()
    findings = await web.research(
        "compare https://e.org/a with https://e.org/b, https://e.org/c", limit=5, deadline=DEADLINE
    )
    assert time.monotonic() - begun < 0.75
    assert [found.url for found in findings.pages] == ["https://e.org/a", "https://e.org/b"]
    assert findings.read
    assert asked(providers) == ["scrape", "scrape", "scrape"]


async def test_no_more_pages_are_read_than_the_limit(providers: ScriptedProviders, web: WebResearch) -> None:
    providers.script(web_turns=[WebTurn(endpoint="scrape", data=page("https://e.org/a"), times=None)])
    await web.research("https://e.org/a https://e.org/b https://e.org/c", limit=2, deadline=DEADLINE)
    assert asked(providers) == ["scrape", "scrape"]


@pytest.mark.parametrize(
    "turn",
    [
        WebTurn(endpoint="scrape", status=500),
        WebTurn(endpoint="scrape", status=403),
        WebTurn(endpoint="scrape", status=408),
        WebTurn(endpoint="scrape", drop=True),
        WebTurn(endpoint="scrape", data={"markdown": "Not found", "metadata": {"statusCode": 404}}),
        WebTurn(endpoint="scrape", data={"markdown": ""}),
        WebTurn(endpoint="scrape", delay_seconds=30),
    ],
)
async def test_when_no_named_page_can_be_read_there_is_a_search(
    providers: ScriptedProviders, web: WebResearch, turn: WebTurn
) -> None:
    providers.script(web_turns=[turn, WebTurn(endpoint="search", data={"web": [page("https://e.org/w")]})])
    findings = await web.research("https://e.org/gone", limit=5, deadline=timedelta(seconds=2))
    assert [found.url for found in findings.pages] == ["https://e.org/w"]
    assert not findings.read


@pytest.mark.parametrize("status", [401, 402, 429])
async def test_a_failure_that_a_search_would_meet_too_ends_it(
    providers: ScriptedProviders, web: WebResearch, status: int
) -> None:
    providers.script(web_turns=[WebTurn(status=status, times=None)])
    with pytest.raises(ProviderError):
        await web.research("https://e.org/a", limit=5, deadline=DEADLINE)
    assert asked(providers) == ["scrape"]


async def test_private_addresses_are_searched_for_and_not_read(providers: ScriptedProviders, web: WebResearch) -> None:
    await web.research("http://169.254.169.254/latest", limit=1, deadline=DEADLINE)
    assert asked(providers) == ["search"]


@pytest.mark.parametrize(
    ("turn", "kind", "code"),
    [
        (WebTurn(status=401), ProviderRejected, "web_authentication"),
        (WebTurn(status=402), ProviderRejected, "web_quota"),
        (WebTurn(status=400), ProviderRejected, "web_rejected"),
        (WebTurn(status=408), ProviderUnavailable, "web_timeout"),
        (WebTurn(status=429), ProviderUnavailable, "web_rate_limited"),
        (WebTurn(status=500), ProviderUnavailable, "web_unavailable"),
        (WebTurn(status=502), ProviderUnavailable, "web_unavailable"),
        (WebTurn(drop=True), ProviderUnavailable, "web_unavailable"),
        (WebTurn(body="<p>Welcome", content_type="text/html"), ProviderRejected, "web_not_firecrawl"),
        (WebTurn(body="<p>Gone", content_type="text/html", status=404), ProviderRejected, "web_not_firecrawl"),
        (WebTurn(body='{"success": false, "error": "x"}'), ProviderRejected, "web_rejected"),
        (WebTurn(data={"web": [], "news": []}), ProviderRejected, "web_nothing_found"),
        (WebTurn(data={"web": [{"title": "no address"}]}), ProviderRejected, "web_nothing_found"),
    ],
)
async def test_every_failure_has_a_code_is_asked_once_and_tells_neither_key_nor_query(
    providers: ScriptedProviders, web: WebResearch, turn: WebTurn, kind: type[ProviderError], code: str
) -> None:
    providers.script(web_turns=[turn.model_copy(update={"times": None})])
    with pytest.raises(kind) as caught:
        await web.research(CANARY, limit=5, deadline=DEADLINE)
    assert caught.value.code == code
    assert len(providers.requests) == 1
    printed = "".join(traceback.format_exception(caught.value))
    assert KEY not in printed
    assert CANARY not in printed


async def test_retry_after_is_handed_on(providers: ScriptedProviders, web: WebResearch) -> None:
    providers.script(web_turns=[WebTurn(status=429, headers={"Retry-After": "12"})])
    with pytest.raises(ProviderUnavailable) as caught:
        await web.research("burrow", limit=5, deadline=DEADLINE)
    assert caught.value.retry_after == timedelta(seconds=12)


async def test_the_deadline_covers_reading_and_searching_together(
    providers: ScriptedProviders, web: WebResearch
) -> None:
    providers.script(web_turns=[WebTurn(delay_seconds=30, times=None)])
    begun = time.monotonic()
    with pytest.raises(ProviderUnavailable) as caught:
        await web.research("https://e.org/a", limit=5, deadline=timedelta(seconds=1))
    assert caught.value.code == "web_timeout"
    assert time.monotonic() - begun < 2
    assert asked(providers) == ["scrape", "search"]


@pytest.mark.parametrize(
    ("key", "url", "names"), [("", None, "FIRECRAWL_API_KEY"), ("k", "firecrawl", "FIRECRAWL_API_URL")]
)
def test_wrong_settings_are_named(key: str, url: str | None, names: str) -> None:
    with pytest.raises(ConfigurationError, match=names):
        WebResearch(api_key=key, api_url=url)
