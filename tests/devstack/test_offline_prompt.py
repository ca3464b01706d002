from __future__ import annotations

from datetime import UTC, datetime, timedelta

from pydantic import JsonValue

from devstack.offline_model import answer
from devstack.offline_prompt import OWN_NAME, read_prompt
from gopher.domain.context import ContextFacts, build_prompt
from gopher.domain.ids import ChannelId, GuildId, MessageId, RequestId, UserId
from gopher.domain.journal import Attachment, AuthorKind, JournalMessage, RequestFacts, Trigger
from gopher.domain.runs import Surface

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
CHANNEL = ChannelId(1200000000000002001)


def message(number: int, author: str, content: str, *, own: bool = False) -> JournalMessage:
    return JournalMessage(
        message_id=MessageId(number),
        surface=Surface.DISCORD,
        guild_id=GuildId(1),
        channel_id=CHANNEL,
        author_id=UserId(number % 7),
        author_name=author,
        author_kind=AuthorKind.ASSISTANT if own else AuthorKind.MEMBER,
        content=content,
        attachments=(Attachment(attachment_id=1, filename="a.png", content_type="image/png", size=3, url="https://x"),),
        created_at=NOW + timedelta(seconds=number),
    )


def real_prompt(
    *recent: JournalMessage, asks: JournalMessage, quoted: JournalMessage | None = None
) -> list[dict[str, JsonValue]]:
    """The prompt that the worker sends, made by its own code."""
    request = RequestFacts(
        request_id=RequestId(asks.message_id),
        surface=Surface.DISCORD,
        trigger=Trigger.MESSAGE,
        guild_id=asks.guild_id,
        channel_id=asks.channel_id,
        user_id=asks.author_id,
        prompt=None,
        interaction_token=None,
        traceparent=None,
        state="started",
        created_at=NOW,
    )
    entries = build_prompt(
        ContextFacts(
            request=request,
            message=asks,
            recent=recent,
            quoted=quoted,
            bot_id=UserId(5),
            now=NOW,
            delimiter="q8Zk2",
            tools=True,
        )
    )
    return [{"role": entry.role.value, "content": entry.content} for entry in entries]


def test_the_prompt_of_a_run_is_understood_whole() -> None:
    understood = read_prompt(
        real_prompt(
            message(1, 'Ada "the" <Great>', "first\nline"),
            message(2, OWN_NAME, "mine", own=True),
            message(3, "Grace", "third"),
            asks=message(4, "Linus", "<@5> hello there"),
            quoted=message(9, "Mika", "quoted words"),
        )
    )
    assert understood.requester == "Linus"
    assert understood.request == "hello there"
    assert understood.request_id == "4"
    assert understood.channel_id == str(CHANNEL)
    assert [(said.author, said.text, said.own) for said in understood.recent] == [
        ('Ada "the" <Great>', "first\nline", False),
        (OWN_NAME, "mine", True),
        ("Grace", "third", False),
    ]
    assert understood.quoted is not None
    assert (understood.quoted.author, understood.quoted.text, understood.quoted.message_id) == (
        "Mika",
        "quoted words",
        "9",
    )


def test_the_demo_model_quotes_from_the_prompt_of_a_run() -> None:
    asks = message(4, "Linus", "Gopher, what did Ada say?")
    said = answer(real_prompt(message(1, "Ada", "Helix it is"), asks=asks), [])
    assert said.text == "Ada said:\n> **Ada**: Helix it is"
