"""Builds a local corpus from files, and updates it when they change.

Each file is identified by the digest of its content: an unchanged file is skipped, a changed one is
replaced, a missing one is removed. Work is written in batches, so that an interruption loses no
more than the last batch; the next run continues where it stopped.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from assay.core.errors import InputError
from assay.core.system.files import require_writable
from assay.knowledge.corpora.documents import READERS, CorpusFile, Unreadable, suffix_of
from assay.knowledge.corpora.tables import CORPUS, writing_alone
from assay.knowledge.corpora.writing import CorpusWriter, IndexReport, Watcher
from assay.knowledge.database import open_database, reading
from assay.knowledge.ranking import WORDS
from assay.knowledge.sources import encodable


def index_corpus(
    target: str | Path,
    corpus: str | Path,
    *,
    words: int = WORDS,
    keep_missing: bool = False,
    watch: Watcher = lambda _: None,
) -> IndexReport:
    """Updates a corpus from a file or a folder; `watch` is called after each batch."""
    if words < 10:
        raise InputError(f"words must be 10 or more, not {words}", field="words")
    target, corpus = Path(target), Path(corpus)
    if str(target.absolute()) != encodable(str(target.absolute())):
        raise InputError(f"the name of {encodable(str(target))} is not UTF-8; rename it")
    found = list(find_files(target))
    files = [each for each in found if isinstance(each, CorpusFile)]
    require_writable(corpus)
    with writing_alone(corpus), reading(corpus, CORPUS):
        connection = open_database(corpus, CORPUS, to_write=True)
        try:
            writer = CorpusWriter(connection, words, watch)
            writer.report.files = len(files)
            writer.report.total_bytes = sum(map(_size, files))
            if target.is_dir() and not keep_missing:
                writer.remove_missing(target, files)
            for each in found:
                if isinstance(each, CorpusFile):
                    writer.update(each)
                else:
                    writer.report.add(each)
            writer.finish()
            return writer.report
        finally:
            connection.close()


def _size(file: CorpusFile) -> int:
    try:
        return file.path.stat().st_size
    except OSError:  # it has disappeared, which is reported when it is read
        return 0


def find_files(target: Path) -> Iterator[CorpusFile | Unreadable]:
    """The files to index: this one, or those of a folder in order, without hidden ones.

    What is no regular file, or leads out of the folder, is reported when it is read. Links to
    folders are not followed: where they lead into the folder, the files are found without them.
    """
    kinds = ", ".join(READERS)
    if target.is_file():
        if suffix_of(target) not in READERS:
            raise InputError(
                f"cannot tell the format of {target} from its name; supported are {kinds}"
            )
        yield CorpusFile(target, target.name)
        return
    if not target.is_dir():
        raise InputError(f"there is no file or folder at {target}")
    root, found, unread = Path(os.path.realpath(target)), False, list[OSError]()
    for folder, folders, names in os.walk(target, onerror=unread.append):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for path in (Path(folder, name) for name in folders):
            real = os.path.realpath(path)
            if path.is_symlink() and not Path(real).is_relative_to(root):
                where = path.relative_to(target).as_posix()
                yield Unreadable(where, f"it is a link out of the folder, to {real}")
        for path in (Path(folder, name) for name in sorted(names)):
            if suffix_of(path) in READERS and not path.name.startswith("."):
                found = True
                yield CorpusFile(path, path.relative_to(target).as_posix(), root)
    for error in unread:
        where = os.path.relpath(str(error.filename), target)
        yield Unreadable(where, f"it cannot be read: {error.strerror}")
    if not found:
        raise InputError(f"there is nothing to index in {target}: no file name ends in {kinds}")
