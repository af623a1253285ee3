"""Times of the day."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from assay.text.quantities.dates import Reading
from assay.text.quantities.lexicon import NIGHT, NumberWords
from assay.text.quantities.numerals import spelled
from assay.text.quantities.quantity import HALF_DAY, Quantity
from assay.text.quantities.tokens import TokenWalk

_HOUR_SIGNS = frozenset("点點時时")
_HOUR_WORDS = frozenset({"uhr", "h", "uur"})
_PARTS = {"half": 30, "quarter": 15}
_EVENING, _NOON = 6, 12  # hours
_DIGITS = 2  # at most, of an hour or minute


def read_clock(walk: TokenWalk, at: int, words: NumberWords, *, is_24: bool) -> Reading | None:
    """The time of day that begins at a token; `is_24` if the text counts hours to 24."""
    word = walk.fold(at)
    if walk.number(at):
        return _in_digits(walk, at, words, is_24=is_24) or _ideographic(walk, at, None)
    if word in words.clock_words and not _is_in_a_name(walk, at):
        minutes = Fraction(words.clock_words[word])
        return Quantity(walk.starts[at], walk.ends[at], "clock", minutes), at + 1
    for phrase, end in walk.phrases(at) if words.halves_before else ():
        if phrase in words.halves_before and walk.number(end):
            found = _ideographic(walk, end, words.halves_before[phrase])
            return found and (_from(walk, at, found[0]), found[1])
    return _past(walk, at, words)


def counts_to_24(walk: TokenWalk, words: NumberWords) -> bool:
    """True if a text writes some time after noon as 13:00 or later, and none with am or pm."""
    late = False
    for at in range(1, len(walk) - 1):
        if walk.words[at] == ":" and walk.glued(at) and walk.glued(at + 1):
            hour, minute = walk.words[at - 1], walk.words[at + 1]
            if hour.isdecimal() and len(hour) == _DIGITS and len(minute) == _DIGITS:
                late = late or 13 <= int(hour) < 24 or hour[0] == "0"
        elif walk.folded[at] in ("am", "pm") and walk.is_number[at - 1]:
            return False
    return late


def _from(walk: TokenWalk, at: int, found: Quantity) -> Quantity:
    start = walk.starts[at]
    return Quantity(start, found.end, found.kind, found.value, found.unit, found.step)


def _is_in_a_name(walk: TokenWalk, at: int) -> bool:
    return walk.word(at)[0].isupper() or walk.word(at + 1)[:1].isupper()


def _in_digits(walk: TokenWalk, at: int, words: NumberWords, *, is_24: bool) -> Reading | None:
    """14:30, 2.30 pm, 2 pm, 14 Uhr 30, 14h30."""
    written, end = walk.word(at), at + 1
    minute, seconds, has_minutes = 0, 0, False
    if walk.word(end) in (":", "：") and _two_digits(walk, end + 1):
        minute, end, has_minutes = int(walk.word(end + 1)), end + 2, True
        if walk.word(end) == ":" and _two_digits(walk, end + 1):
            if len(written) < _DIGITS:
                return None  # the time of a race
            seconds, end = int(walk.word(end + 1)), end + 2
    elif "." in written:
        written, _, after = written.partition(".")
        if not (after.isdecimal() and len(after) == _DIGITS):
            return None
        minute = int(after)
        if not (_half(walk, end, words.halves_of_day) or walk.fold(end) in words.oclock):
            return None
        has_minutes = True
    if not written.isdecimal() or len(written) > _DIGITS:
        return None
    is_hour = walk.fold(end) in words.oclock and walk.near(end)
    if is_hour and not has_minutes and walk.fold(end) in _HOUR_WORDS and _two_digits(walk, end + 1):
        minute, end = int(walk.word(end + 1)), end + 2
        has_minutes = True
    elif is_hour:
        is_24 = is_24 or walk.fold(end) in _HOUR_WORDS
        end += 1
    elif walk.fold(end) == "o" and walk.word(end + 1) in "'’" and walk.fold(end + 2) == "clock":
        is_hour, end = True, end + 3
    half = _half(walk, end, words.halves_of_day)
    if not (has_minutes or half or is_hour):
        return None
    is_24 = is_24 or written[0] == "0" or words.decimal != "."
    time = _Time(at, end, int(written), minute, seconds, half, is_24)
    return time.quantity(walk)


@dataclass(frozen=True, slots=True)
class _Time:
    """A time as it was read, between two tokens; `half` is what am or pm adds, and its end."""

    first: int
    end: int
    hour: int
    minute: int = 0
    seconds: int = 0
    half: tuple[int, int] | None = None
    is_24: bool = False

    def _added(self, half: int) -> int:
        """The minutes to add; ten at night is late, two at night is early."""
        if half != NIGHT:
            return half
        return HALF_DAY if _EVENING <= self.hour < _NOON else 0

    def quantity(self, walk: TokenWalk) -> Reading | None:
        """The time of day, if there is one such."""
        hour, end = self.hour, self.end
        if hour > 24 or self.minute > 59 or self.seconds > 59 or (hour == 24 and self.minute):
            return None
        value = Fraction(hour % 24 * 60 + self.minute) + Fraction(self.seconds, 60)
        kind = "clock"
        if self.half and 1 <= hour <= 12:
            value, end = value % HALF_DAY + self._added(self.half[0]), self.half[1]
        elif not self.is_24 and 1 <= hour <= 12:
            kind, value = "clock12", value % HALF_DAY
        step = Fraction(1, 60) if self.seconds else Fraction(1)
        start = walk.starts[self.first]
        return Quantity(start, walk.ends[end - 1], kind, value, "", step), end


def _two_digits(walk: TokenWalk, at: int) -> bool:
    return walk.glued(at) and walk.word(at).isdecimal() and len(walk.word(at)) == _DIGITS


def _half(walk: TokenWalk, at: int, halves: Mapping[str, int]) -> tuple[int, int] | None:
    """The minutes that `am` or `pm` at a token adds, and the token behind."""
    if not walk.near(at):
        return None
    for phrase, end in walk.phrases(at):
        if phrase.lower() in halves and not walk.ends_sentence(end):
            return halves[phrase.lower()], end
    return None


def _past(walk: TokenWalk, at: int, words: NumberWords) -> Reading | None:
    """Half past four, a quarter to six, ten past three, four o'clock, four pm."""
    first = at + 1 if walk.fold(at) == "a" else at
    minutes = spelled(walk, first, words)
    end = minutes.end if minutes else first + 1
    amount = int(minutes.value) if minutes else _PARTS.get(walk.fold(first), 0)
    if minutes and walk.fold(end) == "o" and walk.fold(end + 2) == "clock":
        half = _half(walk, end + 3, words.halves_of_day)
        return _Time(at, end + 3, amount, half=half).quantity(walk)
    half = _half(walk, end, words.halves_of_day) if minutes else None
    if half and amount <= 12:
        return _Time(at, end, amount, half=half).quantity(walk)
    is_before = walk.fold(end) == "to"
    if not 0 < amount < 60 or walk.fold(end) not in ("past", "to"):
        return None
    if is_before and first + 1 == end and not (walk.fold(first) in _PARTS or amount in (5, 10, 20)):
        return None
    hour = spelled(walk, end + 1, words)
    value = int(hour.value) if hour else int(walk.word(end + 1)) if _short(walk, end + 1) else 0
    if not 1 <= value <= 12 or (is_before and amount >= value * 60):
        return None
    if is_before and minutes and not _is_at(walk, at):
        return None
    behind = hour.end if hour else end + 2
    total = value * 60 + (-amount if is_before else amount)
    half = _half(walk, behind, words.halves_of_day)
    return _Time(at, behind, total // 60 or 12, total % 60, half=half).quantity(walk)


def _short(walk: TokenWalk, at: int) -> bool:
    return walk.word(at).isdecimal() and len(walk.word(at)) <= _DIGITS


def _is_at(walk: TokenWalk, at: int) -> bool:
    """True if a time is expected: `at ten to six`, but not `ten to six people`."""
    return walk.fold(at - 1) in ("at", "by", "until", "till", "from", "before", "after", "around")


def _ideographic(walk: TokenWalk, at: int, half: int | None) -> Reading | None:
    """3点30分, 午後3時半."""
    hour = walk.word(at)
    if walk.word(at + 1) not in _HOUR_SIGNS or not hour.isdecimal() or len(hour) > _DIGITS:
        return None
    if walk.word(at + 2) in ("間", "间"):
        return None  # three hours
    minute, end = 0, at + 2
    if walk.word(end) == "半":
        minute, end = 30, end + 1
    elif _short(walk, end) and walk.word(end + 1) == "分":
        minute, end = int(walk.word(end)), end + 2
    elif walk.word(end) in ("钟", "鐘"):
        end += 1
    given = None if half is None else (half, end)
    time = _Time(at, end, int(hour), minute, half=given, is_24=half is None)
    return time.quantity(walk)
