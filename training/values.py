"""Values that stand in composed texts: names, sums, dates, times, measures, in all their forms.

A kind of value draws a key, gives another key that is easily mistaken for it, and says in which
forms a key may be written. Two keys are different values, whatever their forms.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from training.sections import read_sections

_NAMES = read_sections("value_names.txt")
_MONTHS = tuple(
    "January February March April May June July August September October November December".split()
)
_DAYS = tuple("Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split())
_SMALL = tuple(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty".split()
)
_TENS = ("", "", *"twenty thirty forty fifty sixty seventy eighty ninety".split())
_ORDINALS = tuple("second third fourth fifth sixth seventh eighth ninth tenth".split())
_CURRENCIES = (("$", "dollars", "USD"), ("£", "pounds", "GBP"), ("€", "euros", "EUR"))
_SUMS = ("money", "millions", "billions", "price")
_TRIES = 40


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a kind, and the forms it may be written in; the first one is the plainest."""

    kind: str
    key: Any
    forms: tuple[str, ...]
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Kind:
    """How keys are drawn, mistaken for others, and written."""

    draw: Callable[[random.Random], Any]
    near: Callable[[Any, random.Random], Any]
    forms: Callable[[Any], Sequence[str]]


def draw(kind: str, options: Sequence[str], taken: Sequence[Value], rng: random.Random) -> Value:
    """A new value, different from those taken and sharing no form with them."""
    for _ in range(_TRIES * 5):
        key = rng.choice(options) if options else KINDS[kind].draw(rng)
        if kind in _SUMS and (sums := [each for each in taken if each.kind in _SUMS]):
            key = (key[0], sums[0].key[1])  # one currency in a text
        value = value_of(kind, key, tuple(options))
        if all(_apart(value, other) for other in taken if other.kind == kind):
            return value
    raise ValueError(f"no further value of kind {kind}")


def other(value: Value, taken: Sequence[Value], rng: random.Random) -> Value:
    """A different value that is easily mistaken for this one, and is none of those taken."""
    for attempt in range(_TRIES * 5):
        if value.options:
            key: Any = rng.choice(value.options)
        elif attempt < _TRIES:
            key = KINDS[value.kind].near(value.key, rng)
        else:
            key = KINDS[value.kind].draw(rng)
        found = value_of(value.kind, key, value.options)
        apart = (*taken, value) if not value.options else (value,)
        if all(_apart(found, each) for each in apart if each.kind == value.kind):
            return found
    raise ValueError(f"nothing else of kind {value.kind} than {value.forms[0]}")


def value_of(kind: str, key: Any, options: tuple[str, ...] = ()) -> Value:
    """The value that a key of a kind stands for."""
    forms = (str(key),) if options else tuple(KINDS[kind].forms(key))
    return Value(kind, key, forms, options)


def _apart(one: Value, two: Value) -> bool:
    """Whether two values have neither key, form nor (as names) word in common."""
    if one.key == two.key or set(one.forms) & set(two.forms):
        return False
    return one.kind != "person" or not set(one.forms[0].split()) & set(two.forms[0].split())


def in_words(number: int) -> str:
    """A number below 100 in words.

    >>> in_words(7), in_words(42)
    ('seven', 'forty-two')
    """
    if number <= 20:
        return _SMALL[number]
    tens, ones = divmod(number, 10)
    return _TENS[tens] + (f"-{_SMALL[ones]}" if ones else "")


def _digit(number: int, rng: random.Random) -> int:
    """The number with a digit changed, two exchanged, or ten times as much."""
    digits = list(str(number))
    chance = rng.random()
    if chance < 0.2 and number >= 10:
        return number * 10
    if chance < 0.3 and number % 10 == 0 and number >= 100:
        return number // 10
    if chance < 0.5 and len(digits) > 1:
        place = rng.randrange(len(digits) - 1)
        digits[place], digits[place + 1] = digits[place + 1], digits[place]
    elif chance < 0.7:
        return max(number + rng.choice((-2, -1, 1, 2)), 2)
    else:
        digits[rng.randrange(len(digits))] = rng.choice("123456789")
    return max(int("".join(digits)), 2)


def _short(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")


def _count_forms(number: int) -> list[str]:
    plain = [f"{number:,}"]
    if number >= 1_000:
        plain.append(str(number))
    if number < 100:
        plain.append(in_words(number))
    if number >= 1_000_000 and number % 100_000 == 0:
        plain.append(f"{_short(number / 1e6)} million")
    return plain


def _money_forms(key: tuple[int, int]) -> list[str]:
    number, place = key
    sign, word, code = _CURRENCIES[place]
    forms = [f"{sign}{number:,}", f"{number:,} {word}", f"{code} {number:,}"]
    return [*forms, f"{sign}{number}"] if number >= 1_000 else forms


def _large_money_forms(key: tuple[int, int]) -> list[str]:
    """Sums in tenths of a million."""
    number, place = key
    sign, word, code = _CURRENCIES[place]
    if number >= 10_000 and number % 1_000 == 0:
        size = _short(number / 10_000)
        return [
            f"{sign}{size} billion",
            f"{size} billion {word}",
            f"{sign}{size}bn",
            f"{sign}{number // 10:,} million",
        ]
    size = _short(number / 10)
    return [
        f"{sign}{size} million",
        f"{size} million {word}",
        f"{sign}{size}m",
        f"{sign}{number * 100_000:,}",
        f"{code} {size} million",
    ]


def _percent_forms(tenths: int) -> list[str]:
    size = _short(tenths / 10)
    forms = [f"{size}%", f"{size} percent", f"{size} per cent"]
    return [*forms, f"{in_words(tenths // 10)} percent"] if tenths % 10 == 0 else forms


def _nth(number: int) -> str:
    """`1st`, `2nd`, `11th`."""
    ending = "th" if number in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _date_forms(key: tuple[int, int, int]) -> list[str]:
    year, month, day = key
    name = _MONTHS[month - 1]
    return [
        f"{day} {name} {year}",
        f"{name} {day}, {year}",
        f"{year}-{month:02}-{day:02}",
        f"{day} {name[:3]} {year}",
        f"the {_nth(day)} of {name} {year}",
    ]


def _day_forms(key: tuple[int, int]) -> list[str]:
    month, day = key
    name = _MONTHS[month - 1]
    return [f"{day} {name}", f"{name} {day}", f"{name} {_nth(day)}", f"the {_nth(day)} of {name}"]


def _near_day(key: tuple[int, int], rng: random.Random) -> tuple[int, int]:
    month, day = key
    if rng.random() < 0.5:
        return rng.randint(1, 12), day
    return month, min(max(day + rng.choice((-10, -2, -1, 1, 2, 7, 10)), 1), 28)


def _near_date(key: tuple[int, int, int], rng: random.Random) -> tuple[int, int, int]:
    if rng.random() < 0.3:
        return key[0] + rng.choice((-2, -1, 1, 2, 10)), key[1], key[2]
    return (key[0], *_near_day(key[1:], rng))


def _time_forms(minutes: int) -> list[str]:
    hour, minute = divmod(minutes, 60)
    half, twelve = ("am" if hour < 12 else "pm"), (hour - 1) % 12 + 1
    dotted = f"{half[0]}.m."
    part = "in the morning" if hour < 12 else "in the afternoon" if hour < 18 else "in the evening"
    if minute == 0:
        return [f"{twelve} {half}", f"{hour}:00", f"{twelve}:00 {dotted}", f"{twelve} {part}"]
    spoken = {15: "quarter past", 30: "half past"}.get(minute)
    forms = [
        f"{twelve}:{minute:02} {half}",
        f"{hour}:{minute:02}",
        f"{twelve}.{minute:02} {dotted}",
    ]
    return [*forms, f"{spoken} {_SMALL[twelve]} {part}"] if spoken else forms


def _near_time(minutes: int, rng: random.Random) -> int:
    change = rng.choice((-120, -60, -30, -15, 15, 30, 60, 120, 720))
    return (minutes + change) % 1_440 if (minutes + change) % 1_440 >= 360 else minutes


def _span_forms(minutes: int) -> list[str]:
    hours, rest = divmod(minutes, 60)
    if rest == 0:
        return [f"{in_words(hours)} hours", f"{hours} hours", f"{minutes} minutes"]
    if rest == 30:
        spoken = "an hour and a half" if hours == 1 else f"{in_words(hours)} and a half hours"
        return [f"{minutes} minutes", f"{hours}.5 hours", spoken]
    return [f"{minutes} minutes", f"{hours} h {rest} min" if hours else f"{minutes} min"]


def _days_forms(days: int) -> list[str]:
    forms = [f"{days} days"] + ([f"{in_words(days)} days"] if days < 21 else [])
    return [*forms, f"{in_words(days // 7)} weeks"] if days % 7 == 0 else forms


def _months_forms(months: int) -> list[str]:
    forms = [f"{months} months"] + ([f"{in_words(months)} months"] if months < 21 else [])
    if months == 18:
        forms.append("a year and a half")
    return [*forms, f"{in_words(months // 12)} years"] if months % 12 == 0 else forms


def _measure(small: str, small_word: str, large: str, large_word: str) -> Any:
    def forms(number: int) -> list[str]:
        size = f"{number / 1000:.3f}".rstrip("0").rstrip(".")
        return [
            f"{size} {large}",
            f"{size} {large_word}",
            f"{number:,} {small}",
            f"{number:,} {small_word}",
        ]

    return Kind(lambda rng: rng.randint(13, 96) * 100, _near_measure, forms)


def _near_measure(number: int, rng: random.Random) -> int:
    return number * rng.choice((10, 100)) if rng.random() < 0.3 else number + _step(number, rng)


def _step(number: int, rng: random.Random) -> int:
    return rng.choice((100, 200, 300, 500, 1_000)) * (
        1 if number < 1_100 or rng.random() < 0.5 else -1
    )


def _listed(heading: str) -> Kind:
    lines = _NAMES[heading]
    return Kind(lambda r: r.choice(lines), lambda _, r: r.choice(lines), lambda key: (key,))


def _whole(low: int, high: int) -> Kind:
    return Kind(lambda rng: rng.randint(low, high), _digit, _count_forms)


def _person(rng: random.Random) -> tuple[str, str]:
    return rng.choice(_NAMES["first"]), rng.choice(_NAMES["last"])


def _in_currency(low: int, high: int, step: int, forms: Callable[[Any], Sequence[str]]) -> Kind:
    def near(key: tuple[int, int], rng: random.Random) -> tuple[int, int]:
        if rng.random() < 0.15:
            return key[0] * (1_000 if forms is _large_money_forms else 100), key[1]
        return _digit(key[0] // step, rng) * step, key[1]

    def pick(rng: random.Random) -> tuple[int, int]:
        return rng.randint(low, high) * step, rng.choice((0, 0, 1, 2))

    return Kind(pick, near, forms)


KINDS: dict[str, Kind] = {
    "person": Kind(_person, lambda _, rng: _person(rng), lambda key: (" ".join(key), key[1])),
    "town": _listed("town"),
    "firm": _listed("firm"),
    "thing": _listed("thing"),
    "count": _whole(12, 940),
    "few": _whole(3, 19),
    "many": _whole(1_050, 89_000),
    "money": _in_currency(24, 980, 5, _money_forms),
    "millions": _in_currency(11, 990, 1, _large_money_forms),
    "billions": _in_currency(11, 98, 1_000, _large_money_forms),
    "percent": Kind(
        lambda rng: rng.choice((rng.randint(2, 89) * 10, rng.randint(11, 480))),
        lambda key, rng: min(_digit(key, rng), 990),
        _percent_forms,
    ),
    "date": Kind(
        lambda rng: (rng.randint(2004, 2025), rng.randint(1, 12), rng.randint(1, 28)),
        _near_date,
        _date_forms,
    ),
    "day": Kind(lambda rng: (rng.randint(1, 12), rng.randint(1, 28)), _near_day, _day_forms),
    "month": Kind(lambda r: r.choice(_MONTHS), lambda _, r: r.choice(_MONTHS), lambda key: (key,)),
    "weekday": Kind(lambda r: r.choice(_DAYS), lambda _, r: r.choice(_DAYS), lambda key: (key,)),
    "year": Kind(
        lambda rng: rng.randint(1921, 2024),
        lambda key, rng: key + rng.choice((-10, -3, -2, -1, 1, 2, 3, 10)),
        lambda key: (str(key),),
    ),
    "time": Kind(lambda rng: rng.randint(28, 88) * 15, _near_time, _time_forms),
    "span": Kind(
        lambda rng: rng.choice((20, 25, 35, 40, 45, 50, 75, 80, 90, 120, 150, 180, 240, 300)),
        lambda key, rng: rng.choice((20, 30, 45, 75, 90, 100, 120, 150, 180, 240, 360)),
        _span_forms,
    ),
    "days": Kind(
        lambda rng: rng.choice((5, 6, 10, 14, 21, 28, 30, 35, 42, 45, 60, 90)),
        lambda key, rng: rng.choice((3, 4, 7, 10, 12, 14, 20, 21, 28, 30, 40, 56, 60, 90)),
        _days_forms,
    ),
    "months": Kind(
        lambda rng: rng.choice((3, 4, 6, 9, 18, 24, 30, 36, 48, 60)),
        lambda key, rng: rng.choice((2, 3, 5, 6, 8, 10, 16, 18, 24, 36, 42, 60, 72)),
        _months_forms,
    ),
    "distance": _measure("m", "metres", "km", "kilometres"),
    "weight": _measure("g", "grams", "kg", "kilograms"),
    "volume": _measure("ml", "millilitres", "l", "litres"),
    "degrees": Kind(
        lambda rng: rng.randint(3, 38), _digit, lambda key: (f"{key} °C", f"{key} degrees Celsius")
    ),
    "oven": Kind(
        lambda rng: rng.randint(14, 24) * 10,
        lambda key, rng: key + rng.choice((-40, -30, -20, -10, 10, 20, 30, 40)),
        lambda key: (f"{key} °C", f"{key}°C", f"{key} degrees"),
    ),
    "price": Kind(
        lambda rng: (rng.randint(5, 98) * 25, rng.choice((0, 0, 1, 2))),
        lambda key, rng: (max(key[0] + rng.choice((-200, -100, -50, 50, 100, 300)), 75), key[1]),
        lambda key: (
            f"{_CURRENCIES[key[1]][0]}{key[0] // 100}.{key[0] % 100:02}",
            f"{_CURRENCIES[key[1]][2]} {key[0] // 100}.{key[0] % 100:02}",
        ),
    ),
    "rank": Kind(
        lambda rng: rng.randrange(9),
        lambda _, rng: rng.randrange(9),
        lambda key: (_ORDINALS[key], _nth(key + 2)),
    ),
    "version": Kind(
        lambda rng: (rng.randint(1, 9), rng.randint(0, 19), rng.randint(0, 9)),
        lambda key, rng: (key[0], key[1] + rng.choice((1, 2)), rng.randint(0, 9)),
        lambda key: (".".join(map(str, key)),),
    ),
    "code": Kind(
        lambda rng: (
            rng.choice("ABCDFHKMPRT") + rng.choice("BDEGLNRS") + f"-{rng.randint(102, 986)}"
        ),
        lambda key, rng: key[:3] + str(_digit(int(key[3:]), rng)),
        lambda key: (key,),
    ),
    "choice": Kind(lambda rng: "", lambda key, rng: key, lambda key: (str(key),)),
}
