"""Sets of judgements in files: a document that is read at once, or a folder of parts.

The manifest of such a folder has the document without its judgements, which are on the lines of
the parts, or in the rows of Parquet and Arrow files. They are read one by one.
"""

import gzip
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from typing import BinaryIO

from assay.core.codec import read_document, read_judgement, write_judgement
from assay.core.errors import InputError, MissingExtraError
from assay.core.judgements import Judgement, Judgements, current
from assay.core.records import read_manifest_record
from assay.core.system.files import writing
from assay.core.system.lines import TooLong, row_limit, too_long
from assay.core.wire import SCHEMA
from assay.datasets.columnar import COLUMNAR, is_columnar, open_columns
from assay.datasets.conversion import read_lines
from assay.datasets.encodings import open_binary
from assay.datasets.example_columns import batches, column_writer
from assay.datasets.parts import find_parts, require_same_columns

_COLUMNS = ("example", "author", "judgement")


def open_document(path: str) -> Judgements:
    """The judgements of a document."""
    with open_binary(path) as file:
        manifest, judgements = read_document(file.read(), path)
    return Judgements(path, manifest, lambda: current(judgements))


def open_judgement_parts(folder: str) -> Judgements:
    """The judgements of a folder of parts, which are read as they are wanted."""
    parts = find_parts(folder)
    document = parts.manifest.document if parts.manifest else None
    if document is None:
        raise InputError(f"{folder} holds no set of judgements", code="no-judgements")
    if document.schema != SCHEMA:
        raise InputError(
            f"{folder} has the form '{document.schema}'; this version reads '{SCHEMA}'"
        )
    require_same_columns(parts)

    def read() -> Iterator[Judgement]:
        for part in parts.files:
            for number, line in enumerate(_lines(part.path), start=1):
                yield read_judgement(line, f"{part.path} record {number}")

    return Judgements(folder, read_manifest_record(document.manifest), read)


def _lines(path: str) -> Iterator[str | bytes]:
    if not is_columnar(path):
        for line in read_lines(path):
            if isinstance(line, TooLong):
                raise InputError(f"{path}: {line}")
            yield line
        return
    for row in open_columns(path).read(["judgement"]):
        if row is None:
            raise InputError(f"{path}: {too_long(row_limit())}")
        yield row["judgement"]


def write_judgement_file(lines: Iterable[tuple[str, str, bytes]], target: str) -> int:
    """Writes judgements, each with its example, its author and its line; gives how many."""
    with writing(target) as stream:
        if target.endswith(COLUMNAR):
            return _write_columns(lines, stream, target)
        packed = target.endswith(".gz")
        count = 0
        with gzip.GzipFile("", "wb", fileobj=stream) if packed else nullcontext(stream) as file:
            for _, _, line in lines:
                file.write(line + b"\n")
                count += 1
        return count


def _write_columns(lines: Iterable[tuple[str, str, bytes]], stream: BinaryIO, name: str) -> int:
    try:
        import pyarrow
    except ImportError:
        raise MissingExtraError(f"writing {name}", "parquet") from None
    schema = pyarrow.schema([(each, pyarrow.string()) for each in _COLUMNS])
    count = 0
    with column_writer(stream, schema, name, ["author"]) as writer:
        for some in batches(lines):
            rows = [(example, author, line.decode()) for example, author, line in some]
            columns = [pyarrow.array(each, pyarrow.string()) for each in zip(*rows, strict=True)]
            writer.write_batch(pyarrow.RecordBatch.from_arrays(columns, schema=schema))
            count += len(some)
    return count


def judgement_line(judgement: Judgement) -> tuple[str, str, bytes]:
    """A judgement as it is written to a part."""
    return judgement.example, judgement.author.name, write_judgement(judgement)
