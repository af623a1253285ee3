"""Localization, error analysis and enrichment in the terminal and as JSON."""

import io
import json
from collections import Counter
from typing import Any

from rich.console import Console, RenderableType

from assay import __version__
from assay.core.examples import Annotated, Example
from assay.core.judgements import Author, Judgement
from assay.core.taxonomies import BINARY, FALSEALARM5, FINAL4, RECHECK3
from assay.core.texts import Response, Source, Span
from assay.core.units import Unit
from assay.core.verdicts import Failure, Verdict
from assay.decisions.agreement import AnnotatorAgreement
from assay.decisions.proposals import Decided, PersonDecision, Proposal
from assay.error_analysis.analysis import ErrorReport
from assay.error_analysis.beliefs import Beliefs
from assay.error_analysis.counterfactuals import Alternative, Counterfactual, Trial
from assay.error_analysis.enrichment import Counts, Enriched
from assay.error_analysis.error_items import ErrorItem, Gathered
from assay.error_analysis.explanations import Explained, Statement
from assay.error_analysis.proposals import Proposed
from assay.error_analysis.targets import Target
from assay.evaluation.comparison import EvaluationReport
from assay.evaluation.localization.agreement import Agreement
from assay.evaluation.localization.evaluation import Choice, LocalizationReport
from assay.evaluation.localization.inconsistencies import Inconsistency
from assay.evaluation.localization.matching import Case
from assay.evaluation.localization.measures import Localization
from assay.metrics import Comparison, Estimate, Hits
from assay.report.evaluation.errors import enriched_view, errors_view, proposed_facts
from assay.report.evaluation.localization import agreement_view, choice_view, report_view

EXAMPLE = Example("1", Source("Ada was born."), Response("Ada was born in Rome."))
ROME = Unit("i1", "inconsistency", "No place is named.", (Span("response", 13, 20, "in Rome"),))
ERROR = Inconsistency(ROME, FINAL4["extrinsic-correct"])
HALF = Estimate(0.5, 2, 0.1, 0.9)


def shown(*views: RenderableType) -> str:
    out = io.StringIO()
    for view in views:
        Console(file=out, width=160).print(view)
    return " ".join(out.getvalue().split())


def localization(detector: str = "localize-cot-a") -> Localization:
    cases = (
        Case(EXAMPLE, (ERROR,), (ERROR,), (0,)),
        Case(EXAMPLE, (ERROR,), failure=Failure("response", "refused")),
    )
    return Localization(
        detector,
        "offline",
        cases,
        Hits(1, 1, 1),
        {"precision": HALF, "recall": HALF, "F1": HALF},
        {"place": HALF},
        {"extrinsic-correct": HALF},
    )


def test_localization_tells_figures_coverage_and_verdicts(small_report: EvaluationReport) -> None:
    labels, scores, _ = small_report.evaluations
    report = LocalizationReport("toy", localization(), labels, scores, unknown=3, outside=2, made=1)
    text = shown(*report_view(report))
    assert "toy: localize-cot-a, matched by offline" in text
    assert "precision 0.500 [0.100, 0.900] n=2" in text
    assert "1 found of 1, with 1 predictions" in text
    assert "50.0% of 2 examples; detector failed: 1 refused" in text
    assert "labels, binarized" in text
    document = json.loads(json.dumps(report.to_dict()))
    assert (document["assay"], document["detector"]) == (__version__, "localize-cot-a")
    assert (document["coverage"], document["failures"]) == (0.5, {"refused": 1})
    assert document["binary"]["manifest"]["author"]["version"] == "2.0"
    assert document["recall_by_kind"]["place"]["value"] == 0.5


def test_choice_of_a_prompt_comes_with_advice() -> None:
    variants = localization(), localization("localize-cot-b")
    comparison = Comparison(0.5, 0.4, Estimate(0.1, 2, 0.05, 0.2), 0.01)
    choice = Choice("localize-cot", variants, comparison, "localize-cot-a")
    text = shown(*choice_view(choice, "toy"))
    assert "take localize-cot-a: it has the higher F1 on the 2 examples" in text
    assert "the difference is more than luck" in text
    document = json.loads(json.dumps(choice.to_dict()))
    assert (document["assay"], document["better"]) == (__version__, "localize-cot-a")
    assert (document["clear"], len(document["variants"])) == (True, 2)


def test_agreement_of_a_matcher_has_a_row_for_each_part() -> None:
    part = Agreement("offline", 4, Hits(1, 2, 3), {"F1": HALF}, Counter({"parse": 1}))
    text = shown(*agreement_view({"held out, words only": part}, "faithbench"))
    assert "matcher offline against the annotators of faithbench" in text
    assert "held out, words only 0.500 [0.100, 0.900] n=2 1" in text
    assert part.to_dict()["failures"] == {"parse": 1}


def error_report() -> ErrorReport:
    missed = ErrorItem("missed", EXAMPLE, ROME, FINAL4["extrinsic-correct"])
    invented = ErrorItem("invented", EXAMPLE, Unit("i2", "inconsistency", "It is late."))
    explained = (
        Explained(missed),
        Explained(
            invented, answer=Statement(Author("p", "person"), Verdict("i2", FALSEALARM5.labels[0]))
        ),
        Explained(invented, proposal=Statement(Author("m"), Failure("i2", "parse"))),
        Explained(invented),
        Explained(invented, proposal=Statement(Author("m"), Verdict("i2", RECHECK3["gold-wrong"]))),
    )
    target = Target(EXAMPLE, ERROR, (), False)
    trial = Trial(target, Alternative(("in Oslo",), "she was not"), EXAMPLE, ERROR, (), True)
    test = Counterfactual(
        3, 1, HALF, HALF, HALF, (trial,), ((target, Failure("i1", "truncated", "cut")),), 0
    )
    return ErrorReport(
        "toy",
        Author("localize-cot", version="f00d"),
        "offline",
        Gathered("run:mine", "error", 9, (missed, invented, invented), Counter({"parse": 2})),
        explained,
        "some-model",
        (
            Beliefs(
                FINAL4["extrinsic-correct"], HALF, (0.2, 0.8), Counter(model=3), Counter(refused=1)
            ),
        ),
        test,
    )


def test_errors_are_shown_by_side_and_category() -> None:
    text = shown(*errors_view(error_report()))
    assert "detector run:mine f00d on toy" in text
    assert "looked at 9 examples, matched by offline" in text
    assert "errors 1 missed, 2 invented" in text
    assert "detector failed 2 parse" in text
    assert "missed: wrong but not noticed (final4); 1 of 1 decided (1 by gold)" in text
    assert "1 of 4 decided (1 by people); 1 open; failed: 1 parse" in text
    # The gold is wrong about one of the two that were looked at.
    assert "gold-wrong 1 0.500 [0.095, 0.905] n=2 0" in text
    assert "overlooked 1 1.000 [0.207, 1.000] n=1 1" in text
    assert "how far some-model believes them without the source" in text
    assert "found once false, of those missed before 0.500" in text
    assert "no words 1 truncated" in text


def test_document_of_errors_has_versions_and_every_trial() -> None:
    document = json.loads(json.dumps(error_report().to_dict()))
    assert (document["assay"], document["author"]["version"]) == (__version__, "f00d")
    assert document["found"] == {"missed": 1, "invented": 2}
    assert document["invented"]["open"] == 1
    assert document["p_true"]["extrinsic-correct"]["failures"] == {"refused": 1}
    test = document["counterfactual"]
    assert test["trials"][0]["alternatives"] == ["in Oslo"]
    assert test["without_words"] == [
        {"example": "1", "unit": "i1", "reason": "truncated", "detail": "cut", "raw": ""}
    ]


def test_proposals_and_what_became_of_them_are_told() -> None:
    proposal = Judgement("1", Author("m"), (ROME,), (Verdict("i1", BINARY["unfaithful"]),))
    task = Annotated(EXAMPLE, (proposal,))
    proposed = Proposed(4, (task,), 2, Counter({"parse": 1}), Counter(), unchecked=1)
    facts = dict(proposed_facts(proposed, "tasks.jsonl"))
    assert facts["proposals"] == "1 about 1 of 4 examples"
    assert (facts["failures"], facts["unchecked"]) == (
        "1 parse",
        "1 part of responses without a verdict",
    )


def counts(errors: int) -> Counts:
    return Counts(3, 2, 1, 1, errors, Counter({1: errors}))


def enriched(**more: Any) -> Enriched:
    """One proposal is new, and one explanation was split; `more` says who disagrees."""
    proposals, explanations = Counter(new=1, known=1, open=2), Counter(split=1)
    before, after, vague = counts(4), counts(5), Counter(vague=1)
    return Enriched((), proposals, explanations, vague, before, after, 1, 0, 1, 1, **more)


def test_enriched_gold_is_told_before_and_after() -> None:
    text = shown(*enriched_view(enriched(), "out.jsonl"))
    assert "proposals 1 new, 1 known, 2 open" in text
    assert "new 0.500 [0.095, 0.905] n=2 of the decided proposals" in text
    assert "gold errors 4 before, 5 now (+25%)" in text
    assert "dropped 1 example about which people were unsure" in text
    assert "vague 1 1.000 [0.207, 1.000] n=1" in text
    assert "before 3 2 6 4 after 3 2 6 5" in text


def test_conflicts_are_listed_with_the_agreement_and_no_counts_of_the_gold() -> None:
    verdict = Verdict("i1", BINARY["unfaithful"])
    said = (PersonDecision("ann", "new", verdict), PersonDecision("bo", "none", verdict))
    example = Example("e1", Source("A source."), Response("A response."))
    unit = Unit("i1", "inconsistency", "It is red.")
    conflict = Decided(Proposal(Annotated(example), unit, BINARY["unfaithful"], said), None)
    agreement = AnnotatorAgreement(("ann", "bo"), HALF, Estimate(0.25, 2), "cohen_kappa")
    text = shown(*enriched_view(enriched(agreement=agreement, conflicts=(conflict,)), ""))
    assert "raw agreement 0.500 [0.100, 0.900] n=2" in text
    assert "Cohen's kappa 0.250 n=2" in text
    assert "e1 i1 ann: new; bo: none It is red." in text
    assert "before" not in text
    text = shown(*enriched_view(enriched(explanation_agreement=agreement), ""))
    assert "agreement of ann, bo on explanations: kept, split, replaced or discarded" in text
