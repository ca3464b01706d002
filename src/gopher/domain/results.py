"""The result of a tool call as the model reads it: one JSON document, in an envelope, within a cap."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final, TypeAlias, cast

from gopher.domain.tools import Keep

JsonValue: TypeAlias = (
    "Mapping[str, JsonValue] | list[JsonValue] | tuple[JsonValue, ...] | str | int | float | bool | None"
)

RESULT_CHARACTERS: Final = 14_000
"""Cap of one result: six of them, the most that one turn gathers in parallel, are about 25,000 tokens."""

LEAST_TEXT: Final = 200
"""Texts are shortened evenly down to this before whole items are left out: less says nothing any more."""

ERROR_MESSAGE_CHARACTERS: Final = 1_000
"""What a model needs to do better fits in here."""


def success(value: JsonValue, *, keep: Keep = Keep.FIRST, cap: int = RESULT_CHARACTERS) -> str:
    """Write `{"ok":true,"result":…}` in at most `cap` characters (at least 500).

    What is too long is trimmed per item: long texts are shortened evenly, each with a mark that says how much is
    missing; if that is not enough, items of the longest list are left out from the end that matters less, and the count
    of those left out takes their place. The envelope then says `"truncated":true`.

    Raises:
        ValueError: the value holds a number that JSON does not know.
    """
    text = _envelope(value, truncated=False)
    if len(text) <= cap:
        return text
    return _shortened(value, cap) or _without_items(value, keep, cap) or _cut(value, cap)


def failure(code: str, message: str) -> str:
    """Write `{"ok":false,"error":{"code":…,"message":…}}`."""
    return _dump({"ok": False, "error": {"code": code, "message": _shorten(message, ERROR_MESSAGE_CHARACTERS)}})


def _envelope(value: JsonValue, *, truncated: bool) -> str:
    document: dict[str, JsonValue] = {"ok": True, "result": value}
    if truncated:
        document["truncated"] = True
    return _dump(document)


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _shortened(value: JsonValue, cap: int) -> str | None:
    """Find the greatest length of texts that fits; None when even the least does not."""
    low, high = LEAST_TEXT, cap
    best: str | None = None
    while low <= high:
        middle = (low + high) // 2
        text = _envelope(_with_texts(value, middle), truncated=True)
        if len(text) <= cap:
            best, low = text, middle + 1
        else:
            high = middle - 1
    return best


def _without_items(value: JsonValue, keep: Keep, cap: int) -> str | None:
    """Leave items out of the longest list until it fits; None when there is none, or one item is too long."""
    trimmed = _with_texts(value, LEAST_TEXT)
    path = _longest_list(trimmed)
    if path is None:
        return None
    items = cast("list[JsonValue]", _at(trimmed, path))
    low, high = 1, len(items) - 1
    best: str | None = None
    while low <= high:
        middle = (low + high) // 2
        text = _envelope(_replaced(trimmed, path, _kept(items, middle, keep)), truncated=True)
        if len(text) <= cap:
            best, low = text, middle + 1
        else:
            high = middle - 1
    return best


def _cut(value: JsonValue, cap: int) -> str:
    """Show the beginning of the JSON text itself: the last resort for shapes without texts or lists worth trimming."""
    whole = _dump(value)
    length = cap
    while length > 0:
        text = _envelope(_shorten(whole, length), truncated=True)
        if len(text) <= cap:
            return text
        length -= max(1, len(text) - cap)
    return _envelope("", truncated=True)


def _kept(items: list[JsonValue], count: int, keep: Keep) -> list[JsonValue]:
    mark: JsonValue = {"omitted": len(items) - count}
    return [*items[:count], mark] if keep is Keep.FIRST else [mark, *items[len(items) - count :]]


def _with_texts(value: JsonValue, most: int) -> JsonValue:
    match value:
        case str():
            return _shorten(value, most)
        case Mapping():
            return {key: _with_texts(item, most) for key, item in value.items()}
        case list() | tuple():
            return [_with_texts(item, most) for item in value]
        case _:
            return value


def _shorten(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    mark = f"… [{len(text) - most} characters cut]"
    return text[:most] + mark


def _longest_list(value: JsonValue, path: tuple[str, ...] = ()) -> tuple[str, ...] | None:
    """Find the list with the longest text reachable through objects; None when none has two items."""
    match value:
        case list() if len(value) > 1:
            return path
        case Mapping():
            found = [below for key, item in value.items() if (below := _longest_list(item, (*path, key))) is not None]
            return max(found, key=lambda candidate: len(_dump(_at(value, candidate[len(path) :]))), default=None)
        case _:
            return None


def _at(value: JsonValue, path: tuple[str, ...]) -> JsonValue:
    for key in path:
        value = cast("Mapping[str, JsonValue]", value)[key]
    return value


def _replaced(value: JsonValue, path: tuple[str, ...], new: JsonValue) -> JsonValue:
    if not path:
        return new
    holder = cast("Mapping[str, JsonValue]", value)
    return {**holder, path[0]: _replaced(holder[path[0]], path[1:], new)}
