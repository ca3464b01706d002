"""Records the histories that tests replay: `python -m tests.workflows.record_histories [SCENARIO ...]`.

Record anew only when a changed workflow need not replay the old ones, that is before a release or together with a
patch: what is recorded stands for runs that are under way when the next version is deployed.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from devstack.postgres import Postgres
from devstack.providers import ScriptedProviders
from devstack.temporal import Temporal
from gopher.domain.ids import workflow_id
from gopher.store.pool import create_pool
from gopher.store.schema import migrate
from tests.workflows.scenarios import SCENARIOS
from tests.workflows.stage import Stage, connected, settings_for

_MACHINE: Final = re.compile(r'"(identity|stackTrace)": "(?:[^"\\]|\\.)*"')
HISTORIES: Final = Path(__file__).parent / "histories"


async def record(names: Sequence[str]) -> None:
    """Play each scenario on servers of its own and write down its history."""
    with tempfile.TemporaryDirectory(prefix="gopher-record-") as directory:
        place = Path(directory)
        postgres = Postgres(place / "postgres", log=place / "postgres.log", durable=False)
        temporal = Temporal(place / "temporal.db", log=place / "temporal.log")
        providers = ScriptedProviders()
        await asyncio.gather(postgres.start(), temporal.start(), providers.start())
        try:
            await migrate(postgres.url)
            client = await connected(temporal.address, "default")
            settings = settings_for("default", database_url=postgres.url, providers=providers, address=temporal.address)
            async with create_pool(postgres.url) as pool:
                stage = Stage(settings=settings, client=client, pool=pool, providers=providers)
                for name in names:
                    request_id = await SCENARIOS[name](stage)
                    history = await client.get_workflow_handle(workflow_id(request_id)).fetch_history()
                    (HISTORIES / f"{name}.json").write_text(f"{_anonymous(history.to_json())}\n", encoding="utf-8")
                    sys.stdout.write(f"{name}: {len(history.events)} events\n")
        finally:
            await asyncio.gather(postgres.stop(), temporal.stop(), providers.stop())


def _anonymous(history: str) -> str:
    """Forget on which machine it was recorded: names of hosts and paths of files mean nothing to a replay."""
    return _MACHINE.sub(r'"\1": ""', history)


if __name__ == "__main__":
    asyncio.run(record(sys.argv[1:] or list(SCENARIOS)))
    sys.stdout.flush()
    os._exit(0)  # the SDK's threads may crash the interpreter's own way out
