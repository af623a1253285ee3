"""What stands on the page of an evaluation, read without a browser."""

import json
import os
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from assay import __version__
from assay.app.evaluate import Evaluated
from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.judgements import Author
from assay.core.taxonomies import GRAY7
from assay.core.texts import Source
from assay.core.verdicts import Failure, Verdict
from assay.evaluation.comparison import EvaluationReport
from assay.report.evaluation.charts import DetectorCharts
from assay.report.evaluation.page import PageView, view_page

NASTY = "</script><script>alert(1)</script> \"'&amp; {{ 7 * 7 }} <img src=x>"

Detectors = dict[str, DetectorCharts]
Make = Callable[..., Annotated]
Evaluate = Callable[..., EvaluationReport]


@pytest.fixture
def html(tmp_path: Path, small_report: EvaluationReport) -> str:
    return written(tmp_path, small_report)


def written(folder: Path, report: EvaluationReport) -> str:
    Evaluated(report).to_html(str(folder / "page.html"))
    return (folder / "page.html").read_text(encoding="utf-8")


class Reader(HTMLParser):
    """Reads a page into its elements, (tag, attributes), and their text; tags must fit together."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self._open: list[int] = []
        self.feed(html)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        self.texts.append("")
        if tag not in ("meta", "link"):
            self._open.append(len(self.elements) - 1)

    def handle_endtag(self, tag: str) -> None:
        assert self.elements[self._open.pop()][0] == tag, f"</{tag}> closes another element"

    def handle_data(self, data: str) -> None:
        for at in self._open:
            self.texts[at] += data

    def attributes(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]

    def text(self, tag: str) -> str:
        found = next(at for at, (name, _) in enumerate(self.elements) if name == tag)
        return " ".join(self.texts[found].split())


def test_best_detector_comes_first_and_the_undefined_last(page: PageView) -> None:
    # scores: (4/5 + 3/3) / 2; labels: (4/5 + 2/3) / 2; failing judged no unfaithful item.
    found = [(each.evaluation.detector, each.rank) for each in page.detectors]
    assert found == [("scores", 0), ("labels", 1), ("failing", None)]


def test_class_f1_is_shown_where_menus_agree(detectors: Detectors) -> None:
    bars = detectors["labels"].class_f1
    assert [bar.name for bar in bars] == list(GRAY7.names)
    # contradicting: 1 right, 2 said, 2 gold: 2 / 4.
    assert bars[0].estimate.value == 0.5
    assert detectors["scores"].class_f1 == ()


def test_page_asks_for_nothing_from_elsewhere(html: str) -> None:
    read = Reader(html)
    assert [link["href"] for link in read.attributes("link")] == ["data:,"]
    assert not [attributes for _, attributes in read.elements if "src" in attributes]
    assert "url(" not in read.text("style")
    assert "@import" not in read.text("style")
    assert all(link["href"].startswith("#") for link in read.attributes("a"))


def test_policy_is_that_of_the_check_page(html: str) -> None:
    policy = next(m["content"] for m in Reader(html).attributes("meta") if "http-equiv" in m)
    wanted = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
    assert policy.startswith(f"{wanted}; img-src data:;")


def test_head_tells_dataset_reading_and_counts(html: str) -> None:
    head = Reader(html).text("header")
    assert head.startswith(
        "Evaluation on toy sentence level; gold: the corpus's own labels; verigray:"
    )
    assert "11 sentences with a gold label 8 that the reading counts: 5 faithful, 3 unf" in head
    assert "4 responses 4 sources 1 generating model 3 detectors" in head
    assert "The data needed no repair." in head


def test_repairs_are_listed_one_by_one(
    tmp_path: Path, make_example: Make, report_of: Evaluate
) -> None:
    repairs = "tie 1,200 x (as many for as against; unfaithful); moved 3 x (it was searched)"
    head = Reader(written(tmp_path, report_of([make_example("a", "EC", "EC")], repairs))).text(
        "header"
    )
    assert head.endswith(
        "2 kinds of repair to the data tie 1,200 x (as many for as against; unfaithful)"
        "moved 3 x (it was searched) Without JavaScript the table cannot be sorted and the "
        "examples behind the numbers cannot be listed."
    )


def test_table_has_every_figure_with_interval_and_n(html: str) -> None:
    table = Reader(html).text("table")
    assert re.search(r"0\.900 0\.\d{3}–0\.\d{3} n=8", table)
    assert "36.4% 4 of 11" in table
    assert "parse 4missing 3" in table
    assert "undefined (n=3)" in table
    assert "not measured" in table


def test_every_detector_is_named_with_its_version(html: str) -> None:
    text = " ".join("".join(Reader(html).texts[:1]).split())
    for name in ("labels", "scores", "failing"):
        assert f"Detector {name} 2.0, data toy, Assay {__version__}" in text
    assert f"Made with Assay {__version__}." in text


def test_marks_are_explained(html: str) -> None:
    text = " ".join("".join(Reader(html).texts[:1]).split())
    assert "★scores, the best" in text
    assert "☆labels, not significantly worse than the best" in text
    assert "★ the best balanced accuracy; ☆ not distinguishable from it" in text
    assert "p ≥ 0.05" in text


def test_every_chart_has_words(html: str) -> None:
    charts = [part.split("</svg>")[0] for part in html.split("<svg")[1:]]
    assert charts
    for chart in charts:
        assert chart.partition(">")[2].startswith("<title>")
        assert 'aria-hidden="true"' in chart or "<desc>" in chart


def test_ids_are_unique_and_links_lead_to_them(html: str) -> None:
    read = Reader(html)
    ids = [attributes["id"] for _, attributes in read.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {link["href"][1:] for link in read.attributes("a")} <= set(ids)


def test_numbers_name_rows_that_are_there(html: str) -> None:
    data = json.loads(html.partition('id="examples">')[2].partition("</script>")[0])
    buttons = [each for each in Reader(html).attributes("button") if "data-rows" in each]
    assert len(buttons) > 100
    for button in buttons:
        rows = [data["rows"][int(row)] for row in button["data-rows"].split()]
        assert len(rows) == int(button["data-count"])


@pytest.fixture
def nasty_report(make_example: Make, report_of: Evaluate) -> EvaluationReport:
    annotated = make_example(NASTY, "EC", "E!")
    example, (gold, said) = annotated.example, annotated.judgements
    verdict, failure = said.outcomes
    assert isinstance(verdict, Verdict)
    assert isinstance(failure, Failure)
    nasty = Annotated(
        replace(
            example,
            source=Source(NASTY, id=NASTY),
            response=replace(example.response, model=NASTY),
        ),
        (
            gold,
            replace(
                said,
                author=Author(NASTY, version=NASTY),
                outcomes=(replace(verdict, note=NASTY), replace(failure, detail=NASTY)),
            ),
        ),
    )
    return replace(report_of([nasty], NASTY), dataset=NASTY, reading=NASTY)


def test_markup_in_any_field_is_text(tmp_path: Path, nasty_report: EvaluationReport) -> None:
    html = written(tmp_path, nasty_report)
    read = Reader(html)
    assert html.count("<script") == 2
    assert not read.attributes("img")
    assert read.text("h1") == " ".join(f"Evaluation on {NASTY}".split())
    data = json.loads(html.partition('id="examples">')[2].partition("</script>")[0])
    names, first, *_ = data["rows"]
    assert dict(zip(names, first, strict=True))["note"] == " ".join(NASTY.split())


def test_text_that_is_not_unicode_loses_no_page(
    tmp_path: Path, make_example: Make, report_of: Evaluate
) -> None:
    report = report_of([make_example("a \ud800 b", "EC", "EC")])
    html = written(tmp_path, replace(report, dataset="c \ud800 d"))
    assert Reader(html).text("h1") == r"Evaluation on c \ud800 d"
    assert "a \\ud800 b" in html


def test_detector_without_any_verdict_is_shown(
    tmp_path: Path, make_example: Make, report_of: Evaluate
) -> None:
    report = report_of([make_example("a", "EC", "EC"), make_example("b", "EC", "!!")])
    empty = report_of([make_example("b", "EC", "!!")])
    assert view_page(empty).detectors[0].curve is None
    assert "undefined (n=0)" in written(tmp_path, empty)
    assert "50% " in Reader(written(tmp_path, report)).text("table")


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "page.html"


def test_page_replaces_an_older_one_and_leaves_nothing_else(
    target: Path, small_report: EvaluationReport
) -> None:
    target.write_text("older")
    Evaluated(small_report).to_html(str(target))
    assert target.read_text().startswith("<!doctype html>")
    assert list(target.parent.iterdir()) == [target]


def test_link_to_a_page_stays_a_link(target: Path, small_report: EvaluationReport) -> None:
    real = target.with_name("real.html")
    target.symlink_to(real)
    Evaluated(small_report).to_html(str(target))
    assert target.is_symlink()
    assert real.stat().st_size > 0


def test_place_that_cannot_be_written_is_told(target: Path, small_report: EvaluationReport) -> None:
    path = target.parent / "nowhere" / "page.html"
    with pytest.raises(InputError, match=r"cannot write .*page\.html: No such file or directory"):
        Evaluated(small_report).to_html(str(path))


def test_pipe_and_folder_are_not_replaced(target: Path, small_report: EvaluationReport) -> None:
    os.mkfifo(target)
    for path in (target, target.parent):
        with pytest.raises(InputError, match="it is not a file"):
            Evaluated(small_report).to_html(str(path))
    assert target.is_fifo()
