"""Routes that an interaction's token opens for fifteen minutes: the first answer, and follow-ups."""

from __future__ import annotations

from typing import Final

from devstack.discord.compose import compose
from devstack.discord.documents import JsonObject
from devstack.discord.errors import Code, Refused, check
from devstack.discord.interactions import Interaction, Response
from devstack.discord.mentions import USERS_ONLY
from devstack.discord.messages import Message, MessageFlag
from devstack.discord.rest.call import NOTHING, Answer, Call, Route
from devstack.discord.rest.callbacks import respond
from devstack.discord.rest.changes import apply_edit, forget_message
from devstack.discord.sessions import Event
from devstack.discord.simulation import Simulation


def follow_up(call: Call) -> Answer:
    """POST /webhooks/{application_id}/{token}: the first one after a deferral becomes the deferred answer itself."""
    interaction = _interaction(call)
    original = call.sim.world.messages.get(interaction.original_id or 0)
    if original is not None and original.flags & MessageFlag.LOADING:
        return _edit(call, interaction, original)
    message = respond(call, interaction, call.form(), original_id=interaction.original_id)
    return _answer(call, interaction, message)


def get_original(call: Call) -> Answer:
    """GET /webhooks/{application_id}/{token}/messages/@original."""
    interaction = _interaction(call)
    return _answer(call, interaction, _original(call.sim, interaction))


def edit_original(call: Call) -> Answer:
    """PATCH /webhooks/{application_id}/{token}/messages/@original."""
    interaction = _interaction(call)
    return _edit(call, interaction, _original(call.sim, interaction))


def delete_original(call: Call) -> Answer:
    """DELETE /webhooks/{application_id}/{token}/messages/@original."""
    interaction = _interaction(call)
    return _delete(call.sim, _original(call.sim, interaction))


def get_message(call: Call) -> Answer:
    """GET /webhooks/{application_id}/{token}/messages/{message_id}."""
    interaction = _interaction(call)
    return _answer(call, interaction, _own(call, interaction))


def edit_message(call: Call) -> Answer:
    """PATCH /webhooks/{application_id}/{token}/messages/{message_id}."""
    interaction = _interaction(call)
    return _edit(call, interaction, _own(call, interaction))


def delete_message(call: Call) -> Answer:
    """DELETE /webhooks/{application_id}/{token}/messages/{message_id}."""
    return _delete(call.sim, _own(call, _interaction(call)))


def _interaction(call: Call) -> Interaction:
    """Find whose token this is: 10015 before it is acknowledged and for unknown ones, 50027 when it is too old."""
    token = call.parameters["webhook_token"]
    application_id = call.id("webhook_id")
    found = next((i for i in call.sim.world.interactions.values() if i.token == token), None)
    if found is None or found.application_id != application_id or found.response is None:
        raise Refused(Code.UNKNOWN_WEBHOOK)
    if not found.token_lives(call.sim.clock.validity_now()):
        raise Refused(Code.INVALID_WEBHOOK_TOKEN)
    return found


def _original(sim: Simulation, interaction: Interaction) -> Message:
    message = sim.world.messages.get(interaction.original_id or 0)
    if message is None or interaction.response in (Response.AUTOCOMPLETE, Response.MODAL):
        raise Refused(Code.UNKNOWN_MESSAGE)
    return message


def _own(call: Call, interaction: Interaction) -> Message:
    """Find a message that answers this interaction."""
    message = call.sim.world.messages.get(call.id("message_id"))
    answers = message is not None and message.cause is not None and message.cause.interaction_id == interaction.id
    if message is None or not (answers or message.id == interaction.original_id):
        raise Refused(Code.UNKNOWN_MESSAGE)
    return message


def _edit(call: Call, interaction: Interaction, message: Message) -> Answer:
    form = call.form()
    composed = compose(form, call.uploads, old_flags=message.flags, default=USERS_ONLY)
    check(form.problems)
    thinking = bool(message.flags & MessageFlag.LOADING)
    edited = apply_edit(call.sim, message, composed, first_words=thinking)
    return _answer(call, interaction, edited)


def _delete(sim: Simulation, message: Message) -> Answer:
    channel = sim.world.channel(message.channel_id)
    forget_message(sim, channel, message)
    body: JsonObject = {"id": str(message.id), "channel_id": str(channel.id)}
    if message.ephemeral_for is not None:
        only = frozenset({message.ephemeral_for, message.author_id})
        sim.sessions.dispatch(Event(name="MESSAGE_DELETE", payload=body, only=only))
        return NOTHING
    if channel.guild_id is not None:
        body["guild_id"] = str(channel.guild_id)
    sim.sessions.dispatch(Event(name="MESSAGE_DELETE", payload=body, guild_id=channel.guild_id, channel=channel))
    return NOTHING


def _answer(call: Call, interaction: Interaction, message: Message) -> Answer:
    return Answer(payload=call.sim.renderer.rest(message, viewer_id=interaction.application_id))


_BASE: Final = "/webhooks/{webhook_id}/{webhook_token}"
ROUTES: Final = (
    Route("POST", _BASE, follow_up, open=True),
    Route("GET", f"{_BASE}/messages/@original", get_original, open=True),
    Route("PATCH", f"{_BASE}/messages/@original", edit_original, open=True),
    Route("DELETE", f"{_BASE}/messages/@original", delete_original, open=True),
    Route("GET", f"{_BASE}/messages/{{message_id}}", get_message, open=True),
    Route("PATCH", f"{_BASE}/messages/{{message_id}}", edit_message, open=True),
    Route("DELETE", f"{_BASE}/messages/{{message_id}}", delete_message, open=True),
)
