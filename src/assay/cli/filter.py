"""`assay filter`: what does not belong into a benchmark is set aside, each with its reason."""

from typing import Annotated, Any

import typer

from assay import Columns, DataChoice
from assay.app.filter import Bounds, FilterRequest, Rules, filter_data, read_source_ids
from assay.app.filter import estimate as estimate_filter
from assay.app.judging import Asking
from assay.cli import options as o
from assay.cli.errors import say
from assay.cli.output import busy, print_json, show, show_estimates
from assay.core.errors import InputError
from assay.report.filter_view import filtered_view

RULES = "The rules"


def _rule(*names: str, **more: Any) -> Any:
    return typer.Option(*names, rich_help_panel=RULES, **more)


@o.asks
@o.reads_labels
def filter_(
    target: Annotated[
        str, typer.Argument(metavar="DATA", help="A corpus ('assay data list') or a file.")
    ],
    out: Annotated[str, typer.Option(metavar="FILE", help="Write what is kept there.")] = "",
    dropped: Annotated[
        str, typer.Option(metavar="FILE", help="Write what is dropped there, with the reasons.")
    ] = "",
    ratio: Annotated[
        float,
        _rule(
            metavar="X",
            help="Drop a summary whose source has fewer than X times as many words; 0: no rule.",
        ),
    ] = 2.0,
    keep_refusals: Annotated[
        bool, _rule("--keep-refusals", help="Keep refusals and empty responses.")
    ] = False,
    keep_cut_off: Annotated[
        bool, _rule("--keep-cut-off", help="Keep responses that were cut off.")
    ] = False,
    duplicates: Annotated[
        str,
        _rule(
            metavar="model|any|off",
            help="Drop a response that the same model, or any model, gave to the source before, "
            "and a source that is there under another id.",
        ),
    ] = "model",
    near: Annotated[
        float | None,
        _rule(metavar="J", help="Drop responses that resemble an earlier one this much (0.1-1)."),
    ] = None,
    near_sources: Annotated[
        float | None,
        _rule(metavar="J", help="Drop sources that resemble an earlier one this much (0.1-1)."),
    ] = None,
    language: Annotated[
        str, _rule(metavar="CODE", help="Drop what is in another language, as in en.")
    ] = "",
    source_words: Annotated[
        str, _rule(metavar="MIN:MAX", help="Bounds of the words of a source, as in 50: or :900.")
    ] = "",
    response_words: Annotated[
        str, _rule(metavar="MIN:MAX", help="Bounds of the words of a response.")
    ] = "",
    whole_groups: Annotated[
        bool,
        _rule("--whole-groups", help="A source that loses a response loses all of them."),
    ] = False,
    drop_sources: Annotated[
        str,
        _rule(metavar="FILE", help="Drop these sources: ids, one a line, or edited proposals."),
    ] = "",
    contradictions: Annotated[
        str,
        _rule(
            metavar="DETECTOR",
            help="Look for sources that contradict themselves; they are proposed, not dropped.",
        ),
    ] = "",
    proposals: Annotated[
        str, _rule(metavar="FILE", help="Write the proposals of --contradictions there.")
    ] = "",
    split: o.Split = "",
    task: o.Task = "",
    data: o.Data = None,
    json: o.AsJson = False,
    dry_run: o.DryRun = False,
    quiet: o.Quiet = False,
    *,
    asking: Asking,
    columns: Columns,
) -> None:
    """Set aside what does not belong into a benchmark, each response with its reason.

    Refusals, replies that were cut off, summaries about as long as their source, and repetitions
    are dropped unless an option says otherwise; the other rules apply where they are asked for.
    """
    if asking.models and not contradictions:
        raise InputError("only --contradictions may ask a model", field="model")
    request = FilterRequest(
        DataChoice(target, data, columns, split=split, task=task),
        asking,
        Rules(
            ratio,
            not keep_refusals,
            not keep_cut_off,
            duplicates,  # type: ignore[arg-type]
            near,
            near_sources,
            language,
            _bounds(source_words, "source_words"),
            _bounds(response_words, "response_words"),
            read_source_ids(drop_sources) if drop_sources else frozenset(),
            whole_groups,
        ),
        out,
        dropped,
        contradictions,
        proposals,
        drop_sources,
    )
    if dry_run:
        show_estimates(estimate_filter(request), as_json=json)
        return
    with busy("filtering"):
        found = filter_data(request)
    if json:
        print_json(found.to_dict())
    elif not quiet:
        show(filtered_view(found))
    if not quiet and 2 * found.rules["ratio"] > found.responses:
        say(
            f"most were dropped for their ratio ({found.rules['ratio']:,} of {found.responses:,}):"
            f" their source has fewer than {ratio:g} times as many words; --ratio 0 keeps them"
        )


def _bounds(text: str, field: str) -> Bounds:
    """What is written as MIN:MAX, of which either may be left out."""
    least, colon, most = text.partition(":")
    try:
        if text and not colon:
            raise ValueError
        return Bounds(_number(least), _number(most))
    except ValueError:
        problem = f"bounds are written MIN:MAX, as in 50:900, 50: or :900, not '{text}'"
        raise InputError(problem, field=field) from None
    except InputError as error:
        raise InputError(error.message, field=field) from None


def _number(text: str) -> int | None:
    return int(text) if text.strip() else None
