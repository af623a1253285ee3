"""The page, the Markdown and the CSV of an audit."""

import csv
import io
from html.parser import HTMLParser

from assay.audit.adjudication import adjudicate
from assay.audit.forms import read_forms
from assay.audit.outcomes import AuditReport, report_on
from assay.audit.revisions import Application, apply_revisions
from assay.audit.verification import rule_on
from assay.evaluation.evaluate import Settings
from assay.evaluation.policy import GoldPolicy
from assay.report.audit.page import audit_html
from assay.report.audit.tables import csv_report, markdown_report
from tests.audit.ferries import detector, ferry, filled, flagged, incorrect

HOSTILE = "<script>alert(1)</script> | =1+1"


def report() -> AuditReport:
    """One revised label whose reason is hostile."""
    data = (ferry("a", "-+-"), ferry("b", "++-"))
    by = (detector("=d|<b>", a="++-", b="++-"), detector("e", a="-+-", b="+++"))
    lines = flagged(*data, by=by[:1]).lines
    kind = {"taxonomy": "error5", "label": "hedging-removal"}
    flags, wrong = read_forms([filled(lines[0], incorrect(note=HOSTILE, error=kind))])
    assert wrong == []
    decided = adjudicate(flags).decided
    ruled = {each.key: each for each in rule_on(decided)}
    made = Application(decided, ruled, unverified=True)
    after = list(apply_revisions(data, made))
    return report_on("ferries", data, after, made, by, Settings(GoldPolicy("sentence")))


class Tags(HTMLParser):
    """Collects the tags of a page and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.words: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_page_shows_outcome_kinds_ranking_and_each_revision() -> None:
    page = Tags(audit_html(report()))
    text = " ".join(" ".join(page.words).split())
    assert "script" not in page.tags  # there is none of ours, and none of a text's
    assert HOSTILE in text
    for words in ("1 revised", "hedging-removal", "crosses twice a day", "=d|<b>", "▲"):
        assert words in text, words
    assert "default-src 'none'" in audit_html(report())


def test_markdown_has_every_table_and_keeps_its_columns() -> None:
    text = markdown_report(report())
    assert "| =d\\|\\<b> | " in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert any("hedging-removal" in row for row in rows)
    assert any("unfaithful | faithful | 1" in row for row in rows)


def test_csv_has_one_figure_a_line_and_no_formula() -> None:
    rows = list(csv.DictReader(io.StringIO(csv_report(report()))))
    rate = next(row for row in rows if row["figure"] == "inconsistency rate")
    assert (float(rate["value"]), rate["n"]) == (1 / 6, "6")
    assert not any(cell.startswith("=") for row in rows for cell in row.values())
    ranks = {(r["row"], r["figure"]): r["value"] for r in rows if r["figure"].startswith("rank")}
    # d: (2/3 + 1) / 2 before and 1 after; e: (2/3 + 1) / 2 before, then 1/2 and 3/4 of each class.
    assert ranks["'=d|<b>", "rank before"] == ranks["e", "rank before"] == "1"
    assert (ranks["'=d|<b>", "rank after"], ranks["e", "rank after"]) == ("1", "2")
