"""The border to Temporal: what is created, what is refused in a sentence, what is waited for."""

from __future__ import annotations

from datetime import timedelta

import pytest
from temporalio.api.enums.v1 import IndexedValueType
from temporalio.api.operatorservice.v1 import (
    AddSearchAttributesRequest,
    ListSearchAttributesRequest,
    RemoveSearchAttributesRequest,
)
from temporalio.client import Client

from gopher.domain.visibility import SearchAttribute
from gopher.errors import ConfigurationError
from gopher.settings import Settings
from gopher.temporal import connect, ensure_search_attributes


def settings(address: str, namespace: str) -> Settings:
    return Settings(
        _env_file=None,  # pyright: ignore[reportCallIssue] # taken by pydantic-settings, hidden from type checkers
        temporal_address=address,
        temporal_namespace=namespace,
    )


async def test_connecting_gives_a_client_of_the_namespace(temporal_address: str, namespace: str) -> None:
    client = await connect(settings(temporal_address, namespace))
    assert client.namespace == namespace


async def test_a_missing_namespace_is_named_with_the_remedy(temporal_address: str) -> None:
    with pytest.raises(ConfigurationError, match=r"no namespace 'nowhere': create it with .*TEMPORAL_NAMESPACE"):
        await connect(settings(temporal_address, "nowhere"))


async def test_patience_with_a_server_that_is_away_ends_in_a_sentence() -> None:
    with pytest.raises(ConfigurationError, match=r"does not answer at 127.0.0.1:9.*TEMPORAL_ADDRESS"):
        await connect(settings("127.0.0.1:9", "default"), patience=timedelta(milliseconds=300))


async def attributes(client: Client) -> dict[str, int]:
    request = ListSearchAttributesRequest(namespace=client.namespace)
    return dict((await client.operator_service.list_search_attributes(request)).custom_attributes)


async def test_missing_search_attributes_are_created_once(temporal_address: str, namespace: str) -> None:
    client = await connect(settings(temporal_address, namespace))
    assert await ensure_search_attributes(client) == ()
    names = [SearchAttribute.STATUS.value, SearchAttribute.ERROR.value]
    await client.operator_service.remove_search_attributes(
        RemoveSearchAttributesRequest(namespace=namespace, search_attributes=names)
    )
    assert set(await ensure_search_attributes(client)) == set(names)
    assert await ensure_search_attributes(client) == ()
    found = await attributes(client)
    assert {found[name] for name in SearchAttribute} == {IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD}


async def test_a_search_attribute_of_another_type_is_refused(temporal_address: str, namespace: str) -> None:
    client = await connect(settings(temporal_address, namespace))
    name = SearchAttribute.ERROR.value
    await client.operator_service.remove_search_attributes(
        RemoveSearchAttributesRequest(namespace=namespace, search_attributes=[name])
    )
    await client.operator_service.add_search_attributes(
        AddSearchAttributesRequest(
            namespace=namespace, search_attributes={name: IndexedValueType.INDEXED_VALUE_TYPE_INT}
        )
    )
    with pytest.raises(ConfigurationError, match=r"ErrorCode of the namespace .* is of type Int, not Keyword"):
        await ensure_search_attributes(client)
