"""The rules of a robots.txt for one program, read as RFC 9309 says.

The longest rule that fits wins, and `*` and `$` have their meaning. Python's own reader is older:
it takes the first rule that fits, and reads `*` as a star.
"""

import math
from collections import defaultdict
from dataclasses import dataclass
from urllib.parse import unquote


@dataclass(frozen=True, slots=True)
class Rules:
    """Patterns of paths with whether they may be read, and the seconds wanted between two pages."""

    lines: tuple[tuple[str, bool], ...] = ()
    pause: float = 0.0

    def allows(self, path: str) -> bool:
        """Whether a path, with its query, may be read; of rules of equal length the kinder wins.

        >>> rules = Rules((("/", False), ("/open", True), ("/*.pdf$", False)))
        >>> [rules.allows(path) for path in ("/a", "/open/a", "/open/a.pdf", "/open/a.pdf?b")]
        [False, True, False, True]
        """
        path = unquote(path)
        fitting = [(len(line), allowed) for line, allowed in self.lines if _fits(line, path)]
        return max(fitting)[1] if fitting else True


NOTHING = Rules((("/", False),))


def read_rules(text: str, agent: str) -> Rules:
    """The rules for a program, or for all where none are for it alone."""
    lines: dict[str, list[tuple[str, bool]]] = defaultdict(list)
    pauses: dict[str, float] = {}
    agents: list[str] = []
    is_head = False  # whether the line before named a program too
    for line in text.splitlines():
        name, colon, value = (part.strip() for part in line.partition("#")[0].partition(":"))
        name = name.lower()
        if colon and name == "user-agent":
            agents = [*agents, value.lower()] if is_head else [value.lower()]
            lines[value.lower()]  # a program may be named without a rule
        elif name in ("allow", "disallow") and value:
            for each in agents:
                lines[each].append((unquote(value), name == "allow"))
        elif name == "crawl-delay":
            pauses |= dict.fromkeys(agents, _seconds(value))
        is_head = name == "user-agent" or (is_head and not name)
    ours = agent.lower() if agent.lower() in lines else "*"
    return Rules(tuple(lines.get(ours, ())), pauses.get(ours, 0.0))


def _fits(pattern: str, path: str) -> bool:
    """Whether a path begins as the pattern says, or is the pattern where that ends in `$`."""
    is_whole = pattern.endswith("$")
    first, *others = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    position = len(first)
    last = others.pop() if others and is_whole else None
    for part in others:
        position = path.find(part, position)
        if position < 0:
            return False
        position += len(part)
    if last is not None:
        return path.endswith(last) and len(path) - len(last) >= position
    return not is_whole or position == len(path)


def _seconds(value: str) -> float:
    try:
        seconds = float(value)
    except ValueError:
        return 0.0
    return seconds if math.isfinite(seconds) and seconds > 0 else 0.0
