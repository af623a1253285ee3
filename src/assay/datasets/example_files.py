"""Files of examples that hold everything, written as the name says: lines, Parquet or Arrow."""

import gzip
from collections.abc import Iterable
from contextlib import nullcontext
from importlib.util import find_spec
from typing import BinaryIO

from assay.core.codec import write_example
from assay.core.errors import InputError, MissingExtraError
from assay.core.examples import Annotated
from assay.core.system.files import writing
from assay.datasets.columnar import COLUMNAR, is_columnar
from assay.datasets.example_columns import Labelling, write_example_columns

LINES = (".jsonl", ".jsonl.gz")
EXAMPLE_FILES = (*LINES, *COLUMNAR)


def require_example_file(path: str, field: str) -> None:
    """Raises for a name that does not say how examples are to be written, or cannot be here."""
    if is_columnar(path) and find_spec("pyarrow") is None:
        raise MissingExtraError(f"writing {path}", "parquet")
    if not path.endswith(EXAMPLE_FILES):
        raise InputError(
            f"cannot tell what {path} should be: end its name in {either(EXAMPLE_FILES)}",
            field=field,
        )


def write_example_file(examples: Iterable[Annotated], target: str, labelling: Labelling) -> int:
    """Writes examples with all that was said of them; gives how many there were."""
    with writing(target) as stream:
        return write_example_stream(examples, stream, target, labelling)


def write_example_stream(
    examples: Iterable[Annotated], stream: BinaryIO, name: str, labelling: Labelling
) -> int:
    """The same to a stream, in the form that a name says."""
    if name.endswith(COLUMNAR):
        return write_example_columns(examples, labelling, stream, name)
    return _write_lines(examples, stream, packed=name.endswith(".gz"))


def _write_lines(examples: Iterable[Annotated], stream: BinaryIO, *, packed: bool) -> int:
    count = 0
    with gzip.GzipFile("", "wb", fileobj=stream) if packed else nullcontext(stream) as file:
        for each in examples:
            file.write(write_example(each) + b"\n")
            count += 1
    return count


def either(names: tuple[str, ...]) -> str:
    """Names of which one is to be chosen, in words."""
    return f"{', '.join(names[:-1])} or {names[-1]}"
