"""Making a corpus, and bringing it up to date."""

import os
import sqlite3
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.knowledge import LocalCorpus, index_corpus
from tests.knowledge.corpora.corpora import opened, passages, texts, write_rows


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
    for path, message in ((text, "not a SQLite file"), (other, "another kind of SQLite file")):
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
    with pytest.raises(InputError, match="newer version of Assay: its format is 99"):
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
    with pytest.raises(InputError, match="words must be 10 or more, not 3"):
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
        "\ufffd.txt: its name is not UTF-8; rename it"
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


def test_a_link_that_leads_nowhere_is_told_and_taken_out(folder: Path, tmp_path: Path) -> None:
    corpus, there = tmp_path / "c.sqlite", folder / "there.dat"
    there.write_text("A school in Calder.", "utf-8")
    (folder / "link.txt").symlink_to(there)
    assert index_corpus(folder, corpus).unreadable == 0
    there.unlink()
    report = index_corpus(folder, corpus)
    assert [each.where for each in report.problems] == ["link.txt"]
    assert (report.removed, texts(corpus, "school")) == (1, [])
