"""JSON as the simulated Discord speaks it: the types, and a reader of bodies that nests errors as Discord does."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, TypeAlias, TypeGuard, TypeVar, cast

if TYPE_CHECKING:
    JsonValue: TypeAlias = "str | int | float | bool | Sequence[JsonValue] | Mapping[str, JsonValue] | None"
else:
    JsonValue = object  # for pydantic, which cannot follow the recursion and need not check what was checked before
"""Covariant, so that a list of objects is a value; `str` is tried first wherever it matters."""
JsonObject = dict[str, JsonValue]
ReadObject = Mapping[str, JsonValue]

_Value = TypeVar("_Value")
_SNOWFLAKE_DIGITS: Final = 20
"""An unsigned 64-bit number has at most 20 digits."""
_LONGEST_MOMENT: Final = 64


def dumps(value: JsonValue) -> str:
    """Write without spaces, as Discord does."""
    return json.dumps(value, separators=(",", ":"))


def parse(text: str | bytes) -> JsonValue:
    """Parse strangers' JSON: no NaN, no bottomless nesting, and half surrogates become replacement characters.

    Raises:
        ValueError: it is no such JSON.
    """
    try:
        value: JsonValue = json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise ValueError("The nesting is too deep.") from None
    escaped = b"\\ud" in text.lower() if isinstance(text, bytes) else "\\ud" in text.lower()
    return _whole(value) if escaped else value


def _refuse_constant(name: str) -> JsonValue:
    raise ValueError(f"{name} is no JSON.")


def _whole(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if is_object(value):
        return {str(_whole(k)): _whole(v) for k, v in value.items()}
    return [_whole(v) for v in value] if is_list(value) else value


def is_object(value: object) -> TypeGuard[ReadObject]:
    """Tell whether a parsed value is a JSON object."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[Sequence[JsonValue]]:
    """Tell whether a parsed value is a JSON array."""
    return isinstance(value, (list, tuple))


def copied(value: ReadObject) -> JsonObject:
    """Copy an object one level deep, so that members can be added."""
    return dict(value)


def timestamp(moment: datetime) -> str:
    """Write a moment as Discord does: microseconds, and an offset instead of Z."""
    return moment.isoformat(timespec="microseconds")


class Problems:
    """What is wrong with a body, in Discord's nested form: `{"embeds": {"0": {"title": {"_errors": [...]}}}}`."""

    def __init__(self) -> None:
        self.tree: dict[str, JsonValue] = {}

    def add(self, path: Sequence[str], code: str, message: str) -> None:
        """Record one problem at a path of keys."""
        node: dict[str, JsonValue] = self.tree
        for key in path:
            node = cast("dict[str, JsonValue]", node.setdefault(key, {}))
        problems = cast("list[JsonValue]", node.setdefault("_errors", []))
        problems.append({"code": code, "message": message})

    def __bool__(self) -> bool:
        """Tell whether anything is wrong."""
        return bool(self.tree)


class Form:
    """Reads the members of one JSON object, with bounds; what does not fit is noted in the shared `Problems`.

    A reader returns `None` for a member that is absent, null, or wrong: callers check `problems` after reading all.
    """

    def __init__(self, value: JsonValue, problems: Problems | None = None, path: Sequence[str] = ()) -> None:
        self.problems = Problems() if problems is None else problems
        self.path = tuple(path)
        self.data: ReadObject = {}
        if is_object(value):
            self.data = value
        elif value is not None:
            self.problems.add(self.path, "MODEL_TYPE_CONVERT", "Only dictionaries may be used in a ModelType")

    def __contains__(self, key: str) -> bool:
        """Tell whether the member was sent, null included."""
        return key in self.data

    def wrong(self, key: str, code: str, message: str) -> None:
        """Note a problem with one member."""
        self.problems.add((*self.path, key), code, message)

    def required(self, key: str) -> None:
        """Note that a member is missing."""
        self.wrong(key, "BASE_TYPE_REQUIRED", "This field is required")

    def text(self, key: str, *, maximum: int, minimum: int = 0, required: bool = False) -> str | None:
        """Read a string of bounded length."""
        value = self.data.get(key)
        if value is None:
            if required:
                self.required(key)
            return None
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)  # Discord converts numbers where it wants strings
        if not isinstance(value, str):
            self.wrong(key, "STRING_TYPE_CONVERT", "Could not interpret value as string.")
            return None
        if len(value) > maximum:
            self.wrong(key, "BASE_TYPE_MAX_LENGTH", f"Must be {maximum} or fewer in length.")
        elif len(value) < minimum:
            self.wrong(key, "BASE_TYPE_BAD_LENGTH", f"Must be between {minimum} and {maximum} in length.")
        return value

    def integer(self, key: str, *, minimum: int | None = None, maximum: int | None = None) -> int | None:
        """Read a whole number; Discord also takes one in a string."""
        value = self.data.get(key)
        if value is None:
            return None
        if isinstance(value, str) and value.lstrip("-").isdigit() and len(value) <= _SNOWFLAKE_DIGITS:
            value = int(value)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool):
            self.wrong(key, "NUMBER_TYPE_COERCE", f'Value "{_shown(value)}" is not int.')
            return None
        if minimum is not None and value < minimum:
            self.wrong(key, "NUMBER_TYPE_MIN", f"int value should be greater than or equal to {minimum}.")
        elif maximum is not None and value > maximum:
            self.wrong(key, "NUMBER_TYPE_MAX", f"int value should be less than or equal to {maximum}.")
        return value

    def flag(self, key: str) -> bool | None:
        """Read a boolean."""
        value = self.data.get(key)
        if value is None or isinstance(value, bool):
            return value
        self.wrong(key, "BOOLEAN_TYPE_CONVERT", "Must be either true or false.")
        return None

    def moment(self, key: str) -> datetime | None:
        """Read a time in ISO 8601; one without an offset is in UTC."""
        text = self.text(key, maximum=_LONGEST_MOMENT)
        if not text:
            return None
        try:
            value = datetime.fromisoformat(text)
        except ValueError:
            self.wrong(key, "DATE_TIME_TYPE_PARSE", f"Could not parse {text}. Should be ISO8601.")
            return None
        return value if value.tzinfo is not None else value.replace(tzinfo=UTC)

    def snowflake(self, key: str) -> int | None:
        """Read an id."""
        return self._snowflake(self.data.get(key), key)

    def snowflakes(self, key: str, *, maximum: int) -> tuple[int, ...] | None:
        """Read a list of ids, in their order and without repetitions."""
        found = self.items(key, maximum=maximum)
        if found is None:
            return None
        ids = [self._snowflake(value, key, str(index)) for index, value in enumerate(found)]
        return tuple(dict.fromkeys(value for value in ids if value is not None))

    def items(self, key: str, *, maximum: int) -> Sequence[JsonValue] | None:
        """Read a list of bounded length."""
        value = self.data.get(key)
        if value is None:
            return None
        if not is_list(value):
            self.wrong(key, "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
            return None
        if len(value) > maximum:
            self.wrong(key, "BASE_TYPE_MAX_LENGTH", f"Must be {maximum} or fewer in length.")
            return None
        return value

    def forms(self, key: str, *, maximum: int) -> tuple[Form, ...] | None:
        """Read a list of objects."""
        found = self.items(key, maximum=maximum)
        if found is None:
            return None
        return tuple(
            Form(value if value is not None else (), self.problems, (*self.path, key, str(index)))
            for index, value in enumerate(found)
        )

    def form(self, key: str) -> Form | None:
        """Read one object."""
        value = self.data.get(key)
        return None if value is None else Form(value, self.problems, (*self.path, key))

    def member(self, key: str, kind: Callable[[int], _Value]) -> _Value | None:
        """Read a member of a closed set of whole numbers, an `IntEnum` for instance."""
        value = self.integer(key)
        if value is None:
            return None
        try:
            return kind(value)
        except ValueError:
            self.wrong(key, "BASE_TYPE_CHOICES", "Value must be one of the documented choices.")
            return None

    def _snowflake(self, value: JsonValue, *keys: str) -> int | None:
        if value is None:
            return None
        text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
        if isinstance(text, str) and text.isascii() and text.isdigit() and len(text) <= _SNOWFLAKE_DIGITS:
            return int(text)
        self.problems.add((*self.path, *keys), "NUMBER_TYPE_COERCE", f'Value "{_shown(value)}" is not snowflake.')
        return None


def _shown(value: JsonValue) -> str:
    return str(value)[:100]
