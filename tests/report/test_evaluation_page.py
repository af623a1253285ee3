"""What stands on the page of an evaluation, read without a browser."""

import json
import os
import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.spans import Span
from assay.core.taxonomies import BINARY, GRAY7
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.evaluate.board import EvaluationReport, Settings, make_report
from assay.evaluate.gold import GoldUnit
from assay.evaluate.items import Reading
from assay.metrics import Resampling, transition_counts
from assay.report.charts import Bar, Link, quarters, risk_curve
from assay.report.evaluation_page import DetectorView, PageView, view_page, write_evaluation_page

NASTY = "</script><script>alert(1)</script> \"'&amp; {{ 7 * 7 }} <img src=x>"
LETTERS = {
    "C": GRAY7["contradicting"],
    "F": GRAY7["fabricated"],
    "A": GRAY7["ambiguous"],
    "N": GRAY7["no-fact"],
    "O": GRAY7["out-dependent"],
    "I": GRAY7["implicitly-supported"],
    "E": GRAY7["explicitly-supported"],
    "+": BINARY["faithful"],
    "-": BINARY["unfaithful"],
}
# Gold, and what three detectors say: labels with scores, tenths as scores only, binary labels of
# which some are missing (?) or could not be read (!).
SCRIPT = {
    "a": ("ECF", "EEF", "923", "!!!"),
    "b": ("NIC", "NIC", "581", "+-!"),
    "c": ("AOE", "EEE", "668", "???"),
    "d": ("II", "IC", "74", "++"),
}


def said(unit: Unit, letter: str, judge: str) -> Outcome | None:
    """An outcome from its letter; a digit is a score in tenths."""
    if letter == "?":
        return None
    if letter == "!":
        return Failure(unit, "parse", "no verdict in it", judge=judge)
    if letter.isdigit():
        return Verdict(unit, score=int(letter) / 10, judge=judge)
    label = LETTERS[letter]
    score = label.rank / 6 if label.taxonomy == "gray7" else None
    return Verdict(unit, label, score, note=f"because {letter}", judge=judge)


def make_example(id: str, gold: str, *judges: str, source: str = "S") -> Example:
    """An example whose sentences are `Sentence 1 of a.` and so on."""
    texts = [f"Sentence {number} of {id}." for number in range(1, len(gold) + 1)]
    whole, start, units = " ".join(texts), 0, []
    for text in texts:
        units.append(Unit.at("sentence", Span.cut(whole, start, start + len(text), "response")))
        start += len(text) + 1
    names = ("labels", "scores", "failing")
    outcomes = (
        said(unit, letter, name)
        for name, letters in zip(names, judges, strict=False)
        for unit, letter in zip(units, letters, strict=True)
    )
    return Example(
        id,
        Source(source * 100 * len(gold), id=f"source of {id}"),
        Response(whole, "model-x"),
        gold=tuple(Verdict(u, LETTERS[letter]) for u, letter in zip(units, gold, strict=True)),
        recorded=tuple(filter(None, outcomes)),
    )


def report_of(
    examples: list[Example], repairs: str = "", unit: GoldUnit = "sentence"
) -> EvaluationReport:
    settings = Settings(Reading(unit), resampling=Resampling(replicates=50))
    return make_report("toy", examples, [], settings, repairs)


def small_report() -> EvaluationReport:
    return report_of([make_example(id, *letters) for id, letters in SCRIPT.items()])


@pytest.fixture(scope="module")
def page() -> PageView:
    return view_page(small_report())


@pytest.fixture
def html(tmp_path: Path) -> str:
    return written(tmp_path, small_report())


def written(folder: Path, report: EvaluationReport) -> str:
    write_evaluation_page(str(folder / "page.html"), report)
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


def detector(page: PageView, name: str) -> DetectorView:
    return next(each for each in page.detectors if each.evaluation.detector == name)


def shown(page: PageView, link: Link) -> list[str]:
    """The texts that a link opens."""
    return [page.examples.items[page.examples.rows[row].item].text for row in link.rows]


def numbers(bars: tuple[Bar, ...]) -> list[tuple[str, int, float | None, int]]:
    """Name, linked count, value and n of some bars."""
    return [(b.name, b.link.count if b.link else 0, b.estimate.value, b.estimate.n) for b in bars]


def test_best_detector_comes_first_and_the_undefined_last(page: PageView) -> None:
    # scores: (4/5 + 3/3) / 2; labels: (4/5 + 2/3) / 2; failing judged no unfaithful item.
    found = [(each.evaluation.detector, each.rank) for each in page.detectors]
    assert found == [("scores", 0), ("labels", 1), ("failing", None)]


def test_confusion_counts_every_item_once(page: PageView) -> None:
    for each in page.detectors:
        sums = [sum(cell.link.count for cell in row.cells) for row in each.confusion.rows]
        assert sums == [row.link.count for row in each.confusion.rows]
        assert sum(sums) == 11


def test_same_menu_gives_a_square_matrix(page: PageView) -> None:
    found = detector(page, "labels").confusion
    assert [row.badge for row in found.rows] == list(found.columns)
    assert [badge.name for badge in found.columns] == list(GRAY7.names)
    contradicting = [cell.link.count for cell in found.rows[0].cells]
    assert contradicting == [1, 0, 0, 0, 0, 0, 1]


def test_scores_are_read_as_two_classes(page: PageView) -> None:
    found = detector(page, "scores").confusion
    assert [badge.name for badge in found.columns] == ["unfaithful", "faithful"]


def test_failures_have_their_own_columns(page: PageView) -> None:
    found = detector(page, "failing")
    counts = {part.badge.name: part.link.count for part in found.said}
    assert counts == {
        "unfaithful": 1,
        "faithful": 3,
        "no verdict: parse": 4,
        "no verdict: missing": 3,
    }


def test_cells_are_right_wrong_or_uncounted(page: PageView) -> None:
    rows = detector(page, "labels").confusion.rows
    kinds = {
        (row.badge.name, column.name): cell.kind
        for row in rows
        for column, cell in zip(detector(page, "labels").confusion.columns, row.cells, strict=True)
        if cell.link.count
    }
    assert kinds["contradicting", "contradicting"] == "right"
    assert kinds["contradicting", "explicitly-supported"] == "wrong"
    assert kinds["ambiguous", "explicitly-supported"] == "uncounted"
    failing = detector(page, "failing").confusion
    assert failing.rows[0].cells[2].kind == "uncounted"


def test_links_lead_to_exactly_their_items(page: PageView) -> None:
    row = detector(page, "labels").confusion.rows[0]
    assert shown(page, row.cells[6].link) == ["Sentence 2 of a."]
    assert shown(page, row.link) == ["Sentence 2 of a.", "Sentence 3 of b."]
    assert row.cells[6].link.words == "labels: gold contradicting, said explicitly-supported"


def test_row_has_verdict_score_and_note(page: PageView) -> None:
    link = detector(page, "labels").confusion.rows[0].cells[6].link
    row = page.examples.rows[link.rows[0]]
    assert page.examples.badges[row.said].name == "explicitly-supported"
    assert (row.wrong, row.score, row.note) == (True, 1.0, "because E")


def test_errors_by_gold_class_leave_out_what_the_reading_does(page: PageView) -> None:
    assert numbers(detector(page, "labels").by_gold) == [
        ("contradicting", 1, 0.5, 2),
        ("fabricated", 0, 0.0, 1),
        ("implicitly-supported", 1, 1 / 3, 3),
        ("explicitly-supported", 0, 0.0, 2),
    ]


def test_errors_of_a_class_without_verdicts_are_undefined(page: PageView) -> None:
    assert numbers(detector(page, "failing").by_gold)[0] == ("contradicting", 0, None, 0)


def test_no_error_has_an_interval_of_some_width(page: PageView) -> None:
    estimate = detector(page, "labels").by_gold[1].estimate
    assert estimate.low == 0
    assert estimate.high is not None
    assert estimate.high > 0.5


def test_errors_by_length_add_up(page: PageView) -> None:
    for each in page.detectors:
        for bars in (each.by_source, each.by_response):
            wrong = sum(judged.is_error for judged in each.evaluation.judged)
            assert sum(bar.link.count for bar in bars if bar.link) == wrong


def test_quarters_keep_equal_lengths_together() -> None:
    assert quarters([10, 20, 30, 40]) == {"10–10": [0], "20–20": [1], "30–30": [2], "40–40": [3]}
    assert quarters([7, 7, 7, 1_000]) == {"7–7": [0, 1, 2], "1,000–1,000": [3]}


def test_class_f1_is_shown_where_menus_agree(page: PageView) -> None:
    bars = detector(page, "labels").class_f1
    assert [bar.name for bar in bars] == list(GRAY7.names)
    # contradicting: 1 right, 2 said, 2 gold: 2 / 4.
    assert bars[0].estimate.value == 0.5
    assert detector(page, "scores").class_f1 == ()


def test_curve_is_of_the_items_that_count(page: PageView) -> None:
    curve = detector(page, "scores").curve
    assert curve is not None
    assert curve.n == 8
    # Scores of the counted from high: 9 | 8 8 | 7 | 4 | 3 2 1, of which the last three unfaithful.
    assert [round(point.coverage * 8) for point in curve.points] == [1, 3, 4, 5, 6, 7, 8]
    assert curve.points[-1].risk == 3 / 8
    assert detector(page, "failing").curve is None


def test_curve_has_few_points_and_a_line_for_each_tenth() -> None:
    random = np.random.default_rng(1)
    curve = risk_curve(random.random(5_000) < 0.5, random.random(5_000))
    assert curve is not None
    assert len(curve.points) == 200
    assert [round(point.coverage, 3) for point in curve.listed] == [n / 10 for n in range(1, 11)]


def test_bins_link_to_their_scores(page: PageView) -> None:
    bins = detector(page, "scores").bins
    assert [each.bin.n for each in bins] == [1, 1, 1, 1, 1, 2, 1]
    assert shown(page, bins[5].link) == ["Sentence 2 of b.", "Sentence 3 of c."]
    assert detector(page, "failing").bins == ()


def test_transitions_are_those_of_the_metric(page: PageView) -> None:
    matrix = page.gold.transitions
    assert matrix is not None
    gold = "".join(letters[0] for letters in SCRIPT.values())
    responses = [id for id, letters in SCRIPT.items() for _ in letters[0]]
    expected = transition_counts([LETTERS[g].rank for g in gold], responses, classes=7)
    assert [[cell.link.count for cell in row.cells] for row in matrix.rows] == expected.tolist()
    # After contradicting comes, once, fabricated: 1 of 1.
    assert (matrix.rows[0].cells[1].share.value, matrix.rows[0].cells[1].share.n) == (1, 1)
    assert shown(page, matrix.rows[0].cells[1].link) == ["Sentence 3 of a."]


def test_sentences_are_read_in_the_order_of_the_text() -> None:
    example = make_example("a", "EC", "EC")
    turned = replace(example, gold=example.gold[::-1])
    matrix = view_page(report_of([turned])).gold.transitions
    assert matrix is not None
    found = [(row.badge.name, row.link.count) for row in matrix.rows]
    assert found == [("contradicting", 0), ("explicitly-supported", 1)]


def test_first_errors_are_a_share_of_what_was_faithful_before(page: PageView) -> None:
    # All four are faithful at first; a goes wrong at its second sentence, b at its third.
    assert numbers(page.gold.first_errors) == [
        ("1", 0, 0.0, 4),
        ("2", 1, 0.25, 4),
        ("3", 1, 0.5, 2),
    ]
    link = page.gold.first_errors[2].link
    assert link is not None
    assert shown(page, link) == ["Sentence 3 of b."]
    assert page.gold.clean == 2


def test_responses_have_no_transitions() -> None:
    examples = [make_example(id, *letters) for id, letters in SCRIPT.items()]
    gold = view_page(report_of(examples, unit="response")).gold
    assert gold.transitions is None
    assert gold.first_errors == ()
    assert sum(part.link.count for part in gold.parts) == 4


def big_report(examples: int, letters: str) -> EvaluationReport:
    return report_of([make_example(f"e{n}", letters, letters) for n in range(examples)])


def test_cell_lists_at_most_200_spread_over_the_corpus() -> None:
    page = view_page(big_report(300, "EC"))
    link = page.detectors[0].confusion.rows[1].link
    assert page.examples.most == 200
    assert (link.count, len(link.rows)) == (300, 200)
    assert shown(page, link)[-1] == "Sentence 1 of e298."


def test_page_carries_at_most_5000_rows_and_every_cell_gets_its_part() -> None:
    gold = "CFANOIE"
    turned = [gold[n:] + gold[:n] for n in range(7)]
    page = view_page(report_of([make_example(f"e{n}", gold, turned[n % 7]) for n in range(770)]))
    # 770 x 7 items in 7 x 7 cells are 110 a cell: 102 of each are 4,998 rows, 103 would be 5,047.
    assert page.examples.most == 102
    assert len(page.examples.rows) == 4_998
    said = Counter(page.examples.badges[row.said].name for row in page.examples.rows)
    assert set(said.values()) == {714}


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
    assert head.startswith("Evaluation on toy sentence level, worst of the annotators; verigray:")
    assert "11 sentences with a gold label 8 that the reading counts: 5 faithful, 3 unf" in head
    assert "4 responses 4 sources 1 generating model 3 detectors" in head
    assert "No repair was made" in head


def test_repairs_are_listed_one_by_one(tmp_path: Path) -> None:
    repairs = "tie 1,200 x (as many for as against; unfaithful); moved 3 x (it was searched)"
    head = Reader(written(tmp_path, report_of([make_example("a", "EC", "EC")], repairs))).text(
        "header"
    )
    assert head.endswith(
        "2 kinds of repair made to the data tie 1,200 x (as many for as against; unfaithful)"
        "moved 3 x (it was searched) Without scripts the table cannot be sorted, and the examples "
        "behind the numbers cannot be listed."
    )


def test_table_has_every_figure_with_interval_and_n(html: str) -> None:
    table = Reader(html).text("table")
    assert re.search(r"0\.900 0\.\d{3}–1\.000 n=8", table)
    assert "36.3% 4 of 11" in table
    assert "parse 4missing 3" in table
    assert "undefined (n=3)" in table
    assert "not measured" in table


def test_marks_are_explained(html: str) -> None:
    text = " ".join("".join(Reader(html).texts[:1]).split())
    assert "★scores, the best" in text
    assert "☆labels, not significantly worse than the best" in text
    assert "★ the best balanced accuracy; ☆ not significantly worse than it" in text
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


def nasty_report() -> EvaluationReport:
    example = make_example(NASTY, "EC", "E!")
    outcomes = [replace(each, judge=NASTY) for each in example.recorded]
    notes = (
        replace(each, note=NASTY) if isinstance(each, Verdict) else replace(each, detail=NASTY)
        for each in outcomes
    )
    nasty = replace(
        example,
        source=Source(NASTY, id=NASTY),
        response=replace(example.response, model=NASTY),
        recorded=tuple(notes),
    )
    return replace(report_of([nasty], NASTY), dataset=NASTY, reading=NASTY)


def test_markup_in_any_field_is_text(tmp_path: Path) -> None:
    html = written(tmp_path, nasty_report())
    read = Reader(html)
    assert html.count("<script") == 2
    assert not read.attributes("img")
    assert read.text("h1") == " ".join(f"Evaluation on {NASTY}".split())
    data = json.loads(html.partition('id="examples">')[2].partition("</script>")[0])
    assert data["rows"][0][-1] == " ".join(NASTY.split())


def test_text_that_is_not_unicode_loses_no_page(tmp_path: Path) -> None:
    report = report_of([make_example("a \ud800 b", "EC", "EC")])
    html = written(tmp_path, replace(report, dataset="c \ud800 d"))
    assert Reader(html).text("h1") == "Evaluation on c \ufffd d"
    assert "a \\ud800 b" in html


def test_detector_without_any_verdict_is_shown(tmp_path: Path) -> None:
    report = report_of([make_example("a", "EC", "EC"), make_example("b", "EC", "!!")])
    empty = report_of([make_example("b", "EC", "!!")])
    assert view_page(empty).detectors[0].curve is None
    assert "undefined (n=0)" in written(tmp_path, empty)
    assert "50% " in Reader(written(tmp_path, report)).text("table")


def test_texts_are_shortened() -> None:
    page = view_page(report_of([make_example("x" * 400, "EC", "EC")]))
    assert {len(item.text) for item in page.examples.items} == {240}
    assert page.examples.items[0].text.endswith("…")


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "page.html"


def test_page_replaces_an_older_one_and_leaves_nothing_else(target: Path) -> None:
    target.write_text("older")
    write_evaluation_page(str(target), small_report())
    assert target.read_text().startswith("<!doctype html>")
    assert list(target.parent.iterdir()) == [target]


def test_link_to_a_page_stays_a_link(target: Path) -> None:
    real = target.with_name("real.html")
    target.symlink_to(real)
    write_evaluation_page(str(target), small_report())
    assert target.is_symlink()
    assert real.stat().st_size > 0


def test_place_that_cannot_be_written_is_told(target: Path) -> None:
    path = target.parent / "nowhere" / "page.html"
    with pytest.raises(InputError, match=r"cannot write .*page\.html: No such file or directory"):
        write_evaluation_page(str(path), small_report())


def test_pipe_and_folder_are_not_replaced(target: Path) -> None:
    os.mkfifo(target)
    for path in (target, target.parent):
        with pytest.raises(InputError, match="it is not a file"):
            write_evaluation_page(str(path), small_report())
    assert target.is_fifo()
