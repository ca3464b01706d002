"""A production installation is the packages of the image, without the development stack beside them."""

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
COPIED = ("bot.py", "worker.py", "src", "workflows", "activities", "schema")


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    image = tmp_path_factory.mktemp("image")
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, image / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, image / name)
    return image


def python(image: Path, code: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    # -S: without the path file that names this clone; -P: without the directory that tests run in.
    paths = [str(image), str(image / "src"), sysconfig.get_path("purelib")]
    prologue = f"import sys; sys.path[:0] = {paths!r}\n"
    return subprocess.run(
        [sys.executable, "-S", "-P", "-c", prologue + code, *arguments],
        cwd=image,
        env={},
        capture_output=True,
        text=True,
        check=False,
    )


def test_both_processes_are_whole_without_the_development_stack(image: Path) -> None:
    found = python(image, "import bot, worker; sys.exit('devstack' in sys.modules)")
    assert (found.returncode, found.stderr) == (0, "")


@pytest.mark.parametrize("command", ["up", "down", "status", "test"])
def test_its_commands_say_that_they_are_of_a_clone(image: Path, command: str) -> None:
    found = python(image, "from gopher.__main__ import main; main()", command)
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr.startswith(
        f"gopher: ./gopher {command} is of the development stack, which is not installed here"
    )
    assert found.stderr.count("\n") == 1


def test_other_commands_work_and_miss_only_their_settings(image: Path) -> None:
    found = python(image, "from gopher.__main__ import main; main()", "runs", "list")
    assert found.returncode == 2
    assert "set DATABASE_URL" in found.stderr
