"""Making a corpus, and bringing it up to date."""

import gzip
import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.knowledge.corpora.corpus import LocalCorpus
from assay.knowledge.corpora.corpus_file import writing_alone
from assay.knowledge.corpora.corpus_writing import BATCH, IndexReport
from assay.knowledge.corpora.indexing import index_corpus


@contextmanager
def opened(path: Path) -> Iterator[LocalCorpus]:
    corpus = LocalCorpus(path)
    yield corpus
    corpus.close()


def texts(path: Path, query: str, most: int = 5) -> list[str]:
    with opened(path) as corpus:
        return [each.text for each in corpus.find(query, most)]


def passages(path: Path) -> list[str]:
    with opened(path) as corpus:
        return [each.text for each in corpus.passages()]


def write_rows(path: Path, count: int, word: str = "row") -> Path:
    lines = (json.dumps({"text": f"{word} number {n} of many"}) for n in range(count))
    path.write_text("\n".join(lines), "utf-8")
    return path


def test_a_folder_is_indexed_and_found(folder: Path, tmp_path: Path) -> None:
    corpus = tmp_path / "c.sqlite"
    report = index_corpus(folder, corpus)
    assert (report.files, report.indexed, report.documents, report.passages) == (3, 3, 3, 3)
    with opened(corpus) as source:
        (found,) = source.find("Which ferry sank in 1986?", 1)
    assert found.text == "The ferry Lindmoor sank in 1986.\n\nNobody drowned."
    assert (found.title, found.address, found.start) == ("ferry", "ferry.txt", 0)
    assert all((found.time, found.retrieved, found.score))


def test_passages_keep_their_place_in_the_document(tmp_path: Path) -> None:
    document = "\n\n".join(f"Paragraph {n} is about harbour {n}. " * 5 for n in range(30))
    (tmp_path / "long.txt").write_text(document, "utf-8")
    index_corpus(tmp_path / "long.txt", tmp_path / "c.sqlite", words=40)
    with opened(tmp_path / "c.sqlite") as source:
        found = list(source.passages())
    assert len(found) > 20
    for each in found:
        assert each.start is not None
        assert document[each.start : each.start + len(each.text)] == each.text


def test_unchanged_files_are_skipped(folder: Path, tmp_path: Path) -> None:
    corpus = tmp_path / "c.sqlite"
    index_corpus(folder, corpus)
    (folder / "ferry.txt").touch()
    report = index_corpus(folder, corpus)
    assert (report.unchanged, report.indexed, report.passages) == (3, 0, 0)


def test_changed_files_are_replaced(folder: Path, tmp_path: Path) -> None:
    corpus = tmp_path / "c.sqlite"
    index_corpus(folder, corpus)
    (folder / "ferry.txt").write_text("The ferry was repaired.", "utf-8")
    report = index_corpus(folder, corpus)
    assert (report.unchanged, report.indexed) == (2, 1)
    assert texts(corpus, "ferry sank Lindmoor 1986 repaired") == ["The ferry was repaired."]
    assert len(passages(corpus)) == 3


def test_vanished_files_are_removed(folder: Path, tmp_path: Path) -> None:
    corpus = tmp_path / "c.sqlite"
    index_corpus(folder, corpus)
    (folder / "ferry.txt").unlink()
    assert index_corpus(folder, corpus).removed == 1
    assert texts(corpus, "ferry Lindmoor") == []
    with opened(corpus) as source:
        counts = source.counts()
    assert (counts.files, counts.documents, counts.passages) == (2, 2, 2)


def test_vanished_files_are_kept_if_wanted(folder: Path, tmp_path: Path) -> None:
    corpus = tmp_path / "c.sqlite"
    index_corpus(folder, corpus)
    (folder / "ferry.txt").unlink()
    assert index_corpus(folder, corpus, keep_missing=True).removed == 0
    assert len(texts(corpus, "ferry")) == 1


def test_another_folder_removes_nothing(folder: Path, tmp_path: Path) -> None:
    corpus, other = tmp_path / "c.sqlite", tmp_path / "notes-2"
    other.mkdir()
    (other / "a.txt").write_text("A school in Calder.", "utf-8")
    index_corpus(folder, corpus)
    assert index_corpus(other, corpus).removed == 0
    index_corpus(folder / "ferry.txt", corpus)
    assert len(passages(corpus)) == 4


def test_another_length_of_passages_indexes_again(tmp_path: Path) -> None:
    corpus, file = tmp_path / "c.sqlite", tmp_path / "a.txt"
    file.write_text("One two three four five six. " * 10, "utf-8")
    index_corpus(file, corpus)
    assert index_corpus(file, corpus, words=12).indexed == 1
    assert len(passages(corpus)) == 5


def test_hidden_and_other_files_are_left_out(folder: Path, tmp_path: Path) -> None:
    (folder / ".git").mkdir()
    (folder / ".git" / "a.txt").write_text("hidden", "utf-8")
    (folder / ".b.txt").write_text("hidden", "utf-8")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    assert index_corpus(folder, tmp_path / "c.sqlite").files == 3


def test_bad_rows_are_counted_and_the_rest_is_indexed(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text('{"text": "a boat"}\nnonsense\n{"text": "a school"}', "utf-8")
    report = index_corpus(file, tmp_path / "c.sqlite")
    assert (report.passages, report.unreadable) == (2, 1)
    with opened(tmp_path / "c.sqlite") as source:
        assert source.counts().unreadable == 1


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


@pytest.mark.parametrize(
    ("name", "message"),
    [("missing", "no file or folder"), ("a.docx", "cannot tell"), ("empty", "nothing to index")],
)
def test_what_cannot_be_indexed_is_said(name: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(b"x")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=message):
        index_corpus(tmp_path / name, tmp_path / "c.sqlite")
    assert not (tmp_path / "c.sqlite").exists()


def test_foreign_files_are_refused_and_left_alone(folder: Path, tmp_path: Path) -> None:
    text, other = tmp_path / "text.sqlite", tmp_path / "other.sqlite"
    text.write_text("no database, but long enough to look like one" * 50, "utf-8")
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE mine (a)")
    connection.close()
    for path, message in ((text, "not a SQLite file"), (other, "another SQLite file")):
        before = path.read_bytes()
        for use in (lambda p=path: index_corpus(folder, p), lambda p=path: LocalCorpus(p)):
            with pytest.raises(InputError, match=message):
                use()
        assert path.read_bytes() == before


def test_a_corpus_of_a_newer_version_is_refused(folder: Path, tmp_path: Path) -> None:
    corpus = tmp_path / "c.sqlite"
    index_corpus(folder, corpus)
    connection = sqlite3.connect(corpus)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(InputError, match="newer version of assay: its format is 99"):
        LocalCorpus(corpus)


def test_a_damaged_corpus_is_one_clear_line(tmp_path: Path) -> None:
    corpus = tmp_path / "c.sqlite"
    index_corpus(write_rows(tmp_path / "rows.jsonl", 2_000), corpus)
    raw = bytearray(corpus.read_bytes())
    raw[8192:-4096] = os.urandom(len(raw) - 8192 - 4096)
    corpus.write_bytes(raw)
    with pytest.raises(InputError, match=r"damaged|cannot use"):
        texts(corpus, "row number 77")


def test_a_missing_corpus_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no local corpus at"):
        LocalCorpus(tmp_path / "none.sqlite")


def test_a_corpus_that_cannot_be_written_is_said_before_work(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot write"):
        index_corpus(folder, tmp_path / "no" / "such" / "c.sqlite")


def test_passages_of_no_words_are_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="at least 10 words, not 3"):
        index_corpus(folder, tmp_path / "c.sqlite", words=3)


def test_the_counts_of_common_words_follow_the_corpus(tmp_path: Path) -> None:
    corpus, file = tmp_path / "c.sqlite", write_rows(tmp_path / "rows.jsonl", 50, "boat")
    index_corpus(file, corpus)
    write_rows(file, 4, "ship")
    index_corpus(file, corpus)
    connection = sqlite3.connect(corpus)
    counted = dict(connection.execute("SELECT term, passages FROM common"))
    connection.close()
    assert counted["ship"] == counted["number"] == 4
    assert "boat" not in counted
    with opened(corpus) as source:
        assert len(source.find("ship of many", 9)) == 4


def test_a_name_that_is_no_text_is_said_and_the_rest_is_indexed(
    folder: Path, tmp_path: Path
) -> None:
    try:
        Path(folder, os.fsdecode(b"\xff.txt")).write_text("Never read.", "utf-8")
    except OSError:
        pytest.skip("this system allows no such names")
    report = index_corpus(folder, tmp_path / "c.sqlite")
    assert [str(each) for each in report.problems] == [
        "\ufffd.txt: its name is not UTF-8; give it another"
    ]
    assert report.indexed == 3
    with pytest.raises(InputError, match="not UTF-8"):
        index_corpus(folder / os.fsdecode(b"\xff.txt"), tmp_path / "c.sqlite")


def test_the_digest_tells_whether_a_corpus_holds_the_same(folder: Path, tmp_path: Path) -> None:
    digests = []
    for name, text in (("a", "One."), ("b", "One."), ("c", "Two.")):
        (folder / "more.txt").write_text(text, "utf-8")
        index_corpus(folder, tmp_path / f"{name}.sqlite")
        with opened(tmp_path / f"{name}.sqlite") as corpus:
            digests.append(corpus.digest)
    assert digests[0] == digests[1] != digests[2]


def test_what_could_not_be_read_is_told_in_every_run(tmp_path: Path) -> None:
    corpus, file = tmp_path / "c.sqlite", tmp_path / "rows.jsonl"
    file.write_text('{"text": "a boat"}\nnonsense\n{"text": "a school"}', "utf-8")
    first, again = index_corpus(file, corpus), index_corpus(file, corpus)
    assert (again.unchanged, again.passages, again.unreadable) == (1, 0, 1)
    assert again.problems == first.problems


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


def test_a_link_that_leads_nowhere_is_told_and_taken_out(folder: Path, tmp_path: Path) -> None:
    corpus, there = tmp_path / "c.sqlite", tmp_path / "there.txt"
    there.write_text("A school in Calder.", "utf-8")
    (folder / "link.txt").symlink_to(there)
    assert index_corpus(folder, corpus).unreadable == 0
    there.unlink()
    report = index_corpus(folder, corpus)
    assert [each.where for each in report.problems] == ["link.txt"]
    assert (report.removed, texts(corpus, "school")) == (1, [])


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
