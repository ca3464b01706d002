"""The gateway, version 10: one WebSocket connection from hello to its end, plain JSON or zlib-stream."""

from __future__ import annotations

import asyncio
import zlib
from enum import IntEnum
from typing import Final

from aiohttp import WSMsgType, web

from devstack.discord.documents import Form, JsonValue, ReadObject, dumps, is_object, parse
from devstack.discord.intents import KNOWN, PRIVILEGED, Intent
from devstack.discord.ready import announce_presence, greet, send_members
from devstack.discord.sessions import Session
from devstack.discord.simulation import Simulation

HEARTBEAT_SECONDS: Final = 41.25
"""Discord's own interval."""
_MAXIMUM_PAYLOAD: Final = 15_360
"""Bytes of one message from a client, by Discord's documentation; more closes with 4002."""
_NORMAL: Final = frozenset({1000, 1001})
"""A client that closes with these ends its session; it cannot be resumed."""


class Op(IntEnum):
    """Gateway opcodes."""

    DISPATCH = 0
    HEARTBEAT = 1
    IDENTIFY = 2
    PRESENCE = 3
    VOICE_STATE = 4
    RESUME = 6
    RECONNECT = 7
    REQUEST_MEMBERS = 8
    INVALID_SESSION = 9
    HELLO = 10
    HEARTBEAT_ACK = 11


class Close(IntEnum):
    """Close codes of the gateway."""

    UNKNOWN_OPCODE = 4001
    DECODE_ERROR = 4002
    NOT_AUTHENTICATED = 4003
    AUTHENTICATION_FAILED = 4004
    ALREADY_AUTHENTICATED = 4005
    INVALID_SEQUENCE = 4007
    TIMED_OUT = 4009
    INVALID_SHARD = 4010
    INVALID_INTENTS = 4013
    DISALLOWED_INTENTS = 4014


class Connection:
    """One WebSocket. Texts are pushed without waiting; a task sends them in order."""

    def __init__(self, sim: Simulation, request: web.Request) -> None:
        self._sim = sim
        self._request = request
        self._socket = web.WebSocketResponse(max_msg_size=1 << 20)
        self._compressor = zlib.compressobj() if request.query.get("compress") == "zlib-stream" else None
        self._outbox: asyncio.Queue[str | None] = asyncio.Queue()
        self._close_code = 0
        self.session: Session | None = None

    # --- what sessions use

    def push(self, text: str) -> None:
        """Send a text after those before it."""
        self._outbox.put_nowait(text)

    def hang_up(self, code: int) -> None:
        """Close the connection after what was pushed; with 0, cut it at once and without a word."""
        if code == 0:
            transport = self._request.transport
            if transport is not None:
                transport.abort()
        self._close_code = code
        self._outbox.put_nowait(None)

    # --- the connection's life

    async def serve(self) -> web.WebSocketResponse:
        """Run the connection until it ends."""
        if self._sim.faults.refuse_connections:
            raise web.HTTPServiceUnavailable(text="The gateway takes no connections now.\n")
        await self._socket.prepare(self._request)
        sender = asyncio.create_task(self._send_all())
        try:
            self._op(Op.HELLO, {"heartbeat_interval": int(HEARTBEAT_SECONDS * 1000), "_trace": ["simulated-gateway"]})
            await self._receive_all()
        finally:
            self._leave()
            self._outbox.put_nowait(None)
            await sender
        return self._socket

    async def _send_all(self) -> None:
        while (text := await self._outbox.get()) is not None:
            try:
                if self._compressor is None:
                    await self._socket.send_str(text)
                else:
                    data = self._compressor.compress(text.encode()) + self._compressor.flush(zlib.Z_SYNC_FLUSH)
                    await self._socket.send_bytes(data)
            except ConnectionError:
                return  # the peer went away; the receiving side notices it too and cleans up
        if self._close_code:
            await self._socket.close(code=self._close_code)

    async def _receive_all(self) -> None:
        while True:
            try:
                message = await self._socket.receive(timeout=HEARTBEAT_SECONDS * 1.5)
            except TimeoutError:
                self.hang_up(Close.TIMED_OUT)
                return
            if message.type is not WSMsgType.TEXT and message.type is not WSMsgType.BINARY:
                return
            code = self._react(_parsed(message.data))
            if code is not None:
                self.hang_up(code)
                return

    def _react(self, message: ReadObject | None) -> Close | None:
        """React to one message; a close code ends the connection."""
        if message is None:
            return Close.DECODE_ERROR
        body = message.get("d")
        match message.get("op"):
            case Op.HEARTBEAT:
                if isinstance(body, int) and self.session is not None:
                    self.session.acknowledge(body)
                self._op(Op.HEARTBEAT_ACK, None)
            case Op.IDENTIFY:
                return self._identify(Form(body))
            case Op.RESUME:
                return self._resume(Form(body))
            case Op.PRESENCE | Op.VOICE_STATE | Op.REQUEST_MEMBERS as op:
                return self._in_session(op, Form(body))
            case _:
                return Close.UNKNOWN_OPCODE
        return None

    def _in_session(self, op: int, form: Form) -> Close | None:
        if self.session is None:
            return Close.NOT_AUTHENTICATED
        if op == Op.REQUEST_MEMBERS:
            send_members(self._sim, self.session, form)
        elif op == Op.PRESENCE:
            self.session.status = form.text("status", maximum=20) or "online"
            announce_presence(self._sim, self.session.user.id)
        return None

    def _identify(self, form: Form) -> Close | None:
        if self.session is not None:
            return Close.ALREADY_AUTHENTICATED
        token = form.text("token", maximum=200) or ""
        user = self._sim.world.user_of_token(token.removeprefix("Bot "))
        if user is None:
            return Close.AUTHENTICATION_FAILED
        intents = form.integer("intents")
        if user.bot:
            if intents is None or intents < 0 or intents & ~KNOWN:
                return Close.INVALID_INTENTS
            if Intent(intents) & PRIVILEGED & ~self._sim.privileged_intents:
                return Close.DISALLOWED_INTENTS
        shard = form.data.get("shard")
        match shard:
            case None:
                place = (0, 1)
            case [int(index), int(count)] if 0 <= index < count:
                place = (index, count)
            case _:
                return Close.INVALID_SHARD
        self.session = self._sim.sessions.open(user, Intent(intents or 0), place, self)
        presence = form.form("presence")
        if presence is not None:
            self.session.status = presence.text("status", maximum=20) or "online"
        greet(self._sim, self.session)
        announce_presence(self._sim, user.id)
        return None

    def _resume(self, form: Form) -> Close | None:
        if self.session is not None:
            return Close.ALREADY_AUTHENTICATED
        user = self._sim.world.user_of_token((form.text("token", maximum=200) or "").removeprefix("Bot "))
        if user is None:
            return Close.AUTHENTICATION_FAILED
        session_id = form.text("session_id", maximum=100) or ""
        sequence = form.integer("seq") or 0
        if self._sim.faults.take_invalid_resume():
            self._op(Op.INVALID_SESSION, False)
            return None
        self.session = self._sim.sessions.resume(session_id, user, sequence, self)
        if self.session is None:
            self._op(Op.INVALID_SESSION, False)
        else:
            announce_presence(self._sim, user.id)
        return None

    def _leave(self) -> None:
        if self.session is None:
            return
        if self._socket.close_code in _NORMAL and self._close_code == 0:
            self._sim.sessions.end(self.session)
        else:
            self._sim.sessions.lose(self.session, self)
        announce_presence(self._sim, self.session.user.id)

    def _op(self, op: Op, body: JsonValue) -> None:
        self.push(dumps({"op": int(op), "d": body, "s": None, "t": None}))


def _parsed(data: str | bytes) -> ReadObject | None:
    """Parse a client's message; None for what is too long, no JSON, or no object."""
    if len(data) > _MAXIMUM_PAYLOAD:
        return None
    try:
        message = parse(data)
    except ValueError:
        return None
    return message if is_object(message) else None


def ask_to_reconnect(session: Session) -> None:
    """Send op 7: the client is to reconnect and resume."""
    if session.wire is not None:
        session.wire.push(dumps({"op": int(Op.RECONNECT), "d": None, "s": None, "t": None}))


def invalidate(session: Session, *, resumable: bool) -> None:
    """Send op 9: the session is over, or is to be resumed on a new connection."""
    if session.wire is not None:
        session.wire.push(dumps({"op": int(Op.INVALID_SESSION), "d": resumable, "s": None, "t": None}))
