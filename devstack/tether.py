"""Become another program that dies with its parent: `python -I -S tether.py PARENT SIGNAL UID GID COMMAND...`.

A process of its own instead of a `preexec_fn`: Python between fork and exec is unsafe once the parent has threads, and
PostgreSQL must be executed by an unprivileged user who perhaps cannot even read the virtual environment. So this file
runs with the parent's rights, without site-packages, and imports nothing of the project.
"""

import ctypes
import os
import sys

PR_SET_PDEATHSIG = 1
KEEP = -1
"""As UID and GID: stay who you are."""


def main() -> None:
    """Drop privileges, ask the kernel for a signal at the parent's death, and exec."""
    parent, death_signal, uid, gid = (int(value) for value in sys.argv[1:5])
    command = sys.argv[5:]
    if uid != KEEP:
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)
    if sys.platform == "linux":
        # After setuid, which clears it. It survives exec, and covers SIGKILL of the parent, which nobody can catch.
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, death_signal, 0, 0, 0)
    if os.getppid() != parent:
        sys.exit(f"tether: the process {parent} that started {command[0]} is gone")
    os.execv(command[0], command)  # noqa: S606 - replacing itself by its arguments is what this program is for


if __name__ == "__main__":
    main()
