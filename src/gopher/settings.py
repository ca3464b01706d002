"""Every setting: its name, bounds, default and meaning. Nothing else reads the environment or `.env`."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from gopher.domain.runs import RunLimits


class Settings(BaseSettings):
    """Configuration of every process. `.env.example` lists the same names with the same defaults, held by a test."""

    model_config = SettingsConfigDict(
        env_file=".env", env_file_encoding="utf-8", extra="forbid", frozen=True, env_ignore_empty=True
    )

    # --- Discord
    discord_token: SecretStr | None = None
    """The bot's token. Unset: the simulated Discord with its chat page."""
    discord_api_url: str | None = None
    """Base of Discord's HTTP API, version included. Unset: Discord's own."""
    bot_names: Annotated[tuple[str, ...], NoDecode] = ("gopher",)
    """Names that address the bot at the start of a message, before a comma, a colon or its end; comma-separated."""
    allowed_bot_ids: Annotated[tuple[int, ...], NoDecode] = ()
    """Other bots that may address this one by mentioning it; comma-separated ids."""
    owner_user_ids: Annotated[tuple[int, ...], NoDecode] = ()
    """Members who own this deployment; comma-separated ids."""

    # --- The model
    openai_api_key: SecretStr | None = None
    """Key of the OpenAI-compatible provider. Unset: the offline demo model."""
    openai_base_url: str | None = None
    """Base of the provider's API. Unset: OpenAI's own."""
    chat_model: str = "gpt-5-mini"
    """Model of every answer."""
    chat_max_output_tokens: int = Field(default=4096, ge=256, le=131072)
    """Most tokens of one model turn."""
    embedding_model: str | None = None
    """Embedding model of the provider. Unset: no provider embeddings."""

    # --- Storage and orchestration: set means "use that one, start none"
    database_url: str | None = None
    """PostgreSQL with pgvector and pg_trgm."""
    redis_url: str | None = None
    """Valkey or Redis."""
    temporal_address: str | None = None
    """host:port of the Temporal frontend."""
    temporal_namespace: str = "default"
    """Temporal namespace of all workflows."""
    temporal_ui_url: str | None = None
    """Where operators see the Temporal UI; used in links only."""
    temporal_previews: bool = False
    """Show the first words of requests and answers in the Temporal UI. Off, no content enters a history."""

    # --- The agent
    agent_max_iterations: int = Field(default=8, ge=1, le=30)
    """Model turns of one run."""
    agent_max_tool_calls: int = Field(default=24, ge=1, le=64)
    """Tool calls of one run."""
    agent_max_parallel_reads: int = Field(default=6, ge=1, le=12)
    """Reads of one turn in flight at once."""
    agent_max_identical_calls: int = Field(default=2, ge=1, le=10)
    """How often one call may be repeated unchanged."""
    agent_tool_timeout_seconds: int = Field(default=30, ge=1, le=120)
    """One tool call."""
    agent_run_timeout_seconds: int = Field(default=120, ge=10, le=900)
    """A whole request, by workflow time."""
    agent_turn_timeout_seconds: int = Field(default=100, ge=5, le=600)
    """One attempt of one model turn, its body included."""
    recent_message_count: int = Field(default=20, ge=1, le=100)
    """Messages of the channel that the model sees before the request."""

    # --- Processes
    gopher_data_dir: Path = Path(".gopher")
    """Where `./gopher up` keeps the data and logs of what it starts."""
    gopher_ready_file: Path | None = None
    """Created by a process when it is ready, for whoever waits for that. Unset: not created."""
    worker_max_activities: int = Field(default=40, ge=1, le=1000)
    """Activities in flight in one worker."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """Least severity that is logged."""
    otel_exporter_otlp_endpoint: str | None = None
    """Where traces go, over OTLP/HTTP. Unset: nothing is exported."""

    @field_validator("bot_names", "allowed_bot_ids", "owner_user_ids", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value

    @field_validator("bot_names")
    @classmethod
    def _names_something(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        if not names:
            raise ValueError("must hold at least one name, separated by commas")
        return names

    @field_validator("allowed_bot_ids", "owner_user_ids")
    @classmethod
    def _snowflakes(cls, ids: tuple[int, ...]) -> tuple[int, ...]:
        if not all(0 < number < 2**63 for number in ids):
            raise ValueError("must hold Discord ids, which are positive whole numbers, separated by commas")
        return ids

    @field_validator("discord_token")
    @classmethod
    def _bare_token(cls, token: SecretStr | None) -> SecretStr | None:
        text = token.get_secret_value() if token is not None else ""
        if any(character.isspace() or character in "\"'" for character in text):
            raise ValueError('must be the bare token of the bot, without quotes, spaces or the word "Bot" before it')
        return token

    @field_validator("openai_api_key")
    @classmethod
    def _bare_key(cls, key: SecretStr | None) -> SecretStr | None:
        text = key.get_secret_value() if key is not None else ""
        if not (text.isascii() and text.isprintable()) or " " in text:
            raise ValueError("must be the bare key, without quotes or spaces")  # it travels in a header
        return key

    @field_validator("discord_api_url", "openai_base_url", "temporal_ui_url", "otel_exporter_otlp_endpoint")
    @classmethod
    def _http_url(cls, url: str | None) -> str | None:
        if url is not None:
            _require_url(url, "http", "https")
        return url

    @field_validator("database_url")
    @classmethod
    def _database_url(cls, url: str | None) -> str | None:
        if url is not None:
            _require_url(url, "postgresql", "postgres", hostless=True)
        return url

    @field_validator("redis_url")
    @classmethod
    def _redis_url(cls, url: str | None) -> str | None:
        if url is not None:
            _require_url(url, "redis", "rediss", "unix", hostless=True)
        return url

    @field_validator("temporal_address")
    @classmethod
    def _address(cls, address: str | None) -> str | None:
        if address is not None:
            host, colon, port = address.rpartition(":")
            if not (host and colon and port.isascii() and port.isdigit() and 0 < int(port) < 2**16) or "/" in address:
                raise ValueError("must have the form host:port, as in 127.0.0.1:7233")
        return address

    def limits(self) -> RunLimits:
        """Collect the hard controls of a run."""
        return RunLimits(
            iterations=self.agent_max_iterations,
            tool_calls=self.agent_max_tool_calls,
            parallel_reads=self.agent_max_parallel_reads,
            identical_calls=self.agent_max_identical_calls,
            tool_timeout=timedelta(seconds=self.agent_tool_timeout_seconds),
            run_timeout=timedelta(seconds=self.agent_run_timeout_seconds),
            turn_timeout=timedelta(seconds=self.agent_turn_timeout_seconds),
        )


def _require_url(url: str, *schemes: str, hostless: bool = False) -> None:
    """Refuse what is no URL of these schemes, in words that do not repeat it: it may hold a password."""
    form = f"must be a URL that begins with {' or '.join(f'{scheme}://' for scheme in schemes)}"
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ValueError(f"{form} and has a whole number as its port") from None
    if parts.scheme not in schemes or (not hostless and not parts.hostname) or port == 0:
        raise ValueError(form)
