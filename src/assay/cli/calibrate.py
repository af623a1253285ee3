"""`assay calibrate`: reads a detector's scores as the user's own labels say."""

from typing import Annotated

import typer

from assay import CalibrateRequest, Columns, DataChoice, LocalOptions
from assay.app import calibrate as use_case
from assay.app.judging import Asking
from assay.cli import options as o
from assay.cli.errors import INTERRUPTED, say
from assay.cli.output import make_console, print_json
from assay.cli.progress import watch
from assay.core.files import refuse_as_output, require_writable
from assay.report.calibration_view import calibration_view


@o.on_device
@o.reads_labels
def calibrate(
    dataset: Annotated[
        str,
        typer.Argument(
            metavar="DATA", help="A file of examples with labels, or a corpus ('assay data list')."
        ),
    ],
    detector: o.Detector = "embedded",
    out: Annotated[
        str, typer.Option(metavar="FILE.json", help="Write the calibration there.")
    ] = "calibration.json",
    unit: Annotated[
        str,
        typer.Option(
            metavar="sentence|response",
            help="Whose labels are used; default: those of sentences, if there are any.",
        ),
    ] = "",
    reading: Annotated[
        str,
        typer.Option(
            help="Which labels count as faithful: the name of a reading; default: as the corpus's "
            "paper does."
        ),
    ] = "",
    pool: o.Pool = "",
    sure: Annotated[
        float,
        typer.Option(
            metavar="P", help="How often verdicts outside of the not-sure band should be right."
        ),
    ] = use_case.SURE,
    force: Annotated[
        bool,
        typer.Option("--force", help="Write the calibration even if it makes things worse."),
    ] = False,
    sample: Annotated[
        int | None, typer.Option(metavar="K", help="Use only K examples, chosen by --seed.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="S", help="Seed of the sample; default 0.")
    ] = None,
    data: o.Data = None,
    split: o.Split = "",
    task: o.Task = "",
    json: o.AsJson = False,
    quiet: o.Quiet = False,
    *,
    local: LocalOptions,
    columns: Columns,
) -> None:
    """Fit scale, threshold and not-sure band of a detector's scores on your own labels.

    The figures after calibrating are cross-validated: each source is read by a calibration that
    was fitted without it. One that is worse than the model's own is written only with --force.

    If it is cut off, the same command goes on where it stopped.
    """
    refuse_as_output(out, dataset)
    require_writable(out)
    asking = Asking(watch(quiet=quiet), local=local)
    choice = DataChoice(dataset, data, columns, None, split, sample, seed, task=task)
    request = CalibrateRequest(choice, asking, detector, unit, reading, sure, pool)
    try:
        found = use_case.calibrate(request)
    except KeyboardInterrupt:
        say("interrupted: what was judged is kept, and the same command goes on")
        raise typer.Exit(INTERRUPTED) from None
    if json:
        print_json(found.to_dict())
    elif not quiet:
        console = make_console(width=None)
        for part in calibration_view(str(found), found.settings, found.before, found.after):
            console.print(part, soft_wrap=True)
    found.save(out, force=force)
    for warning in found.warnings:
        say(warning)
    if not quiet:
        say(f"wrote {out}")
