"""The fixed inhabitants of the simulated Discord: ids, names and tokens that tests, page and documentation may name.

Everything here is a toy on the loopback interface. The tokens have the shape of real ones and open nothing elsewhere.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Final


def shape_token(user_id: int, name: str) -> str:
    """Shape a token as Discord does: the user's id in base64, six characters, a long tail that names itself a toy."""
    head = base64.urlsafe_b64encode(str(user_id).encode()).decode().rstrip("=")
    return f"{head}.SimDis.sim-{name}-token-for-loopback-only-000000"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedMember:
    """Somebody who can log in: the bot, or a member whom the chat page speaks as."""

    id: int
    username: str
    display_name: str
    colour: int
    """The colour of the avatar, 0xRRGGBB."""
    token: str
    bot: bool = False


def _member(user_id: int, username: str, display_name: str, colour: int, *, bot: bool = False) -> SeedMember:
    name = "bot" if bot else username
    return SeedMember(
        id=user_id,
        username=username,
        display_name=display_name,
        colour=colour,
        token=shape_token(user_id, name),
        bot=bot,
    )


BOT: Final = _member(1200000000000000001, "gopher", "Gopher", 0x5B8DEF, bot=True)
"""The bot user. Its application has the same id, as with every application made since 2016."""
APPLICATION_ID: Final = BOT.id
BOT_TOKEN: Final = BOT.token

ADA: Final = _member(1200000000000000101, "ada", "Ada", 0xE0556A)
"""Owns both guilds."""
GRACE: Final = _member(1200000000000000102, "grace", "Grace", 0x2E9E6B)
"""Has the role Staff: sees #staff and may moderate."""
LINUS: Final = _member(1200000000000000103, "linus", "Linus", 0xC98A1B)
MIKA: Final = _member(1200000000000000104, "mika", "Mika", 0x8E5BD0)
"""Is also in the second guild."""
NOOR: Final = _member(1200000000000000105, "noor", "Noor", 0x1B9AAA)
OTHER_BOT: Final = _member(1200000000000000201, "herald", "Herald", 0x7A7F8A, bot=True)
"""Another bot in the first guild, to post as one: Gopher must not answer it. It logs in like Gopher does."""
OTHER_BOT_TOKEN: Final = OTHER_BOT.token

MEMBERS: Final = (ADA, GRACE, LINUS, MIKA, NOOR)
"""The people, in the order in which the page offers them."""
EVERYBODY: Final = (BOT, OTHER_BOT, *MEMBERS)

GUILD_ID: Final = 1200000000000001000
GUILD_NAME: Final = "Burrow"
STAFF_ROLE_ID: Final = 1200000000000001001
GOPHER_ROLE_ID: Final = 1200000000000001002
"""The managed role that came with the bot."""
REGULARS_ROLE_ID: Final = 1200000000000001003
"""A mentionable role without permissions of its own: Linus and Mika have it."""
HERALD_ROLE_ID: Final = 1200000000000001004

TEXT_CATEGORY_ID: Final = 1200000000000002000
GENERAL_ID: Final = 1200000000000002001
PROJECTS_ID: Final = 1200000000000002002
RANDOM_ID: Final = 1200000000000002003
STAFF_ID: Final = 1200000000000002004
"""Private: only the role Staff, the bot and the owner see it."""

SECOND_GUILD_ID: Final = 1200000000000003000
SECOND_GUILD_NAME: Final = "Night Shift"
SECOND_GUILD_BOT_ROLE_ID: Final = 1200000000000003001
LOBBY_ID: Final = 1200000000000003101
"""The only channel of the second guild, where Ada, Mika and the bot are."""
