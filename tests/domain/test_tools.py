"""Tool declarations: what a model is told, what is refused, and what of a call may enter a history."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Literal, cast

import pytest
from pydantic import Field

from gopher.domain.conversation import RequestedCall
from gopher.domain.runs import Effect, TaskQueue
from gopher.domain.tools import UNKNOWN_TOOL, ToolArguments, ToolRegistry, ToolSpec
from gopher.errors import ConfigurationError


class Filter(ToolArguments):
    title: str = Field(description="Of the page.")


class Search(ToolArguments):
    query: str
    scope: Literal["auto", "user"] = "auto"
    filters: list[Filter] = Field(default_factory=list[Filter])


SEARCH = ToolSpec(
    name="search",
    description="Searches.",
    arguments=Search,
    effect=Effect.READ,
    parallel_safe=True,
    queue=TaskQueue.GOPHER,
    timeout=timedelta(seconds=45),
    local=True,
)


def test_a_definition_holds_the_schema_without_generated_titles() -> None:
    (definition,) = ToolRegistry([SEARCH]).definitions
    assert (definition.name, definition.description) == ("search", "Searches.")
    properties = cast("dict[str, object]", definition.parameters["properties"])
    assert set(properties) == {"query", "scope", "filters"}
    assert definition.parameters["additionalProperties"] is False
    assert definition.parameters["required"] == ["query"]
    text = str(definition.parameters)
    assert "'title': {'description': 'Of the page.'" in text  # the field
    assert "'title': 'Query'" not in text


def test_the_order_of_declaration_is_kept() -> None:
    names = ["b", "a", "c"]
    registry = ToolRegistry(replace(SEARCH, name=name) for name in names)
    assert [spec.name for spec in registry] == names
    assert len(registry) == 3
    assert registry.get("a") is not None
    assert registry.get("z") is None


@pytest.mark.parametrize(
    ("specs", "sentence"),
    [
        ([SEARCH, SEARCH], "registered twice"),
        ([replace(SEARCH, name="not a name")], "does not allow"),
        ([replace(SEARCH, name="x" * 65)], "does not allow"),
        ([replace(SEARCH, name=UNKNOWN_TOOL)], "do not exist"),
        ([replace(SEARCH, effect=Effect.WRITE)], "cannot be parallel-safe"),
        ([replace(SEARCH, effect=Effect.WRITE, parallel_safe=False)], "is local"),
        ([replace(SEARCH, queue=TaskQueue.DISCORD)], "is local"),
    ],
)
def test_a_declaration_that_contradicts_itself_is_refused(specs: list[ToolSpec], sentence: str) -> None:
    with pytest.raises(ConfigurationError, match=sentence) as refused:
        ToolRegistry(specs)
    assert refused.value.code == "invalid_tool_registry"


def requested(name: str, arguments: str = '{"query": "canary"}') -> RequestedCall:
    return RequestedCall(id="canary", name=name, arguments=arguments)


def test_a_summary_tells_the_planner_what_it_needs_and_no_content() -> None:
    summary = ToolRegistry([SEARCH]).summarize(3, requested("search"))
    assert (summary.position, summary.name, summary.effect, summary.parallel_safe) == (3, "search", Effect.READ, True)
    assert (summary.queue, summary.local, summary.timeout) == (TaskQueue.GOPHER, True, timedelta(seconds=45))
    assert "canary" not in str(summary)


def test_a_name_that_a_model_invented_is_no_part_of_a_summary() -> None:
    summary = ToolRegistry([SEARCH]).summarize(0, requested("canary"))
    assert (summary.name, summary.parallel_safe) == (UNKNOWN_TOOL, False)
    assert "canary" not in str(summary)


def test_calls_with_unreadable_arguments_are_equal_when_they_are_written_the_same() -> None:
    registry = ToolRegistry([SEARCH])
    torn = [registry.summarize(0, requested("search", text)).fingerprint for text in ('{"q', ' {"q ', '{"p')]
    assert torn[0] == torn[1] != torn[2]
