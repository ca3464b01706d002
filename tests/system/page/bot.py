"""A small bot for the tests of the chat page: it answers with everything that the page must be able to show."""

import asyncio
import contextlib
import sys
from typing import Final, cast

import disnake
from disnake.http import Route

from devstack.discord import seed

_SILENT: Final = disnake.AllowedMentions.none()
_STYLE: Final = disnake.ButtonStyle
_TYPE: Final = disnake.OptionType

COMMANDS: Final = (
    disnake.SlashCommand(
        name="roll",
        description="Rolls dice",
        options=[
            disnake.Option("sides", "Sides of a die", _TYPE.integer, required=True, min_value=2, max_value=100),
            disnake.Option("colour", "Colour of the dice", _TYPE.string, choices=["red", "green"]),
            disnake.Option("loaded", "Whether they are loaded", _TYPE.boolean),
            disnake.Option("rival", "Against whom", _TYPE.user),
            disnake.Option("table", "Where they fall", _TYPE.channel),
        ],
    ),
    disnake.SlashCommand(
        name="echo",
        description="Says it after you",
        options=[disnake.Option("words", "What to say", _TYPE.string, required=True)],
    ),
    disnake.SlashCommand(
        name="memory",
        description="What it remembers",
        options=[disnake.Option("status", "How much it remembers", _TYPE.sub_command)],
    ),
)


class PageBot(disnake.Client):
    """Answers mentions and direct messages, a few words, commands and buttons."""

    presses = 0

    async def on_ready(self) -> None:
        for guild in self.guilds:
            await self.bulk_overwrite_guild_commands(guild.id, list(COMMANDS))

    async def on_message(self, message: disnake.Message) -> None:
        if message.author.bot:
            return
        if message.content == "!embed":
            await message.channel.send(embed=_embed())
        elif message.content == "!hostile":
            await message.channel.send(embed=_hostile_embed())
        elif message.content == "!buttons":
            await message.channel.send("Choose one", components=_buttons())
        elif self.user in message.mentions or message.guild is None:
            async with message.channel.typing():
                await asyncio.sleep(0.7)
            words = message.clean_content.removeprefix(f"@{self.user.name}").strip()
            await message.reply(f"**Echo**: {words}", mention_author=False)

    async def on_application_command(self, inter: disnake.ApplicationCommandInteraction[disnake.Client]) -> None:
        options = cast("dict[str, object]", inter.options)
        match inter.data.name:
            case "roll":
                await inter.response.send_message(_rolled(options))
            case "echo":
                await inter.response.defer()
                await asyncio.sleep(0.4)
                await inter.edit_original_response(f"Echoed {options['words']}")
            case _:
                await inter.response.send_message("Nothing at all", ephemeral=True)

    async def on_button_click(self, inter: disnake.MessageInteraction[disnake.Client]) -> None:
        if inter.component.custom_id == "count":
            self.presses += 1
            await inter.response.edit_message(f"Counted {self.presses}")
        elif inter.component.custom_id == "whisper":
            await inter.response.send_message("A secret of the burrow", ephemeral=True)


def _rolled(options: dict[str, object]) -> str:
    parts = [f"Rolled a {options.get('colour', 'plain')} d{options['sides']}"]
    rival, table = options.get("rival"), options.get("table")
    if options.get("loaded"):
        parts.append("loaded")
    if isinstance(rival, disnake.Member):
        parts.append(f"against {rival.mention}")
    if isinstance(table, disnake.TextChannel):
        parts.append(f"in {table.mention}")
    return ", ".join(parts)


def _embed() -> disnake.Embed:
    embed = disnake.Embed(title="Burrow report", description="All *tunnels* are open.", colour=0x4CC9A0)
    embed.add_field("Depth", "3 m", inline=True)
    embed.add_field("Length", "41 m", inline=True)
    embed.set_footer(text="Measured today")
    return embed


def _hostile_embed() -> disnake.Embed:
    embed = disnake.Embed(title="<b>title</b>", description="<i>description</i>")
    embed.add_field("<u>name</u>", "[link](javascript:alert(1))")
    return embed


def _buttons() -> list[disnake.ui.Button[None]]:
    return [
        disnake.ui.Button(style=_STYLE.primary, label="Count", custom_id="count"),
        disnake.ui.Button(style=_STYLE.secondary, label="Whisper", custom_id="whisper"),
        disnake.ui.Button(style=_STYLE.success, label="Closed", custom_id="closed", disabled=True),
        disnake.ui.Button(style=_STYLE.danger, label="Silence", custom_id="silence"),
        disnake.ui.Button(style=_STYLE.link, label="Read more", url="https://example.com/burrow"),
    ]


async def main(api_url: str) -> None:
    Route.BASE = api_url
    bot = PageBot(intents=disnake.Intents.all(), allowed_mentions=_SILENT)
    with contextlib.suppress(asyncio.CancelledError):
        await bot.start(seed.BOT_TOKEN)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
