"""`assay evaluate`, `compare` and `calibrate`: detectors beside gold labels."""

from dataclasses import replace
from typing import Annotated

from assay.app import calibrate as calibrating
from assay.app import evaluate as use_case
from assay.app.calibrate import CalibrateRequest
from assay.app.evaluate import EvaluateRequest
from assay.cli.errors import INTERRUPTED, exit_code, say
from assay.cli.options import Priced, Shown, TableFiles
from assay.cli.problems import tell_unread
from assay.core.options import Argument, Option, Takes
from assay.core.system.files import refuse_as_output, require_writable


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


def calibrate(
    request: CalibrateRequest,
    shown: Shown,
    out: Annotated[str, Option("Write the calibration there.", "FILE.json")] = "calibration.json",
    force: Annotated[bool, Option("Write the calibration even if it makes things worse.")] = False,
) -> int:
    """Fit scale, threshold and not-sure band of a detector's scores on your own labels.

    The figures after calibrating are cross-validated: each source is read by a calibration that
    was fitted without it. One that is worse than the model's own is written only with --force.

    If it is interrupted, the same command resumes it.
    """
    from assay.report.evaluation.comparison import calibration_view

    refuse_as_output(out, request.data.target)
    require_writable(out)
    try:
        found = calibrating.calibrate(request)
    except KeyboardInterrupt:
        say("interrupted: what was judged is kept, and the same command goes on")
        return INTERRUPTED
    shown.show(
        found.to_dict,
        lambda: calibration_view(str(found), found.settings, found.before, found.after),
        wide=False,
    )
    found.save(out, force=force)
    for warning in found.warnings:
        say(warning)
    shown.say(f"wrote {out}")
    return 0
