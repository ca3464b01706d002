"""Every SQL statement of the store is one that the migrated schema accepts."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator

import psycopg

import gopher.store

A_STATEMENT = re.compile(
    r"\s*(?:--[^\n]*\n\s*)*(?:select|insert|update|delete|with|merge|values|create|alter)\b", re.IGNORECASE
)
PARAMETER = re.compile(r"%\((\w+)\)s")
NOT_PREPARABLE = re.compile(r"\s*(?:create|alter)\b", re.IGNORECASE)


def statements() -> Iterator[tuple[str, str]]:
    """Every upper-case constant, of a module of the store or of a class in one, whose text begins like SQL."""
    for found in pkgutil.walk_packages(gopher.store.__path__, "gopher.store."):
        module = importlib.import_module(found.name)
        owned = [kind for _, kind in inspect.getmembers(module, inspect.isclass) if kind.__module__ == module.__name__]
        for owner in (module, *owned):
            for name, value in vars(owner).items():
                if name.lstrip("_").isupper() and isinstance(value, str) and A_STATEMENT.match(value):
                    yield f"{module.__name__}.{name}", value


def numbered(statement: str) -> str:
    """Write `%(name)s` as `$1`, `$2`, …, each name with its own number."""
    numbers = {name: number for number, name in enumerate(dict.fromkeys(PARAMETER.findall(statement)), start=1)}
    return PARAMETER.sub(lambda match: f"${numbers[match[1]]}", statement).replace("%%", "%")


async def test_every_statement_can_be_prepared_against_the_migrated_schema(database_url: str) -> None:
    problems: list[str] = []
    found = list(statements())
    async with await psycopg.AsyncConnection.connect(database_url, autocommit=True) as connection:
        for number, (name, statement) in enumerate(found):
            try:
                if NOT_PREPARABLE.match(statement):
                    async with connection.transaction(force_rollback=True):
                        await connection.execute(statement.encode())
                else:
                    await connection.execute(f"prepare s{number} as {numbered(statement)}".encode())
            except psycopg.Error as error:
                problems.append(f"{name}: {error}")
    assert not problems, "\n".join(problems)
    assert len(found) > 20


def test_every_named_parameter_has_a_cast() -> None:
    bare = [
        f"{name}: %({parameter})s"
        for name, statement in statements()
        for parameter in re.findall(r"%\((\w+)\)s(?!::)", statement)
    ]
    assert bare == []


def test_the_search_finds_the_statements_that_are_known_to_be_there() -> None:
    names = {name for name, _ in statements()}
    assert {
        "gopher.store.new_messages.SQL_RECORD_MESSAGES",
        "gopher.store.requests.SQL_CLAIM",
        "gopher.store.deliveries.SQL_SENT",
        "gopher.store.runs.SQL_FINISH",
    } <= names
