"""Items about tables: statements of TabFact, and cells read off right or from another row.

TabFact has tables of Wikipedia with pairs of a statement that the table entails and one that it
refutes, in lower case with its tokens apart. Here they are written as people write them, and each
table in a form that users bring. Of a pair one statement stands in one item and the other in the
next, so that neither gives the other away. Of the pages one in `APART` is measured on instead.
"""

import gzip
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from assay.core.texts import Source
from training.items import CONTRADICTED, ENTAILED, Item, Sentence
from training.measured import Measured
from training.table_forms import FORMS, SMALLEST, Table
from training.table_wording import Names, spelled
from training.wording import changed_words

APART = 12  # one page in so many is measured on
MEASURED = 400  # tables
LONGEST = 9_000  # characters of a source; the largest would not fit the window
RESTORED = 0.75  # the share of tables in which names get capitals
TOGETHER = 0.25  # the share of items in which other tables stand in the source as well
SHORT = 12  # rows of a table that stands beside another one
READ_OFF = 3  # the most sentences about single cells in an item


@dataclass(frozen=True, slots=True)
class Stated:
    """A table, and pairs of a statement that it entails and one that it refutes."""

    id: str
    table: Table
    pairs: tuple[tuple[str, str], ...]


def read_tables(root: Path) -> Iterator[Stated]:
    """All tables that are not too long, as they are in the file."""
    path = root / "nli" / "tabfact_pairs.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            stated = _stated(row)
            if stated.pairs and len(FORMS[SMALLEST](stated.table, random.Random(0))) <= LONGEST:
                yield stated


def _stated(row: Mapping[str, Any]) -> Stated:
    """A line of the file; a pair whose statements are the same says nothing."""
    header, width = tuple(map(str, row["header"])), len(row["header"])
    rows = tuple(tuple(map(str, cells)) for cells in row["rows"] if len(cells) == width)
    table = Table(str(row["title"] or ""), header, rows)
    whole = len(rows) == len(row["rows"])
    pairs = [(pair["true"], pair["false"]) for pair in row["pairs"]]
    different = [pair for pair in pairs if spelled(pair[0]) != spelled(pair[1])]
    return Stated(row["table_id"], table, tuple(different) if whole else ())


def is_apart(table_id: str) -> bool:
    """Whether a table is measured on: all tables of a page are on the same side."""
    page = table_id.rsplit("-", 1)[0]
    return sha256(f"table {page}".encode()).digest()[0] * APART < 256


def written_out(stated: Stated, rng: random.Random) -> Stated:
    """As people write it: punctuation where it belongs, and mostly names with capitals."""
    names = Names(stated.table if rng.random() < RESTORED else None)
    pairs = tuple((names.sentence(true), names.sentence(false)) for true, false in stated.pairs)
    return replace(stated, table=names.table(stated.table), pairs=pairs)


def tables(root: Path, seed: int) -> Iterator[Item]:
    """Two items for each table that may be trained on, each in a form of its own."""
    rng = random.Random(seed)
    known = [written_out(each, rng) for each in read_tables(root) if not is_apart(each.id)]
    for stated in known:
        deal = [rng.random() < 0.5 for _ in stated.pairs]
        forms = rng.sample(sorted(FORMS), 2)
        for form, chosen in zip(forms, (deal, [not each for each in deal]), strict=True):
            said = [said_of(pair, truth) for pair, truth in zip(stated.pairs, chosen, strict=True)]
            said += read_off(stated.table, rng.randint(0, READ_OFF), rng)
            rng.shuffle(said)
            beside = unlike(stated.table, rng.sample(known, 4)) if rng.random() < TOGETHER else []
            source = among(stated.table, beside, form, rng)
            if len(source) > LONGEST:
                form, beside = SMALLEST, []
                source = FORMS[form](stated.table, rng)
            for other in beside:
                said += read_off(other, 2, rng)
            yield Item(f"tables-{form}", source, tuple(said))


def unlike(table: Table, others: Sequence[Stated]) -> list[Table]:
    """Short tables that share no column with one, so that no statement is about both."""
    found: list[Table] = []
    taken = set(map(str.lower, table.header))
    for other in others:
        own = set(map(str.lower, other.table.header))
        if len(other.table.rows) <= SHORT and not own & taken and len(found) < 2:
            found.append(other.table)
            taken |= own
    return found


def among(table: Table, others: Sequence[Table], form: str, rng: random.Random) -> str:
    """A table among others, all in one form."""
    shown = [FORMS[form](each, rng) for each in rng.sample([table, *others], 1 + len(others))]
    return rng.choice(("\n\n", "\n\n\n", "\n\n---\n\n")).join(shown)


def said_of(pair: tuple[str, str], truth: bool) -> Sentence:
    """One statement of a pair; of the refuted one those words are wrong that the other has not."""
    if truth:
        return Sentence(pair[0], ENTAILED)
    return Sentence(pair[1], CONTRADICTED, changed_words(*pair))


_CELLS = (
    "The {head} of {name} is {cell}.",
    "For {name}, the {head} is {cell}.",
    "{name} has {cell} as {head}.",
    "{cell} is the {head} of {name}.",
    "In the row of {name}, {head} is given as {cell}.",
)


def read_off(table: Table, count: int, rng: random.Random) -> list[Sentence]:
    """Sentences about cells, each with its own value or that of another row.

    A row is named by the first column whose cells are all different words.
    """
    key = _key_column(table)
    if key is None:
        return []
    said = []
    for _ in range(count):
        place, row = rng.randrange(len(table.header)), rng.choice(table.rows)
        right = row[place]
        others = [r[place] for r in table.rows if r[place].strip() and _differs(r[place], right)]
        if place == key or not right.strip() or not others:
            continue
        is_right = rng.random() < 0.5
        cell = right if is_right else rng.choice(others)
        text = rng.choice(_CELLS)
        head = table.header[place]
        shown = text.format(head=head[:1].lower() + head[1:], name=row[key], cell=cell)
        start = text.format(head=head, name=row[key], cell="\0").index("\0")
        wrong = ((start, start + len(cell)),)
        shown = shown[:1].upper() + shown[1:]
        said.append(Sentence(shown, *((ENTAILED,) if is_right else (CONTRADICTED, wrong))))
    return list({sentence.text: sentence for sentence in said}.values())


def _key_column(table: Table) -> int | None:
    for place in range(len(table.header)):
        cells = [row[place] for row in table.rows]
        if len(cells) > 2 and len(set(cells)) == len(cells) and all(map(_is_name, cells)):
            return place
    return None


def _is_name(cell: str) -> bool:
    return 3 <= len(cell) <= 60 and sum(letter.isalpha() for letter in cell) > len(cell) / 2


def _differs(one: str, two: str) -> bool:
    """Whether neither of two cells says what the other says."""
    a, b = one.casefold().strip(), two.casefold().strip()
    return a not in b and b not in a


def measured_tables(root: Path, seed: int) -> Iterator[Measured]:
    """Both statements of the pairs that are kept apart, each alone; the group names the form."""
    rng = random.Random(seed)
    apart = [each for each in read_tables(root) if is_apart(each.id)]
    for stated in rng.sample(apart, min(MEASURED, len(apart))):
        stated = written_out(stated, rng)
        form = rng.choice(sorted(FORMS))
        source = FORMS[form](stated.table, rng)
        for number, pair in enumerate(stated.pairs):
            for truth, text in zip((1, 0), pair, strict=True):
                yield Measured(
                    f"tabfact-{form}",
                    f"{stated.id}-{number}-{truth}",
                    stated.id.rsplit("-", 1)[0],
                    Source(source),
                    "",
                    (text,),
                    ("entailed" if truth else "refuted",),
                    (truth,),
                    truth,
                )
