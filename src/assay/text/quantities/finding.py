"""Finds the quantities of a text."""

from functools import cache

from assay.text.quantities.amounts import StatedAmount, read_amount
from assay.text.quantities.clocks import counts_to_24, read_clock
from assay.text.quantities.codes import end_of_code, is_ideograph
from assay.text.quantities.counting import TIMES, read_decade, read_factor, read_ordinal, read_ratio
from assay.text.quantities.dates import read_date
from assay.text.quantities.lexicon import NumberWords, number_words, units
from assay.text.quantities.nouns import noun_after
from assay.text.quantities.numerals import VULGAR
from assay.text.quantities.quantity import Quantity
from assay.text.quantities.races import read_race_time
from assay.text.quantities.ranges import with_units_of_ranges
from assay.text.quantities.stating import quantity_of
from assay.text.quantities.tokens import TokenWalk

_PRONOUN_AFTER = frozenset({"no", "this", "that", "any", "each", "every", "which", "the"})
_BEFORE_A = frozenset(
    "about over for in within took takes take lasted lasts after nearly almost than under least"
    " another by around just only".split()
)
_AFTER_A = frozenset({"ago", "later", "earlier", "long", "before", "after", "apart"})


def find_quantities(text: str, language: str = "en") -> tuple[Quantity, ...]:
    """The quantities of a text in order, without overlaps.

    >>> [(q.kind, str(q.value), q.noun) for q in find_quantities("About 1.2 million visitors")]
    [('number', '1200000', 'visitor')]
    """
    walk = TokenWalk(text)
    words = number_words(language)
    opening = _openers(language)
    is_24 = counts_to_24(walk, words)
    found: list[Quantity] = []
    amounts: dict[int, StatedAmount] = {}  # by their place in `found`
    at = 0
    while at < len(walk):
        if not (walk.is_number[at] or walk.folded[at] in opening):
            at += 1
            continue
        if walk.is_number[at] and (skipped := end_of_code(walk, at, words)):
            at = skipped
            continue
        read = (
            read_race_time(walk, at)
            or read_date(walk, at, words)
            or read_clock(walk, at, words, is_24=is_24)
        )
        if read:
            found.append(read[0])
            at = read[1] + (walk.word(read[1]) == "T" and walk.glued(read[1]))
            continue
        at = _amount(walk, at, words, language, found, amounts)
    return tuple(with_units_of_ranges(walk, found, amounts, words, language))


@cache
def _openers(language: str) -> frozenset[str]:
    """The words that a quantity may begin with."""
    words = number_words(language)
    phrases = (
        *words.numerals, *words.ones, *words.months, *words.clock_words, *words.ordinals,
        *words.halves_before, *words.percent_before, *units().signs, *TIMES, *VULGAR,
        "half", "quarter", "-", "−",
    )  # fmt: skip
    firsts = {TokenWalk(phrase).fold(0) for phrase in phrases}
    return frozenset(firsts)


def _amount(
    walk: TokenWalk,
    at: int,
    words: NumberWords,
    language: str,
    found: list[Quantity],
    amounts: dict[int, StatedAmount],
) -> int:
    """Reads an amount, an ordinal or a factor; the token to go on from."""
    special = (
        read_ordinal(walk, at, words, language) or read_decade(walk, at) or read_factor(walk, at)
    )
    if special:
        found.append(special[0])
        return special[1]
    amount = read_amount(walk, at, words)
    if amount is None or (amount.unit is None and _is_glued_on(walk, amount)):
        return at + 1
    amount = read_ratio(walk, amount, words) or amount
    if _is_bare_one(amount) and not _may_be_one(walk, amount):
        return at + 1
    amounts[len(found)] = amount
    found.append(quantity_of(walk, amount, words, language))
    return amount.end


def _is_glued_on(walk: TokenWalk, amount: StatedAmount) -> bool:
    """True if letters follow that are no unit, as in 3D."""
    word = walk.word(amount.end)
    return walk.glued(amount.end) and word[0].isalpha() and not is_ideograph(word)


def _is_bare_one(amount: StatedAmount) -> bool:
    return amount.numeral.form in ("one", "words") and amount.numeral.value == 1


def _may_be_one(walk: TokenWalk, amount: StatedAmount) -> bool:
    """True if `a`, `an` or `one` counts something: `in an hour`, not `$5 an hour`."""
    before, word = walk.fold(amount.first - 1), walk.fold(amount.first)
    if amount.magnitude > 1 or amount.more or (amount.unit and word not in ("a", "an")):
        return True
    behind = walk.fold(amount.end)
    if word == "one":
        counts = behind in ("of", "in") or bool(noun_after(walk, amount.end, "en"))
        return counts and before not in _PRONOUN_AFTER
    return before in _BEFORE_A or behind in _AFTER_A
