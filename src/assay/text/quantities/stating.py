"""From an amount to the quantity that it states: kind, bound, step and noun."""

from dataclasses import replace
from fractions import Fraction

from assay.text.quantities.amounts import StatedAmount
from assay.text.quantities.dates import is_year
from assay.text.quantities.lexicon import NumberWords, units
from assay.text.quantities.nouns import looks_plural, noun_after, noun_before, unit_of_label
from assay.text.quantities.quantity import Quantity
from assay.text.quantities.tokens import TokenWalk

_DASHES = frozenset("-–—‑")
_BEFORE_YEARS = frozenset(
    "in since during until till from before after early late mid year summer winter spring autumn"
    " fall season fiscal end beginning".split()
)
_COMPARING = frozenset({"as", "more", "the", "larger", "higher", "that", "its"})


def quantity_of(
    walk: TokenWalk, amount: StatedAmount, words: NumberWords, language: str
) -> Quantity:
    """The quantity that an amount states where it stands."""
    start, end = walk.starts[amount.first], walk.ends[amount.end - 1]
    if amount.unit is None:
        amount = replace(amount, unit=unit_of_label(walk, amount.first))
    kind, unit = (amount.unit.kind, amount.unit.name) if amount.unit else ("number", "")
    bound = _bound(walk, amount, words)
    noun = _noun(walk, amount, language)
    if kind == "number" and _states_year(walk, amount):
        kind, noun = "year", ""
    behind = walk.fold(amount.end)
    if kind == "number" and behind == "times" and walk.fold(amount.end + 1) in _COMPARING:
        kind, unit, end = "factor", "times", walk.ends[amount.end]
    if kind == "duration" and "old" in (behind, walk.fold(amount.end + 1) * (behind in _DASHES)):
        noun = "age"
    if kind == "number" and walk.fold(amount.first - 1) == "aged":
        year = units().words["year"]
        amount = replace(amount, unit=year)
        kind, unit, noun = "duration", "year", "age"
    return Quantity(start, end, kind, amount.value, unit, _step(amount, bound), bound, noun)


def _step(amount: StatedAmount, bound: str) -> Fraction:
    """The stated step; a number that is said to be coarse is so in its trailing zeros."""
    step = amount.step
    if not bound:
        return step
    if amount.numeral.form in ("fraction", "ratio"):
        return max(step, Fraction(5)) if amount.unit and amount.unit.kind == "percent" else step
    if amount.numeral.step == 1 and amount.numeral.value >= 10:
        value, zeros = int(amount.numeral.value), 1
        while value % (zeros * 10) == 0:
            zeros *= 10
        return step * zeros
    return step


def _states_year(walk: TokenWalk, amount: StatedAmount) -> bool:
    at = amount.first
    if amount.magnitude > 1 or not is_year(walk.word(at)) or amount.end != at + 1:
        return False
    return walk.fold(at - 1) in _BEFORE_YEARS or not (
        walk.near(amount.end) and looks_plural(walk.fold(amount.end))
    )


def _noun(walk: TokenWalk, amount: StatedAmount, language: str) -> str:
    end = amount.end
    if amount.unit is None:
        if walk.word(end) in _DASHES and walk.glued(end) and walk.glued(end + 1):
            end += 1
        found = noun_after(walk, end, language)
    else:
        found = noun_after(walk, end + 1, language) if walk.fold(end) == "of" else ""
    return found or noun_before(walk, amount.first, language)


def _bound(walk: TokenWalk, amount: StatedAmount, words: NumberWords) -> str:
    for phrase in walk.phrases_before(amount.first) if amount.first else ():
        if phrase.lower() in words.bounds:
            return words.bounds[phrase.lower()]
    end = amount.end
    if walk.word(end) == "+" and walk.glued(end):
        return "at least"
    if walk.fold(end) == "or":
        after = {"more": "at least", "less": "at most", "fewer": "at most", "so": "about"}
        return after.get(walk.fold(end + 1), "")
    return ""
