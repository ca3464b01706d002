"""How English asks for something to be said: messages to a channel, replies."""

from __future__ import annotations

from typing import Final

from gopher.domain.write_intent.frames import Frame, frames
from gopher.domain.write_intent.requests import WriteAction

PHRASES: Final[dict[str, str]] = {
    "SAY": "send|post|say|write|drop|put|type|announce|share|publish|broadcast|leave",
    "SEND": "send|post|write|drop|put|type|share|publish|broadcast|leave|make|create|do",
    "AMSG": "[ a|an|the|this|another|following ] [ quick|short|new|small|little|brief|following|friendly|nice ]"
    " message|announcement|note|post|reminder|update|line|notice|text|comment|word",
    "KNOW": "everyone|people|folks|all|guys|team|them|us | the team|folks|people|guys|others|gang|server|crew | everybody",
    "ANSWER": "reply|respond|answer | reply|respond|write|answer back",
    "TOTARGET": "to|2|on|under TARGET | to him|her|them|PERSON|me",
}

_SENDING: Final[tuple[Frame, ...]] = (
    # Quoted words may stand anywhere; what is around them must be known.
    *frames(
        WriteAction.SEND,
        "SAY [ AMSG ] INCH [ AMSG ] [ SAYING ] [ : ] QUOTED",
        "SAY [ AMSG ] [ SAYING ] [ : ] QUOTED INCH|INBARE",
        "send|post|announce|drop|publish|broadcast [ AMSG ] [ SAYING ] [ : ] QUOTED",
        "SEND AMSG SAYING [ : ] QUOTED",
        "send|give CH AMSG SAYING TEXT",
        "CH : SAY TEXT",
        "go|head|hop [ over ] to|into|in CH and|then SAY [ that ] TEXT",
        reaches_on=True,
    ),
    *frames(
        WriteAction.SEND,
        "SAY [ this|the [ following|exact ] [ message|text|announcement|words|line ] ] INCH|INBARE [ SAYING ] [ : ] [ , ] QUOTED",
        reaches_on=True,
    ),
    *frames(WriteAction.SEND, "tell|ask|let KNOW|CH [ INCH ] [ know ] [ that|: ] [ : ] QUOTED", reaches_on=True),
    # After a marker.
    *frames(
        WriteAction.SEND,
        "SEND [ INCH|INBARE ] AMSG [ INCH|INBARE ] [ to|for KNOW ] [ INCH ] SAYING TEXT [ INCH ]",
        reaches_on=True,
    ),
    *frames(
        WriteAction.SEND,
        "SAY [ this ] INCH|INBARE SAYING|that|, TEXT",
        "SAY INCH|INBARE LOOSE",
        reaches_on=True,
    ),
    *frames(
        WriteAction.SEND,
        "SAY [ this | the following ] INCH|INBARE : TEXT",
        "announce [ to KNOW ] [ INCH|INBARE ] [ to KNOW ] that TEXT",
        reaches_on=True,
    ),
    *frames(
        WriteAction.SEND,
        "tell|message|ping [ KNOW IN ] CH [ that ] TEXT",
        "tell KNOW INCH [ that ] TEXT",
        reaches_on=True,
    ),
    *frames(
        WriteAction.SEND,
        "let [ KNOW IN ] CH know [ that ] TEXT",
        "let KNOW INCH know [ that ] TEXT",
        reaches_on=True,
    ),
    *frames(WriteAction.SEND, "let KNOW know INCH [ that ] TEXT", "message CH [ SAYING ] TEXT", reaches_on=True),
    *frames(
        WriteAction.SEND,
        "INCH [ , ] [ please ] SAY [ that ] TEXT",
        "SEND AMSG SAYING TEXT",
        reaches_on=True,
    ),
    # Only by their place before the channel.
    *frames(WriteAction.SEND, "SAY [ SAYING|that ] LOOSE INCH", "SAY LOOSE INBARE", reaches_on=True),
    *frames(
        WriteAction.SEND,
        "SAY LITERAL",
        "SEND AMSG [ INCH ]",
        "tell KNOW [ that ] LITERAL",
        "SAY : LITERAL",
        unsure=True,
        reaches_on=True,
    ),
    *frames(
        WriteAction.SEND,
        "SEND [ AMSG ] INCH [ about|on|for|with LITERAL ]",
        "thank|greet|welcome LOOSE INCH",
        "remind [ KNOW IN ] CH that LITERAL",
        "remind KNOW INCH that LITERAL",
        unsure=True,
        reaches_on=True,
    ),
)

_REPLYING: Final[tuple[Frame, ...]] = (
    *frames(
        WriteAction.REPLY,
        "ANSWER [ TOTARGET | TARGET ] [ with|SAYINGWORD|that ] [ [ a|an|the ] [ simple|short|quick|polite|big|single|friendly ] [ word|words|text|message|reply|line ] ] [ just ] [ : ] QUOTED [ TOTARGET ] [ C_HERE ]",
        reaches_on=True,
    ),
    *frames(
        WriteAction.REPLY,
        "reply|respond [ back ] [ TOTARGET | TARGET ] SAYING [ just ] TEXT [ TOTARGET ]",
        "answer [ TOTARGET | TARGET ] SAYINGWORD [ just ] TEXT",
        reaches_on=True,
    ),
    *frames(
        WriteAction.REPLY,
        "ANSWER [ TOTARGET | TARGET ] with : LITERAL",
        "ANSWER [ TOTARGET | TARGET ] with LOOSE [ TOTARGET ]",
        "ANSWER LOOSE TOTARGET",
        "reply|respond [ TOTARGET ] that LITERAL",
        reaches_on=True,
    ),
    *frames(
        WriteAction.REPLY,
        "send|post|write|leave|make|give|say QUOTED in|as [ a ] reply|response [ TOTARGET ]",
        reaches_on=True,
    ),
    *frames(WriteAction.REPLY, "say|send|write|post LOOSE in|as [ a ] reply|response TOTARGET", reaches_on=True),
    *frames(
        WriteAction.REPLY,
        "send|post|write|leave|make|give [ TARGET ] a reply|response [ TOTARGET ] SAYING TEXT",
        "send|post|write|leave a reply|response [ TOTARGET ] with LOOSE",
        reaches_on=True,
    ),
    *frames(
        WriteAction.REPLY,
        "ANSWER [ TOTARGET | TARGET ]",
        "ANSWER [ TOTARGET | TARGET ] LITERAL",
        unsure=True,
        reaches_on=True,
    ),
    *frames(
        WriteAction.REPLY,
        "tell him|her|them|PERSON [ that ] LITERAL",
        "send|write a reply [ TOTARGET ]",
        unsure=True,
        reaches_on=True,
    ),
)

FRAMES: Final[tuple[Frame, ...]] = (*_SENDING, *_REPLYING)
