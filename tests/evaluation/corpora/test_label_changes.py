"""Two versions of a corpus, compared label by label."""

from assay import Annotated, Example, Response, Source, Unit, taxonomy
from assay.core.units import unit_id
from assay.evaluation.corpora.label_changes import Change, compare_labels
from tests.evaluation.opinions import annotate, says

GRAY7 = taxonomy("gray7")


def version(
    *labels: str, id: str = "1", model: str = "m", text: str = "One. Two. Two."
) -> Annotated:
    units = [
        Unit(unit_id("sentence", number), "sentence", words)
        for number, words in enumerate(text.split(), start=1)
    ]
    example = Example(id, Source("A  text."), Response(text, model), units=tuple(units))
    said = [says(unit, GRAY7[label]) for unit, label in zip(units, labels, strict=False) if label]
    return annotate(example, *said)


def test_changes_are_counted_from_label_to_label_whatever_the_ids() -> None:
    old = version("fabricated", "fabricated", "explicitly-supported")
    new = version("implicitly-supported", "fabricated", "fabricated", id="other")
    found = compare_labels([old], [new])
    assert (found.kind, found.matched, found.only_before, found.only_after) == ("sentence", 3, 0, 0)
    assert found.counts == (
        ("fabricated", "implicitly-supported", 1),
        ("explicitly-supported", "fabricated", 1),
    )
    assert found.changes[0] == Change("other", "s1", "One.", "fabricated", "implicitly-supported")
    assert (found.changed.value, found.changed.n) == (2 / 3, 3)


def test_what_only_one_version_has_or_labels_is_counted_apart() -> None:
    old = [version("fabricated", ""), version("fabricated", model="gone")]
    new = [version("fabricated", "fabricated"), version("fabricated", text="New.")]
    found = compare_labels(old, new)
    assert (found.matched, found.only_before, found.only_after) == (1, 1, 2)
    assert found.counts == ()
    assert found.changed.value == 0


def test_whole_responses_are_compared_where_no_sentence_is_labelled() -> None:
    def labelled(label: str) -> Annotated:
        example = Example("1", Source("A text."), Response("One.", "m"))
        return annotate(example, says(Unit.response("One."), taxonomy("binary")[label]))

    found = compare_labels([labelled("faithful")], [labelled("unfaithful")])
    assert (found.kind, found.counts) == ("response", (("faithful", "unfaithful", 1),))
    assert found.to_dict()["counts"] == [{"before": "faithful", "after": "unfaithful", "count": 1}]
