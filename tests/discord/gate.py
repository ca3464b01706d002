"""A gate before a real server: while it is shut, the server is away for those who come through it."""

from __future__ import annotations

import asyncio
import contextlib
from urllib.parse import urlsplit, urlunsplit


class Gate:
    """Forwards a port of the loopback interface to a server's."""

    def __init__(self, server_url: str) -> None:
        self._parts = urlsplit(server_url)
        self._listener: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._port = 0

    @property
    def url(self) -> str:
        """The server's URL through the gate."""
        user, at, _ = self._parts.netloc.rpartition("@")
        return urlunsplit(self._parts._replace(netloc=f"{user}{at}127.0.0.1:{self._port}"))

    async def open(self) -> None:
        self._listener = await asyncio.start_server(self._forward, "127.0.0.1", self._port)
        self._port = self._listener.sockets[0].getsockname()[1]

    async def shut(self) -> None:
        """Refuse connections, and cut those that there are."""
        if self._listener is not None:
            self._listener.close()
        for writer in tuple(self._writers):
            writer.transport.abort()
        self._listener = None

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection(self._parts.hostname, self._parts.port)
        await asyncio.gather(self._copy(reader, back), self._copy(there, writer))

    async def _copy(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        self._writers.add(target)
        with contextlib.suppress(ConnectionError):
            while data := await source.read(65536):
                target.write(data)
                await target.drain()
        target.transport.abort()
        self._writers.discard(target)
