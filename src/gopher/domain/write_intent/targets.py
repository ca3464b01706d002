"""How words point at messages and channels: phrases of both languages, and slots that read links, ids and names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from gopher.domain.ids import ChannelId, GuildId, MessageId
from gopher.domain.write_intent.grammar import Filling, Slot, Window
from gopher.domain.write_intent.requests import ChannelRef, ChannelRefKind, MessageRef, MessageRefKind
from gopher.domain.write_intent.tokens import TokenKind
from gopher.domain.write_intent.words import FINITE, PASSED

TARGET: Final = "target"
CHANNEL: Final = "channel"

_SHORTEST_BARE_ID: Final = 15
"""A number stands for a message by itself only if it can be a snowflake: all since 2015 have at least 15 digits."""

PHRASES: Final[dict[str, str]] = {
    # --- Nouns
    "N": "message|post|reply|response|comment|answer|announcement|text|one|thing|link|url|meme|pic|picture|image|img|screenshot|photo"
    "|video|vid|clip|gif|poll|note|notes|info|information|update|news|list|schedule|guide|rule|rules|tweet|article|recipe|tutorial"
    "|resource|doc|document|docs|summary|explanation|joke|quote|question|sticker|invite|event|agenda|minutes|reminder|banger|gem"
    "|masterpiece|stuff|shit|garbage|trash|nonsense|spam|file|attachment|embed|snippet|details|instructions|timetable|syllabus|faq"
    "|calendar|roadmap|changelog|deadline|plan|proposal|decision|statement|story|art|artwork|drawing|song|playlist|quiz|tip|tips"
    "|warning|notice|message's|msgs|dates|date|results|result|scores|score|leaderboard|form|survey|cheatsheet|code"
    "|legend|take|beauty|thought|idea|suggestion|report|baat|cheez|bit|nugget|wisdom|announcements|messages",
    "MSG": "message|post|reply|response|comment|answer|announcement|text|one|thing|statement|update|summary|messages",
    "THE": "the|this|that|ye|wo",
    "ADJ": "awesome|great|important|funny|cool|hilarious|amazing|good|nice|new|old|whole|entire|long|short|silly|stupid|dumb|cursed"
    "|wonderful|lovely|beautiful|useful|helpful|same|exact|very|particular|specific|quoted|linked|official|final|full|outdated|wrong"
    "|embarrassing|terrible|bad|bot|discord|chat|weird|legendary|epic|absolute|brilliant|excellent|fantastic|cute|wholesome|incorrect"
    "|duplicate|accidental|broken|offensive|damn|fucking|freaking|goddamn|bloody|gem|golden|pinned|welcome|meeting|event|little|lil"
    "|attached|shared|single|fire|solid|banger|goated|crazy|insane|wild|latest|weekly|daily|monthly|actual|correct|updated|helpful|relevant",
    "LAST": "last|previous|latest|newest|recent|prior|pichla|aakhri|akhri|final | most recent",
    "MADE": "sent|posted|wrote|said|made|left|put|typed|gave|shared|dropped",
    # --- English
    "T_ID": "LINKED | [ THE|my|your ] N [ at|in|here ] [ : ] LINKED | [ THE | a ] N [ with ] [ the ] [ id|no|number|num|: ] [ : ] NUMBERED"
    " | [ the ] id [ : ] NUMBERED | SNOWFLAKE | this|that|it [ one ] [ for me|us|everyone|later ] [ : ] LINKED | N LINKED",
    "T_DEICTIC": "this|that THING | this|that|it|ye | the THING | the THING [ that|which ] i [ am|was ] [ just ] REPLIED"
    " | what i [ am|was ] [ just ] REPLIED | this|that THING i [ am|was ] [ just ] REPLIED | the REPLIEDADJ N",
    "M": "message|post|reply|response|comment|answer|announcement|text|one|thing|statement|summary|joke|meme|gif|pic|image|picture"
    "|spam|garbage|shit|trash|nonsense|link|embed|explanation|stuff|poll|update|monstrosity|mess|abomination|crap|bs|bullshit",
    "M_THING": "[ ADJ [ ADJ ] ] M [ right ] [ HERE ] [ ABOUTIT ]",
    "M_DEICTIC": "this|that M_THING | this|that|it|ye | the [ ADJ [ ADJ ] ] MSG [ right ] [ HERE ] [ ABOUTIT ] | the MSG [ that|which ] i [ am|was ] REPLIED"
    " | what i [ am|was ] REPLIED | this|that M_THING i [ am|was ] REPLIED | the REPLIEDADJ M",
    "HM_DEICTIC": "is|us|ye|wo DESCRIBED wala [ M ] [ KO ] | isko|usko|iska|uska|iski|uski | is|us|ye|wo [ wala ] [ ADJ ] M [ KO ] | is|us KO | ye|wo [ wala ] [ KO ] | isi|usi [ M ] [ KO ]"
    " | M KO | is|us [ wala ] KO",
    "T_WHATEVER": "this|that [ ADJ ] ANYTHING",
    "REPLIED": "replied to | replying to | quoted | quoting | linked | responded to | responding to | tagged | replied",
    "REPLIEDADJ": "replied | replied to | replied-to | quoted | referenced | linked",
    "THING": "[ ADJ [ ADJ ] ] N [ N ] [ right ] [ HERE ] [ MODIFIER ]",
    "HERE": "here|there | up there|here | right here|there",
    "T_BOT_LAST": "your [ very ] LAST [ bot ] [ MSG ] [ in here|there ] | the LAST MSG [ that ] you [ have ] MADE | the LAST MSG from|by|of you|bot|gopher | bot LAST MSG | the LAST bot MSG"
    " | the bots LAST MSG | the LAST thing you MADE | [ the|that ] LAST MSG of yours",
    "T_BOT_SAID": "what you [ have ] MADE | the MSG [ that ] you [ have ] MADE [ earlier|before|today|yesterday|here|above ]"
    " | this|that [ ADJ ] MSG [ that ] you [ have ] MADE",
    "T_REQUESTER_SAID": "what i [ have ] MADE | the N [ that ] i [ have ] MADE [ earlier|before|today|yesterday|here|above ]",
    "T_REQUESTER_LAST": "my [ very ] LAST [ N ] | the LAST N [ that ] i [ have ] MADE | LAST N of mine | the LAST thing i MADE",
    "T_PREVIOUS": "the LAST [ N ] | the N before this|mine|it|me | the preceding N",
    "T_ABOVE": "that LAST [ N ] | the|that N [ right|directly ] above [ this|mine|it|me ] | the above [ N ] | the one above",
    "T_BOT": "your [ own ] [ ADJ ] MSG [ above|here ] [ MODIFIER ] | [ the ] bots|gophers [ ADJ ] MSG | this|that [ ADJ ] MSG of yours"
    " | this|that|the bot MSG",
    "T_REQUESTER": "my [ own ] [ ADJ ] N [ MODIFIER ] | this|that [ ADJ ] N of mine | this|that [ ADJ ] N [ that ] i [ have ] MADE",
    "T_OTHER": "his|her|their [ ADJ | LAST ] N | OWNER [ ADJ | LAST ] N | the [ ADJ | LAST ] N from|by PERSON | PERSON s [ LAST ] N"
    " | what PERSON [ have|has ] [ just ] MADE | what he|she|they [ just ] MADE | PERSON ka|ki|ke N [ KO ]",
    # --- Hinglish
    "KO": "ko|pe|ke|ka|mein|upar|se|par|main|me | ke upar | ke liye | ke andar | ke neeche",
    "H_DEICTIC": "jo [ N ] [ maine ] [ ko ] reply|quote kiya [ hai ] [ usko|wo|isko ] | is|us|ye|wo DESCRIBED wala [ N ] [ KO ] | isko|usko|iska|uska|iski|uski | is|us|ye|wo [ wala ] [ ADJ ] N [ KO ] | is|us KO | ye|wo [ wala ] [ KO ] | isi|usi [ N ] [ KO ]"
    " | N KO | is|us [ wala ] KO",
    "H_REQUESTER_LAST": "mera LAST [ wala ] N [ KO ]",
    "H_BOT_LAST": "tera|tumhara|aapka|apna LAST [ wala ] MSG [ KO ]",
    "H_PREVIOUS": "LAST [ wala ] N [ KO ]",
    "H_ABOVE": "upar wala [ N ] [ KO ]",
    "H_BOT": "tera|tumhara|aapka|apna [ ye|wo ] [ wala ] MSG [ KO ] | [ jo ] MSG [ jo ] tumne|tune|aapne bheja|likha|bola [ KO ]",
    "H_REQUESTER": "mera [ wala ] N [ KO ]",
    "H_ID": "LINKED [ KO ] | LINKED [ , ] isko|ye|is|usko [ wala ] [ N ] [ KO ] | LINKED wala N [ KO ] | SNOWFLAKE [ KO ]",
    "TARGET": "T_ID | T_BOT_LAST | T_REQUESTER_LAST | T_BOT_SAID | T_REQUESTER_SAID | T_PREVIOUS | T_ABOVE | T_BOT | T_REQUESTER | T_OTHER | T_DEICTIC",
    "H_TARGET": "H_ID | H_BOT_LAST | H_REQUESTER_LAST | H_PREVIOUS | H_ABOVE | H_BOT | H_REQUESTER | T_OTHER | H_DEICTIC",
    "MTARGET": "T_ID | T_BOT_LAST | T_REQUESTER_LAST | T_BOT_SAID | T_REQUESTER_SAID | T_PREVIOUS | T_ABOVE | T_BOT | T_REQUESTER | T_OTHER | M_DEICTIC",
    "HM_TARGET": "H_ID | H_BOT_LAST | H_REQUESTER_LAST | H_PREVIOUS | H_ABOVE | H_BOT | H_REQUESTER | T_OTHER | HM_DEICTIC",
    # --- Channels
    "C_CURRENT": "here|yaha | right here | in here | over here | this|the|our|is channel|chat|server|thread|room|convo|conversation|gc | chat",
    "CH": "[ the ] CHANNELID [ channel ] | [ the ] CHANNELNAME [ channel ] | the|our NAMEDCHANNEL channel|chat | C_CURRENT",
    "IN": "in|to|into|on|at|inside|within|over|under | over in|to|on | out to|in | across|through",
    "INCH": "IN CH | C_HERE",
    "C_HERE": "here|yaha | right here | over here",
    "INBARE": "IN BARECHANNEL",
    "CHMEIN": "CH KO | CH | NAMEDCHANNEL channel|chat KO | yaha | yaha pe",
}

CAPTURES: Final[dict[str, tuple[str, object]]] = {
    "T_DEICTIC": (TARGET, MessageRef(kind=MessageRefKind.DEICTIC)),
    "T_BOT_LAST": (TARGET, MessageRef(kind=MessageRefKind.BOT_LAST)),
    "T_REQUESTER_LAST": (TARGET, MessageRef(kind=MessageRefKind.REQUESTER_LAST)),
    "T_BOT_SAID": (TARGET, MessageRef(kind=MessageRefKind.BOT_SAID)),
    "T_REQUESTER_SAID": (TARGET, MessageRef(kind=MessageRefKind.REQUESTER_SAID)),
    "T_PREVIOUS": (TARGET, MessageRef(kind=MessageRefKind.PREVIOUS)),
    "T_ABOVE": (TARGET, MessageRef(kind=MessageRefKind.ABOVE)),
    "H_ABOVE": (TARGET, MessageRef(kind=MessageRefKind.ABOVE)),
    "T_BOT": (TARGET, MessageRef(kind=MessageRefKind.BOT)),
    "T_REQUESTER": (TARGET, MessageRef(kind=MessageRefKind.REQUESTER)),
    "T_OTHER": (TARGET, MessageRef(kind=MessageRefKind.OTHER)),
    "T_WHATEVER": (TARGET, MessageRef(kind=MessageRefKind.DEICTIC)),
    "M_DEICTIC": (TARGET, MessageRef(kind=MessageRefKind.DEICTIC)),
    "HM_DEICTIC": (TARGET, MessageRef(kind=MessageRefKind.DEICTIC)),
    "H_DEICTIC": (TARGET, MessageRef(kind=MessageRefKind.DEICTIC)),
    "H_REQUESTER_LAST": (TARGET, MessageRef(kind=MessageRefKind.REQUESTER_LAST)),
    "H_BOT_LAST": (TARGET, MessageRef(kind=MessageRefKind.BOT_LAST)),
    "H_PREVIOUS": (TARGET, MessageRef(kind=MessageRefKind.PREVIOUS)),
    "H_BOT": (TARGET, MessageRef(kind=MessageRefKind.BOT)),
    "H_REQUESTER": (TARGET, MessageRef(kind=MessageRefKind.REQUESTER)),
    "C_CURRENT": (CHANNEL, ChannelRef(kind=ChannelRefKind.CURRENT)),
    "C_HERE": (CHANNEL, ChannelRef(kind=ChannelRefKind.CURRENT)),
}


def _linked(window: Window, position: int) -> Iterator[Filling]:
    if window.kind(position) is TokenKind.LINK:
        guild, channel, message = window.tokens[position].ids
        reference = MessageRef(
            kind=MessageRefKind.ID,
            message_id=None if message is None else MessageId(message),
            guild_id=None if guild is None else GuildId(guild),
            direct=guild is None,
            channel_id=None if channel is None else ChannelId(channel),
        )
        yield position + 1, reference


def _numbered(window: Window, position: int) -> Iterator[Filling]:
    if window.kind(position) is TokenKind.NUMBER:
        yield position + 1, MessageRef(kind=MessageRefKind.ID, message_id=MessageId(int(window.word(position))))


def _snowflake(window: Window, position: int) -> Iterator[Filling]:
    if len(window.word(position)) >= _SHORTEST_BARE_ID:
        yield from _numbered(window, position)


def _owner(window: Window, position: int) -> Iterator[Filling]:
    if window.kind(position) is TokenKind.WORD and window.tokens[position].possessive:
        end = position + 1
        # A contraction may have been split in two words that share one place in the text: who's, that's.
        if window.kind(end) is not TokenKind.WORD or window.tokens[end].start != window.tokens[position].start:
            yield end, MessageRef(kind=MessageRefKind.OTHER)


def _person(window: Window, position: int) -> Iterator[Filling]:
    kind = window.kind(position)
    if kind in (TokenKind.USER, TokenKind.NAME) or (kind is TokenKind.WORD and window.word(position) not in _NO_NAMES):
        yield position + 1, None


_NO_NAMES: Final = PASSED | frozenset(
    "i you he she they we it this that the a an my your his her their is us ye wo isko usko me him them to in on with for of at"
    " kya mat nahi aur jo apna mera tera tumhara aapka uska iska message sab".split()
)

_MODIFIERS: Final = frozenset("about regarding from concerning by of".split())
_AFTER_NO_MODIFIER: Final = frozenset(
    "with to in into saying so because and or but if when once unless until after before please thanks kar karo do not dont said says"
    " told for as since said that then who now at via using by tomorrow later".split()
)
_LONGEST_MODIFIER: Final = 6


def _modifier(window: Window, position: int) -> Iterator[Filling]:
    """`about the deadline`: what tells the message apart, and nothing that changes the request."""
    if window.word(position) not in _MODIFIERS:
        return
    end = position + 1
    while end < min(window.end, position + 1 + _LONGEST_MODIFIER):
        if (
            window.kind(end) in (TokenKind.MARK, TokenKind.LINK, TokenKind.CODE)
            or window.word(end) in _AFTER_NO_MODIFIER
        ):
            break
        end += 1
        yield end, None


def _about_it(window: Window, position: int) -> Iterator[Filling]:
    if window.word(position) in ("about", "regarding"):
        yield from _modifier(window, position)


def _anything(window: Window, position: int) -> Iterator[Filling]:
    """One or two words that name what the replied-to message holds: `this achievement`."""
    for end in (position + 1, position + 2):
        word = window.word(end - 1)
        if not word.isalpha() or word in _NO_NAMES | _AFTER_NO_MODIFIER | FINITE:
            return
        yield end, None


def _channel_id(window: Window, position: int) -> Iterator[Filling]:
    if window.kind(position) is TokenKind.CHANNEL:
        number = window.tokens[position].ids[0]
        if number is not None:
            yield position + 1, ChannelRef(kind=ChannelRefKind.ID, channel_id=ChannelId(number))


def _channel_name(window: Window, position: int) -> Iterator[Filling]:
    if window.kind(position) is TokenKind.CHANNEL_NAME:
        name = window.word(position).removeprefix("#")
        yield position + 1, ChannelRef(kind=ChannelRefKind.NAME, name=name)


_NO_CHANNELS: Final = frozenset(
    "is us isko usko ye wo message messages photo post let give tell show send take for with like theory case fact short need order addition"
    " this the that other another every all same right wrong voice new our your my any some each private public general's me you him her"
    " them us it chat dm dms channel server thread here there everyone bot and or a an one every most two both text news dm's him".split()
)


def _bare_channel(window: Window, position: int) -> Iterator[Filling]:
    """A word that may be a channel's name: `post hi in announcements`. Whether one has that name, Discord knows."""
    word = window.word(position)
    if window.kind(position) is TokenKind.WORD and word not in _NO_CHANNELS and re.fullmatch(r"[\w-]{2,}", word):
        raw = window.tokens[position].raw.lower()
        yield position + 1, ChannelRef(kind=ChannelRefKind.NAME, name=raw)


_LONGEST_DESCRIPTION: Final = 3


def _described(window: Window, position: int) -> Iterator[Filling]:
    """`ye rules wala message`: up to three words that tell the message apart."""
    for end in range(position + 1, min(window.end, position + _LONGEST_DESCRIPTION) + 1):
        if window.kind(end - 1) is not TokenKind.WORD or window.word(end - 1) in _NO_NAMES:
            return
        yield end, None


SLOTS: Final[dict[str, tuple[str, Slot]]] = {
    "LINKED": (TARGET, _linked),
    "NUMBERED": (TARGET, _numbered),
    "SNOWFLAKE": (TARGET, _snowflake),
    "OWNER": ("owner", _owner),
    "PERSON": ("person", _person),
    "DESCRIBED": ("described", _described),
    "ABOUTIT": ("modifier", _about_it),
    "ANYTHING": ("modifier", _anything),
    "MODIFIER": ("modifier", _modifier),
    "CHANNELID": (CHANNEL, _channel_id),
    "CHANNELNAME": (CHANNEL, _channel_name),
    "NAMEDCHANNEL": (CHANNEL, _bare_channel),
    "BARECHANNEL": (CHANNEL, _bare_channel),
}
