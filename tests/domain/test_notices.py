"""Every code that can end a run has its sentence for the requester."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from gopher.domain.agent_loop import EndCode
from gopher.domain.codes import is_foreseen
from gopher.domain.notices import GENERAL, NOTICES, notice
from gopher.providers.failures import ProviderCode
from workflows import agent

ROOT = Path(__file__).parents[2]
RAISED_IN = (
    ROOT / "src" / "gopher" / "providers" / "chat.py",
    ROOT / "src" / "gopher" / "providers" / "completion.py",
    *sorted((ROOT / "activities").glob("*.py")),
)
NEVER_ENDS_A_RUN = {
    # Delivery failed: there is nobody left to tell.
    "channel_gone",
    "delivery_timeout",
}
ERRORS = {"ProviderRejected", "ProviderUnavailable", "Rejected", "Conflict", "Unavailable", "BudgetExhausted"}


def raised_codes() -> Iterator[tuple[str, str]]:
    """Codes written out where errors are made, with the file that makes them."""
    for file in RAISED_IN:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ERRORS:
                for keyword in node.keywords:
                    if keyword.arg == "code" and isinstance(keyword.value, ast.Constant):
                        yield str(keyword.value.value), file.name


def workflow_codes() -> set[str]:
    return {
        agent.RUN_TIMEOUT,
        agent.STORE_UNAVAILABLE,
        agent.REQUEST_GONE,
        agent.CANCELLED,
        agent.INTERNAL_ERROR,
        agent.NEEDS_OPERATOR,
    }


def test_every_code_of_a_provider_has_a_sentence() -> None:
    assert {code.value for code in ProviderCode} <= set(NOTICES)


def test_every_code_of_the_planner_and_the_workflow_has_a_sentence() -> None:
    assert {code.value for code in EndCode} | workflow_codes() <= set(NOTICES)


def test_every_code_that_is_raised_on_the_way_has_a_sentence() -> None:
    found = dict(raised_codes())
    assert found
    assert set(found) - NEVER_ENDS_A_RUN <= set(NOTICES)


@pytest.mark.parametrize("code", sorted(NOTICES))
def test_a_notice_is_plain_and_short(code: str) -> None:
    sentence = notice(code)
    assert 20 < len(sentence) <= 160
    assert sentence.endswith(".")
    assert "_" not in sentence
    assert is_foreseen(code)


def test_a_code_of_a_newer_process_gets_the_general_sentence() -> None:
    assert notice("something_new") == GENERAL
