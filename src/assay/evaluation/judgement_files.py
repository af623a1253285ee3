"""Sets of judgements in files: a document that is read at once, columns, or a folder of parts.

The manifest of such a folder has the document without its judgements, which are on the lines of
the parts, or in the rows of Parquet and Arrow files. They are read one by one. A file of columns
that stands alone has that document among its notes.
"""

import gzip
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from typing import BinaryIO

from assay.core.codec import Reader, encode, read_document, read_judgement, write_judgement
from assay.core.errors import InputError, MissingExtraError
from assay.core.judgements import Judgement, Judgements, current
from assay.core.records import read_manifest_record
from assay.core.system.files import writing
from assay.core.system.lines import TooLong, row_limit, too_long
from assay.core.wire import SCHEMA, DocumentRecord
from assay.datasets.columnar import is_columnar, open_columns
from assay.datasets.conversion import read_lines
from assay.datasets.encodings import open_binary
from assay.datasets.example_columns import batches, column_writer
from assay.datasets.parts import find_parts, require_same_columns

_COLUMNS = ("example", "author", "judgement")
_NOTE = b"urn:assay:document"  # what a file of columns has that is no part
_documents = Reader(DocumentRecord)


def open_document(path: str) -> Judgements:
    """The judgements of a document."""
    with open_binary(path) as file:
        manifest, judgements = read_document(file.read(), path)
    return Judgements(path, manifest, lambda: current(judgements))


def open_judgement_parts(folder: str) -> Judgements:
    """The judgements of a folder of parts, which are read as they are wanted."""
    parts = find_parts(folder)
    found = _opened(
        folder,
        parts.manifest.document if parts.manifest else None,
        [each.path for each in parts.files],
    )
    require_same_columns(parts)
    return found


def open_judgement_columns(path: str) -> Judgements:
    """The judgements of a Parquet or Arrow file, which are read as they are wanted."""
    file = open_columns(path)
    note = file.notes.get(_NOTE)
    return _opened(path, _documents.read(note, path) if note else None, [path])


def _opened(name: str, document: DocumentRecord | None, paths: Iterable[str]) -> Judgements:
    if document is None:
        raise InputError(f"{name} holds no set of judgements", code="no-judgements")
    if document.schema != SCHEMA:
        raise InputError(f"{name} has the form '{document.schema}'; this version reads '{SCHEMA}'")

    def read() -> Iterator[Judgement]:
        for path in paths:
            for number, line in enumerate(_lines(path), start=1):
                yield read_judgement(line, f"{path} record {number}")

    return Judgements(name, read_manifest_record(document.manifest), read)


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


def write_judgement_file(
    lines: Iterable[tuple[str, str, bytes]], target: str, document: DocumentRecord | None = None
) -> int:
    """Writes judgements, each with its example, its author and its line; gives how many.

    A file of columns that is no part takes the `document` without its judgements.
    """
    with writing(target) as stream:
        if is_columnar(target):
            return _write_columns(lines, stream, target, document)
        packed = target.endswith(".gz")
        count = 0
        with gzip.GzipFile("", "wb", fileobj=stream) if packed else nullcontext(stream) as file:
            for _, _, line in lines:
                file.write(line + b"\n")
                count += 1
        return count


def _write_columns(
    lines: Iterable[tuple[str, str, bytes]],
    stream: BinaryIO,
    name: str,
    document: DocumentRecord | None,
) -> int:
    try:
        import pyarrow
    except ImportError:
        raise MissingExtraError(f"writing {name}", "parquet") from None
    notes = {_NOTE: encode(document)} if document else None
    schema = pyarrow.schema([(each, pyarrow.string()) for each in _COLUMNS], notes)
    count = 0
    with column_writer(stream, schema, name, ["author"]) as writer:
        for some in batches(lines):
            rows = [(example, author, line.decode()) for example, author, line in some]
            try:
                columns = [
                    pyarrow.array(each, pyarrow.string()) for each in zip(*rows, strict=True)
                ]
            except UnicodeEncodeError:
                raise InputError(
                    f"{name} cannot hold the id of an example that is not text; write to FILE.json"
                ) from None
            writer.write_batch(pyarrow.RecordBatch.from_arrays(columns, schema=schema))
            count += len(some)
    return count


def judgement_line(judgement: Judgement) -> tuple[str, str, bytes]:
    """A judgement as it is written to a part."""
    return judgement.example, judgement.author.name, write_judgement(judgement)
