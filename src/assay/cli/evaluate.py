"""`assay evaluate` and `assay compare`: detectors measured against gold labels."""

from dataclasses import replace
from typing import Annotated

from assay.app import evaluate as use_case
from assay.app.evaluate import EvaluateRequest
from assay.cli.errors import exit_code
from assay.cli.options import Priced, TableFiles
from assay.cli.problems import tell_unread
from assay.core.options import Argument, Option, Takes


def evaluate(request: EvaluateRequest, tables: TableFiles, shown: Priced) -> int:
    """Measure detectors on a corpus with gold labels.

    A detector that asks a model is run as by 'assay run'; after a stop, the same command goes on.
    """
    from assay.cli.output import console_width
    from assay.report.evaluation.table import csv_table, markdown_table, report_view

    tables.require(json=shown.json)
    if shown.dry_run:
        return shown.estimated(use_case.estimate(request))
    evaluated = use_case.evaluate(request)
    report = evaluated.report
    tables.write(
        csv=lambda: csv_table(report),
        markdown=lambda: markdown_table(report),
        html=evaluated.to_html,
    )
    if not tables.is_printed:
        shown.show(evaluated.to_dict, lambda: report_view(report, console_width()), wide=False)
    return exit_code(unusable=tell_unread(report.unread))


def compare(
    first: Annotated[str, Argument("A file, run:NAME, recorded detector or detector.", "FIRST")],
    second: Annotated[str, Argument("Another one.", "SECOND")],
    request: Annotated[EvaluateRequest, Takes("detectors by_model")],
    shown: Priced,
    number: Annotated[int, Option("Number of differing items to show.", "N", name="show")] = 10,
) -> int:
    """Show where two detectors differ on a corpus, and whether it is more than chance."""
    from assay.report.evaluation.comparison import comparison_view

    request = replace(request, detectors=(first, second))
    if shown.dry_run:
        return shown.estimated(use_case.estimate(request))
    found = use_case.compare(request)
    shown.show(
        found.to_dict,
        lambda: comparison_view(found.pair, found.about, found.items, number),
        wide=False,
    )
    return exit_code(unusable=tell_unread(found.unread))
