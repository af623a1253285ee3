"""The example in a row, for tests of what raises."""

from collections.abc import Mapping

from assay.core.examples import Annotated
from assay.core.problems import Problem
from assay.datasets.fields import Columns
from assay.datasets.rows import try_row


def read_row(
    row: Mapping[str, object],
    number: int | str,
    columns: Columns | None = None,
    language: str | None = None,
) -> Annotated:
    """The example; whatever is wrong with the row raises."""
    read = try_row(row, "the row", number, columns, language, catch=ArithmeticError)
    assert not isinstance(read, Problem)
    return read
