"""The border to Temporal: one way to connect, the data converter, the search attributes of runs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from datetime import timedelta
from time import monotonic
from typing import TYPE_CHECKING, Final

from temporalio.api.enums.v1 import IndexedValueType
from temporalio.api.operatorservice.v1 import AddSearchAttributesRequest, ListSearchAttributesRequest
from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest
from temporalio.client import Client, KeepAliveConfig, Plugin, RetryConfig
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.runtime import LogForwardingConfig, LoggingConfig, Runtime, TelemetryConfig, TelemetryFilter
from temporalio.service import RPCError, RPCStatusCode

from gopher.domain.visibility import SearchAttribute
from gopher.errors import ConfigurationError

if TYPE_CHECKING:
    from gopher.settings import Settings

DEFAULT_ADDRESS: Final = "127.0.0.1:7233"
"""Where a Temporal server listens when nobody says otherwise."""

COMPLAIN_AFTER: Final = timedelta(seconds=5)
"""A server that starts beside us needs one or two; whoever waits longer wants to know for what."""

CONNECT_PAUSE: Final = timedelta(milliseconds=250)
"""Between attempts to connect: a dev server is up 0.13 to 1.2 s after its start."""

VISIBLE_WITHIN: Final = timedelta(seconds=30)
"""New search attributes take a moment to be known to all parts of a server (its caches live for 10 s)."""

RPC_RETRY: Final = RetryConfig(initial_interval_millis=50, max_elapsed_time_millis=1500, max_retries=3)
"""With the default an attempt to start a workflow while the server is away takes 5.7 to 9.6 s (measured), in which
nothing else is started; with this 0.3 s, and the outbox tries again. Workers retry their own calls by a policy of their
own."""

logger = logging.getLogger(__name__)


async def connect(
    settings: Settings,
    *,
    plugins: Sequence[Plugin] = (),
    runtime: Runtime | None = None,
    patience: timedelta | None = None,
) -> Client:
    """Connect, waiting for a server that is away: after 5 s one line says so.

    Args:
        settings: Address and namespace.
        plugins: For the client and the workers made of it.
        runtime: None means the process's default one.
        patience: How long to wait in all; None means for ever.

    Raises:
        ConfigurationError: the namespace does not exist, or patience is over.
    """
    address = settings.temporal_address or DEFAULT_ADDRESS
    begun = monotonic()
    complained = False
    while True:
        try:
            client = await _connect_once(address, settings.temporal_namespace, plugins, runtime)
        except (RuntimeError, RPCError) as error:
            waited = timedelta(seconds=monotonic() - begun)
            if patience is not None and waited >= patience:
                raise ConfigurationError(
                    f"Temporal does not answer at {address}: start it there, or set TEMPORAL_ADDRESS to where it is.",
                    code="temporal_unavailable",
                ) from error
            if waited >= COMPLAIN_AFTER and not complained:
                complained = True
                logger.warning("Temporal does not answer at %s (TEMPORAL_ADDRESS): waiting for it", address)
        else:
            if complained:
                logger.warning("Temporal answers at %s", address)
            return client
        await asyncio.sleep(CONNECT_PAUSE.total_seconds())


async def _connect_once(address: str, namespace: str, plugins: Sequence[Plugin], runtime: Runtime | None) -> Client:
    client = await Client.connect(
        address,
        namespace=namespace,
        data_converter=pydantic_data_converter,
        plugins=plugins,
        runtime=runtime,
        retry_config=RPC_RETRY,
        # A server that froze is noticed after 15 s instead of never.
        keep_alive_config=KeepAliveConfig(interval_millis=10_000, timeout_millis=5_000),
    )
    await _check_namespace(client)
    return client


async def _check_namespace(client: Client) -> None:
    request = DescribeNamespaceRequest(namespace=client.namespace)
    try:
        await client.workflow_service.describe_namespace(request, timeout=timedelta(seconds=5))
    except RPCError as error:
        if error.status is RPCStatusCode.NOT_FOUND:
            raise ConfigurationError(
                f"Temporal has no namespace {client.namespace!r}: create it with "
                f"`temporal operator namespace create {client.namespace}`, or set TEMPORAL_NAMESPACE.",
                code="temporal_namespace",
            ) from error
        if error.status is not RPCStatusCode.PERMISSION_DENIED:  # may start workflows, may not look at the namespace
            raise


async def ensure_search_attributes(client: Client) -> tuple[str, ...]:
    """Create the search attributes that are missing and wait until they can be used; return the names of those created.

    May be repeated and may run in several processes at once.

    Raises:
        ConfigurationError: one exists with another type, or they cannot be created.
    """
    missing = await _missing_search_attributes(client)
    if not missing:
        return ()
    request = AddSearchAttributesRequest(
        namespace=client.namespace,
        search_attributes=dict.fromkeys(missing, IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD),
    )
    try:
        await client.operator_service.add_search_attributes(request)
    except RPCError as error:
        if error.status is not RPCStatusCode.ALREADY_EXISTS:
            raise ConfigurationError(
                f"Temporal did not create the search attributes {', '.join(missing)} ({error.status.name.lower()}): "
                "create them as Keyword with `temporal operator search-attribute create`.",
                code="search_attributes",
            ) from error
    deadline = monotonic() + VISIBLE_WITHIN.total_seconds()
    while await _missing_search_attributes(client):
        if monotonic() > deadline:
            raise ConfigurationError(
                f"Temporal does not show the search attributes {', '.join(missing)} after it created them.",
                code="search_attributes",
            )
        await asyncio.sleep(CONNECT_PAUSE.total_seconds())
    return missing


async def _missing_search_attributes(client: Client) -> tuple[str, ...]:
    request = ListSearchAttributesRequest(namespace=client.namespace)
    try:
        found = (await client.operator_service.list_search_attributes(request)).custom_attributes
    except RPCError as error:
        raise ConfigurationError(
            f"Temporal does not tell its search attributes ({error.status.name.lower()}).", code="search_attributes"
        ) from error
    keyword = IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD
    for attribute in SearchAttribute:
        kind = found.get(attribute.value, keyword)
        if kind != keyword:
            raise ConfigurationError(
                f"The search attribute {attribute} of the namespace {client.namespace!r} is of type "
                f"{IndexedValueType.Name(kind).removeprefix('INDEXED_VALUE_TYPE_').title()}, not Keyword: use another "
                "namespace (TEMPORAL_NAMESPACE), or remove the attribute there.",
                code="search_attributes",
            )
    return tuple(attribute.value for attribute in SearchAttribute if attribute.value not in found)


def create_runtime() -> Runtime:
    """Make the SDK's runtime: what its core has to say goes through this process's own logging."""
    return Runtime(
        telemetry=TelemetryConfig(
            logging=LoggingConfig(
                filter=TelemetryFilter(core_level="WARN", other_level="ERROR"),
                forwarding=LogForwardingConfig(logger=logging.getLogger("temporalio.core")),
            )
        )
    )
