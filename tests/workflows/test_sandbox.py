"""Workflows import no I/O: not in a process that imports them, and not inside the sandbox."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Final

import pytest
from temporalio.client import WorkflowFailureError
from temporalio.exceptions import ApplicationError
from temporalio.worker import Worker

from gopher.sandbox import FORBIDDEN_IN_WORKFLOWS, FORBIDDEN_OF_GOPHER, workflow_runner
from tests.workflows.importing import Importing
from tests.workflows.process import ROOT
from tests.workflows.stage import Stage

PROBE: Final = """
import json, sys
import workflows.agent, workflows.policies
print(json.dumps(sorted(sys.modules)))
"""


async def imported() -> set[str]:
    """Names of the modules in a process that has imported the workflows and nothing else."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        PROBE,
        cwd=ROOT,
        env={"PYTHONPATH": f"{ROOT}:{ROOT / 'src'}"},
        stdout=asyncio.subprocess.PIPE,
    )
    output, _ = await process.communicate()
    return set(json.loads(output))


async def test_importing_the_workflows_imports_no_io_library() -> None:
    # Temporal itself imports subprocess; what must not come is what we would do I/O with.
    forbidden = set(FORBIDDEN_IN_WORKFLOWS) - {"subprocess"}
    found = await imported()
    assert "workflows.agent" in found
    assert not found & forbidden
    assert not {name for name in found if name.removeprefix("gopher.").partition(".")[0] in FORBIDDEN_OF_GOPHER}


@pytest.mark.parametrize("name", ["psycopg", "openai", "disnake", "httpx", "gopher.store.pool", "gopher.settings"])
async def test_the_sandbox_refuses_modules_with_io(stage: Stage, name: str) -> None:
    async with Worker(stage.client, task_queue="sandbox", workflows=[Importing], workflow_runner=workflow_runner()):
        with pytest.raises(WorkflowFailureError) as failure:
            await stage.client.execute_workflow(Importing.run, name, id=f"import/{name}", task_queue="sandbox")
    assert isinstance(failure.value.cause, ApplicationError)
    assert failure.value.cause.type == "restricted"
