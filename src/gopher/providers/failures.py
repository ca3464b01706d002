"""The one translation of what the OpenAI SDK raises into the project's errors: code, sentence, whether to try again.

What a provider writes into its errors can quote the prompt or the key, so no sentence here repeats it; only
identifiers that look like identifiers are passed on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from http import HTTPStatus
from typing import Final, assert_never, cast

import httpx2
import openai

from gopher.errors import ProviderError, ProviderRejected, ProviderUnavailable
from gopher.providers.retry_after import parse_retry_after


class ProviderCode(StrEnum):
    """Every code of a model provider's failure that comes from the wire."""

    UNAVAILABLE = "provider_unavailable"
    TIMEOUT = "provider_timeout"
    RATE_LIMITED = "provider_rate_limited"
    QUOTA = "provider_quota"
    """The account has no credit left: waiting does not help."""
    AUTHENTICATION = "authentication"
    MODEL_NOT_FOUND = "model_not_found"
    CONTEXT_TOO_LONG = "context_too_long"
    CONTENT_FILTERED = "content_filtered"
    NOT_OPENAI = "provider_not_openai"
    """What answers there does not speak the chat-completions protocol."""
    REJECTED = "provider_rejected"


_RETRYABLE: Final = frozenset({ProviderCode.UNAVAILABLE, ProviderCode.TIMEOUT, ProviderCode.RATE_LIMITED})
# Providers name one thing in many ways; these are the identifiers and phrases of OpenAI, Azure, OpenRouter, Groq,
# Mistral, vLLM, llama.cpp, Ollama and LiteLLM.
_BY_IDENTIFIER: Final[Mapping[str, ProviderCode]] = {
    "context_length_exceeded": ProviderCode.CONTEXT_TOO_LONG,
    "context_window_exceeded": ProviderCode.CONTEXT_TOO_LONG,
    "exceed_context_size_error": ProviderCode.CONTEXT_TOO_LONG,
    "string_above_max_length": ProviderCode.CONTEXT_TOO_LONG,
    "content_filter": ProviderCode.CONTENT_FILTERED,
    "content_policy_violation": ProviderCode.CONTENT_FILTERED,
    "insufficient_quota": ProviderCode.QUOTA,
    "insufficient_credits": ProviderCode.QUOTA,
    "billing_hard_limit_reached": ProviderCode.QUOTA,
    "model_not_found": ProviderCode.MODEL_NOT_FOUND,
    "model_not_available": ProviderCode.MODEL_NOT_FOUND,
    "invalid_model": ProviderCode.MODEL_NOT_FOUND,
    "deploymentnotfound": ProviderCode.MODEL_NOT_FOUND,
    "invalid_api_key": ProviderCode.AUTHENTICATION,
}
_BY_STATUS: Final[Mapping[int | None, ProviderCode]] = {
    HTTPStatus.UNAUTHORIZED: ProviderCode.AUTHENTICATION,
    HTTPStatus.PAYMENT_REQUIRED: ProviderCode.QUOTA,
    HTTPStatus.REQUEST_TIMEOUT: ProviderCode.UNAVAILABLE,
    HTTPStatus.CONFLICT: ProviderCode.UNAVAILABLE,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: ProviderCode.CONTEXT_TOO_LONG,
    HTTPStatus.TOO_EARLY: ProviderCode.UNAVAILABLE,
    HTTPStatus.TOO_MANY_REQUESTS: ProviderCode.RATE_LIMITED,
}
_FAILURE_STATUS: Final = range(300, 600)
_RATE_IDENTIFIERS: Final = frozenset({"rate_limit_exceeded", "rate_limit_error"})
"""Looked at after the status: a request that is too large for a minute's allowance carries them as well."""
_CONTEXT_WORDS: Final = re.compile(
    r"context (length|window|size|limit)|maximum context|(prompt|input) is too long|too many (input )?tokens"
    r"|reduce the length",
    re.IGNORECASE,
)
_MODEL_WORDS: Final = re.compile(
    r"\bmodel\b.{0,200}?(not found|does not exist|not exist|unknown|not a valid|not available|not supported)"
    r"|not a valid model|invalid model|unknown model|no such model",
    re.IGNORECASE | re.DOTALL,
)
# Without digits: what has none is hardly a key, and what has some is hardly the name of an error.
_IDENTIFIER: Final = re.compile(r"[a-z][a-z_.]{0,47}")
_REQUEST_ID: Final = re.compile(r"req_[0-9a-f]{6,64}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What is known of a failed answer."""

    status: int | None
    """None when the failure came inside a stream that had begun well."""
    identifiers: frozenset[str] = frozenset()
    """Its `code` and `type`, in lower case."""
    parameter: str = ""
    """The parameter it complains of, if it names one."""
    words: str = ""
    """Its message: for recognising only, never passed on."""
    is_json: bool = True
    request_id: str = ""
    retry_after: timedelta | None = None
    should_retry: bool | None = None
    """What the header `x-should-retry` orders."""


def translate(error: openai.OpenAIError | httpx2.HTTPError, *, host: str, now: datetime) -> ProviderError:
    """Turn an error of the SDK into the project's own; `host` names the provider in its sentence."""
    match error:
        case openai.APITimeoutError() | httpx2.TimeoutException():
            return timed_out(host)
        case openai.APIConnectionError() | httpx2.HTTPError():
            return ProviderUnavailable(f"The connection to the model provider at {host} failed.")
        case openai.APIError():
            return failure(read_reply(error, now=now), host=host)
        case _:
            return ProviderRejected(f"The request to the model provider at {host} could not be made.")


def timed_out(host: str) -> ProviderUnavailable:
    """Say that an attempt reached its deadline."""
    return ProviderUnavailable(
        f"The model provider at {host} did not finish its answer in time.", code=ProviderCode.TIMEOUT.value
    )


def broke_off(host: str) -> ProviderUnavailable:
    """Say that a stream ended, or became unreadable, before the answer was complete."""
    return ProviderUnavailable(f"The answer of the model provider at {host} broke off.")


def not_openai(host: str, what: str) -> ProviderRejected:
    """Say that something else answers; `what` completes "… answered with"."""
    return ProviderRejected(
        f"What answers at {host} is no OpenAI-compatible API (it answered with {what}): check OPENAI_BASE_URL, "
        "which usually ends in /v1.",
        code=ProviderCode.NOT_OPENAI.value,
    )


def failure(reply: Reply, *, host: str) -> ProviderError:
    """Judge a failed answer: what it means, and whether asking again can help. The provider's own order wins."""
    code = _code(reply)
    retryable = code in _RETRYABLE if reply.should_retry is None else reply.should_retry
    sentence = _sentence(code, reply, host)
    if retryable:
        return ProviderUnavailable(sentence, code=code.value, retry_after=reply.retry_after)
    return ProviderRejected(sentence, code=code.value)


def read_reply(error: openai.APIError, *, now: datetime) -> Reply:
    """Read what the SDK kept of a failed answer, or of an error object inside a stream."""
    facts = _facts(error.body)
    if not isinstance(error, openai.APIStatusError):
        return facts
    headers = error.response.headers
    return replace(
        facts,
        status=error.status_code,
        is_json=_is_json(error.response.text),
        request_id=headers.get("x-request-id", ""),
        retry_after=parse_retry_after(headers, now=now),
        should_retry={"true": True, "false": False}.get(headers.get("x-should-retry", "")),
    )


def reply_of_body(body: object) -> Reply | None:
    """Read an error object that came with status 200, as some relays send; None when there is none."""
    inner = cast("Mapping[str, object]", body).get("error") if isinstance(body, Mapping) else None
    return _facts(inner) if inner else None


def _code(reply: Reply) -> ProviderCode:
    for identifier in sorted(reply.identifiers & _BY_IDENTIFIER.keys()):
        return _BY_IDENTIFIER[identifier]
    if reply.status in _BY_STATUS:
        return _BY_STATUS[reply.status]
    if reply.identifiers & _RATE_IDENTIFIERS:
        return ProviderCode.RATE_LIMITED
    if _CONTEXT_WORDS.search(reply.words):
        return ProviderCode.CONTEXT_TOO_LONG
    if reply.status is None or reply.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return ProviderCode.UNAVAILABLE
    return _refusal(reply.status, reply)


def _refusal(status: int, reply: Reply) -> ProviderCode:
    """Judge the other statuses, which will not change by asking again."""
    if not reply.is_json or status < HTTPStatus.BAD_REQUEST:
        return ProviderCode.NOT_OPENAI
    if _MODEL_WORDS.search(reply.words):
        return ProviderCode.MODEL_NOT_FOUND
    if status == HTTPStatus.FORBIDDEN:
        return ProviderCode.AUTHENTICATION
    if status in (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED):
        return ProviderCode.NOT_OPENAI
    return ProviderCode.REJECTED


def _sentence(code: ProviderCode, reply: Reply, host: str) -> str:
    said = _said(reply)
    match code:
        case ProviderCode.UNAVAILABLE | ProviderCode.TIMEOUT:
            sentence = f"The model provider at {host} is not available at the moment{said}."
        case ProviderCode.RATE_LIMITED:
            sentence = f"The model provider at {host} asks for fewer requests{said}."
        case ProviderCode.QUOTA:
            sentence = f"The account at the model provider {host} has no credit left{said}."
        case ProviderCode.AUTHENTICATION:
            sentence = f"The model provider at {host} refused the key{said}: check OPENAI_API_KEY and what it may use."
        case ProviderCode.MODEL_NOT_FOUND:
            sentence = f"The model provider at {host} does not offer the model{said}: check CHAT_MODEL."
        case ProviderCode.CONTEXT_TOO_LONG:
            sentence = f"The prompt is longer than the model at {host} takes{said}."
        case ProviderCode.CONTENT_FILTERED:
            sentence = f"The content filter of the model provider at {host} withheld the answer{said}."
        case ProviderCode.NOT_OPENAI:
            sentence = str(not_openai(host, _what(reply)))
        case ProviderCode.REJECTED:
            sentence = f"The model provider at {host} refused the request{said}."
        case _:
            assert_never(code)
    return sentence


def _said(reply: Reply) -> str:
    """Name status and identifiers, as far as they are plainly that."""
    words = [f"status {reply.status}"] if reply.status is not None else []
    words += sorted(word for word in reply.identifiers if _IDENTIFIER.fullmatch(word))
    if reply.parameter and _IDENTIFIER.fullmatch(reply.parameter):
        words.append(f"parameter {reply.parameter}")
    if _REQUEST_ID.fullmatch(reply.request_id):
        words.append(f"request {reply.request_id}")
    return f" ({', '.join(words)})" if words else ""


def _what(reply: Reply) -> str:
    if reply.status is not None and reply.status < HTTPStatus.BAD_REQUEST:
        return f"a redirect, status {reply.status}"
    return f"status {reply.status} and {'JSON of another kind' if reply.is_json else 'a page that is not JSON'}"


def _error_object(body: object) -> Mapping[str, object]:
    """The object that says what is wrong; servers put it at the top, under `error`, or write only a sentence."""
    if isinstance(body, Mapping):
        found = cast("Mapping[str, object]", body)
        inner = found.get("error")
        return _error_object(inner) if inner else found
    return {"message": body} if isinstance(body, str) else {}


def _facts(body: object) -> Reply:
    error = _error_object(body)
    return Reply(
        status=_numeric(error.get("code")),
        identifiers=frozenset(word.lower() for word in (_text(error.get("code")), _text(error.get("type"))) if word),
        parameter=_text(error.get("param")),
        words=_text(error.get("message")),
    )


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _text(value: object) -> str:
    return str(value) if isinstance(value, str | int) else ""


def _numeric(value: object) -> int | None:
    """Relays put the status of the provider behind them into `code`."""
    number = int(value) if isinstance(value, int) or (isinstance(value, str) and value.isdecimal()) else None
    return number if number in _FAILURE_STATUS else None
