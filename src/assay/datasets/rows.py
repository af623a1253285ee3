"""Rows from what Python users have at hand, without importing the libraries they come from."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.datasets.fields import Columns, read_example


def read_rows(
    data: object, columns: Columns | None = None, language: str = "en"
) -> Iterator[Example]:
    """The examples in a row (dict, pandas row, named tuple, Example) or in many of them."""
    for number, row in enumerate(_rows(data), start=1):
        if isinstance(row, Example):
            yield row
            continue
        try:
            yield read_example(row, number, columns, language)
        except InputError as error:
            raise InputError(f"row {number}: {error}") from None


def _rows(data: Any) -> Iterator[Mapping[str, object] | Example]:
    row = _as_row(data)
    if row is not None:
        yield row
    elif hasattr(data, "columns") and hasattr(data, "itertuples"):  # a pandas data frame
        tuples = data.itertuples(index=False, name=None)
        yield from (dict(zip(data.columns, values, strict=True)) for values in tuples)
    elif isinstance(data, Iterable) and not isinstance(data, str | bytes):
        yield from (_one_row(each) for each in data)
    else:
        _one_row(data)


def _as_row(data: Any) -> Mapping[str, object] | Example | None:
    if isinstance(data, Example | Mapping):
        return data
    if hasattr(data, "_asdict"):  # a named tuple, as data frames give
        return dict(data._asdict())
    if hasattr(data, "to_dict") and hasattr(data, "index") and not hasattr(data, "columns"):
        return dict(data.to_dict())  # a row of a pandas data frame
    return None


def _one_row(data: object) -> Mapping[str, object] | Example:
    row = _as_row(data)
    if row is None:
        raise InputError(
            f"cannot read a {type(data).__name__} as an example; "
            "give source and response texts, a dict with these fields, or a list of such dicts"
        )
    return row
