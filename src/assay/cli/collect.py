"""`assay collect`: responses of several models to the same sources."""

from typing import TYPE_CHECKING

from assay.app.collect import Collected, CollectRequest, collect_responses
from assay.app.collect import estimate as estimate_responses
from assay.cli.errors import ENDINGS, FAILURE_HINTS, exit_code, say
from assay.cli.options import Priced
from assay.core.results import count_of

if TYPE_CHECKING:
    from assay.app.run import RunEstimate


def collect(request: CollectRequest, shown: Priced) -> int:
    """Ask any number of models for responses to the same sources.

    Every reply is kept in a journal: the same command goes on where it was stopped, asks again for
    what failed, and with more models asks only these. What a model thought is kept apart from its
    response; refusals, empty replies and replies that were cut off are recorded as such.
    """
    from assay.report.bench import collected_view

    if shown.dry_run:
        _show_estimate(estimate_responses(request), as_json=shown.json)
        return 0
    found = collect_responses(request)
    shown.show(found.to_dict, lambda: [collected_view(found)])
    return _close(found)


def _show_estimate(found: "dict[str, RunEstimate]", *, as_json: bool) -> None:
    from dataclasses import asdict

    from assay.cli.output import make_console, print_json
    from assay.report.run_view import estimate_facts
    from assay.report.tables import facts_view

    if as_json:
        print_json({name: asdict(each) for name, each in found.items()})
        return
    console = make_console()
    for name, each in found.items():
        facts = [("responses of", name), *estimate_facts(each)]
        console.print(facts_view(facts))
    if not found:
        console.print("nothing here asks a model")


def _close(found: Collected) -> int:
    """Says all that applies on standard error; the exit code."""
    from assay.report.bench import lacking_lines

    for line in found.adaptations:
        say(line)
    for line in lacking_lines(found):
        say(line)
    cut_off = sum(each.truncated for each in found.models)
    if cut_off:
        say(f"{cut_off:,} {FAILURE_HINTS['truncated']}")
    there = f"{count_of(sum(each.responses for each in found.models), 'response')} in {found.file}"
    kept = there if found.file else "no response is there yet, and nothing was written"
    if found.state in ("interrupted", "terminated"):
        say(f"{found.state}: {kept}; the same command goes on")
    elif found.state == "budget":
        say(f"{found.detail}; raise the budget, and the same command goes on ({kept})")
    elif any(each.lacking and each.is_asked for each in found.models):
        say("the same command asks again for the responses that are lacking")
    return ENDINGS[found.state] or exit_code(
        unusable=bool(found.stopped), no_verdict=bool(found.lacking)
    )
