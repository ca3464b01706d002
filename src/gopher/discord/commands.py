"""The slash commands: what Discord offers to members, and what happens when one is given."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from typing import Any, Final

import disnake

from gopher.discord.actions import DiscordActions
from gopher.discord.backoff import Backoff
from gopher.discord.catch_up import FIRST_PAUSE, LONGEST_PAUSE
from gopher.discord.entries import InteractionEntry
from gopher.discord.failures import FAILURES, to_discord_error
from gopher.discord.intake import begin_trace
from gopher.discord.journaling import Journaling
from gopher.domain.ids import ChannelId, GuildId, RequestId, UserId
from gopher.domain.journal import NewRequest, Trigger
from gopher.domain.runs import Surface
from gopher.errors import DiscordError, DiscordUnavailable

_log = logging.getLogger(__name__)

Interaction = disnake.ApplicationCommandInteraction[Any]

LONGEST_PROMPT: Final = 4000
"""As long as a message can be."""

EVERYWHERE: Final = disnake.InteractionContextTypes(guild=True, bot_dm=True)

NOT_STORED: Final = (
    "My memory could not be reached while you could still be answered, so this is lost. Please ask again."
)

ABOUT: Final = (
    "I am {name}, an assistant with a long memory. I answer when you mention me, reply to me, write to me directly, "
    "begin a message with my name and a comma (“{name}, …”), or use /ask. Otherwise I stay silent. I remember "
    "conversations in the channels that I can see, so that I can help with what was said before."
)


def definitions() -> list[disnake.ApplicationCommand]:
    """Describe the commands as Discord shows them, in servers and in direct messages."""
    prompt = disnake.Option(
        "prompt",
        "What you want to know or have done",
        disnake.OptionType.string,
        required=True,
        max_length=LONGEST_PROMPT,
    )
    return [
        disnake.SlashCommand("ask", "Ask me something", options=[prompt], contexts=EVERYWHERE),
        disnake.SlashCommand("about", "Who I am and when I answer (only you see this)", contexts=EVERYWHERE),
    ]


async def register(client: disnake.Client) -> None:
    """Replace the commands that Discord offers by this version's; tries until Discord takes or refuses them."""
    backoff = Backoff(FIRST_PAUSE, LONGEST_PAUSE)
    while True:
        try:
            await client.bulk_overwrite_global_commands(definitions())
        except FAILURES as error:
            failure = to_discord_error(error, "register the slash commands")
            if not isinstance(failure, DiscordUnavailable):
                _log.error("commands_not_registered: %s", failure)
                return
            await backoff.pause()
        else:
            return


class Commands:
    """Answers commands: at once where it can, else by a request."""

    def __init__(self, actions: DiscordActions, journaling: Journaling, *, name: str) -> None:
        """Open requests in the lanes of `journaling`. `name` is what calls the bot."""
        self._actions = actions
        self._journaling = journaling
        self._name = name

    async def given(self, interaction: Interaction) -> None:
        """Answer a command. Discord waits three seconds for the first response."""
        try:
            match interaction.data.name:
                case "ask":
                    await self._ask(interaction)
                case "about":
                    about = ABOUT.format(name=self._name)
                    none = disnake.AllowedMentions.none()
                    await interaction.response.send_message(about, ephemeral=True, allowed_mentions=none)
                case unknown:
                    _log.warning("unknown_command: %s was given; are two versions of this bot running?", unknown)
        except FAILURES as error:
            failure = to_discord_error(error, "respond to a command")
            _log.warning("interaction %d got no first response: %s", interaction.id, failure.code)

    async def _ask(self, interaction: Interaction) -> None:
        # Taken into memory before the first wait: if the response fails, the answer comes as a message all the same.
        self._journaling.accept(self._entry(interaction))
        await interaction.response.defer()

    def _entry(self, interaction: Interaction) -> InteractionEntry:
        request_id = RequestId(interaction.id)
        request = NewRequest(
            request_id=request_id,
            surface=Surface.DISCORD,
            trigger=Trigger.INTERACTION,
            guild_id=None if interaction.guild_id is None else GuildId(interaction.guild_id),
            channel_id=ChannelId(interaction.channel.id),
            user_id=UserId(interaction.author.id),
            prompt=str(interaction.options["prompt"]),
            interaction_token=interaction.token,
            traceparent=begin_trace("discord.interaction", request_id),
        )
        return InteractionEntry(
            request=request, user_name=interaction.author.display_name, give_up=self._giving_up(interaction.token)
        )

    def _giving_up(self, token: str) -> Callable[[], Coroutine[None, None, None]]:
        async def give_up() -> None:
            try:
                await self._actions.retract_interaction(token=token, sentence=NOT_STORED)
            except DiscordError as error:
                _log.warning("a member could not be told that a command is lost: %s", error.code)

        return give_up
