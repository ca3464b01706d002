from __future__ import annotations

import asyncio
import time
import traceback
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from pydantic import JsonValue

from devstack.providers import ScriptedProviders
from devstack.scripted_turns import ModelTurn, ScriptedCall
from gopher.domain.conversation import AnswerSchema, PromptMessage, RequestedCall, Role, ToolDefinition
from gopher.errors import ConfigurationError, ProviderRejected, ProviderUnavailable
from gopher.providers.chat import ChatModel

KEY = "sk-secret-key-0123456789abcdef"
CANARY = "canary-7f3a"
DEADLINE = timedelta(seconds=10)
PROMPT = (PromptMessage(role=Role.SYSTEM, content="be kind"), PromptMessage(role=Role.USER, content=f"hello {CANARY}"))
TOOL = ToolDefinition(name="look", description="Looks.", parameters={"type": "object", "properties": {}})


@pytest.fixture
async def model(providers: ScriptedProviders) -> AsyncIterator[ChatModel]:
    chat = ChatModel(api_key=KEY, base_url=providers.openai_base_url, model="tiny", max_output_tokens=500)
    yield chat
    await chat.close()


async def no_connection_is_busy(providers: ScriptedProviders) -> bool:
    """Whether every request has come to its end at the server within a second."""
    for _ in range(100):
        if all(request.finished_at for request in providers.requests):
            return True
        await asyncio.sleep(0.01)
    return False


async def test_a_streamed_turn_comes_with_text_tokens_and_times(providers: ScriptedProviders, model: ChatModel) -> None:
    providers.script(ModelTurn(text="Hello dear world", chunk_delay_seconds=0.03))
    pieces: list[str] = []
    turn = await model.complete(PROMPT, deadline=DEADLINE, on_text=pieces.append)
    assert turn.text == "".join(pieces) == "Hello dear world"
    assert len(pieces) > 1
    assert (turn.finish_reason, turn.model, turn.prompt_tokens, turn.completion_tokens) == ("stop", "tiny", 11, 7)
    assert turn.first_token_ms is not None
    assert 30 <= turn.first_token_ms < turn.duration_ms


async def test_the_request_carries_prompt_tools_limit_and_usage(providers: ScriptedProviders, model: ChatModel) -> None:
    providers.script(ModelTurn(text="ok"))
    await model.complete(PROMPT, [TOOL], deadline=DEADLINE)
    (request,) = providers.requests
    assert request.authorized
    assert request.body == {
        "model": "tiny",
        "messages": [{"role": "system", "content": "be kind"}, {"role": "user", "content": f"hello {CANARY}"}],
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "look",
                    "description": "Looks.",
                    "parameters": {"type": "object", "properties": {}},
                },
            }
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 500,
    }


async def test_without_tools_none_are_offered(providers: ScriptedProviders, model: ChatModel) -> None:
    providers.script(ModelTurn(text="ok"))
    await model.complete(PROMPT, deadline=DEADLINE)
    body = providers.requests[0].body
    assert isinstance(body, dict)
    assert "tools" not in body


async def test_tool_calls_are_assembled_from_their_pieces(providers: ScriptedProviders, model: ChatModel) -> None:
    calls = (
        ScriptedCall(name="look", arguments='{"at": "a"}', id="c1"),
        ScriptedCall(name="say", arguments={"b": 1}, id="c2"),
    )
    providers.script(ModelTurn(text="Let me see.", calls=calls))
    turn = await model.complete(PROMPT, [TOOL], deadline=DEADLINE)
    assert turn.text == "Let me see."
    assert turn.finish_reason == "tool_calls"
    assert turn.calls == (
        RequestedCall(id="c1", name="look", arguments='{"at": "a"}'),
        RequestedCall(id="c2", name="say", arguments='{"b": 1}'),
    )


@pytest.mark.parametrize("arguments", ["", None, "null", "  "])
async def test_no_arguments_mean_an_empty_object(
    providers: ScriptedProviders, model: ChatModel, arguments: JsonValue
) -> None:
    providers.script(ModelTurn(calls=(ScriptedCall(name="look", arguments=arguments),)))
    turn = await model.complete(PROMPT, [TOOL], deadline=DEADLINE)
    assert turn.calls[0].arguments == "{}"


@pytest.mark.parametrize(
    ("given", "ids"),
    [
        (("", ""), ("call_0", "call_1")),
        (("same", "same"), ("same", "same")),
        (("", "call_0"), ("call_0_", "call_0")),
    ],
)
async def test_missing_call_ids_are_made_and_given_ones_are_kept(
    providers: ScriptedProviders, model: ChatModel, given: tuple[str, ...], ids: tuple[str, ...]
) -> None:
    providers.script(ModelTurn(calls=tuple(ScriptedCall(name="look", id=call_id) for call_id in given)))
    turn = await model.complete(PROMPT, [TOOL], deadline=DEADLINE)
    assert tuple(call.id for call in turn.calls) == ids


def delta(**call: JsonValue) -> dict[str, JsonValue]:
    return {"tool_calls": [call]}


def function(name: str | None, arguments: JsonValue) -> JsonValue:
    return {"name": name, "arguments": arguments}


@pytest.mark.parametrize(
    "deltas",
    [
        pytest.param(
            (delta(id="1", function=function("look", '{"a":1}')), delta(id="2", function=function("say", '{"b":2}'))),
            id="not numbered, each whole",
        ),
        pytest.param(
            (
                delta(index=0, id="1", function=function("look", '{"a":1}')),
                delta(index=0, id="2", function=function("say", '{"b":2}')),
            ),
            id="all numbered 0",
        ),
        pytest.param(
            (
                delta(index=0, id="1", function=function("look", '{"a"')),
                delta(index=0, id="other", function=function(None, ":1}")),
                delta(index=1, id="2", function=function("say", '{"b":2}')),
            ),
            id="a fresh id with each piece",
        ),
        pytest.param(
            (
                delta(index=0, id="1", function=function("look", {"a": 1})),
                delta(index=1, id="2", function=function("say", {"b": 2})),
            ),
            id="arguments as objects",
        ),
        pytest.param(
            (
                delta(index=1, id="2", function=function("look", '{"a":1}')),
                delta(index=5, id="1", function=function("say", "")),
                delta(index=5, function=function("say", '{"b":2}')),
            ),
            id="gaps in the numbers, name repeated",
        ),
    ],
)
async def test_calls_are_told_apart_however_a_provider_numbers_them(
    providers: ScriptedProviders, model: ChatModel, deltas: tuple[dict[str, JsonValue], ...]
) -> None:
    providers.script(ModelTurn(deltas=deltas, finish_reason="tool_calls"))
    turn = await model.complete(PROMPT, [TOOL], deadline=DEADLINE)
    assert [(call.name, call.arguments.replace(" ", "")) for call in turn.calls] == [
        ("look", '{"a":1}'),
        ("say", '{"b":2}'),
    ]


async def test_calls_and_results_are_echoed_with_the_ids_that_the_provider_gave(
    providers: ScriptedProviders, model: ChatModel
) -> None:
    providers.script(ModelTurn(text="done"))
    call = RequestedCall(id="functions.look:0", name="look", arguments="{}")
    await model.complete(
        [
            *PROMPT,
            PromptMessage(role=Role.ASSISTANT, content="", tool_calls=(call,)),
            PromptMessage(role=Role.TOOL, content="seen", tool_call_id=call.id),
        ],
        [TOOL],
        deadline=DEADLINE,
    )
    body = providers.requests[0].body
    assert isinstance(body, dict)
    assert isinstance(body["messages"], list)
    assert body["messages"][2:] == [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"type": "function", "id": "functions.look:0", "function": {"name": "look", "arguments": "{}"}}
            ],
        },
        {"role": "tool", "content": "seen", "tool_call_id": "functions.look:0"},
    ]


async def test_a_server_that_does_not_stream_is_understood(providers: ScriptedProviders, model: ChatModel) -> None:
    providers.script(ModelTurn(text="whole", whole=True, calls=(ScriptedCall(name="look", arguments=None),)))
    turn = await model.complete(PROMPT, [TOOL], deadline=DEADLINE)
    assert (turn.text, turn.calls[0].arguments, turn.first_token_ms, turn.prompt_tokens) == ("whole", "{}", None, 11)


async def test_content_in_parts_and_an_unknown_usage_are_understood(
    providers: ScriptedProviders, model: ChatModel
) -> None:
    parts: JsonValue = [{"type": "thinking", "thinking": []}, {"type": "text", "text": "Hi"}]
    providers.script(ModelTurn(deltas=({"content": parts}, {"content": None}), prompt_tokens=None))
    turn = await model.complete(PROMPT, deadline=DEADLINE)
    assert (turn.text, turn.prompt_tokens, turn.completion_tokens) == ("Hi", 0, 0)


async def test_a_refusal_of_the_model_is_its_answer(providers: ScriptedProviders, model: ChatModel) -> None:
    providers.script(ModelTurn(deltas=({"refusal": "I would "}, {"refusal": "rather not."})))
    assert (await model.complete(PROMPT, deadline=DEADLINE)).text == "I would rather not."


@pytest.mark.parametrize(
    ("status", "error", "code"),
    [
        (408, None, "provider_unavailable"),
        (409, None, "provider_unavailable"),
        (429, None, "provider_rate_limited"),
        (500, None, "provider_unavailable"),
        (503, None, "provider_unavailable"),
        (529, None, "provider_unavailable"),
    ],
)
async def test_what_may_work_later_is_unavailable_and_asked_once(
    providers: ScriptedProviders, model: ChatModel, status: int, error: dict[str, JsonValue] | None, code: str
) -> None:
    providers.script(ModelTurn(status=status, error=error, times=None))
    with pytest.raises(ProviderUnavailable) as caught:
        await model.complete(PROMPT, deadline=DEADLINE)
    assert caught.value.code == code
    assert caught.value.retry_after is None
    assert len(providers.requests) == 1


@pytest.mark.parametrize(
    ("status", "error", "code"),
    [
        (401, {"message": f"Incorrect API key provided: {KEY}", "code": "invalid_api_key"}, "authentication"),
        (403, {"message": "no", "code": None}, "authentication"),
        (404, {"message": "The model `tiny` does not exist", "code": "model_not_found"}, "model_not_found"),
        (
            404,
            {"message": 'model "tiny" not found, try pulling it first', "type": "not_found_error"},
            "model_not_found",
        ),
        (400, {"message": "tiny is not a valid model ID", "code": 400}, "model_not_found"),
        (404, {"message": "Not Found"}, "provider_not_openai"),
        (400, {"message": "too long", "code": "context_length_exceeded"}, "context_too_long"),
        (400, {"message": "This model's maximum context length is 10 tokens"}, "context_too_long"),
        (413, {"message": "too large", "code": "rate_limit_exceeded"}, "context_too_long"),
        (400, {"message": "filtered", "code": "content_filter"}, "content_filtered"),
        (402, {"message": "pay"}, "provider_quota"),
        (429, {"message": "pay", "type": "insufficient_quota", "code": "insufficient_quota"}, "provider_quota"),
        (400, {"message": f"bad {CANARY}", "code": "bad_thing"}, "provider_rejected"),
        (422, {"message": "bad"}, "provider_rejected"),
    ],
)
async def test_what_would_fail_again_is_rejected_with_its_code(
    providers: ScriptedProviders, model: ChatModel, status: int, error: dict[str, JsonValue], code: str
) -> None:
    providers.script(ModelTurn(status=status, error=error, times=None))
    with pytest.raises(ProviderRejected) as caught:
        await model.complete(PROMPT, deadline=DEADLINE)
    assert caught.value.code == code
    assert len(providers.requests) == 1


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7),
        ({"Retry-After": "2.5"}, 2.5),
        ({"retry-after-ms": "1500", "Retry-After": "9"}, 1.5),
        ({"Retry-After": "99999999999999999999"}, 86400),
        ({"Retry-After": "soon"}, None),
    ],
)
async def test_retry_after_is_handed_on(
    providers: ScriptedProviders, model: ChatModel, headers: dict[str, str], seconds: float | None
) -> None:
    providers.script(ModelTurn(status=429, headers=headers))
    with pytest.raises(ProviderUnavailable) as caught:
        await model.complete(PROMPT, deadline=DEADLINE)
    assert caught.value.retry_after == (None if seconds is None else timedelta(seconds=seconds))


async def test_retry_after_as_a_date_is_relative_to_now(providers: ScriptedProviders, model: ChatModel) -> None:
    then = datetime.now(UTC) + timedelta(seconds=30)
    providers.script(ModelTurn(status=503, headers={"Retry-After": format_datetime(then, usegmt=True)}))
    with pytest.raises(ProviderUnavailable) as caught:
        await model.complete(PROMPT, deadline=DEADLINE)
    assert caught.value.retry_after is not None
    assert 25 <= caught.value.retry_after.total_seconds() <= 31


async def test_the_provider_may_order_not_to_retry(providers: ScriptedProviders, model: ChatModel) -> None:
    providers.script(ModelTurn(status=503, headers={"x-should-retry": "false"}))
    with pytest.raises(ProviderRejected):
        await model.complete(PROMPT, deadline=DEADLINE)


async def test_the_provider_may_order_to_retry(providers: ScriptedProviders, model: ChatModel) -> None:
    providers.script(ModelTurn(status=400, headers={"x-should-retry": "true", "Retry-After": "3"}))
    with pytest.raises(ProviderUnavailable) as caught:
        await model.complete(PROMPT, deadline=DEADLINE)
    assert caught.value.retry_after == timedelta(seconds=3)


HTML = "<!doctype html><title>Welcome</title>"


@pytest.mark.parametrize(
    "turn",
    [
        ModelTurn(body=HTML, content_type="text/html"),
        ModelTurn(body=HTML, content_type="text/html", status=404),
        ModelTurn(body=HTML, content_type="text/html", status=403),
        ModelTurn(body="hello", content_type="text/plain"),
        ModelTurn(body="", content_type="application/octet-stream"),
        ModelTurn(body='{"hello": "world"}'),
        ModelTurn(body="[1, 2]"),
        ModelTurn(body="data: [1]\n\n", content_type="text/event-stream"),
        ModelTurn(status=302, headers={"Location": "/login"}, body=""),
    ],
)
async def test_something_that_is_no_openai_api_is_named_with_the_setting(
    providers: ScriptedProviders, model: ChatModel, turn: ModelTurn
) -> None:
    providers.script(turn)
    with pytest.raises(ProviderRejected, match="OPENAI_BASE_URL") as caught:
        await model.complete(PROMPT, deadline=DEADLINE)
    assert caught.value.code == "provider_not_openai"


async def test_a_gateway_page_of_an_overloaded_provider_is_not_blamed_on_the_setting(
    providers: ScriptedProviders, model: ChatModel
) -> None:
    providers.script(ModelTurn(status=502, body=HTML, content_type="text/html"))
    with pytest.raises(ProviderUnavailable):
        await model.complete(PROMPT, deadline=DEADLINE)


@pytest.mark.parametrize(
    "turn",
    [
        ModelTurn(drop=True),
        ModelTurn(text="one two three", break_after=2),
        ModelTurn(text="one two three", end_after=2),
        ModelTurn(text="one two three", malformed_after=2),
        ModelTurn(text="one two three", error_after=2),
        ModelTurn(text="one two", error_after=1, error={"message": "x", "code": 502}),
    ],
)
async def test_a_turn_that_breaks_off_is_unavailable(
    providers: ScriptedProviders, model: ChatModel, turn: ModelTurn
) -> None:
    providers.script(turn)
    with pytest.raises(ProviderUnavailable) as caught:
        await model.complete(PROMPT, deadline=DEADLINE)
    assert caught.value.code == "provider_unavailable"
    assert len(providers.requests) == 1


async def test_an_error_object_in_a_stream_or_with_status_200_is_judged_like_any_other(
    providers: ScriptedProviders, model: ChatModel
) -> None:
    error: dict[str, JsonValue] = {"message": "x", "code": "context_length_exceeded"}
    providers.script(
        ModelTurn(text="one two", error_after=1, error=error),
        ModelTurn(body='{"error": {"message": "x", "code": 429}}'),
    )
    with pytest.raises(ProviderRejected) as rejected:
        await model.complete(PROMPT, deadline=DEADLINE)
    assert rejected.value.code == "context_too_long"
    with pytest.raises(ProviderUnavailable) as unavailable:
        await model.complete(PROMPT, deadline=DEADLINE)
    assert unavailable.value.code == "provider_rate_limited"


async def test_a_server_that_is_not_there_is_unavailable() -> None:
    gone = ScriptedProviders()
    await gone.start()
    url = gone.openai_base_url
    await gone.stop()
    chat = ChatModel(api_key=KEY, base_url=url, model="tiny", max_output_tokens=500)
    with pytest.raises(ProviderUnavailable):
        await chat.complete(PROMPT, deadline=DEADLINE)
    await chat.close()


@pytest.mark.parametrize(
    "turn",
    [
        pytest.param(ModelTurn(text="late", delay_seconds=5), id="before the first byte"),
        pytest.param(ModelTurn(text="one two three", stall_after=2), id="in the middle of the body"),
        pytest.param(ModelTurn(text="a " * 100, chunk_delay_seconds=0.1), id="although pieces keep coming"),
    ],
)
async def test_the_deadline_covers_the_whole_attempt_and_closes_the_connection(
    providers: ScriptedProviders, model: ChatModel, turn: ModelTurn
) -> None:
    providers.script(turn)
    begun = time.monotonic()
    with pytest.raises(ProviderUnavailable) as caught:
        await model.complete(PROMPT, deadline=timedelta(milliseconds=400))
    assert caught.value.code == "provider_timeout"
    assert time.monotonic() - begun < 2
    assert await no_connection_is_busy(providers)
    assert providers.open_connections == 0


async def test_a_cancelled_attempt_closes_its_connection(providers: ScriptedProviders, model: ChatModel) -> None:
    providers.script(ModelTurn(text="one two three", stall_after=2))
    heard = asyncio.Event()
    attempt = asyncio.create_task(model.complete(PROMPT, deadline=DEADLINE, on_text=lambda _: heard.set()))
    await heard.wait()
    attempt.cancel()
    with pytest.raises(asyncio.CancelledError):
        await attempt
    assert await no_connection_is_busy(providers)
    assert providers.open_connections == 0


async def test_connections_are_reused_after_good_turns_and_none_leaks_after_bad_ones(
    providers: ScriptedProviders, model: ChatModel
) -> None:
    bad = [
        ModelTurn(status=500),
        ModelTurn(body=HTML, content_type="text/html"),
        ModelTurn(text="one two three", break_after=2),
        ModelTurn(text="one two three", malformed_after=2),
        ModelTurn(text="x", finish_reason="length"),
    ]
    providers.script(*bad, *[ModelTurn(text="fine") for _ in range(5)])
    for _ in bad:
        with pytest.raises((ProviderUnavailable, ProviderRejected)):
            await model.complete(PROMPT, deadline=DEADLINE)
    for _ in range(5):
        await model.complete(PROMPT, deadline=DEADLINE)
    assert providers.open_connections <= 1
    await model.close()
    await asyncio.sleep(0.05)
    assert providers.open_connections == 0


@pytest.mark.parametrize(
    ("turn", "code"),
    [
        (ModelTurn(text=""), "empty_answer"),
        (ModelTurn(text="   \n"), "empty_answer"),
        (ModelTurn(text="<think>only thoughts"), "empty_answer"),
        (ModelTurn(text="", finish_reason="length"), "answer_cut_off"),
        (ModelTurn(text="half an ans", finish_reason="length"), "answer_cut_off"),
        (ModelTurn(calls=(ScriptedCall(name="look", arguments='{"a'),), finish_reason="length"), "answer_cut_off"),
        (ModelTurn(text="", finish_reason="content_filter"), "content_filtered"),
        (ModelTurn(text="some", finish_reason="content_filter"), "content_filtered"),
        (ModelTurn(text="", whole=True), "empty_answer"),
    ],
)
async def test_an_answer_that_is_none_is_a_named_error(
    providers: ScriptedProviders, model: ChatModel, turn: ModelTurn, code: str
) -> None:
    providers.script(turn)
    with pytest.raises(ProviderRejected) as caught:
        await model.complete(PROMPT, [TOOL], deadline=DEADLINE)
    assert caught.value.code == code


async def test_reasoning_is_removed_from_the_turn_and_from_what_streams(
    providers: ScriptedProviders, model: ChatModel
) -> None:
    providers.script(ModelTurn(text="<think>x", pieces=("<th", "ink>se", "cret</thi", "nk>\nHi <", "3 there")))
    pieces: list[str] = []
    turn = await model.complete(PROMPT, deadline=DEADLINE, on_text=pieces.append)
    assert turn.text == "Hi <3 there"
    assert "".join(pieces).strip() == "Hi <3 there"


async def test_a_limit_by_the_wrong_name_is_renamed_once_and_remembered(
    providers: ScriptedProviders, model: ChatModel
) -> None:
    error: dict[str, JsonValue] = {
        "message": "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead.",
        "param": "max_tokens",
        "code": "unsupported_parameter",
    }
    providers.script(ModelTurn(status=400, error=error), ModelTurn(text="a"), ModelTurn(text="b"))
    await model.complete(PROMPT, deadline=DEADLINE)
    await model.complete(PROMPT, deadline=DEADLINE)
    bodies = [request.body for request in providers.requests if isinstance(request.body, dict)]
    assert [(body.get("max_tokens"), body.get("max_completion_tokens")) for body in bodies] == [
        (500, None),
        (None, 500),
        (None, 500),
    ]


async def test_a_server_without_stream_options_is_asked_without(providers: ScriptedProviders, model: ChatModel) -> None:
    error: dict[str, JsonValue] = {"message": "stream_options: extra fields not permitted", "code": None}
    providers.script(ModelTurn(status=422, error=error), ModelTurn(text="a"))
    assert (await model.complete(PROMPT, deadline=DEADLINE)).text == "a"


SCHEMA = AnswerSchema(name="facts", document={"type": "object", "properties": {}})


async def test_an_answer_by_schema_is_asked_for(providers: ScriptedProviders, model: ChatModel) -> None:
    providers.script(ModelTurn(text="{}"))
    await model.complete(PROMPT, deadline=DEADLINE, schema=SCHEMA)
    (request,) = providers.requests
    assert isinstance(request.body, dict)
    assert request.body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "facts", "schema": {"type": "object", "properties": {}}},
    }


async def test_a_server_without_schemas_is_asked_without_from_then_on(
    providers: ScriptedProviders, model: ChatModel
) -> None:
    error: dict[str, JsonValue] = {"message": "Invalid parameter: 'response_format' of type 'json_schema'"}
    providers.script(ModelTurn(status=400, error=error), ModelTurn(text="{}"), ModelTurn(text="[]"))
    assert (await model.complete(PROMPT, deadline=DEADLINE, schema=SCHEMA)).text == "{}"
    assert (await model.complete(PROMPT, deadline=DEADLINE, schema=SCHEMA)).text == "[]"
    bodies = [request.body for request in providers.requests if isinstance(request.body, dict)]
    assert ["response_format" in body for body in bodies] == [True, False, False]


async def test_no_error_tells_the_key_or_the_prompt(providers: ScriptedProviders, model: ChatModel) -> None:
    error: dict[str, JsonValue] = {
        "message": f"{KEY} {CANARY}",
        "type": KEY,
        "code": CANARY,
        "param": f"{CANARY} {KEY}",
    }
    headers = {"x-request-id": f"req_{KEY}"}
    providers.script(
        *[ModelTurn(status=status, error=error, headers=headers) for status in (400, 401, 404, 429, 500)],
        ModelTurn(text="one", error_after=1, error=error),
        ModelTurn(body=f"<p>{KEY} {CANARY}", content_type="text/html"),
    )
    for _ in range(7):
        with pytest.raises((ProviderUnavailable, ProviderRejected)) as caught:
            await model.complete(PROMPT, deadline=DEADLINE)
        printed = "".join(traceback.format_exception(caught.value))
        assert KEY not in printed
        assert CANARY not in printed


async def test_an_identifier_of_the_provider_helps_to_find_the_request(
    providers: ScriptedProviders, model: ChatModel
) -> None:
    error: dict[str, JsonValue] = {"message": "x", "type": "invalid_request_error", "code": "bad_thing"}
    providers.script(ModelTurn(status=400, error=error, headers={"x-request-id": "req_0123abc"}))
    with pytest.raises(ProviderRejected, match=r"status 400, bad_thing, invalid_request_error, request req_0123abc"):
        await model.complete(PROMPT, deadline=DEADLINE)


@pytest.mark.parametrize(
    "url",
    ["localhost:8080", "ftp://host/v1", "http://", "http://host:port/v1", "https://host/v1?key=x", "https://host/#a"],
)
def test_a_base_url_that_is_none_is_refused_at_once(url: str) -> None:
    with pytest.raises(ConfigurationError, match="OPENAI_BASE_URL"):
        ChatModel(api_key=KEY, base_url=url, model="tiny", max_output_tokens=500)


@pytest.mark.parametrize("key", ["", "  ", "schlüssel", "two words", "line\nbreak"])
def test_a_key_that_fits_no_header_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY") as caught:
        ChatModel(api_key=key, base_url=None, model="tiny", max_output_tokens=500)
    assert not key.strip() or key not in str(caught.value)
