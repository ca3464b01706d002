"""When a channel's new messages are consolidated, how many at once, and what a failure changes about that.

Everything that passes between the ingestion workflow and its activities is here too: ids, counts and codes, no content.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from gopher.domain.ids import ChannelId

QUIET: Final = timedelta(seconds=1)
"""A channel is let finish speaking: people send what they have to say in several messages. A lone message is to be
recallable within 2 s beside the model's own time, which leaves no more."""

LONGEST_WAIT: Final = timedelta(seconds=15)
"""A channel in which somebody always speaks is not put off for ever."""

OVERLAP: Final = 8
"""Earlier messages shown with a batch, for `yes, do that` to mean something; they are not consolidated again."""

FIRST_BACKOFF: Final = timedelta(seconds=2)
MOST_BACKOFF: Final = timedelta(minutes=5)
"""While the provider is away, without end: nothing is given up because of an outage."""

TRIES_PER_SIZE: Final = 2
"""A model that answers with something unusable often does better the second time; a third time costs as much as halving
the batch, which also finds the message that is the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestInput:
    """What starts the ingestion workflow of a channel."""

    channel_id: ChannelId


class Progress(StrEnum):
    """What became of one step of a channel's ingestion."""

    DRAINED = "drained"
    """Nothing is left, and the job is closed."""
    MORE = "more"
    """Some was done; there may be more."""
    WAIT = "wait"
    """Not yet: the channel still speaks, or something failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestVerdict:
    """How one step went."""

    progress: Progress
    wait: timedelta = timedelta(0)
    """Before the next step."""
    messages: int = 0
    """Consolidated in this step."""
    admitted: int = 0
    """Memories and links that it made, confirmed or changed."""
    rejected: int = 0
    """Of what the model proposed."""
    code: str | None = None
    """Why it has to wait after a failure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """What is waiting in a channel."""

    waiting: int
    """Messages after the checkpoint, counted up to the batch size."""
    newest_at: datetime | None
    """When the newest of them was sent; None when there is none."""
    oldest_at: datetime | None


def patience(backlog: Backlog, *, batch_size: int, now: datetime) -> timedelta:
    """Tell how long to wait until the channel has finished speaking; zero when it has.

    A full batch waits for nothing, and so does a message that is older than LONGEST_WAIT.
    """
    if backlog.newest_at is None or backlog.oldest_at is None or backlog.waiting >= batch_size:
        return timedelta(0)
    quiet_at = backlog.newest_at + QUIET
    latest = backlog.oldest_at + LONGEST_WAIT
    return max(min(quiet_at, latest) - now, timedelta(0))


def backoff(failures: int, retry_after: timedelta | None = None) -> timedelta:
    """Tell how long to wait after so many failures in a row (from 1): doubled each time, at most MOST_BACKOFF.

    What the provider itself asks for counts when it is longer.
    """
    doubled = FIRST_BACKOFF * 2 ** min(failures - 1, 20)
    return min(max(doubled, retry_after or timedelta(0)), MOST_BACKOFF)


@dataclass(frozen=True, slots=True, kw_only=True)
class AfterUnusable:
    """What to do after the model's answer to a batch could not be used."""

    batch_limit: int
    """Of the next batch."""
    quarantine: bool
    """The batch was one message, and that message is the reason."""


def after_unusable(batch: int, failures: int) -> AfterUnusable:
    """Retry a batch of `batch` messages, halve it, or give its one message up, after `failures` in a row (from 1)."""
    if failures < TRIES_PER_SIZE:
        return AfterUnusable(batch_limit=batch, quarantine=False)
    if batch > 1:
        return AfterUnusable(batch_limit=(batch + 1) // 2, quarantine=False)
    return AfterUnusable(batch_limit=1, quarantine=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestTotals:
    """What one ingestion workflow did."""

    batches: int = 0
    messages: int = 0
    admitted: int = 0
    rejected: int = 0

    def plus(self, verdict: IngestVerdict) -> IngestTotals:
        """Add one step."""
        return IngestTotals(
            batches=self.batches + (1 if verdict.messages else 0),
            messages=self.messages + verdict.messages,
            admitted=self.admitted + verdict.admitted,
            rejected=self.rejected + verdict.rejected,
        )


def ingest_workflow_id(channel_id: ChannelId) -> str:
    """Name the workflow that drains a channel: there is never more than one of them."""
    return f"ingest/{channel_id}"
