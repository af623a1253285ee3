"""Ordinals, decades, factors and ratios."""

from fractions import Fraction

from assay.text.quantities.amounts import RATIO, StatedAmount, read_amount
from assay.text.quantities.dates import Reading, is_year
from assay.text.quantities.lexicon import NumberWords
from assay.text.quantities.nouns import noun_after
from assay.text.quantities.numerals import Numeral
from assay.text.quantities.quantity import Quantity
from assay.text.quantities.tokens import TokenWalk

TIMES = {
    "twice": 2,
    "double": 2,
    "doubled": 2,
    "doubles": 2,
    "triple": 3,
    "tripled": 3,
    "thrice": 3,
}


def read_ordinal(walk: TokenWalk, at: int, words: NumberWords, language: str) -> Reading | None:
    """3rd, third, twenty-first."""
    value, end = None, at + 1
    word = walk.fold(at)
    if walk.number(at) and walk.glued(end) and walk.fold(end) in words.ordinal_endings:
        plain = walk.word(at).replace(",", "")
        value, end = (int(plain) if plain.isdecimal() and len(plain) < 10 else None), end + 1
    elif word in words.ordinals:
        value = words.ordinals[word]
    elif words.numerals.get(word, 0) >= 20 and walk.word(end) == "-":
        unit = words.ordinals.get(walk.fold(end + 1), 0)
        value, end = (words.numerals[word] + unit, end + 2) if 0 < unit < 10 else (None, end)
    if value is None:
        return None
    start = walk.starts[at]
    noun = noun_after(walk, end, language)
    return Quantity(start, walk.ends[end - 1], "ordinal", Fraction(value), noun=noun), end


def read_decade(walk: TokenWalk, at: int) -> Reading | None:
    """The 1980s."""
    word = walk.word(at)
    if not (walk.number(at) and word.endswith("0") and word.isdecimal() and walk.glued(at + 1)):
        return None
    end = at + 2 if walk.word(at + 1) in ("'", "’") and walk.glued(at + 2) else at + 1
    if walk.word(end) != "s" or not is_year(word):
        return None
    value = Fraction(int(word))
    return Quantity(walk.starts[at], walk.ends[end], "decade", value, "", Fraction(10)), end + 1


def read_factor(walk: TokenWalk, at: int) -> Reading | None:
    """Twice, tripled."""
    times = TIMES.get(walk.fold(at))
    if times is None:
        return None
    return Quantity(walk.starts[at], walk.ends[at], "factor", Fraction(times), "times"), at + 1


def read_ratio(walk: TokenWalk, amount: StatedAmount, words: NumberWords) -> StatedAmount | None:
    """One in four, three out of five."""
    if amount.unit or amount.magnitude > 1 or amount.numeral.value > 100:
        return None
    end = amount.end
    if amount.numeral.value == 1 and walk.fold(end + 1) in ("in", "out"):
        end += 1  # one ticket in five
    if walk.fold(end) == "out" and walk.fold(end + 1) == "of":
        end += 2
    elif walk.fold(end) == "in":
        end += 1
    else:
        return None
    whole = read_amount(walk, end, words)
    if whole is None or whole.unit or whole.magnitude > 1 or whole.numeral.form == "one":
        return None
    over, under = amount.numeral.value, whole.numeral.value
    if not 0 < over < under <= 1000 or (walk.fold(end - 1) == "in" and under > 100):
        return None
    share = Numeral(over / under, Fraction(0), whole.end, "ratio")
    return StatedAmount(amount.first, whole.end, share, unit=RATIO)
