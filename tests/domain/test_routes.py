from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gopher.domain.ids import UserId
from gopher.domain.journal import AuthorKind
from gopher.domain.routes import (
    Addressed,
    AddressFacts,
    AddressReason,
    Identity,
    MessageKind,
    NotAddressed,
    SilenceReason,
    calls_by_name,
    route,
)

BOT = UserId(1000)
MEMBER = UserId(1)
OTHER_BOT = UserId(2000)
WEBHOOK = UserId(3000)
ALLOWED_BOT = UserId(4000)
ALLOWED_WEBHOOK = UserId(5000)
IDENTITY = Identity(
    bot_id=BOT, names=("gopher", "Herr Ziesel"), allowed_bot_ids=frozenset({ALLOWED_BOT, ALLOWED_WEBHOOK})
)


def facts(
    content: str = "",
    *,
    kind: MessageKind = MessageKind.TALK,
    author_id: UserId = MEMBER,
    author_kind: AuthorKind = AuthorKind.MEMBER,
    mentions: frozenset[UserId] = frozenset(),
    direct_message: bool = False,
    replied_to: UserId | None = None,
) -> AddressFacts:
    return AddressFacts(
        kind=kind,
        author_id=author_id,
        author_kind=author_kind,
        content=content,
        mentioned_user_ids=mentions,
        direct_message=direct_message,
        replied_to_user_id=replied_to,
    )


PINGED = frozenset({BOT})

ADDRESSED = [
    ("a mention", facts(f"what time is it <@{BOT}>", mentions=PINGED), AddressReason.MENTION),
    ("a mention in the old spelling", facts(f"<@!{BOT}> hi", mentions=PINGED), AddressReason.MENTION),
    ("nothing but a mention", facts(f"<@{BOT}>", mentions=PINGED), AddressReason.MENTION),
    ("a mention among others", facts(f"<@7> <@{BOT}>", mentions=frozenset({BOT, UserId(7)})), AddressReason.MENTION),
    (
        "a mention in a reply to somebody else",
        facts(
            f"<@{BOT}> is that so?", kind=MessageKind.REPLY, replied_to=UserId(7), mentions=frozenset({BOT, UserId(7)})
        ),
        AddressReason.MENTION,
    ),
    (
        "a reply with its ping",
        facts("thanks, and now?", kind=MessageKind.REPLY, replied_to=BOT, mentions=PINGED),
        AddressReason.REPLY,
    ),
    ("a reply without its ping", facts("thanks", kind=MessageKind.REPLY, replied_to=BOT), AddressReason.REPLY),
    (
        "a reply that Discord did not resolve, with its ping",
        facts("thanks", kind=MessageKind.REPLY, mentions=PINGED),
        AddressReason.REPLY,
    ),
    ("a sticker in reply", facts("", kind=MessageKind.REPLY, replied_to=BOT), AddressReason.REPLY),
    ("a direct message", facts("hi", direct_message=True), AddressReason.DIRECT_MESSAGE),
    ("a picture in a direct message", facts("", direct_message=True), AddressReason.DIRECT_MESSAGE),
    (
        "a direct message that replies to oneself",
        facts("and?", direct_message=True, kind=MessageKind.REPLY, replied_to=MEMBER),
        AddressReason.DIRECT_MESSAGE,
    ),
    ("the name and a comma", facts("Gopher, what is Go?"), AddressReason.NAME),
    (
        "an allowed bot that mentions",
        facts(f"<@{BOT}> build failed", author_id=ALLOWED_BOT, author_kind=AuthorKind.BOT, mentions=PINGED),
        AddressReason.MENTION,
    ),
    (
        "an allowed webhook that mentions",
        facts(f"<@{BOT}> build failed", author_id=ALLOWED_WEBHOOK, author_kind=AuthorKind.WEBHOOK, mentions=PINGED),
        AddressReason.MENTION,
    ),
]


@pytest.mark.parametrize(("message", "reason"), [row[1:] for row in ADDRESSED], ids=[row[0] for row in ADDRESSED])
def test_is_addressed_by(message: AddressFacts, reason: AddressReason) -> None:
    assert route(message, IDENTITY) == Addressed(reason=reason)


NOT_ADDRESSED = [
    ("talk among members", facts("lunch?"), SilenceReason.UNADDRESSED),
    ("@everyone", facts("@everyone meeting now"), SilenceReason.UNADDRESSED),
    ("@here", facts("@here meeting now"), SilenceReason.UNADDRESSED),
    ("a role, even one with the bot's own id", facts(f"<@&{BOT}> meeting now"), SilenceReason.UNADDRESSED),
    ("a mention of somebody else", facts("<@7> hi", mentions=frozenset({UserId(7)})), SilenceReason.UNADDRESSED),
    ("a mention that Discord does not count, as in a code block", facts(f"`<@{BOT}>`"), SilenceReason.UNADDRESSED),
    ("the name in the middle", facts("I like gopher, and you?"), SilenceReason.UNADDRESSED),
    ("a sentence that starts with the name", facts("gopher holes are everywhere"), SilenceReason.UNADDRESSED),
    ("help as the first word", facts("help me move this couch"), SilenceReason.UNADDRESSED),
    ("senior as the first word", facts("senior year sucks"), SilenceReason.UNADDRESSED),
    ("bot as the first word", facts("bot lane is feeding"), SilenceReason.UNADDRESSED),
    ("a question to the round", facts("what is a goroutine?"), SilenceReason.UNADDRESSED),
    ("a sticker", facts(""), SilenceReason.UNADDRESSED),
    (
        "a reply to somebody else",
        facts("no", kind=MessageKind.REPLY, replied_to=UserId(7), mentions=frozenset({UserId(7)})),
        SilenceReason.UNADDRESSED,
    ),
    ("a reply that Discord did not resolve", facts("no", kind=MessageKind.REPLY), SilenceReason.UNADDRESSED),
    ("a join", facts("", kind=MessageKind.SYSTEM), SilenceReason.SYSTEM),
    ("a thread named like a call", facts("gopher, hi", kind=MessageKind.SYSTEM), SilenceReason.SYSTEM),
    ("a pin in a direct message", facts("", kind=MessageKind.SYSTEM, direct_message=True), SilenceReason.SYSTEM),
    ("a notice that mentions", facts(f"<@{BOT}>", kind=MessageKind.SYSTEM, mentions=PINGED), SilenceReason.SYSTEM),
    (
        "itself",
        facts(f"<@{BOT}> gopher, hi", author_id=BOT, author_kind=AuthorKind.ASSISTANT, mentions=PINGED),
        SilenceReason.OWN,
    ),
    (
        "itself in a direct message",
        facts("hi", author_id=BOT, author_kind=AuthorKind.BOT, direct_message=True),
        SilenceReason.OWN,
    ),
    (
        "another bot that mentions",
        facts(f"<@{BOT}> hi", author_id=OTHER_BOT, author_kind=AuthorKind.BOT, mentions=PINGED),
        SilenceReason.OTHER_BOT,
    ),
    (
        "another bot that replies",
        facts("hi", author_id=OTHER_BOT, author_kind=AuthorKind.BOT, kind=MessageKind.REPLY, replied_to=BOT),
        SilenceReason.OTHER_BOT,
    ),
    (
        "another bot that calls by name",
        facts("gopher, hi", author_id=OTHER_BOT, author_kind=AuthorKind.BOT),
        SilenceReason.OTHER_BOT,
    ),
    (
        "a webhook that mentions",
        facts(f"<@{BOT}> hi", author_id=WEBHOOK, author_kind=AuthorKind.WEBHOOK, mentions=PINGED),
        SilenceReason.OTHER_BOT,
    ),
    (
        "an allowed bot that only calls by name",
        facts("gopher, hi", author_id=ALLOWED_BOT, author_kind=AuthorKind.BOT),
        SilenceReason.OTHER_BOT,
    ),
    (
        "an allowed bot whose reply pings",
        facts(
            "hi",
            author_id=ALLOWED_BOT,
            author_kind=AuthorKind.BOT,
            kind=MessageKind.REPLY,
            replied_to=BOT,
            mentions=PINGED,
        ),
        SilenceReason.OTHER_BOT,
    ),
]


@pytest.mark.parametrize(
    ("message", "reason"), [row[1:] for row in NOT_ADDRESSED], ids=[row[0] for row in NOT_ADDRESSED]
)
def test_is_not_addressed_by(message: AddressFacts, reason: SilenceReason) -> None:
    assert route(message, IDENTITY) == NotAddressed(reason=reason)


@pytest.mark.parametrize(
    "content",
    [
        "gopher, hi",
        "gopher: hi",
        "gopher,hi",
        "GOPHER, hi",
        "  gopher , ",
        "gopher",
        "Gopher?",
        "gopher!!!",
        "gopher…",
        "@gopher, hi",
        "@gopher",
        "**gopher**, hi",
        "**gopher:** hi",
        "*Gopher*: hi",
        "__gopher__",
        "***gopher, hi***",
        "\ufeffgopher, hi",
        "\u200bgopher",
        "\uff47\uff4f\uff50\uff48\uff45\uff52\uff0c你好",
        "gopher\uff1a你好",
        "gopher、こんにちは",
        "gopher، مرحبا",
        "gopher:\nwhat now",
        "gopher:`x` fails",
        "herr ziesel, was nun",
        "HERR ZIESEL",
    ],
)
def test_is_called_by_name(content: str) -> None:
    assert calls_by_name(content, IDENTITY.names)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "   ",
        "gopher holes are everywhere",
        "gophers, unite",
        "gopher's, hm",
        "gopher-like, isn't it",
        "gopher. They dig.",
        "gopher? I hardly know her",
        "gopher://gopher.example.org is a server",
        "gopher:latest is broken",
        "gopher:8080 does not answer",
        "gopher:)",
        "> gopher, hi",
        "# gopher: a manual",
        "- gopher: an animal",
        "`gopher`, the command",
        ":gopher: hi",
        "<:gopher:123> hi",
        "hey gopher, hi",
        "ziesel, was nun",
        "gopher\u0301, hi",
    ],
)
def test_is_not_called_by_name(content: str) -> None:
    assert not calls_by_name(content, IDENTITY.names)


def test_blank_names_call_nobody() -> None:
    assert not calls_by_name(", hi", ("", "  "))


@given(
    content=st.text(), kind=st.sampled_from(list(MessageKind)), replied_to=st.sampled_from([None, MEMBER, OTHER_BOT])
)
def test_words_alone_never_address_unless_they_begin_with_a_name(
    content: str, kind: MessageKind, replied_to: UserId | None
) -> None:
    decision = route(facts(content, kind=kind, replied_to=replied_to), IDENTITY)
    called = kind is not MessageKind.SYSTEM and calls_by_name(content, IDENTITY.names)
    assert isinstance(decision, Addressed) == called


PROGRAMS = st.builds(
    AddressFacts,
    kind=st.sampled_from(list(MessageKind)),
    author_id=st.just(OTHER_BOT),
    author_kind=st.sampled_from([AuthorKind.BOT, AuthorKind.WEBHOOK, AuthorKind.ASSISTANT]),
    content=st.text() | st.just(f"<@{BOT}> gopher, hi"),
    mentioned_user_ids=st.sampled_from([frozenset[UserId](), PINGED]),
    direct_message=st.booleans(),
    replied_to_user_id=st.sampled_from([None, BOT, MEMBER]),
)


@given(message=PROGRAMS)
def test_no_program_addresses_that_no_operator_allowed(message: AddressFacts) -> None:
    assert isinstance(route(message, IDENTITY), NotAddressed)


@given(before=st.text(min_size=1).filter(lambda text: any(letter.isalnum() for letter in text)), after=st.text())
def test_a_name_after_other_words_is_no_call(before: str, after: str) -> None:
    assert not calls_by_name(f"{before} gopher, {after}", ("gopher",)) or calls_by_name(before, ("gopher",))
