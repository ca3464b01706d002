"""The route that signs attachment URLs again."""

from __future__ import annotations

from typing import Final

from devstack.discord.documents import JsonObject
from devstack.discord.errors import check
from devstack.discord.rest.call import Answer, Call, Route

_MOST_URLS: Final = 50


def refresh_urls(call: Call) -> Answer:
    """POST /attachments/refresh-urls: fresh URLs in the order of the old ones; URLs of other hosts are passed over."""
    form = call.form()
    urls = form.items("attachment_urls", maximum=_MOST_URLS)
    if urls is None:
        form.required("attachment_urls")
    check(form.problems)
    refreshed: list[JsonObject] = []
    for url in urls or ():
        fresh = call.sim.urls.refresh(url) if isinstance(url, str) else None
        if fresh is not None:
            refreshed.append({"original": url, "refreshed": fresh})
    return Answer(payload={"refreshed_urls": refreshed})


ROUTES: Final = (Route("POST", "/attachments/refresh-urls", refresh_urls),)
