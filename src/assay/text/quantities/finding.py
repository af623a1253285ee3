"""Finds the quantities of a text."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache

from assay.text.quantities.amounts import RATIO, Amount, read_amount
from assay.text.quantities.clocks import counts_to_24, read_clock
from assay.text.quantities.dates import FIRST_YEAR, LAST_YEAR, Reading, read_date
from assay.text.quantities.lexicon import NumberWords, number_words, units
from assay.text.quantities.nouns import looks_plural, noun_after, noun_before
from assay.text.quantities.numerals import Numeral
from assay.text.quantities.quantity import Quantity
from assay.text.quantities.tokens import TokenWalk

_DASHES = frozenset("-–—‑")
_TIMES = {
    "twice": 2,
    "double": 2,
    "doubled": 2,
    "doubles": 2,
    "triple": 3,
    "tripled": 3,
    "thrice": 3,
}
_BEFORE_YEARS = frozenset(
    "in since during until till from before after early late mid year summer winter spring autumn"
    " fall season fiscal end beginning".split()
)
_PREFIXES = frozenset({"mid", "pre", "post", "early", "late", "non"})
_LONGEST_CODE = 4  # digits of a part of a code such as 555-1234
_VULGAR = "¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"


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
    amounts: dict[int, Amount] = {}  # by their place in `found`
    at = 0
    while at < len(walk):
        if not (walk.is_number[at] or walk.folded[at] in opening):
            at += 1
            continue
        if walk.is_number[at] and (skipped := _no_quantity(walk, at, words)):
            at = skipped
            continue
        read = read_date(walk, at, words) or read_clock(walk, at, words, is_24=is_24)
        if read:
            found.append(read[0])
            at = read[1] + (walk.word(read[1]) == "T" and walk.glued(read[1]))
            continue
        at = _amount(walk, at, words, language, found, amounts)
    return tuple(_joined(walk, found, amounts, words, language))


@cache
def _openers(language: str) -> frozenset[str]:
    """The words that a quantity may begin with."""
    words = number_words(language)
    phrases = (
        *words.numerals, *words.ones, *words.months, *words.clock_words, *words.ordinals,
        *words.halves_before, *words.percent_before, *units().signs, *_TIMES, *_VULGAR,
        "half", "quarter", "-", "−",
    )  # fmt: skip
    firsts = {TokenWalk(phrase).fold(0) for phrase in phrases}
    return frozenset(firsts)


def _no_quantity(walk: TokenWalk, at: int, words: NumberWords) -> int:
    """The token behind a code, a reference or a list marker that begins with a number, or 0."""
    before, after = walk.word(at - 1) if at else "", walk.word(at + 1)
    if walk.glued(at):
        if before[-1].isalpha() and before not in units().signs and not _is_ideograph(before):
            return 0 if before == "T" and at > 1 and walk.is_number[at - 2] else at + 1
        if before in _DASHES and walk.glued(at - 1) and walk.word(at - 2)[-1:].isalpha():
            if walk.fold(at - 2) not in _PREFIXES:
                return at + 1
        if before == "+":
            return _phone(walk, at)
        if before in "#@_^\\":
            return at + 1
        if before == "." and walk.glued(at - 1):
            return at + 1
    if before == "[" and after in ("]", ",", "-", "–"):
        while (
            at < len(walk) and walk.word(at) != "]" and (walk.number(at) or walk.word(at) in ",-–")
        ):
            at += 1
        return at
    if _begins_line(walk, at) and after in (".", ")") and walk.glued(at + 1):
        month = walk.fold(at + 2) in words.months
        if not month and not walk.glued(at + 2) and at + 2 < len(walk):
            return at + 1
    if before == "(" and after == ")" and _begins_line(walk, at - 1):
        return at + 1
    if _is_reference(walk, at, words):
        return at + 1
    return _code(walk, at)


def _phone(walk: TokenWalk, at: int) -> int:
    """The token behind the groups of digits of a phone number."""
    end = at + 1
    while walk.near(end) and (walk.number(end) or walk.word(end) in "-()/"):
        end += 1
    return end


def _is_ideograph(word: str) -> bool:
    return "\u3041" <= word[-1] <= "\u9fff"


def _begins_line(walk: TokenWalk, at: int) -> bool:
    return at == 0 or "\n" in walk.text[walk.ends[at - 1] : walk.starts[at]]


def _is_reference(walk: TokenWalk, at: int, words: NumberWords) -> bool:
    """True after words such as `version` or `page`, unless something is measured."""
    if not at or not walk.near(at):
        return False
    before = walk.fold(at - 1)
    if before == "." and at > 1 and walk.glued(at - 1):
        before = f"{walk.fold(at - 2)}."
    if before not in words.references:
        return False
    amount = read_amount(walk, at, words)
    return amount is None or amount.unit is None


def _code(walk: TokenWalk, at: int) -> int:
    """The token behind parts of digits joined by hyphens, such as a phone number, or 0."""
    end, parts = at + 1, [walk.word(at)]
    while walk.word(end) in ("-", "‑") and walk.glued(end) and walk.glued(end + 1):
        if not walk.number(end + 1):
            break
        parts.append(walk.word(end + 1))
        end += 2
    is_code = len(parts) > 2 or (
        len(parts) == 2
        and len(parts[0]) >= 3
        and len(parts[1]) >= _LONGEST_CODE
        and not _is_year(parts[0])
    )
    if len(parts) == 3 and read_date(walk, at, number_words("en")):
        return 0
    return end if is_code and all(part.isdecimal() for part in parts) else 0


def _is_year(written: str) -> bool:
    return len(written) == 4 and written.isdecimal() and FIRST_YEAR <= int(written) <= LAST_YEAR


def _amount(
    walk: TokenWalk,
    at: int,
    words: NumberWords,
    language: str,
    found: list[Quantity],
    amounts: dict[int, Amount],
) -> int:
    """Reads an amount, an ordinal or a factor; the token to go on from."""
    special = _ordinal(walk, at, words, language) or _decade(walk, at) or _factor(walk, at)
    if special:
        found.append(special[0])
        return special[1]
    amount = read_amount(walk, at, words)
    if amount is None or (amount.unit is None and _is_glued_on(walk, amount)):
        return at + 1
    amount = _ratio(walk, amount, words) or amount
    if _is_bare_one(amount) and not _may_be_one(walk, amount):
        return at + 1
    amounts[len(found)] = amount
    found.append(_quantity(walk, amount, words, language))
    return amount.end


def _is_glued_on(walk: TokenWalk, amount: Amount) -> bool:
    """True if letters follow that are no unit, as in 3D."""
    word = walk.word(amount.end)
    return walk.glued(amount.end) and word[0].isalpha() and not _is_ideograph(word)


def _is_bare_one(amount: Amount) -> bool:
    return amount.numeral.form in ("one", "words") and amount.numeral.value == 1


def _may_be_one(walk: TokenWalk, amount: Amount) -> bool:
    """True if `a`, `an` or `one` counts something: `in an hour`, not `$5 an hour`."""
    before, word = walk.fold(amount.first - 1), walk.fold(amount.first)
    if amount.magnitude > 1:
        return True
    if amount.more or (word not in ("a", "an") and amount.unit):
        return True
    if word == "one":
        is_pronoun = before in ("no", "this", "that", "any", "each", "every", "which", "the")
        after = walk.fold(amount.end)
        return not is_pronoun and (
            after in ("of", "in") or bool(noun_after(walk, amount.end, "en"))
        )
    is_asked = before in (
        "about", "over", "for", "in", "within", "took", "takes", "take", "lasted", "lasts", "after",
        "nearly", "almost", "than", "under", "least", "another", "by", "around", "just", "only",
    )  # fmt: skip
    return is_asked or walk.fold(amount.end) in ("ago", "later", "earlier", "long", "before")


def _ordinal(walk: TokenWalk, at: int, words: NumberWords, language: str) -> Reading | None:
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


def _decade(walk: TokenWalk, at: int) -> Reading | None:
    """The 1980s."""
    word = walk.word(at)
    if not (walk.number(at) and word.endswith("0") and word.isdecimal() and walk.glued(at + 1)):
        return None
    end = at + 2 if walk.word(at + 1) in ("'", "’") and walk.glued(at + 2) else at + 1
    if walk.word(end) != "s":
        return None
    if not _is_year(word):
        return None
    value = Fraction(int(word))
    return Quantity(walk.starts[at], walk.ends[end], "decade", value, "", Fraction(10)), end + 1


def _factor(walk: TokenWalk, at: int) -> Reading | None:
    times = _TIMES.get(walk.fold(at))
    if times is None:
        return None
    return Quantity(walk.starts[at], walk.ends[at], "factor", Fraction(times), "times"), at + 1


def _ratio(walk: TokenWalk, amount: Amount, words: NumberWords) -> Amount | None:
    """One in four, three out of five."""
    if amount.unit or amount.magnitude > 1 or amount.numeral.value > 100:
        return None
    end = amount.end
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
    return Amount(amount.first, whole.end, share, unit=RATIO)


def _quantity(walk: TokenWalk, amount: Amount, words: NumberWords, language: str) -> Quantity:
    start, end = walk.starts[amount.first], walk.ends[amount.end - 1]
    kind, unit = (amount.unit.kind, amount.unit.name) if amount.unit else ("number", "")
    bound = _bound(walk, amount, words)
    noun = _noun(walk, amount, language)
    if kind == "number" and _states_year(walk, amount):
        kind, noun = "year", ""
    if kind == "number" and walk.fold(amount.end) == "times":
        if walk.fold(amount.end + 1) in ("as", "more", "the", "larger", "higher", "that", "its"):
            kind, unit, end = "factor", "times", walk.ends[amount.end]
    if kind == "duration" and walk.fold(amount.end) == "old":
        noun = "age"
    if (
        kind == "duration"
        and walk.word(amount.end) in _DASHES
        and walk.fold(amount.end + 1) == "old"
    ):
        noun = "age"
    if kind == "number" and walk.fold(amount.first - 1) == "aged":
        year = units().words["year"]
        amount = replace(amount, unit=year)
        kind, unit, noun = "duration", "year", "age"
    return Quantity(start, end, kind, amount.value, unit, _step(amount, bound), bound, noun)


def _step(amount: Amount, bound: str) -> Fraction:
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


def _states_year(walk: TokenWalk, amount: Amount) -> bool:
    at = amount.first
    if amount.magnitude > 1 or not _is_year(walk.word(at)) or amount.end != at + 1:
        return False
    return walk.fold(at - 1) in _BEFORE_YEARS or not (
        walk.near(amount.end) and looks_plural(walk.fold(amount.end))
    )


def _noun(walk: TokenWalk, amount: Amount, language: str) -> str:
    end = amount.end
    if amount.unit is None:
        if walk.word(end) in _DASHES and walk.glued(end) and walk.glued(end + 1):
            end += 1
        found = noun_after(walk, end, language)
    else:
        found = noun_after(walk, end + 1, language) if walk.fold(end) == "of" else ""
    return found or noun_before(walk, amount.first, language)


def _bound(walk: TokenWalk, amount: Amount, words: NumberWords) -> str:
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


def _joined(
    walk: TokenWalk,
    found: list[Quantity],
    amounts: dict[int, Amount],
    words: NumberWords,
    language: str,
) -> Iterator[Quantity]:
    """The quantities, of which both ends of a range have the unit that one of them has."""
    for number, quantity in enumerate(found):
        own = amounts.get(number)
        changed = own
        if own:
            later, earlier = amounts.get(number + 1), amounts.get(number - 1)
            if later and _is_range(walk, own, later):
                changed = _first_of_range(own, later)
            elif earlier and _is_range(walk, earlier, own) and earlier.is_sign_first:
                changed = replace(own, unit=own.unit or earlier.unit)
        if changed is own or changed is None:
            yield quantity
            continue
        made = _quantity(walk, changed, words, language)
        noun = quantity.noun or (found[number + 1].noun if number + 1 < len(found) else "")
        yield replace(made, start=quantity.start, end=quantity.end, noun=noun)


def _is_range(walk: TokenWalk, first: Amount, last: Amount) -> bool:
    between = walk.slice(first.end, last.first).lower() if first.end < last.first else ""
    if between == "and":
        return walk.fold(first.first - 1) in ("between", "zwischen", "entre", "tra", "tussen")
    return between in ("-", "–", "—", "to", "or", "bis", "à", "a", "tot", "do", "до")


def _first_of_range(first: Amount, last: Amount) -> Amount:
    """The 5 of `5 to 7 million euros`, which are millions of euros too."""
    unit = first.unit or last.unit
    magnitude = first.magnitude
    if magnitude == 1 and first.numeral.value < min(last.numeral.value, 1000):
        magnitude = last.magnitude
    return replace(first, unit=unit, magnitude=magnitude)
