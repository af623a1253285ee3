"""What Python programs hold rows in: lists, data frames, data sets, objects of frameworks.

Data frames and tables are read without importing the libraries that they come from.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.problems import Problem
from assay.datasets.fields import Columns
from assay.datasets.rows import problem_of, read_row
from assay.datasets.shapes import object_fields

_BATCH = 64
# A row with the id that it has by its place; what is no row at all stays as it is.
_Given = tuple[object, str]


def read_rows(
    data: object, columns: Columns | None = None, language: str = "en"
) -> Iterator[Annotated | Problem]:
    """The examples in a row (dict, pandas row, named tuple, object) or in many of them.

    A row that cannot be read is a problem; what holds no rows at all raises.
    """
    for number, (given, label) in enumerate(_rows(data), start=1):
        yield _read(given, f"row {number}", label or str(number), columns, language)


def _read(
    given: object, where: str, name: str, columns: Columns | None, language: str
) -> Annotated | Problem:
    row: Mapping[str, object] | Annotated = {}
    try:
        row = _one_row(given)
        return row if isinstance(row, Annotated) else read_row(row, name, columns, language)
    except Exception as error:  # noqa: BLE001 - a user's own object raises what it likes
        fields = {} if isinstance(row, Annotated) else row
        return problem_of(error, where, fields, name, columns)


def _rows(data: Any) -> Iterator[_Given]:
    if _is_row(data):
        yield data, _own_label(data)
    elif hasattr(data, "itertuples") and hasattr(data, "columns"):  # a pandas data frame
        yield from _frame(data)
    elif hasattr(data, "iter_rows"):  # a polars data frame
        yield from _unlabelled(data.iter_rows(named=True))
    elif hasattr(data, "to_pylist") and hasattr(data, "schema"):  # a table or a batch of Arrow
        for start in range(0, data.num_rows, _BATCH):
            yield from _unlabelled(data.slice(start, _BATCH).to_pylist())
    elif hasattr(data, "test_cases"):  # a data set of DeepEval
        yield from _unlabelled(data.test_cases)
    elif isinstance(data, Mapping):
        yield from _rows(_only_split(data))
    elif isinstance(data, Iterable) and not isinstance(data, str | bytes):
        yield from ((each, _own_label(each)) for each in map(_without_label, data))
    else:
        _one_row(data)


def _unlabelled(rows: Iterable[object]) -> Iterator[_Given]:
    return ((row, "") for row in rows)


def _frame(data: Any) -> Iterator[_Given]:
    """The rows of a pandas data frame; an index that says something names them."""
    index = data.index
    names = [name for name in index.names if name is not None]
    is_label = names or (type(index).__name__ != "RangeIndex" and index.is_unique)
    tuples = data.itertuples(index=False, name=None)
    for label, values in zip(index, tuples, strict=True):
        row = dict(zip(data.columns, values, strict=True))
        if names:  # a column that became the index is still a field
            parts = label if isinstance(label, tuple) else (label,)
            row = {**dict(zip(index.names, parts, strict=True)), **row}
            row.pop(None, None)
        yield row, _label(label) if is_label else ""


def _without_label(row: object) -> object:
    """A row as pandas's `iterrows` gives it, which is a pair of a label and the row."""
    if isinstance(row, tuple) and len(row) == 2 and hasattr(row[1], "to_dict"):
        return row[1]
    return row


def _own_label(row: Any) -> str:
    """The label that a row of pandas carries, where it is more than a number."""
    label = getattr(row, "Index", None) if hasattr(row, "_asdict") else None
    if hasattr(row, "to_dict") and hasattr(row, "index"):
        label = row.name
    return _label(label) if isinstance(label, str | tuple) else ""


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
    if hasattr(data, "to_dict") and hasattr(data, "index") and not hasattr(data, "columns"):
        return dict(data.to_dict())  # a row of a pandas data frame
    return None if hasattr(data, "test_cases") else object_fields(data)


def _one_row(data: object) -> Mapping[str, object] | Annotated:
    row = _as_row(data)
    if row is None:
        raise InputError(
            f"an example cannot be read from a value of type {type(data).__name__}; "
            "give source and response texts, a dict with these fields, or a list of such dicts"
        )
    return row
