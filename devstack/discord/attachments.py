"""Attachments: signed URLs that expire, and the content delivery server that honours them."""

from __future__ import annotations

import hashlib
import hmac
from datetime import timedelta
from typing import Final
from urllib.parse import parse_qs, quote, unquote, urlsplit

from devstack.discord.clock import Clock
from devstack.discord.documents import JsonObject
from devstack.discord.messages import Attachment

VALIDITY: Final = timedelta(hours=24)
"""Discord's URLs live about a day."""
_SIGNING_KEY: Final = b"simulated-discord-signs-urls-for-loopback-only"
"""Fixed, so that a URL outlives a restart of the simulator as it would outlive Discord's."""


class SignedUrls:
    """Makes and checks URLs like `/attachments/channel/attachment/name?ex=…&is=…&hm=…`, in hexadecimal seconds."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.base = ""
        """Where the content delivery server is; known once the simulator listens."""

    def sign(self, channel_id: int, attachment_id: int, filename: str) -> str:
        """Make a URL that works from now on for a day."""
        issued = int(self._clock.validity_now().timestamp())
        expires = issued + int(VALIDITY.total_seconds())
        path = f"/attachments/{channel_id}/{attachment_id}/{quote(filename)}"
        signature = _signature(f"/attachments/{channel_id}/{attachment_id}/{filename}", expires, issued)
        return f"{self.base}{path}?ex={expires:x}&is={issued:x}&hm={signature}&"

    def accepts(self, path: str, query: dict[str, str]) -> bool:
        """Tell whether a URL is signed by this server and not yet expired; `path` is unquoted."""
        try:
            expires, issued = int(query["ex"], 16), int(query["is"], 16)
        except (KeyError, ValueError):
            return False
        if self._clock.validity_now().timestamp() >= expires:
            return False
        return hmac.compare_digest(query.get("hm", ""), _signature(path, expires, issued))

    def refresh(self, url: str) -> str | None:
        """Sign a URL of this server again, expired or not; None for a URL of somebody else."""
        if not url.startswith(f"{self.base}/attachments/"):
            return None
        parts = unquote(urlsplit(url).path).split("/")
        match parts:
            case ["", "attachments", channel_id, attachment_id, filename] if (
                channel_id.isdigit() and attachment_id.isdigit()
            ):
                return self.sign(int(channel_id), int(attachment_id), filename)
            case _:
                return None

    def expiry(self, url: str) -> int | None:
        """Read when a URL expires, in seconds of the epoch; None when it carries no time."""
        values = parse_qs(urlsplit(url).query).get("ex")
        return int(values[0], 16) if values else None

    def render(self, channel_id: int, attachment: Attachment, *, ephemeral: bool = False) -> JsonObject:
        """Render an attachment with a fresh URL."""
        url = self.sign(channel_id, attachment.id, attachment.filename)
        body: JsonObject = {
            "id": str(attachment.id),
            "filename": attachment.filename,
            "size": attachment.size_bytes,
            "url": url,
            "proxy_url": url,
            "content_type": attachment.content_type,
        }
        if attachment.description is not None:
            body["description"] = attachment.description
        if attachment.width is not None and attachment.height is not None:
            body["width"] = attachment.width
            body["height"] = attachment.height
        if ephemeral:
            body["ephemeral"] = True
        return body


def _signature(path: str, expires: int, issued: int) -> str:
    return hmac.new(_SIGNING_KEY, f"{path}?{expires}.{issued}".encode(), hashlib.sha256).hexdigest()
