"""Application commands: what Discord accepts as a definition, and whether what a member typed fits it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from devstack.discord.documents import Form, JsonObject, JsonValue, ReadObject, is_list, is_object

MOST_COMMANDS: Final = 100
_MOST_OPTIONS: Final = 25
_DEEPEST: Final = 2
"""A group, in it a subcommand, in it an option."""
_NAME: Final = re.compile(r"[-_'\w]{1,32}")
_LARGEST: Final = 1 << 53


class CommandKind(IntEnum):
    """Discord's command types."""

    CHAT_INPUT = 1
    USER = 2
    MESSAGE = 3


class OptionKind(IntEnum):
    """Discord's option types."""

    SUBCOMMAND = 1
    SUBCOMMAND_GROUP = 2
    STRING = 3
    INTEGER = 4
    BOOLEAN = 5
    USER = 6
    CHANNEL = 7
    ROLE = 8
    MENTIONABLE = 9
    NUMBER = 10
    ATTACHMENT = 11


NESTED: Final = frozenset({OptionKind.SUBCOMMAND, OptionKind.SUBCOMMAND_GROUP})
_CHOOSABLE: Final = frozenset({OptionKind.STRING, OptionKind.INTEGER, OptionKind.NUMBER})


def read_definition(form: Form, before: ReadObject | None = None) -> JsonObject:
    """Read a definition in the form in which it is answered; what is absent stays as it was before."""
    old: ReadObject = before or {}
    kind = form.member("type", CommandKind) or CommandKind(_number(old.get("type")) or CommandKind.CHAT_INPUT)
    body: JsonObject = {"type": int(kind), "name": _name(form, old, kind), "nsfw": bool(form.flag("nsfw"))}
    for key in ("name_localizations", "description_localizations"):
        body[key] = form.data.get(key) if key in form else old.get(key)
    body["description"] = _description(form, old, kind)
    permissions = form.integer("default_member_permissions", minimum=0)
    body["default_member_permissions"] = (
        (None if permissions is None else str(permissions))
        if "default_member_permissions" in form
        else old.get("default_member_permissions")
    )
    allowed_in_dms = form.flag("dm_permission")
    body["dm_permission"] = allowed_in_dms is not False if "dm_permission" in form else old.get("dm_permission", True)
    body["contexts"] = form.data.get("contexts") if "contexts" in form else old.get("contexts")
    types = form.data.get("integration_types")
    body["integration_types"] = types if types is not None else old.get("integration_types", [0])
    options = form.forms("options", maximum=_MOST_OPTIONS)
    if options is not None:
        body["options"] = [_option(o, depth=0) for o in options]
        _check_options(form, body["options"])
    elif "options" not in form and old.get("options"):
        body["options"] = old["options"]
    return body


def _name(form: Form, old: ReadObject, kind: CommandKind) -> JsonValue:
    name = form.text("name", minimum=1, maximum=32, required=not old)
    if name is None:
        return old.get("name", "")
    if kind is CommandKind.CHAT_INPUT and (not _NAME.fullmatch(name) or name != name.lower()):
        form.wrong("name", "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
    return name


def _description(form: Form, old: ReadObject, kind: CommandKind) -> JsonValue:
    if kind is not CommandKind.CHAT_INPUT:
        return ""
    text = form.text("description", minimum=1, maximum=100, required=not old)
    return old.get("description", "") if text is None else text


def _option(form: Form, *, depth: int) -> JsonObject:
    kind = form.member("type", OptionKind)
    name = form.text("name", minimum=1, maximum=32, required=True) or ""
    if name and (not _NAME.fullmatch(name) or name != name.lower()):
        form.wrong("name", "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
    if kind is None or depth > _DEEPEST or (kind in NESTED and depth == _DEEPEST):
        form.wrong("type", "UNION_TYPE_CHOICES", "There can be no such option here.")
        return {}
    body: JsonObject = {
        "type": int(kind),
        "name": name,
        "description": form.text("description", minimum=1, maximum=100, required=True) or "",
    }
    for key in ("name_localizations", "description_localizations"):
        if form.data.get(key) is not None:
            body[key] = form.data[key]
    for key in ("required", "autocomplete"):
        if form.flag(key) is not None:
            body[key] = bool(form.flag(key))
    for key in ("min_value", "max_value", "min_length", "max_length"):
        if form.data.get(key) is not None:
            body[key] = form.data[key]
    if form.data.get("channel_types"):
        body["channel_types"] = form.data["channel_types"]
    choices = form.forms("choices", maximum=_MOST_OPTIONS)
    if choices and kind in _CHOOSABLE:
        body["choices"] = [_choice(c, kind) for c in choices]
    inner = form.forms("options", maximum=_MOST_OPTIONS)
    if kind in NESTED:
        body["options"] = [_option(o, depth=depth + 1) for o in inner or ()]
        _check_options(form, body["options"])
    return body


def _choice(form: Form, kind: OptionKind) -> JsonObject:
    value = form.data.get("value")
    if kind is OptionKind.STRING:
        value = form.text("value", maximum=100, required=True)
    elif isinstance(value, bool) or not isinstance(value, (int, float)):
        form.wrong("value", "NUMBER_TYPE_COERCE", f'Value "{value}" is not a number.')
    body: JsonObject = {"name": form.text("name", minimum=1, maximum=100, required=True) or "", "value": value}
    if form.data.get("name_localizations") is not None:
        body["name_localizations"] = form.data["name_localizations"]
    return body


def _check_options(form: Form, options: JsonValue) -> None:
    """Note names that occur twice, and required options behind optional ones."""
    seen: set[JsonValue] = set()
    optional = False
    for option in objects(options):
        if option.get("name") in seen:
            form.wrong("options", "APPLICATION_COMMAND_OPTIONS_NAME_INVALID", "Option names must be unique")
        seen.add(str(option.get("name")))
        if option.get("required") is True and optional:
            form.wrong(
                "options",
                "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID",
                "Required options must be placed before non-required options",
            )
        optional = optional or option.get("required") is not True


def objects(value: JsonValue) -> Sequence[ReadObject]:
    """List the objects of an array; nothing for anything else."""
    return [o for o in value if is_object(o)] if is_list(value) else []


def _number(value: JsonValue) -> int | None:
    return value if isinstance(value, int) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """What a member typed, checked: the options to pass on, and the ids in them."""

    options: Sequence[JsonValue]
    user_ids: tuple[int, ...] = ()
    role_ids: tuple[int, ...] = ()
    channel_ids: tuple[int, ...] = ()


class InvocationReader:
    """Checks the options of an invocation against a definition."""

    def __init__(self, *, autocomplete: bool) -> None:
        self._autocomplete = autocomplete
        self._users: list[int] = []
        self._roles: list[int] = []
        self._channels: list[int] = []

    def read(self, definition: ReadObject, form: Form) -> Invocation:
        """Read `options`; what does not fit is noted in the form's problems."""
        options = self._level(objects(definition.get("options")), form)
        return Invocation(
            options=options,
            user_ids=tuple(self._users),
            role_ids=tuple(self._roles),
            channel_ids=tuple(self._channels),
        )

    def _level(self, defined: Sequence[ReadObject], form: Form) -> list[JsonValue]:
        given = form.forms("options", maximum=_MOST_OPTIONS) or ()
        by_name = {str(o.get("name")): o for o in defined}
        read: list[JsonValue] = []
        names: set[str] = set()
        for entry in given:
            name = entry.text("name", maximum=32, required=True) or ""
            option = by_name.get(name)
            if option is None:
                entry.wrong("name", "APPLICATION_COMMAND_OPTION_UNKNOWN", "This option does not exist on the command")
                continue
            names.add(name)
            read.append(self._one(option, entry))
        for option in defined:
            missing = option.get("required") is True and option.get("name") not in names
            if missing and not self._autocomplete:
                form.wrong(
                    "options", "APPLICATION_COMMAND_OPTION_REQUIRED", f"{option.get('name')}: this option is required"
                )
        return read

    def _one(self, option: ReadObject, entry: Form) -> JsonObject:
        kind = OptionKind(_number(option.get("type")) or OptionKind.STRING)
        body: JsonObject = {"name": option["name"], "type": int(kind)}
        if kind in NESTED:
            body["options"] = self._level(objects(option.get("options")), entry)
            return body
        focused = self._autocomplete and entry.flag("focused") is True
        if focused:
            body["focused"] = True
        body["value"] = entry.data.get("value") if focused else self._value(option, kind, entry)
        return body

    def _value(self, option: ReadObject, kind: OptionKind, entry: Form) -> JsonValue:
        match kind:
            case OptionKind.STRING:
                least, most = _number(option.get("min_length")) or 0, _number(option.get("max_length")) or 6000
                value: JsonValue = entry.text("value", minimum=least, maximum=most, required=True)
            case OptionKind.BOOLEAN:
                return entry.flag("value")
            case OptionKind.INTEGER | OptionKind.NUMBER:
                value = self._numeric(option, kind, entry)
            case _:
                return self._referred(kind, entry)
        choices = [c.get("value") for c in objects(option.get("choices"))]
        if choices and value is not None and value not in choices:
            entry.wrong("value", "APPLICATION_COMMAND_OPTION_CHOICE_INVALID", "Value is not one of the choices")
        return value

    def _numeric(self, option: ReadObject, kind: OptionKind, entry: Form) -> JsonValue:
        value = entry.data.get("value")
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            entry.wrong("value", "NUMBER_TYPE_COERCE", f'Value "{value}" is not a number.')
            return None
        if kind is OptionKind.INTEGER and (not float(value).is_integer() or abs(value) > _LARGEST):
            entry.wrong("value", "NUMBER_TYPE_COERCE", f'Value "{value}" is not int.')
        least, most = option.get("min_value"), option.get("max_value")
        if isinstance(least, (int, float)) and value < least:
            entry.wrong("value", "NUMBER_TYPE_MIN", f"Value should be greater than or equal to {least}.")
        if isinstance(most, (int, float)) and value > most:
            entry.wrong("value", "NUMBER_TYPE_MAX", f"Value should be less than or equal to {most}.")
        return int(value) if kind is OptionKind.INTEGER else value

    def _referred(self, kind: OptionKind, entry: Form) -> JsonValue:
        snowflake = entry.snowflake("value")
        if snowflake is None:
            entry.required("value")
            return None
        match kind:
            case OptionKind.USER:
                self._users.append(snowflake)
            case OptionKind.ROLE:
                self._roles.append(snowflake)
            case OptionKind.CHANNEL:
                self._channels.append(snowflake)
            case _:
                self._users.append(snowflake)
                self._roles.append(snowflake)
        return str(snowflake)


def subcommand_path(options: Sequence[JsonValue]) -> tuple[str, ...]:
    """Read the names of a chosen group and subcommand."""
    for option in options:
        if isinstance(option, Mapping) and option.get("type") in NESTED:
            inner = option.get("options")
            return (str(option.get("name")), *(subcommand_path(inner) if is_list(inner) else ()))
    return ()
