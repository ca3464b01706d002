"""Message components: rows of buttons and selects, and the newer layout components, as far as Discord accepts them."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from devstack.discord.documents import Form, JsonObject, JsonValue, copied, is_object


class Component(IntEnum):
    """Discord's component types."""

    ROW = 1
    BUTTON = 2
    STRING_SELECT = 3
    TEXT_INPUT = 4
    USER_SELECT = 5
    ROLE_SELECT = 6
    MENTIONABLE_SELECT = 7
    CHANNEL_SELECT = 8
    SECTION = 9
    TEXT = 10
    THUMBNAIL = 11
    GALLERY = 12
    FILE = 13
    SEPARATOR = 14
    CONTAINER = 17
    LABEL = 18


SELECTS: Final = frozenset(
    {
        Component.STRING_SELECT,
        Component.USER_SELECT,
        Component.ROLE_SELECT,
        Component.MENTIONABLE_SELECT,
        Component.CHANNEL_SELECT,
    }
)
_LAYOUT: Final = frozenset(
    {
        Component.SECTION, Component.TEXT, Component.GALLERY, Component.FILE, Component.SEPARATOR, Component.CONTAINER,
    }
)  # fmt: skip
"""Only in messages with the flag IS_COMPONENTS_V2."""
_LINK_STYLE: Final = 5
_PREMIUM_STYLE: Final = 6
_MOST_ROWS: Final = 5
_MOST_TOTAL: Final = 40
_MOST_IN_ROW: Final = 5
_DEEPEST: Final = 4
"""A container, in it a row, in it a button; a label's component."""


class ComponentReader:
    """Reads `components` in the form in which they are answered: with ids, defaults filled in, custom ids unique."""

    def __init__(self, *, layout: bool, modal: bool = False) -> None:
        self._layout = layout
        self._modal = modal
        self._next_id = 1
        self._custom_ids: set[str] = set()

    def read(self, form: Form) -> tuple[JsonObject, ...] | None:
        """Read; None when absent."""
        found = form.forms("components", maximum=_MOST_TOTAL if self._layout else _MOST_ROWS)
        if found is None:
            return None
        return tuple(self._top(f) for f in found)

    def _top(self, form: Form) -> JsonObject:
        kind = form.member("type", Component)
        allowed = {Component.ROW}
        if self._layout:
            allowed |= _LAYOUT
        if self._modal:
            allowed |= {Component.LABEL}
        if kind not in allowed:
            form.wrong("type", "UNION_TYPE_CHOICES", f'Value of field "type" must be one of {tuple(sorted(allowed))}.')
            return {}
        return self._component(form, kind, depth=1)

    def _component(self, form: Form, kind: Component | None, *, depth: int) -> JsonObject:
        if kind is None or depth > _DEEPEST:
            form.wrong("type", "UNION_TYPE_CHOICES", "There can be no such component here.")
            return {}
        body: JsonObject = {"type": int(kind), "id": self._id(form)}
        match kind:
            case Component.ROW | Component.CONTAINER | Component.SECTION:
                self._add_children(form, kind, body, depth + 1)
            case Component.BUTTON:
                self._add_button(form, body)
            case Component.TEXT_INPUT:
                self._add_text_input(form, body)
            case Component.TEXT:
                body["content"] = form.text("content", maximum=4000, minimum=1, required=True) or ""
            case Component.SEPARATOR:
                body["spacing"] = form.integer("spacing", minimum=1, maximum=2) or 1
                body["divider"] = form.flag("divider") is not False
            case Component.LABEL:
                body["label"] = form.text("label", maximum=45, required=True) or ""
                body["component"] = self._child(form, "component", depth + 1)
            case Component.THUMBNAIL | Component.GALLERY | Component.FILE:
                body = copied(form.data) | body
            case _:
                self._add_select(form, kind, body)
        return body

    def _add_children(self, form: Form, kind: Component, body: JsonObject, depth: int) -> None:
        children = form.forms("components", maximum=_MOST_IN_ROW if kind is Component.ROW else _MOST_TOTAL) or ()
        if not children:
            form.wrong("components", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length.")
        body["components"] = [self._component(c, c.member("type", Component), depth=depth) for c in children]
        if kind is Component.CONTAINER:
            body["accent_color"] = form.integer("accent_color", minimum=0, maximum=0xFFFFFF)
            body["spoiler"] = bool(form.flag("spoiler"))
        elif kind is Component.SECTION:
            body["accessory"] = self._child(form, "accessory", depth)

    def _child(self, form: Form, key: str, depth: int) -> JsonObject:
        child = form.form(key)
        if child is None:
            form.required(key)
            return {}
        return self._component(child, child.member("type", Component), depth=depth)

    def _add_button(self, form: Form, body: JsonObject) -> None:
        style = form.integer("style", minimum=1, maximum=_PREMIUM_STYLE)
        body["style"] = style or 1
        label = form.text("label", maximum=80)
        if label:
            body["label"] = label
        emoji = form.data.get("emoji")
        if is_object(emoji):
            body["emoji"] = {k: v for k, v in emoji.items() if v is not None}
        if not label and not is_object(emoji) and style != _PREMIUM_STYLE:
            form.wrong("label", "BUTTON_COMPONENT_INVALID_EMOJI_AND_LABEL", "A button must have a label or an emoji.")
        if style == _LINK_STYLE:
            body["url"] = form.text("url", maximum=512, required=True) or ""
        elif style != _PREMIUM_STYLE:
            body["custom_id"] = self._custom_id(form)
        if form.flag("disabled"):
            body["disabled"] = True

    def _add_select(self, form: Form, kind: Component, body: JsonObject) -> None:
        body["custom_id"] = self._custom_id(form)
        placeholder = form.text("placeholder", maximum=150)
        if placeholder:
            body["placeholder"] = placeholder
        least, most = (
            form.integer("min_values", minimum=0, maximum=25),
            form.integer("max_values", minimum=1, maximum=25),
        )
        body["min_values"] = 1 if least is None else least
        body["max_values"] = 1 if most is None else most
        if form.flag("disabled"):
            body["disabled"] = True
        if kind is Component.STRING_SELECT:
            options = form.forms("options", maximum=25) or ()
            if not options:
                form.required("options")
            body["options"] = [_option(o) for o in options]
        elif kind is Component.CHANNEL_SELECT and "channel_types" in form:
            body["channel_types"] = list(form.items("channel_types", maximum=25) or ())

    def _add_text_input(self, form: Form, body: JsonObject) -> None:
        if not self._modal:
            form.wrong("type", "UNION_TYPE_CHOICES", "Text inputs may only be used in modals.")
        body["custom_id"] = self._custom_id(form)
        body["style"] = form.integer("style", minimum=1, maximum=2) or 1
        body["label"] = form.text("label", maximum=45) or None
        body["required"] = form.flag("required") is not False
        for key, maximum in (("placeholder", 100), ("value", 4000)):
            text = form.text(key, maximum=maximum)
            if text:
                body[key] = text
        for key in ("min_length", "max_length"):
            length = form.integer(key, minimum=0, maximum=4000)
            if length is not None:
                body[key] = length

    def _custom_id(self, form: Form) -> str:
        custom_id = form.text("custom_id", maximum=100, minimum=1, required=True) or ""
        if custom_id and custom_id in self._custom_ids:
            form.wrong("custom_id", "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated")
        self._custom_ids.add(custom_id)
        return custom_id

    def _id(self, form: Form) -> int:
        wanted = form.integer("id", minimum=0)
        if wanted:
            return wanted
        self._next_id += 1
        return self._next_id - 1


def _option(form: Form) -> JsonObject:
    body: JsonObject = {
        "label": form.text("label", maximum=100, minimum=1, required=True) or "",
        "value": form.text("value", maximum=100, required=True) or "",
    }
    description = form.text("description", maximum=100)
    if description:
        body["description"] = description
    emoji = form.data.get("emoji")
    if is_object(emoji):
        body["emoji"] = {k: v for k, v in emoji.items() if v is not None}
    if form.flag("default"):
        body["default"] = True
    return body


def find(components: JsonValue, custom_id: str) -> JsonObject | None:
    """Find a component by its custom id, at any depth; None when there is none."""
    if not isinstance(components, (list, tuple)):
        return None
    for component in components:
        if not is_object(component):
            continue
        if component.get("custom_id") == custom_id:
            return copied(component)
        accessory = component.get("accessory")
        inner = find(component.get("components"), custom_id) or find([accessory], custom_id)
        if inner is not None:
            return inner
    return None
