"""Rows from Python programs: lists, data frames, data sets, objects of frameworks.

Data frames and tables are read without importing the libraries that they come from.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.problems import Problem
from assay.core.texts import Response, Source
from assay.datasets.fields import Columns, is_given
from assay.datasets.rows import PartReader, problem_of, try_row
from assay.datasets.shapes import object_fields

_BATCH = 64
# A row with its label, which is empty for one that has only its place; None means: see the row.
_Given = tuple[object, str | None]


def read_rows(
    data: object, columns: Columns | None = None, language: str | None = None
) -> Iterator[Annotated | Problem]:
    """The examples in a row (dict, pandas row, named tuple, object) or in many of them.

    A row that cannot be read is a problem; what holds no rows at all raises.
    """
    columns = columns or Columns()
    labels = _Labels()
    for number, (given, label) in enumerate(_rows(data, columns), start=1):
        if isinstance(given, Problem):  # of a reader of ours
            yield given
            continue
        parts = PartReader()
        name = parts.read(partial(labels.find, given, number), "") if label is None else label
        name = name or str(number)
        nothing: Mapping[str, object] | Annotated = {}
        row = parts.read(partial(_one_row, given), nothing)
        if parts.error:
            example = Example(name, Source(""), Response(""))
            yield problem_of(parts.error, f"row {number}", example)
        elif isinstance(row, Annotated):
            yield row
        else:
            yield try_row(row, f"row {number}", name, columns, language, catch=Exception)


def _rows(data: Any, columns: Columns) -> Iterator[_Given]:
    if _is_row(data):
        yield data, None
    elif hasattr(data, "itertuples") and hasattr(data, "columns"):  # a pandas data frame
        columns.refuse_twice(data.columns)
        yield from _frame(data)
    elif hasattr(data, "iter_rows"):  # a polars data frame
        yield from _unlabelled(data.iter_rows(named=True))
    elif hasattr(data, "to_pylist") and hasattr(data, "schema"):  # a table or a batch of Arrow
        columns.refuse_twice(data.schema.names)
        for start in range(0, data.num_rows, _BATCH):
            yield from _unlabelled(data.slice(start, _BATCH).to_pylist())
    elif hasattr(data, "test_cases"):  # a data set of DeepEval
        yield from _unlabelled(data.test_cases)
    elif isinstance(data, Mapping):
        yield from _rows(_only_split(data), columns)
    elif isinstance(data, Iterable) and not isinstance(data, str | bytes):
        yield from ((each, None) for each in data)
    else:
        _one_row(data)


def _unlabelled(rows: Iterable[object]) -> Iterator[_Given]:
    return ((row, "") for row in rows)


def _frame(data: Any) -> Iterator[_Given]:
    """The rows of a pandas data frame; an index that says something names them."""
    index = data.index
    names = [name for name in index.names if name is not None]
    is_label = names or (index.is_unique and not _is_running(index))
    tuples = data.itertuples(index=False, name=None)
    for label, values in zip(index, tuples, strict=True):
        row: dict[object, object] = {}
        for name, value in zip(data.columns, values, strict=True):
            row.setdefault(name, value)
        if names:  # a column that became the index is still a field
            parts = label if isinstance(label, tuple) else (label,)
            row = {**dict(zip(index.names, parts, strict=True)), **row}
            row.pop(None, None)
        yield row, _label(label) if is_label else ""


def _is_running(index: Iterable[object]) -> bool:
    """True if an index just counts from 0, as that of a new data frame does."""
    return all(label == place for place, label in enumerate(index))


class _Labels:
    """The labels of rows that come one by one; whether they just count, the rows so far say."""

    def __init__(self) -> None:
        self._is_running = True

    def find(self, given: object, number: int) -> str:
        """The label that a row of pandas carries, where it is more than its place."""
        row: Any = _without_label(given)
        label = getattr(row, "Index", None) if hasattr(row, "_asdict") else None
        if _is_series(row):
            label = row.name
        if not is_given(label) or callable(label):
            return ""
        self._is_running = self._is_running and label == number - 1
        return "" if self._is_running else _label(label)


def _without_label(row: object) -> object:
    """A row as pandas's `iterrows` gives it, which is a pair of a label and the row."""
    if isinstance(row, tuple) and len(row) == 2 and _is_series(row[1]):
        return row[1]
    return row


def _is_series(row: object) -> bool:
    """True if it is a row of a pandas data frame, and not a data frame."""
    return hasattr(row, "to_dict") and hasattr(row, "index") and not hasattr(row, "columns")


def _label(label: object) -> str:
    return "/".join(map(str, label)) if isinstance(label, tuple) else str(label)


def _only_split(data: Mapping[str, object]) -> object:
    """The one data set in a dict of them; of several, nothing is guessed."""
    if len(data) == 1:
        return next(iter(data.values()))
    names = ", ".join(map(str, data))
    last = list(data)[-1]
    raise InputError(f"there are {len(data)} splits ({names}); give one of them: data[{last!r}]")


def _is_table(value: object) -> bool:
    return any(hasattr(value, name) for name in ("column_names", "itertuples", "iter_rows"))


def _is_row(data: Any) -> bool:
    if isinstance(data, dict) and data:
        return not all(map(_is_table, data.values()))
    return _as_row(data) is not None


def _as_row(data: Any) -> Mapping[str, object] | Annotated | None:
    if isinstance(data, Example):
        return Annotated(data)
    if isinstance(data, Annotated | Mapping):
        return data
    if hasattr(data, "_asdict"):  # a named tuple, as data frames give
        return dict(data._asdict())
    if _is_series(data):
        return dict(data.to_dict())
    return None if hasattr(data, "test_cases") else object_fields(data)


def _one_row(data: object) -> Mapping[str, object] | Annotated:
    row = _as_row(_without_label(data))
    if row is None:
        raise InputError(
            f"an example cannot be read from a value of type {type(data).__name__}; "
            "give source and response texts, a dict with these fields, or a list of such dicts"
        )
    return row
