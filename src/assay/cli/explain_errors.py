"""`assay explain-errors`: what a detector misses and what it invents, and why."""

from typing import Annotated

from assay.app.errors import ExplainRequest, estimate_detector, explain
from assay.app.targets import write_examples
from assay.cli.errors import code_of_figures, say
from assay.cli.options import Priced
from assay.cli.problems import tell_unread
from assay.core.options import Option
from assay.core.system.files import refuse_as_output, require_writable


def explain_errors(
    request: ExplainRequest,
    shown: Priced,
    out: Annotated[str, Option("Write all errors there (.jsonl).", "FILE")] = "",
) -> int:
    """Group the errors of a detector by cause, and test what lies behind them.

    The model explains the errors; without one, they are listed for people. All that it answers is
    kept among the runs: the same command goes on where it was cut off.
    """
    from rich.text import Text

    from assay.cli.progress import counting
    from assay.report.evaluation.errors import errors_view

    if out:
        refuse_as_output(out, request.answers, request.data.target)
        require_writable(out)
    if shown.dry_run:
        estimates = estimate_detector(request)
        if estimates or shown.json:
            shown.estimated(estimates)
        say("how many questions explaining takes depends on the errors that are found")
        return 0
    if request.judges_first:
        shown.say(
            f"{request.detector} first judges all examples to find its errors; --sample is taken "
            "of these"
        )
    report, usage = explain(request, lambda: counting("explaining", shown=not shown.quiet))
    shown.say(usage)
    if out:
        write_examples(out, report.annotated)
    written = [Text(f"\n{len(report.explained):,} errors are in {out}")] if out else []
    shown.show(report.to_dict, lambda: (*errors_view(report), *written))
    return code_of_figures(report.is_complete, unusable=tell_unread(report.unread))
