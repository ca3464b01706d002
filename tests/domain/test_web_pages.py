from __future__ import annotations

import pytest

from gopher.domain.web_pages import explicit_urls, read_page, read_pages


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ("see https://example.org/a, and (http://example.org/b)!", ("https://example.org/a", "http://example.org/b")),
        ("https://en.wikipedia.org/wiki/Gopher_(animal)", ("https://en.wikipedia.org/wiki/Gopher_(animal)",)),
        ("<https://example.org/x?y=1#part>", ("https://example.org/x?y=1",)),
        ("https://example.org/a https://example.org/a#top", ("https://example.org/a",)),
        ("HTTPS://Example.org/Path", ("https://Example.org/Path",)),
        ("https://user:secret@example.org/", ()),
        ("ftp://example.org example.org", ()),
        ("http://localhost:8080/ http://127.0.0.1/ http://[::1]/ http://10.0.0.1/ http://169.254.169.254/meta", ()),
        ("http://router/ http://2130706433/ http://0x7f.1/ http://printer.local/ http://db.internal/", ()),
        ("https://example.org:99999/ https://[broken/", ()),
        ("**https://example.org/bold**", ("https://example.org/bold",)),
    ],
)
def test_the_public_addresses_of_a_text_are_found(text: str, urls: tuple[str, ...]) -> None:
    assert explicit_urls(text) == urls


def test_web_comes_before_news_and_each_address_once() -> None:
    data = {
        "news": [
            {"url": "https://e.org/n", "title": "N", "snippet": "s", "date": "2 hours ago"},
            {"url": "https://e.org/w"},
        ],
        "web": [{"url": "https://e.org/w", "title": "W", "description": "d"}],
        "images": [{"url": "https://e.org/i"}],
    }
    first, second = read_pages(data, limit=5)
    assert (first.url, first.title, first.description, first.content) == ("https://e.org/w", "W", "d", "d")
    assert (second.url, second.description, second.published) == ("https://e.org/n", "s", "2 hours ago")


@pytest.mark.parametrize(
    "data",
    [
        [{"url": "https://e.org/a"}],
        ["https://e.org/a"],
        {"url": "https://e.org/a"},
        {"data": [{"url": "https://e.org/a"}]},
        {
            "web": [
                {},
                None,
                7,
                {"url": None},
                {"url": "file:///etc/passwd"},
                {"metadata": {"sourceURL": "https://e.org/a"}},
            ]
        },
    ],
)
def test_flat_single_and_odd_results_are_read(data: object) -> None:
    (page,) = read_pages(data, limit=5)
    assert (page.url, page.title, page.description, page.content, page.published) == (
        "https://e.org/a",
        "e.org",
        "",
        "",
        None,
    )


@pytest.mark.parametrize("data", [None, [], {}, "text", {"web": None}, {"success": True}])
def test_nothing_is_read_from_nothing(data: object) -> None:
    assert read_pages(data, limit=5) == ()


def test_the_limit_holds() -> None:
    assert len(read_pages([{"url": f"https://e.org/{number}"} for number in range(9)], limit=3)) == 3


def test_fields_are_cut_to_their_caps() -> None:
    page = read_page(
        {
            "url": "https://e.org/",
            "title": "t\n t" * 400,
            "description": "d" * 3000,
            "markdown": "m" * 20_000,
            "metadata": {"publishedTime": ["2026-01-01", "x"]},
        }
    )
    assert page is not None
    assert (len(page.title) <= 400, "\n" in page.title) == (True, False)
    assert (len(page.description), len(page.content), page.published) == (2000, 12_000, "2026-01-01")


@pytest.mark.parametrize(
    ("item", "content"),
    [
        ({"markdown": "m", "summary": "s", "description": "d"}, "m"),
        ({"markdown": "  ", "summary": "s", "description": "d"}, "s"),
        ({"snippet": "d"}, "d"),
        ({"markdown": "Not found", "metadata": {"statusCode": 404}, "description": "d"}, "d"),
        ({"markdown": "Oops", "metadata": {"error": "timeout"}}, ""),
    ],
)
def test_content_is_the_best_that_is_there(item: dict[str, object], content: str) -> None:
    page = read_page({"url": "https://e.org/", **item})
    assert page is not None
    assert page.content == content
