"""How English asks for what is done to a message: pins, reactions, edits, deletion."""

from __future__ import annotations

from typing import Final

from gopher.domain.write_intent.frames import Frame, frames
from gopher.domain.write_intent.requests import MessageRef, MessageRefKind, WriteAction
from gopher.domain.write_intent.targets import TARGET

PHRASES: Final[dict[str, str]] = {
    "PINS": "[ the|our|this|channel|server ] [ channel|server|chat ] pins|pinboard | [ the|our|this|channel ] pinned [ messages|posts|list|message|section ]",
    "PINPLACE": "to|in|on|at|onto [ the|this|our|my ] [ very ] channel|chat|server|board|top|wall|thread|pins | INCH | to PINS | up | up|on top | at|to the top",
    "PINNED": "pinned",
    "PUT": "add|put|drop|leave|throw|slap|stick|place|give|smack|toss|chuck|attach|apply|post|plop|lob|react",
    "ON": "to|on|under|onto | on to|top | in reply|response to",
    "ITSREACTION": "[ your|the|that|this|bot|bots|own ] [ own ] [ SIGNS | EMOJINAMED | EMOJIUNKNOWN ] reaction|react|emoji"
    " [ that|which ] [ you [ have ] added|left|put|made|gave|posted|did|reacted ] | your [ own ] [ SIGNS | EMOJINAMED ] reactions",
    "OFF": "from|off|on|to|of|under|at | off of|from | away|back|down from",
    "TAKEOFF": "remove|undo|clear|delete|take|retract|withdraw|pull|revoke|drop|erase | take off|back|away|down | get rid of",
    "PRONOUN": "this|that|it",
    "NTARGET": "T_ID | T_BOT_LAST | T_BOT_SAID | T_REQUESTER_SAID | T_PREVIOUS | T_BOT | T_REQUESTER | T_REQUESTER_LAST | T_OTHER | DET_M",
    "DET_M": "this|that|the M_THING | the M i [ am|was ] REPLIED",
    "INTO": "to|into|with|as | to|and say|read|state|says|reads | so [ that ] it says|reads|say|read | and make it say|read | to be : | saying"
    " | to|into : | by saying | to say : | to say that | to [ just ] say | instead : | to this : | with this : | with [ the ] text : ",
}

CAPTURES: Final[dict[str, tuple[str, object]]] = {
    "DET_M": (TARGET, MessageRef(kind=MessageRefKind.DEICTIC)),
    "PRONOUN": (TARGET, MessageRef(kind=MessageRefKind.DEICTIC)),
}

_MESSAGES: Final[tuple[Frame, ...]] = (
    *frames(WriteAction.PIN, "pin [ up ] TARGET [ PINPLACE ]", "pin [ PINPLACE ]"),
    *frames(
        WriteAction.PIN,
        "add|put|move|stick|save TARGET to|in|into|on|with|among|onto PINS",
        "add|put|drop a pin on|to TARGET",
    ),
    *frames(WriteAction.PIN, "make TARGET [ a ] pinned [ message|post|one ]", "make TARGET a pin"),
    *frames(
        WriteAction.UNPIN, "unpin TARGET [ from|in|on CH|PINS ]", "unpin", "un pin [ TARGET ]", "unpin TARGET from PINS"
    ),
    *frames(
        WriteAction.UNPIN,
        "remove|take|pull|drop|get|move|kick TARGET from|off|out|down [ of|from ] PINS",
        "remove TARGET as [ a ] pin",
    ),
    *frames(WriteAction.UNPIN, "remove|undo|delete|drop|clear the|this|that|your pin [ from|on|off|of|for TARGET ]"),
    *frames(
        WriteAction.UNPIN,
        "take the pin off [ of ] TARGET",
        "take [ off|down ] the|this|that pin",
        "remove|undo your|the pin",
    ),
    *frames(
        WriteAction.DELETE, "delete|remove|erase|trash|nuke|yeet|unsend|scrap|zap MTARGET [ from|in here|chat|CH ]"
    ),
    *frames(WriteAction.DELETE, "take MTARGET down|away", "take down MTARGET", "get rid of MTARGET", "delete"),
)

_REACTIONS: Final[tuple[Frame, ...]] = (
    *frames(WriteAction.REACT, "react [ with|using|w/|by ] EMOS [ ON TARGET ] [ C_HERE ]", reaches_on=True),
    *frames(
        WriteAction.REACT,
        "react [ ON|with ] TARGET [ with|using|by|w/|: ] [ : ] EMOS",
        "react : EMOS",
        "react with EMOS to|on T_WHATEVER",
        reaches_on=True,
    ),
    *frames(
        WriteAction.REACT,
        "PUT PLAINEMOS ON TARGET|there|here",
        "PUT [ a|an|the ] SIGNS [ EMOJIWORD ] [ here|there ]",
        reaches_on=True,
    ),
    *frames(WriteAction.REACT, "PUT EMOJINAMED|EMOJIUNKNOWN EMOJIWORD [ reaction ] [ here|there ]"),
    *frames(WriteAction.REACT, "give|hit|bless|tag|show|slap TARGET [ with ] PLAINEMOS", reaches_on=True),
    *frames(WriteAction.REACT, "PUT [ a|an|the|some|your ] reaction [ of|with|: ] EMOS [ ON TARGET ]", reaches_on=True),
    *frames(
        WriteAction.REACT, "PUT [ a|an|the|your ] reaction ON TARGET [ with|of|using ] [ : ] EMOS", reaches_on=True
    ),
    *frames(WriteAction.REACT, "PUT EMOS as|for [ a|the|your ] reaction [ ON TARGET ]", reaches_on=True),
    *frames(
        WriteAction.REACT, "SIGNS|EMOJINAMED react|reaction [ ON ] TARGET", "SIGNS react|reaction", "EMOJIVERB TARGET"
    ),
    *frames(
        WriteAction.REACT,
        "react [ ON TARGET ]",
        "PUT [ a|some|an ] reaction|emoji|reactions|emojis [ ON TARGET ]",
        unsure=True,
    ),
    *frames(
        WriteAction.REACT, "SIGNS|EMOJINAMED TARGET", "PUT EMOJINAMED", "react [ ON ] TARGET with LOOSE", unsure=True
    ),
    *frames(WriteAction.UNREACT, "TAKEOFF ITSREACTION [ OFF TARGET ] [ [ OFF ] here|there ]", "undo your reacting"),
    *frames(
        WriteAction.UNREACT,
        "remove|take|pull|undo|clear [ your|the|that ] SIGNS off|from|away|back|down [ OFF|of ] [ TARGET | here|there ]",
        "remove|take|pull|undo|clear your EMOJIPLAIN off|from|away|back|down [ OFF|of ] [ TARGET | here|there ]",
    ),
    *frames(
        WriteAction.UNREACT,
        "TAKEOFF your|the|that SIGNS [ [ that ] you MADE|added|gave|used ] [ OFF TARGET ]",
        "TAKEOFF your|the|that EMOJINAMED [ that ] you MADE|added|gave|used [ OFF TARGET ]",
        "TAKEOFF SIGNS",
        "TAKEOFF your SIGNS|EMOJIPLAIN [ OFF TARGET ]",
    ),
    *frames(
        WriteAction.UNREACT,
        "take|pull ITSREACTION off|back|away|down [ OFF|of ] [ TARGET | here|there ]",
        "take your EMO off TARGET",
    ),
    *frames(
        WriteAction.UNREACT,
        "unreact [ OFF|with|from ] [ EMOS ] [ OFF|from|to ] [ TARGET ]",
        "un react [ OFF ] [ TARGET ]",
    ),
)

_EDITING: Final[tuple[Frame, ...]] = (
    *frames(
        WriteAction.EDIT,
        "edit MTARGET INTO TEXT",
        "edit|change|update NTARGET : TEXT",
        "edit NTARGET QUOTED",
        reaches_on=True,
    ),
    *frames(
        WriteAction.EDIT,
        "change|update|modify|rewrite|correct|fix|replace|revise|reword|amend NTARGET INTO TEXT",
        reaches_on=True,
    ),
    *frames(
        WriteAction.EDIT,
        "change|update|modify|rewrite|correct|fix|replace|revise|amend PRONOUN INTO [ : ] QUOTED",
        reaches_on=True,
    ),
    *frames(
        WriteAction.EDIT,
        "make NTARGET say|read|state [ that|: ] TEXT",
        "make PRONOUN say|read|state [ : ] QUOTED",
        "have NTARGET say|read TEXT",
        reaches_on=True,
    ),
    *frames(
        WriteAction.EDIT,
        "change|replace|swap|update OLD to|with|for|by|into NEW in MTARGET",
        "in NTARGET [ , ] change|replace|swap OLD to|with|for|by NEW",
    ),
    *frames(WriteAction.EDIT, "edit MTARGET and|to|: change|replace|swap OLD to|with|for|by NEW"),
    *frames(
        WriteAction.EDIT,
        "change|update|correct|replace PRONOUN INTO LITERAL",
        "edit|change|update PRONOUN : TEXT",
        "edit MTARGET",
        unsure=True,
        reaches_on=True,
    ),
    *frames(
        WriteAction.EDIT,
        "fix|correct|change|update|improve|rewrite|reword|shorten|rephrase NTARGET",
        unsure=True,
        reaches_on=True,
    ),
    *frames(
        WriteAction.EDIT, "fix|correct|remove|add|change|update LOOSE in|from|to NTARGET", unsure=True, reaches_on=True
    ),
    *frames(WriteAction.EDIT, "change|update|fix|rewrite NTARGET so LITERAL", "edit", unsure=True, reaches_on=True),
)

FRAMES: Final[tuple[Frame, ...]] = (*_MESSAGES, *_REACTIONS, *_EDITING)
