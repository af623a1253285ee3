"""`assay mine`: the responses that detectors disagree about, grouped by source."""

from typing import Annotated

from assay.app import mine as use_case
from assay.app.mine import MineRequest
from assay.cli.errors import exit_code, say
from assay.cli.options import Priced
from assay.core.options import Option
from assay.core.results import count_of


def mine(
    request: MineRequest,
    shown: Priced,
    number: Annotated[int, Option("Number of groups to show.", "N", name="show")] = 10,
) -> int:
    """Find the responses that detectors disagree about, and the sources with many of them.

    A response is scored by the entropy of the detectors' votes. A detector that asks a model is
    run as by 'assay run'; after a stop, the same command goes on.
    """
    from assay.cli.output import busy
    from assay.report.bench import mining_view

    if shown.dry_run:
        return shown.estimated(use_case.estimate(request))
    target = request.data.target
    with busy(f"reading {target}"):
        found = use_case.mine(request)
    shown.show(
        found.to_dict,
        lambda: mining_view(target, found.mined, found.compared, found.finding, number),
    )
    for each in found.mined.cautions():
        say(each)
    if found.out:
        shown.say(f"wrote {count_of(found.written, 'example')} to {found.out}")
    if found.nothing:
        say(f"{found.nothing}; nothing was written" if request.out else found.nothing)
    return exit_code(unusable=bool(found.nothing))
