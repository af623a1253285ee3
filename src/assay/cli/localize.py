"""`assay localize`: how well detectors say what is wrong, and which prompt says it better."""

from typing import Annotated

from assay.app.localize import (
    LocalizeRequest,
    choose_prompt,
    estimate,
    estimate_matcher,
    measure_matcher,
    style_variants,
)
from assay.app.localize import localize as measure
from assay.cli.commands import CommandGroup
from assay.cli.errors import code_of_figures, say
from assay.cli.options import Priced
from assay.cli.problems import tell_unread
from assay.core.options import Argument, Option, Takes

_LOCAL = "device threshold batch_size calibration"
_DESCRIBED = "A corpus with described errors."


def evaluate(
    detector: Annotated[
        str,
        Argument(
            "A detector such as localize-cot, a run as run:NAME, or a file of judgements.",
            "DETECTOR",
        ),
    ],
    request: LocalizeRequest,
    shown: Priced,
    binary: Annotated[
        str, Option("A detector of whole responses to compare with.", "DETECTOR")
    ] = "",
) -> int:
    """Measure how well a detector says what is wrong with responses.

    What a model answers is kept among the runs: after a stop, the same command goes on.
    """
    from assay.report.evaluation.localization import report_view

    if shown.dry_run:
        shown.estimated(estimate(request, detector, binary))
        return _note_matching(request)
    localized = measure(request, detector, binary)
    shown.say(localized.usage)
    shown.show(
        localized.to_dict,
        lambda: (part for report in localized.reports for part in report_view(report)),
    )
    unusable = tell_unread(*(each.unread for each in localized.reports))
    is_complete = all(each.is_complete for each in localized.reports)
    return code_of_figures(is_complete, unusable=unusable)


def choose(
    style: Annotated[
        str,
        Argument(
            "localize-zero, -few, -cot, -cot-hint, -pipeline or -recall; with :definitions, its "
            "plain form.",
            "STYLE",
        ),
    ],
    request: Annotated[
        LocalizeRequest,
        Takes(
            f"held_out {_LOCAL}",
            dataset=Option(_DESCRIBED, "NAME|FILE", single=True, default=""),
            sample=Option("How many examples, drawn with the seed.", "K", default=140),
        ),
    ],
    shown: Priced,
) -> int:
    """Find out which of the two prompts of a style is better for a model.

    Use examples that you will not test on afterwards.
    """
    from assay.report.evaluation.localization import choice_view

    if shown.dry_run:
        shown.estimated(estimate(request, *style_variants(style)))
        return _note_matching(request)
    chosen = choose_prompt(request, style)
    shown.say(chosen.usage)
    about = f"{chosen.examples:,} examples of {chosen.dataset}, {chosen.model}"
    shown.show(chosen.to_dict, lambda: choice_view(chosen.choice, about))
    unusable = tell_unread(chosen.unread)
    return code_of_figures(chosen.choice.is_complete, unusable=unusable)


def matcher(
    request: Annotated[
        LocalizeRequest,
        Takes(
            f"held_out reading matcher_model {_LOCAL}",
            dataset=Option(_DESCRIBED, "NAME|FILE", single=True, default="faithbench"),
        ),
    ],
    shown: Priced,
) -> int:
    """Measure a matcher on the errors that several annotators of a response wrote down."""
    from assay.report.evaluation.localization import agreement_view

    if shown.dry_run:
        return shown.estimated(estimate_matcher(request))
    measured = measure_matcher(request)
    shown.say(measured.usage)
    shown.show(measured.to_dict, lambda: agreement_view(measured.parts, measured.dataset))
    unusable = tell_unread(measured.unread)
    return code_of_figures(measured.is_complete, unusable=unusable)


def _note_matching(request: LocalizeRequest) -> int:
    if request.matching.name == "llm":
        say("how many questions matching takes depends on what is found: at most one per response")
    return 0


app = CommandGroup(
    "Inconsistencies in words: measure detectors, choose a prompt, measure a matcher.",
    evaluate,
    choose,
    matcher,
)
