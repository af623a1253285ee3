"""Files of JSON lines that people fill in: written whole, and read with the place of each line."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from assay.core.errors import InputError
from assay.core.records import Record
from assay.core.writing import replacing
from assay.datasets.corpora.reading import read_json_lines

Line = tuple[str, Mapping[str, Any]]  # where it stands, and what it says


def read_lines(path: str) -> Iterator[Line]:
    """The objects of a file; a line that is none, and an id that comes twice, raise."""
    seen: set[str] = set()
    for number, record in enumerate(read_json_lines(Path(path)), start=1):
        where = f"{path} record {number}"
        if not isinstance(record, dict):
            raise InputError(f"{where}: it is a JSON object, not {type(record).__name__}")
        key = text_in(record, "id", where)
        if not key:
            raise InputError(f"{where}: it has no 'id'")
        if key in seen:
            raise InputError(f"{where}: '{key}' is answered twice; keep one of the two")
        seen.add(key)
        yield where, record


def write_lines(path: str, records: Iterable[Record]) -> int:
    """Writes a file, which appears whole; gives the number of its lines."""
    count = 0
    with replacing(path) as part, part.open("w", encoding="utf-8") as file:
        for record in records:
            file.write(_encoded(record) + "\n")
            count += 1
    return count


def text_in(record: Mapping[str, Any], name: str, where: str) -> str:
    """A text of a record; what is null or not there is empty."""
    value = record.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InputError(f"{where}: '{name}' is text, not {value!r}")
    return value.strip()


def _encoded(record: Record) -> str:
    text = json.dumps(record, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # half a character, which JSON can only escape
        return json.dumps(record)
    return text
