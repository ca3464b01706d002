"""The chat-completions protocol as providers speak it, in pieces or whole, and how it becomes one finished turn."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Annotated, Final, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict

from gopher.domain.conversation import RequestedCall
from gopher.errors import ProviderRejected
from gopher.providers.thinking import VisibleText


def _joined(value: object) -> object:
    """Some providers give content as a list of parts: keep the text of those that have any."""
    if isinstance(value, list):
        return "".join(_Part.model_validate(part).text for part in cast("list[object]", value))
    return value


def _as_json(value: object) -> object:
    """Some providers give arguments as an object instead of its text."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value


class _Wire(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, coerce_numbers_to_str=True)


class _Part(_Wire):
    text: str = ""


class WireFunction(_Wire):
    """Name and arguments of a call, or a piece of them."""

    name: str | None = None
    arguments: Annotated[str | None, BeforeValidator(_as_json)] = None


class WireCall(_Wire):
    """A call, or a piece of one."""

    index: int | None = None
    id: str | None = None
    function: WireFunction = WireFunction()


class WireMessage(_Wire):
    """What the model says: a whole message or the next piece of it."""

    content: Annotated[str | None, BeforeValidator(_joined)] = None
    refusal: str | None = None
    tool_calls: tuple[WireCall, ...] | None = None


class WireChoice(_Wire):
    """One alternative; only the first is ever asked for."""

    index: int = 0
    delta: WireMessage | None = None
    """In a stream."""
    message: WireMessage | None = None
    """In a whole answer."""
    finish_reason: str | None = None


class WireUsage(_Wire):
    """Tokens, as far as the provider counts them."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class WireCompletion(_Wire):
    """A whole answer or one chunk of a stream."""

    model: str | None = None
    choices: tuple[WireChoice, ...] | None = None
    usage: WireUsage | None = None


@dataclass(slots=True)
class _OpenCall:
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list[str])


_NO_ARGUMENTS: Final = frozenset({"", "null"})


class TurnAssembly:
    """Collects the pieces of one answer in the order in which they come."""

    def __init__(self) -> None:
        self.model = ""
        self.finish_reason: str | None = None
        self.prompt_tokens = 0
        self.completion_tokens = 0
        self.begun = False
        """True once any text or call has come."""
        self._visible = VisibleText()
        self._refusal: list[str] = []
        self._calls: list[_OpenCall] = []
        self._by_index: dict[int, _OpenCall] = {}

    def add(self, completion: WireCompletion) -> str:
        """Take a chunk, or a whole answer; return the text that has become visible with it."""
        self.model = completion.model or self.model
        if completion.usage:  # some providers repeat it, growing, in every chunk: the last is the sum
            self.prompt_tokens = completion.usage.prompt_tokens or self.prompt_tokens
            self.completion_tokens = completion.usage.completion_tokens or self.completion_tokens
        visible = ""
        for choice in completion.choices or ():
            if choice.index == 0:
                self.finish_reason = choice.finish_reason or self.finish_reason
                visible += self._add_message(choice.delta or choice.message or WireMessage())
        return visible

    def finish(self) -> str:
        """Say that the answer is complete; return visible text that was held back."""
        return self._visible.finish()

    @property
    def text(self) -> str:
        """What the model says to the reader, stripped; its refusal when it says nothing else."""
        return self._visible.text or "".join(self._refusal).strip()

    @property
    def calls(self) -> tuple[RequestedCall, ...]:
        """The calls in the model's order, each with an id and with arguments."""
        given = {call.id for call in self._calls}
        return tuple(
            RequestedCall(
                id=call.id or _made_id(position, given),
                name=call.name,
                arguments=_arguments("".join(call.arguments)),
            )
            for position, call in enumerate(self._calls)
        )

    def _add_message(self, message: WireMessage) -> str:
        if message.content or message.tool_calls or message.refusal:
            self.begun = True
        self._refusal.append(message.refusal or "")
        for piece in message.tool_calls or ():
            self._add_call(piece)
        return self._visible.feed(message.content or "")

    def _add_call(self, piece: WireCall) -> None:
        call = self._call_of(piece)
        call.id = call.id or piece.id or ""
        call.name = call.name or piece.function.name or ""
        call.arguments.append(piece.function.arguments or "")

    def _call_of(self, piece: WireCall) -> _OpenCall:
        """Find the call that a piece belongs to.

        The protocol numbers the calls. Providers that number none send each whole, with its name; others number all
        of them 0 but give each its id. An id alone begins no call: some servers make up a fresh one for every piece.
        """
        known = self._by_index.get(piece.index) if piece.index is not None else (self._calls or [None])[-1]
        if known is None:
            return self._open(piece.index)
        names_another = bool(piece.function.name and known.name) and (
            piece.index is None or bool(piece.id and known.id and piece.id != known.id)
        )
        return self._open(piece.index) if names_another else known

    def _open(self, index: int | None) -> _OpenCall:
        call = _OpenCall()
        self._calls.append(call)
        if index is not None:
            self._by_index[index] = call
        return call


def check_ending(assembly: TurnAssembly) -> None:
    """Refuse an answer that is no answer.

    Raises:
        ProviderRejected: `answer_cut_off` when the model ran out of tokens, even with text or calls, since both are
            torn; `content_filtered` when the provider withheld it; `empty_answer` when there is neither text nor
            call.
    """
    if assembly.finish_reason == "length":
        raise ProviderRejected(
            "The model ran out of output tokens before its answer was complete; CHAT_MAX_OUTPUT_TOKENS bounds them.",
            code="answer_cut_off",
        )
    if assembly.finish_reason == "content_filter":
        raise ProviderRejected("The provider's content filter withheld the answer.", code="content_filtered")
    if not assembly.text and not assembly.calls:
        raise ProviderRejected("The model answered with nothing.", code="empty_answer")


def _arguments(written: str) -> str:
    return "{}" if written.strip() in _NO_ARGUMENTS else written


def _made_id(position: int, given: set[str]) -> str:
    made = f"call_{position}"
    while made in given:
        made += "_"
    return made
