"""Powers over the simulated Discord that Discord gives nobody: faults, clocks, people; for tests and the supervisor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

from devstack.discord.errors import Code, Refused
from devstack.discord.faults import PlannedFault, RequestFault
from devstack.discord.gateway import ask_to_reconnect, invalidate
from devstack.discord.intents import Intent
from devstack.discord.objects import Channel, ChannelKind, Member, Overwrite, OverwriteKind, User
from devstack.discord.rest.channels import remove_channel, replace_channel, with_overwrite
from devstack.discord.rest.guilds import set_role
from devstack.discord.rest.members import set_member
from devstack.discord.rest.users import announce_join, remove_member
from devstack.discord.seed import shape_token
from devstack.discord.sessions import Session
from devstack.discord.simulation import LoggedRequest, Simulation
from devstack.discord.visibility import announce_channel, change

_NEW_MEMBER_COLOUR: Final = 0x6B7280


class Control:
    """One method a power. Each takes effect at once; what it changes is stored like any other change."""

    def __init__(self, sim: Simulation) -> None:
        self._sim = sim

    # --- the gateway

    def drop_connections(self, *, user_id: int | None = None) -> int:
        """Cut gateway connections without a word, everybody's or one user's; tell how many there were."""
        sessions = self._connected(user_id)
        for session in sessions:
            if session.wire is not None:
                session.wire.hang_up(0)
        return len(sessions)

    def request_reconnect(self, *, user_id: int | None = None) -> int:
        """Send op 7, by which clients reconnect and resume; tell to how many."""
        sessions = self._connected(user_id)
        for session in sessions:
            ask_to_reconnect(session)
        return len(sessions)

    def invalidate_sessions(self, *, resumable: bool = False, user_id: int | None = None) -> int:
        """Send op 9, after which clients identify again, or resume; tell to how many."""
        sessions = self._connected(user_id)
        for session in sessions:
            invalidate(session, resumable=resumable)
            if not resumable:
                self._sim.sessions.end(session)
        return len(sessions)

    def fail_resumes(self, count: int = 1) -> None:
        """Answer the next resumes with an invalid session."""
        self._sim.faults.invalid_resumes = count

    def accept_connections(self, accept: bool) -> None:
        """Take gateway connections again, or refuse new ones with 503."""
        self._sim.faults.refuse_connections = not accept

    def refuse_connections_for(self, duration: timedelta) -> None:
        """Cut all gateway connections and refuse new ones for a while."""
        self.accept_connections(False)
        self.drop_connections()
        self._sim.timers.later(duration, lambda: self.accept_connections(True))

    def outage_for(self, duration: timedelta) -> None:
        """Be away for a while: connections are cut and refused, and every REST request is answered with 503."""
        self._sim.faults.outage = True
        self.refuse_connections_for(duration)
        self._sim.timers.later(duration, self._end_outage)

    def _end_outage(self) -> None:
        self._sim.faults.outage = False

    def delay_events(self, name: str, delay: timedelta) -> None:
        """Deliver events of a kind late to bots, until set to zero."""
        self._sim.faults.delay_events(name, delay)

    def duplicate_events(self, name: str, count: int = 1) -> None:
        """Deliver the next events of a kind twice to bots, a millisecond apart."""
        self._sim.faults.duplicate_events(name, count)

    def set_intents(self, granted: Sequence[Intent]) -> None:
        """Set which privileged intents are switched on; sessions keep theirs until they identify again."""
        self._sim.privileged_intents = Intent(sum(granted))

    # --- REST

    def fail_requests(self, route: str, *, method: str = "*", count: int = 1, status: int = 503) -> None:
        """Answer the next requests of a route with 5xx, before anything happens."""
        self._plan(RequestFault.SERVER_ERROR, route, method, count, status=status)

    def lose_responses(self, route: str, *, method: str = "*", count: int = 1) -> None:
        """Do what the next requests of a route ask, then close the connection instead of answering."""
        self._plan(RequestFault.LOSE_RESPONSE, route, method, count)

    def rate_limit(
        self,
        route: str,
        *,
        method: str = "*",
        count: int = 1,
        retry_after: timedelta = timedelta(seconds=1),
        scope: str = "user",
    ) -> None:
        """Answer the next requests of a route with 429; the scope is user, shared or global."""
        everything = scope == "global"
        fault = RequestFault.RATE_LIMIT
        self._plan(fault, route, method, count, retry_after=retry_after, scope=scope, everything=everything)

    def slow_requests(
        self, route: str, *, method: str = "*", count: int = 1, delay: timedelta = timedelta(seconds=1)
    ) -> None:
        """Let the next requests of a route wait before they are looked at."""
        self._plan(RequestFault.SLOW, route, method, count, retry_after=delay)

    def strict_limits(self, strict: bool) -> None:
        """Hold Discord's own rate limits, or the generous ones."""
        self._sim.limits.strict = strict

    def clear_faults(self) -> None:
        """Switch all faults off."""
        self._sim.faults.clear()

    def requests(
        self, *, since: int = 0, route: str | None = None, method: str | None = None
    ) -> tuple[LoggedRequest, ...]:
        """List the logged REST requests after a number, oldest first."""
        return tuple(
            r
            for r in self._sim.requests
            if r.number > since and route in (None, r.route) and method in (None, r.method)
        )

    # --- time and people

    def advance(self, by: timedelta) -> None:
        """Set the clock forward by which attachment URLs, interaction tokens and nonces expire."""
        self._sim.clock.advance(by)

    def set_overwrite(self, channel_id: int, target_id: int, *, allow: int = 0, deny: int = 0) -> None:
        """Allow and deny permissions in a channel to a role or a member, whichever has the id."""
        kind = OverwriteKind.MEMBER if target_id in self._sim.world.users else OverwriteKind.ROLE
        channel = self._sim.world.channel(channel_id)
        overwrite = Overwrite(id=target_id, kind=kind, allow=allow, deny=deny)
        replace_channel(self._sim, replace(channel, overwrites=with_overwrite(channel.overwrites, overwrite)))
        self._sim.storage.commit()

    def clear_overwrite(self, channel_id: int, target_id: int) -> None:
        """Remove what `set_overwrite` set."""
        channel = self._sim.world.channel(channel_id)
        kept = tuple(o for o in channel.overwrites if o.id != target_id)
        replace_channel(self._sim, replace(channel, overwrites=kept))
        self._sim.storage.commit()

    def set_role_permissions(self, role_id: int, permissions: int) -> None:
        """Set what a role may do; the id of a guild is that of its @everyone."""
        role = self._sim.world.roles.get(role_id)
        if role is None:
            raise Refused(Code.UNKNOWN_ROLE)
        set_role(self._sim, replace(role, permissions=permissions), "GUILD_ROLE_UPDATE")
        self._sim.storage.commit()

    def set_member_roles(self, guild_id: int, user_id: int, role_ids: Sequence[int]) -> None:
        """Set which roles a member has."""
        member = self._sim.world.member(guild_id, user_id)
        set_member(self._sim, replace(member, role_ids=tuple(role_ids)))
        self._sim.storage.commit()

    def create_channel(self, guild_id: int, name: str) -> int:
        """Make a text channel that everybody of the guild sees; tell its id."""
        world = self._sim.world
        channel = Channel(
            id=self._sim.clock.next_id(),
            kind=ChannelKind.TEXT,
            guild_id=world.guild(guild_id).id,
            name=name,
            position=len(world.guild_channels(guild_id)),
        )
        change(self._sim, guild_id, lambda: world.put(channel))
        announce_channel(self._sim, "CHANNEL_CREATE", channel)
        self._sim.storage.commit()
        return channel.id

    def delete_channel(self, channel_id: int) -> None:
        """Delete a channel or thread with everything in it."""
        remove_channel(self._sim, self._sim.world.channel(channel_id))
        self._sim.storage.commit()

    def remove_member(self, guild_id: int, user_id: int) -> None:
        """Take somebody, the bot for instance, out of a guild."""
        remove_member(self._sim, guild_id, user_id)
        self._sim.storage.commit()

    def add_member(self, guild_id: int, user_id: int, role_ids: Sequence[int] = ()) -> None:
        """Put somebody into a guild."""
        member = Member(
            guild_id=self._sim.world.guild(guild_id).id,
            user_id=self._sim.world.user(user_id).id,
            joined_at=self._sim.clock.now(),
            role_ids=tuple(role_ids),
        )
        self._sim.world.put(member)
        announce_join(self._sim, member)
        self._sim.storage.commit()

    def create_user(self, username: str, *, display_name: str | None = None, bot: bool = False) -> User:
        """Make an account that is in no guild yet; its token is part of the answer."""
        snowflake = self._sim.clock.next_id()
        user = User(
            id=snowflake,
            username=username,
            display_name=display_name or username,
            colour=_NEW_MEMBER_COLOUR,
            token=shape_token(snowflake, username),
            bot=bot,
        )
        self._sim.world.put(user)
        self._sim.storage.commit()
        return user

    def state(self) -> dict[str, int]:
        """Count what is there."""
        world, sessions = self._sim.world, self._sim.sessions.all()
        statuses = Counter(r.status // 100 for r in self._sim.requests)
        return {
            "users": len(world.users),
            "guilds": len(world.guilds),
            "channels": sum(not c.is_thread for c in world.channels.values()),
            "threads": sum(c.is_thread for c in world.channels.values()),
            "messages": sum(m.ephemeral_for is None for m in world.messages.values()),
            "ephemeral_messages": sum(m.ephemeral_for is not None for m in world.messages.values()),
            "commands": len(world.commands),
            "interactions": len(world.interactions),
            "sessions": len(sessions),
            "connected_sessions": sum(s.wire is not None for s in sessions),
            "requests": self._sim.request_count,
            "logged_refusals": statuses[4] + statuses[5],
        }

    def _plan(
        self,
        fault: RequestFault,
        route: str,
        method: str,
        count: int,
        *,
        status: int = 503,
        retry_after: timedelta = timedelta(),
        scope: str = "user",
        everything: bool = False,
    ) -> None:
        self._sim.faults.plan(
            PlannedFault(
                fault=fault,
                method=method,
                route=route,
                remaining=count,
                status=status,
                retry_after=retry_after,
                scope=scope,
                everything=everything,
            )
        )

    def _connected(self, user_id: int | None) -> list[Session]:
        sessions = self._sim.sessions.all()
        return [s for s in sessions if s.wire is not None and user_id in (None, s.user.id)]
