"""How a request begins: the courtesies of both languages, and the beginnings that leave doubts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from gopher.domain.write_intent.notation import Sequence, phrase
from gopher.domain.write_intent.requests import Plainness


class VerbForm(StrEnum):
    """The form of the verb that an opener asks for."""

    BARE = "bare"
    GERUND = "gerund"
    """`would you mind pinning`."""
    PARTICIPLE = "participle"
    """`I want this pinned`: the object stands before the verb."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opener:
    """A beginning of a request."""

    body: Sequence
    plainness: Plainness
    form: VerbForm
    courteous: bool
    """A question by its form only: its question mark means nothing."""


PHRASES: Final[dict[str, str]] = {
    "COULDYOU": "can|could|will|would you",
}


def _openers(
    *bodies: str, unsure: bool = False, form: VerbForm = VerbForm.BARE, courteous: bool = False
) -> tuple[Opener, ...]:
    plainness = Plainness.UNSURE if unsure else Plainness.EXPLICIT
    return tuple(Opener(body=phrase(body), plainness=plainness, form=form, courteous=courteous) for body in bodies)


OPENERS: Final[tuple[Opener, ...]] = (
    # --- Plain
    *_openers(
        "can|could you [ maybe|perhaps|possibly ] [ go ahead and ] [ be a dear and ]", "COULDYOU please", courteous=True
    ),
    # Without a please it may as well be a question about what the bot would do.
    *_openers("will|would you", unsure=True, courteous=True),
    *_openers(
        "COULDYOU help [ me|us ] [ out ] and",
        "COULDYOU be so kind [ as ] [ to|and ]",
        "COULDYOU do me|us a favor|favour|solid and",
        courteous=True,
    ),
    *_openers("any|is there any chance [ that|of ] you can|could", "any chance you", "COULDYOU kindly", courteous=True),
    *_openers("can|could|may|might i get|have|ask|trouble you to", "can|could|may i ask that you", courteous=True),
    *_openers("[ do|would|will ] you mind", "[ would ] mind", form=VerbForm.GERUND, courteous=True),
    *_openers(
        "i want|need|request you to",
        "i [ would ] like|love you to",
        "i [ am ] going to need you to",
        "want|need you to",
        "[ i am ] going to need you to",
    ),
    *_openers(
        "i really|do want|need you to",
        "i would really like you to",
        "i [ want|need ] [ to ] ask you to",
        "i want|need gopher|the to",
        "we need|want you to",
    ),
    *_openers(
        "i am asking you to",
        "i [ would|will ] need you to",
        "i request|beg you to",
        "we would like you to",
        "i would appreciate you",
        "would like you to",
    ),
    *_openers(
        "do me|us a favor|favour|solid [ and|, ]",
        "be a dear|darling|pal|sweetheart [ and ]",
        "be so kind [ as ] [ to|and ]",
        "do",
        "go|please go ahead and",
    ),
    *_openers(
        "go and",
        "from now on",
        "going forward",
        "for future reference",
        "make sure to|you|that",
        "make sure [ that ] you",
        "be sure to",
        "please be sure to",
    ),
    *_openers(
        "i [ would ] like|want|need|love",
        "[ can|could|may ] we|i get|have",
        "COULDYOU get|have",
        "get|have",
        "ensure|see [ to it ] [ that ]",
        "make sure [ that ]",
        "want|need",
        "would like",
        "we need|want",
        form=VerbForm.PARTICIPLE,
        courteous=True,
    ),
    # --- Unsure: the requester is asked
    *_openers(
        "you can|may|should|must|could|better|might",
        "you need|have|got|ought to",
        "you",
        "feel free to",
        "let us",
        "time to",
        "try to|and",
        unsure=True,
    ),
    *_openers(
        "can|could we",
        "[ do ] you want to",
        "want to",
        "care to",
        "is it ok|possible|cool if you",
        unsure=True,
    ),
    *_openers(
        "are you able to",
        "is it possible [ for you ] to",
        "would it be possible [ for you ] to",
        "is there a|any way you can|could|to",
        unsure=True,
    ),
    *_openers(
        "i was|am wondering if you can|could|would",
        "wondering if you can|could",
        "[ do ] you think you can|could",
        "if you can|could|would|want",
        unsure=True,
    ),
    *_openers(
        "if possible",
        "if you dont mind",
        "if you want to",
        "if you would [ like to ]",
        "it would be great|nice|cool|awesome|lovely|amazing|helpful if you can|could|would",
        unsure=True,
    ),
    *_openers(
        "would be great|nice|cool|awesome|lovely|helpful if you can|could|would",
        "i would appreciate [ it ] if you can|could|would",
        unsure=True,
    ),
    *_openers(
        "i would be grateful if you can|could|would",
        "how about you|we",
        "how about",
        "why dont you|we",
        "why not",
        "i think you|we should",
        unsure=True,
    ),
    *_openers(
        "can|could|will|would someone|anyone",
        "someone|anyone",
        "someone should|can|could",
        "we should|could|can|must|need to",
        "i think we should",
        unsure=True,
    ),
    *_openers(
        "[ please ] remember to",
        "dont forget to",
        "do not forget to",
        "help me|us [ to ]",
        "COULDYOU help me|us [ to ]",
        "i suggest you|we",
        unsure=True,
    ),
    *_openers(
        "i told|asked you to",
        "i [ already ] said",
        "i want to",
        "i would like to",
        "i need to",
        "cant|cannot you",
        "wont you",
        "did not i tell|ask you to",
        unsure=True,
    ),
    *_openers("kya tum|aap|tu", "koi", "can|could|will|would gopher|bot", unsure=True),
    *_openers("can|could|should|shall", unsure=True, form=VerbForm.PARTICIPLE),
    *_openers("i think", unsure=True, form=VerbForm.PARTICIPLE),
)

HINGLISH_OPENERS: Final[tuple[Opener, ...]] = (
    *_openers("[ kya ] tum|aap|tu|ap", "kya", "tu|tum|aap [ please ]", courteous=True),
    *_openers("ek kaam kar|karo", "mere liye", "hamare liye", "sabke liye", "ek baar", "chal|chalo", "to|toh", "ab"),
)
"""Before a request in Hinglish; `kya` makes a request only together with `kar sakte ho` and `kar doge`."""

GERUNDS: Final[dict[str, str]] = {
    "pinning": "pin", "unpinning": "unpin", "reacting": "react", "unreacting": "unreact", "sending": "send", "posting": "post",
    "saying": "say", "writing": "write", "dropping": "drop", "announcing": "announce", "sharing": "share", "telling": "tell",
    "replying": "reply", "responding": "respond", "answering": "answer", "creating": "create", "making": "make", "starting": "start",
    "opening": "open", "renaming": "rename", "archiving": "archive", "unarchiving": "unarchive", "closing": "close",
    "reopening": "reopen", "editing": "edit", "changing": "change", "updating": "update", "fixing": "fix", "replacing": "replace",
    "correcting": "correct", "deleting": "delete", "removing": "remove", "erasing": "erase", "taking": "take", "getting": "get",
    "adding": "add", "putting": "put", "leaving": "leave", "giving": "give", "throwing": "throw", "remembering": "remember",
    "noting": "note", "saving": "save", "keeping": "keep", "storing": "store", "forgetting": "forget", "letting": "let",
    "undoing": "undo", "turning": "turn", "memorizing": "memorize",
}  # fmt: skip

PARTICIPLES: Final[dict[str, str]] = {
    "pinned": "pin", "unpinned": "unpin", "deleted": "delete", "removed": "delete", "erased": "delete", "gone": "delete",
    "archived": "archive", "unarchived": "unarchive", "reopened": "reopen", "closed": "close",
}  # fmt: skip
