"""Discord's published description of its HTTP API, as a judge of requests and answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import ValidationError
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

DESCRIPTION: Final = Path(__file__).parents[3] / "shared" / "data" / "discord-openapi.json"
_URI: Final = "urn:discord-openapi"
_COMPOSED: Final = frozenset({"ErrorResponse", "RatelimitedResponse"})
"""Made of several schemas: closing one of them would exclude the members of the others."""
_FORMATS: Final = FormatChecker(formats=())


@_FORMATS.checks("date-time", raises=ValueError)
def _is_moment(value: object) -> bool:
    return not isinstance(value, str) or datetime.fromisoformat(value).tzinfo is not None


@_FORMATS.checks("uri")
def _is_uri(value: object) -> bool:
    return not isinstance(value, str) or urlsplit(value).scheme in ("http", "https", "ws", "wss", "attachment")


@_FORMATS.checks("int32")
def _is_int32(value: object) -> bool:
    return not isinstance(value, int) or -(1 << 31) <= value < 1 << 31


class DiscordDescription:
    """Validates against the description; raises AssertionError with the place and the reason."""

    def __init__(self) -> None:
        if not DESCRIPTION.is_file():
            raise AssertionError(
                f"Discord's OpenAPI description is not at {DESCRIPTION}: check this repository out beside the folder "
                "`shared` that has data/discord-openapi.json."
            )
        self._document: dict[str, Any] = json.loads(DESCRIPTION.read_text(encoding="utf-8"))
        _mend(self._document["components"]["schemas"])
        registry: Registry[Any] = Registry[Any]()
        self._registry = registry.with_resource(_URI, Resource[Any](contents=self._document, specification=DRAFT202012))
        self._validators: dict[str, Draft202012Validator] = {}
        self.paths: Final[dict[str, dict[str, Any]]] = self._document["paths"]

    def describes(self, method: str, route: str) -> bool:
        return method.lower() in self.paths.get(route, {})

    def check_request(self, method: str, route: str, body: object) -> None:
        """Check a body that was accepted."""
        operation = self.paths[route][method.lower()]
        content = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if content is None:
            assert body is None, f"{method} {route} takes no body, and {body!r} was accepted"
            return
        pointer = self._pointer(route, method, "requestBody", "content", "application/json", "schema")
        self._check(pointer, body if body is not None else {}, f"request of {method} {route}")

    def check_response(self, method: str, route: str, status: int, body: object) -> None:
        """Check an answer: its status is described, and its body fits."""
        responses = self.paths[route][method.lower()]["responses"]
        name = str(status) if str(status) in responses else f"{status // 100}XX"
        what = f"answer {status} of {method} {route}"
        assert name in responses, f"{what} is not described; there are {sorted(responses)}"
        if "$ref" in responses[name]:
            pointer = responses[name]["$ref"].removeprefix("#") + self._pointer_of(
                "content", "application/json", "schema"
            )
        elif "content" in responses[name]:
            pointer = self._pointer(route, method, "responses", name, "content", "application/json", "schema")
        else:
            assert body is None, f"{what} has no body by the description, and had {body!r}"
            return
        self._check(pointer, body, what)

    def described(self) -> Iterator[tuple[str, str]]:
        """List all operations."""
        for route, operations in self.paths.items():
            for method in operations:
                if method in ("get", "put", "post", "patch", "delete"):
                    yield method.upper(), route

    def _pointer(self, route: str, method: str, *keys: str) -> str:
        return self._pointer_of("paths", route, method.lower(), *keys)

    def _pointer_of(self, *keys: str) -> str:
        return "".join("/" + k.replace("~", "~0").replace("/", "~1") for k in keys)

    def _check(self, pointer: str, value: Any, what: str) -> None:  # noqa: ANN401 - JSON
        validator = self._validators.get(pointer)
        if validator is None:
            schema = {"$ref": f"{_URI}#{pointer}"}
            validator = Draft202012Validator(schema, registry=self._registry, format_checker=_FORMATS)
            self._validators[pointer] = validator
        found = validator.iter_errors(value)  # pyright: ignore[reportUnknownMemberType] - its other overload is untyped
        error: ValidationError | None = next(iter(found), None)
        if error is None:
            return
        error = _deepest(error)
        place = "/".join(str(p) for p in error.absolute_path)
        raise AssertionError(f"{what} does not fit at /{place}: {error.message[:600]}")


def _deepest(error: ValidationError) -> ValidationError:
    """Find the reason in the alternative that came closest: the one that failed farthest inside."""
    reasons: list[ValidationError] = list(error.context or ())
    if not reasons:
        return error
    return _deepest(max(reasons, key=lambda reason: len(reason.absolute_path)))


def _mend(schemas: dict[str, Any]) -> None:
    """Mend the description where Discord contradicts it, and close its objects, so that invented members are found."""
    schemas["InnerErrors"]["properties"]["_errors"]["items"] = {
        "type": "object",
        "properties": {"code": {"type": "string"}, "message": {"type": "string"}},  # codes in there are words
        "required": ["code", "message"],
    }
    schemas["ApplicationCommandInteractionMetadataResponse"]["properties"]["name"] = {"type": "string"}
    for name, schema in schemas.items():
        if name.endswith("Response") and name not in _COMPOSED and "properties" in schema:
            schema.setdefault("additionalProperties", False)
