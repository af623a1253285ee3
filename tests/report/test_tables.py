"""Facts and tables for the terminal, and an evaluation in Markdown and as CSV."""

import csv
import io
from dataclasses import replace

from rich.console import Console, RenderableType

from assay import __version__
from assay.core.examples import Annotated, Example
from assay.core.judgements import Author, Manifest
from assay.core.results import Totals
from assay.core.taxonomies import FAITHBENCH
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.engine.estimate import RunEstimate
from assay.engine.summary import RunSummary
from assay.evaluation.comparison import EvaluationReport, compare
from assay.evaluation.corpora.stats import StatsCollector
from assay.llm.costs.estimates import CallEstimate
from assay.metrics import Estimate
from assay.report.evaluation.corpus import stats_view
from assay.report.evaluation.table import csv_table, markdown_table, terminal_tables
from assay.report.tables import (
    COUNT,
    WORDS,
    Column,
    Table,
    csv_text,
    data_rows,
    facts_view,
    fitting,
    markdown_lines,
    site_columns,
    site_row,
    table_view,
)
from assay.report.terminal import STATES, estimate_facts, manifest_facts, run_facts
from assay.report.words import printable
from tests.evaluation.opinions import annotate, says

MANIFEST = Manifest(
    Author("judge-gray7", version="f00d"),
    version="0.1.0",
    detector="judge-gray7",
    taxonomy="gray7",
    dataset="toy.jsonl",
    split="test",
    examples=40,
    sample=4,
    seed=7,
    model="some-model",
    votes=3,
    parameters={"temperature": 0.7, "top_p": None},
)
USAGE = {
    "calls": 1_200,
    "cached": 3,
    "failed": 2,
    "prompt_tokens": 5_000,
    "completion_tokens": 600,
    "estimated": 1,
    "cost": 0.5,
    "seconds": 75,
}


def shown(*views: RenderableType, width: int = 120) -> str:
    out = io.StringIO()
    for view in views:
        Console(file=out, width=width).print(view)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def test_facts_leave_out_what_is_empty() -> None:
    assert shown(facts_view([("one", "1"), ("none", ""), ("markup", "[b]x[/b]")])) == (
        "one     1\nmarkup  [b]x[/b]"
    )


COLUMNS: tuple[Column[tuple[str, str, int]], ...] = (
    Column("name", lambda row: row[0], WORDS),
    Column("kind", lambda row: row[1], WORDS, "What it is.", title="Sort"),
    Column("n", lambda row: row[2], COUNT),
)


def test_every_medium_escapes_what_it_would_misread() -> None:
    hostile = [("=a|<b>`\r\nc", "\rx", 1_200)]
    assert list(markdown_lines(Table("", "", COLUMNS, hostile))) == [
        "| name | kind | n |",
        "| --- | --- | ---: |",
        "| =a\\|\\<b>\\` c | x | 1,200 |",
    ]
    [row] = csv.DictReader(io.StringIO(csv_text(COLUMNS, hostile), newline=""))
    assert row == {"name": "'=a|<b>`\r\nc", "kind": "'\rx", "n": "1200"}
    assert "\r" not in shown(table_view(Table("", "", COLUMNS, hostile)))


def test_programs_and_pages_get_rows_by_name() -> None:
    estimate: Column[float] = Column(
        "rate %", lambda x: Estimate(x, 8), name="rate", parts={"rate": "value"}
    )
    hidden: Column[float] = Column("gold", str, media=("data",))
    assert list(data_rows((estimate, hidden), [0.5])) == [{"rate": 0.5, "gold": "0.5"}]
    assert site_row((estimate, hidden), 1 / 3) == {
        "rate": {"value": 0.33333, "n": 8, "low": None, "high": None}
    }
    assert [(each["name"], each["title"]) for each in site_columns((estimate, hidden))] == [
        ("rate", "Rate %")
    ]
    assert site_columns(COLUMNS)[1]["meaning"] == "What it is."
    assert site_columns(COLUMNS)[1]["title"] == "Sort"


def test_a_wide_table_is_cut_between_columns_and_names_its_rows_in_each_part() -> None:
    table = Table("", "", (*COLUMNS, COLUMNS[2], COLUMNS[2]), [("a", "b", 1_000_000)], more="more")
    # name and kind need 6 columns each, n 11
    assert [part.heads for part in fitting(table, 34)] == [
        ["name", "kind", "n", "n"],
        ["name", "kind", "n"],
    ]
    assert table.texts()[-1] == ["more", "", "", "", ""]


def test_words_stand_left_and_numbers_right() -> None:
    table = shown(table_view(Table("title", "", COLUMNS, [("a", "b", 1), ("aa", "bb", 10)])))
    assert table.splitlines()[1:] == [
        "title",
        " name  kind   n",
        " a     b      1",
        " aa    bb    10",
    ]


def test_control_characters_are_spelled_out() -> None:
    assert printable("a\x9bb\r\nc") == "a\\x9bb c"


def summary(state: str = "interrupted") -> RunSummary:
    totals = Totals(examples=3)
    totals.failures.update({"parse": 1, "refused": 2})
    return RunSummary("mine", "runs/mine.sqlite", state, MANIFEST, totals, USAGE, ())


def test_facts_of_a_run_tell_who_judged_what_and_what_it_took() -> None:
    facts = dict(run_facts(summary()))
    assert facts["run"] == "mine was interrupted and can be resumed"
    assert facts["done"] == "3 of 4 examples"
    assert facts["data"] == "toy.jsonl, split test"
    assert facts["sample"] == "4 of them, chosen with seed 7"
    assert facts["detector"] == "judge-gray7 (f00d)"
    assert facts["judges"] == "sentences, labels gray7"
    assert (facts["model"], facts["Assay"]) == ("some-model", "0.1.0")
    assert facts["parameters"] == "temperature: 0.7"
    assert facts["failures"] == "refused 2, parse 1"
    assert facts["calls"] == "1,200 paid, 3 from the cache, 2 failed"
    assert facts["tokens"] == "5,000 prompt, 600 completion (1 calls estimated)"
    assert (facts["cost"], facts["time"]) == ("$0.5000", "1 min 15 s")


def test_every_state_of_a_run_has_words_that_name_no_option() -> None:
    for state in STATES:
        assert "--" not in dict(run_facts(summary(state)))["run"]


def test_detector_is_named_as_the_user_did_and_as_it_calls_itself() -> None:
    def detector(author: Author) -> str:
        return dict(manifest_facts(replace(MANIFEST, author=author)))["detector"]

    assert detector(Author("judge-gray7")) == "judge-gray7"
    assert detector(Author("judge-gray7 of x", version="1")) == "judge-gray7 (judge-gray7 of x 1)"


def test_estimate_tells_cost_by_model_and_what_it_leaves_out() -> None:
    each = CallEstimate(10, 2_000, 300, 9_000, 0.01, 0.02, 1.5)
    facts = dict(estimate_facts(RunEstimate(5, {"some-model": each}, "wiki.sqlite")))
    assert facts["tokens"] == "about 2,000 prompt and 300 completion, at most 9,000 in all"
    assert facts["cost"] == "$0.0200 expected; $0.0100 if replies are short, at most $1.50"
    assert facts["looked up"].startswith("what the source does not support, in wiki.sqlite; the")
    unknown = replace(each, low=None, expected=None, high=None)
    cost = dict(estimate_facts(RunEstimate(5, {"some-model": unknown})))["cost"]
    assert cost == "unknown: there is no price for the model"
    assert dict(estimate_facts(RunEstimate(5, {})))["calls"] == "0: the detector asks no model"


def test_wide_terminal_has_a_row_for_each_detector_and_a_narrow_one_columns(
    small_report: EvaluationReport,
) -> None:
    [wide] = terminal_tables(small_report, 220)
    assert [str(column.header) for column in wide.columns][:4] == [
        "detector",
        "rank",
        "n",
        "coverage",
    ]
    narrow = list(terminal_tables(small_report, 80))
    assert [len(table.columns) for table in narrow] == [2, 2, 2]
    assert "0.900 [" in shown(narrow[1], width=80)


def test_markdown_has_marks_and_versions(small_report: EvaluationReport) -> None:
    text = markdown_table(small_report)
    assert "| labels* |" in text
    assert "| failing |" in text
    assert f"Versions: Assay {__version__}; labels 2.0; scores 2.0; failing 2.0\n" in text


def test_csv_has_a_line_for_each_figure_with_the_versions(small_report: EvaluationReport) -> None:
    hostile = replace(small_report, dataset="=1+1")
    assert {each["dataset"] for each in csv.DictReader(io.StringIO(csv_table(hostile)))} == {
        "'=1+1"
    }
    lines = list(csv.DictReader(io.StringIO(csv_table(small_report))))
    found = {(line["detector"], line["figure"]): line for line in lines}
    assert float(found["scores", "balanced accuracy"]["value"]) == 0.9
    assert found["failing", "failures parse"]["value"] == "4"
    assert found["failing", "balanced accuracy"]["value"] == ""
    assert found["scores", "best"]["value"] == "1"
    assert {(line["version"], line["assay"]) for line in lines if line["detector"] == "labels"} == {
        ("labels 2.0", __version__)
    }


def test_document_of_an_evaluation_names_versions_and_figures(
    small_report: EvaluationReport,
) -> None:
    document = small_report.to_dict()
    assert (document["assay"], document["dataset"]) == (__version__, "toy")
    scores = document["detectors"][1]
    assert scores["manifest"]["author"] == {"name": "scores", "kind": "detector", "version": "2.0"}
    assert (scores["figures"]["balanced accuracy"]["value"], scores["items"]) == (0.9, 11)
    pair = compare(small_report.evaluations[0], small_report.evaluations[1]).to_dict()
    assert (pair["first"], pair["second"], pair["assay"]) == ("labels", "scores", __version__)
    assert [each["author"]["version"] for each in pair["manifests"]] == ["2.0", "2.0"]
    assert {"example": "a", "unit": "s2", "text": "Sentence 2 of a."}.items() <= pair[
        "differences"
    ][0].items()


def test_statistics_name_labels_and_recorded_detectors(small_corpus: list[Annotated]) -> None:
    collector = StatsCollector()
    for each in small_corpus:
        collector.add(each)
    stats = collector.stats()
    text = shown(*stats_view(stats))
    assert "examples    4" in text
    assert "labels of sentences (gray7), as the corpus gives them" in text
    assert "recorded detectors" in text
    assert stats.to_dict()["assay"] == __version__


def test_statistics_have_kinds_of_errors_by_length() -> None:
    collector = StatsCollector()
    for n, name in enumerate(("unwanted", "benign", "consistent")):
        example = Example(f"{n}", Source("One word." + " More." * n), Response("R.", "m"))
        whole = says(Unit.response("R."), FAITHBENCH[name])
        collector.add(annotate(example, whole))
    text = shown(*stats_view(collector.stats()))
    assert "labels of responses that are not faithful by words of the source" in text
    rows = [line.split()[:3] for line in text.splitlines() if line.split()[:1] in (["all"], ["m"])]
    assert ["m", "unwanted", "100.0"] in rows
    assert ["all", "benign", "0.0"] in rows
