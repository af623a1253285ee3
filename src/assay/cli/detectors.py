"""`assay detectors`: what can judge, and what is known about each."""

from typing import Annotated

from assay.app.detectors import DetectorLine, detector_facts, list_detectors
from assay.cli.commands import CommandGroup
from assay.cli.options import AsJson, Shown
from assay.core.options import Argument
from assay.report.tables import WORDS, Column, Table, data_rows, facts_view, table_view

_COLUMNS: tuple[Column[DetectorLine], ...] = (
    Column("detector", lambda each: each.name, WORDS),
    Column("judges", lambda each: each.judges, WORDS),
    Column("labels", lambda each: each.labels, WORDS),
    Column("what it is", lambda each: each.summary, WORDS),
)


def list_(json: AsJson = False) -> None:
    """List every detector: what it judges, its labels, and what it is."""
    rows = list_detectors()
    title = f"{len(rows)} detectors; choose one with --detector"
    Shown(json).show(
        lambda: list(data_rows(_COLUMNS, rows)),
        lambda: [table_view(Table(title, "", _COLUMNS, rows))],
    )


def show(
    name: Annotated[str, Argument("A detector; 'assay detectors list' names them.", "NAME")],
    json: AsJson = False,
) -> None:
    """Show what there is to know about a detector."""
    facts = detector_facts(name)
    Shown(json).show(lambda: dict(facts), lambda: [facts_view(facts.items())])


app = CommandGroup("Detectors: list them, and show what there is to know about one.", list_, show)
