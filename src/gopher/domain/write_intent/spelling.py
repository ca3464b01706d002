"""Brings casual, misspelt and romanised words to one spelling each, so that the grammar need know only that one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

# One spelling for many. A value of several words splits the token: `gonna` reads as `going to`.
_VARIANTS_BY_WORD: Final[dict[str, str]] = {
    # --- English
    "please": "pls plz plss plzz plese pleas pleae plase pleaz pl0x plox plis pliz pleasee plss pwease pease plesae",
    "you": "u ya yu youu",
    "your": "ur yer",
    "this": "dis diz thsi htis ths thiss tihs thiz d1s",
    "that": "dat tht taht thatt thta thaat dhat",
    "the": "teh da hte thw th",
    "these": "dese thse",
    "to": "2 tooo",
    "for": "4",
    "with": "w wit wiht wth whit",
    "message": "msg mesage messge mssg mesg massage msge messag meassage mesaage messsage mess mssage",
    "messages": "msgs mesages messges mssgs",
    "can": "cn caan kan",
    "could": "cud culd coud cld",
    "would": "wud wuld wld",
    "will": "wil",
    "and": "n & + nd amd",
    "because": "cuz coz cos bc bcz cause becuase becoz bcoz bcs bcuz",
    "right now": "rn",
    "asap": "aasap",
    "thanks": "thx ty tysm thnx thanx tnx thankyou thnks thks tks tyvm thanku thankss",
    "ok": "okay okey okie k kk oke okk okayy",
    "about": "abt bout",
    "everyone": "every1 evry1 everyonee everybody",
    "someone": "some1 somebody sm1",
    "anyone": "any1 anybody",
    "nevermind": "nvm nm nvmd nevrmind",
    "dont": "don't dnt dun dnot donot",
    "does not": "doesnt",
    "did not": "didnt",
    "is not": "isnt aint",
    "cannot": "cant cnt",
    "going to": "gonna gunna gon",
    "want to": "wanna",
    "got to": "gotta",
    "let me": "lemme",
    "give me": "gimme",
    "have to": "hafta",
    "sort of": "sorta",
    "kind of": "kinda",
    "i will": "i'll",
    "i am": "im i'm",
    "i have": "ive i've",
    "i would": "i'd",
    "you would": "you'd youd",
    "we would": "we'd",
    "he would": "he'd",
    "she would": "she'd",
    "they would": "they'd theyd",
    "it would": "it'd itd",
    "that would": "that'd thatd",
    "we will": "we'll",
    "you will": "you'll youll",
    "he will": "he'll",
    "she will": "she'll",
    "they will": "they'll theyll",
    "it will": "it'll itll",
    "we are": "we're",
    "they are": "they're theyre",
    "what is": "what's whats",
    "who is": "who's whos",
    "how is": "how's hows",
    "where is": "where's wheres",
    "there is": "there's theres",
    "he is": "he's",
    "she is": "she's",
    "you are": "ure you're",
    "it is": "its it's tis",
    "that is": "thats that's",
    "let us": "lets let's",
    "as well": "aswell",
    "just": "jus jst juss",
    "really": "rly rlly",
    "tomorrow": "tmrw tmr tmrrw tomorow 2moro tommorow tommorrow tmw",
    "tonight": "tonite 2nite",
    "before": "b4",
    "reaction": "rxn reacion raection reactoin",
    "emoji": "emote emojis emotes emoticon emogi imoji",
    "thread": "thred thraed theard",
    "pin": "pni piin pinn",
    "send": "sned sedn snd",
    "edit": "eidt edti eddit edt",
    "post": "psot",
    "save": "sav",
    "remember": "rember remembr rmbr rmember",
    "reply": "rply repli",
    "delete": "del dlt dlete delt delate",
    "channel": "chan chnl channle chanel chennel chanl ch",
    "announcement": "announcment anouncement",
    "pinned": "pined",
    "unpin": "un-pin umpin",
    "unreact": "un-react",
    "reopen": "re-open",
    "unarchive": "un-archive",
    "rename": "re-name",
    "thumbs up": "thumbsup thumbs-up thumb-up thumbup",
    "thumbs down": "thumbsdown thumbs-down thumbdown",
    # --- Hinglish
    "kar": "kr krr karr",
    "kar do": "kariyo kario kardio krdio krdo kardo kardoo krdoo kardu kar-do krdoo krdho",
    "kar de": "krde karde krdey kardey",
    "kar dena": "krdena kardena krdna",
    "kar diya": "krdiya kardiya krdia kardia",
    "kar dijiye": "kardijiye krdijiye kardijie",
    "kar lo": "karlo krlo",
    "kar le": "karle krle",
    "karo": "kro karoo karro",
    "karna": "krna",
    "kare": "kre karen krein karein",
    "karu": "kru karun karoon",
    "kijiye": "kijie kijiyega kijiega kariye kariyega",
    "dijiye": "dijie dijiyega dijiega dejiye",
    "mat": "mt mtt",
    "nahi": "nhi nahin nai nhii nahii nahee nehi",
    "mein": "mai mei",
    "hai": "h hain hae",
    "kyu": "kyun kyo kyon q",
    "kaise": "kese kaisey kaisay",
    "is": "iss",
    "us": "uss",
    "isko": "iskoo isse ise issko isey",
    "usko": "uskoo ussko usey usse",
    "is pe": "ispe isspe ispar isper ispr",
    "us pe": "uspe usspe uspar",
    "pe": "par pr pey",
    "is mein": "isme ismein",
    "us mein": "usme usmein",
    "ye": "yeh yhe",
    "wo": "woh vo voh",
    "wala": "waala wla vala wale wali waali vali waale",
    "bhai": "bhaii bhaiya bhaya bhaiyya bhyi bhy bhaai",
    "yaar": "yar yr yrr yaarr yaara",
    "zara": "jara zra jra",
    "abhi": "abi abhii",
    "apna": "apni apne apnaa",
    "tera": "teri tere",
    "mera": "meri mere",
    "tumhara": "tumhari tumhare tumara tumhra",
    "aapka": "apka apki aapki aapke apke",
    "aap": "ap",
    "tum": "tm tume",
    "hata": "hataa hta",
    "hatao": "htao",
    "hata do": "hatado htado",
    "hata de": "hatade",
    "bhej": "bhejh bej",
    "bhej do": "bhejdo bhejdoo",
    "bhej de": "bhejde",
    "bhejo": "bhejoo bejo",
    "likh": "likhh",
    "likh do": "likhdo",
    "likh de": "likhde",
    "bol do": "boldo",
    "bol de": "bolde",
    "bana": "bna banaa",
    "bana do": "banado bnado banadoo",
    "bana de": "banade bnade",
    "banao": "bnao banaao",
    "laga": "lga lagaa",
    "laga do": "lagado lgado",
    "laga de": "lagade lgade",
    "daal": "dal dall",
    "daal do": "daldo daaldo",
    "daal de": "dalde daalde",
    "de do": "dedo dedoo",
    "de de": "dede",
    "yaad": "yad yaadh yaadd",
    "rakhna": "rkhna rakna rakhnaa rakhiyo rakhio rakhiyoo",
    "rakho": "rkho rakhoo",
    "rakh": "rkh",
    "bhool": "bhul bhoool bhol",
    "bhoolna": "bhulna",
    "bhula": "bhulaa bhoola",
    "ki": "kii",
    "naam": "naaam",
    "jawab": "jawaab javab jwab",
    "sakte": "skte sakta sakti skta skti sakte",
    "yaha": "yahan yahaan yhan yha idhar",
    "sabko": "sbko",
    "jaldi": "jldi",
    "agar": "agr",
    "matlab": "mtlb",
    "upar": "uper oopar uppar",
    "pichla": "pichhla pichle pichli pichhle pichhli",
    "mita": "mitaa",
    "uda": "udaa",
}


def _variants() -> Iterator[tuple[str, tuple[str, ...]]]:
    for word, variants in _VARIANTS_BY_WORD.items():
        for variant in variants.split():
            yield variant, tuple(word.split())


# Slips of the finger on long words, made by rule: two letters swapped, one left out, one doubled.
_OFTEN_MISTYPED: Final = (
    *(
        "react",
        "reaction",
        "reply",
        "respond",
        "delete",
        "remove",
        "erase",
        "unpin",
        "remember",
        "forget",
        "thread",
        "rename",
    ),
    *(
        "archive",
        "unarchive",
        "message",
        "please",
        "create",
        "announce",
        "change",
        "update",
        "channel",
        "reopen",
        "unreact",
    ),
)
_WORDS_OF_THEIR_OWN: Final = frozenset(
    "rely crate tread chance hannel rename forge creat eras reman remover dated plea lease mess age charge archives".split()
)


def _slips(word: str) -> Iterator[str]:
    for at in range(1, len(word)):
        yield word[:at] + word[at + 1 :]
        yield word[:at] + word[at] + word[at:]
        if at + 1 < len(word):
            yield word[:at] + word[at + 1] + word[at] + word[at + 2 :]


_SLIPS: Final[dict[str, tuple[str, ...]]] = {
    slip: (word,)
    for word in _OFTEN_MISTYPED
    for slip in _slips(word)
    if slip != word and slip not in _WORDS_OF_THEIR_OWN and slip not in _OFTEN_MISTYPED
}
_SPELLINGS: Final[dict[str, tuple[str, ...]]] = {**_SLIPS, **dict(_variants())}
# Noises come in every length: `yoo`, `lmaooo`, `hahahah`.
_NOISE: Final = re.compile(
    r"y+o+|l+m+f?a+o+|l+(?:o+l+)+|(?:a*h+[ae]+){2,}h*|b+r+u+h+|e+w+|u+g+h+|o+m+g+|w+o+w+|a+w+w*|h+e+y+a?|h+i+|o+o+h*|y+a+y+|x+d+|g+g+s?|o+o+p+s+i?e?|s+h+e+s+h+"
    r"|r+o+f+l+|y+e+s+|y+e+a+h*|y+u+p+|y+e+p+|p+h+e+w+|h+m+|s+u+s+|d+a+m+n+"
)
_DRAWN_OUT: Final = re.compile(r"(.)\1{2,}")


def canonical(word: str) -> tuple[str, ...]:
    """Return the words that a token stands for, in lower case and in the grammar's spelling.

    `plsss` is `please`, `krdo` is `kar do`, `deleet` is `delete`. What is not known is returned as it is.
    """
    lowered = word.lower()
    # `i'd` before `id`: with the apostrophe it can be only the contraction.
    known = _SPELLINGS.get(lowered)
    if known is None and _NOISE.fullmatch(lowered):
        return ("haha",)
    if known is None:
        lowered = lowered.replace("'", "")
        known = _SPELLINGS.get(lowered)
    if known is not None:
        return known
    short = _DRAWN_OUT.sub(r"\1", lowered)
    if short != lowered:
        return _SPELLINGS.get(short, (short,))
    return (lowered,)
