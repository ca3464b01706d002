"""What a requester is told when there is no answer: one plain sentence for every code that can end a run."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

NEEDS_OPERATOR: Final = "needs_operator"
"""A step failed in a way that only a person can repair; the run waits for one."""

INTERNAL_ERROR: Final = "internal_error"
"""The same, and nobody repaired it."""

CANCELLED: Final = "cancelled"

GENERAL: Final = "Something went wrong on my side and I could not answer this. Please ask again in a moment."

NOTICES: Final[Mapping[str, str]] = MappingProxyType(
    {
        # The model's provider.
        "provider_unavailable": "My language model cannot be reached right now. Please ask again soon.",
        "provider_timeout": "My language model took too long over this. Please ask again, perhaps for less at once.",
        "provider_rate_limited": "My language model gets more requests than it allows. Please ask again in a minute.",
        "provider_quota": "The account of my language model is used up until my operator tops it up.",
        "authentication": "My language model does not accept my key, so I cannot answer until my operator mends that.",
        "model_not_found": "The language model I am set up to use does not exist; my operator has to mend that.",
        "provider_not_openai": "What answers is not a language model that I can talk to; my operator has to mend that.",
        "provider_rejected": "My language model refused this request, so I have no answer rather than an invented one.",
        "context_too_long": "This is more text than my language model takes in at once. Please ask about less of it.",
        "content_filtered": "My language model's provider withheld the answer. Putting it another way may help.",
        "answer_cut_off": "The answer grew longer than I may write at once. Please ask for a shorter one.",
        "empty_answer": "My language model answered with nothing at all. Please ask again, perhaps in other words.",
        # The run itself.
        "run_timeout": "This took longer than I may spend on one request. Please ask for less at once.",
        NEEDS_OPERATOR: "Something broke on my side. My operator can see it; once it is mended, the answer comes here.",
        INTERNAL_ERROR: GENERAL,
        CANCELLED: "This was stopped before I had an answer.",
        # The store.
        "store_unavailable": "My memory cannot be reached right now. Please ask again soon.",
        "request_gone": "I no longer have the message that asked for this, so there is nothing to answer.",
    }
)


def notice(code: str) -> str:
    """Say why there is no answer. A code that is not known, as from a newer process, gets the general sentence."""
    return NOTICES.get(code, GENERAL)
