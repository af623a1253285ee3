"""Indexing that is interrupted, killed, or goes on beside others."""

import gzip
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.knowledge import index_corpus
from assay.knowledge.corpora.indexing import BATCH, IndexReport
from assay.knowledge.corpora.tables import writing_alone
from tests.knowledge.corpora.corpora import opened, passages, texts, write_rows


def test_interrupted_indexing_goes_on_where_it_stopped(tmp_path: Path) -> None:
    corpus, file = tmp_path / "c.sqlite", write_rows(tmp_path / "rows.jsonl", 2 * BATCH + 100)

    def stop(report: IndexReport) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        index_corpus(file, corpus, watch=stop)
    with opened(corpus) as source:
        assert (source.counts().passages, source.counts().incomplete) == (BATCH, 1)
    report = index_corpus(file, corpus)
    assert report.passages == BATCH + 100
    found = passages(corpus)
    assert len(found) == len(set(found)) == 2 * BATCH + 100


KILLED = """
import os, signal, sys
from assay.knowledge.corpora.indexing import index_corpus

def watch(report):
    if report.passages > 12_000:
        os.kill(os.getpid(), signal.SIGKILL)

index_corpus(sys.argv[1], sys.argv[2], watch=watch)
"""


def test_a_killed_process_loses_nothing_that_was_written(tmp_path: Path) -> None:
    corpus, file = tmp_path / "c.sqlite", write_rows(tmp_path / "rows.jsonl", 30_000)
    done = subprocess.run([sys.executable, "-c", KILLED, str(file), str(corpus)], check=False)
    assert done.returncode == -signal.SIGKILL
    with opened(corpus) as source:
        kept = source.counts().passages
    assert kept >= 12_000
    assert index_corpus(file, corpus).passages == 30_000 - kept
    assert len(set(passages(corpus))) == 30_000
    assert len(texts(corpus, "29999")) == 1


def test_a_large_file_that_changed_halfway_is_indexed_from_the_start(tmp_path: Path) -> None:
    corpus, file = tmp_path / "c.sqlite", write_rows(tmp_path / "rows.jsonl", BATCH + 10)

    def stop(report: IndexReport) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        index_corpus(file, corpus, watch=stop)
    write_rows(file, 20, "boat")
    index_corpus(file, corpus)
    assert len(passages(corpus)) == 20
    assert texts(corpus, "row") == []


def test_the_corpus_can_be_searched_while_it_is_written(tmp_path: Path) -> None:
    corpus, file = tmp_path / "c.sqlite", write_rows(tmp_path / "rows.jsonl", 3 * BATCH)
    seen: list[int] = []
    index_corpus(write_rows(tmp_path / "first.jsonl", 1, "boat"), corpus)
    with opened(corpus) as source:

        def look(_: IndexReport) -> None:
            seen.append(len(source.find("row boat", 3)))

        index_corpus(file, corpus, watch=look)
    assert seen[0] == 3
    assert len(seen) >= 3


def test_two_processes_do_not_write_at_once(folder: Path, tmp_path: Path) -> None:
    corpus = tmp_path / "c.sqlite"
    with writing_alone(corpus), pytest.raises(InputError, match="indexed by another process"):
        index_corpus(folder, corpus)
    index_corpus(folder, corpus)


def test_a_finished_corpus_is_one_plain_file(folder: Path, tmp_path: Path) -> None:
    corpus = tmp_path / "c.sqlite"
    index_corpus(folder, corpus)
    assert sorted(path.name for path in tmp_path.iterdir() if "lock" not in path.name) == [
        "c.sqlite",
        "notes",
    ]
    corpus.chmod(0o444)
    assert len(texts(corpus, "ferry")) == 1


def test_a_run_that_goes_on_tells_the_problems_of_the_first(tmp_path: Path) -> None:
    corpus, file = tmp_path / "c.sqlite", write_rows(tmp_path / "rows.jsonl", BATCH + 100)
    file.write_text("nonsense\n" + file.read_text("utf-8"), "utf-8")

    def stop(report: IndexReport) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        index_corpus(file, corpus, watch=stop)
    report = index_corpus(file, corpus)
    assert (report.passages, report.unreadable) == (100, 1)
    with opened(corpus) as source:
        assert source.counts().unreadable == 1


def test_a_file_that_breaks_off_is_told_each_time_and_read_on_from_there(tmp_path: Path) -> None:
    rows = b"".join(b'{"text": "row number %d of many"}\n' % n for n in range(3_000))
    (tmp_path / "rows.jsonl.gz").write_bytes(gzip.compress(rows)[:-3_000])
    corpus = tmp_path / "c.sqlite"
    first = index_corpus(tmp_path / "rows.jsonl.gz", corpus)
    kept = passages(corpus)
    assert (first.unreadable, first.documents) == (1, len(kept))
    assert 0 < len(kept) < 3_000
    again = index_corpus(tmp_path / "rows.jsonl.gz", corpus)
    assert (again.unreadable, again.documents, again.unchanged) == (1, 0, 0)
    assert passages(corpus) == kept
