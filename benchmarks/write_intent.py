"""Measures how well requests for writes are understood, on labelled lines.

`python -m benchmarks.write_intent [FILE…]` reads JSON lines `{"text", "replied_to", "action", "expect"}` (other
keys are for people) and decides each in the default situation of `benchmarks.write_situation`. A false authorization
is a line that is allowed and was not expected to be; an explicit request is one that is expected to be allowed.
Without files, the corpus in `tests/domain/write_intent` is read. The baseline is the keyword test of the bot that this
one replaces.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, ValidationError

from benchmarks.write_baseline import baseline_allows
from benchmarks.write_situation import commonest_listener, decide
from gopher.domain.authorization import Allowed, Ask, Decision
from gopher.domain.ids import UserId
from gopher.domain.write_intent.requests import Listener, WriteAction
from gopher.errors import ConfigurationError

CORPUS: Final = Path(__file__).resolve().parent.parent / "tests" / "domain" / "write_intent"
TARGETS: Final = {"false_authorizations": 0, "explicit_authorized": 0.95}


class Verdict(StrEnum):
    """How a decision ended."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


class Line(BaseModel):
    """One labelled line of a corpus."""

    model_config = ConfigDict(extra="allow", frozen=True)

    text: str = Field(min_length=1)
    replied_to: StrictBool
    action: WriteAction
    expect: Literal["allow", "ask", "deny"]
    bot_id: int | None = None
    """Who the bot is; where a file does not say, it is whom most of its messages begin by mentioning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A line and where it stands."""

    line: Line
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A line and what became of it."""

    case: Case
    verdict: Verdict
    code: str

    @property
    def expected(self) -> Verdict:
        """What the line says should become of it."""
        return Verdict(self.case.line.expect)

    @property
    def is_false_authorization(self) -> bool:
        """Allowed, and not expected to be."""
        return self.verdict is Verdict.ALLOW and self.expected is not Verdict.ALLOW


def read_corpus(path: Path) -> tuple[Case, ...]:
    """Read a corpus file.

    Raises:
        ConfigurationError: the file cannot be read, or a line is not of the form; the message names file and line.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"The corpus {path} cannot be read as UTF-8 text: {error}.") from error
    return tuple(_cases(path, text.split("\n")))


def _cases(path: Path, lines: Iterable[str]) -> Iterator[Case]:
    for number, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        place = f"{path}:{number}"
        try:
            line = Line.model_validate_json(text.removeprefix("\ufeff"))
        except ValidationError as error:
            raise ConfigurationError(f"{place}: {_fault(error)}; mend or remove that line.") from error
        yield Case(line=line, place=place)


def _fault(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where}: {first['msg']}" if where else first["msg"]


def measure(cases: Sequence[Case]) -> tuple[Outcome, ...]:
    """Decide every line, in order."""
    usual = commonest_listener(case.line.text for case in cases)
    return tuple(_outcome(case, usual) for case in cases)


def _outcome(case: Case, usual: Listener) -> Outcome:
    line = case.line
    listener = usual if line.bot_id is None else Listener(bot_id=UserId(line.bot_id))
    decision = decide(line.text, replied=line.replied_to, action=line.action, listener=listener)
    return Outcome(case=case, verdict=_verdict(decision), code=_code(decision))


def _verdict(decision: Decision) -> Verdict:
    if isinstance(decision, Allowed):
        return Verdict.ALLOW
    return Verdict.ASK if isinstance(decision, Ask) else Verdict.DENY


def _code(decision: Decision) -> str:
    return "" if isinstance(decision, Allowed) else str(decision.code)


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """Counts over some outcomes."""

    lines: int
    false_authorizations: int
    explicit: int
    explicit_authorized: int
    as_expected: int

    @property
    def explicit_share(self) -> float | None:
        """Of explicit requests, those authorized without asking; None when there are none."""
        return round(self.explicit_authorized / self.explicit, 4) if self.explicit else None


def score(outcomes: Sequence[Outcome]) -> Score:
    """Count."""
    explicit = [each for each in outcomes if each.expected is Verdict.ALLOW]
    return Score(
        lines=len(outcomes),
        false_authorizations=sum(each.is_false_authorization for each in outcomes),
        explicit=len(explicit),
        explicit_authorized=sum(each.verdict is Verdict.ALLOW for each in explicit),
        as_expected=sum(each.verdict is each.expected for each in outcomes),
    )


def met(total: Score) -> bool:
    """Say whether the targets are met."""
    share = total.explicit_share
    enough = share is None or share >= TARGETS["explicit_authorized"]
    return total.false_authorizations <= TARGETS["false_authorizations"] and enough


def report(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Write the table, the lines that went wrong, and the JSON object."""
    yield f"{'action':<16} {'lines':>6} {'false':>6} {'explicit':>9} {'authorized':>11} {'as expected':>12}"
    for action in WriteAction:
        own = [each for each in outcomes if each.case.line.action is action]
        if own:
            yield _row(action, score(own))
    total = score(outcomes)
    yield _row("all", total)
    for each in outcomes:
        if each.is_false_authorization:
            yield f"false authorization: {_told(each)}"
    for each in outcomes:
        if each.expected is Verdict.ALLOW and each.verdict is not Verdict.ALLOW:
            yield f"not authorized: {_told(each)}"
    baseline = _baseline(outcomes)
    counts = f"{baseline.false_authorizations} false authorizations, {_share(baseline)} of explicit requests authorized"
    yield f"baseline, a keyword test: {counts}"
    yield json.dumps(_summary(outcomes, total, baseline), ensure_ascii=False)


def _told(each: Outcome) -> str:
    line = each.case.line
    reply = " (reply)" if line.replied_to else ""
    why = f" {each.code}" if each.code else ""
    return f"{each.case.place} {line.action}{reply}, expected {line.expect}, got {each.verdict}{why}: {line.text!r}"


def _share(counted: Score) -> str:
    share = counted.explicit_share
    return "none" if share is None else f"{share:.1%}"


def _row(name: str, counted: Score) -> str:
    return (
        f"{name:<16} {counted.lines:>6} {counted.false_authorizations:>6} {counted.explicit:>9} {_share(counted):>11}"
        f" {counted.as_expected:>12}"
    )


def _baseline(outcomes: Sequence[Outcome]) -> Score:
    return score(
        [
            Outcome(
                case=each.case,
                verdict=Verdict.ALLOW if baseline_allows(each.case.line.text, each.case.line.action) else Verdict.DENY,
                code="",
            )
            for each in outcomes
        ]
    )


def _summary(outcomes: Sequence[Outcome], total: Score, baseline: Score) -> dict[str, object]:
    denials = Counter(each.verdict for each in outcomes if each.expected is Verdict.DENY)
    return {
        "benchmark": "write_intent",
        "machine": _machine(),
        "values": {
            "lines": total.lines,
            "false_authorizations": total.false_authorizations,
            "explicit_requests": total.explicit,
            "explicit_authorized": total.explicit_share,
            "as_expected": total.as_expected,
            "asked_where_denial_expected": denials[Verdict.ASK],
            "baseline_false_authorizations": baseline.false_authorizations,
            "baseline_explicit_authorized": baseline.explicit_share,
        },
        "targets": TARGETS,
        "met": met(total),
    }


def _machine() -> str:
    cpus = os.cpu_count()
    return f"{platform.system()} {platform.machine()}, {cpus} CPUs, Python {platform.python_version()}"


def main(arguments: Sequence[str]) -> int:
    """Measure the files, or the project's own corpus; return the exit status."""
    paths = [Path(argument) for argument in arguments] or sorted(CORPUS.glob("*.jsonl"))
    try:
        cases = [case for path in paths for case in read_corpus(path)]
    except ConfigurationError as error:
        print(error, file=sys.stderr)
        return 2
    for line in report(measure(cases)):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
