"""How English asks for what is kept: threads and memories."""

from __future__ import annotations

from typing import Final

from gopher.domain.write_intent.frames import Frame, frames
from gopher.domain.write_intent.requests import WriteAction

PHRASES: Final[dict[str, str]] = {
    "MAKETHREAD": "create|make|start|open|begin|launch|spawn|add | spin|set|open|start|fire up | kick off | start off",
    "ATHREAD": "[ a|an|the|us|me ] [ a|an ] [ new|another|public|discussion|quick|separate|side|fresh|little|discord|small ] [ discussion ] thread",
    "ANCHOR": "on|from|off|under|for|with|using|to|in|at|around|about|onto TARGET | out of TARGET | off of TARGET",
    "TITLED": "called|named|titled|labeled|labelled | with [ the ] name|title|named | by the name [ of ] | and|, name|call|title|named|called it | : | name|title : "
    " | with [ the ] title|name : | called : | named : | name it | call it | and title it",
    "NAMETEXT": "QUOTED | LITERAL",
    "THISTHREAD": "[ the|this|that|our|my ] [ current|whole ] thread|threads | [ the|this ] thread THREADREF | THREADREF | [ the ] THREADREF thread",
    "THREADREF": "CHANNELID | CHANNELNAME",
    "ARCHIVE": "archive | close | shut [ down ] | lock and archive | archive and lock | close down|off|out | wrap up",
    "ARCHIVED": "archived|closed|done",
    "REOPENED": "again | back up | up again | back",
    "REOPEN": "unarchive | reopen | re open | un archive | revive",
    "KEEP": "remember|memorize|memorise | keep|bear|have in mind | make [ a ] [ mental ] note|record [ of ] | take [ a ] note [ of ] | note [ down ]"
    " | jot|write|note down | save|store|log|record | commit to memory",
    "KEEPCOLON": "remember|memorize|memorise|save|store | keep|bear in mind | make a [ mental ] note|record | take [ a ] note | note|jot|write down",
    "FORYOU": "about me | for me | for later | for next time | for future reference|conversations|chats | in|to your memory|memories|brain | forever",
    "SCOPED": "FORSERVER | FORCHANNEL",
    "FORSERVER": "for everyone|all | for the|this|our|whole server|guild|community|team | for [ the ] whole|entire server|guild | server wide",
    "FORCHANNEL": "for|in this|the channel",
    "INMEMORY": "to|in|into|inside ( [ your|the|my|bot ] [ long ] [ term ] memory|memories | your brain|notes )",
    "FACT": "QUOTED | LITERAL",
    "I_TOLD": "i [ have ] [ ever ] told you | i [ have ] said [ to you ] | i [ have ] mentioned | i [ have ] shared [ with you ]",
    "KNOWN": "memory|memories|fact|facts",
    "KNOWNHERE": "memory|memories|fact|facts|note|notes|entry|info|information",
    "FROMMEMORY": "from|in|out|of|off [ of ] ( [ your|the|my|bot ] memory|memories | your brain|mind|notes )",
}

CAPTURES: Final[dict[str, tuple[str, object]]] = {
    "ARCHIVE": ("archived", True),
    "ARCHIVED": ("archived", True),
    "REOPEN": ("archived", False),
    "REOPENED": ("archived", False),
    "FORSERVER": ("scope", "guild"),
    "FORCHANNEL": ("scope", "channel"),
}

_THREADS: Final[tuple[Frame, ...]] = (
    *frames(
        WriteAction.THREAD_CREATE,
        "MAKETHREAD ATHREAD [ ANCHOR | INCH ] [ INCH ] TITLED NAMETEXT",
        "new thread [ ANCHOR ] TITLED NAMETEXT",
        "MAKETHREAD ATHREAD [ TITLED ] QUOTED [ ANCHOR | INCH ]",
        "MAKETHREAD ATHREAD [ ANCHOR | INCH ] TITLED QUOTED [ ANCHOR | INCH ]",
        "MAKETHREAD [ a|the|new ] QUOTED thread [ ANCHOR | INCH ]",
        "MAKETHREAD ATHREAD [ INCH ] about|for|regarding|discussing|re TOPIC [ INCH ]",
        "MAKETHREAD ATHREAD [ INCH ] to|for discuss|talk|plan|discussing|planning|organize|collect|track|debate|cover [ about ] TOPIC",
        "MAKETHREAD ATHREAD ANCHOR TITLED NAMETEXT",
        "turn|convert|make TARGET into|a [ a ] thread [ TITLED NAMETEXT ]",
        reaches_on=True,
    ),
    *frames(
        WriteAction.THREAD_CREATE,
        "MAKETHREAD ATHREAD ANCHOR",
        "turn|convert|branch|split TARGET into a [ new ] thread",
        "make TARGET a thread",
    ),
    *frames(
        WriteAction.THREAD_CREATE,
        "MAKETHREAD [ a|the|new ] TOPIC thread [ ANCHOR | INCH ]",
        "MAKETHREAD ATHREAD on TOPIC",
        unsure=True,
    ),
    *frames(
        WriteAction.THREAD_CREATE,
        "MAKETHREAD ATHREAD [ INCH ]",
        "thread TARGET",
        "MAKETHREAD [ a ] private thread [ LITERAL ]",
        unsure=True,
        reaches_on=True,
    ),
    *frames(
        WriteAction.THREAD_EDIT,
        "rename|retitle THISTHREAD to|as|into|: [ : ] NAMETEXT",
        "rename THISTHREAD QUOTED",
        "change|set|update|edit|make THISTHREAD [ s ] name|title to|as|be|into|: [ : ] NAMETEXT",
        "change|set|update|edit|make|switch the name|title of|for THISTHREAD to|as|be|into|: [ : ] NAMETEXT",
        "call|name|title THISTHREAD : NAMETEXT",
        "call|name|title THISTHREAD QUOTED",
        "give THISTHREAD [ the|a ] [ new ] name|title [ : ] NAMETEXT",
        "change|set|update the thread|threads name|title to|as|into|: [ : ] NAMETEXT",
        reaches_on=True,
    ),
    *frames(
        WriteAction.THREAD_EDIT,
        "ARCHIVE THISTHREAD [ up|down|off|out ]",
        "REOPEN THISTHREAD",
        "mark|set THISTHREAD as|to ARCHIVED",
        "wrap THISTHREAD up",
    ),
    *frames(WriteAction.THREAD_EDIT, "open THISTHREAD REOPENED", "open REOPENED THISTHREAD"),
    *frames(
        WriteAction.THREAD_EDIT,
        "rename THISTHREAD",
        "call|name|title THISTHREAD LITERAL",
        "lock THISTHREAD",
        "rename|archive|close|reopen this|it|that [ LITERAL ]",
        unsure=True,
        reaches_on=True,
    ),
    *frames(
        WriteAction.THREAD_EDIT,
        "change|set the name|title to|: NAMETEXT",
        "change|edit THISTHREAD [ LITERAL ]",
        unsure=True,
        reaches_on=True,
    ),
)

_MEMORIES: Final[tuple[Frame, ...]] = (
    *frames(
        WriteAction.MEMORY_REMEMBER,
        "KEEP [ FORYOU ] [ SCOPED ] [ FORYOU ] that FACT",
        "KEEPCOLON [ FORYOU ] [ SCOPED ] [ FORYOU ] : FACT",
        "remember|memorize|memorise -|, SELFFACT",
        "KEEP this|it|following [ SCOPED ] [ FORYOU ] : FACT",
        reaches_on=True,
    ),
    *frames(
        WriteAction.MEMORY_REMEMBER,
        "KEEP the following [ thing|fact|things|facts ] [ SCOPED ] [ : ] FACT",
        "KEEP [ SCOPED ] QUOTED",
        reaches_on=True,
    ),
    *frames(
        WriteAction.MEMORY_REMEMBER,
        "save|add|store|put|commit|log|record|write|note [ this ] INMEMORY [ that|: ] [ , ] [ : ] FACT",
        reaches_on=True,
    ),
    *frames(
        WriteAction.MEMORY_REMEMBER,
        "save|add|store|put|commit|log|record [ that|the fact ] [ that ] FACT INMEMORY",
        "KEEP SELFFACT",
        reaches_on=True,
    ),
    *frames(
        WriteAction.MEMORY_REMEMBER,
        "dont|never forget [ SCOPED ] that|: FACT",
        "do not forget that|: FACT",
        reaches_on=True,
        despite_negation=True,
    ),
    *frames(
        WriteAction.MEMORY_REMEMBER,
        "dont|never forget SELFFACT",
        "do not forget SELFFACT",
        reaches_on=True,
        despite_negation=True,
    ),
    *frames(
        WriteAction.MEMORY_REMEMBER,
        "remember|memorize|memorise T_DEICTIC|T_ID [ FORYOU ]",
        "save|add|store|commit|put T_DEICTIC|T_ID INMEMORY",
    ),
    *frames(
        WriteAction.MEMORY_REMEMBER,
        "KEEP TARGET",
        "note : FACT",
        "KEEP LOOSEFACT",
        "dont forget LOOSEFACT",
        unsure=True,
        reaches_on=True,
        despite_negation=True,
    ),
    *frames(
        WriteAction.MEMORY_FORGET,
        "forget|unremember [ about ] SELFTOPIC",
        "forget|unremember that SELFTOPIC",
        reaches_on=True,
    ),
    *frames(WriteAction.MEMORY_FORGET, "stop remembering [ that ] TOPIC", reaches_on=True, despite_negation=True),
    *frames(
        WriteAction.MEMORY_FORGET,
        "forget|delete|erase|remove|wipe|clear [ what|that|anything|all|everything ] [ that ] I_TOLD [ TOPIC ]",
        reaches_on=True,
    ),
    *frames(
        WriteAction.MEMORY_FORGET,
        "forget|delete|erase|remove|wipe|clear what|anything [ that ] you know|remember|saved|stored|have about TOPIC",
        reaches_on=True,
    ),
    *frames(
        WriteAction.MEMORY_FORGET,
        "forget|delete|erase|remove|wipe|clear|drop the|that|your|this|any KNOWN that says|states TOPIC",
        "forget|delete|erase|remove|wipe|clear|drop the|that|your|this|any KNOWN about|of|that|regarding|on|where|saying|for|with TOPIC",
        "forget|delete|erase|remove|wipe|clear|drop the|that|your KNOWNHERE about|regarding TOPIC",
        "forget|delete|erase|remove|wipe|clear|drop [ the|that|my ] KNOWN [ number|no|id|# ] [ : ] MEMORYID",
        "delete|erase|remove|wipe|clear|drop TOPIC FROMMEMORY",
        "delete|erase|remove|wipe|clear|drop [ from ] your memory of|that|about TOPIC",
        reaches_on=True,
    ),
    *frames(
        WriteAction.MEMORY_FORGET,
        "forget|delete|erase|remove|wipe|clear [ that|this|your|the|my|all ] [ of|my|your ] KNOWN",
        unsure=True,
    ),
    *frames(
        WriteAction.MEMORY_FORGET,
        "forget OTHERTOPIC",
        "forget|delete|erase everything [ that ] you know|remember about TOPIC",
        unsure=True,
        reaches_on=True,
    ),
)

FRAMES: Final[tuple[Frame, ...]] = (*_THREADS, *_MEMORIES)
