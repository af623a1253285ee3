"""Sentences about opening hours: whole weeks, single days and claims about the pattern."""

from collections.abc import Callable, Mapping
from random import Random

from training.record_business import DAYS, make_hours
from training.record_stock import PHRASES, Clause, Label

Span = tuple[int, int]
Week = dict[str, Span | None]
"""Opening and closing in minutes after midnight by day (closing may pass 1440); None is closed."""
Told = list[tuple[tuple[str, ...], Span | None]]

_WEEKDAYS, _WEEKEND = DAYS[:5], DAYS[5:]


def read_week(hours: Mapping[str, str]) -> Week:
    """A missing day and 0:0-0:0 both mean closed.

    >>> read_week({"Friday": "17:0-1:30"})["Friday"]
    (1020, 1530)
    """
    return {day: _read_span(hours.get(day, "0:0-0:0")) for day in DAYS}


def _read_span(text: str) -> Span | None:
    if text == "0:0-0:0":
        return None
    opens, closes = (int(h) * 60 + int(m) for h, m in (t.split(":") for t in text.split("-")))
    return opens, closes if closes > opens else closes + 1440


def judge_hours(week: Week | None, told: Told) -> Label:
    if week is None:
        return "neutral"
    agrees = all(week[day] == span for days, span in told for day in days)
    return "entailed" if agrees else "contradicted"


def _group_days(week: Week) -> Told:
    groups: dict[Span | None, list[str]] = {}
    for day, span in week.items():
        groups.setdefault(span, []).append(day)
    return [(tuple(days), span) for span, days in groups.items()]


def _shift(rng: Random, span: Span) -> Span:
    opens, closes = span
    change = rng.choice((-120, -60, -30, 30, 60, 120))
    which = rng.random()
    if which < 0.45:
        return opens, max(closes + change, opens + 30)
    if which < 0.85:
        return max(min(opens + change, closes - 30), 0), closes
    # The slip of taking an hour of the 24-hour clock for one of the morning, or the reverse.
    misread = closes - 720 if closes - 720 > opens else closes + 720
    return opens, misread if misread < opens + 1440 else closes - 60


def _spoil(rng: Random, week: Week) -> Told:
    """Tells the week wrongly in one way; the caller checks that it is wrong."""
    told = _group_days(week)
    open_groups = [g for g in told if g[1] is not None]
    largest = max(open_groups, key=lambda g: len(g[0]))
    way = rng.choice(("shift", "shift", "all", "all_open", "swap", "extra", "close"))
    if way == "all":
        return [(DAYS, largest[1])]
    if way == "all_open":
        return [(tuple(day for day in DAYS if week[day]), largest[1])]
    wrong = dict(week)
    if way == "shift":
        days, span = rng.choice(open_groups)
        wrong |= dict.fromkeys(days, _shift(rng, span) if span else None)
    elif way == "swap":
        first, second = rng.choice(told), rng.choice(told)
        wrong |= dict.fromkeys(first[0], second[1]) | dict.fromkeys(second[0], first[1])
    elif way == "extra":
        wrong[rng.choice(DAYS)] = largest[1]
    else:
        wrong[rng.choice(DAYS)] = None
    return _group_days(wrong)


def _write_time(minutes: int, style: str) -> str:
    hour, minute = minutes // 60 % 24, minutes % 60
    if style == "24":
        return f"{hour}:{minute:02}"
    if minute == 0 and hour in (0, 12) and style != "long":
        return "midnight" if hour == 0 else "noon"
    half, twelve = "AM" if hour < 12 else "PM", hour % 12 or 12
    if style == "long":
        return f"{twelve}:{minute:02} {half}"
    short = f"{twelve}:{minute:02}" if minute else str(twelve)
    return f"{short} {half}" if style == "short" else f"{short}{half.lower()}"


def _write_span(span: Span, style: str) -> str:
    return f"from {_write_time(span[0], style)} to {_write_time(span[1], style)}"


def _draw_style(rng: Random) -> str:
    return rng.choice(("long", "long", "short", "tight", "24"))


def _write_days(rng: Random, days: tuple[str, ...]) -> str:
    if days == DAYS:
        return rng.choice(("every day", "seven days a week", "daily", "from Monday to Sunday"))
    if days == _WEEKDAYS:
        return rng.choice(("Monday through Friday", "on weekdays", "from Monday to Friday"))
    if days == _WEEKEND:
        return rng.choice(("on weekends", "on Saturday and Sunday", "on Saturdays and Sundays"))
    first = DAYS.index(days[0])
    if len(days) > 2 and days == DAYS[first : first + len(days)]:
        return rng.choice(("{} through {}", "from {} to {}")).format(days[0], days[-1])
    ending = rng.choice(("", "s"))
    names = [day + ending for day in days]
    return "on " + join_words(names)


def join_words(words: list[str], link: str = "and") -> str:
    """
    >>> join_words(["a", "b", "c"])
    'a, b, and c'
    """
    if len(words) < 3:
        return f" {link} ".join(words)
    return ", ".join(words[:-1]) + f", {link} {words[-1]}"


def _write_told(rng: Random, told: Told) -> str:
    style = _draw_style(rng)
    parts = [f"{_write_days(rng, days)} {_write_span(s, style)}" for days, s in told if s]
    closed = [days for days, span in told if span is None]
    tail = ""
    if closed:
        link = rng.choice((", and it is closed {}", ", while it is closed {}", " (closed {})"))
        tail = link.format(_write_days(rng, closed[0]))
    return join_words(parts) + tail


def tell_week(rng: Random, hours: Mapping[str, str] | None, *, faithful: bool) -> Clause | None:
    """The whole week, as a template with the hours put in."""
    if hours is None and faithful:
        return Clause(rng.choice(PHRASES["no_hours", "told"]), "entailed")
    if hours is not None and not faithful and rng.random() < 0.04:
        return Clause(rng.choice(PHRASES["no_hours", "told"]), "contradicted")
    week = read_week(hours) if hours else None
    basis = week or read_week(make_hours(rng))
    told = _spoil(rng, basis) if week and not faithful else _group_days(basis)
    if rng.random() < 0.4:
        told = [group for group in told if group[1]]
    label = judge_hours(week, told)
    if (label == "entailed") != faithful:
        return None
    template = rng.choice(PHRASES["hours", "told"])
    return Clause(template.replace("{hours}", _write_told(rng, told)), label)


_DAY_TEMPLATES = (
    "On {days}, {the} is open from {opens} to {closes}.",
    "{The} opens at {opens} on {days}.",
    "{The} closes at {closes} on {days}.",
    "On {days}, {guests} can visit {name} between {opens} and {closes}.",
    "{The} stays open until {closes} on {days}.",
    "{name} opens its doors at {opens} on {days} and closes at {closes}.",
    "On {days}, the doors open at {opens}.",
    "{Guests} can come by from {opens} on {days}.",
)


def tell_days(rng: Random, hours: Mapping[str, str] | None, *, faithful: bool) -> Clause | None:
    """The hours of one group of days."""
    if hours is None and faithful:
        return None
    week = read_week(hours) if hours else None
    groups = [g for g in _group_days(week or read_week(make_hours(rng))) if g[1]]
    days, span = rng.choice(groups)
    assert span is not None
    told = span if faithful or week is None else _spoil_days(rng, groups, span)
    style = _draw_style(rng)
    template = rng.choice(_DAY_TEMPLATES)
    shown = [i for i, slot in enumerate(("{opens}", "{closes}")) if slot in template]
    agrees = week is not None and all(told[i] == span[i] for i in shown)
    if agrees != faithful:
        return None
    named = join_words([f"{day}s" for day in days])
    if days == _WEEKDAYS:
        named = "weekdays"
    elif days == _WEEKEND:
        named = "weekends"
    elif days == DAYS:
        named = "all days of the week"
    text = template
    for slot, value in (("{days}", named), ("{opens}", _write_time(told[0], style)),
                        ("{closes}", _write_time(told[1], style))):  # fmt: skip
        text = text.replace(slot, value)
    return Clause(text, judge_told(week is not None, agrees))


def _spoil_days(rng: Random, groups: Told, span: Span) -> Span:
    others = [other for _, other in groups if other and other != span]
    return rng.choice(others) if others and rng.random() < 0.5 else _shift(rng, span)


def judge_told(known: bool, agrees: bool) -> Label:
    if not known:
        return "neutral"
    return "entailed" if agrees else "contradicted"


Claim = Callable[[Random, Week], tuple[str, bool | None]]
"""Writes a claim about the week and says whether it holds; None where that is open to debate."""


def _seven_days(rng: Random, week: Week) -> tuple[str, bool | None]:
    text = rng.choice((
        "{The} is open seven days a week.",
        "{name} is open every day of the week.",
        "{Guests} can visit on any day of the week.",
    ))  # fmt: skip
    return text, all(week.values())


def _closed_on(rng: Random, week: Week) -> tuple[str, bool | None]:
    day = rng.choice([d for d in DAYS if week[d] is None] * 2 + list(DAYS))
    text = rng.choice((
        f"{{The}} is closed on {day}s.",
        f"{{Guests}} should note that {{name}} is closed on {day}s.",
        f"On {day}s, {{the}} remains closed.",
    ))  # fmt: skip
    return text, week[day] is None


def _open_on(rng: Random, week: Week) -> tuple[str, bool | None]:
    day = rng.choice([d for d in DAYS if week[d] is None] * 2 + list(DAYS))
    text = rng.choice((f"{{The}} is open on {day}s.", f"{{name}} welcomes {{guests}} on {day}s."))
    return text, week[day] is not None


def _except_one(rng: Random, week: Week) -> tuple[str, bool | None]:
    day = rng.choice([d for d in DAYS if week[d] is None] * 3 + list(DAYS))
    holds = [d for d in DAYS if week[d] is None] == [day]
    return f"{{The}} is open every day except {day}.", holds


def _same_hours(rng: Random, week: Week) -> tuple[str, bool | None]:
    text = rng.choice((
        "{The} keeps the same hours on every day it is open.",
        "The opening hours do not vary from one open day to another.",
    ))  # fmt: skip
    return text, len({span for span in week.values() if span}) == 1


def _extended_weekend(rng: Random, week: Week) -> tuple[str, bool | None]:
    text = rng.choice((
        "{The} has extended hours on weekends.",
        "{name} stays open longer on the weekend than during the week.",
    ))  # fmt: skip
    length = {day: span[1] - span[0] if span else 0 for day, span in week.items()}
    usual = max(length[day] for day in DAYS[:4])
    longer = [length[day] > usual for day in ("Friday", "Saturday", "Sunday")]
    if longer[1] and (longer[0] or longer[2]):
        return text, True
    return text, None if any(longer) else False


def _past_midnight(rng: Random, week: Week) -> tuple[str, bool | None]:
    day = rng.choice(("Friday", "Saturday", "Thursday"))
    span = week[day]
    return f"{{The}} stays open past midnight on {day}s.", span is not None and span[1] > 1440


def _early(rng: Random, week: Week) -> tuple[str, bool | None]:
    limit = rng.choice((7, 8, 9, 10))
    early = {span[0] < limit * 60 for day in _WEEKDAYS if (span := week[day])}
    return f"{{The}} opens before {limit} AM on weekdays.", early.pop() if len(early) == 1 else None


def _late(rng: Random, week: Week) -> tuple[str, bool | None]:
    limit = rng.choice((5, 6, 7, 8, 9, 10))
    late = {span[1] > (limit + 12) * 60 for span in week.values() if span}
    text = f"{{The}} stays open beyond {limit} PM on all of its open days."
    return text, late == {True}


def _weekends(rng: Random, week: Week) -> tuple[str, bool | None]:
    both = {week[day] is not None for day in _WEEKEND}
    return rng.choice(
        ("{The} is open on weekends.", "{Guests} can also visit on weekends.")
    ), both.pop() if len(both) == 1 else None


def _only_weekdays(rng: Random, week: Week) -> tuple[str, bool | None]:
    text = rng.choice(("{The} is only open on weekdays.", "{name} is closed on weekends."))
    return text, not any(week[day] for day in _WEEKEND)


def _earlier(rng: Random, week: Week) -> tuple[str, bool | None]:
    first, second = rng.sample([d for d in DAYS if week[d]], 2)
    one, two = week[first], week[second]
    text = rng.choice(("{{The}} closes earlier on {}s than on {}s.",
                       "On {}s, closing time comes earlier than on {}s."))  # fmt: skip
    return text.format(first, second), bool(one and two and one[1] < two[1])


def _length(rng: Random, week: Week) -> tuple[str, bool | None]:
    day = rng.choice([d for d in DAYS if week[d]])
    span = week[day] or (0, 0)
    hours, rest = divmod(span[1] - span[0], 60)
    told = hours + rng.choice((0, 0, -2, 1, 3))
    text = f"{{The}} is open for {told} hours on {day}s."
    return text, None if rest or told < 2 else told == hours


CLAIMS: tuple[Claim, ...] = (
    _seven_days, _closed_on, _closed_on, _open_on, _except_one, _same_hours, _extended_weekend,
    _past_midnight, _early, _late, _weekends, _only_weekdays, _earlier, _length,
)  # fmt: skip


def tell_pattern(rng: Random, hours: Mapping[str, str] | None, *, faithful: bool) -> Clause | None:
    """A claim about the pattern of the week, such as being closed on Sundays."""
    if hours is None:
        if faithful:
            return None
        text, _ = rng.choice(CLAIMS)(rng, read_week(make_hours(rng)))
        return Clause(text, "neutral")
    text, holds = rng.choice(CLAIMS)(rng, read_week(hours))
    if holds is not faithful:
        return None
    return Clause(text, judge_told(True, holds))
