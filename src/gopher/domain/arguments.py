"""A tool's arguments: read leniently from what a model wrote, canonical for comparing, violations named by path."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Final, TypeVar, cast

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from gopher.errors import Rejected

INVALID_JSON: Final = "invalid_json"
INVALID_ARGUMENTS: Final = "invalid_arguments"

MOST_VIOLATIONS: Final = 6
"""A model mends a handful at once; a longer list only costs tokens."""

FINGERPRINT_LENGTH: Final = 32
"""Hexadecimal digits: 128 bits, far beyond chance for the calls of one run."""

_REPAIRS: Final = 3
"""Rounds of mending types: arguments nest at most so deep."""

_NOTHING: Final = ("", "null")

ArgumentsT = TypeVar("ArgumentsT", bound=BaseModel)


def parse_arguments(model: type[ArgumentsT], written: str) -> ArgumentsT:
    """Read arguments as a model wrote them.

    Nothing (`""`, `null`) means `{}`. Types that models plausibly confuse are coerced: `"5"` for 5, 5 for an id, one
    thing for a list of it, JSON inside a string, null for what has a default. Everything else is a violation.

    Raises:
        Rejected: `invalid_json`; or `invalid_arguments` with at most six violations, each as `path: what is wrong`. The
            sentence repeats no value.
    """
    value = _decode(written)
    for _ in range(_REPAIRS):
        try:
            return model.model_validate(value)
        except ValidationError as error:
            if not _repair(model, value, error.errors(include_url=False, include_context=False)):
                break
    try:
        return model.model_validate(value)
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=False, include_input=False)
        raise Rejected(_sentence(found), code=INVALID_ARGUMENTS) from None


def canonical_json(value: object) -> str:
    """Write JSON so that equal values give equal text: keys sorted, no spaces."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def fingerprint(name: str, arguments: BaseModel) -> str:
    """Hash a call so that equal calls are recognised, defaults written out or not."""
    return _digest(name, canonical_json(arguments.model_dump(mode="json")))


def raw_fingerprint(name: str, written: str) -> str:
    """Hash a call whose arguments cannot be read by what the model wrote."""
    return _digest(name, written.strip())


def _digest(name: str, text: str) -> str:
    return hashlib.sha256(f"{name}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()[:FINGERPRINT_LENGTH]


def _decode(written: str) -> dict[str, object]:
    if written.strip() in _NOTHING:
        return {}
    try:
        value: object = json.loads(written)
        if isinstance(value, str):  # JSON inside JSON, as some servers escape twice
            value = {} if value.strip() in _NOTHING else json.loads(value)
    except (ValueError, RecursionError):
        raise Rejected("The arguments are not JSON.", code=INVALID_JSON) from None
    if not isinstance(value, dict):
        raise Rejected("The arguments must be a JSON object.", code=INVALID_ARGUMENTS)
    return cast("dict[str, object]", value)


def _repair(model: type[BaseModel], value: dict[str, object], errors: Sequence[ErrorDetails]) -> bool:
    """Mend in place what has an obvious meaning; False when nothing was mended."""
    mended = False
    for error in errors:
        path = error["loc"]
        holder = _holder(value, path)
        if holder is None:
            continue
        found, key = holder, cast("str", path[-1])
        given = found[key]
        match error["type"]:
            case "list_type" | "tuple_type" | "set_type" | "frozen_set_type" if given is not None:
                decoded = _decoded(given)
                found[key] = decoded if isinstance(decoded, list) else [given]
                mended = True
            case "dict_type" | "model_type" | "model_attributes_type" if isinstance(_decoded(given), dict):
                found[key] = _decoded(given)
                mended = True
            case _ if given is None and _has_default(model, path):
                del found[key]
                mended = True
            case _:
                pass
    return mended


def _holder(value: dict[str, object], path: Sequence[int | str]) -> dict[str, object] | None:
    """Find the object that holds what a path names; None when there is none, as for a missing field."""
    found: object = value
    for key in path[:-1]:
        match found:
            case dict() if key in found:
                found = cast("dict[object, object]", found)[key]
            case list() if isinstance(key, int) and key < len(cast("list[object]", found)):
                found = cast("list[object]", found)[key]
            case _:
                return None
    if not isinstance(found, dict) or not path or path[-1] not in found:
        return None
    return cast("dict[str, object]", found)


def _decoded(given: object) -> object:
    """Read JSON that stands inside a string; anything else as it is."""
    if not isinstance(given, str):
        return given
    try:
        return json.loads(given)
    except (ValueError, RecursionError):
        return given


def _has_default(model: type[BaseModel], path: Sequence[int | str]) -> bool:
    """Only at the top level: deeper, null is left to the field's own rules."""
    if len(path) != 1:
        return False
    field = next((field for name, field in model.model_fields.items() if path[0] in (name, field.alias)), None)
    return field is not None and not field.is_required()


def _sentence(errors: Sequence[ErrorDetails]) -> str:
    violations = [f"{_path(error['loc'])}: {error['msg']}" for error in errors[:MOST_VIOLATIONS]]
    if len(errors) > MOST_VIOLATIONS:
        violations.append(f"and {len(errors) - MOST_VIOLATIONS} more")
    return "; ".join(violations)


def _path(location: Sequence[int | str]) -> str:
    path = ""
    for key in location:
        path += f"[{key}]" if isinstance(key, int) else f".{key}" if path else str(key)
    return path or "arguments"
