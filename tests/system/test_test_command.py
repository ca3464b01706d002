from __future__ import annotations

from pathlib import Path

import pytest

from tests.system.command_line import CommandLine


@pytest.mark.parametrize(
    ("words", "status"), [(["tests/test_readme.py"], 0), (["tests/nowhere.py"], 4), (["--frobnicate"], 4)]
)
async def test_arguments_are_pytests_and_its_status_is_the_commands(
    tmp_path: Path, words: list[str], status: int
) -> None:
    outcome = await CommandLine(directory=tmp_path).call("test", "-q", "-p", "no:cacheprovider", *words)
    assert outcome.status == status
    assert ("3 passed" in outcome.out) == (status == 0)


async def test_it_works_whatever_the_settings_are(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("NONSENSE=1\n", encoding="utf-8")
    outcome = await CommandLine(directory=tmp_path, settings={"LOG_LEVEL": "loud"}).call("test", "--version")
    assert (outcome.status, outcome.out.startswith("pytest ")) == (0, True)
