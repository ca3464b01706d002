"""Decides whether a write may be done: asked for by the requester's current message, just so, by who may.

Facts in, a decision out. A write is allowed only when the requester's own words ask for it plainly, when the call does
what they ask for and no more, and when requester and bot both may do it there and now. There is no parameter for web
pages, memories, summaries, tool output, attachments, display names or earlier messages, so none of them can authorize.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from gopher.domain.write_binding import Doubt, doubts
from gopher.domain.write_codes import AskCode, DenialCode
from gopher.domain.write_intent.reading import read
from gopher.domain.write_intent.requests import Refusal
from gopher.domain.write_permissions import Party, obstacle
from gopher.domain.writes import Confirmation, CurrentRequest, Permission, ProposedWrite, WriteFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowed:
    """The write may be done now. A decision is worth no more than the facts it was taken from: take it again later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """Nothing forbids the write, but the request is not explicit enough: the requester must confirm it first."""

    code: AskCode
    """The weightiest reason."""
    codes: tuple[AskCode, ...]
    """All reasons, each once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Denied:
    """The write may not be done, and asking would not help."""

    code: DenialCode
    party: Party | None = None
    """Who lacks the permission; None where that is not the reason."""
    permission: Permission | None = None


Decision = Allowed | Ask | Denied

REFUSALS: Final[dict[Refusal, DenialCode]] = {
    Refusal.NOT_REQUESTED: DenialCode.NOT_REQUESTED,
    Refusal.NEGATED: DenialCode.NEGATED,
    Refusal.QUESTION: DenialCode.QUESTION,
    Refusal.HYPOTHETICAL: DenialCode.HYPOTHETICAL,
    Refusal.CONDITIONAL: DenialCode.CONDITIONAL,
    Refusal.REPORTED: DenialCode.REPORTED,
    Refusal.QUOTED: DenialCode.QUOTED,
    Refusal.ADDRESSED_TO_OTHER: DenialCode.ADDRESSED_TO_OTHER,
    Refusal.RETRACTED: DenialCode.RETRACTED,
}


def authorize(
    call: ProposedWrite,
    request: CurrentRequest,
    facts: WriteFacts,
    *,
    confirmation: Confirmation = Confirmation.ASK,
    confirmed: bool = False,
) -> Decision:
    """Decide on one write. Equal arguments give equal decisions.

    Args:
        call: What is to be done.
        request: The message that asks for it.
        facts: What holds now; read them afresh for every decision, also for the one after a confirmation.
        confirmation: What becomes of a request that is not explicit enough.
        confirmed: The requester has confirmed just this call. It settles what could be asked, and nothing else.
    """
    intent = _intent(call, request, facts)
    if isinstance(intent, Denied):
        return intent
    against = obstacle(call, request, facts)
    if against is not None:
        return Denied(code=against.code, party=against.party, permission=against.permission)
    if isinstance(intent, Ask) and confirmed:
        return Allowed()
    if isinstance(intent, Ask) and confirmation is Confirmation.DENY:
        return Denied(code=DenialCode.CONFIRMATION_REQUIRED)
    return intent


def _intent(call: ProposedWrite, request: CurrentRequest, facts: WriteFacts) -> Decision:
    """Decide by the words alone: the best that any request in the message says of this call."""
    if not facts.writes_enabled:
        return Denied(code=DenialCode.ACTIONS_DISABLED)
    reading = read(request.text, request.listener)
    asked = reading.of(call.action)
    if not asked:
        return Denied(code=REFUSALS[reading.refusal(call.action)])
    decisions = [_bound(doubts(each, call, request, facts)) for each in asked]
    return min(decisions, key=_severity)


def _bound(found: tuple[Doubt, ...]) -> Decision:
    denials = [each for each in found if isinstance(each, DenialCode)]
    if denials:
        return Denied(code=denials[0])
    asks = tuple(dict.fromkeys(each for each in found if isinstance(each, AskCode)))
    return Ask(code=asks[0], codes=asks) if asks else Allowed()


def _severity(decision: Decision) -> int:
    match decision:
        case Allowed():
            return 0
        case Ask():
            return 1
        case Denied():
            return 2
