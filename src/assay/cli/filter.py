"""`assay filter`: what does not belong in a benchmark is set aside, each with its reason."""

from assay.app.filter import FilterRequest, filter_data
from assay.app.filter import estimate as estimate_filter
from assay.cli.options import Priced


def filter_(request: FilterRequest, shown: Priced) -> int:
    """Set aside what does not belong in a benchmark, each response with its reason.

    Refusals, replies that were cut off, summaries about as long as their source, and repetitions
    are dropped unless an option says otherwise; the other rules apply where they are asked for.
    """
    from assay.cli.output import busy
    from assay.report.bench import filtered_view

    if shown.dry_run:
        return shown.estimated(estimate_filter(request))
    with busy("filtering"):
        found = filter_data(request)
    shown.show(found.to_dict, lambda: filtered_view(found))
    dropped = found.rules["ratio"]
    if 2 * dropped > found.responses:
        shown.say(
            f"most were dropped for their ratio ({dropped:,} of {found.responses:,}): their source "
            f"has fewer than {request.rules.ratio:g} times as many words; --ratio 0 keeps them"
        )
    return 0
