"""Tasks for people: what a localizer proposes, and explanations that the gold has."""

import asyncio
from dataclasses import replace

import pytest

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.judgements import GOLD
from assay.core.taxonomies import BINARY
from assay.core.units import RESPONSE, Unit
from assay.core.verdicts import Failure, Verdict
from assay.decisions.forms import NOBODY
from assay.error_analysis.proposals import (
    propose_errors,
    propose_explanations,
    require_localizer,
)
from assay.evaluation.localization.matchers import OfflineMatcher
from assay.text.sentences import response_unit
from tests.error_analysis.cases import CARGO, PLACE, gold_of
from tests.error_analysis.tasks import (
    EXPLANATION,
    PLAIN,
    explained,
    explanation_task,
    form_of,
    proposed,
    read,
    rewritten,
    task_of,
)
from tests.error_analysis.tasks import applied as apply_files
from tests.evaluation.localization.stories import JUDGE, WRECK, failed, judged, predictions, said


def test_proposals_that_the_matcher_calls_known_are_shown_beside_the_gold() -> None:
    annotated, other = gold_of((PLACE, "")), Annotated(replace(WRECK, id="other"))
    found = proposed([annotated, other], judged(annotated, [PLACE, CARGO]), failed(other))
    (task,) = found.tasks
    assert task.example == WRECK
    gold, proposal, form = task.judgements
    assert (gold.author, proposal.author, form.author) == (GOLD, JUDGE, NOBODY)
    assert [(unit.id, unit.text) for unit in gold.units] == [("g1", PLACE.text)]
    marked = [(unit.id, unit.text, unit.parent) for unit in form.units]
    assert marked == [("i1", PLACE.text, "g1"), ("i2", CARGO.text, "")]
    for part in ("by m", "prompt p abc", "in run:localize-recall", "matched by offline"):
        assert part in proposal.findings[1].note
    # Nothing is decided before a person says so, also where the matcher is sure.
    states = [(each.attributes.decision, each.coarse) for each in form.verdicts]
    assert states == [("open", "not-sure")] * 2
    assert (found.examples, found.proposals, found.known) == (2, 2, 1)
    assert found.failures == {"parse": 1}


def test_parts_that_nobody_looked_at_are_counted() -> None:
    lost = Unit("c1", "claim", "A wreck."), Failure("c1", "parse")
    found = proposed([PLAIN], judged(WRECK, [PLACE], lost))
    assert (found.proposals, found.unchecked, found.is_complete) == (1, 1, False)


def test_responses_without_gold_get_proposals_and_those_without_proposals_no_task() -> None:
    assert proposed([PLAIN], judged(WRECK, [PLACE, CARGO])).proposals == 2
    assert proposed([PLAIN], judged(WRECK, [])).tasks == ()


def test_only_what_describes_errors_can_propose() -> None:
    whole = said(WRECK, [response_unit(WRECK)], [Verdict(RESPONSE, BINARY["unfaithful"])])
    given = predictions(whole, detector="judge-simple", unit_kind="response")
    with pytest.raises(InputError, match="run:judge-simple does not say what is wrong"):
        asyncio.run(propose_errors("d", [PLAIN], given, OfflineMatcher()))
    require_localizer("localize-recall:b")
    for name in ("embedded", "judge-claims", "nobody"):
        with pytest.raises(InputError, match=f"{name} does not say what is wrong"):
            require_localizer(name)


def test_findings_in_equal_words_are_proposals_of_their_own() -> None:
    assert [each.unit.id for each in read(task_of(PLAIN, CARGO, CARGO))] == ["i1", "i2"]


def test_explanation_is_a_task_with_a_draft_of_its_errors() -> None:
    corpus = [explained(), Annotated(replace(WRECK, id="plain")), gold_of((PLACE, ""))]
    found = propose_explanations("d", corpus)
    assert (found.examples, found.explanations, found.proposals) == (3, 1, 0)
    (task,) = found.tasks
    assert task.judgements[0] == corpus[0].judgements[0]
    form = form_of(task)
    whole, *drafts = form.verdicts
    assert (whole.unit, whole.attributes.decision) == (RESPONSE, "open")
    assert len(drafts) >= 1
    words = " ".join(unit.text for unit in form.units[1:])
    assert "silver" in words
    assert "place" in words


def test_explanation_that_was_taken_apart_is_no_task_any_more() -> None:
    task = rewritten(explanation_task(explained()), "split", ("No place is named.", ""))
    (done,) = apply_files([explained()], task).annotated
    with pytest.raises(InputError, match=r"d has no explanation .* still to be taken apart"):
        propose_explanations("d", [done])


def test_explanation_of_a_faithful_response_is_no_task() -> None:
    annotated = explained(explanation=EXPLANATION)
    (judgement,) = annotated.judgements
    faithful = replace(judgement.verdicts[0], label=BINARY["faithful"])
    corpus = [replace(annotated, judgements=(replace(judgement, outcomes=(faithful,)),))]
    with pytest.raises(InputError, match="no explanation"):
        propose_explanations("d", corpus)
