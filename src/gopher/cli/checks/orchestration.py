"""Temporal: reachable, namespace, search attributes with their type, and whether somebody serves the task queues."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Final

from temporalio.api.enums.v1 import IndexedValueType, TaskQueueType
from temporalio.api.operatorservice.v1 import ListSearchAttributesRequest
from temporalio.api.taskqueue.v1 import TaskQueue as TaskQueueName
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest, GetSystemInfoRequest
from temporalio.client import Client
from temporalio.service import RPCError

from gopher.cli.checks.findings import Finding
from gopher.domain.runs import TaskQueue
from gopher.domain.visibility import SearchAttribute
from gopher.errors import ConfigurationError
from gopher.settings import Settings
from gopher.temporal import DEFAULT_ADDRESS, connect

PART: Final = "temporal"
PATIENCE: Final = timedelta(seconds=2)
"""For a server that is just starting; one that is away stays away."""
ANSWER_WITHIN: Final = timedelta(seconds=15)
"""For everything: a frozen server takes a connection and then says nothing."""
POLLED_WITHIN: Final = timedelta(minutes=2)
"""A worker asks anew at least once a minute; the server remembers one that is gone for five."""
SERVERS: Final = ((TaskQueue.GOPHER, "worker.py"), (TaskQueue.DISCORD, "bot.py"))


async def examine(settings: Settings) -> list[Finding]:
    """Look at the server and namespace of the settings."""
    address = settings.temporal_address or DEFAULT_ADDRESS
    try:
        async with asyncio.timeout(ANSWER_WITHIN.total_seconds()):
            client = await connect(settings, patience=PATIENCE)
            system = await client.workflow_service.get_system_info(GetSystemInfoRequest())
            server = f"Temporal {system.server_version} at {address}, namespace {client.namespace}"
            queues = [await _queue(client, queue, program) for queue, program in SERVERS]
            return [Finding(part=PART, what=server), await _attributes(client), *queues]
    except TimeoutError:
        remedy = "Restart the server, or correct TEMPORAL_ADDRESS."
        return [Finding(part=PART, what=f"it does not answer in time at {address}", remedy=remedy)]
    except ConfigurationError as error:
        what, _, remedy = str(error).partition(": ")
        return [Finding(part=PART, what=what.rstrip("."), remedy=_capital(remedy) or "Correct TEMPORAL_ADDRESS.")]
    except RPCError as error:
        remedy = "Give this client the rights to describe the namespace, or look into the server's log."
        return [Finding(part=PART, what=f"it refuses to answer ({error.status.name.lower()})", remedy=remedy)]


async def _attributes(client: Client) -> Finding:
    request = ListSearchAttributesRequest(namespace=client.namespace)
    found = (await client.operator_service.list_search_attributes(request)).custom_attributes
    keyword = IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD
    missing = [attribute.value for attribute in SearchAttribute if attribute.value not in found]
    wrong = [attribute.value for attribute in SearchAttribute if found.get(attribute.value, keyword) != keyword]
    if wrong:
        what = f"search attributes of another type than Keyword: {', '.join(wrong)}"
        remedy = "Use another namespace (TEMPORAL_NAMESPACE), or remove these attributes there."
        return Finding(part=PART, what=what, remedy=remedy)
    if missing:
        what = f"search attributes are missing: {', '.join(missing)}"
        remedy = (
            "Start worker.py, which creates them, or create them with `temporal operator search-attribute create` "
            "as Keyword."
        )
        return Finding(part=PART, what=what, remedy=remedy)
    return Finding(part=PART, what=f"search attributes {', '.join(SearchAttribute)} (Keyword)")


async def _queue(client: Client, queue: TaskQueue, program: str) -> Finding:
    request = DescribeTaskQueueRequest(
        namespace=client.namespace,
        task_queue=TaskQueueName(name=queue.value),
        task_queue_type=TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
    )
    answer = await client.workflow_service.describe_task_queue(request)
    since = datetime.now(UTC) - POLLED_WITHIN
    serving = sum(poller.last_access_time.ToDatetime(UTC) > since for poller in answer.pollers)
    if serving:
        return Finding(part=PART, what=f"task queue {queue}: served by {serving} {program}")
    return Finding(part=PART, what=f"task queue {queue}: nobody serves it", remedy=f"Start ./gopher up, or {program}.")


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
