"""The file of a page: whole or not there, in blocks, with each source once."""

import os
import resource
import tracemalloc
from collections.abc import Iterator
from contextlib import suppress
from itertools import accumulate
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.core.judgements import Author, Manifest
from assay.core.results import Result
from assay.core.taxonomies import GRAY7
from assay.core.verdicts import Verdict
from assay.report.pages.page import PageWriter, html_of
from tests.report.pages.page_data import (
    MANIFEST,
    Data,
    Write,
    judged,
)


def test_source_of_several_responses_is_stored_once(sample: Result, write: Write) -> None:
    other = judged("Another source.", "B.", Verdict("s1", GRAY7["fabricated"]))
    data = Data(write(sample, other, sample))
    assert [each["source"] for each in data.responses] == [0, 1, 0]
    assert data.sources == [sample.example.source.text, "Another source."]


def test_responses_are_read_in_blocks_that_say_where_they_begin(write: Write) -> None:
    long = "x" * 90_000
    results = [
        judged(f"{long}{at // 2}", f"B{at}.", Verdict("s1", GRAY7["fabricated"])) for at in range(9)
    ]
    data = Data(write(*results))
    assert len(data.blocks) > 1
    firsts = [0, *accumulate(len(block) for block in data.blocks)][:-1]
    sources = [0, *accumulate(sum("shown" in e for e in b) for b in data.blocks)][:-1]
    assert data.about["blocks"] == [list(each) for each in zip(firsts, sources, strict=True)]
    assert [data.text(at) for at in range(9)] == [f"B{at}." for at in range(9)]


def test_page_appears_whole_when_it_is_closed(sample: Result, tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    with PageWriter(str(target), MANIFEST) as page:
        for _ in range(20):
            page.add(sample)
        assert not target.exists()
    assert list(tmp_path.iterdir()) == [target]
    assert len(Data(target).index) == 20


def test_memory_of_the_writer_does_not_grow_with_the_page(tmp_path: Path) -> None:
    """Five times as many responses take as much memory, but for a few bytes for each source."""

    def peak(count: int) -> int:
        tracemalloc.start()
        with PageWriter(str(tmp_path / "page.html"), MANIFEST) as page:
            for at in range(count):
                text = f"{at} " * 1_000
                page.add(judged(text, "B.", Verdict("s1", GRAY7["fabricated"])))
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    peak(60)  # the templates are read once
    few, many = peak(200), peak(1_000)
    assert (tmp_path / "page.html").stat().st_size > 3_000_000
    assert many - few < 800 * 500


def test_error_leaves_the_older_page_and_nothing_else(sample: Result, tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    target.write_text("older")
    with suppress(KeyboardInterrupt), PageWriter(str(target), MANIFEST) as page:
        page.add(sample)
        raise KeyboardInterrupt
    assert target.read_text() == "older"
    assert list(tmp_path.iterdir()) == [target]


def test_page_is_as_readable_as_any_new_file(sample: Result, write: Write) -> None:
    page = write(sample)
    plain = page.with_name("plain")
    plain.touch()
    assert page.stat().st_mode == plain.stat().st_mode


def test_link_to_a_page_stays_a_link(sample: Result, tmp_path: Path) -> None:
    link = tmp_path / "link.html"
    link.symlink_to(tmp_path / "real.html")
    with PageWriter(str(link), MANIFEST) as page:
        page.add(sample)
    assert link.is_symlink()
    assert (tmp_path / "real.html").stat().st_size > 0


def test_place_that_cannot_be_written_is_told_at_once(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "page.html"
    with pytest.raises(InputError, match=r"cannot write .*page\.html: No such file or directory"):
        PageWriter(str(path), MANIFEST)


def test_pipe_is_not_replaced_by_a_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, tmp_path):
        with pytest.raises(InputError, match="it is not a file"):
            PageWriter(str(path), MANIFEST)
    assert pipe.is_fifo()


def test_text_of_a_page_is_what_its_file_has(sample: Result, write: Write) -> None:
    manifest = Manifest(Author("some-detector", version="1.2"), "0.1.0", taxonomy="gray7")
    assert html_of([sample, sample], manifest) == write(sample, sample).read_text("utf-8")


@pytest.fixture
def little_space() -> Iterator[None]:
    """Files that cannot grow beyond 100 kB."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.usefixtures("little_space")
def test_lack_of_space_is_told(sample: Result, write: Write) -> None:
    with pytest.raises(InputError, match=r"cannot write .*page\.html: File too large"):
        write(*[sample] * 60)


@pytest.mark.usefixtures("little_space")
def test_page_that_lacks_space_leaves_nothing(sample: Result, write: Write, tmp_path: Path) -> None:
    with suppress(InputError):
        write(*[sample] * 60)
    assert list(tmp_path.iterdir()) == []
