"""Writes one entry of a lane into the journal; may be repeated."""

from __future__ import annotations

import logging
from datetime import datetime
from typing import assert_never

from gopher.discord.actions import DiscordActions
from gopher.discord.changes import (
    Change,
    ChannelDeleted,
    Deleted,
    Edited,
    EditedUnseen,
    Sighted,
    ThreadDeleted,
    ThreadFound,
)
from gopher.discord.convert_changes import edit_of
from gopher.discord.entries import ChangeEntry, Entry, InteractionEntry, MessageEntry
from gopher.discord.gateway_frames import MessagePayload
from gopher.domain.ids import UserId
from gopher.errors import DiscordRejected
from gopher.store.journal import Journal

_log = logging.getLogger(__name__)


class EntryWriter:
    """Knows which statement of the journal an entry is for."""

    def __init__(self, journal: Journal, actions: DiscordActions, bot_id: UserId) -> None:
        """Write to a journal; ask Discord for messages of which an event told too little."""
        self._journal = journal
        self._actions = actions
        self._bot_id = bot_id

    async def write(self, entry: Entry) -> None:
        """Journal an entry. Raises Unavailable, or DiscordUnavailable where Discord has to be asked."""
        match entry:
            case MessageEntry():
                await self._journal.record_message(entry.message, entry.request)
            case InteractionEntry():
                await self._journal.record_interaction(
                    entry.request, occurred_at=entry.occurred_at, user_name=entry.user_name
                )
            case ChangeEntry():
                await self._change(entry.change, entry.observed_at)
            case _:
                assert_never(entry)

    async def _change(self, change: Change, observed_at: datetime) -> None:
        match change:
            case Edited():
                await self._journal.record_edit(change.message, edited_at=change.edited_at)
            case EditedUnseen():
                edited = await self._look_at(change)
                if edited is not None:
                    await self._journal.record_edit(edited.message, edited_at=edited.edited_at)
            case Deleted(place=place, message_ids=(message_id,)):
                await self._journal.record_delete(place, message_id, observed_at=observed_at)
            case Deleted(place=place, message_ids=message_ids):
                await self._journal.record_bulk_delete(place, message_ids, observed_at=observed_at)
            case ThreadFound(thread=thread):
                await self._journal.record_thread_create(thread)
            case ThreadDeleted(place=place):
                await self._journal.record_thread_delete(place, observed_at=observed_at)
            case ChannelDeleted(place=place, thread_ids=thread_ids):
                await self._journal.record_channel_delete(place, thread_ids=thread_ids, observed_at=observed_at)
            case Sighted(occurrence=occurrence):
                await self._journal.record_occurrence(occurrence, observed_at=observed_at)
            case _:
                assert_never(change)

    async def _look_at(self, change: EditedUnseen) -> Edited | None:
        """Read an edited message; None when it is gone, of which the gateway tells, or is not to be seen."""
        try:
            answer = await self._actions.message(change.place.channel_id, change.message_id)
        except DiscordRejected as error:
            _log.info("edit_not_journaled: message %d cannot be read: %s", change.message_id, error.code)
            return None
        edited = edit_of(MessagePayload.model_validate(answer), change.place, self._bot_id)
        return edited if isinstance(edited, Edited) else None
