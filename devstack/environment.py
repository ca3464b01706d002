"""Make the virtual environment of a clone: `python devstack/environment.py`, called by the launcher.

Standard library only: nothing else is there yet. An environment counts as made when the copy of `requirements.lock`
in it equals the one of the clone; the copy is written last, so that an interrupted attempt is made again from nothing.
"""

import fcntl
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements.lock"
ENVIRONMENT = ROOT / ".venv"
PYTHON = ENVIRONMENT / "bin" / "python"
MADE_FROM = ENVIRONMENT / "gopher-requirements.lock"
MADE_AT = ENVIRONMENT / "gopher-root"
"""The path of the clone: a moved clone needs a new environment, whose programs name their interpreter by its path."""


class CannotMakeError(Exception):
    """The environment cannot be made; the message is the sentence for the person at the terminal."""


def main() -> int:
    """Make the environment unless it is up to date; returns the exit status."""
    with LOCK.open("rb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another ./gopher is making .venv; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        if up_to_date():
            return 0
        try:
            return make()
        except KeyboardInterrupt:
            say("interrupted; the next ./gopher makes .venv again")
            return 130


def up_to_date() -> bool:
    """Whether a finished environment of this lock file at this place exists."""
    return (
        os.access(PYTHON, os.X_OK)
        and MADE_FROM.is_file()
        and MADE_FROM.read_bytes() == LOCK.read_bytes()
        and MADE_AT.read_text(encoding="utf-8").strip() == str(ROOT)
    )


def make() -> int:
    """Make the environment from nothing; returns the exit status."""
    say(f"making .venv from requirements.lock with Python {sys.version.split(maxsplit=1)[0]} (a minute the first time)")
    MADE_FROM.unlink(missing_ok=True)
    try:
        make_empty()
        install_requirements()
    except CannotMakeError as reason:
        say(f"could not make .venv: {reason}")
        return 1
    purelib = sysconfig.get_path("purelib", "venv", {"base": str(ENVIRONMENT)})
    Path(purelib, "gopher.pth").write_text(f"{ROOT}\n{ROOT / 'src'}\n", encoding="utf-8")
    MADE_AT.write_text(f"{ROOT}\n", encoding="utf-8")
    building = MADE_FROM.with_suffix(".building")
    shutil.copyfile(LOCK, building)
    building.rename(MADE_FROM)
    return 0


def make_empty() -> None:
    """Make an environment that holds the locked pip and nothing else."""
    # The resolved name has its version in it: after an upgrade of the system's Python the link is dead, not wrong.
    interpreter = os.path.realpath(sys.executable)
    venv = [interpreter, "-m", "venv", "--clear", str(ENVIRONMENT)]
    pip = [requirement for requirement in locked() if requirement.startswith("pip==")]
    if base_pip_reaches_out():
        # Six seconds faster than having ensurepip unpack a pip that is replaced at once.
        run([*venv, "--without-pip"])
        wait(install([interpreter, "-m", "pip", "--python", str(PYTHON)], pip))
    elif find_spec("ensurepip") is not None:
        run(venv)
        wait(install([str(PYTHON), "-m", "pip"], pip))
    else:
        raise CannotMakeError(
            f"{interpreter} has neither ensurepip nor pip 22.3; on Debian: apt-get install python3-venv"
        )


def base_pip_reaches_out() -> bool:
    """Whether the pip beside this interpreter can install into another environment."""
    if find_spec("pip") is None:
        return False
    major, minor = version("pip").split(".")[:2]
    return (int(major), int(minor)) >= (22, 3)


def install_requirements() -> None:
    """Install everything that is locked, by two pips side by side: most of the time is theirs, not the network's."""
    requirements = locked()
    pips = [install([str(PYTHON), "-m", "pip"], requirements[part::2]) for part in range(2)]
    try:
        for pip in pips:
            wait(pip)
    finally:
        for pip in pips:
            pip.kill()
            pip.wait()


def locked() -> list[str]:
    """The entries of the lock file, hashes included: a line that does not begin with a space begins an entry."""
    entries = re.split(r"^(?=\S)", LOCK.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [entry for entry in entries if entry.strip() and not entry.startswith("#")]


def install(pip: list[str], requirements: list[str]) -> "subprocess.Popen[bytes]":
    """Start installing the entries, which name all that they need, exactly."""
    # Without bytecode: compiling what is never imported takes longer than compiling at the first import.
    options = ["--quiet", "--no-input", "--disable-pip-version-check", "--no-compile", "--no-deps", "--require-hashes"]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as file:
        file.writelines(requirements)
        file.seek(0)
        return subprocess.Popen([*pip, "install", *options, "--requirement", "/dev/stdin"], stdin=file)


def run(command: list[str]) -> None:
    """Run to its end, which must be a good one."""
    wait(subprocess.Popen(command, stdin=subprocess.DEVNULL))


def wait(process: "subprocess.Popen[bytes]") -> None:
    """Wait for a good end.

    Raises:
        CannotMakeError: it was a bad one.
    """
    status = process.wait()
    if status != 0:
        arguments = process.args if isinstance(process.args, list) else [process.args]
        command = " ".join(str(argument) for argument in arguments[:4])
        raise CannotMakeError(f"`{command} ...` ended with status {status}; what it said is above")


def say(sentence: str) -> None:
    """Tell the person at the terminal."""
    print(f"gopher: {sentence}", file=sys.stderr, flush=True)  # noqa: T201 - it speaks before there is anything else


if __name__ == "__main__":
    sys.exit(main())
