"""The sandbox of workflows: pure code is shared with it, code with I/O cannot be imported in it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from temporalio.converter import StorageDriverStoreContext
from temporalio.worker import WorkflowInstance, WorkflowInstanceDetails
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner, SandboxMatcher, SandboxRestrictions

if TYPE_CHECKING:
    from temporalio.bridge.proto.workflow_activation import WorkflowActivation
    from temporalio.bridge.proto.workflow_completion import WorkflowActivationCompletion
    from temporalio.workflow import Info

PASSED_THROUGH: Final = (
    "activities",
    "gopher.domain",
    "gopher.errors",
    "opentelemetry",
    "pydantic",
    "workflows.failures",
    "workflows.policies",
)
"""Loaded once instead of once a workflow: 3 ms instead of 13 an instance (measured). All of it is pure as far as
workflows import it, which `FORBIDDEN_IN_WORKFLOWS` makes certain."""

FORBIDDEN_IN_WORKFLOWS: Final = (
    "aiohttp",
    "devstack",
    "disnake",
    "firecrawl",
    "httpx",
    "httpx2",
    "openai",
    "psycopg",
    "psycopg_pool",
    "redis",
    "requests",
    "sqlite3",
    "subprocess",
)
"""Modules that no workflow may even import."""

FORBIDDEN_OF_GOPHER: Final = frozenset(
    {
        "cli",
        "configuration",
        "discord",
        "dispatch",
        "outage",
        "providers",
        "sandbox",
        "settings",
        "store",
        "telemetry",
        "temporal",
        "valkey",
    }
)


def workflow_runner() -> SandboxedWorkflowRunner:
    """Make the runner of workflows, for workers and replays."""
    restrictions = SandboxRestrictions.default.with_passthrough_modules(*PASSED_THROUGH)
    forbidden = SandboxMatcher(
        access=set(FORBIDDEN_IN_WORKFLOWS), children={"gopher": SandboxMatcher(access=set(FORBIDDEN_OF_GOPHER))}
    )
    return _Runner(restrictions=replace(restrictions, invalid_modules=restrictions.invalid_modules | forbidden))


@dataclass(frozen=True)
class _Runner(SandboxedWorkflowRunner):
    def create_instance(self, det: WorkflowInstanceDetails) -> WorkflowInstance:
        return _Instance(super().create_instance(det))


class _Instance(WorkflowInstance):
    """A sandboxed workflow that is not entered for what nobody asks.

    The SDK asks it, payload by payload, for the context that codecs and external storage may want: a tenth of a
    worker's time with everything of the product in it (measured). This project's converter has neither, so there is
    none to give.
    """

    def __init__(self, sandboxed: WorkflowInstance) -> None:
        self._sandboxed = sandboxed

    def activate(self, act: WorkflowActivation) -> WorkflowActivationCompletion:
        return self._sandboxed.activate(act)

    def get_serialization_context(self, command_info: object) -> None:
        del command_info

    def get_external_store_context(self, command_info: object) -> StorageDriverStoreContext:
        del command_info
        return StorageDriverStoreContext()

    def get_info(self) -> Info:
        return self._sandboxed.get_info()

    def get_thread_id(self) -> int | None:
        return self._sandboxed.get_thread_id()
