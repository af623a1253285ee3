"""The data of a run: looked at once before anything is spent, then read again as it is judged."""

import hashlib
import json
import random
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.stored import unit_record
from assay.datasets.corpus import CORPORA, find_card
from assay.datasets.fields import Columns
from assay.datasets.files import Problem
from assay.datasets.opening import open_examples

MOST_PROBLEMS = 5


@dataclass(frozen=True, slots=True)
class DataChoice:
    """A corpus or file that the user named, and which part of it."""

    target: str
    folder: str | None = None  # where the corpora are
    columns: Columns = field(default_factory=Columns)
    language: str = "en"
    split: str = ""

    def read(self) -> Iterator[Example | Problem]:
        """The examples of the split, from the beginning."""
        for each in open_examples(self.target, self.folder, self.columns, self.language):
            if isinstance(each, Problem) or not self.split or each.split == self.split:
                yield each

    def refuse_unrepeatable(self) -> None:
        """Raises where data can be read only once: a run reads it again, also when resumed."""
        if self.target == "-":
            raise InputError("a run reads its data more than once: save standard input to a file")
        path = Path(self.target)
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise InputError(f"a run reads its data more than once: {self.target} is not a file")


@dataclass(frozen=True, slots=True)
class Survey:
    """How many examples there are, and a digest of all that a detector sees of them."""

    examples: int
    digest: str

    def choose(self, sample: int | None, seed: int) -> frozenset[int] | None:
        """The positions of a sample; None stands for all."""
        if sample is None or sample >= self.examples:
            return None
        return frozenset(random.Random(seed).sample(range(self.examples), sample))


def survey(choice: DataChoice) -> Survey:
    """Looks at every example; data with rows that cannot be used raises before a run begins."""
    choice.refuse_unrepeatable()
    count, digest = 0, hashlib.sha256()
    with closing(_Ids()) as ids:
        for example in _usable(choice.read(), ids):
            count += 1
            digest.update(content(example))
    if not count:
        raise InputError(f"{choice.target} has no {_wanted(choice)}")
    return Survey(count, digest.hexdigest()[:32])


class _Ids:
    """The ids so far, on disk, so that memory does not grow with them."""

    def __init__(self) -> None:
        self._connection = sqlite3.connect("")  # a temporary file that the system removes
        self._connection.execute("CREATE TABLE ids (id TEXT PRIMARY KEY) WITHOUT ROWID")

    def add(self, key: str) -> bool:
        """Whether it is a new one."""
        rows = self._connection.execute("INSERT OR IGNORE INTO ids VALUES (?)", (key,))
        return rows.rowcount == 1

    def close(self) -> None:
        self._connection.close()


def _usable(rows: Iterable[Example | Problem], ids: _Ids) -> Iterator[Example]:
    """The examples; what is wrong with the first few bad rows is raised together."""
    problems: list[str] = []
    for row in rows:
        if isinstance(row, Problem):
            problems.append(str(row))
        elif not ids.add(row.id):
            problems.append(f"the id '{row.id}' appears twice; an outcome is kept by its id")
        else:
            yield row
        if len(problems) == MOST_PROBLEMS:
            break
    if problems:
        more = " (and perhaps more)" if len(problems) == MOST_PROBLEMS else ""
        lines = "\n  ".join(problems)
        raise InputError(f"mend these rows or take them out, then run again{more}:\n  {lines}")


def content(example: Example) -> bytes:
    """All that a detector sees of an example, so not what others said of it (gold, recorded)."""
    source, text = example.source, example.response.text
    passages = [(each.name, each.start, each.end) for each in source.passages]
    units = [unit_record(unit, text) for unit in example.units]
    about = [example.question, example.language, example.split, example.task]
    model = example.response.model
    seen = [example.id, source.text, source.id, passages, text, model, *about, units]
    return json.dumps(seen).encode()


def _wanted(choice: DataChoice) -> str:
    if not choice.split:
        return "examples"
    splits = find_card(choice.target).splits if choice.target in CORPORA else ()
    return f"split '{choice.split}'; its splits: {', '.join(splits) or 'none'}"
