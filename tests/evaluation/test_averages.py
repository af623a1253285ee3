"""Several runs of one detector in one row, and items by task."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pytest

from assay import Annotated, InputError, Judgement, Unit, Verdict, taxonomy
from assay.core.verdicts import Failure, Outcome
from assay.evaluation.comparison import compare, make_report, not_significantly_worse
from assay.evaluation.evaluate import Evaluation, Settings, evaluate_each
from assay.evaluation.policy import GoldPolicy
from assay.metrics import Resampling
from tests.evaluation.opinions import Make, predicted, scores

SETTINGS = Settings(GoldPolicy(unit="sentence"), resampling=Resampling(replicates=100))
LABELS = "fabricated explicitly-supported"
ALWAYS_RIGHT, BLIND = ".1 .9", ".9 .9"


@pytest.fixture
def annotated(make_annotated: Make) -> list[Annotated]:
    return [make_annotated(f"{n}", LABELS) for n in range(10)]


def averaged(annotated: Sequence[Annotated], *runs: str) -> Evaluation:
    """Runs that give the sentences of each example these scores, in one row."""
    said = tuple(predicted(annotated, scores(run), f"run:{n}") for n, run in enumerate(runs))
    return evaluate_each("d", annotated, [said], SETTINGS)[0]


def test_figures_are_the_mean_of_those_of_the_runs(annotated: list[Annotated]) -> None:
    result = averaged(annotated, ALWAYS_RIGHT, BLIND)
    # Balanced accuracy 1 and 0.5: mean 0.75, standard deviation sqrt(2 x 0.25^2) with n - 1 = 1.
    assert result.detector == "run:0+run:1"
    assert result.figures["balanced accuracy"].value == pytest.approx(0.75)
    assert result.spread("balanced accuracy") == pytest.approx(0.125**0.5)
    assert [run.figures["recall"].value for run in result.runs] == [1, 0]
    assert (result.n, len(result.items), len(result.judged)) == (20, 20, 40)
    assert result.spread("specificity") == 0


def test_each_resample_draws_the_same_sources_for_all_runs(annotated: list[Annotated]) -> None:
    # One run finds the error in even examples, the other in odd ones: whatever sources are drawn,
    # the two recalls add up to 1, and only what is added for few sources moves them.
    def finds(rest: int) -> list[Annotated]:
        return [each for each in annotated if int(each.id) % 2 == rest]

    runs = []
    for rest in (0, 1):
        right = predicted(finds(rest), scores(ALWAYS_RIGHT))
        blind = predicted(finds(1 - rest), scores(BLIND))
        said = partial(list[Judgement], [*right, *blind])
        runs.append(replace(right, reference=f"run:{rest}", read=said))
    result = evaluate_each("d", annotated, [tuple(runs)], SETTINGS)[0]
    recall = result.figures["recall"]
    one = result.runs[0].figures["recall"]
    assert recall.value == 0.5
    assert None not in (recall.low, recall.high, one.low, one.high)
    assert (recall.high or 0) - (recall.low or 0) < 0.6 * ((one.high or 0) - (one.low or 0))


def test_a_run_with_failures_lowers_n_and_coverage(annotated: list[Annotated]) -> None:
    result = averaged(annotated, ALWAYS_RIGHT, ".1 -")
    assert result.figures["recall"].n == 10
    assert result.figures["AUROC"].n == 10  # of 20 scores in one run and 10 in the other
    assert result.figures["recall"].value == 1
    assert result.figures["specificity"].value is None
    assert [run.coverage for run in result.runs] == [1, 0.5]
    assert result.coverage == pytest.approx(0.75)
    assert result.failures == {"parse": 10}
    assert result.spread("specificity") is None


def test_n_of_precision_is_that_of_the_run_that_flags_fewest(annotated: list[Annotated]) -> None:
    result = averaged(annotated, ALWAYS_RIGHT, ".1 .1")
    assert result.figures["precision"].n == 10  # one run flags 10 sentences, the other 20


def asking(annotated: Sequence[Annotated], *prompts: dict[str, str]) -> Evaluation:
    """Runs that asked with these prompts, in one row."""
    runs = []
    for n, digests in enumerate(prompts):
        said = predicted(annotated, scores(BLIND), f"run:{n}")
        runs.append(replace(said, manifest=replace(said.manifest, prompt_digests=digests)))
    return evaluate_each("d", annotated, [tuple(runs)], SETTINGS)[0]


def test_runs_with_different_prompts_are_not_averaged(annotated: list[Annotated]) -> None:
    same = {"judge": "1", "split": "2"}
    assert len(asking(annotated, same, {}, same).runs) == 3  # what says nothing of its prompts
    with pytest.raises(InputError) as raised:
        asking(annotated, same, same, {**same, "judge": "3"})
    assert str(raised.value) == (
        "only runs with the same prompts are averaged, and those of run:0 and run:2 differ: judge"
    )


def test_averages_are_compared_as_averages_and_items_by_vote(annotated: list[Annotated]) -> None:
    first = averaged(annotated, ALWAYS_RIGHT, BLIND)
    second = averaged(annotated, ALWAYS_RIGHT)
    pair = compare(first, second)
    assert pair.balanced_accuracy.difference.value == pytest.approx(-0.25)
    assert (pair.balanced_accuracy.p_value or 1) < 0.05
    # The runs of the first are split over what is fabricated, which counts as unfaithful.
    assert pair.differences == ()
    assert pair.to_dict()["runs"] == [2, 1]
    assert not_significantly_worse([first, second]) == ["run:0"]


def test_the_document_has_every_run(annotated: list[Annotated]) -> None:
    document = averaged(annotated, ALWAYS_RIGHT, BLIND).to_dict()
    assert [run["detector"] for run in document["runs"]] == ["run:0", "run:1"]
    assert document["runs"][1]["figures"]["balanced accuracy"]["value"] == 0.5
    assert document["spread"]["balanced accuracy"] == pytest.approx(0.125**0.5)
    assert "runs" not in averaged(annotated, ALWAYS_RIGHT).to_dict()


def with_tasks(annotated: Sequence[Annotated], *tasks: str) -> list[Annotated]:
    return [
        replace(each, example=replace(each.example, task=tasks[n % len(tasks)]))
        for n, each in enumerate(annotated)
    ]


def test_tasks_have_figures_of_their_own(annotated: list[Annotated]) -> None:
    data = with_tasks(annotated, "qa", "summary")
    right = [each for each in data if each.example.task == "qa"]
    said = predicted(right, scores(ALWAYS_RIGHT))
    blind = predicted([each for each in data if each not in right], scores(BLIND))
    judgements = [*said, *blind]
    whole = replace(said, read=lambda: judgements)
    result = evaluate_each("d", data, [whole], SETTINGS)[0]
    found = {name: each.figures["balanced accuracy"] for name, each in result.tasks.items()}
    assert {name: (each.value, each.n) for name, each in found.items()} == {
        "qa": (1, 10),
        "summary": (0.5, 10),
    }
    assert result.figures["balanced accuracy"].value == pytest.approx(0.75)
    assert result.to_dict()["tasks"]["qa"]["figures"]["recall"]["value"] == 1
    assert "detector" not in result.to_dict()["tasks"]["qa"]


def test_one_task_is_no_division(annotated: list[Annotated]) -> None:
    assert averaged(with_tasks(annotated, "qa"), ALWAYS_RIGHT).tasks == {}


def test_equal_balanced_accuracies_share_a_rank(annotated: list[Annotated]) -> None:
    said = [
        predicted(annotated, scores(text), f"{n}.json")
        for n, text in enumerate((BLIND, ALWAYS_RIGHT, ALWAYS_RIGHT, "- -"))
    ]
    report = make_report("d", annotated, said, SETTINGS)
    assert report.ranks == (3, 1, 1, None)
    assert [each["rank"] for each in report.to_dict()["detectors"]] == [3, 1, 1, None]


def invalid_beside(unit: Unit) -> Outcome:
    """The first sentence is invalid, the second is supported."""
    if unit.id == "s1":
        return Failure(unit.id, "invalid")
    return Verdict(unit.id, taxonomy("gray7")["explicitly-supported"])


def test_invalid_is_a_failure_unless_it_counts_as_unfaithful(annotated: list[Annotated]) -> None:
    said = predicted(annotated, invalid_beside)
    (left_out,) = evaluate_each("d", annotated, [said], SETTINGS)
    assert (left_out.failures, left_out.invalid) == ({"invalid": 10}, 0)
    assert left_out.figures["recall"].value is None
    settings = replace(SETTINGS, invalid="unfaithful")
    (counted,) = evaluate_each("d", annotated, [said], settings)
    assert (counted.failures, counted.invalid, counted.coverage) == ({}, 10, 1)
    assert counted.figures["recall"].value == 1
    report = make_report("d", annotated, [said], settings)
    assert "invalid responses count as predicted unfaithful" in report.reading


def test_other_items_cannot_be_compared(annotated: list[Annotated]) -> None:
    first = averaged(annotated, ALWAYS_RIGHT, BLIND)
    with pytest.raises(InputError, match="same items"):
        compare(first, averaged(annotated[:5], ALWAYS_RIGHT, BLIND))
