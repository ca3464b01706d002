"""Embeds: what Discord accepts of them, and the previews that it makes of links by itself."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

from devstack.discord.documents import Form, JsonObject, JsonValue, is_object, timestamp

MOST: Final = 10
"""Embeds of one message."""
_TOTAL_CHARACTERS: Final = 6000
_MOST_FIELDS: Final = 25
_MAXIMUM_URL: Final = 2048
_LINK: Final = re.compile(r"(?<![<\w])https?://[^\s<>)\]]+")
_MOST_PREVIEWS: Final = 5


def read_embeds(form: Form) -> tuple[JsonObject, ...] | None:
    """Read `embeds` in the form in which they are answered; None when absent."""
    found = form.forms("embeds", maximum=MOST)
    if found is None:
        return None
    embeds = tuple(_embed(f) for f in found)
    total = sum(_characters(e) for e in embeds)
    if total > _TOTAL_CHARACTERS:
        form.wrong("embeds", "MAX_EMBED_SIZE_EXCEEDED", "Embed size exceeds maximum size of 6000")
    return embeds


def _embed(form: Form) -> JsonObject:
    body: JsonObject = {"type": "rich"}
    for key, maximum in (("title", 256), ("description", 4096)):
        text = form.text(key, maximum=maximum)
        if text:
            body[key] = text
    url = _url(form, "url")
    if url:
        body["url"] = url
    color = form.integer("color", minimum=0, maximum=0xFFFFFF)
    if color is not None:
        body["color"] = color
    stamp = form.moment("timestamp")
    if stamp is not None:
        body["timestamp"] = timestamp(stamp)
    for key, name, maximum in (("footer", "text", 2048), ("author", "name", 256)):
        part = form.form(key)
        if part is not None:
            body[key] = _labelled(part, name, maximum)
    for key in ("image", "thumbnail"):
        part = form.form(key)
        if part is not None:
            body[key] = _image(part)
    fields = form.forms("fields", maximum=_MOST_FIELDS)
    if fields:
        body["fields"] = [_field(f) for f in fields]
    if len(body) == 1:
        form.wrong("description", "BASE_TYPE_REQUIRED", "This field is required")
    return body


def _field(form: Form) -> JsonObject:
    return {
        "name": form.text("name", maximum=256, minimum=1, required=True) or "",
        "value": form.text("value", maximum=1024, minimum=1, required=True) or "",
        "inline": bool(form.flag("inline")),
    }


def _labelled(form: Form, key: str, maximum: int) -> JsonObject:
    body: JsonObject = {key: form.text(key, maximum=maximum, required=True) or ""}
    for name in ("url", "icon_url"):
        url = _url(form, name)
        if url:
            body[name] = url
    if "icon_url" in body and not str(body["icon_url"]).startswith("attachment:"):
        body["proxy_icon_url"] = body["icon_url"]
    return body


def _image(form: Form) -> JsonObject:
    url = _url(form, "url") or ""
    if url.startswith("attachment:"):
        return {"url": url}
    return {"url": url, "proxy_url": url, "width": 0, "height": 0}


def _url(form: Form, key: str) -> str | None:
    url = form.text(key, maximum=_MAXIMUM_URL)
    if not url:
        return None
    scheme = urlsplit(url).scheme
    allowed = ("http", "https") if key == "url" and "image" not in form.path and "thumbnail" not in form.path else (
        "http", "https", "attachment")  # fmt: skip
    if scheme not in allowed:
        form.wrong(key, "URL_TYPE_INVALID_SCHEME", f'Scheme "{scheme}" must be one of {allowed}.')
    return url


def _characters(embed: JsonObject) -> int:
    total = len(str(embed.get("title", ""))) + len(str(embed.get("description", "")))
    for key, name in (("footer", "text"), ("author", "name")):
        part = embed.get(key)
        if is_object(part):
            total += len(str(part.get(name, "")))
    fields = embed.get("fields")
    if isinstance(fields, list):
        total += sum(len(str(f["name"])) + len(str(f["value"])) for f in fields if is_object(f))
    return total


def previews(content: str) -> tuple[JsonObject, ...]:
    """Make the embeds that Discord adds a moment after a message with links: only of links not in angle brackets."""
    links = dict.fromkeys(_LINK.findall(content))
    return tuple(_preview(link) for link in list(links)[:_MOST_PREVIEWS])


def _preview(link: str) -> JsonObject:
    host = urlsplit(link).hostname or link
    provider: JsonValue = {"name": host}
    return {"type": "link", "url": link, "title": host, "description": f"Preview of {link}", "provider": provider}
