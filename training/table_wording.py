"""Text that lost its capitals and has its tokens apart, as people would write it.

Only what is safe gets a capital: the first letter of a statement, months and weekdays, initials
that everybody writes so, and the cells of columns that hold names or titles, wherever they are met
again; of people also their last names.
"""

import re

from training.corpora import untokenized
from training.table_forms import Table

_NAMED = frozenset(
    "player team name country nation nationality city town driver venue location opponent school"
    " college club artist director author writer candidate constructor rider winner champion"
    " company manufacturer network county state visitor home away coach manager actor actress host"
    " singer incumbent stadium university institution rival opponents hometown airport island"
    " province region district community station river mountain leader president champion"
    " champions runner-up runners-up partner partners racer skipper athlete swimmer".split()
)
_SMALL = frozenset("of the and in at de la van von der den for to on by vs a an or".split())
_INITIALS = frozenset(
    "usa uk nba nfl mlb nhl uefa fifa nascar abc cbs nbc bbc hbo tv dvd cd ncaa ufc us eu".split()
)
_CALENDAR = frozenset(
    "january february april june july august september october november december monday tuesday"
    " wednesday thursday friday saturday sunday".split()
)
_MONTH = re.compile(r"(?<!\w)(?:march|may)(?= \d)|(?<=\d )(?:march|may)(?!\w)")
_WORD = re.compile(r"(?<!\d)[^\W\d_]+(?:'[^\W\d_]+)?")
_BRACKETS = re.compile(r" ?\([^()]*\)$")
_SHORTEST = 4  # letters of a name that is looked for in statements
_SURNAME = 6  # letters of a last name that stands alone
_PEOPLE = frozenset("player driver rider coach artist winner champion candidate athlete".split())
_DISTINCT = 0.7  # the share of different cells in a column of titles


def spelled(text: str) -> str:
    """With punctuation where people put it; signs that join two words or numbers stand close.

    >>> spelled("robinson r - 22 , 2008 - 09 ( 3rd ) 10 % of $ 5 , 1 : 30")
    'robinson r-22, 2008-09 (3rd) 10% of $5, 1:30'
    >>> spelled("- 7 , + 2.5")
    '-7, +2.5'
    """
    text = untokenized(text)
    text = re.sub(r"(?<=\w) ([-/]) (?=\w)", r"\1", text)
    text = re.sub(r"(?<=\d) ?: (?=\d)", ":", text)
    return re.sub(r"(?:(?<=^)|(?<=[\s(]))([-+]) (?=\d)", r"\1", text)


def titled(text: str) -> str:
    """A name with capitals.

    >>> titled("university of the arts"), titled("o'neill"), titled("st. louis, usa")
    ('University of the Arts', "O'Neill", 'St. Louis, USA')
    """

    def raised(found: re.Match[str]) -> str:
        word = found[0]
        if word in _INITIALS:
            return word.upper()
        if word in _SMALL and found.start() > 0:
            return word
        parts = word.split("'")
        if len(parts) == 2 and len(parts[0]) == 1:
            return f"{parts[0].upper()}'{parts[1].capitalize()}"
        return word.capitalize() if len(parts) == 1 else f"{parts[0].capitalize()}'{parts[1]}"

    return _WORD.sub(raised, text)


def dated(text: str) -> str:
    """With capitals for months, weekdays and initials.

    >>> dated("on sunday, june 3 on nbc; may 5, it may rain")
    'on Sunday, June 3 on NBC; May 5, it may rain'
    """

    def raised(found: re.Match[str]) -> str:
        word = found[0]
        if word in _CALENDAR:
            return word.capitalize()
        return word.upper() if word in _INITIALS - {"us"} else word

    return _MONTH.sub(lambda found: found[0].capitalize(), _WORD.sub(raised, text))


class Names:
    """The names in a table, to be written with capitals wherever they stand."""

    def __init__(self, table: Table | None) -> None:
        """Without a table everything stays in lower case."""
        self._table = table
        self._columns = _name_columns(table) if table else ()
        names = _names_in(table, self._columns) if table else set()
        longest_first = sorted(names, key=lambda name: (-len(name), name))
        joined = "|".join(map(re.escape, longest_first))
        self._names = re.compile(rf"(?<!\w)(?:{joined})(?!\w)") if names else None

    def table(self, table: Table) -> Table:
        """The table as people write it."""
        cells = (tuple(map(self._cell, range(len(row)), row)) for row in table.rows)
        if self._table is None:
            header = tuple(map(spelled, table.header))
            return Table(spelled(table.title), header, tuple(cells))
        header = tuple(_begun(dated(spelled(name))) for name in table.header)
        return Table(titled(spelled(table.title)), header, tuple(cells))

    def _cell(self, place: int, cell: str) -> str:
        text = spelled(cell)
        if self._table is None:
            return text
        return titled(text) if place in self._columns else dated(self._named(cell))

    def sentence(self, text: str) -> str:
        """A statement as people write it, with a full stop."""
        said = spelled(text).rstrip(" .")
        if self._table is None:
            return f"{said}."
        return f"{_begun(dated(self._named(said)))}."

    def _named(self, text: str) -> str:
        said = spelled(text)
        return self._names.sub(lambda found: titled(found[0]), said) if self._names else said


def _begun(text: str) -> str:
    return text[:1].upper() + text[1:]


def _names_in(table: Table, columns: tuple[int, ...]) -> set[str]:
    """The names of some columns, and the last words of those of people."""
    names: set[str] = set()
    for place in columns:
        cells = [spelled(row[place]) for row in table.rows]
        cells += [_BRACKETS.sub("", cell) for cell in cells]
        names |= {cell for cell in cells if len(cell) >= _SHORTEST}
        if _PEOPLE & set(_WORD.findall(table.header[place])):
            lasts = (cell.split()[-1] for cell in cells if " " in cell)
            names |= {last for last in lasts if len(last) >= _SURNAME and last.isalpha()}
    return names


def _name_columns(table: Table) -> tuple[int, ...]:
    """The columns whose head says that they hold names, or whose cells are mostly different."""
    found = []
    for place, head in enumerate(table.header):
        cells = [row[place] for row in table.rows]
        worded = [cell for cell in cells if sum(map(str.isalpha, cell)) > len(cell) / 2]
        is_told = bool(_NAMED & set(_WORD.findall(head)))
        is_title = len(set(cells)) >= _DISTINCT * len(cells) and len(cells) > 2
        if len(worded) > len(cells) / 2 and (is_told or is_title):
            found.append(place)
    return tuple(found)
