"""The error tree: every failure that this project raises on purpose, with a code and whether trying again can help.

GopherError
├── ConfigurationError      a setting, option or installation is wrong
├── ProviderError           a model, embedding or web provider failed
│   ├── ProviderUnavailable     may work later; carries the provider's retry-after
│   └── ProviderRejected        will fail again as asked
├── StoreError              PostgreSQL failed or refused
│   ├── Conflict                another writer was first
│   └── Unavailable             the server cannot be reached
├── DiscordError            Discord failed or refused
│   ├── DiscordUnavailable      may work later
│   └── DiscordRejected         will fail again as asked: channel gone, permission lost, payload refused
├── Denied                  pure code decided that this may not be done
├── Rejected                input from a stranger is not usable
└── BudgetExhausted         a hard control of the agent loop was reached
"""

from __future__ import annotations

from datetime import timedelta


class GopherError(Exception):
    """The root: everything that the project raises on purpose."""

    retryable: bool = False

    def __init__(self, message: str, *, code: str) -> None:
        """Raise with one full sentence for a person and a stable snake_case code for programs."""
        super().__init__(message)
        self.code = code


class ConfigurationError(GopherError):
    """A setting, an option or the installation is wrong; the message names it and the remedy."""

    def __init__(self, message: str, *, code: str = "configuration") -> None:
        super().__init__(message, code=code)


class ProviderError(GopherError):
    """A model, embedding, web or speech provider failed."""


class ProviderUnavailable(ProviderError):
    """The provider may answer later."""

    retryable = True

    def __init__(
        self, message: str, *, code: str = "provider_unavailable", retry_after: timedelta | None = None
    ) -> None:
        super().__init__(message, code=code)
        self.retry_after = retry_after
        """How long the provider asked to be left alone; None when it did not say."""


class ProviderRejected(ProviderError):
    """The provider refused or answered unusably; asking the same again gives the same."""

    def __init__(self, message: str, *, code: str = "provider_rejected") -> None:
        super().__init__(message, code=code)


class StoreError(GopherError):
    """PostgreSQL failed or refused."""


class Conflict(StoreError):
    """Another writer was first, or a constraint refused the row."""

    def __init__(self, message: str, *, code: str = "conflict") -> None:
        super().__init__(message, code=code)


class Unavailable(StoreError):
    """PostgreSQL cannot be reached, or gave up on the connection."""

    retryable = True

    def __init__(self, message: str, *, code: str = "store_unavailable") -> None:
        super().__init__(message, code=code)


class DiscordError(GopherError):
    """Discord failed or refused."""


class DiscordUnavailable(DiscordError):
    """Discord may answer later."""

    retryable = True

    def __init__(
        self, message: str, *, code: str = "discord_unavailable", retry_after: timedelta | None = None
    ) -> None:
        super().__init__(message, code=code)
        self.retry_after = retry_after
        """How long Discord asked to be left alone; None when it did not say."""


class DiscordRejected(DiscordError):
    """Discord refused: the channel is gone, a permission is missing, or the payload is not acceptable."""

    def __init__(self, message: str, *, code: str = "discord_rejected") -> None:
        super().__init__(message, code=code)


class Denied(GopherError):
    """Pure code decided that this requester may not do this."""


class Rejected(GopherError):
    """Input from a stranger (a member, a model, a page) is not usable."""


class BudgetExhausted(GopherError):
    """A hard control of the agent loop was reached."""
