"""The demo model: scripted, says so, and answers without any provider. Same prompt, same answer."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from devstack import offline_texts as texts
from devstack.offline_prompt import OfflinePrompt, Said, read_prompt
from devstack.offline_tools import OfflineCall, choose_call

MODEL_NAME: Final = "offline-demo"

QUOTED_MESSAGES: Final = 5
QUOTED_CHARACTERS: Final = 280
"""Of one quotation: enough to recognise it."""
RESULT_CHARACTERS: Final = 1200
"""Of a tool's result: fits one message with a sentence around it."""

_GREETING: Final = re.compile(
    r"^(?:hi|hello|hey|hiya|yo|hallo|moin|good (?:morning|afternoon|evening)|namaste)\b", re.IGNORECASE
)
_ABOUT: Final = re.compile(
    r"\b(?:who|what) are you\b|\bwhat can you do\b|^(?:please )?help(?: me)?\W*$|\bare you (?:real|a bot|human)\b",
    re.IGNORECASE,
)
_SAID_BY: Final = re.compile(r"\bwhat (?:did|has|was) (?P<name>.+?) (?:say|said|saying|write|written)\b", re.IGNORECASE)
_WHO_SAID: Final = re.compile(
    r"\bwho (?:said|wrote|mentioned|talked about)\b[:\s]*(?P<words>.+)$", re.IGNORECASE | re.DOTALL
)
_SUMMARIZE: Final = re.compile(
    r"\bsummar(?:ize|ise|y)\b|\bwhat (?:happened|did i miss)\b|\bcatch me up\b|\brecap\b", re.IGNORECASE
)
_ECHO: Final = re.compile(
    r"^(?:please )?(?:echo|repeat after me|repeat|say)\b[:,\s]*(?P<words>.+)$", re.IGNORECASE | re.DOTALL
)
_LONG: Final = re.compile(
    r"\blong (?:answer|version|message|text|story|reply)\b|\bin detail\b|\bat length\b", re.IGNORECASE
)
_THIS: Final = re.compile(r"\b(?:this|that|it)\b", re.IGNORECASE)
_OWN: Final = frozenset({"you", "gopher", "the bot"})


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineAnswer:
    """What the demo model says or does."""

    text: str
    calls: tuple[OfflineCall, ...]
    prompt_words: int


def answer(messages: Sequence[dict[str, JsonValue]], tools: Sequence[dict[str, JsonValue]]) -> OfflineAnswer:
    """Take one turn: `messages` and `tools` as a chat-completions request has them."""
    prompt = read_prompt(messages)
    call = None if prompt.results else choose_call(prompt, tools)
    return OfflineAnswer(
        text="" if call else _text(prompt),
        calls=(call,) if call else (),
        prompt_words=prompt.words,
    )


def _text(prompt: OfflinePrompt) -> str:
    if prompt.results:
        return _report(prompt)
    for pattern, say in _BEHAVIOURS:
        found = pattern.search(prompt.request)
        if found:
            return say(prompt, found)
    if not prompt.request:
        return _greet(prompt, None)
    if prompt.quoted and _THIS.search(prompt.request):
        return f"You mean this one?\n{_quote(prompt.quoted)}\n{texts.WHAT_IT_IS} {texts.HOW_TO_WAKE}"
    return texts.FALLBACK.format(name=_name(prompt), how=texts.HOW_TO_WAKE, tricks=texts.TRICKS)


def _greet(prompt: OfflinePrompt, _found: re.Match[str] | None) -> str:
    return texts.GREETING.format(name=_name(prompt), what=texts.WHAT_IT_IS, how=texts.HOW_TO_WAKE, tricks=texts.TRICKS)


def _say_long(prompt: OfflinePrompt, _found: re.Match[str]) -> str:
    return texts.LONG_ANSWER.format(name=_name(prompt), how=texts.HOW_TO_WAKE).strip()


def _echo(_prompt: OfflinePrompt, found: re.Match[str]) -> str:
    return found["words"].strip()


def _quote_author(prompt: OfflinePrompt, found: re.Match[str]) -> str:
    name = found["name"].strip().lstrip("@").lower()
    if name in ("i", "me"):
        name = _name(prompt).lower()
    said = [entry for entry in prompt.recent if (entry.own if name in _OWN else entry.author.lower() == name)]
    if not said:
        return texts.NOTHING_SAID
    who = "I" if name in _OWN else said[0].author
    return "\n".join([f"{who} said:", *(_quote(entry) for entry in said[-QUOTED_MESSAGES:])])


def _quote_words(prompt: OfflinePrompt, found: re.Match[str]) -> str:
    words = found["words"].strip(" ?.!\"'“”\n").lower()
    said = [entry for entry in prompt.recent if words and words in entry.text.lower()]
    if not said:
        return texts.NOTHING_SAID
    return "\n".join(["Here:", *(_quote(entry) for entry in said[-QUOTED_MESSAGES:])])


def _recount(prompt: OfflinePrompt, _found: re.Match[str]) -> str:
    if not prompt.recent:
        return texts.NOTHING_SAID
    counts = Counter(entry.author for entry in prompt.recent)
    authors = ", ".join(f"{author} ({count})" for author, count in sorted(counts.items()))
    counted = f"The last {len(prompt.recent)} messages are by {authors}. The newest:"
    lines = [_quote(entry) for entry in prompt.recent[-QUOTED_MESSAGES:]]
    return "\n".join([f"I cannot summarize, being scripted, but I can count and quote. {counted}", *lines])


def _report(prompt: OfflinePrompt) -> str:
    """Show what tools answered: the demo model cannot make sense of it."""
    shown = "\n".join(
        f"```json\n{_cut(result.replace('```', ''), RESULT_CHARACTERS)}\n```" for result in prompt.results
    )
    failed = all('"ok":false' in result.replace(" ", "") for result in prompt.results)
    begin = "That did not work" if failed else "Done"
    return f"{begin}, {_name(prompt)}. This came back:\n{shown}"


def _quote(said: Said) -> str:
    lines = _cut(said.text, QUOTED_CHARACTERS).splitlines() or [""]
    return "\n".join([f"> **{said.author}**: {lines[0]}", *(f"> {line}" for line in lines[1:])])


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _name(prompt: OfflinePrompt) -> str:
    return prompt.requester or "there"


_BEHAVIOURS: Final[tuple[tuple[re.Pattern[str], Callable[[OfflinePrompt, re.Match[str]], str]], ...]] = (
    (_ECHO, _echo),
    (_SAID_BY, _quote_author),
    (_WHO_SAID, _quote_words),
    (_SUMMARIZE, _recount),
    (_LONG, _say_long),
    (_ABOUT, _greet),
    (_GREETING, _greet),
)
