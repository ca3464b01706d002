"""A workflow that imports what it is told to, for the tests of the sandbox."""

from __future__ import annotations

from temporalio import workflow
from temporalio.exceptions import ApplicationError
from temporalio.worker.workflow_sandbox import RestrictedWorkflowAccessError


@workflow.defn
class Importing:
    """Fails with `restricted` where the sandbox refuses the module."""

    @workflow.run
    async def run(self, name: str) -> str:
        try:
            __import__(name)
        except RestrictedWorkflowAccessError as error:
            raise ApplicationError(error.qualified_name, type="restricted") from None
        return name
