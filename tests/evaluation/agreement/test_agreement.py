"""Agreement of annotators: hand arithmetic on small corpora."""

import pytest

from assay import Annotated, Example, Response, Source, Span, Unit
from assay.core.taxonomies import BINARY, FAITHBENCH
from assay.evaluation.agreement.agreement import AgreementFigures
from assay.evaluation.agreement.ratings import AgreementCounter
from assay.evaluation.gold import annotator_votes
from tests.evaluation.opinions import Opinion, annotate, says

TEXT = "One. Two."
WHOLE = Unit.response(TEXT)
SENTENCE = Unit.at("sentence", Span.cut(TEXT, 0, 4, "response"), "s1")


def judged(number: int, *said: Opinion, source: str = "") -> Annotated:
    return annotate(Example(str(number), Source(source or f"S{number}."), Response(TEXT)), *said)


def votes(unit: Unit, letters: str) -> list[Opinion]:
    """A vote for each letter, f or u, by annotators a, b, c."""
    names = {"f": "faithful", "u": "unfaithful"}
    return [says(unit, BINARY[names[x]], by="abc"[n]) for n, x in enumerate(letters)]


def agreements(*examples: Annotated) -> tuple[AgreementFigures, ...]:
    counter = AgreementCounter()
    for each in examples:
        counter.add(each)
    return counter.agreements()


def test_alpha_of_two_annotators() -> None:
    # Pairs ff, ff, uu, uf: 1 of 4 differs; of 8 ratings 5 f and 3 u, 30 of 56 pairs differ.
    pairs = ["ff", "ff", "uu", "uf"]
    (found,) = agreements(*(judged(n, *votes(WHOLE, each)) for n, each in enumerate(pairs)))
    assert (found.kind, found.taxonomy, found.annotators, found.ratings) == (
        "response",
        "binary",
        2,
        8,
    )
    assert found.alpha.value == pytest.approx(1 - (2 / 8) / (30 / 56))
    assert found.alpha.n == 4
    assert (found.alpha.low, found.alpha.high) == (None, None)  # of four sources
    (more,) = agreements(*(judged(n, *votes(WHOLE, each)) for n, each in enumerate(pairs * 3)))
    assert (more.alpha.low or 0) < (more.alpha.value or 0) < (more.alpha.high or 0)


def test_annotators_need_not_judge_everything() -> None:
    examples = [judged(1, *votes(SENTENCE, "uuu")), judged(2, *votes(SENTENCE, "ff"))]
    (found,) = agreements(*examples)
    assert (found.kind, found.annotators, found.ratings) == ("sentence", 3, 5)
    assert found.alpha.value == 1


def test_units_of_one_annotator_and_the_label_of_the_corpus_tell_nothing() -> None:
    alone = judged(1, says(WHOLE, BINARY["faithful"]), *votes(WHOLE, "u"))
    assert agreements(alone) == ()


def test_one_source_gives_no_interval() -> None:
    pairs = [judged(n, *votes(WHOLE, each), source="S.") for n, each in enumerate(["ff", "uu"])]
    (found,) = agreements(*pairs)
    assert (found.alpha.value, found.alpha.low, found.alpha.high) == (1, None, None)


def test_an_annotator_counts_with_the_worst_mark_and_a_kind_as_its_parent() -> None:
    def mark(start: int, label: str, by: str) -> Opinion:
        span = Span.cut(TEXT, start, start + 3, "response")
        return says(Unit.at("span", span, f"p{start}{by}"), FAITHBENCH[label], by=by)

    both = judged(
        1,
        mark(0, "benign", "a"),
        mark(5, "unwanted.extrinsic", "a"),
        mark(5, "unwanted.intrinsic", "b"),
    )
    silent = judged(2, *(says(WHOLE, FAITHBENCH["consistent"], by=name) for name in "ab"))
    (found,) = agreements(both, silent)
    assert (found.kind, found.alpha.value, found.alpha.n) == ("response", 1, 2)
    assert [label.name for label in annotator_votes(both, "response")[0].values()] == [
        "unwanted.extrinsic",
        "unwanted.intrinsic",
    ]
