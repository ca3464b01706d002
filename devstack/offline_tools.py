"""How the demo model picks a tool: by its name in the request, with arguments that stand in the request plainly."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from devstack.offline_prompt import OfflinePrompt

_WORD: Final = re.compile(r"[a-z0-9]+")
_OBJECT: Final = re.compile(r"\{.*\}", re.DOTALL)
_ID: Final = re.compile(r"\b\d{15,20}\b")
_NUMBER: Final = re.compile(r"\b\d{1,6}\b")
_QUOTED: Final = re.compile(r"[\"“]([^\"”]+)[\"”]")
_SUBJECT: Final = re.compile(r"\b(?:for|about|with|that|saying)\b[:\s]+(.+)$|:\s*(.+)$", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineCall:
    """A tool call that the demo model makes."""

    name: str
    arguments: dict[str, JsonValue]


def choose_call(prompt: OfflinePrompt, tools: Sequence[dict[str, JsonValue]]) -> OfflineCall | None:
    """Find the offered tool whose name, or all words of whose name, stand in the request; the longest name wins.

    None when no tool matches, or when an argument that it requires is not plainly there.
    """
    found: list[tuple[int, OfflineCall]] = []
    for tool in tools:
        function = tool.get("function")
        if not isinstance(function, dict) or not isinstance(name := function.get("name"), str):
            continue
        if _is_meant(name, prompt.request):
            arguments = _arguments(function.get("parameters"), prompt)
            if arguments is not None:
                found.append((len(name), OfflineCall(name=name, arguments=arguments)))
    return max(found, key=lambda entry: entry[0])[1] if found else None


def _is_meant(name: str, request: str) -> bool:
    text = request.lower()
    if "_" in name and name.lower() in text:
        return True
    words = _WORD.findall(name.lower())
    said = set(_WORD.findall(text))
    return len(words) > 1 and all(
        word in said or f"{word}s" in said or word.removesuffix("s") in said for word in words
    )


def _arguments(schema: JsonValue, prompt: OfflinePrompt) -> dict[str, JsonValue] | None:
    given = _given_object(prompt.request)
    if given is not None:
        return given
    if not isinstance(schema, dict):
        return {}
    properties, required = schema.get("properties"), schema.get("required")
    filled: dict[str, JsonValue] = {}
    for name in required if isinstance(required, list) else ():
        described = properties.get(str(name)) if isinstance(properties, dict) else None
        value = _value(str(name), described if isinstance(described, dict) else {}, prompt)
        if value is None:
            return None
        filled[str(name)] = value
    return filled


def _given_object(request: str) -> dict[str, JsonValue] | None:
    found = _OBJECT.search(request)
    if found is None:
        return None
    try:
        value: JsonValue = json.loads(found.group())
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _value(name: str, described: dict[str, JsonValue], prompt: OfflinePrompt) -> JsonValue:
    """One required argument, as it stands in the request; None when it does not."""
    choices = described.get("enum")
    if isinstance(choices, list):
        words = _WORD.findall(prompt.request.lower())
        return next((choice for choice in choices if str(choice).lower() in words), choices[0] if choices else None)
    if name.endswith("_id"):
        return _identifier(name, prompt)
    match described.get("type"):
        case "integer" | "number":
            number = _NUMBER.search(prompt.request)
            return int(number.group()) if number else None
        case "boolean":
            return True
        case "array":
            subject = _subject(prompt.request)
            return [subject] if subject else None
        case _:
            return _subject(prompt.request)


def _identifier(name: str, prompt: OfflinePrompt) -> str | None:
    written = _ID.search(prompt.request)
    if written:
        return written.group()
    if name == "channel_id":
        return prompt.channel_id
    if name == "message_id":
        return prompt.quoted.message_id if prompt.quoted else prompt.request_id
    return None


def _subject(request: str) -> str | None:
    quoted = _QUOTED.search(request)
    if quoted:
        return quoted.group(1).strip()
    subject = _SUBJECT.search(request)
    text = next((part for part in subject.groups() if part), "") if subject else request
    return text.strip(" ?.!\n") or None
