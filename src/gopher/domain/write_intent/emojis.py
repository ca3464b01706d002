"""How words name emoji: the signs themselves, custom ones, shortcodes, and the plain names of the common ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from gopher.domain.write_intent.grammar import Filling, Slot, Window
from gopher.domain.write_intent.tokens import TokenKind
from gopher.domain.write_intent.words import NEGATORS, PASSED, QUESTION_WORDS

EMOJI: Final = "emoji"

# The names that people say, each with the signs that it may mean; the first is the usual one.
_SIGNS_BY_NAMES: Final[dict[str, str]] = {
    "👍": "thumbs up,thumb up,thumbs-up,+1,plus one,like,upvote,thumbs",
    "👎": "thumbs down,thumb down,-1,dislike,downvote",
    "❤ 🧡 💛 💚 💙 💜 🖤 🤍 🤎 💖 💕 💗": "heart,red heart,dil,love heart,hearts,heart emoji",
    "💙": "blue heart",
    "💚": "green heart",
    "💛": "yellow heart",
    "💜": "purple heart",
    "🖤": "black heart",
    "🤍": "white heart",
    "💔": "broken heart",
    "🔥": "fire,flame,lit,aag",
    "💀 ☠": "skull,dead skull,skeleton",
    "😂 🤣 😆": "laugh,laughing,lmao,joy,tears of joy,crying laughing,laughing crying,laughing face,hasne wala,haha,laughter,lol",
    "🤣": "rofl,rolling on the floor laughing",
    "😭 😢": "cry,crying,sob,sobbing,tears,rone wala,crying face",
    "👏": "clap,clapping,applause,clapping hands,clap hands",
    "🎉 🥳 🎊": "party,tada,party popper,confetti,celebration,celebrate,partying",
    "✅ ✔ ☑": "check,checkmark,check mark,tick,green check,white check mark,green tick,tick mark,green checkmark",
    "❌ ✖ ❎": "cross,x,red x,red cross,cross mark",
    "👀": "eyes,eye,side eye,eyeballs",
    "🚀": "rocket,rocketship,rocket ship",
    "💯": "100,hundred,hundred points",
    "👋": "wave,waving,waving hand,wave hand",
    "⭐ 🌟": "star,gold star",
    "✨": "sparkle,sparkles",
    "😀 🙂 😄 😊 ☺ 😁": "smile,smiley,smiling,smiley face,smiling face,happy face,happy",
    "😢 😞 🙁 ☹ 😔": "sad,sad face,frown",
    "😠 😡": "angry,mad,rage,angry face",
    "🤔": "thinking,think,thinking face,hmm,hmm face",
    "🙏": "pray,praying,praying hands,folded hands,namaste,thanks",
    "👌": "ok hand,okay hand,perfect hand,ok sign",
    "💩": "poop,poo",
    "🤡": "clown,clown face",
    "👑": "crown",
    "🏆": "trophy",
    "🫡": "salute,saluting,saluting face",
    "🤷": "shrug,shrugging",
    "🤦": "facepalm,face palm",
    "😍": "heart eyes,heart-eyes",
    "😎": "sunglasses,cool,cool face",
    "📌": "pushpin,push pin",
    "🐐": "goat",
    "🧢": "cap,blue cap",
    "🧠": "brain",
    "💪": "muscle,flex,strong arm,bicep",
    "🤝": "handshake,shaking hands",
    "😮 😲 😱": "shocked,wow,surprised,shock",
    "🙄": "eye roll,eyeroll,rolling eyes",
    "😴": "sleepy,sleeping",
    "🍕": "pizza",
    "🎂": "cake,birthday cake",
    "🐶 🐕": "dog",
    "🐱 🐈": "cat",
    "🙌": "raised hands,raising hands",
    "🥲": "smile tear,smiling with tear",
    "😅": "sweat smile",
    "🤯": "mind blown,exploding head",
    "☕": "coffee",
    "🥇": "gold medal,first place",
    "🫶": "heart hands",
    "👻": "ghost",
    "🌹": "rose",
    "⚡": "lightning,zap",
    "❓": "question mark",
    "⏰": "clock",
    "💡": "light bulb,bulb,lightbulb",
    "🐛": "bug",
    "🎯": "bullseye",
    "🍿": "popcorn",
    "🗿": "moai,stone face",
    "🌈": "rainbow",
}

SIGNS_OF_NAME: Final[dict[str, tuple[str, ...]]] = {
    name: tuple(signs.split()) for signs, names in _SIGNS_BY_NAMES.items() for name in names.split(",")
}

_LONGEST_NAME: Final = 5
_TONES_AND_VARIANTS: Final = re.compile("[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]")
_CUSTOM: Final = re.compile(r"<?(?:a?:)?(\w+):(\d+)>?")


def same_emoji(proposed: str, written: str) -> bool:
    """Say whether an emoji that a call proposes is the one that a request wrote or named.

    Variation selectors and skin tones do not matter. A custom emoji is the same by id, or by name where only a name
    was written.
    """
    left, right = _plain(proposed), _plain(written)
    if left == right:
        return True
    proposed_id, written_id = _CUSTOM.fullmatch(left), _CUSTOM.fullmatch(right)
    if written_id:
        return proposed_id is not None and proposed_id[2] == written_id[2]
    name = right.strip(":").replace("_", " ")
    if proposed_id:
        return proposed_id[1].casefold().replace("_", " ") == name
    if left in {_plain(sign) for sign in SIGNS_OF_NAME.get(name, ())}:
        return True
    return left.strip(":").replace("_", " ") == name


def _plain(emoji: str) -> str:
    return _TONES_AND_VARIANTS.sub("", emoji.strip()).casefold()


def _signs(window: Window, position: int) -> Iterator[Filling]:
    """`🔥`, `🔥😂`, `👍 and 👏`: as many as stand together."""
    found: list[str] = []
    end = position
    while True:
        at = end
        while found and window.word(at) in ("and", ",", "aur", "then"):
            at += 1
        if window.kind(at) is not TokenKind.EMOJI:
            break
        found.append(window.word(at))
        end = at + 1
    if found:
        yield end, tuple(found)


def _common(window: Window, position: int) -> Iterator[tuple[int, int, str]]:
    """Find common emoji by their names: where a name begins and ends, longest first, and the name."""
    start = position + 1 if window.word(position) in ("a", "an", "the", "ek") else position
    for end in range(min(window.end, start + _LONGEST_NAME), start, -1):
        name = " ".join(window.word(at) for at in range(start, end))
        if name in SIGNS_OF_NAME:
            yield start, end, name


def _names(window: Window, position: int) -> Iterator[Filling]:
    """A common emoji by its name: `a thumbs up`, `the skull`."""
    for _, end, name in _common(window, position):
        yield end, (name,)


_UNMISTAKABLE: Final = frozenset(
    "thumbs up,thumb up,thumbs-up,thumbs down,thumb down,+1,heart,red heart,love heart,hearts,blue heart,green heart,broken heart,skull,fire,flame"
    ",clap,tada,party popper,check mark,checkmark,tick mark,green tick,green check,clown,100,trophy,crown,laughing face,crying face,heart eyes"
    ",white check mark,red cross,crying laughing,laughing crying,folded hands,praying hands,raised hands,eyes,star,rocket,dil,confetti,sparkles".split(
        ","
    )
)
"""Names that mean an emoji whatever verb they go with: nobody gives a message a think."""


def _plain_names(window: Window, position: int) -> Iterator[Filling]:
    for _, end, name in _common(window, position):
        if name in _UNMISTAKABLE:
            yield end, (name,)


def _verbs(window: Window, position: int) -> Iterator[Filling]:
    """The few names that are used as verbs: `heart this message`."""
    for start, end, name in _common(window, position):
        if start == position and name in ("thumbs up", "thumbs down", "heart"):
            yield end, (name,)


def _unknown_names(window: Window, position: int) -> Iterator[Filling]:
    """Any word, where the grammar demands that the word `emoji` follows: the name of a custom emoji."""
    start = position + 1 if window.word(position) in ("a", "an", "the", "that", "ek") else position
    named = window.kind(start) is TokenKind.WORD and not window.tokens[start].possessive
    if named and window.word(start) not in _NO_EMOJI:
        yield start + 1, (window.tokens[start].raw.lower(),)


_NO_NAMES: Final = frozenset(
    "funny random some any good nice relevant appropriate suitable proper cool your my an a the one same right fitting other single"
    " reaction emoji with and happy unique custom cute different matching ka ki ke ko koi kuch ek acha acchi whatever something which"
    " every all server discord this that another".split()
)

_NO_EMOJI: Final = (
    _NO_NAMES
    | PASSED
    | NEGATORS
    | QUESTION_WORDS
    | frozenset(
        "isko usko ye wo is us isi mera tera tumhara aapka uska iska i he she they we you people them us him her to on".split()
    )
)

SLOTS: Final[dict[str, tuple[str, Slot]]] = {
    "SIGNS": (EMOJI, _signs),
    "EMOJINAMED": (EMOJI, _names),
    "EMOJIPLAIN": (EMOJI, _plain_names),
    "EMOJIVERB": (EMOJI, _verbs),
    "EMOJIUNKNOWN": (EMOJI, _unknown_names),
}

PHRASES: Final[dict[str, str]] = {
    "EMOJIWORD": "emoji|reaction|react|sign|symbol",
    "EMO": "[ a|an|the|some|ek|this ] [ couple|few|bunch of ] SIGNS [ EMOJIWORD [ reaction ] ] | EMOJINAMED [ EMOJIWORD [ reaction ] ]"
    " | EMOJIUNKNOWN emoji [ reaction|react ] | the emoji SIGNS | [ a|an ] emoji SIGNS",
    "PLAINEMO": "[ a|an|the|some|ek|this ] [ couple|few|bunch of ] SIGNS [ EMOJIWORD [ reaction ] ] | EMOJIPLAIN | EMOJINAMED EMOJIWORD [ reaction ]"
    " | EMOJIUNKNOWN emoji [ reaction|react ] | the emoji SIGNS | [ a|an ] emoji SIGNS",
    "PLAINEMOS": "PLAINEMO [ and|, PLAINEMO ]",
    "EMOS": "EMO [ and|, EMO [ and|, EMO ] ]",
}
