"""Routes of application commands: an application registers them, people's clients list them."""

from __future__ import annotations

import json
from dataclasses import replace
from http import HTTPStatus
from typing import Final

from devstack.discord import render
from devstack.discord.access import visible_channel
from devstack.discord.commands import MOST_COMMANDS, read_definition
from devstack.discord.documents import Form, JsonObject, JsonValue, Problems, dumps, is_list, is_object
from devstack.discord.errors import Code, Refused, check
from devstack.discord.objects import Channel, Command, User
from devstack.discord.permissions import Permission
from devstack.discord.rest.call import NOTHING, Answer, Call, Route
from devstack.discord.simulation import Simulation


def definition_of(command: Command) -> JsonObject:
    """Parse what an application registered."""
    value: JsonValue = json.loads(command.definition)
    return dict(value) if is_object(value) else {}


def rendered(command: Command) -> JsonObject:
    """Render a command."""
    body: JsonObject = {
        "id": str(command.id),
        "application_id": str(command.application_id),
        "version": str(command.version),
    }
    if command.guild_id is not None:
        body["guild_id"] = str(command.guild_id)
    return body | definition_of(command)


def list_commands(call: Call) -> Answer:
    """GET /applications/{application_id}/commands, or of a guild: by id."""
    application_id, guild_id = _scope(call)
    return Answer(payload=[rendered(c) for c in call.sim.world.guild_commands(application_id, guild_id)])


def overwrite_commands(call: Call) -> Answer:
    """PUT /applications/{application_id}/commands: what is not in the list is deleted, equal names keep their ids."""
    application_id, guild_id = _scope(call)
    if not is_list(call.body):
        raise Refused(
            Code.INVALID_FORM_BODY, errors={"_errors": [{"code": "LIST_TYPE_CONVERT", "message": "Not a list"}]}
        )
    if len(call.body) > MOST_COMMANDS:
        raise Refused(Code.MAX_COMMANDS)
    problems = Problems()
    definitions = [read_definition(Form(d, problems, (str(n),))) for n, d in enumerate(call.body)]
    check(problems)
    world = call.sim.world
    old = {_key(definition_of(c)): c for c in world.guild_commands(application_id, guild_id)}
    wanted = {_key(d): d for d in definitions}
    for key, command in old.items():
        if key not in wanted:
            world.drop(command)
    made = [_stored(call.sim, old.get(key), d, application_id, guild_id) for key, d in wanted.items()]
    return Answer(payload=[rendered(c) for c in made])


def create_command(call: Call) -> Answer:
    """POST /applications/{application_id}/commands: 201 for a new one, 200 where it replaces one of the same name."""
    application_id, guild_id = _scope(call)
    form = call.form()
    definition = read_definition(form)
    check(form.problems)
    existing = call.sim.world.guild_commands(application_id, guild_id)
    old = next((c for c in existing if _key(definition_of(c)) == _key(definition)), None)
    if old is None and len(existing) >= MOST_COMMANDS:
        raise Refused(Code.MAX_COMMANDS)
    command = _stored(call.sim, old, definition, application_id, guild_id)
    return Answer(payload=rendered(command), status=HTTPStatus.CREATED if old is None else HTTPStatus.OK)


def get_command(call: Call) -> Answer:
    """GET /applications/{application_id}/commands/{command_id}."""
    return Answer(payload=rendered(_command(call)))


def edit_command(call: Call) -> Answer:
    """PATCH /applications/{application_id}/commands/{command_id}."""
    command = _command(call)
    form = call.form()
    definition = read_definition(form, definition_of(command))
    check(form.problems)
    edited = _stored(call.sim, command, definition, command.application_id, command.guild_id)
    return Answer(payload=rendered(edited))


def delete_command(call: Call) -> Answer:
    """DELETE /applications/{application_id}/commands/{command_id}."""
    call.sim.world.drop(_command(call))
    return NOTHING


def command_index(call: Call) -> Answer:
    """GET /channels/{channel_id}/application-command-index: what a person may invoke in a channel.

    Discord's own clients use it; its documentation does not list it.
    """
    channel = visible_channel(call.sim, call.id("channel_id"), call.me)
    bots = applications_in(call.sim, channel)
    commands = [c for bot in bots for c in usable_commands(call.sim, channel, call.me, bot.id)]
    applications: list[JsonObject] = [
        {"id": str(b.id), "name": b.display_name, "description": "", "icon": None, "bot": render.user(b)} for b in bots
    ]
    return Answer(payload={"applications": applications, "application_commands": [rendered(c) for c in commands]})


def applications_in(sim: Simulation, channel: Channel) -> list[User]:
    """List the bots of a channel's guild, or the one in the direct messages."""
    if channel.guild_id is None:
        ids = list(channel.recipient_ids)
    else:
        ids = [m.user_id for m in sim.world.guild_members(channel.guild_id)]
    return [user for user in map(sim.world.user, ids) if user.bot]


def usable_commands(sim: Simulation, channel: Channel, user: User, application_id: int) -> list[Command]:
    """List an application's commands that a person may invoke in a channel: global ones, then the guild's."""
    world = sim.world
    permissions = world.permissions(channel, user.id)
    if not permissions & Permission.USE_APPLICATION_COMMANDS:
        return []
    found = world.guild_commands(application_id, None)
    if channel.guild_id is not None:
        found += world.guild_commands(application_id, channel.guild_id)
    return [c for c in found if _may_use(definition_of(c), permissions, direct=channel.guild_id is None)]


def _may_use(definition: JsonObject, permissions: Permission, *, direct: bool) -> bool:
    contexts = definition.get("contexts")
    if is_list(contexts):
        if (1 if direct else 0) not in contexts:
            return False
    elif direct and definition.get("dm_permission") is False:
        return False
    needed = definition.get("default_member_permissions")
    if direct or not isinstance(needed, str):
        return True
    if needed == "0":
        return bool(permissions & Permission.ADMINISTRATOR)
    return not Permission(int(needed)) & ~permissions


def _stored(
    sim: Simulation, old: Command | None, definition: JsonObject, application_id: int, guild_id: int | None
) -> Command:
    """Store a definition: unchanged ones keep their version."""
    text = dumps(definition)
    if old is not None:
        if old.definition == text:
            return old
        command = replace(old, definition=text, version=sim.clock.next_id())
    else:
        snowflake = sim.clock.next_id()
        command = Command(
            id=snowflake, application_id=application_id, guild_id=guild_id, version=snowflake, definition=text
        )
    sim.world.put(command)
    return command


def _key(definition: JsonObject) -> tuple[JsonValue, JsonValue]:
    return definition.get("type"), definition.get("name")


def _scope(call: Call) -> tuple[int, int | None]:
    """Read whose commands, and of which guild: an application sees only its own, where it is."""
    application_id = call.id("application_id")
    if application_id != call.me.id:
        raise Refused(Code.MISSING_ACCESS)
    if "guild_id" not in call.parameters:
        return application_id, None
    guild_id = call.id("guild_id")
    if (guild_id, call.me.id) not in call.sim.world.members:
        raise Refused(Code.MISSING_ACCESS)
    return application_id, guild_id


def _command(call: Call) -> Command:
    application_id, guild_id = _scope(call)
    command = call.sim.world.commands.get(call.id("command_id"))
    if command is None or (command.application_id, command.guild_id) != (application_id, guild_id):
        raise Refused(Code.UNKNOWN_COMMAND)
    return command


def _routes(base: str) -> tuple[Route, ...]:
    return (
        Route("GET", base, list_commands),
        Route("PUT", base, overwrite_commands),
        Route("POST", base, create_command),
        Route("GET", f"{base}/{{command_id}}", get_command),
        Route("PATCH", f"{base}/{{command_id}}", edit_command),
        Route("DELETE", f"{base}/{{command_id}}", delete_command),
    )


ROUTES: Final = (
    *_routes("/applications/{application_id}/commands"),
    *_routes("/applications/{application_id}/guilds/{guild_id}/commands"),
    Route("GET", "/channels/{channel_id}/application-command-index", command_index),
)
