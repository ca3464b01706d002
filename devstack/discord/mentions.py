"""Whom a message pings: mentions in its words, filtered by what the author allows and may do. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from devstack.discord.documents import Form
from devstack.discord.messages import Mentions

_USER: Final = re.compile(r"<@!?(\d{1,20})>")
_ROLE: Final = re.compile(r"<@&(\d{1,20})>")
_EVERYONE: Final = re.compile(r"@(everyone|here)\b")
_CODE: Final = re.compile(r"```.*?```|``.+?``|`[^`\n]+`", re.DOTALL)
"""What is written as code pings nobody."""
_MOST: Final = 100


class Kind(StrEnum):
    """Kinds of mentions that `allowed_mentions.parse` may name."""

    USERS = "users"
    ROLES = "roles"
    EVERYONE = "everyone"


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowedMentions:
    """Which mentions of a message may ping."""

    parse: frozenset[Kind] = frozenset(Kind)
    user_ids: tuple[int, ...] = ()
    role_ids: tuple[int, ...] = ()
    replied_user: bool = True


EVERYTHING: Final = AllowedMentions()
"""The default of messages."""
USERS_ONLY: Final = AllowedMentions(parse=frozenset({Kind.USERS}))
"""The default of answers to interactions, by Discord's documentation."""


def read_allowed(form: Form, default: AllowedMentions) -> AllowedMentions:
    """Read `allowed_mentions`. Present, it allows what it names and nothing else, not even the reply's ping."""
    value = form.form("allowed_mentions")
    if value is None:
        return default
    kinds: set[Kind] = set()
    for name in value.items("parse", maximum=3) or ():
        if isinstance(name, str) and name in {kind.value for kind in Kind}:
            kinds.add(Kind(name))
        else:
            value.wrong("parse", "BASE_TYPE_CHOICES", "Value must be one of ('users', 'roles', 'everyone').")
    users = value.snowflakes("users", maximum=_MOST) or ()
    roles = value.snowflakes("roles", maximum=_MOST) or ()
    for kind, ids in ((Kind.USERS, users), (Kind.ROLES, roles)):
        if kind in kinds and ids:
            value.wrong(
                "parse",
                "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE",
                f'parse:["{kind}"] and {kind}: [ids...] are mutually exclusive.',
            )
    return AllowedMentions(
        parse=frozenset(kinds), user_ids=users, role_ids=roles, replied_user=bool(value.flag("replied_user"))
    )


def find_mentions(
    content: str,
    allowed: AllowedMentions,
    *,
    known_users: frozenset[int],
    pingable_roles: frozenset[int],
    may_ping_everyone: bool,
    replied_user_id: int | None,
) -> Mentions:
    """Decide whom a message pings: of `known_users` and `pingable_roles`, those that its words name and it allows."""
    words = _CODE.sub(" ", content) if "`" in content else content
    users: list[int] = []
    if replied_user_id is not None and allowed.replied_user and replied_user_id in known_users:
        users.append(replied_user_id)
    if "<@" in words:
        users.extend(i for i in map(int, _USER.findall(words)) if i in known_users and _allows(allowed, Kind.USERS, i))
    roles = [i for i in map(int, _ROLE.findall(words)) if i in pingable_roles and _allows(allowed, Kind.ROLES, i)]
    everyone = may_ping_everyone and Kind.EVERYONE in allowed.parse and _EVERYONE.search(words) is not None
    return Mentions(
        user_ids=tuple(dict.fromkeys(users))[:_MOST], role_ids=tuple(dict.fromkeys(roles))[:_MOST], everyone=everyone
    )


def _allows(allowed: AllowedMentions, kind: Kind, snowflake: int) -> bool:
    listed = allowed.user_ids if kind is Kind.USERS else allowed.role_ids
    return kind in allowed.parse or snowflake in listed
