"""Every setting: its name, bounds, default and meaning. Read from the environment and `.env`; nothing else reads either."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from gopher.domain.runs import RunLimits


class Settings(BaseSettings):
    """Configuration of every process. `.env.example` lists the same names with the same defaults, held by a test."""

    model_config = SettingsConfigDict(env_file=".env", env_file_encoding="utf-8", extra="forbid", frozen=True, env_ignore_empty=True)

    # --- Discord
    discord_token: SecretStr | None = None
    """The bot's token. Unset: the simulated Discord with its chat page."""
    discord_api_url: str | None = None
    """Base of Discord's HTTP API, version included. Unset: Discord's own."""
    bot_names: Annotated[tuple[str, ...], NoDecode] = ("gopher",)
    """Names that address the bot at the start of a message when followed by a comma, a colon or nothing else; comma-separated."""
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
    worker_max_activities: int = Field(default=40, ge=1, le=1000)
    """Activities in flight in one worker."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """Least severity that is logged."""
    otel_exporter_otlp_endpoint: str | None = None
    """Where traces go, over OTLP/HTTP. Unset: nothing is exported."""

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
