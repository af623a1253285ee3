"""How often responses are unfaithful by length."""

from assay import Annotated, Example, Response, Source, Unit
from assay.core.taxonomies import BINARY, FAITHBENCH
from assay.evaluation.corpora.length_rates import LengthRateCounter, LengthRates
from tests.evaluation.opinions import annotate, says


def judged(label: object, model: str = "m") -> Annotated:
    example = Example("1", Source("S."), Response("R.", model))
    return annotate(example, *([says(Unit.response("R."), label)] if label else []))


def rates_of(*rows: tuple[Annotated, int, int]) -> dict[str, LengthRates]:
    counter = LengthRateCounter()
    for row in rows:
        counter.add(*row)
    return {each.side: each for each in counter.rates()}


F, U = BINARY["faithful"], BINARY["unfaithful"]


def test_parts_are_cut_at_quintiles_and_shares_are_of_each_part() -> None:
    # Ten responses of 1 to 10 words, those from 9 words up unfaithful: parts of two each.
    found = rates_of(*((judged(U if n > 8 else F), 5, n) for n in range(1, 11)))
    assert list(found) == ["response"]  # all sources have as many words
    assert found["response"].ends == (2, 4, 6, 8, 10)
    assert [each.value for each in found["response"].overall] == [0, 0, 0, 0, 1]
    assert [each.n for each in found["response"].overall] == [2] * 5


def test_each_model_has_its_own_shares_in_the_same_parts() -> None:
    found = rates_of((judged(U, "a"), 1, 1), (judged(F, "b"), 1, 1), (judged(F, "b"), 1, 9))
    rates = found["response"]
    assert rates.ends == (1, 9)
    assert [(each.value, each.n) for each in rates.by_model["a"]] == [(1, 1), (None, 0)]
    assert [(each.value, each.n) for each in rates.by_model["b"]] == [(0, 1), (0, 1)]


def test_only_unwanted_is_a_hallucination_as_in_the_paper_and_no_label_is_left_out() -> None:
    gray = [(judged(FAITHBENCH[name]), n, 1) for n, name in enumerate(("benign", "questionable"))]
    found = rates_of(*gray, (judged(FAITHBENCH["unwanted"]), 9, 1), (judged(None), 7, 1))
    assert [(each.value, each.n) for each in found["source"].overall] == [(0, 1), (0, 1), (1, 1)]


def test_one_length_makes_no_table() -> None:
    assert rates_of((judged(F), 3, 3), (judged(U), 3, 3)) == {}


def test_types_are_shares_of_the_responses_of_a_part_that_are_not_faithful() -> None:
    short = ("unwanted.intrinsic", "unwanted", "benign", "consistent")
    rows = [(judged(FAITHBENCH[name], "a"), 1, 1) for name in short]
    types = rates_of(*rows, (judged(FAITHBENCH["questionable"], "b"), 9, 1))["source"].types
    # Of three short ones with an error two are unwanted; the only long one is questionable.
    assert {name: [(e.value, e.n) for e in each] for name, each in types["all"].items()} == {
        "unwanted": [(2 / 3, 3), (0, 1)],
        "questionable": [(0, 3), (1, 1)],
        "benign": [(1 / 3, 3), (0, 1)],
    }
    assert [(each.value, each.n) for each in types["b"]["questionable"]] == [(None, 0), (1, 1)]


def test_labels_of_one_kind_of_error_have_no_types() -> None:
    assert rates_of((judged(F), 1, 1), (judged(U), 9, 1))["source"].types == {}
