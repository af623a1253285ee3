"""Outside knowledge: local corpora are made, sources are searched, snapshots are exchanged."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from assay.core.errors import InputError
from assay.core.system import bridge
from assay.core.system.files import refuse_as_output
from assay.knowledge.corpora.corpus import LocalCorpus
from assay.knowledge.corpora.indexing import IndexReport, Watcher, index_corpus
from assay.knowledge.corpora.tables import CORPUS
from assay.knowledge.database import mark_of
from assay.knowledge.opening import KnowledgeChoice, SourceOptions, open_source
from assay.knowledge.snapshots import (
    SNAPSHOTS,
    Snapshots,
    export_passages,
    export_snapshots,
    import_snapshots,
)
from assay.knowledge.sources import KnowledgePassage

__all__ = ["IndexReport", "KnowledgePassage", "Watcher", "index_corpus"]


@dataclass(frozen=True, slots=True)
class Found:
    """The passages that a source has about a query."""

    source: str
    query: str
    passages: tuple[KnowledgePassage, ...]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        passages = [each.to_dict() for each in self.passages]
        return {"source": self.source, "query": self.query, "passages": passages}


def search(choice: KnowledgeChoice, query: str, most: int = 5) -> Found:
    """Searches a corpus, a wiki or the web."""
    if not query.strip():
        raise InputError("there is nothing to search for: the query is empty", field="query")
    if most < 1:
        raise InputError(f"a search returns at least 1 passage, not {most}", field="most")
    return bridge.run(_search(choice.source, query, most, choice.options))


def describe(file: str) -> dict[str, Any]:
    """The facts about a corpus or a file of snapshots."""
    return {"file": file, **(_corpus_facts(file) if is_corpus(file) else _snapshot_facts(file))}


def export(file: str, out: str) -> int:
    """Writes snapshots, or all passages of a corpus, as JSON lines; gives how many."""
    refuse_as_output(out, file)
    if not is_corpus(file):
        with _snapshots(file) as snapshots:
            return export_snapshots(snapshots, out)
    corpus = LocalCorpus(file)
    try:
        return export_passages(corpus.passages(), out)
    finally:
        corpus.close()


def add_snapshots(file: str, into: str) -> tuple[int, int]:
    """Adds exported snapshots to a file; gives how many snapshots and searches it holds then."""
    with _snapshots(into, to_write=True) as snapshots:
        import_snapshots(file, snapshots)
        return snapshots.count()


def is_corpus(file: str) -> bool:
    """True for a corpus, False for a file of snapshots; any other file raises."""
    if not Path(file).is_file():
        raise InputError(f"there is no file at {file}")
    mark = mark_of(file)
    if mark not in (CORPUS.mark, SNAPSHOTS.mark):
        raise InputError(f"{file} is neither a local corpus nor a file of snapshots")
    return mark == CORPUS.mark


async def _search(name: str, query: str, most: int, options: SourceOptions) -> Found:
    async with open_source(name, options) as source:
        return Found(source.name, query, await source.search(query, most))


def _corpus_facts(file: str) -> dict[str, Any]:
    corpus = LocalCorpus(file)
    try:
        counts = asdict(corpus.counts())
    finally:
        corpus.close()
    size = Path(file).stat().st_size
    each = round(size / counts["passages"]) if counts["passages"] else 0
    return {"kind": CORPUS.name, **counts, "bytes": size, "bytes_per_passage": each}


def _snapshot_facts(file: str) -> dict[str, Any]:
    with _snapshots(file) as snapshots:
        passages, searches = snapshots.count()
    size = Path(file).stat().st_size
    return {"kind": SNAPSHOTS.name, "snapshots": passages, "searches": searches, "bytes": size}


@contextmanager
def _snapshots(file: str, *, to_write: bool = False) -> Iterator[Snapshots]:
    snapshots = Snapshots(file, to_write=to_write)
    try:
        yield snapshots
    finally:
        snapshots.close()
