"""The route by which an application answers an interaction, once and within three seconds."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from devstack.discord import render
from devstack.discord.components import ComponentReader
from devstack.discord.compose import compose
from devstack.discord.documents import Form, JsonObject, JsonValue
from devstack.discord.errors import Code, Refused, check
from devstack.discord.interactions import Interaction, InteractionKind, Response
from devstack.discord.mentions import USERS_ONLY
from devstack.discord.messages import Message, MessageFlag, MessageKind, Reference
from devstack.discord.objects import Channel, ChannelKind
from devstack.discord.posting import Draft, post
from devstack.discord.rest.call import NOTHING, Answer, Call, Route
from devstack.discord.rest.changes import apply_edit
from devstack.discord.rest.invocations import tell_member
from devstack.discord.simulation import Simulation

_MOST_CHOICES: Final = 25
_ON_COMPONENTS: Final = frozenset({Response.DEFERRED_UPDATE, Response.UPDATE})


def callback(call: Call) -> Answer:
    """POST /interactions/{interaction_id}/{interaction_token}/callback."""
    sim = call.sim
    interaction = _awaiting(call)
    form = call.form()
    response = form.member("type", Response)
    if response is None:
        form.required("type")
        check(form.problems)
        raise Refused(Code.INVALID_FORM_BODY)
    _check_kind(interaction, response, form)
    data = form.form("data") or Form({}, form.problems, ("data",))
    message = _answer(call, interaction, response, data)
    if message is not None:
        interaction = replace(interaction, original_id=message.id)
    shown = data.text("custom_id", maximum=100) if response is Response.MODAL else None
    interaction = replace(interaction, response=response, modal_custom_id=shown)
    sim.world.put(interaction)
    if response not in (Response.AUTOCOMPLETE, Response.MODAL):
        tell_member(sim, interaction, "INTERACTION_SUCCESS")
    if call.query.get("with_response", "").lower() not in ("true", "1"):
        return NOTHING
    return Answer(payload=_told(call, interaction, response, message))


def _awaiting(call: Call) -> Interaction:
    """Find the interaction: 10062 when it is unknown or too old, 40060 when it is already acknowledged."""
    interaction = call.sim.world.interactions.get(call.id("interaction_id"))
    if interaction is None or interaction.token != call.parameters["interaction_token"]:
        raise Refused(Code.UNKNOWN_INTERACTION)
    if interaction.response is not None:
        raise Refused(Code.ALREADY_ACKNOWLEDGED)
    if not interaction.awaits_response(call.sim.clock.validity_now()):
        raise Refused(Code.UNKNOWN_INTERACTION)
    return interaction


def _check_kind(interaction: Interaction, response: Response, form: Form) -> None:
    """Note an answer that does not fit what was asked."""
    of_component = interaction.message_id is not None
    match interaction.kind:
        case InteractionKind.AUTOCOMPLETE:
            fits = response is Response.AUTOCOMPLETE
        case InteractionKind.MODAL:
            fits = response not in (Response.AUTOCOMPLETE, Response.MODAL)
            fits = fits and (of_component or response not in _ON_COMPONENTS)
        case InteractionKind.COMPONENT:
            fits = response is not Response.AUTOCOMPLETE
        case _:
            fits = response is not Response.AUTOCOMPLETE and response not in _ON_COMPONENTS
    if not fits or response is Response.PONG:
        form.wrong("type", "BASE_TYPE_CHOICES", "This response type does not fit the interaction.")
        check(form.problems)


def _answer(call: Call, interaction: Interaction, response: Response, data: Form) -> Message | None:
    """Do what the answer says; a message is what the interaction's @original is from now on."""
    sim = call.sim
    match response:
        case Response.MESSAGE:
            return respond(call, interaction, data)
        case Response.DEFERRED_MESSAGE:
            flags = data.integer("flags") or 0
            check(data.problems)
            return _post(sim, interaction, _loading(sim, interaction, flags))
        case Response.DEFERRED_UPDATE:
            return sim.world.messages.get(interaction.message_id or 0)
        case Response.UPDATE:
            message = sim.world.messages.get(interaction.message_id or 0)
            if message is None:
                raise Refused(Code.UNKNOWN_MESSAGE)
            composed = compose(data, call.uploads, old_flags=message.flags, default=USERS_ONLY)
            check(data.problems)
            return apply_edit(sim, message, composed)
        case Response.AUTOCOMPLETE:
            _complete(sim, interaction, data)
        case Response.MODAL:
            _show_modal(sim, interaction, data)
        case Response.PONG:
            pass
    return None


def respond(
    call: Call, interaction: Interaction, data: Form, *, original_id: int | None = None, ephemeral: bool | None = None
) -> Message:
    """Send a message as an answer to an interaction, the first or a follow-up.

    Raises:
        Refused: 50006 for an empty one, 50035 for one that is not acceptable.
    """
    composed = compose(data, call.uploads, default=USERS_ONLY)
    check(data.problems)
    if composed.is_empty:
        raise Refused(Code.EMPTY_MESSAGE)
    flags = composed.flags or 0
    if ephemeral is not None:
        flags = (flags & ~MessageFlag.EPHEMERAL) | (MessageFlag.EPHEMERAL if ephemeral else 0)
    channel = call.sim.world.channel(interaction.channel_id)
    draft = Draft(
        channel=channel,
        author_id=interaction.application_id,
        content=composed.content or "",
        kind=_kind(interaction, follow_up=original_id is not None),
        embeds=composed.embeds or (),
        components=composed.components or (),
        files=composed.files,
        flags=flags,
        allowed=composed.allowed,
        reference=_reference(interaction, channel, original_id),
        tts=composed.tts,
        cause=interaction.cause(original_id),
        application_id=interaction.application_id,
        ephemeral_for=interaction.user_id if flags & MessageFlag.EPHEMERAL else None,
    )
    return _post(call.sim, interaction, draft)


def _post(sim: Simulation, interaction: Interaction, draft: Draft) -> Message:
    """Send; in direct messages with the bot an ephemeral answer needs the channel like any other."""
    if draft.channel.kind is not ChannelKind.DM and interaction.guild_id is None:
        raise Refused(Code.UNKNOWN_CHANNEL)
    return post(sim, draft)


def _loading(sim: Simulation, interaction: Interaction, flags: int) -> Draft:
    """Make the message that says that the application is thinking."""
    channel = sim.world.channel(interaction.channel_id)
    ephemeral = flags & MessageFlag.EPHEMERAL
    return Draft(
        channel=channel,
        author_id=interaction.application_id,
        kind=_kind(interaction, follow_up=False),
        flags=MessageFlag.LOADING | ephemeral,
        reference=_reference(interaction, channel, None),
        cause=interaction.cause(None),
        application_id=interaction.application_id,
        ephemeral_for=interaction.user_id if ephemeral else None,
    )


def _kind(interaction: Interaction, *, follow_up: bool) -> MessageKind:
    if follow_up:
        return MessageKind.REPLY
    if interaction.kind is not InteractionKind.COMMAND:
        return MessageKind.REPLY if interaction.message_id is not None else MessageKind.DEFAULT
    return MessageKind.COMMAND if interaction.command_kind == 1 else MessageKind.CONTEXT_COMMAND


def _reference(interaction: Interaction, channel: Channel, original_id: int | None) -> Reference | None:
    """Refer to what is answered: follow-ups to the first answer, answers to components to their message."""
    target = original_id or (interaction.message_id if interaction.kind is not InteractionKind.COMMAND else None)
    if target is None:
        return None
    return Reference(channel_id=channel.id, message_id=target, guild_id=channel.guild_id)


def _complete(sim: Simulation, interaction: Interaction, data: Form) -> None:
    choices = data.forms("choices", maximum=_MOST_CHOICES) or ()
    for choice in choices:
        choice.text("name", minimum=1, maximum=100, required=True)
    check(data.problems)
    rendered: JsonValue = [dict(c.data) for c in choices]
    tell_member(sim, interaction, "APPLICATION_COMMAND_AUTOCOMPLETE_RESPONSE", {"choices": rendered})


def _show_modal(sim: Simulation, interaction: Interaction, data: Form) -> None:
    custom_id = data.text("custom_id", minimum=1, maximum=100, required=True)
    title = data.text("title", minimum=1, maximum=45, required=True)
    components = ComponentReader(layout=True, modal=True).read(data) or ()
    check(data.problems)
    application = sim.world.user(interaction.application_id)
    body: JsonObject = {
        "channel_id": str(interaction.channel_id),
        "custom_id": custom_id,
        "title": title,
        "components": list(components),
        "application": {"id": str(application.id), "name": application.display_name, "bot": render.user(application)},
    }
    if interaction.message_id is not None:
        body["message_id"] = str(interaction.message_id)
    tell_member(sim, interaction, "INTERACTION_MODAL_CREATE", body)


def _told(call: Call, interaction: Interaction, response: Response, message: Message | None) -> JsonObject:
    """Render what `with_response` asks for."""
    about: JsonObject = {"id": str(interaction.id), "type": int(interaction.kind)}
    about["channel_id"] = str(interaction.channel_id)
    if interaction.guild_id is not None:
        about["guild_id"] = str(interaction.guild_id)
    body: JsonObject = {"interaction": about}
    if message is not None:
        about["response_message_id"] = str(message.id)
        about["response_message_loading"] = bool(message.flags & MessageFlag.LOADING)
        about["response_message_ephemeral"] = message.ephemeral_for is not None
        rendered = call.sim.renderer.rest(message, viewer_id=interaction.application_id)
        if response is not Response.DEFERRED_UPDATE:
            kind = Response.UPDATE if response is Response.UPDATE else Response.MESSAGE
            body["resource"] = {"type": int(kind), "message": rendered}
    return body


ROUTES: Final = (Route("POST", "/interactions/{interaction_id}/{interaction_token}/callback", callback, open=True),)
