import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from devstack import environment

ROOT = Path(environment.__file__).parent.parent
LAUNCHER = ROOT / "gopher"

# What the environment installs with, in the small: notes each call, and does as the test says.
PIP = """
import os, pathlib, sys, time
root = pathlib.Path(sys.prefix).parent
with open(root / "installed", "a") as file:
    file.write(sys.stdin.read())
if (root / "slow").exists():
    time.sleep(60)
sys.exit(7 if (root / "broken").exists() else 0)
"""


class Clone:
    """A clone whose lock file names a pip of the test's own, and whose program prints its arguments."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.wheels = directory.parent / "wheels"
        (directory / "devstack").mkdir(parents=True)
        (directory / "src" / "gopher").mkdir(parents=True)
        shutil.copy(LAUNCHER, directory / "gopher")
        shutil.copy(environment.__file__, directory / "devstack" / "environment.py")
        (directory / "src" / "gopher" / "__main__.py").write_text("import sys; print(sys.argv[1:])", encoding="utf-8")
        self.lock("one")
        self.path = directory / "path"
        self.path.mkdir()
        (self.path / "python3").symlink_to(os.path.realpath(sys.executable))
        for tool in ("sh", "dirname", "readlink", "cmp", "cat", "sed"):
            self.tool(tool)

    def tool(self, name: str) -> None:
        found = shutil.which(name)
        assert found is not None
        (self.path / name).symlink_to(found)

    def lock(self, *names: str) -> None:
        self.wheels.mkdir(exist_ok=True)
        wheel = self.wheels / "pip-99.0-py3-none-any.whl"
        if not wheel.exists():
            with zipfile.ZipFile(wheel, "w") as file:
                file.writestr("pip/__init__.py", "")
                file.writestr("pip/__main__.py", PIP)
                info = "pip-99.0.dist-info"
                file.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: pip\nVersion: 99.0\n")
                file.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
                file.writestr(f"{info}/RECORD", f"pip/__main__.py,,\n{info}/RECORD,,\n")
        digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
        entries = [f"pip==99.0 \\\n    --hash=sha256:{digest}\n", *(f"{name}==1 \\\n    --hash=x\n" for name in names)]
        (self.directory / "requirements.lock").write_text("".join(entries), encoding="utf-8")

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [str(self.directory / "gopher"), *arguments],
            env={
                "PATH": str(self.path),
                "PIP_NO_INDEX": "1",
                "PIP_CONFIG_FILE": os.devnull,
                "PIP_FIND_LINKS": str(self.wheels),
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, *arguments: str) -> tuple[int, str, str]:
        process = self.start(*arguments)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def installed(self) -> list[str]:
        """The packages that were installed since the clone was made, in alphabetical order."""
        file = self.directory / "installed"
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        return sorted(line.split("==")[0] for line in lines if "==" in line)

    def made(self) -> bool:
        return (self.directory / ".venv" / "gopher-requirements.lock").exists()


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return Clone(tmp_path / "clone of somebody's")


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_the_first_start_makes_the_environment_and_the_second_only_runs(clone: Clone) -> None:
    status, out, err = clone.run("up", "--data", "a b")
    assert (status, out) == (0, "['up', '--data', 'a b']\n"), err
    assert err.startswith("gopher: making .venv from requirements.lock with Python 3.")
    assert clone.installed() == ["one", "pip"]
    assert clone.run("down") == (0, "['down']\n", "")
    assert clone.installed() == ["one", "pip"]


def test_a_changed_lock_file_makes_it_again(clone: Clone) -> None:
    clone.run()
    clone.lock("one", "two")
    status, _, err = clone.run()
    assert status == 0
    assert "making .venv" in err
    assert clone.installed() == ["one", "one", "pip", "pip", "two"]


def test_a_moved_clone_makes_it_again(clone: Clone, tmp_path: Path) -> None:
    clone.run()
    clone.directory.rename(tmp_path / "elsewhere")
    clone.directory = tmp_path / "elsewhere"
    clone.path = clone.directory / "path"
    status, out, err = clone.run("up")
    assert (status, out) == (0, "['up']\n")
    assert "making .venv" in err


def test_a_failed_installation_is_a_sentence_and_is_made_again(clone: Clone) -> None:
    (clone.directory / "broken").touch()
    status, out, err = clone.run("up")
    assert (status, out) == (1, "")
    assert "gopher: could not make .venv: `" in err.splitlines()[-1]
    assert "ended with status 7; what it said is above" in err.splitlines()[-1]
    (clone.directory / "broken").unlink()
    assert clone.run("up")[:2] == (0, "['up']\n")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_an_interrupted_installation_is_never_used(clone: Clone, number: signal.Signals) -> None:
    (clone.directory / "slow").touch()
    interrupted = clone.start("up")
    until(lambda: bool(clone.installed()))
    os.killpg(interrupted.pid, number)
    interrupted.communicate(timeout=10)
    assert interrupted.returncode != 0
    assert not clone.made()
    (clone.directory / "slow").unlink()
    assert clone.run("up")[:2] == (0, "['up']\n")


def test_two_at_once_make_it_once(clone: Clone) -> None:
    (clone.directory / "slow").touch()
    first = clone.start("first")
    until(lambda: bool(clone.installed()))
    second = clone.start("second")
    assert second.stderr is not None
    assert second.stderr.readline() == "gopher: another ./gopher is making .venv; waiting for it\n"
    # The first is cut off, so the second has to do it, and alone.
    (clone.directory / "slow").unlink()
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()
    out, err = second.communicate(timeout=60)
    assert (second.returncode, out) == (0, "['second']\n")
    assert err.startswith("gopher: making .venv")
    assert clone.run("third") == (0, "['third']\n", "")


@pytest.mark.parametrize("version", ["3.10", "3.14", "2.7"])
def test_an_unsuitable_python_is_one_sentence(clone: Clone, version: str) -> None:
    (clone.path / "python3").unlink()
    (clone.path / "python3").write_text(f"#!/bin/sh\necho {version}\n", encoding="utf-8")
    (clone.path / "python3").chmod(0o755)
    status, out, err = clone.run("up")
    assert (status, out) == (1, "")
    assert err == (
        "gopher: needs Python 3.11, 3.12 or 3.13 on PATH "
        f"(found: python3 is {version}); install one of them and try again.\n"
    )


def test_no_python_is_one_sentence(clone: Clone) -> None:
    (clone.path / "python3").unlink()
    _, _, err = clone.run("up")
    assert err == "gopher: needs Python 3.11, 3.12 or 3.13 on PATH (found: none); install one of them and try again.\n"


def test_it_is_found_through_a_link_from_another_directory(clone: Clone, tmp_path: Path) -> None:
    clone.run()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "gopher").symlink_to(clone.directory / "gopher")
    found = subprocess.run([tmp_path / "bin" / "gopher", "up"], cwd="/", capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout) == (0, "['up']\n")


def test_no_committed_file_of_the_installation_names_an_index() -> None:
    for file in (LAUNCHER, ROOT / "devstack" / "environment.py", ROOT / "requirements.lock", ROOT / "pyproject.toml"):
        text = file.read_text(encoding="utf-8")
        assert "index-url" not in text
        assert "find-links" not in text
        assert "://" not in text.replace("https://docs.python.org", "")
