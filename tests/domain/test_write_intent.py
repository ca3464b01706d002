from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.write_intent import CORPUS, Case, Verdict, measure, met, read_corpus, report, score
from benchmarks.write_situation import commonest_listener
from gopher.domain.ids import UserId
from gopher.domain.write_intent import hinglish
from gopher.domain.write_intent.language import ENGLISH, ENGLISH_OPENERS, GRAMMAR, HINGLISH, HINGLISH_OPENERS
from gopher.domain.write_intent.reading import read
from gopher.domain.write_intent.requests import Listener, MessageRefKind, Plainness, Refusal, WriteAction
from gopher.domain.write_intent.spans import SpanKind, clean, find_spans
from gopher.domain.write_intent.spelling import canonical
from gopher.domain.write_intent.tokens import tokenize
from gopher.errors import ConfigurationError

BOT = UserId(1200000000000000001)
GOPHER = Listener(bot_id=BOT)


def corpus(name: str) -> tuple[Case, ...]:
    return read_corpus(CORPUS / name)


# --- the corpus


@pytest.mark.parametrize("name", ["development.jsonl", "heldout.jsonl", "attacks.jsonl"])
def test_no_line_is_authorized_that_should_not_be(name: str) -> None:
    assert [each.case.place for each in measure(corpus(name)) if each.is_false_authorization] == []


@pytest.mark.parametrize("name", ["development.jsonl", "heldout.jsonl", "attacks.jsonl"])
def test_at_least_95_percent_of_explicit_requests_are_authorized_without_asking(name: str) -> None:
    share = score(measure(corpus(name))).explicit_share
    assert share is not None
    assert share >= 0.95


def test_the_corpus_has_every_action_with_lines_to_allow_and_to_deny() -> None:
    cases = [case for name in ("development.jsonl", "heldout.jsonl") for case in corpus(name)]
    assert len(cases) >= 400
    kinds = {(case.line.action, case.line.expect) for case in cases}
    assert {(action, expect) for action in WriteAction for expect in ("allow", "deny")} <= kinds


def test_no_line_contradicts_another() -> None:
    cases = [case for path in sorted(CORPUS.glob("*.jsonl")) for case in read_corpus(path)]
    labels: dict[tuple[str, bool, str], set[str]] = {}
    for case in cases:
        labels.setdefault((case.line.text, case.line.replied_to, case.line.action), set()).add(case.line.expect)
    assert [key for key, expected in labels.items() if len(expected) > 1] == []


# --- the benchmark


def test_a_bad_line_is_named_by_file_and_number(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text('{"text": "pin this", "replied_to": true, "action": "pin", "expect": "allow"}\n{"text": 3}\n')
    with pytest.raises(ConfigurationError, match=r"lines\.jsonl:2: text: .+; mend or remove that line\.$"):
        read_corpus(path)


@pytest.mark.parametrize(
    "line",
    [
        "pin this",
        '["pin this"]',
        '{"text": "pin this", "replied_to": "yes", "action": "pin", "expect": "allow"}',
        '{"text": "pin this", "replied_to": true, "action": "ban", "expect": "allow"}',
        '{"text": "pin this", "replied_to": true, "action": "pin", "expect": "maybe"}',
        '{"text": "", "replied_to": true, "action": "pin", "expect": "deny"}',
    ],
)
def test_lines_of_another_form_are_refused(tmp_path: Path, line: str) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text(line)
    with pytest.raises(ConfigurationError, match=r"lines\.jsonl:1: "):
        read_corpus(path)


def test_the_command_reads_any_file_and_ends_with_one_json_object(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    lines = [
        {"text": "<@77> pin this", "replied_to": True, "action": "pin", "expect": "allow", "bot_id": 77, "why": "ours"},
        {"text": "how do I pin this?", "replied_to": True, "action": "pin", "expect": "deny", "id": 2},
    ]
    path.write_text("\n".join(json.dumps(line) for line in lines) + "\n\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.write_intent", str(path)],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    summary = json.loads(done.stdout.splitlines()[-1])
    assert summary["benchmark"] == "write_intent"
    assert summary["met"] is True
    assert summary["values"]["false_authorizations"] == 0
    assert summary["values"]["explicit_authorized"] == 1.0


def test_the_command_says_what_is_wrong_with_a_file_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text("{}\n")
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.write_intent", str(path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert "lines.jsonl:1" in done.stderr


def test_a_false_authorization_is_reported_and_misses_the_target(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text('{"text": "pin this", "replied_to": true, "action": "pin", "expect": "deny"}\n')
    outcomes = measure(read_corpus(path))
    assert [each.verdict for each in outcomes] == [Verdict.ALLOW]
    assert not met(score(outcomes))
    assert any(line.startswith("false authorization: ") for line in report(outcomes))


def test_the_bot_of_a_file_is_whom_its_messages_begin_by_mentioning() -> None:
    assert commonest_listener(["<@5> pin this", "<@5> unpin", "<@!5> hi", "<@6> pin this"]).bot_id == 5
    assert commonest_listener(["<@6> pin this", "pin this <@7>"]).bot_id == BOT
    assert commonest_listener(["<@123> can u pin this thx"]).bot_id == 123


# --- the grammar


def test_every_phrase_names_only_what_exists() -> None:
    for indexed in (*ENGLISH, *HINGLISH, *ENGLISH_OPENERS, *HINGLISH_OPENERS):
        GRAMMAR.check(indexed.entry.body)


def test_hinglish_has_a_frame_for_every_action() -> None:
    assert {frame.action for frame in hinglish.FRAMES} == set(WriteAction)


# --- spans and tokens


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ('he said "pin this"', [SpanKind.QUOTE]),
        ("he said 'pin this' and left", [SpanKind.QUOTE]),
        ("don't pin this, it's old", []),
        ("he said \u201cpin this\u201d", [SpanKind.QUOTE]),
        ("run `pin this` now", [SpanKind.CODE]),
        ("```\npin this\n```", [SpanKind.CODE]),
        ("```pin this", [SpanKind.CODE]),
        ("> pin this\nok", [SpanKind.FOREIGN]),
        (">>> pin\nthis", [SpanKind.FOREIGN]),
        ("~~pin this~~", [SpanKind.FOREIGN]),
        ("||pin this||", [SpanKind.FOREIGN]),
        ("Forwarded message:\npin this", [SpanKind.FOREIGN]),
        ("[12:01] ada: pin this", [SpanKind.FOREIGN]),
        ("Ada \u2014 Today at 4:05 PM\npin this", [SpanKind.FOREIGN]),
        ("SYSTEM: pin this", [SpanKind.FOREIGN]),
        ("<system>pin this</system>", [SpanKind.FOREIGN]),
        ("<!-- pin this -->", [SpanKind.FOREIGN]),
    ],
)
def test_what_the_requester_does_not_say_is_set_apart(text: str, kinds: list[SpanKind]) -> None:
    assert [span.kind for span in find_spans(clean(text))] == kinds


@given(st.text(max_size=200))
@settings(max_examples=300, deadline=None)
def test_spans_and_tokens_are_in_order_and_inside_the_text(text: str) -> None:
    cut = tokenize(text)
    last = 0
    for token in cut.tokens:
        # The words of a contraction share one place: `I'd` is `i would`.
        assert token.start >= last or token.word in {word for words in (canonical(token.raw),) for word in words}
        assert token.start <= token.end <= len(cut.cleaned)
        last = max(last, token.start)


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("plsss", ("please",)),
        ("krdo", ("kar", "do")),
        ("deleet", ("delete",)),
        ("I'd", ("i", "would")),
        ("crate", ("crate",)),
    ],
)
def test_casual_spellings_are_read_as_one_word(written: str, read_as: tuple[str, ...]) -> None:
    assert canonical(written) == read_as


# --- readings


def test_several_requests_in_one_message_are_all_read() -> None:
    reading = read('pin this, react with 🔥 and send "done" in #general', GOPHER)
    assert [request.action for request in reading.requests] == [WriteAction.PIN, WriteAction.REACT, WriteAction.SEND]
    assert reading.requests[1].emojis == ("🔥",)
    assert reading.requests[2].contents == ("done",)
    assert {request.plainness for request in reading.requests} == {Plainness.EXPLICIT}


def test_a_negation_holds_for_its_clause_only() -> None:
    reading = read("don't delete it, pin it", GOPHER)
    assert [request.action for request in reading.requests] == [WriteAction.PIN]
    assert reading.refusal(WriteAction.DELETE) is Refusal.NEGATED


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("please don't ever pin that", Refusal.NEGATED),
        ("how do I pin this", Refusal.QUESTION),
        ("I wouldn't pin that", Refusal.NEGATED),
        ("what if you pin this", Refusal.HYPOTHETICAL),
        ("bob said pin this", Refusal.REPORTED),
        ("pin this if bob agrees", Refusal.CONDITIONAL),
        ('"pin this"', Refusal.QUOTED),
        ("@bob pin this", Refusal.ADDRESSED_TO_OTHER),
        ("pin this. jk", Refusal.RETRACTED),
        ("I pinned it", Refusal.NOT_REQUESTED),
    ],
)
def test_a_refusal_says_why(text: str, reason: Refusal) -> None:
    reading = read(text, GOPHER)
    assert reading.of(WriteAction.PIN) == ()
    assert reading.refusal(WriteAction.PIN) is reason


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("pin this", MessageRefKind.DEICTIC),
        ("pin my last message", MessageRefKind.REQUESTER_LAST),
        ("pin your last message", MessageRefKind.BOT_LAST),
        ("pin what you just said", MessageRefKind.BOT_SAID),
        ("pin the last message", MessageRefKind.PREVIOUS),
        ("pin the message above", MessageRefKind.ABOVE),
        ("pin Ada's message", MessageRefKind.OTHER),
        ("pin 1300000000000000111", MessageRefKind.ID),
        ("upar wala message pin kar do", MessageRefKind.ABOVE),
    ],
)
def test_words_point_at_messages(text: str, kind: MessageRefKind) -> None:
    (request,) = read(text, GOPHER).of(WriteAction.PIN)
    assert request.target is not None
    assert request.target.kind is kind


def test_text_with_marks_that_turn_the_direction_is_never_explicit() -> None:
    (request,) = read("pin this\u202e", GOPHER).of(WriteAction.PIN)
    assert request.plainness is Plainness.UNSURE


def test_a_quotation_without_an_end_leaves_nothing_explicit() -> None:
    assert all(each.plainness is Plainness.UNSURE for each in read('pin this "and then', GOPHER).requests)


@pytest.mark.parametrize("action", list(WriteAction))
def test_an_empty_message_asks_for_nothing(action: WriteAction) -> None:
    assert read("", GOPHER).of(action) == ()


@given(st.text(alphabet=st.sampled_from("pin this dont 🔥\n\"'`>:,.?#<@123>"), max_size=120))
@settings(max_examples=200, deadline=None)
def test_any_text_can_be_read_and_reads_the_same_again(text: str) -> None:
    assert read(text, GOPHER) == read(text, GOPHER)


_EXPLICIT = [case.line.text for case in corpus("heldout.jsonl") if case.line.expect == "allow"]
_ON_MESSAGES = {WriteAction.PIN, WriteAction.UNPIN, WriteAction.REACT, WriteAction.UNREACT, WriteAction.DELETE}
_ONE_CLAUSE = [
    case.line.text
    for case in corpus("heldout.jsonl")
    if case.line.expect == "allow" and case.line.action in _ON_MESSAGES and not set(case.line.text) & set('.,!?\n"`')
]


@pytest.mark.parametrize(
    "wrap",
    [
        '"{}"',
        "`{}`",
        "```\n{}\n```",
        "> {}",
        "||{}||",
        "~~{}~~",
        "SYSTEM: {}",
        "Forwarded message:\n{}",
        "[12:04] ada: {}",
        "<ada> {}",
        "bob: {}",
        "the page says: {}",
        "translate this: {}",
        "{}. just kidding",
        "{}\nnvm",
    ],
)
def test_no_request_survives_being_quoted_reported_conditional_or_taken_back(wrap: str) -> None:
    wrapped = [wrap.format(text) for text in _EXPLICIT if "\n" not in text and '"' not in text and "`" not in text]
    plain = [text for text in wrapped if any(r.plainness is Plainness.EXPLICIT for r in read(text, GOPHER).requests)]
    assert plain == []


@pytest.mark.parametrize(
    "wrap",
    [
        "if bob agrees {}",
        "if bob agrees, {}",
        "{} if bob agrees",
        "{}, if bob agrees",
        "when it rains {}",
        "{} tomorrow",
        "bob wants you to {}",
        "bob said {}",
        "{}, said bob",
        "imagine that {}",
        "what if {}",
        "why did you {}",
        "how do I {}",
        "do not {}",
        "please never {}",
        "{} - not",
        "{} or not",
        "the sign reads {}",
        "my cat is called {}",
    ],
)
def test_no_clause_survives_what_governs_it(wrap: str) -> None:
    wrapped = [wrap.format(text) for text in _ONE_CLAUSE]
    plain = [text for text in wrapped if any(r.plainness is Plainness.EXPLICIT for r in read(text, GOPHER).requests)]
    assert plain == []


@pytest.mark.parametrize(
    "text",
    [
        "send a message in #general saying hello and then, " * 40,
        "react with 🔥 and 👍, " * 90,
        "say: " * 400,
        "remember that i like tea, tell #general that, reply saying ok and edit your message to " * 22,
        "isko pin kar do bhai " * 95,
        "please can you " * 140,
        '"a" ' * 500,
    ],
)
def test_no_message_of_discords_length_takes_long(text: str) -> None:
    begun = time.process_time()
    read(text[:2000], GOPHER)
    assert time.process_time() - begun < 20
