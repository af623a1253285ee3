"""Which examples are measured, and which wording of a style is better."""

import asyncio
from dataclasses import replace

import pytest

from assay.core.errors import InputError, UnknownNameError
from assay.core.examples import Annotated
from assay.core.taxonomies import BINARY
from assay.core.units import RESPONSE
from assay.core.verdicts import Verdict
from assay.detectors.localize.making import STYLES
from assay.detectors.registry import DetectorSpec, open_detector
from assay.evaluation.localization.evaluation import (
    Choice,
    Part,
    Selected,
    choose_variant,
    select,
    style_variants,
)
from assay.evaluation.localization.matchers import LlmMatcher, OfflineMatcher
from assay.evaluation.localization.matching import Matcher, match_predictions
from assay.evaluation.localization.measures import Localization, compare_f1, measure
from assay.llm.client import Request, Scripted
from assay.metrics import Resampling
from assay.text.sentences import response_unit
from tests.detectors.judges.scripts import asked
from tests.detectors.localize.scripts import listed
from tests.evaluation.localization.stories import (
    WRECK,
    failed,
    gold,
    judged,
    predictions,
    said,
    unit,
)
from tests.judging import judge_all

CARGO = unit("The wreck held no silver.", "silver")
FOUND = unit("The response speaks of silver.", "silver")
HOW = Resampling(replicates=200)


def examples(count: int) -> list[Annotated]:
    """Of every second one it is known that something is wrong, of the others that nothing is."""
    return [gold(replace(WRECK, id=str(n)), *[CARGO] * (n % 2)) for n in range(count)]


def ids(part: Part, corpus: list[Annotated]) -> list[int]:
    return [int(each.id) for each in select("d", corpus, part).annotated]


def test_sample_is_the_same_for_the_same_seed_and_keeps_the_order() -> None:
    corpus = examples(50)
    chosen = ids(Part(sample=10, seed=3), corpus)
    assert chosen == ids(Part(sample=10, seed=3), corpus)
    assert chosen != ids(Part(sample=10, seed=4), corpus)
    assert chosen == sorted(chosen)
    assert ids(Part(sample=90), corpus) == list(range(50))
    with pytest.raises(InputError, match="not 0") as raised:
        Part(sample=0)
    assert raised.value.field == "sample"


def test_held_out_is_what_a_sample_of_that_size_leaves() -> None:
    corpus = examples(50)
    used, rest = ids(Part(sample=20, seed=7), corpus), ids(Part(held_out=20, seed=7), corpus)
    assert sorted([*used, *rest]) == list(range(50))
    assert set(ids(Part(held_out=20, sample=10, seed=7), corpus)) <= set(rest)
    with pytest.raises(InputError, match="no example of d is left"):
        ids(Part(held_out=50), corpus)


def test_unknown_examples_are_left_out_before_the_sample_and_counted() -> None:
    open_one = replace(WRECK, id="9")
    verdict = Verdict(RESPONSE, BINARY["unfaithful"])
    whole = said(open_one, [response_unit(open_one)], [verdict])
    person = replace(whole, author=replace(whole.author, kind="person"))
    corpus = [*examples(4), Annotated(open_one, (person,))]
    selected = select("d", corpus, Part(sample=4))
    assert [each.id for each in selected.annotated] == ["0", "1", "2", "3"]
    assert (selected.unknown, selected.outside) == (1, 0)


def test_split_without_examples_names_the_splits_there_are() -> None:
    corpus = [
        replace(each, example=replace(each.example, split="ab"[int(each.id) % 2]))
        for each in examples(4)
    ]
    assert ids(Part(split="b"), corpus) == [1, 3]
    with pytest.raises(InputError, match="d has no split 'c'; its splits: a, b"):
        select("d", corpus, Part(split="c"))
    with pytest.raises(InputError, match="d has no examples"):
        select("d", [], Part())


def test_run_of_a_sample_is_measured_on_what_it_was_meant_to_judge() -> None:
    corpus = examples(20)
    run = predictions(judged(corpus[0], []), examples=20, sample=5, seed=1)
    selected = select("d", corpus, Part(), [run])
    assert (len(selected.annotated), selected.outside) == (5, 15)
    complete = predictions(judged(corpus[0], []), examples=20)
    assert len(select("d", corpus, Part(), [complete]).annotated) == 20


@pytest.mark.parametrize("dataset", ["d", "d.jsonl"])
def test_run_of_a_sample_is_found_by_its_ids(dataset: str) -> None:
    corpus = examples(20)
    run = predictions(
        judged(corpus[3], []), examples=15, sample=2, seed=1, example_ids=("3", "8"), dataset="d"
    )
    for one in (run, replace(run, reference="exported.json")):
        selected = select(dataset, corpus[::-1], Part(), [one])
        assert [each.id for each in selected.annotated] == ["8", "3"]
        assert selected.outside == 18


@pytest.mark.parametrize("reference", ["verdicts.json", "verdicts.parquet", "verdicts/"])
def test_file_is_measured_on_the_examples_that_it_has(reference: str) -> None:
    corpus = examples(20)
    file = replace(predictions(judged(corpus[3], [])), reference=reference)
    selected = select("d", corpus, Part(), [file])
    assert ([each.id for each in selected.annotated], selected.outside) == (["3"], 19)
    detector = replace(file, reference="localize-cot")  # asked now, it was meant to judge them all
    assert len(select("d", corpus, Part(), [detector]).annotated) == 20
    other = predictions(judged(replace(WRECK, id="who"), []))
    with pytest.raises(InputError, match="1 examples are not in the corpus, first 'who'"):
        select("d", corpus, Part(), [other])


def test_run_is_measured_on_a_file_made_from_its_corpus() -> None:
    corpus = examples(20)
    said = [judged(each, []) for each in corpus]
    run = predictions(*said, examples=20, dataset="ragtruth")
    selected = select("d.jsonl", corpus[:18], Part(), [run])
    assert (len(selected.annotated), selected.outside, selected.absent) == (18, 0, 2)
    # Of a sample, only the examples count that the run has.
    run = predictions(*said[:5], said[19], examples=20, dataset="ragtruth", sample=6, seed=1)
    selected = select("d.jsonl", corpus[:18], Part(), [run])
    assert (len(selected.annotated), selected.outside, selected.absent) == (5, 13, 1)


@pytest.mark.parametrize(
    ("dataset", "judged_on"), [("d.jsonl", "d.jsonl"), ("ragtruth", "faithbench")]
)
def test_examples_that_a_corpus_or_the_same_file_lacks_are_an_error(
    dataset: str, judged_on: str
) -> None:
    corpus = examples(4)
    run = predictions(*(judged(each, []) for each in corpus), examples=4, dataset=judged_on)
    with pytest.raises(InputError, match="1 examples are not in the corpus, first '3'"):
        select(dataset, corpus[:3], Part(), [run])


def test_data_that_has_nothing_of_a_run_is_an_error() -> None:
    corpus = examples(4)
    run = predictions(judged(corpus[3], []), examples=4, dataset="ragtruth")
    with pytest.raises(InputError, match="1 examples are not in the corpus, first '3'"):
        select("d.jsonl", corpus[:3], Part(), [run])


# Which wording is better.


def wrong(count: int) -> list[Annotated]:
    made = (replace(WRECK, id=str(n)) for n in range(count))
    return [gold(replace(each, source=replace(each.source, id=each.id)), CARGO) for each in made]


def chosen(corpus: list[Annotated], *found: bool | None) -> Choice:
    """What follows if each wording finds everything, nothing, or fails."""
    both = (
        predictions(
            *(
                failed(each) if finds is None else judged(each, [FOUND] if finds else [])
                for each in corpus
            )
        )
        for finds in found
    )
    first, second = both
    return asyncio.run(
        choose_variant(
            "localize-zero", Selected(tuple(corpus)), (first, second), OfflineMatcher(), HOW
        )
    )


@pytest.mark.parametrize("variant", ["a", "b"])
def test_variant_with_the_higher_f1_is_taken(variant: str) -> None:
    choice = chosen(wrong(12), variant == "a", variant == "b")
    assert choice.better == f"localize-zero:{variant}"
    sign = 1 if variant == "a" else -1
    assert choice.comparison.difference.value == pytest.approx(sign * 1.0)
    assert choice.is_clear
    assert [each.detector for each in choice.variants] == ["localize-zero:a", "localize-zero:b"]


def test_equals_go_to_the_first_and_the_difference_is_called_luck() -> None:
    choice = chosen(wrong(4), True, True)
    assert (choice.better, choice.is_clear) == ("localize-zero:a", False)
    assert choice.comparison.p_value == 1.0


def test_nothing_measured_is_no_choice() -> None:
    choice = chosen(wrong(2), None, None)
    assert choice.comparison.difference.value is None
    assert (choice.better, choice.is_clear, choice.is_complete) == (None, False, False)


def test_both_wordings_are_asked_and_compared() -> None:
    found = {"quotes": ["silver"], "evidence": [], "description": FOUND.text}
    reply = listed({**found, "category": "extrinsic-wrong"})

    def answer(request: Request) -> str:
        return reply if "Task: find" in asked(request) else listed()

    corpus = wrong(4)
    both = []
    for name in style_variants("localize-zero"):
        detector = open_detector(DetectorSpec(name, ("m",)), [Scripted(answer, model="m")])
        both.append(predictions(*judge_all(detector, [each.example for each in corpus])))
    pair, selected = (both[0], both[1]), Selected(tuple(corpus))
    work = choose_variant("localize-zero", selected, pair, OfflineMatcher(), HOW)
    assert asyncio.run(work).better == "localize-zero:b"


def measured(corpus: list[Annotated], *judgements: object, matcher: Matcher) -> Localization:
    given = predictions(*judgements)  # type: ignore[arg-type]
    return measure("j", matcher.name, asyncio.run(match_predictions(corpus, given, matcher)), HOW)


def test_only_examples_that_both_are_measured_on_are_compared() -> None:
    first, second, third = corpus = wrong(3)
    offline = OfflineMatcher()
    one = measured(
        corpus, judged(first, [CARGO]), failed(second), judged(third, []), matcher=offline
    )
    two = measured(
        corpus, judged(first, []), judged(second, [CARGO]), judged(third, []), matcher=offline
    )
    comparison = compare_f1(one, two, HOW)
    # On the first and third: 1 of 2 errors found with 1 prediction, 2/3; and nothing found, 0.
    assert comparison.first == pytest.approx(2 / 3)
    assert comparison.second == 0.0
    assert comparison.difference.n == 2


def test_variant_of_which_nothing_could_be_matched_has_no_f1_to_compare() -> None:
    first, second = corpus = wrong(2)
    given = [judged(first, [CARGO]), judged(second, [])]
    lost = measured(corpus, *given, matcher=LlmMatcher(Scripted(lambda _: "?")))
    good = measured(corpus, *given, matcher=OfflineMatcher())
    assert compare_f1(lost, good, HOW).first is None


def test_unknown_style_names_the_choices() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'localize-cot'"):
        style_variants("localize-cott")
    assert style_variants("localize-cot:definitions")[1] == "localize-cot:b,definitions"
    with pytest.raises(UnknownNameError):
        style_variants("localize-cot:b")
    assert len(STYLES) == 6
