"""Closed lists of words: what may be passed over, what governs other words, and what takes a request back."""

from __future__ import annotations

from typing import Final

from gopher.domain.write_intent.spelling import canonical


def _set(*lines: str) -> frozenset[str]:
    """Collect words, each in the one spelling in which tokens have it."""
    return frozenset(known for word in " ".join(lines).split() for known in _single(word))


def _single(word: str) -> tuple[str, ...]:
    known = canonical(word)
    if len(known) > 1:
        raise ValueError(f"The list must hold {word!r} as the words that it is read as: {' '.join(known)!r}.")
    return known


PASSED: Final = _set(
    # Politeness and calling
    "please kindly thanks thank gracias merci danke sorry bro bruh bruv broski bhai yaar man dude mate fam homie buddy pal sir boss",
    "bestie chief king queen dear friend love bot bhaiya behen didi sis dost jaan ji beta",
    # Adverbs that change neither what is asked nor whether
    "just now quickly quick asap immediately also too again first simply actually real really right away abhi ab bhi toh zaroor jaroor pakka zara bas jaldi",
    "instead only finally directly already anyway basically still quietly instantly promptly urgently literally fr ngl tbh",
    # Noises
    "lol lmao lmfao rofl haha hahaha hahahaha hehe hehehe heh uh uhh um umm ayo ong yikes welp sheesh bet hmm hm oh ah aha yo hey hi hello heyy heya hii oi oye ooh ugh",
    "ok alright aight well so yes yeah yep yup sure cool great nice perfect awesome omg wow damn btw plus then and",
    "arre arey arey acha accha achha haan han theek thik sun suno dekho",
    "cutie champ legend lad ty pretty",
)
"""Words that may stand before, after and between the parts of a request."""

HEDGES: Final = _set("maybe perhaps possibly probably mayb prolly shayad mayhaps")
"""With one of these, a request is a thought."""

NEGATORS: Final = _set(
    "not dont never no nor neither without nobody none nothing cannot wont wouldnt shouldnt couldnt mustnt   ",
    "havent hasnt hadnt  nope nah stop avoid refrain refuse quit cease forbid forbidden nahi mat naa neither hardly",
)

QUESTION_WORDS: Final = _set(
    "how what why who whom whose when where which did does is are was were am has have had should shall may might kya kaise kyu",
    "kab kaun kisne kahan kitna konsa kaunsa kiska kisko wherever wherefore",
)
"""As the first word of a clause, one of these makes it a question."""

REPORTING: Final = _set(
    "said says saying told tells telling asked asks asking wrote writes written quoted quotes quoting replied texted messaged dmed begged",
    "demanded demands suggested suggests insisted insists claims claimed yelled yells screamed screams shouted whispered mentioned",
    "stated states reads goes typed typing writing repeating tweeted tweets announced ordered orders commanded commands wants wanted requested requests",
    "recommends recommended instructed instructs reminded thinks thought believes believed wished wishes hopes hoped heard bola boli bole",
    "bol keh bata puch puchh kaha kahta kehta kehti kehte likha bolta bolti bolte bolra chahta chahti",
)
"""With one of these before it, what follows may be somebody else's wish."""

CONDITIONS: Final = _set(
    "if unless when whenever once until till after before while assuming provided providing lest agar jab tab jaise warna",
    "tomorrow tonight later eventually someday soon baad kal parso monday tuesday wednesday thursday friday saturday sunday",
    "afterwards upon",
)
"""With one of these, a request is for another time or another case."""

HYPOTHESES: Final = _set(
    "imagine imagining suppose supposing pretend pretending hypothetically theoretically hypothetical theoretical wish roleplay simulate",
    "simulated fictional fantasy dreamt dream dreamed scenario wouldve couldve shouldve maano socho",
)

PRESENTING: Final = _set(
    "translate translation spell pronounce define definition meaning means mean meant paraphrase rephrase proofread lyrics lyric example",
    "examples sentence phrase command commands interpret decode echo repeat instruction instructions prompt script dialogue typed type",
    "eg e.g caption slogan motto called titled transcribe grammar matlab",
)
"""With one of these before it, what follows may be shown rather than said."""

OVERRIDES: Final = _set("ignore disregard override bypass jailbreak unrestricted sudo admin developer system")
"""Words of those who paste instructions: with one of these before a request, the requester is asked."""

FINITE: Final = _set(
    "is are was were am be been has have had will can could should must does did do need needs want wants like likes love loves hate",
    "hates prefer prefers think thinks know knows got gets get going looks look seems made makes make works work lives live hai ho tha thi",
    "hoga gaya gayi raha rahi rahe finally moved starts start ends end closes close opens open wont cant uses use finished forgot forget",
    "find found see saw came comes went keep keeps keeping agreed decided asked passed diya kiya liya gaya bheja aaya aya hua hui lagta chahiye fixed done happened posted sent shipped won lost",
)
"""Words that make a stretch of words a statement rather than a name called out."""

UNFINISHED: Final = _set(
    "is was are were am be been being has have had do does did will can could should must need needs want wants make makes made",
    "get gets got the a an to of in for with my your his her their this these those called named titled like than as by or",
)
"""What ends with one of these goes on with the words after it, whatever stands between."""

OTHERS: Final = _set(
    "everyone guys mods mod moderators moderator admins team chat folks people yall gang lads ladies gentlemen all siri alexa",
    "chatgpt gpt claude gemini copilot cortana dyno mee6 carl mom mum dad teacher professor intern boys girls",
    "bob alice carol dave eve frank grace heidi mallory trent peggy dana sam alex john jane mike mary tom sarah emma james jack anna",
    "david kate chris ben max leo mia zoe ryan kevin steve mark paul peter lisa laura amy rahul priya rohan amit neha raj ravi anjali",
    "pooja arjun vikram karan sneha aman ankit rohit sumit deepak sunil anil suresh ramesh ada linus mika noor herald",
)
"""Who else may be spoken to, and names that are surely not the bot's."""

INTERJECTIONS: Final = _set(
    "amazing excellent fantastic brilliant lovely wonderful beautiful hilarious insane crazy good morning evening afternoon night day job",
    "work done congrats congratulations important urgent reminder attention update note fyi breaking big news exactly true facts",
    "agreed agree correct based fire gold classic legendary epic iconic banger gem gg ggs welp ouch oof this that it very so much",
    "a the one more thing last favor favour request small ps p.s p.s. there all y'all folks team gopher bot up sup wassup howdy greetings",
    "namaste badhiya mast sahi shukriya dhanyavad for everything in advance again everyone guys everybody to you my your an of",
)
"""Words of exclamations and greetings: stretches made only of these are nobody's name."""

EXCLAIMING: Final = _set(
    "good great nice best worst wrong right bad awesome amazing cool excellent fantastic brilliant lovely wonderful beautiful hilarious over",
    "insane crazy funny true correct important urgent useful helpful perfect legendary epic old new outdated done finally much too never mind",
    "such very really quite absolutely totally super ever needed haha omg congrats happy sad sorry yay woohoo go",
)
"""With one of these a stretch without a verb is an exclamation, and nobody is called."""
