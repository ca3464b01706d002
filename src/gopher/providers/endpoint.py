"""The address and key of a provider: checked once, so that what is wrong is said at start-up and not in an answer."""

from __future__ import annotations

import ipaddress
from typing import Final
from urllib.parse import urlsplit

from gopher.errors import ConfigurationError

OPENAI_URL: Final = "https://api.openai.com/v1"
"""Where the SDK would go by itself. Given explicitly, since the SDK would else look into the environment."""


def check_url(url: str, *, variable: str) -> str:
    """Return the URL without a trailing slash.

    Raises:
        ConfigurationError: it is no http or https URL with a host, or carries a query or fragment; names the variable.
    """
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:  # a port that is no number, a broken IPv6 address
        usable, parts = False, None
    if not usable or parts is None or parts.query or parts.fragment:
        raise ConfigurationError(
            f"{variable} is not the base URL of an API: it must look like https://host/v1, without query or fragment."
        )
    return url.rstrip("/")


def check_key(key: str, *, variable: str) -> str:
    """Return the key stripped.

    Raises:
        ConfigurationError: it is empty or cannot stand in an HTTP header; names the variable and never shows the key.
    """
    stripped = key.strip()
    if not stripped or not stripped.isascii() or not stripped.isprintable() or " " in stripped:
        raise ConfigurationError(f"{variable} is not a key: it must be printable ASCII without spaces.")
    return stripped


def host_of(url: str) -> str:
    """Name the server for a sentence: host and port, without credentials or path."""
    parts = urlsplit(url)
    host = parts.hostname or "?"
    return f"{host}:{parts.port}" if parts.port else host


def is_loopback(url: str) -> bool:
    """Tell whether the server is this machine, which no proxy of the environment can reach."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
