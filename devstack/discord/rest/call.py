"""A REST request as routes see it, its border crossed, and the table that finds the route."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from devstack.discord.documents import Form, JsonObject, JsonValue
from devstack.discord.errors import Code, Refused
from devstack.discord.objects import User
from devstack.discord.simulation import Simulation


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file of a multipart request."""

    field: str
    filename: str
    content_type: str
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a route answers. No payload means 204."""

    payload: JsonValue = None
    status: HTTPStatus = HTTPStatus.OK


NOTHING: Final = Answer(status=HTTPStatus.NO_CONTENT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request, its border crossed: the route's parameters, the caller, and the parsed body."""

    sim: Simulation
    caller: User | None
    """None on routes that a token in the path opens."""
    parameters: Mapping[str, str]
    query: Mapping[str, str]
    body: JsonValue
    uploads: tuple[Upload, ...] = ()

    @property
    def me(self) -> User:
        """Tell who asks."""
        if self.caller is None:
            raise Refused(Code.NO_TOKEN)
        return self.caller

    def id(self, name: str) -> int:
        """Read an id from the path, `@me` included.

        Raises:
            Refused: 50035, when it is no id.
        """
        text = self.parameters[name]
        if text.isascii() and text.isdigit():
            return int(text)
        problem: JsonObject = {"code": "NUMBER_TYPE_COERCE", "message": f'Value "{text}" is not snowflake.'}
        raise Refused(Code.INVALID_FORM_BODY, errors={name: {"_errors": [problem]}})

    def form(self) -> Form:
        """Read the body."""
        return Form(self.body if self.body is not None else {})

    def query_form(self) -> Form:
        """Read the query string as if it were a body."""
        return Form(dict(self.query))


@dataclass(frozen=True, slots=True)
class Route:
    """A documented route and what serves it."""

    method: str
    path: str
    """As in Discord's documentation, below `/api/v10`."""
    serve: Callable[[Call], Answer]
    open: bool = False
    """Whether it works without an Authorization header."""


class Routes:
    """Finds a route by method and path; literal segments win over parameters."""

    def __init__(self, routes: Sequence[Route]) -> None:
        self._root: _Node = _Node()
        for route in routes:
            node = self._root
            for segment in route.path.strip("/").split("/"):
                if segment.startswith("{"):
                    node.parameter = node.parameter or _Node()
                    node = node.parameter
                else:
                    node = node.literals.setdefault(segment, _Node())
            node.routes[route.method] = route

    def find(self, method: str, segments: Sequence[str]) -> tuple[Route, dict[str, str]] | HTTPStatus:
        """Find a route and its parameters, or say 404 or 405."""
        node = self._root.descend(segments, method)
        if node is None:
            known = self._root.descend(segments, None) is not None
            return HTTPStatus.METHOD_NOT_ALLOWED if known else HTTPStatus.NOT_FOUND
        route = node.routes[method]
        names = route.path.strip("/").split("/")
        return route, {n[1:-1]: v for n, v in zip(names, segments, strict=True) if n.startswith("{")}


class _Node:
    def __init__(self) -> None:
        self.literals: dict[str, _Node] = {}
        self.parameter: _Node | None = None
        self.routes: dict[str, Route] = {}

    def descend(self, segments: Sequence[str], method: str | None) -> _Node | None:
        """Find the node of a path that serves a method, or any method for None."""
        if not segments:
            return self if method in self.routes or (method is None and self.routes) else None
        literal = self.literals.get(segments[0])
        found = literal.descend(segments[1:], method) if literal is not None else None
        if found is None and self.parameter is not None:
            found = self.parameter.descend(segments[1:], method)
        return found
