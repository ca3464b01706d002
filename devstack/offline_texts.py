"""What the demo model says."""

from __future__ import annotations

from typing import Final

WHAT_IT_IS: Final = (
    "I'm the **offline demo model**: a script, not a mind. Everything around me is real, though: your message was "
    "journaled in PostgreSQL, a Temporal workflow carried it here, and this answer came back the same way."
)

HOW_TO_WAKE: Final = (
    "For a model that thinks, set `OPENAI_API_KEY` (and `OPENAI_BASE_URL` and `CHAT_MODEL` for another provider than "
    "OpenAI) in `.env`, then run `./gopher up` again."
)

TRICKS: Final = (
    "Until then I know a few tricks:\n"
    "- `what did Ada say?`, `who said burrow?` or `summarize`: I quote what was said here\n"
    "- `echo …`: I say it back\n"
    "- `a long answer, please`: more than one message, with code in it"
)

GREETING: Final = "Hi {name}! {what}\n\n{how}\n\n{tricks}"

FALLBACK: Final = (
    "I'd love to have an opinion on that, {name}, but I'm the offline demo model: scripted, and unable to reason. "
    "{how}\n\n{tricks}"
)

NOTHING_SAID: Final = (
    "I see nothing like that in the last few messages here. I only know what was said just before you asked."
)

LONG_ANSWER: Final = """\
Here is the long version, {name}. It is the same every time, since I am the offline demo model: its point is to be \
longer than one Discord message, so that you can see how an answer is cut.

**How your message got here.** The bot received it from the gateway and wrote it down first: the event, the message \
and the request for an answer, all in one transaction, so that from then on no crash can lose it. A dispatcher found \
the request and started a workflow named after your message. Starting it twice would have done nothing the second \
time: the name is taken.

**What the workflow did.** It loaded the messages before yours, asked a model (me), and will now hand my words to \
the bot. Each step is stored when it is done. If a worker had been killed in the middle, another one would have gone \
on from the last stored step, without asking me again.

**How it gets back.** Discord takes at most 2,000 characters a message. The text is cut where it hurts least, and \
code that has to be cut is closed and opened again with its language, so that both halves still look like code:

```python
from collections.abc import Iterator

LIMIT = 2000


def paragraphs(text: str) -> Iterator[str]:
    \"\"\"Blank lines are the best place for a cut.\"\"\"
    for paragraph in text.split("\\n\\n"):
        if paragraph.strip():
            yield paragraph


def messages(text: str, limit: int = LIMIT) -> Iterator[str]:
    \"\"\"Fill one message after the other, and never beyond the limit.\"\"\"
    current = ""
    for paragraph in paragraphs(text):
        joined = f"{{current}}\\n\\n{{paragraph}}" if current else paragraph
        if len(joined) <= limit:
            current = joined
            continue
        if current:
            yield current
        while len(paragraph) > limit:
            cut = paragraph.rfind(" ", 0, limit)
            cut = cut if cut > 0 else limit
            yield paragraph[:cut]
            paragraph = paragraph[cut:].lstrip()
        current = paragraph
    if current:
        yield current


if __name__ == "__main__":
    story = "\\n\\n".join(f"Burrow {{number}}: " + "dig " * 60 for number in range(20))
    for count, message in enumerate(messages(story), start=1):
        print(count, len(message))
```

**What you can look at.** The Temporal UI shows the run of this answer with its steps and times, and not one word of \
what we said: content stays in the database. `./gopher runs list` shows the same runs in a terminal, and `./gopher \
runs show` with a run's id tells why it ended, what it cost and which tools it called.

**What you can break.** Kill the worker while I am typing. Stop the database for a moment. Send your question and \
stop the bot before I answer. When things are back, there will be one answer: not two, and not none.

That is all I have. {how}
"""
