"""What `./gopher up` runs for given settings: which parts, on which ports, and what their processes are told."""

from __future__ import annotations

import os
from dataclasses import dataclass

from devstack import offline_model
from devstack.data_directory import DataDirectory
from devstack.discord import seed
from devstack.ports import LOOPBACK, free_port, is_free, require_free
from devstack.postgres import Postgres
from devstack.program import ROOT, Program
from devstack.supervisor import Part
from devstack.temporal import Temporal
from devstack.valkey import Valkey
from gopher.settings import Settings
from gopher.store.schema import migrate

PREFERRED_PORTS = {"discord": 8100, "temporal-ui": 8233}
"""What people open in a browser has the same address everywhere, if it is free."""
DEMO_KEY = "offline-demo-model"
"""The stand-in takes any key; this one says what it is to whoever finds it in a process's environment."""

UNUSED_KEY = "none"
"""For providers that want no key: the client library insists on one."""


class MigratedPostgres(Postgres):
    """PostgreSQL that is ready when its schema is: so the bot and the worker start side by side."""

    async def start(self) -> None:
        """Start, and bring the database to the current schema."""
        await super().start()
        await migrate(self.url)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """The plan."""

    parts: tuple[tuple[Part, frozenset[str]], ...]
    """Each with the names of those that must be ready before it; names that are not in the plan do not count."""
    settings: dict[str, str]
    """Variables that lead to what is embedded or stands in; empty when the settings name everything."""
    chat_page: str | None
    """None with a real Discord."""
    temporal_ui: str | None


class Ports:
    """Hands out ports: the ones of the last time, or preferred ones, or free ones."""

    def __init__(self, data: DataDirectory) -> None:
        self._data = data
        self._remembered = data.remembered_ports()
        self.given: dict[str, int] = {}

    def choose(self, name: str) -> int:
        """A free port for a name."""
        wanted = (self._remembered.get(name), PREFERRED_PORTS.get(name))
        usable = (port for port in wanted if port is not None and is_free(port) and port not in self.given.values())
        port = next(usable, None) or free_port()
        self.given[name] = port
        return port

    def insist(self, name: str, port: int) -> int:
        """Take exactly this port.

        Raises:
            ConfigurationError: it is in use.
        """
        require_free(port, f"--port {port}", "choose another, or leave --port out for a free one")
        self.given[name] = port
        return port


def plan(settings: Settings, data: DataDirectory, *, chat_port: int | None = None) -> Stack:
    """Decide what runs. Touches nothing but the file that remembers ports.

    Raises:
        ConfigurationError: the port that was asked for is in use.
    """
    planner = _Planner(settings, data)
    if settings.database_url is None:
        planner.add_postgres()
    if settings.redis_url is None:
        planner.add_valkey()
    if settings.temporal_address is None:
        planner.add_temporal()
    if settings.discord_token is None:
        planner.add_discord(chat_port)
    if settings.openai_api_key is None and settings.openai_base_url is None:
        planner.add_providers()
    planner.add_processes()
    data.remember_ports(planner.ports.given)
    return planner.stack()


class _Planner:
    """Collects parts, and the variables that lead to them for the parts that come after."""

    def __init__(self, settings: Settings, data: DataDirectory) -> None:
        self.ports = Ports(data)
        self._settings = settings
        self._data = data
        self._parts: list[tuple[Part, frozenset[str]]] = []
        self._found: dict[str, str] = {}
        self._chat_page: str | None = None
        self._temporal_ui = settings.temporal_ui_url

    def stack(self) -> Stack:
        return Stack(
            parts=tuple(self._parts),
            settings=dict(self._found),
            chat_page=self._chat_page,
            temporal_ui=self._temporal_ui,
        )

    def add_postgres(self) -> None:
        directory = self._data.path / "postgres"
        postgres = MigratedPostgres(directory, log=self._data.log("postgres"), port=self.ports.choose("postgres"))
        self._found["DATABASE_URL"] = postgres.url
        self._add(postgres)

    def add_valkey(self) -> None:
        directory = self._data.path / "valkey"
        valkey = Valkey(directory, log=self._data.log("valkey"), port=self.ports.choose("valkey"))
        self._found["REDIS_URL"] = valkey.url
        self._add(valkey)

    def add_temporal(self) -> None:
        temporal = Temporal(
            self._data.path / "temporal" / "temporal.db",
            log=self._data.log("temporal"),
            port=self.ports.choose("temporal"),
            ui_port=self.ports.choose("temporal-ui"),
            namespace=self._settings.temporal_namespace,
        )
        self._temporal_ui = self._temporal_ui or temporal.ui_url
        self._found |= {"TEMPORAL_ADDRESS": temporal.address, "TEMPORAL_UI_URL": self._temporal_ui}
        self._add(temporal)

    def add_discord(self, asked_port: int | None) -> None:
        port = self.ports.choose("discord") if asked_port is None else self.ports.insist("discord", asked_port)
        self._chat_page = f"http://{LOOPBACK}:{port}/"
        self._found |= {"DISCORD_TOKEN": seed.BOT_TOKEN, "DISCORD_API_URL": f"http://{LOOPBACK}:{port}/api/v10"}
        arguments = ["-m", "devstack.discord.server", "--port", str(port), "--data", str(self._data.path / "discord")]
        if self._temporal_ui is not None:
            arguments += ["--temporal-ui", self._temporal_ui, "--namespace", self._settings.temporal_namespace]
        self._add(self._program("discord", arguments, port=port, page=self._chat_page))

    def add_providers(self) -> None:
        port = self.ports.choose("providers")
        self._found |= {
            "OPENAI_API_KEY": DEMO_KEY,
            "OPENAI_BASE_URL": f"http://{LOOPBACK}:{port}/v1",
            "CHAT_MODEL": offline_model.MODEL_NAME,
        }
        self._add(self._program("providers", ["-m", "devstack.providers", "--port", str(port)], port=port))

    def add_processes(self) -> None:
        if self._settings.openai_base_url is not None and self._settings.openai_api_key is None:
            self._found["OPENAI_API_KEY"] = UNUSED_KEY
        servers = ("postgres", "valkey", "temporal")
        self._add(self._program("worker", [str(ROOT / "worker.py")]), *servers, "providers")
        self._add(self._program("bot", [str(ROOT / "bot.py")]), *servers, "discord")

    def _add(self, part: Part, *after: str) -> None:
        self._parts.append((part, frozenset(after)))

    def _program(self, name: str, arguments: list[str], *, port: int | None = None, page: str | None = None) -> Program:
        return Program(
            name,
            arguments,
            log=self._data.log(name),
            ready_file=self._data.path / "ready" / name,
            environment={**os.environ, **self._found},
            port=port,
            page=page,
        )
