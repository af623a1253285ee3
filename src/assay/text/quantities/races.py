"""Times that somebody took, in minutes and seconds."""

import re
from bisect import bisect_left
from fractions import Fraction

from assay.text.quantities.dates import Reading
from assay.text.quantities.quantity import Quantity
from assay.text.quantities.tokens import TokenWalk

_HOUR, _MINUTE = 3_600, 60
_TIME = re.compile(
    r"(?:(?P<hours>\d):(?P<minutes>[0-5]\d):(?P<seconds>[0-5]\d(?:\.\d{1,3})?)"
    r"|(?P<few>\d{1,2}):(?P<parts>[0-5]\d\.\d{1,3})"
    r"|(?P<many>2[5-9]|[3-9]\d):(?P<rest>[0-5]\d))"
    r"(?![\d:.]*\d|\s?[ap]\.?m\b)",
    re.IGNORECASE,
)


def read_race_time(walk: TokenWalk, at: int) -> Reading | None:
    """1:17:05, 3:38.40, 36:20; none of them is a time of day."""
    if walk.word(at + 1) != ":":
        return None
    start = walk.starts[at]
    match = _TIME.match(walk.text, start)
    if match is None:
        return None
    hours = int(match["hours"] or 0)
    minutes = int(match["minutes"] or match["few"] or match["many"])
    seconds = match["seconds"] or match["parts"] or match["rest"]
    value = hours * _HOUR + minutes * _MINUTE + Fraction(seconds)
    step = Fraction(1, 10 ** len(seconds.partition(".")[2]))
    unit = "hour" if hours else "minute"
    end = bisect_left(walk.starts, match.end())
    return Quantity(start, match.end(), "duration", value, unit, step), end
