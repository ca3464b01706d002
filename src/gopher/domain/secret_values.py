"""Whether a value is a credential: checksum of card numbers, randomness of tokens, and words that are no password."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Final

_CARD_LENGTHS: Final = {
    "4": (13, 16, 19),  # Visa
    "5": (16,),  # Mastercard 51-55
    "2": (16,),  # Mastercard 2221-2720, Mir
    "3": (14, 15, 16),  # Diners, American Express, JCB
    "6": (16, 17, 18, 19),  # Discover, UnionPay, Maestro, RuPay
}
"""Lengths of issued numbers by first digit (ISO/IEC 7812 issuers in use)."""

_MIN_RANDOM_LENGTH: Final = 16
"""Shorter values are not told from words and version numbers by randomness alone."""

_MIN_RANDOM_ENTROPY: Final = 3.0
"""Bits a character: English words in identifiers stay below, 16 random hexadecimal digits reach about 3.3."""

_PLAIN_WORDS: Final = frozenset(
    """
    a abgelaufen accepted again already also always an and anything are as at bad be been being bhool blank box
    broken but by can case-sensitive changed complex compromised correct correcta correctly could default did
    different difficult do does due easy empty encrypted erforderlich errada esquecida everything everywhere
    expired expiring expiré falsch field fine for forgotten from galat getting going good great had hard has
    hashed have here hidden how hygiene if important in incorrect incorrecta incorrecte incorrectly incorrecto
    incorreta insecure invalid invalide is it its just known kya leaked long lost managed manager mandatory may
    might missing must necessary needed never new no not nothing now nowhere obligatoire obligatoria obrigatória
    of ok okay old olvidada on only optional or oublié permanent policy private probably prompt protected public
    really rejected requerida required requis reset reused richtig ridiculous right rotation safe sahi salted
    same saved secret secure sensitive sent set shared short should sicher simple so someone something somewhere
    stale still stolen stored strong stupid supposed temporary that the then there this to too ungültig unique
    unknown unsafe unset unsicher updated valid vergessen very visible was weak were what when where which who
    why will with working would written wrong yes zaroori забыт неверный неправильный нужен обязателен устарел
    """.split()  # noqa: SIM905 - a list of words reads as words
)
"""Words that follow "the password is" in talk about passwords."""

_TRIM: Final = "\"'`“”‘’«»„*_|()[]<>,.;!"


def is_card_number(value: str) -> bool:
    """Tell whether digits with spaces or hyphens form an issued card number: a length of its issuer and the Luhn checksum."""
    digits = [int(character) for character in value if character.isdigit()]
    if len(digits) not in _CARD_LENGTHS.get(str(digits[0]), ()) or len(set(digits)) == 1:
        return False
    doubled = (sum(divmod(2 * digit, 10)) for digit in digits[-2::-2])
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def is_random(value: str) -> bool:
    """Tell whether a token-like value looks generated: long, letters and digits mixed, no redundancy of words."""
    if len(value) < _MIN_RANDOM_LENGTH or not re.search(r"\d", value) or not re.search(r"[A-Za-z]", value):
        return False
    counts = Counter(value)
    entropy = -sum(count / len(value) * math.log2(count / len(value)) for count in counts.values())
    return entropy >= _MIN_RANDOM_ENTROPY


def is_password(value: str, after: str) -> bool:
    """Tell whether what follows "password is" is one, given the text after it.

    A quoted value, or one with a digit or symbol inside, is. A bare word is one when the sentence ends behind it and it is
    no word that people use about passwords.
    """
    bare = value.strip(_TRIM)
    if not bare or bare.casefold() in _PLAIN_WORDS or _is_markup(bare) or _is_markup(value):
        return False
    if re.fullmatch(r"[\d+]{1,3}", bare):  # "the password is 8 characters long"
        return False
    if re.search(r"\d", bare) or re.search(r"[^\w\s'’-]", bare):
        return True
    if value[0] in "\"'`“«„|":
        return True
    return bool(re.match(r"[\"'`”»*_|)]*\s*(?:[.!,;)\n]|$)", after))


def _is_markup(bare: str) -> bool:
    """Discord mentions, links, placeholders, calls in code and what is redacted already are no values."""
    return bool(
        re.match(
            r"(?:redacted:?$|[a-z_][\w.]*\(|https?://|@|#|<|\$\{|\{\{|%\w+%|\*+$|x{3,}$|•+$|\.\.\.)",
            bare,
            re.IGNORECASE,
        )
    )
