"""The route by which people invoke applications: commands, components, autocompletion, modals.

`POST /interactions` is what Discord's own clients send; its documentation does not list it.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from devstack.discord import render
from devstack.discord.access import visible_channel
from devstack.discord.commands import CommandKind, InvocationReader
from devstack.discord.components import SELECTS, find
from devstack.discord.documents import Form, JsonObject, JsonValue
from devstack.discord.errors import Code, Refused, check
from devstack.discord.interactions import ACKNOWLEDGE_WITHIN, Interaction, InteractionKind
from devstack.discord.messages import Message
from devstack.discord.objects import Channel, Command, User
from devstack.discord.rest.call import NOTHING, Answer, Call, Route
from devstack.discord.rest.commands import applications_in, definition_of, usable_commands
from devstack.discord.sessions import Event
from devstack.discord.simulation import Simulation

_LOCALE: Final = "en-US"
_MOST_VALUES: Final = 25
_UPLOAD_LIMIT: Final = 10 << 20


def invoke(call: Call) -> Answer:
    """POST /interactions: the application hears of it at once, and the member of its success or failure."""
    sim, me = call.sim, call.me
    if me.bot:
        raise Refused(Code.BOTS_CANNOT_USE)
    form = call.form()
    kind = form.member("type", InteractionKind)
    channel_id = form.snowflake("channel_id")
    application_id = form.snowflake("application_id")
    data = form.form("data")
    nonce = form.text("nonce", maximum=64)
    if kind is None or kind is InteractionKind.PING:
        form.wrong("type", "BASE_TYPE_CHOICES", "Value must be one of (2, 3, 4, 5).")
    if data is None:
        form.required("data")
    check(form.problems)
    channel = visible_channel(sim, channel_id or 0, me)
    application = next((a for a in applications_in(sim, channel) if a.id == application_id), None)
    if application is None or kind is None or data is None:
        raise Refused(Code.UNKNOWN_APPLICATION)
    interaction = Interaction(
        id=sim.clock.next_id(),
        token=secrets.token_urlsafe(96),
        kind=kind,
        application_id=application.id,
        user_id=me.id,
        channel_id=channel.id,
        guild_id=channel.guild_id,
        created_at=sim.clock.validity_now(),
        nonce=nonce,
        message_id=form.snowflake("message_id"),
    )
    asked = _Asked(sim, channel, me, interaction)
    match kind:
        case InteractionKind.COMMAND | InteractionKind.AUTOCOMPLETE:
            interaction, payload = asked.command(data)
        case InteractionKind.COMPONENT:
            interaction, payload = asked.component(data)
        case _:
            interaction, payload = asked.modal(data)
    check(form.problems)
    _begin(sim, interaction, payload)
    return NOTHING


def _begin(sim: Simulation, interaction: Interaction, payload: JsonObject) -> None:
    """Store an interaction and tell both sides; three seconds later it has failed if nothing was answered."""
    for old in list(sim.world.interactions.values()):
        if not old.token_lives(sim.clock.validity_now()):
            sim.world.drop(old)
    sim.world.put(interaction)
    sim.sessions.dispatch(
        Event(
            name="INTERACTION_CREATE",
            payload=payload,
            guild_id=interaction.guild_id,
            only=frozenset({interaction.application_id}),
            bots_only=True,
        )
    )
    tell_member(sim, interaction, "INTERACTION_CREATE")
    sim.timers.later(ACKNOWLEDGE_WITHIN, lambda: _fail_if_unanswered(sim, interaction.id))


def _fail_if_unanswered(sim: Simulation, interaction_id: int) -> None:
    interaction = sim.world.interactions.get(interaction_id)
    if interaction is not None and interaction.response is None:
        tell_member(sim, interaction, "INTERACTION_FAILURE")


def tell_member(sim: Simulation, interaction: Interaction, name: str, more: JsonObject | None = None) -> None:
    """Tell the member who asked how their interaction stands."""
    body: JsonObject = {"id": str(interaction.id), "nonce": interaction.nonce}
    only = frozenset({interaction.user_id})
    sim.sessions.dispatch(Event(name=name, payload=body | (more or {}), only=only, people_only=True))


class _Asked:
    """One invocation on its way: knows where and by whom, and renders what the application hears."""

    def __init__(self, sim: Simulation, channel: Channel, user: User, interaction: Interaction) -> None:
        self._sim = sim
        self._channel = channel
        self._user = user
        self._interaction = interaction

    def command(self, data: Form) -> tuple[Interaction, JsonObject]:
        """Read a command, or the beginning of one that wants completion."""
        command = self._usable(data)
        definition = definition_of(command)
        version = data.snowflake("version")
        if version is not None and version != command.version:
            data.wrong("version", "INTERACTION_APPLICATION_COMMAND_INVALID_VERSION", "This command is outdated")
        completing = self._interaction.kind is InteractionKind.AUTOCOMPLETE
        invocation = InvocationReader(autocomplete=completing).read(definition, data)
        body: JsonObject = {"id": str(command.id), "name": definition["name"], "type": definition["type"]}
        if command.guild_id is not None:
            body["guild_id"] = str(command.guild_id)
        if invocation.options:
            body["options"] = invocation.options
        user_ids, messages = invocation.user_ids, list[Message]()
        target_id = data.snowflake("target_id")
        if definition["type"] != CommandKind.CHAT_INPUT:
            body["target_id"] = str(target_id)
            if definition["type"] == CommandKind.USER:
                user_ids = (target_id or 0,)
            else:
                messages = [self._sim.world.message(self._channel.id, target_id or 0)]
        resolved = self._resolved(user_ids, invocation.role_ids, invocation.channel_ids, messages)
        if resolved:
            body["resolved"] = resolved
        name = str(definition["name"])
        interaction = _with_command(self._interaction, command, name, definition["type"])
        return interaction, self._payload(body)

    def component(self, data: Form) -> tuple[Interaction, JsonObject]:
        """Read the press of a button or a selection."""
        message = self._message()
        custom_id = data.text("custom_id", minimum=1, maximum=100, required=True) or ""
        component = find(message.components, custom_id)
        if component is None or component.get("disabled") is True:
            data.wrong("custom_id", "COMPONENT_VALIDATION_FAILED", "Component validation failed")
            component = {}
        body: JsonObject = {"custom_id": custom_id, "component_type": component.get("type")}
        if component.get("type") in SELECTS:
            values = data.items("values", maximum=_MOST_VALUES) or ()
            body["values"] = list(values)
            resolved = self._resolved_values(values)
            if resolved:
                body["resolved"] = resolved
        return self._interaction, self._payload(body, message)

    def modal(self, data: Form) -> tuple[Interaction, JsonObject]:
        """Read a submitted modal; `id` is that of the interaction which was answered by showing it."""
        custom_id = data.text("custom_id", minimum=1, maximum=100, required=True) or ""
        shown = self._sim.world.interactions.get(data.snowflake("id") or 0)
        if shown is None or (shown.user_id, shown.modal_custom_id) != (self._user.id, custom_id):
            raise Refused(Code.UNKNOWN_INTERACTION)
        self._interaction = replace(self._interaction, message_id=shown.message_id, trigger=shown.cause(None))
        body: JsonObject = {"custom_id": custom_id, "components": data.items("components", maximum=5) or ()}
        message = self._message() if shown.message_id is not None else None
        return self._interaction, self._payload(body, message)

    def _usable(self, data: Form) -> Command:
        command_id = data.snowflake("id")
        usable = usable_commands(self._sim, self._channel, self._user, self._interaction.application_id)
        command = next((c for c in usable if c.id == command_id), None)
        if command is None:
            known = self._sim.world.commands.get(command_id or 0)
            raise Refused(Code.UNKNOWN_COMMAND if known is None else Code.MISSING_PERMISSIONS)
        return command

    def _message(self) -> Message:
        """Find the message with the component: one of the channel, or an ephemeral one that this member sees."""
        message = self._sim.world.messages.get(self._interaction.message_id or 0)
        seen = message is not None and message.ephemeral_for in (None, self._user.id)
        if message is None or not seen or message.channel_id != self._channel.id:
            raise Refused(Code.UNKNOWN_MESSAGE)
        return message

    def _payload(self, data: JsonObject, message: Message | None = None) -> JsonObject:
        """Render what the application hears."""
        world, asked = self._sim.world, self._interaction
        channel = render.channel(world, self._channel, viewer_id=self._user.id)
        permissions = world.permissions(self._channel, self._user.id)
        channel["permissions"] = str(int(permissions))
        body: JsonObject = {
            "id": str(asked.id),
            "application_id": str(asked.application_id),
            "type": int(asked.kind),
            "token": asked.token,
            "version": 1,
            "data": data,
            "channel": channel,
            "channel_id": str(self._channel.id),
            "locale": _LOCALE,
            "app_permissions": str(int(world.permissions(self._channel, asked.application_id))),
            "entitlements": [],
            "entitlement_sku_ids": [],
            "attachment_size_limit": _UPLOAD_LIMIT,
            "authorizing_integration_owners": {"0": str(asked.guild_id or 0)},
            "context": 1 if asked.guild_id is None else 0,
        }
        if message is not None:
            body["message"] = self._sim.renderer.rest(message, viewer_id=asked.application_id)
        if asked.guild_id is None:
            body["user"] = render.user(self._user)
            return body
        member = render.member(world, world.member(asked.guild_id, self._user.id))
        body["member"] = member | {"permissions": str(int(permissions))}
        body["guild_id"] = str(asked.guild_id)
        body["guild_locale"] = _LOCALE
        body["guild"] = {"id": str(asked.guild_id), "locale": _LOCALE, "features": []}
        return body

    def _resolved_values(self, values: Sequence[JsonValue]) -> JsonObject:
        ids = [int(v) for v in values if isinstance(v, str) and v.isdigit()]
        world = self._sim.world
        return self._resolved(
            tuple(i for i in ids if i in world.users),
            tuple(i for i in ids if i in world.roles),
            tuple(i for i in ids if i in world.channels),
            (),
        )

    def _resolved(
        self,
        user_ids: Sequence[int],
        role_ids: Sequence[int],
        channel_ids: Sequence[int],
        messages: Sequence[Message],
    ) -> JsonObject:
        world, guild_id = self._sim.world, self._channel.guild_id
        body: JsonObject = {}
        users = [world.user(i) for i in user_ids if i in world.users or i not in world.roles]
        members = [m for m in (world.members.get((guild_id or 0, u.id)) for u in users) if m is not None]
        roles = [world.roles[i] for i in role_ids if i in world.roles]
        if users:
            body["users"] = {str(u.id): render.user(u) for u in users}
        if members:
            body["members"] = {
                str(m.user_id): render.bare_member(m)
                | {"permissions": str(int(world.permissions(self._channel, m.user_id)))}
                for m in members
            }
        if roles:
            body["roles"] = {str(r.id): render.role(r) for r in roles}
        if channel_ids:
            found = [visible_channel(self._sim, i, self._user) for i in channel_ids]
            body["channels"] = {str(c.id): render.channel(world, c, viewer_id=self._user.id) for c in found}
        if messages:
            viewer_id = self._interaction.application_id
            body["messages"] = {str(m.id): self._sim.renderer.rest(m, viewer_id=viewer_id) for m in messages}
        return body


def _with_command(interaction: Interaction, command: Command, name: str, kind: JsonValue) -> Interaction:
    return replace(
        interaction, command_id=command.id, command_name=name, command_kind=kind if isinstance(kind, int) else 1
    )


ROUTES: Final = (Route("POST", "/interactions", invoke),)
