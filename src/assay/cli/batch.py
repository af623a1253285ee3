"""`assay batch`: who annotates what, in the studio or in a plain file."""

from dataclasses import asdict
from typing import Annotated, Any

from assay.app import batch as use_case
from assay.app.batch import PlanRequest
from assay.cli.errors import exit_code, say
from assay.cli.options import Database, Shown
from assay.cli.studio import AnnotationMode, opened_studio
from assay.core.errors import InputError
from assay.core.options import Option
from assay.core.results import count_of


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
        use_case.require_targets(request, out, key)
        with busy(f"reading {target}"):
            made = use_case.plan(request)
            rows = use_case.write(made, out, key, models=show_models)
        document |= use_case.plan_document(made, rows, out)
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
            given = use_case.give_in_studio(opened, who, request, studio, mode)
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
