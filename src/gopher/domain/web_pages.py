"""Pages of the web as tools see them: which URLs a query names, and what is kept of a provider's results."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Final, cast
from urllib.parse import urlsplit, urlunsplit

TITLE_CHARACTERS: Final = 400
DESCRIPTION_CHARACTERS: Final = 2_000
CONTENT_CHARACTERS: Final = 12_000
"""Of one page: some 3,000 tokens."""
DATE_CHARACTERS: Final = 64
URL_CHARACTERS: Final = 2_000
"""Longer ones are data, not addresses; browsers stop at about this."""

_URL: Final = re.compile(r"https?://[^\s<>\"'`]+", re.IGNORECASE)
_TRAILING: Final = ".,;:!?*_~|'\"…"
_BRACKETS: Final = {")": "(", "]": "[", "}": "{"}
_ERROR_STATUS: Final = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class WebPage:
    """One page, as found or as read."""

    url: str
    """http or https, without credentials and fragment."""
    title: str
    """Never empty: the host when the page names itself nothing."""
    description: str
    content: str
    """Markdown of the main content, else a summary, else the description; may be empty."""
    published: str | None
    """As the source writes it; None when it does not."""


def explicit_urls(text: str) -> tuple[str, ...]:
    """Find the public web addresses that a text names, in order, each once.

    Punctuation behind them and fragments are cut off. Addresses with credentials are left out, as are those of this
    machine and of private networks: a page must not make a reader in here look around.
    """
    found = (public_url(_trimmed(match.group())) for match in _URL.finditer(text))
    return tuple(dict.fromkeys(url for url in found if url is not None))


def public_url(url: object) -> str | None:
    """Return the address without its fragment; None when it is no public http or https address."""
    if not isinstance(url, str) or len(url) > URL_CHARACTERS or not url.isprintable():
        return None
    try:
        parts = urlsplit(url.strip())
        host = parts.hostname
        parts.port  # noqa: B018 # reading it is what checks it
    except ValueError:
        return None
    if parts.scheme.lower() not in ("http", "https") or not host or "@" in parts.netloc or not _is_public(host):
        return None
    return urlunsplit((parts.scheme.lower(), parts.netloc, parts.path, parts.query, ""))


def read_pages(data: object, *, limit: int) -> tuple[WebPage, ...]:
    """Read a provider's results: grouped by source (web before news), flat, or a single page; at most `limit`.

    Items without a usable address are left out, as are repeated ones. The order is the provider's.
    """
    pages: dict[str, WebPage] = {}
    for item in _items(data):
        page = read_page(item)
        if page is not None and len(pages) < limit:
            pages.setdefault(page.url, page)
    return tuple(pages.values())


def read_page(item: object, *, fallback_url: str | None = None) -> WebPage | None:
    """Read one result; None when it has no usable address. What an error page says is not content."""
    fields = {"url": item} if isinstance(item, str) else _mapping(item)
    about = _mapping(fields.get("metadata"))
    named = (fields.get("url"), about.get("sourceURL"), about.get("url"), fields.get("link"), fallback_url)
    url = next(filter(None, map(public_url, named)), None)
    if url is None:
        return None
    title = _first(fields, about, "title", "ogTitle", most=TITLE_CHARACTERS)
    description = _first(fields, about, "description", "snippet", "ogDescription", most=DESCRIPTION_CHARACTERS)
    content = "" if is_error_page(item) else _first(fields, {}, "markdown", "summary", most=CONTENT_CHARACTERS)
    return WebPage(
        url=url,
        title=" ".join(title.split()) or urlsplit(url).hostname or url,
        description=description,
        content=content or description,
        published=_first(fields, about, "date", "publishedDate", "publishedTime", "modifiedTime", most=DATE_CHARACTERS)
        or None,
    )


def is_error_page(item: object) -> bool:
    """Tell whether the page's own server answered with an error."""
    about = _mapping(_mapping(item).get("metadata"))
    status = about.get("statusCode")
    return bool(about.get("error")) or (isinstance(status, int) and status >= _ERROR_STATUS)


def _items(data: object) -> Iterator[object]:
    if isinstance(data, list):
        yield from cast("list[object]", data)
        return
    fields = _mapping(data)
    groups = [fields[name] for name in ("web", "news", "results", "data") if isinstance(fields.get(name), list)]
    if groups:
        yield from chain.from_iterable(cast("list[list[object]]", groups))
    elif fields:
        yield fields


def _mapping(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}


def _first(fields: Mapping[str, object], about: Mapping[str, object], *names: str, most: int) -> str:
    """The first text under one of the names, in the item before its metadata, stripped and cut."""
    for source in (fields, about):
        for name in names:
            value = source.get(name)
            if isinstance(value, list) and value:  # pages repeat their meta tags
                value = cast("list[object]", value)[0]
            if isinstance(value, str) and value.strip():
                return value.strip()[:most].rstrip()
    return ""


def _trimmed(url: str) -> str:
    """Cut what belongs to the sentence: punctuation, and closing brackets that the address does not open itself."""
    while url:
        last = url[-1]
        if last in _TRAILING or (last in _BRACKETS and url.count(last) > url.count(_BRACKETS[last])):
            url = url[:-1]
        else:
            break
    return url


def _is_public(host: str) -> bool:
    host = host.rstrip(".").lower()
    try:
        return ipaddress.ip_address(host).is_global
    except ValueError:
        pass
    # A name of digits alone is another way to write an IPv4 address.
    local = host.endswith((".localhost", ".local", ".internal", ".home.arpa"))
    return "." in host and not local and not re.fullmatch(r"[0-9a-fx.]*", host.rpartition(".")[2])
