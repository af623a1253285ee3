"""What an indexed folder leads to outside of it is not read; the rest of the folder is."""

import os
from pathlib import Path

import pytest

from assay.knowledge import index_corpus
from assay.knowledge.corpora import documents
from assay.knowledge.corpora.documents import CorpusFile, read_documents
from assay.knowledge.corpora.indexing import IndexReport
from tests.knowledge.corpora.corpora import passages, texts

FILES = 3  # in the folder of the fixture


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder beside the indexed one, with a file that must not get into the corpus."""
    place = tmp_path / "outside"
    place.mkdir()
    (place / "secret.txt").write_text("OPENAI_API_KEY is the key of the school.", "utf-8")
    return place


def told(report: IndexReport) -> list[str]:
    return [str(each) for each in report.problems]


def test_link_to_a_file_outside_is_one_problem(folder: Path, outside: Path, tmp_path: Path) -> None:
    (folder / "link.txt").symlink_to(outside / "secret.txt")
    report = index_corpus(folder, tmp_path / "c.sqlite")
    to = os.path.realpath(outside / "secret.txt")
    assert told(report) == [f"link.txt: it is a link out of the folder, to {to}"]
    assert (report.indexed, texts(tmp_path / "c.sqlite", "key school")) == (FILES, [])


def test_link_to_a_folder_outside_is_one_problem(
    folder: Path, outside: Path, tmp_path: Path
) -> None:
    (folder / "more").symlink_to(outside)
    (folder / "up").symlink_to("..")
    report = index_corpus(folder, tmp_path / "c.sqlite")
    assert [each.where for each in report.problems] == ["more", "up"]
    assert (report.indexed, len(passages(tmp_path / "c.sqlite"))) == (FILES, FILES)


def test_links_within_the_folder_are_followed_or_not_needed(folder: Path, tmp_path: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "school.txt").write_text("A school in Calder.", "utf-8")
    (folder / "again.txt").symlink_to(Path("sub", "school.txt"))
    (folder / "sub" / "round").symlink_to(folder)
    (folder / "same").symlink_to("sub")
    report = index_corpus(folder, tmp_path / "c.sqlite")
    assert (told(report), report.indexed) == ([], FILES + 2)


def test_folder_or_file_that_the_user_names_may_be_a_link(
    folder: Path, outside: Path, tmp_path: Path
) -> None:
    (tmp_path / "named").symlink_to(folder)
    (tmp_path / "named.txt").symlink_to(outside / "secret.txt")
    assert told(index_corpus(tmp_path / "named", tmp_path / "c.sqlite")) == []
    report = index_corpus(tmp_path / "named.txt", tmp_path / "d.sqlite")
    assert (told(report), report.indexed) == ([], 1)


def test_what_an_earlier_version_read_through_a_link_is_taken_out(
    folder: Path, outside: Path, tmp_path: Path
) -> None:
    corpus, file = tmp_path / "c.sqlite", folder / "page.txt"
    file.write_text("The key of the school.", "utf-8")
    index_corpus(folder, corpus)
    file.unlink()
    file.symlink_to(outside / "secret.txt")
    report = index_corpus(folder, corpus)
    assert (report.removed, report.unreadable, texts(corpus, "key school")) == (1, 1, [])


def test_pipe_is_one_problem_and_nobody_waits_for_it(folder: Path, tmp_path: Path) -> None:
    os.mkfifo(folder / "pipe.txt")
    (folder / "zero.txt").symlink_to("/dev/zero")
    report = index_corpus(folder, tmp_path / "c.sqlite")
    assert told(report) == [
        "pipe.txt: it is not a regular file",
        "zero.txt: it is not a regular file",
    ]
    assert report.indexed == FILES


def test_file_that_becomes_a_link_while_it_is_read_is_refused(
    folder: Path, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, path = Path(os.path.realpath(folder)), folder / "page.txt"
    path.symlink_to(outside / "secret.txt")

    def hurried(name: Path) -> str:
        """Puts a harmless file in the place of the link, just after it was opened."""
        path.unlink()
        path.write_text("Harmless.", "utf-8")
        return str(root / "page.txt")

    monkeypatch.setattr(os.path, "realpath", hurried)
    (problem,) = read_documents(CorpusFile(path, "page.txt", root))
    assert str(problem) == "page.txt: it was replaced while it was opened"


def test_every_bad_file_is_a_problem_of_its_own(folder: Path, tmp_path: Path) -> None:
    (folder / "a.html").write_text("<p>&#" + "1" * 5_000 + "; ferries", "utf-8")
    (folder / "b.json").write_text("[" * 100_000, "utf-8")
    (folder / "c.txt").write_bytes(b"caf\xe9")
    (folder / "d.json").write_text('{"text": "t", "time": ' + "9" * 5_000 + "}", "utf-8")
    with (folder / "e.txt").open("wb") as large:
        large.truncate(documents.LARGEST + 1)  # a hole, which takes no space
    report = index_corpus(folder, tmp_path / "c.sqlite")
    assert {each.where for each in report.problems} >= {"b.json", "c.txt", "d.json", "e.txt"}
    assert all("\n" not in each for each in told(report))
    assert texts(tmp_path / "c.sqlite", "Lindmoor")


def test_page_that_cannot_be_understood_is_one_problem(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(text: str) -> None:
        raise ValueError("Exceeds the limit (4300 digits)")

    monkeypatch.setattr(documents, "readable_page", fail)
    (folder / "a.html").write_text("<p>Ferries", "utf-8")
    report = index_corpus(folder, tmp_path / "c.sqlite")
    wanted = "a.html: it cannot be understood: Exceeds the limit (4300 digits)"
    assert wanted in told(report)
    assert texts(tmp_path / "c.sqlite", "Lindmoor")
