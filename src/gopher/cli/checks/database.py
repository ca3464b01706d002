"""PostgreSQL: version, encoding, extensions, trigrams of every script, schema."""

from __future__ import annotations

from typing import Final

from gopher.cli.checks.findings import Finding
from gopher.errors import GopherError
from gopher.settings import Settings
from gopher.store import checkup
from gopher.store.checkup import DatabaseFacts
from gopher.store.schema import LOWEST_SERVER_VERSION, REQUIRED_EXTENSIONS

PART: Final = "postgresql"
NEW_DATABASE: Final = (
    "create database gopher template template0 encoding 'UTF8' locale_provider builtin builtin_locale 'C.UTF-8'"
)
"""Knows the letters of every script, is the same on every machine, and exists since PostgreSQL 17."""


async def examine(settings: Settings) -> list[Finding]:
    """Look at the database of the settings."""
    if settings.database_url is None:
        return [Finding(part=PART, what="no database is set", remedy="Start ./gopher up, or set DATABASE_URL.")]
    try:
        facts = await checkup.examine(settings.database_url)
    except GopherError as error:
        remedy = "Start the server, or correct DATABASE_URL."
        return [Finding(part=PART, what=str(error).rstrip("."), remedy=remedy)]
    extensions = [_extension(facts, name) for name in REQUIRED_EXTENSIONS]
    return [_server(facts), *extensions, _trigrams(facts), _schema(facts)]


def _server(facts: DatabaseFacts) -> Finding:
    what = f"PostgreSQL {facts.version}, encoding {facts.encoding}"
    if not facts.recent_enough:
        lowest = LOWEST_SERVER_VERSION // 10000
        return Finding(part=PART, what=what, remedy=f"Use PostgreSQL {lowest} or newer; 18 is what is tested.")
    if facts.encoding != "UTF8":
        return Finding(part=PART, what=what, remedy=f"Move to a new database: {NEW_DATABASE}.")
    return Finding(part=PART, what=what)


def _extension(facts: DatabaseFacts, name: str) -> Finding:
    if name not in facts.extensions:
        remedy = "Install pgvector and PostgreSQL's contrib modules on the server."
        return Finding(part=PART, what=f"extension {name} is not on the server", remedy=remedy)
    version = facts.extensions[name]
    if version is None:
        remedy = f"Start worker.py, which creates it, or let a superuser run: create extension {name}."
        return Finding(part=PART, what=f"extension {name} is not in the database", remedy=remedy)
    return Finding(part=PART, what=f"extension {name} {version}")


def _trigrams(facts: DatabaseFacts) -> Finding:
    if facts.blind_scripts is None:
        remedy = "Create the extension pg_trgm first."
        return Finding(part=PART, what="trigrams cannot be tried without pg_trgm", remedy=remedy)
    if facts.blind_scripts:
        remedy = f"Move to a database whose locale knows every letter: {NEW_DATABASE}."
        what = f"locale {facts.locale}: no trigrams of {', '.join(facts.blind_scripts)}"
        return Finding(part=PART, what=what, remedy=remedy)
    return Finding(part=PART, what=f"locale {facts.locale}: trigrams of all {len(checkup.SAMPLES)} scripts tried")


def _schema(facts: DatabaseFacts) -> Finding:
    what = f"schema version {facts.schema_version} of {facts.shipped_version}"
    if facts.schema_version < facts.shipped_version:
        return Finding(part=PART, what=what, remedy="Start worker.py, which brings the schema up to date.")
    if facts.schema_version > facts.shipped_version:
        return Finding(part=PART, what=what, remedy="Update Gopher: a newer version has worked with this database.")
    return Finding(part=PART, what=what)
