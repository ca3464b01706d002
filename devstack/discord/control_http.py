"""The control endpoint over HTTP: `POST /control/POWER` with a JSON object, `GET /control/requests` and `/state`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from http import HTTPStatus
from typing import Final

from aiohttp import web

from devstack.discord.control import Control
from devstack.discord.documents import Form, JsonObject, JsonValue, dumps, parse, timestamp
from devstack.discord.errors import Refused
from devstack.discord.intents import Intent
from devstack.discord.simulation import LoggedRequest

_NAME: Final = 200
"""Characters of names and routes."""
_MOST_ROLES: Final = 250


class ControlEndpoint:
    """Translates requests into calls of `Control`."""

    def __init__(self, control: Control) -> None:
        self._control = control
        self._powers: dict[str, Callable[[Form], JsonValue]] = {
            "drop_connections": self._drop_connections,
            "request_reconnect": lambda f: control.request_reconnect(user_id=f.snowflake("user_id")),
            "invalidate_sessions": self._invalidate_sessions,
            "fail_resumes": lambda f: control.fail_resumes(_count(f)),
            "accept_connections": lambda f: control.accept_connections(f.flag("accept") is not False),
            "refuse_connections_for": lambda f: control.refuse_connections_for(_seconds(f)),
            "outage_for": lambda f: control.outage_for(_seconds(f)),
            "delay_events": lambda f: control.delay_events(_text(f, "event"), _seconds(f)),
            "duplicate_events": lambda f: control.duplicate_events(_text(f, "event"), _count(f)),
            "set_intents": self._set_intents,
            "fail_requests": self._fail_requests,
            "lose_responses": lambda f: control.lose_responses(_text(f, "route"), method=_method(f), count=_count(f)),
            "rate_limit": self._rate_limit,
            "slow_requests": lambda f: control.slow_requests(
                _text(f, "route"), method=_method(f), count=_count(f), delay=_seconds(f)
            ),
            "strict_limits": lambda f: control.strict_limits(f.flag("strict") is not False),
            "clear_faults": lambda _: control.clear_faults(),
            "advance": lambda f: control.advance(_seconds(f)),
            "set_overwrite": lambda f: control.set_overwrite(
                _id(f, "channel_id"),
                _id(f, "target_id"),
                allow=f.integer("allow", minimum=0) or 0,
                deny=f.integer("deny", minimum=0) or 0,
            ),
            "clear_overwrite": lambda f: control.clear_overwrite(_id(f, "channel_id"), _id(f, "target_id")),
            "set_role_permissions": lambda f: control.set_role_permissions(
                _id(f, "role_id"), f.integer("permissions", minimum=0) or 0
            ),
            "set_member_roles": lambda f: control.set_member_roles(
                _id(f, "guild_id"), _id(f, "user_id"), f.snowflakes("role_ids", maximum=_MOST_ROLES) or ()
            ),
            "create_channel": lambda f: {"id": str(control.create_channel(_id(f, "guild_id"), _text(f, "name")))},
            "delete_channel": lambda f: control.delete_channel(_id(f, "channel_id")),
            "remove_member": lambda f: control.remove_member(_id(f, "guild_id"), _id(f, "user_id")),
            "add_member": lambda f: control.add_member(
                _id(f, "guild_id"), _id(f, "user_id"), f.snowflakes("role_ids", maximum=_MOST_ROLES) or ()
            ),
            "create_user": self._create_user,
        }

    def routes(self) -> list[web.RouteDef]:
        """List what is served."""
        return [
            web.get("/control/requests", self.requests),
            web.get("/control/state", self.state),
            web.post("/control/{power}", self.act),
        ]

    async def act(self, request: web.Request) -> web.Response:
        """Use a power. What is wrong is named: 404 for an unknown power or object, 400 for a body that does not fit."""
        power = self._powers.get(request.match_info["power"])
        if power is None:
            known = ", ".join(sorted(self._powers))
            return _json({"message": f"There is no such power; there are: {known}."}, HTTPStatus.NOT_FOUND)
        text = await request.text()
        try:
            body: JsonValue = parse(text) if text else {}
        except ValueError:
            return _json({"message": "The body is no JSON."}, HTTPStatus.BAD_REQUEST)
        form = Form(body)
        try:
            result = power(form)
        except Refused as refused:
            return _json(refused.payload(), refused.status)
        except _MissingError as missing:
            return _json({"message": str(missing)}, HTTPStatus.BAD_REQUEST)
        if form.problems:
            return _json(
                {"message": "Some members were not usable.", "errors": form.problems.tree}, HTTPStatus.BAD_REQUEST
            )
        return _json({"result": result})

    async def requests(self, request: web.Request) -> web.Response:
        """List logged requests, oldest first: `?since=NUMBER&route=...&method=...`."""
        query = request.query
        since = query.get("since", "0")
        found = self._control.requests(
            since=int(since) if since.isdigit() else 0, route=query.get("route"), method=query.get("method")
        )
        return _json({"requests": [_logged(r) for r in found]})

    async def state(self, _request: web.Request) -> web.Response:
        """Count what is there."""
        counts: JsonObject = dict(self._control.state())
        return _json(counts)

    def _drop_connections(self, form: Form) -> JsonValue:
        return self._control.drop_connections(user_id=form.snowflake("user_id"))

    def _invalidate_sessions(self, form: Form) -> JsonValue:
        resumable = form.flag("resumable") is True
        return self._control.invalidate_sessions(resumable=resumable, user_id=form.snowflake("user_id"))

    def _set_intents(self, form: Form) -> JsonValue:
        names = form.items("granted", maximum=3)
        if names is None:
            raise _MissingError("granted")
        for name in names:
            if name not in Intent.__members__:
                form.wrong("granted", "BASE_TYPE_CHOICES", f"There is no intent {name}.")
                return None
        self._control.set_intents([Intent[str(n)] for n in names])
        return None

    def _fail_requests(self, form: Form) -> JsonValue:
        status = form.integer("status", minimum=500, maximum=599) or 503
        self._control.fail_requests(_text(form, "route"), method=_method(form), count=_count(form), status=status)
        return None

    def _rate_limit(self, form: Form) -> JsonValue:
        scope = form.text("scope", maximum=10) or "user"
        self._control.rate_limit(
            _text(form, "route"), method=_method(form), count=_count(form), retry_after=_seconds(form), scope=scope
        )
        return None

    def _create_user(self, form: Form) -> JsonValue:
        user = self._control.create_user(
            _text(form, "username"),
            display_name=form.text("display_name", maximum=_NAME),
            bot=form.flag("bot") is True,
        )
        return {"id": str(user.id), "token": user.token}


class _MissingError(Exception):
    def __init__(self, name: str) -> None:
        super().__init__(f"The member {name} is missing, or is not of the right type.")


def _text(form: Form, key: str) -> str:
    value = form.text(key, maximum=_NAME)
    if value is None:
        raise _MissingError(key)
    return value


def _id(form: Form, key: str) -> int:
    value = form.snowflake(key)
    if value is None:
        raise _MissingError(key)
    return value


def _method(form: Form) -> str:
    return form.text("method", maximum=10) or "*"


def _count(form: Form) -> int:
    count = form.integer("count", minimum=0)
    return 1 if count is None else count


def _seconds(form: Form) -> timedelta:
    value = form.data.get("seconds")
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value < 0:
        raise _MissingError("seconds")
    return timedelta(seconds=value)


def _logged(request: LoggedRequest) -> JsonObject:
    return {
        "number": request.number,
        "at": timestamp(request.at),
        "method": request.method,
        "route": request.route,
        "path": request.path,
        "user_id": None if request.user_id is None else str(request.user_id),
        "body": request.body,
        "status": request.status,
        "error_code": request.error_code,
    }


def _json(payload: JsonObject, status: HTTPStatus = HTTPStatus.OK) -> web.Response:
    return web.Response(body=dumps(payload).encode(), status=status, content_type="application/json")
