"""What may follow a request and changes nothing of it: thanks, for whom, why, and when it suits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gopher.domain.write_intent.grammar import Filling, Slot, Window
from gopher.domain.write_intent.tokens import Token, TokenKind
from gopher.domain.write_intent.words import CONDITIONS, FINITE, HYPOTHESES, REPORTING

PHRASES: Final[dict[str, str]] = {
    "TAIL": "[ AFTER [ AFTER [ AFTER ] ] ] END",
    "AFTER": "for [ the|our|my ] AUDIENCE | in the|this|our group|server|class|channel|community | REASON | WHENFREE | as soon as possible | as soon as you can | real|very quick | real fast"
    " | as quickly as possible | right away|now | at once | this instant | one more time | a lot | so much | very much | in advance"
    " | if you dont mind | if you do not mind | if that is ok|alright|fine | for real | na | to do | ek baar | sabke|mera|hamara|hum liye | jaldi se | pyaar se | thoda | sabke liye | abhi ke abhi"
    " | at|by the way | after all | once more | no cap | no rush | or whatever you call it | and thank you|thanks | thank you | you beautiful bot"
    " | would you | will you | could you | can you | u there | ok with you | and nothing else | to this channel|server"
    " | as well | bhool mat jana | bhoolna mat | mat bhoolna | for now | good bot | my friend|man|dude|guy | you are the best|goat|man | you|u legend|rock|beauty|genius|angel | on behalf of PERSONAL | on my behalf"
    " | that would be great|nice|awesome|cool|helpful|lovely|amazing|appreciated|perfect | i beg you|of you | i beg | i am begging you | if you would be so kind | if you would | be a dear|darling | like right now | much appreciated"
    " | appreciate it | appreciated | cheers | ill wait | na yaar | with a cherry on top | pretty | for the love of god | already",
    "AUDIENCE": "AUDIENCES [ to see|read|know|find|use|enjoy|check|reference|follow|remember ]",
    "AUDIENCES": "me|us|all|everyone|everybody|others|people|later|now|reference|visibility|record|records|posterity|safekeeping|safety|fun|real|clarity"
    "|team|group|server|channel|class|newcomers|newbies|members|mods|guys|folks|boys|girls|squad|crew|community|lulz|laughs|archive|archives"
    "|future|history|context|sake|safe|everyones | future reference | quick|easy access|reference | the others|rest | safe keeping | new members|people|folks|joiners"
    " | later reference|reading|use | everyone else | everyone to see|read|know | everyone here | the love of god | us all | all of us|to see | people who|that missed it"
    " | other people|members | the rest of us | the whole team|server|class|group | those who missed it | a bit|while|sec",
    "PERSONAL": "me|us|everyone|team | the team|group",
    "WHENFREE": "when|whenever you can|could|are able | when|whenever you get|have [ a|the|some ] chance|sec|second|moment|minute|time|min"
    " | when|whenever you are free|able|ready|around|back | at your convenience|earliest | at your earliest convenience",
}

CAPTURES: Final[dict[str, tuple[str, object]]] = {"AFTER": ("after", None)}


def _end(window: Window, position: int) -> Iterator[Filling]:
    if position >= window.end:
        yield position, None


_LONGEST_REASON: Final = 24
_SHORTEST_AFTERTHOUGHT: Final = 3
# How a reason begins. After one of the first kind anything may be told; the second kind begins a sentence of its own,
# `it has my number in it`, which may also be about the request: `it was Ada who wanted it`.
_REASONS: Final = (
    *(
        "so",
        "because",
        "since",
        "cause",
        "in case",
        "as it",
        "as we",
        "as i",
        "as people",
        "kyunki",
        "kyuki",
        "taaki",
        "to keep",
        "to save",
    ),
    *(
        "to make it",
        "to help",
        "to remind",
        "to celebrate",
        "to show",
        "before it gets",
        "before it is",
        "before it disappears",
    ),
    *(
        "before it goes",
        "before it scrolls",
        "before this gets",
        "before we lose",
        "before i forget",
        "before people miss",
    ),
    *("before everyone forgets", "i need", "we need", "people need", "everyone needs"),
)
_AFTERTHOUGHTS: Final = frozenset(["it", "this", "that", "they", "i", "we", "people", "everyone", "there", "these"])
_AFTERTHOUGHTS_IN_HINGLISH: Final = frozenset(
    [
        "koi",
        "sab",
        "log",
        "baar",
        "bahut",
        "bohot",
        "important",
        "zaroori",
        "zaruri",
        "jaroori",
        "jaruri",
        "kaam",
        "ye",
        "mujhe",
        "humko",
        "hume",
        "sabko",
    ]
)
_NO_REASON: Final = (
    HYPOTHESES
    | (CONDITIONS - {"later", "tomorrow", "soon", "before", "after", "warna"})
    | frozenset(
        [
            "jk",
            "joke",
            "kidding",
            "joking",
            "would",
            "mazak",
            "mazaak",
            "mat",
            "rehne",
            "nope",
            "nah",
            "/s",
            "/j",
            "kyu",
            "kya",
        ]
    )
)
_NO_AFTERTHOUGHT: Final = (
    _NO_REASON
    | REPORTING
    | frozenset(
        [
            "guess",
            "think",
            "suppose",
            "dare",
            "bet",
            "mean",
            "meant",
            "should",
            "might",
            "could",
            "or",
            "words",
            "quote",
            "said",
        ]
    )
    | frozenset(
        ["pin", "unpin", "delete", "remove", "react", "reply", "send", "post", "edit", "archive", "rename", "forget"]
    )
)


def _is_afterthought(rest: tuple[Token, ...]) -> bool:
    """A subject and its verb: `it has …`. `this at midnight` is none, but the object of what stands before."""
    words = [token.word for token in rest]
    if words[:1] and words[0] in _AFTERTHOUGHTS_IN_HINGLISH:
        return words[-1].endswith(_HINGLISH_VERB_ENDINGS)
    return (
        len(words) >= _SHORTEST_AFTERTHOUGHT
        and words[0] in _AFTERTHOUGHTS
        and (words[1] in FINITE or words[0] in ("i", "we"))
    )


_HINGLISH_VERB_ENDINGS: Final = (
    "hai",
    "ho",
    "ge",
    "ga",
    "gi",
    "te",
    "ta",
    "ti",
    "tha",
    "thi",
    "raha",
    "rahi",
    "rahe",
    "gaya",
    "gayi",
    "pata",
)


def _reason(window: Window, position: int) -> Iterator[Filling]:
    """`so we don't lose it`: why, in any words but those that would make the request another's, or another day's."""
    rest = window.tokens[position : window.end]
    spoken = " ".join(token.word for token in rest[:_SHORTEST_AFTERTHOUGHT]) + " "
    if any(spoken.startswith(f"{lead} ") for lead in _REASONS):
        barred, shortest = _NO_REASON, 2
    elif _is_afterthought(rest):
        barred, shortest = _NO_AFTERTHOUGHT, _SHORTEST_AFTERTHOUGHT - 1
    else:
        return
    if any(token.word in ("said", "says") for token in rest[-_SHORTEST_AFTERTHOUGHT:]):
        return  # `… is what it says`
    plain = all(token.word not in barred and token.kind not in (TokenKind.QUOTE, TokenKind.MARK) for token in rest)
    if plain and shortest <= len(rest) <= _LONGEST_REASON:
        yield window.end, None


SLOTS: Final[dict[str, tuple[str, Slot]]] = {"END": ("end", _end), "REASON": ("reason", _reason)}
