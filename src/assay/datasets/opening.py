"""What a user names as data: a corpus, or a file of their own."""

from collections.abc import Iterable
from pathlib import Path

from assay.core.errors import InputError, UnknownNameError
from assay.core.examples import Example
from assay.datasets.conversion import is_converted, read_converted
from assay.datasets.corpus import CORPORA, Corpus, load_corpus
from assay.datasets.fields import Columns
from assay.datasets.files import Problem, read_file


def open_examples(
    target: str, data: str | None, columns: Columns, language: str = "en"
) -> Corpus | Iterable[Example | Problem]:
    """The corpus of that name below a folder of corpora, or else the examples in that file."""
    if target in CORPORA:
        if columns != Columns():
            raise InputError(f"fields are chosen for a file, but {target} is a corpus")
        return load_corpus(target, data)
    if Path(target).is_dir():
        raise InputError(f"{target} is a folder; give a file, or a corpus and --data DIR")
    if not _looks_like_file(target):
        raise UnknownNameError("corpus", target, CORPORA)
    if is_converted(target):
        return read_converted(target)
    return read_file(target, columns, language)


def _looks_like_file(name: str) -> bool:
    return name == "-" or "." in name or "/" in name or Path(name).exists()
