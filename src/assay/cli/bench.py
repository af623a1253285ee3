"""`assay collect`, `filter`, `mine` and `batch`: from sources to responses that people annotate."""

from dataclasses import asdict
from typing import Annotated, Any

from assay.app import batch as batching
from assay.app import mine as mining
from assay.app.batch import PlanRequest
from assay.app.collect import Collected, CollectRequest, collect_responses
from assay.app.collect import estimate as estimate_responses
from assay.app.filter import FilterRequest, filter_data
from assay.app.filter import estimate as estimate_filter
from assay.app.mine import MineRequest
from assay.cli.errors import ENDINGS, FAILURE_HINTS, exit_code, say
from assay.cli.options import Database, Priced, Shown
from assay.cli.studio import AnnotationMode, opened_studio
from assay.core.errors import InputError
from assay.core.options import Option
from assay.core.results import count_of


def collect(request: CollectRequest, shown: Priced) -> int:
    """Ask any number of models for responses to the same sources.

    Every reply is kept in a journal: the same command goes on where it was stopped, asks again for
    what failed, and with more models asks only these. What a model thought is kept apart from its
    response; refusals, empty replies and replies that were cut off are recorded as such.
    """
    from assay.report.bench import collected_view

    if shown.dry_run:
        return shown.estimated(estimate_responses(request), "responses of")
    found = collect_responses(request)
    shown.show(found.to_dict, lambda: [collected_view(found)])
    return _close(found)


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
        return shown.estimated(mining.estimate(request))
    target = request.data.target
    with busy(f"reading {target}"):
        found = mining.mine(request)
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


def batch(
    request: PlanRequest,
    shown: Shown,
    out: Annotated[
        str, Option("Write the plan there, as .csv or .jsonl, for other tools.", "FILE")
    ] = "",
    key: Annotated[str, Option("Write which id of the plan is which example.", "FILE.csv")] = "",
    show_models: Annotated[bool, Option("Name the LLM of each response in the plan.")] = False,
    studio: Annotated[
        str,
        Option(
            "Give the items out in this project of the studio, which is made if there is none; the "
            "annotators need accounts ('assay studio account').",
            "PROJECT",
        ),
    ] = "",
    mode: AnnotationMode = "sentences",
    database: Database = None,
) -> int:
    """Give responses to annotators in batches, each to several who do not see each other's work.

    All responses to a source are in the same batch and have the same annotators, and everybody
    gets about the same number. With --per-batch all of a batch has the same annotators.

    Exit code: 0 all given out, 2 for bad usage or items that the studio cannot take.
    """
    from assay.cli.output import busy, print_json, show
    from assay.report.bench import given_view, plan_view

    if not (out or key or studio):
        raise InputError("give --out FILE, --studio PROJECT, or both")
    target = request.data.target
    is_shown = not (shown.json or shown.quiet)
    document: dict[str, Any] = {}
    refused: tuple[str, ...] = ()
    if out or key:
        batching.require_targets(request, out, key)
        with busy(f"reading {target}"):
            made = batching.plan(request)
            rows = batching.write(made, out, key, models=show_models)
        document |= batching.plan_document(made, rows, out)
        if is_shown:
            show(plan_view(made))
        if out:
            shown.say(f"wrote {count_of(rows, 'row')} to {out}")
        if not (show_models or key):
            shown.say("ids are hidden; the same command with --key FILE.csv says which is which")
    if studio:
        with (
            opened_studio(database, must_exist=True) as (opened, who),
            busy(f"giving out {target}"),
        ):
            given = batching.give_in_studio(opened, who, request, studio, mode)
        document |= {"studio": given.to_dict()}
        refused = given.refused
        if is_shown:
            show(given_view(given.project, [asdict(each) for each in given.batches]))
        joined = f"; {', '.join(given.joined)} joined it" if given.joined else ""
        shown.say(
            f"{count_of(given.new, 'new batch')} in the project '{given.project}': "
            f"{count_of(given.added, 'new item')}, {given.known:,} were there before{joined}"
        )
        for each in refused:
            say(each)
    if shown.json:
        print_json(document)
    return exit_code(unusable=bool(refused))
