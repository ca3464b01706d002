"""`python -m gopher`, installed as `gopher`: the commands of operators and developers."""

from __future__ import annotations

import os
import sys

from gopher.cli.commands import run_command


def main() -> None:
    """Run the command of the command line and end the process with its status."""
    status = run_command(sys.argv[1:])
    if "temporalio.bridge" in sys.modules:
        # The interpreter's end may crash in the threads of Temporal's client; all was shut down by the command.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    sys.exit(status)


if __name__ == "__main__":
    main()
