"""What `assay explain-errors` does once its options are read."""

import os
import sys

from rich.text import Text

from assay.cli.data_cards import print_json
from assay.cli.localize_run import Corpora, Models, exit_code, say_usage, show, waiting
from assay.core.errors import InputError
from assay.core.files import require_writable
from assay.evaluate.errors.analysis import Wanted, analyse_errors
from assay.evaluate.errors.lines import write_lines
from assay.evaluate.errors.records import explained_record
from assay.evaluate.localization.hearing import Asking
from assay.report.errors_view import errors_document, errors_view


def run_explain_errors(
    wanted: Wanted, corpora: Corpora, models: Models, out: str, *, as_json: bool
) -> int:
    """Prints the errors of a judge by reason, and writes them down; gives the exit code."""
    name = corpora.names[0]
    if out:
        check_out(out, wanted.answers, name)
    corpus = corpora.read(name)
    with waiting() as tick:
        asking = Asking(models.options, models.runs, tick, say)
        report = analyse_errors(name, corpus, wanted, models.find_matcher(asking), asking)
    say_usage(asking)
    if out:
        write_lines(out, (explained_record(each, report.origin) for each in report.explained))
    if as_json:
        print_json(errors_document(report))
    else:
        written = [Text(f"\n{len(report.explained):,} errors are in {out}")] if out else []
        show((*errors_view(report), *written))
    return exit_code(report.is_complete)


def say(message: str) -> None:
    """A line on standard error, above the bar."""
    sys.stderr.write(f"assay: {message}\n")


def check_out(out: str, *inputs: str) -> None:
    """Raises if the file cannot be written, or would take the place of what is read."""
    for each in filter(os.path.exists, inputs):
        if os.path.realpath(each) == os.path.realpath(out):
            raise InputError(f"{out} is an input and would be lost; write to another file")
    require_writable(out)
