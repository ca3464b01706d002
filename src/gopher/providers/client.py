"""The OpenAI SDK's client as this project uses it: no retries, no redirects, no timeout but the caller's."""

from __future__ import annotations

from typing import Final

import httpx2
import openai

from gopher.providers.endpoint import check_key, is_loopback

_CONNECT_TIMEOUT: Final = 10.0
"""Seconds to reach the server: a dead host is told apart from a slow model long before a deadline."""


def create_client(url: str, api_key: str) -> openai.AsyncOpenAI:
    """Make a client for a checked URL; whoever makes it closes it.

    Raises:
        ConfigurationError: the key cannot stand in a header.
    """
    return openai.AsyncOpenAI(
        api_key=check_key(api_key, variable="OPENAI_API_KEY"),
        base_url=url,
        max_retries=0,
        # A redirect would turn the POST into a GET of some page; this machine is reached through no proxy.
        http_client=openai.DefaultAsyncHttpxClient(
            timeout=httpx2.Timeout(None, connect=_CONNECT_TIMEOUT),
            follow_redirects=False,
            trust_env=not is_loopback(url),
        ),
    )
