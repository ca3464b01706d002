from __future__ import annotations

import asyncio
import json
import math
import signal
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import openai
import pytest
from pydantic import JsonValue

from devstack.providers import ScriptedProviders
from devstack.scripted_embeddings import embed
from devstack.scripted_turns import ModelTurn, ScriptedCall, Step, WebTurn


@pytest.fixture
async def providers() -> AsyncIterator[ScriptedProviders]:
    server = ScriptedProviders()
    await server.start()
    yield server
    await server.stop()


@pytest.fixture
async def client(providers: ScriptedProviders) -> AsyncIterator[openai.AsyncOpenAI]:
    async with openai.AsyncOpenAI(api_key="k", base_url=providers.openai_base_url, max_retries=0) as sdk:
        yield sdk


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(headers={"Authorization": "Bearer k"}) as session:
        yield session


async def ask(client: openai.AsyncOpenAI, text: str) -> str:
    completion = await client.chat.completions.create(model="m", messages=[{"role": "user", "content": text}])
    return completion.choices[0].message.content or ""


async def test_without_a_script_the_demo_model_answers(client: openai.AsyncOpenAI) -> None:
    assert "offline demo model" in await ask(client, "hello")


async def test_the_demo_model_streams_word_by_word(client: openai.AsyncOpenAI) -> None:
    begun, stamps = time.monotonic(), list[float]()
    stream = await client.chat.completions.create(
        model="offline-demo", messages=[{"role": "user", "content": "echo one two three four"}], stream=True
    )
    text = ""
    async for chunk in stream:
        text += chunk.choices[0].delta.content or ""
        stamps.append(time.monotonic() - begun)
    assert text == "one two three four"
    assert stamps[-1] - stamps[0] >= 0.06


async def test_turns_answer_in_order_and_then_the_script_is_exhausted(
    providers: ScriptedProviders, client: openai.AsyncOpenAI
) -> None:
    providers.script(ModelTurn(text="first"), ModelTurn(text="second", times=2))
    assert [await ask(client, "x") for _ in range(3)] == ["first", "second", "second"]
    with pytest.raises(openai.BadRequestError) as caught:
        await ask(client, "x")
    assert caught.value.code == "script_exhausted"


async def test_a_marker_in_the_last_user_message_chooses_the_turn(
    providers: ScriptedProviders, client: openai.AsyncOpenAI
) -> None:
    providers.script(ModelTurn(match="[b]", text="B"), ModelTurn(match="[a]", text="A"), demo=True)
    assert [await ask(client, text) for text in ("x [a]", "y [b]", "echo z")] == ["A", "B", "z"]
    assert [request.turn for request in providers.requests] == [1, 0, None]


async def test_the_iteration_of_a_run_chooses_the_turn(
    providers: ScriptedProviders, client: openai.AsyncOpenAI
) -> None:
    providers.script(
        ModelTurn(iteration=2, text="after the tool", times=None),
        ModelTurn(iteration=1, calls=(ScriptedCall(name="look"),), times=None),
    )
    question: JsonValue = {"role": "user", "content": "x"}
    first = await client.chat.completions.create(model="m", messages=[question])  # type: ignore[list-item]
    assert first.choices[0].finish_reason == "tool_calls"
    call = (first.choices[0].message.tool_calls or [])[0]
    second = await client.chat.completions.create(
        model="m",
        messages=[
            {"role": "user", "content": "earlier"},
            {"role": "assistant", "content": "answer"},
            {"role": "user", "content": "x"},
            {"role": "assistant", "tool_calls": [call.model_dump()]},  # type: ignore[list-item]
            {"role": "tool", "tool_call_id": call.id, "content": "seen"},
        ],
    )
    assert second.choices[0].message.content == "after the tool"


async def test_usage_is_streamed_only_when_asked_for(providers: ScriptedProviders, client: openai.AsyncOpenAI) -> None:
    providers.script(ModelTurn(text="a", times=None))
    for wanted in (True, False):
        stream = await client.chat.completions.create(
            model="m",
            messages=[{"role": "user", "content": "x"}],
            stream=True,
            stream_options={"include_usage": wanted},
        )
        totals = [chunk.usage.total_tokens async for chunk in stream if chunk.usage]
        assert totals == ([18] if wanted else [])


async def test_every_request_is_recorded_with_body_and_times(
    providers: ScriptedProviders, client: openai.AsyncOpenAI
) -> None:
    providers.script(ModelTurn(text="a", delay_seconds=0.05), ModelTurn(status=503))
    before = time.time()
    await ask(client, "hello")
    with pytest.raises(openai.InternalServerError):
        await ask(client, "again")
    first, second = providers.requests
    assert first.path == "/v1/chat/completions"
    assert first.body == {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
    assert (first.status, second.status, first.authorized) == (200, 503, True)
    assert first.finished_at is not None
    assert before <= first.received_at <= first.finished_at - 0.05


async def test_a_request_whose_client_went_away_is_finished_without_a_status(providers: ScriptedProviders) -> None:
    providers.script(ModelTurn(text="a", delay_seconds=30))
    sdk = openai.AsyncOpenAI(api_key="k", base_url=providers.openai_base_url, max_retries=0, timeout=0.1)
    with pytest.raises(openai.APITimeoutError):
        await ask(sdk, "x")
    await sdk.close()
    for _ in range(100):
        if providers.requests[0].finished_at:
            break
        await asyncio.sleep(0.01)
    assert providers.requests[0].finished_at is not None
    assert providers.requests[0].status is None


async def test_a_request_without_a_key_is_refused(providers: ScriptedProviders) -> None:
    url = f"{providers.openai_base_url}/chat/completions"
    async with aiohttp.ClientSession() as session, session.post(url, json={"messages": []}) as response:
        assert response.status == 401


@pytest.mark.parametrize("body", ["", "no json", "[]", '"text"'])
async def test_a_body_that_is_no_object_is_refused(
    providers: ScriptedProviders, http: aiohttp.ClientSession, body: str
) -> None:
    async with http.post(f"{providers.openai_base_url}/chat/completions", data=body) as response:
        assert response.status == 400
        assert "message" in (await response.json())["error"]


async def test_models_are_listed(client: openai.AsyncOpenAI) -> None:
    assert [model.id async for model in client.models.list()] == ["offline-demo", "offline-embedding"]


async def test_embeddings_are_deterministic_unit_vectors_of_the_asked_size(client: openai.AsyncOpenAI) -> None:
    wanted = await client.embeddings.create(model="e", input=["burrow", "warm tunnel"], dimensions=64)
    again = await client.embeddings.create(model="e", input="burrow", dimensions=64, encoding_format="float")
    assert [entry.index for entry in wanted.data] == [0, 1]
    assert wanted.data[0].embedding == pytest.approx(again.data[0].embedding, abs=1e-6)
    assert math.hypot(*wanted.data[1].embedding) == pytest.approx(1, abs=1e-6)
    assert len((await client.embeddings.create(model="e", input="x")).data[0].embedding) == 1024


def test_texts_that_share_words_are_nearer() -> None:
    def likeness(one: str, other: str) -> float:
        return sum(a * b for a, b in zip(embed(one, 256), embed(other, 256), strict=True))

    assert likeness("the warm burrow", "a burrow that is warm") > 0.5
    assert likeness("tunnels", "tunnel") > likeness("tunnels", "quarterly report")


@pytest.mark.parametrize("given", ["", [], [""], ["a", 1], 7])
async def test_an_embedding_of_nothing_is_refused(
    providers: ScriptedProviders, http: aiohttp.ClientSession, given: JsonValue
) -> None:
    async with http.post(f"{providers.openai_base_url}/embeddings", json={"input": given}) as response:
        assert response.status == 400


async def test_embeddings_fail_as_scripted(providers: ScriptedProviders, client: openai.AsyncOpenAI) -> None:
    providers.script(embeddings=[Step(match="bad", status=429, times=None)])
    with pytest.raises(openai.RateLimitError):
        await client.embeddings.create(model="e", input="bad")
    assert (await client.embeddings.create(model="e", input="good")).data


async def test_web_research_answers_with_pages_that_say_what_they_are(
    providers: ScriptedProviders, http: aiohttp.ClientSession
) -> None:
    async with http.post(f"{providers.firecrawl_url}/v2/search", json={"query": "best burrow"}) as response:
        found = await response.json()
    assert found["success"]
    assert "stand-in" in found["data"]["web"][0]["markdown"]
    async with http.post(f"{providers.firecrawl_url}/v2/scrape", json={"url": "https://example.org/x"}) as response:
        assert (await response.json())["data"]["metadata"]["sourceURL"] == "https://example.org/x"


async def test_web_research_answers_as_scripted(providers: ScriptedProviders, http: aiohttp.ClientSession) -> None:
    providers.script(web_turns=[WebTurn(endpoint="scrape", status=402), WebTurn(match="flat", data=[{"url": "u"}])])
    async with http.post(f"{providers.firecrawl_url}/v2/search", json={"query": "flat"}) as response:
        assert (await response.json())["data"] == [{"url": "u"}]
    async with http.post(f"{providers.firecrawl_url}/v2/scrape", json={"url": "https://e.org"}) as response:
        assert response.status == 402
        assert (await response.json())["success"] is False


async def test_a_script_can_be_set_read_and_reset_over_http(
    providers: ScriptedProviders, client: openai.AsyncOpenAI, http: aiohttp.ClientSession
) -> None:
    script = {"chat": [{"text": "by wire", "times": None}]}
    async with http.post(f"{providers.control_url}/script", json=script) as response:
        assert response.status == 200
    assert await ask(client, "x") == "by wire"
    async with http.get(f"{providers.control_url}/requests", params={"path": "/v1/chat/completions"}) as response:
        (noted,) = (await response.json())["requests"]
    assert noted["body"]["messages"][0]["content"] == "x"
    async with http.post(f"{providers.control_url}/reset") as response:
        assert response.status == 200
    assert providers.requests == ()
    assert "offline demo model" in await ask(client, "hello")


@pytest.mark.parametrize("script", ["{", '{"chat": [{"txt": "typo"}]}', '{"chat": [{"times": 0}]}', "[]"])
async def test_a_wrong_script_is_refused_with_its_place(
    providers: ScriptedProviders, http: aiohttp.ClientSession, script: str
) -> None:
    async with http.post(f"{providers.control_url}/script", data=script) as response:
        assert response.status == 400
        assert (await response.json())["error"][0]["msg"]


async def test_the_process_says_when_it_is_ready_and_ends_when_told(
    tmp_path: Path, http: aiohttp.ClientSession
) -> None:
    ready = tmp_path / "ready"
    first = ScriptedProviders()
    await first.start()
    port = int(first.firecrawl_url.rsplit(":", 1)[1])
    await first.stop()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "devstack.providers", "--port", str(port), env={"GOPHER_READY_FILE": str(ready)}
    )
    try:
        async with asyncio.timeout(30):
            while not ready.exists():  # noqa: ASYNC110 - a file of another process has no event
                await asyncio.sleep(0.02)
        async with http.get(f"http://127.0.0.1:{port}/v1/models") as response:
            assert json.loads(await response.text())["object"] == "list"
    finally:
        process.send_signal(signal.SIGTERM)
        status = await process.wait()
    assert status == 0


async def test_a_taken_port_is_one_clear_sentence(providers: ScriptedProviders) -> None:
    port = providers.firecrawl_url.rsplit(":", 1)[1]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "devstack.providers", "--port", port, stderr=asyncio.subprocess.PIPE
    )
    _, said = await process.communicate()
    assert process.returncode == 1
    assert said.decode() == f"The port {port} cannot be used (address already in use): choose another with --port.\n"
