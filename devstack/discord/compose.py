"""Reads what somebody wants to send: one reader for new messages, edits, and answers to interactions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from devstack.discord.components import ComponentReader
from devstack.discord.documents import Form, JsonObject
from devstack.discord.embeds import read_embeds
from devstack.discord.errors import Code, Refused
from devstack.discord.mentions import EVERYTHING, AllowedMentions, read_allowed
from devstack.discord.messages import Attachment, MessageFlag
from devstack.discord.rest.call import Upload

MAXIMUM_CONTENT: Final = 2000
"""Characters of one message, for bots and people alike: nobody here has Nitro, which allows 4,000."""
_MOST_ATTACHMENTS: Final = 10
_MAXIMUM_NONCE: Final = 25
_SETTABLE: Final = (
    MessageFlag.SUPPRESS_EMBEDS
    | MessageFlag.SUPPRESS_NOTIFICATIONS
    | MessageFlag.IS_COMPONENTS_V2
    | MessageFlag.EPHEMERAL
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The reply target as it was asked for."""

    message_id: int
    channel_id: int | None
    must_exist: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NewFile:
    """A file to attach."""

    upload: Upload
    description: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Composed:
    """What was sent, checked as far as that needs no channel. None: the member was absent, which matters in edits."""

    content: str | None
    embeds: tuple[JsonObject, ...] | None
    components: tuple[JsonObject, ...] | None
    files: tuple[NewFile, ...]
    kept_attachments: tuple[int, ...] | None
    flags: int | None
    allowed: AllowedMentions
    has_allowed: bool
    target: Target | None
    nonce: str | int | None
    enforce_nonce: bool
    tts: bool

    @property
    def is_empty(self) -> bool:
        """Tell whether nothing would be seen."""
        return not (self.content or self.embeds or self.components or self.files or self.kept_attachments)


def compose(
    form: Form, uploads: tuple[Upload, ...], *, old_flags: int = 0, default: AllowedMentions = EVERYTHING
) -> Composed:
    """Read a message's body. The caller checks `form.problems` when it has read what else it wants.

    `default` is what may ping where the body does not say.

    Raises:
        Refused: for files that no attachment can be made of.
    """
    flags = form.integer("flags", minimum=0)
    layout = bool(((flags or 0) | old_flags) & MessageFlag.IS_COMPONENTS_V2)
    content = form.text("content", maximum=MAXIMUM_CONTENT)
    embeds = read_embeds(form)
    if layout and (content or embeds):
        form.wrong(
            "content",
            "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2",
            "The 'content' field cannot be used when using MessageFlags.IS_COMPONENTS_V2",
        )
    for key in ("poll", "sticker_ids", "shared_client_theme"):
        if form.data.get(key):
            form.wrong(key, "SIMULATOR_DOES_NOT_KNOW", "The simulated Discord has no polls, stickers and themes.")
    files, kept = _files(form, uploads)
    return Composed(
        content=content.strip() if content is not None else ("" if "content" in form else None),
        embeds=embeds if embeds is not None or "embeds" not in form else (),
        components=ComponentReader(layout=layout).read(form)
        if form.data.get("components") is not None
        else _cleared(form),
        files=files,
        kept_attachments=kept,
        flags=None if flags is None else flags & _SETTABLE,
        allowed=read_allowed(form, default),
        has_allowed=form.data.get("allowed_mentions") is not None,
        target=_target(form),
        nonce=_nonce(form),
        enforce_nonce=bool(form.flag("enforce_nonce")),
        tts=bool(form.flag("tts")),
    )


def _cleared(form: Form) -> tuple[JsonObject, ...] | None:
    return () if "components" in form else None


def _target(form: Form) -> Target | None:
    reference = form.form("message_reference")
    if reference is None:
        return None
    message_id = reference.snowflake("message_id")
    channel_id = reference.snowflake("channel_id")
    must_exist = reference.flag("fail_if_not_exists") is not False
    if reference.integer("type"):
        reference.wrong("type", "SIMULATOR_DOES_NOT_KNOW", "The simulated Discord does not forward messages.")
    if message_id is None:
        reference.required("message_id")
        return None
    return Target(message_id=message_id, channel_id=channel_id, must_exist=must_exist)


def _nonce(form: Form) -> str | int | None:
    value = form.data.get("nonce")
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return form.text("nonce", maximum=_MAXIMUM_NONCE)


def _files(form: Form, uploads: tuple[Upload, ...]) -> tuple[tuple[NewFile, ...], tuple[int, ...] | None]:
    """Match `files[n]` with `attachments`: an entry with a file's number describes it, others name files to keep."""
    described: dict[int, Form] = {}
    listed = form.forms("attachments", maximum=_MOST_ATTACHMENTS)
    for entry in listed or ():
        snowflake = entry.snowflake("id")
        if snowflake is not None:
            described[snowflake] = entry
    files: list[NewFile] = []
    for position, upload in enumerate(uploads):
        number = _number(upload.field, position)
        entry = described.pop(number, None)
        description = entry.text("description", maximum=1024) if entry is not None else None
        if not upload.filename:
            raise Refused(Code.INVALID_FILE)
        files.append(NewFile(upload=upload, description=description))
    if len(files) > _MOST_ATTACHMENTS:
        form.wrong("files", "BASE_TYPE_MAX_LENGTH", f"Must be {_MOST_ATTACHMENTS} or fewer in length.")
    return tuple(files), (None if listed is None else tuple(described))


def _number(field: str, position: int) -> int:
    inside = field.removeprefix("files[").removesuffix("]")
    return int(inside) if inside.isdigit() else position


def image_size(content: bytes) -> tuple[int, int] | None:
    """Read width and height of a PNG or GIF from its first bytes; None for anything else."""
    if content.startswith(b"\x89PNG\r\n\x1a\n") and len(content) >= 24:  # noqa: PLR2004 - IHDR ends its sizes there
        return int.from_bytes(content[16:20], "big"), int.from_bytes(content[20:24], "big")
    if content[:6] in (b"GIF87a", b"GIF89a") and len(content) >= 10:  # noqa: PLR2004 - the logical screen's sizes
        return int.from_bytes(content[6:8], "little"), int.from_bytes(content[8:10], "little")
    return None


def attachment(attachment_id: int, file: NewFile) -> Attachment:
    """Make the record of a file."""
    size = image_size(file.upload.content)
    return Attachment(
        id=attachment_id,
        filename=_safe_name(file.upload.filename),
        size_bytes=len(file.upload.content),
        content_type=_content_type(file.upload),
        description=file.description,
        width=None if size is None else size[0],
        height=None if size is None else size[1],
    )


def _safe_name(filename: str) -> str:
    """Keep what Discord keeps of a file's name: no spaces, no path."""
    return "".join(c if c.isalnum() or c in "._-" else "_" for c in filename.rpartition("/")[2]) or "unknown"


def _content_type(upload: Upload) -> str:
    known = {
        ".png": "image/png", ".gif": "image/gif", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp",
        ".txt": "text/plain; charset=utf-8", ".md": "text/markdown; charset=utf-8", ".json": "application/json",
        ".ogg": "audio/ogg", ".mp3": "audio/mpeg", ".wav": "audio/wav", ".pdf": "application/pdf",
    }  # fmt: skip
    suffix = "." + upload.filename.rpartition(".")[2].lower()
    return known.get(suffix, upload.content_type)
