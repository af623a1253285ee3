"""`assay calibrate`: reads a detector's scores as the user's own labels say."""

from typing import Annotated

from assay.app import calibrate as use_case
from assay.app.calibrate import CalibrateRequest
from assay.cli.errors import INTERRUPTED, say
from assay.cli.options import Shown
from assay.core.options import Option
from assay.core.system.files import refuse_as_output, require_writable


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
        found = use_case.calibrate(request)
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
