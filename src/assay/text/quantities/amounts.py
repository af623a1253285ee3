"""Numbers with what they count or measure: magnitude, unit, money, share, ordinal."""

from dataclasses import dataclass, replace
from fractions import Fraction

from assay.text.quantities.lexicon import MeasureUnit, NumberWords, unit_named, units
from assay.text.quantities.numerals import Numeral, read_numeral
from assay.text.quantities.tokens import TokenWalk

_ONE = Fraction(1)
_SMALL_MONEY = {"cent": "", "cents": "", "¢": "USD", "pence": "GBP", "penny": "GBP", "p": "GBP"}
_WEIGHT = frozenset(
    {"weigh", "weighs", "weighed", "weighing", "weight", "heavy", "lb", "lbs", "kg", "oz"}
)
_PRICE = frozenset(
    {"£", "gbp", "cost", "costs", "price", "pay", "paid", "worth", "spent", "fee", "salary"}
)
MOST_MAGNITUDE = 10**15
_HYPHENS = frozenset("-‑")
_PARTS = {
    "and a half": Fraction(1, 2),
    "and a quarter": Fraction(1, 4),
    "and three quarters": Fraction(3, 4),
}
FRACTION = MeasureUnit("percent", "fraction", Fraction(100))
RATIO = MeasureUnit("percent", "ratio", Fraction(100))


@dataclass(frozen=True, slots=True)
class StatedAmount:
    """A number with magnitude and unit, and the tokens it takes."""

    first: int
    end: int
    numeral: Numeral
    magnitude: int = 1
    unit: MeasureUnit | None = None
    is_negative: bool = False
    is_sign_first: bool = False  # as in $5
    more: Fraction = Fraction(0)  # of the base unit, as the 30 min of 1 h 30 min
    more_step: Fraction | None = None

    @property
    def plain(self) -> Fraction:
        """The number without its unit."""
        value = self.numeral.value * self.magnitude
        return -value if self.is_negative else value

    @property
    def value(self) -> Fraction:
        """The value in the base unit."""
        unit = self.unit
        return self.plain * unit.factor + unit.offset + self.more if unit else self.plain

    @property
    def step(self) -> Fraction:
        """The step in which it is stated, in the base unit."""
        own = self.numeral.step * self.magnitude * (self.unit.factor if self.unit else 1)
        return own if self.more_step is None else self.more_step


def read_amount(walk: TokenWalk, at: int, words: NumberWords) -> StatedAmount | None:
    """The amount that begins at a token: at its sign, its number or its first word."""
    place, is_negative = at, False
    if walk.word(at) in ("-", "−") and not walk.glued(at) and walk.glued(at + 1):
        place, is_negative = at + 1, True
    money, place = _sign(walk, place)
    is_share = False
    if money is None and words.percent_before:
        for phrase, end in walk.phrases(place):
            if phrase.lower() in words.percent_before and walk.number(end):
                is_share, place = True, end
                break
    if (is_negative or is_share or money) and not walk.number(place):
        return None
    numeral = read_numeral(walk, place, words) or _single(walk, place, words)
    if numeral is None:
        return None
    numeral = _and_a_part(walk, numeral)
    amount = StatedAmount(at, numeral.end, numeral, is_negative=is_negative, unit=money)
    if is_share:
        return StatedAmount(at, numeral.end, numeral, unit=unit_named("percent", "%"))
    amount = with_magnitude(walk, amount, words)
    if money:
        return replace(amount, is_sign_first=True)
    return _with_unit(walk, amount, words)


def _sign(walk: TokenWalk, at: int) -> tuple[MeasureUnit | None, int]:
    """The sign or code of a currency that stands before its number."""
    signs = units().signs
    for phrase, end in walk.phrases(at):
        if phrase in signs and walk.number(end) and walk.near(end):
            return signs[phrase], end
    return None, at


def _single(walk: TokenWalk, at: int, words: NumberWords) -> Numeral | None:
    """The 1 of `a million` or `an hour`."""
    if walk.fold(at) in words.ones and walk.near(at + 1):
        return Numeral(_ONE, _ONE, at + 1, "one")
    return None


def _and_a_part(walk: TokenWalk, numeral: Numeral) -> Numeral:
    """Two and a half, two-and-a-half."""
    part, end = _part(walk, numeral.end)
    return Numeral(numeral.value + part, Fraction(0), end, numeral.form) if part else numeral


def _part(walk: TokenWalk, at: int) -> tuple[Fraction, int]:
    """The part that `and a half` or `and three quarters` at a token adds, and its end."""
    words = [place for place in range(at, at + 6) if walk.fold(place) not in _HYPHENS][:3]
    found = _PARTS.get(" ".join(map(walk.fold, words)))
    return (found, words[-1] + 1) if found else (Fraction(0), at)


def with_magnitude(walk: TokenWalk, amount: StatedAmount, words: NumberWords) -> StatedAmount:
    """The amount with the million, bn or k behind it."""
    end, magnitude = amount.end, amount.magnitude
    while magnitude < MOST_MAGNITUDE and (walk.near(end) or walk.word(end - 1) in _HYPHENS):
        word = walk.fold(end)
        if word in _HYPHENS and walk.glued(end) and walk.fold(end + 1) in words.magnitudes:
            end += 1
            continue
        factor = words.magnitudes.get(word, 0)
        if word == "m" and (amount.unit or _counts(walk, end + 1)):
            factor = 10**6
        if word == "b" and amount.unit:
            factor = 10**9
        is_short = len(word) <= 2 and not walk.glued(end)
        if not factor or (is_short and word in ("k", "mn") and not amount.unit):
            break
        if walk.word(end) == "M" and not walk.glued(end):
            break
        magnitude, end = magnitude * factor, end + 1
        if (
            walk.word(end) == "."
            and walk.glued(end)
            and word in ("mio", "mrd", "tsd", "tys", "тыс")
        ):
            end += 1
    if walk.word(end) == "M" and walk.glued(end) and magnitude == 1 and end == amount.end:
        magnitude, end = 10**6, end + 1
    return StatedAmount(
        amount.first, end, amount.numeral, magnitude, amount.unit, amount.is_negative
    )


def _counts(walk: TokenWalk, at: int) -> bool:
    """True if a plural follows, so that `5m` are millions and not metres."""
    return walk.glued(at - 1) and len(walk.fold(at)) > 4 and walk.fold(at).endswith("s")


def _with_unit(walk: TokenWalk, amount: StatedAmount, words: NumberWords) -> StatedAmount | None:
    end = amount.end
    if walk.word(end) in _HYPHENS and walk.glued(end) and walk.glued(end + 1):
        end += 1  # a 20-minute walk
    unit, behind = _unit(walk, end) if walk.near(end) else (None, end)
    form = amount.numeral.form
    if form == "fraction" and unit is None:
        return _share(walk, amount, words)
    if form == "one" and unit is None and amount.magnitude == 1:
        if walk.fold(amount.first) != "one":
            return None
        return amount
    if unit is None:
        return amount
    return _longer(walk, replace(amount, end=behind, unit=unit), words)


def _unit(walk: TokenWalk, at: int) -> tuple[MeasureUnit | None, int]:
    """The unit at a token, and the token behind it."""
    known = units()
    for phrase, end in walk.phrases(at):
        unit = known.find(phrase, phrase.lower())
        if unit and not (walk.ends_sentence(end) or _is_other(walk, at, end, unit)):
            return unit, end
    word = walk.fold(at)
    if word in ("pound", "pounds"):
        here = walk.vocabulary
        if here & _WEIGHT:
            return unit_named("mass", "lb"), at + 1
        if here & _PRICE:
            return unit_named("money:GBP", "GBP"), at + 1
    if word in _SMALL_MONEY:
        return _small_money(walk, word), at + 1
    return None, at


def _small_money(walk: TokenWalk, word: str) -> MeasureUnit | None:
    code = _SMALL_MONEY[word]
    if not code or code == "GBP":
        here = walk.vocabulary
        signs = {"USD": {"$", "dollar", "dollars"}, "EUR": {"€", "euro", "euros"}, "GBP": {"£"}}
        code = next((each for each, marks in signs.items() if marks & here), "")
    return MeasureUnit(f"money:{code}", code, Fraction(1, 100)) if code else None


def _is_other(walk: TokenWalk, at: int, end: int, unit: MeasureUnit) -> bool:
    """True if a symbol is something else here: a letter in a longer word, or a sign of product."""
    if walk.glued(end) and walk.word(end)[0].isalpha():
        return True
    if unit.kind == "factor" and walk.word(at).lower() in ("x", "×"):
        return not walk.glued(at) or walk.number(end)
    return False


def _longer(walk: TokenWalk, amount: StatedAmount, words: NumberWords) -> StatedAmount:
    """1 h 30 min, 1h30, an hour and a half."""
    unit, end = amount.unit, amount.end
    if unit is None:
        return amount
    part, behind = _part(walk, end)
    if part:
        more = amount.more + part * unit.factor
        return replace(amount, end=behind, more=more, more_step=unit.factor / part.denominator)
    if unit.kind != "duration":
        return amount
    minutes = walk.word(end) if unit.name == "hour" and walk.glued(end) else ""
    if minutes.isdecimal() and len(minutes) == 2 and not walk.word(end + 1)[:1].isalpha():
        more = Fraction(int(minutes) * 60)
        return replace(amount, end=end + 1, more=more, more_step=Fraction(60))
    place = end
    while walk.fold(place) in ("and", ","):
        place += 1
    if not walk.near(place) or not (walk.number(place) or walk.fold(place) in words.numerals):
        return amount
    numeral = read_numeral(walk, place, words)
    smaller, behind = _unit(walk, numeral.end) if numeral else (None, end)
    if numeral is None or smaller is None or smaller.kind != "duration":
        return amount
    if smaller.factor >= unit.factor or numeral.value * smaller.factor >= unit.factor:
        return amount
    more = amount.more + numeral.value * smaller.factor
    return _longer(
        walk,
        replace(amount, end=behind, more=more, more_step=numeral.step * smaller.factor),
        words,
    )


def _share(walk: TokenWalk, amount: StatedAmount, words: NumberWords) -> StatedAmount | None:
    """Two thirds, a quarter of a million, half an hour."""
    end = amount.end
    if walk.fold(end) == "of" and walk.fold(end + 1) in ("a", "an"):
        inner = (
            _with_unit(
                walk,
                with_magnitude(walk, replace(amount, end=end + 2), words),
                words,
            )
            if walk.near(end + 2) and walk.fold(end + 2) != "of"
            else None
        )
        if inner and inner.end > end + 2:
            return inner
    if amount.magnitude > 1:
        return amount
    if walk.fold(amount.end - 1) in ("a", "an"):
        return None  # half a chicken
    is_slashed = walk.number(amount.numeral.end - 1)
    if is_slashed and walk.fold(end) != "of":
        return amount
    return replace(amount, unit=FRACTION)
