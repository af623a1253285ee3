"""The choice of data: a corpus or a file, a split or a task of it, and a sample.

Whoever reads data that a user named reads it through a `DataChoice`: to be run over in a stream,
looked at once beforehand (`survey`), or loaded as a whole (`load`).
"""

import hashlib
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated as With
from typing import TypeVar

from assay.core.errors import InputError, UnknownNameError
from assay.core.examples import Annotated
from assay.core.options import Argument, Option
from assay.core.problems import Problem, Unread
from assay.core.system.notices import warn
from assay.core.units import Unit
from assay.datasets.corpus import Card, Corpus, corpus_names, find_card, load_corpus
from assay.datasets.fields import DATA, Columns
from assay.datasets.repeats import SeenIds
from assay.datasets.rows import has_other_label
from assay.datasets.survey import Survey, mark_of, seen_of

DATA_ARGUMENT = Argument("A corpus ('assay data list' names them) or a file.", "DATA")
MOST_PROBLEMS = 5
_TWICE = "id-twice"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class DataChoice:
    """A corpus or a file, and which part of it; without a seed a sample is that of seed 0."""

    target: With[
        str,
        Option(
            "The corpus ('assay data list' names them) or a file.",
            "NAME|FILE",
            "",
            "dataset",
            default="",
        ),
    ]
    folder: With[
        str | None, Option("Folder of the corpora; default: ASSAY_DATA.", "DIR", DATA, "data")
    ] = None
    columns: Columns = field(default_factory=Columns)
    language: With[
        str | None,
        Option("Language of the texts, as in 'de'; detected if left out.", "CODE", DATA),
    ] = None
    split: With[str, Option("Use only this split of the corpus.", "NAME", DATA)] = ""
    sample: With[int | None, Option("Use only K examples, drawn with the seed.", "K", DATA)] = None
    seed: With[int | None, Option("Seed of the sample; default 0.", "S", DATA)] = None
    ids: frozenset[str] | None = None  # only these examples; None means all
    task: With[
        str,
        Option("Use only examples of this task; 'assay data stats' lists the tasks.", "NAME", DATA),
    ] = ""
    units: Mapping[str, tuple[Unit, ...]] | None = None  # what is judged of each; None means all

    def __post_init__(self) -> None:
        if not self.target:
            raise InputError("no corpus or file is given", field="dataset", code="no-dataset")
        if self.sample is not None and self.sample < 1:
            raise InputError(f"a sample has 1 example or more, not {self.sample}", field="sample")
        if self.seed is not None and self.sample is None:
            raise InputError("a seed chooses a sample, and there is no sample", field="seed")

    def labelled(self) -> "DataChoice":
        """The same data with the labels of a file in the field `label`, unless another is named."""
        if self.target in corpus_names() or self.columns.label:
            return self
        return replace(self, columns=replace(self.columns, label="label"))

    def keeping_all(self) -> "DataChoice":
        """The same data with all that the rows of a plain file say, for whoever writes it again."""
        return replace(self, columns=replace(self.columns, keeps_all=True))

    def texts(self) -> "DataChoice":
        """The same data for whoever needs the examples, and nothing that was said of them."""
        return replace(self, columns=replace(self.columns, judgements=False))

    def open(self) -> "Corpus | Iterable[Annotated | Problem]":
        """All of the data; a corpus also has a card and counts its repairs."""
        return open_examples(self.target, self.folder, self.columns, self.language)

    def read(self) -> Iterator[Annotated | Problem]:
        """All rows of the part, whether or not they are in the sample, from the beginning."""
        return self.among(self.open())

    def examples(self) -> Iterator[Annotated]:
        """The examples of the part in a stream; rows that cannot be used raise, as in `load`."""
        count = 0
        for count, each in enumerate(_usable(self.read()), start=1):  # noqa: B007
            yield each
        if not count:
            raise self._nothing_there()

    def among(self, rows: Iterable[Annotated | Problem]) -> Iterator[Annotated | Problem]:
        """Those of some rows that belong to the split and task, and what cannot be read."""
        for each in rows:
            if isinstance(each, Problem):
                yield each
            elif self._has(each):
                yield self._with_units(each)

    def _with_units(self, each: Annotated) -> Annotated:
        if self.units is None or each.id not in self.units:
            return each
        return replace(each, example=replace(each.example, units=self.units[each.id]))

    def _has(self, each: Annotated) -> bool:
        if self.split and each.example.split != self.split:
            return False
        if self.task and each.example.task != self.task:
            return False
        return self.ids is None or each.id in self.ids

    @property
    def _is_part(self) -> bool:
        """True if it need not be all of the data."""
        return bool(self.split or self.task) or self.ids is not None or self.sample is not None

    def survey(self) -> Survey:
        """Looks at every row, and counts those that cannot be read; an id met twice raises."""
        self.refuse_unrepeatable()
        digest, marks = hashlib.sha256(), bytearray()
        twice, unread, examples = list[Problem](), Unread(), 0
        part = list[str]() if self._is_part else None
        for each in _told_apart(self.texts().read()):
            if isinstance(each, Problem) and each.code == _TWICE:
                twice.append(each)
                continue
            seen = seen_of(each)
            digest.update(seen)
            marks += mark_of(seen)
            if isinstance(each, Problem):
                unread = unread.plus(each)
            else:
                examples += 1
                if part is not None:
                    part.append(each.id)
        if twice:
            raise _unusable([*twice, *unread.first][:MOST_PROBLEMS])
        if not examples:
            raise self._none_readable(unread) if unread.count else self._nothing_there()
        chosen = tuple(choose(part or (), self.sample, self.seed or 0))
        return Survey(examples, digest.hexdigest()[:32], bytes(marks), unread, chosen)

    def read_again(self, survey: Survey) -> Iterator[Annotated]:
        """The surveyed examples once more; the first row that is not as it was then raises."""
        count = 0
        for each in self.texts().read():
            if count == survey.rows:
                raise self._changed(f"there are more than {survey.rows:,} rows now")
            is_same = survey.has(count, each)
            count += 1
            if isinstance(each, Annotated):
                if not is_same:
                    raise self._changed(f"row {count:,} ('{each.id}') is another one now")
                yield each
            elif not is_same:
                raise self._changed(str(each))
        if count < survey.rows:
            raise self._changed(f"only {count:,} of {survey.rows:,} rows are left")

    def _changed(self, how: str) -> InputError:
        return InputError(
            f"the data changed while it was read: {how}. What was judged is of the data as it was: "
            f"restore {self.target} to go on, or judge the new data under another name",
            code="data-changed",
            field="dataset",
        )

    def chosen(self, survey: Survey) -> frozenset[int] | None:
        """The positions, from 0, of the sample among all examples of the part; None means all."""
        if self.sample is None or self.sample >= survey.examples:
            return None
        return frozenset(choose_positions(survey.examples, self.sample, self.seed or 0))

    def refuse_unrepeatable(self) -> None:
        """Raises where the data can be read only once: a run reads it again, also when resumed."""
        path = Path(self.target)
        if self.target == "-":
            problem = "standard input can be read only once; save it to a file"
        elif path.exists() and not (path.is_file() or path.is_dir()):
            problem = f"{self.target} is not a file, so it can be read only once"
        else:
            return
        raise InputError(f"the data is read more than once, but {problem}", field="dataset")

    def _none_readable(self, unread: Unread) -> InputError:
        if self.split or self.task or self.ids is not None:  # there may be others
            return self._nothing_there()
        whole = f"none of the {unread.count:,} rows of {self.target} can be read"
        return _unusable(unread.first[:MOST_PROBLEMS], whole)

    def _nothing_there(self) -> InputError:
        if self.task:
            where = f" in split '{self.split}'" if self.split else ""
            known = ", ".join(self._tasks()) or "none"
            message = f"{self.target} has no task '{self.task}'{where}; its tasks: {known}"
            return InputError(message, field="task")
        if not self.split:
            return InputError(f"{self.target} has no examples", field="dataset")
        splits = find_card(self.target).splits if self.target in corpus_names() else ()
        known = ", ".join(splits) or "none"
        return InputError(
            f"{self.target} has no split '{self.split}'; its splits: {known}", field="split"
        )

    def _tasks(self) -> list[str]:
        tasks = {each.example.task for each in self.open() if isinstance(each, Annotated)}
        return sorted(tasks - {""})


@dataclass(frozen=True, slots=True)
class ExampleEntry:
    """The id of an example, and the parts of the data that it belongs to."""

    id: str
    split: str
    task: str


def entry_of(each: Annotated) -> ExampleEntry:
    """The entry of an example."""
    return ExampleEntry(each.id, each.example.split, each.example.task)


@dataclass(frozen=True, slots=True)
class Loaded:
    """The chosen examples in memory, entries of all of the data, and what is known of the corpus.

    The entries are in the order of the data, so that a sample of it can be found again.
    """

    annotated: list[Annotated]
    entries: tuple[ExampleEntry, ...]
    repairs: str = ""
    card: Card | None = None
    unread: Unread = field(default_factory=Unread)  # rows that were left out


def load(choice: DataChoice, *, readable_only: bool = False) -> Loaded:
    """The part and sample of a choice, all at once; rows that cannot be used raise.

    With `readable_only`, those that cannot be read are left out and counted, as in a run; an id met
    twice raises all the same.
    """
    opened = choice.open()
    inside: list[Annotated] = []
    entries: list[ExampleEntry] = []
    unread = Unread()

    def leave_out(problem: Problem) -> None:
        nonlocal unread
        unread = unread.plus(problem)

    for each in _usable(opened, leave_out if readable_only else None):
        entries.append(entry_of(each))
        if choice._has(each):
            inside.append(each)
    if not inside:
        raise choice._none_readable(unread) if unread.count else choice._nothing_there()
    chosen = choice.chosen(Survey(len(inside), ""))
    if chosen is not None:
        inside = [each for place, each in enumerate(inside) if place in chosen]
    if not isinstance(opened, Corpus):
        return Loaded(inside, tuple(entries), unread=unread)
    return Loaded(inside, tuple(entries), str(opened.repairs), opened.card, unread)


def open_examples(
    target: str, folder: str | None, columns: Columns, language: str | None = None
) -> Corpus | Iterable[Annotated | Problem]:
    """The corpus of that name below a folder of corpora, or else the examples in that file.

    A folder may be that of RAGTruth's two files or of FaithBench's batches.
    """
    if target in corpus_names():
        if not columns.is_usual:  # it has its own labels
            raise InputError(
                f"the fields of a file can be named, but {target} is a corpus", field="columns"
            )
        return load_corpus(target, folder)
    if not _looks_like_file(target):
        names = corpus_names()
        raise UnknownNameError("file or corpus", target, names, field="dataset", how="no such")
    from assay.datasets.formats.detection import read_annotated  # not for what is given directly

    return read_annotated(target, columns, language)


def warned_of_labels(rows: Iterable[Annotated]) -> Iterator[Annotated]:
    """The same examples; the first whose field `label` holds none of the taxonomy is told."""
    is_told = False
    for each in rows:
        if not is_told and has_other_label(each.example):
            is_told = True
            warn(
                f"the field 'label' of '{each.id}' is no label of the taxonomy that is read; it "
                "stays among the other fields. Name the taxonomy to have it read"
            )
        yield each


def choose_positions(count: int, sample: int, seed: int) -> list[int]:
    """So many of the positions from 0 to `count`, in order; the same seed chooses the same.

    >>> choose_positions(10, 3, seed=0) == choose_positions(10, 3, seed=0)
    True
    """
    return sorted(random.Random(seed).sample(range(count), min(sample, count)))


def choose(items: Sequence[T], sample: int | None, seed: int) -> list[T]:
    """So many of some items, in their order, or all of them; the same seed chooses the same."""
    if sample is None:
        return list(items)
    return [items[place] for place in choose_positions(len(items), sample, seed)]


def _usable(
    rows: Iterable[Annotated | Problem], on_unread: Callable[[Problem], None] | None = None
) -> Iterator[Annotated]:
    """The examples; what is wrong with the first few bad rows is raised together.

    Rows that cannot be read go to `on_unread`, where it is given, and are not raised.
    """
    problems: list[Problem] = []
    for row in _told_apart(rows):
        if isinstance(row, Annotated):
            yield row
            continue
        if on_unread and row.code != _TWICE:
            on_unread(row)
            continue
        problems.append(row)
        if len(problems) == MOST_PROBLEMS:
            break
    if problems:
        raise _unusable(problems)


def _told_apart(rows: Iterable[Annotated | Problem]) -> Iterator[Annotated | Problem]:
    """The rows and, after the last, a problem for each of the first ids that were met twice."""
    with closing(SeenIds()) as seen:
        for number, row in enumerate(rows):
            if isinstance(row, Annotated):
                seen.add(number, row.id)
            yield row
        for each in seen.repeats()[:MOST_PROBLEMS]:
            where = f"the id '{each.id}' appears twice"
            yield Problem(where, "outcomes are kept by id", code=_TWICE)


def _unusable(problems: Sequence[Problem], what: str = "") -> InputError:
    """The first few bad rows as one error; `what` says why nothing can be done without them."""
    fields = {each.field for each in problems} - {""}  # the settings to blame
    field = "columns" if len(fields) > 1 else "".join(fields)
    if len(problems) == 1:
        return InputError(str(problems[0]), code="bad-rows", field=field)
    more = " (and perhaps more)" if len(problems) == MOST_PROBLEMS else ""
    lines = "\n  ".join(map(str, problems))
    what = what or f"fix these rows or take them out, then try again{more}"
    return InputError(f"{what}:\n  {lines}", code="bad-rows", field=field)


def _looks_like_file(name: str) -> bool:
    return name == "-" or "." in name or "/" in name or Path(name).exists()
