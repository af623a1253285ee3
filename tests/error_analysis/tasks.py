"""Tasks about the errors of the gold, filled in by people, in few words."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from assay.core.codec import read_example, write_example
from assay.core.examples import Annotated
from assay.core.judgements import GOLD, Author, Judgement
from assay.core.taxonomies import BINARY
from assay.core.units import RESPONSE, Unit
from assay.core.verdicts import Attributes, Verdict
from assay.decisions.forms import NOBODY, FormLine
from assay.decisions.proposals import Proposal, Settling
from assay.error_analysis.enrichment import Enriched, apply_tasks
from assay.error_analysis.proposals import Proposed, propose_errors, propose_explanations
from assay.error_analysis.tasks import read_tasks
from assay.evaluation.localization.matchers import OfflineMatcher
from assay.text.sentences import response_unit
from tests.error_analysis.cases import CARGO, PLACE
from tests.evaluation.localization.stories import WRECK, judged, predictions, said

PLAIN = Annotated(WRECK)
ANN, BO, CY = (Author(name, "person") for name in ("ann", "bo", "cy"))
EXPLANATION = "No place is named and there is no word of silver."


def proposed(corpus: Sequence[Annotated], *judgements: Judgement) -> Proposed:
    """What a localizer proposes about some examples."""
    given = predictions(
        *judgements,
        detector="localize-recall",
        unit_kind="response",
        model="m",
        prompt_digests={"p": "abc"},
    )
    return asyncio.run(propose_errors("d", corpus, given, OfflineMatcher()))


def task_of(annotated: Annotated, *found: Unit) -> Annotated:
    """The task with these proposals, as it is read from its file."""
    (task,) = proposed([annotated], judged(annotated, found)).tasks
    return read_example(write_example(task))


def explained(correction: str = "", explanation: str = EXPLANATION) -> Annotated:
    """An unfaithful response with an explanation, as DeFacto has it."""
    attributes = Attributes(explanation=explanation, correction=correction)
    verdict = Verdict(RESPONSE, BINARY["unfaithful"], attributes=attributes)
    return Annotated(WRECK, (said(WRECK, [response_unit(WRECK)], [verdict], GOLD),))


def explanation_task(annotated: Annotated) -> Annotated:
    """The task to take its explanation apart, as it is read from its file."""
    (task,) = propose_explanations("d", [annotated]).tasks
    return read_example(write_example(task))


def form_of(task: Annotated) -> Judgement:
    """The form of a task that nobody has filled in."""
    return next(each for each in task.judgements if each.author == NOBODY)


def with_form(task: Annotated, *forms: Judgement) -> Annotated:
    """The task with other forms in the place of its own."""
    kept = [each for each in task.judgements if each.author != NOBODY]
    return replace(task, judgements=(*kept, *forms))


def filled(task: Annotated, *states: str, by: Author = ANN, note: str = "") -> Judgement:
    """The form with a decision for each proposal, or one for all of them."""
    form = form_of(task)
    each_one = states if len(states) > 1 else states * len(form.verdicts)
    verdicts = tuple(
        replace(verdict, note=note, attributes=Attributes(decision=state))
        for verdict, state in zip(form.verdicts, each_one, strict=True)
    )
    return replace(form, author=by, outcomes=verdicts)


def decided(task: Annotated, *states: str, by: Author = ANN, note: str = "") -> Annotated:
    """The task with its form filled in."""
    return with_form(task, filled(task, *states, by=by, note=note))


def rewritten(task: Annotated, state: str, *errors: tuple[str, str], by: Author = ANN) -> Annotated:
    """The explanation's task with a list of errors, each with what was done to describe it."""
    units = [Unit(f"i{n}", "inconsistency", text) for n, (text, _) in enumerate(errors, 1)]
    unfaithful = BINARY["unfaithful"]
    whole = Verdict(RESPONSE, unfaithful, attributes=Attributes(decision=state))
    verdicts = [
        Verdict(unit.id, unfaithful, attributes=Attributes(category=operation))
        for unit, (_, operation) in zip(units, errors, strict=True)
    ]
    response = response_unit(task.example)
    form = Judgement(task.id, by, (response, *units), (whole, *verdicts))
    return with_form(task, form)


def read(*tasks: Annotated, corpus: Sequence[Annotated] = (PLAIN,)) -> list[Proposal]:
    """The tasks as they are read from the lines of a file."""
    lines = [
        FormLine(read_example(write_example(task)), f"t.jsonl line {number}")
        for number, task in enumerate(tasks, 1)
    ]
    return read_tasks(lines, corpus)


def applied(
    corpus: Sequence[Annotated],
    *tasks: Annotated,
    settling: Settling | None = None,
    drop_unsure: bool = False,
) -> Enriched:
    """The corpus with what was decided in some files."""
    lines = [FormLine(read_example(write_example(task)), "t.jsonl line 1") for task in tasks]
    given = read_tasks(lines, corpus, drop_unsure=drop_unsure)
    return apply_tasks(corpus, given, settling, drop_unsure=drop_unsure)


def enriched(annotated: Annotated, *found: Unit) -> Annotated:
    """The example with these proposals accepted as new."""
    (only,) = applied([annotated], decided(task_of(annotated, *found), "new")).annotated
    return only


BOTH = (PLACE, CARGO)
