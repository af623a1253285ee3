"""What one author says of one example, and sets of that."""

from dataclasses import replace

import pytest

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import (
    GOLD,
    Author,
    Judgement,
    Judgements,
    Manifest,
    current,
    differences,
)
from assay.core.taxonomies import GRAY7
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.core.verdicts import Failure, Outcome, Verdict

UNITS = (
    Unit("s1", "sentence", "It sat."),
    Unit("s1.c1", "claim", "The cat sat.", parent="s1"),
    Unit("s2", "sentence", "It ate."),
    Unit("s2.c1", "claim", "The cat ate.", parent="s2"),
    Unit("s2.c1.c1", "claim", "Something ate.", parent="s2.c1"),
)
DETECTOR = Author("d", version="1")


def said(*outcomes: Outcome, units: tuple[Unit, ...] = UNITS) -> Judgement:
    return Judgement("ex", DETECTOR, units, outcomes)


def scored(*ids: str) -> Judgement:
    return said(*(Verdict(id, score=0.5) for id in ids))


@pytest.mark.parametrize(
    ("units", "outcomes", "message"),
    [
        ((UNITS[0], UNITS[0]), (), "names a unit twice"),
        (UNITS, (Verdict("s1", score=1), Failure("s1", "parse")), "has two outcomes for one unit"),
        (UNITS, (Verdict("s9", score=1),), "has no unit 's9'"),
    ],
)
def test_outcomes_refer_to_units_one_to_each(
    units: tuple[Unit, ...], outcomes: tuple[Outcome, ...], message: str
) -> None:
    with pytest.raises(InputError, match=f"the judgement of 'ex' {message}"):
        said(*outcomes, units=units)


def test_findings_join_units_and_outcomes_in_the_order_of_the_units() -> None:
    bad = Verdict("s1", GRAY7["fabricated"], 0.25, 0.75, "why")
    judgement = said(Failure("s2", "refused", "no"), bad)
    first, second = judgement.findings
    assert (first.id, first.kind, first.text) == ("s1", "sentence", "It sat.")
    assert (first.label, first.score, first.confidence) == (GRAY7["fabricated"], 0.25, 0.75)
    assert (first.note, first.coarse, first.verdict) == ("why", "unfaithful", bad)
    assert (second.verdict, second.failure) == (None, Failure("s2", "refused", "no"))
    assert (second.label, second.score, second.coarse, second.note) == (None, None, None, "no")
    assert judgement.verdicts == (bad,)
    assert judgement.failures == (second.failure,)
    assert judgement.finding("s2") == second
    assert judgement.finding("s1.c1") is None


def test_parts_of_what_was_judged_do_not_count() -> None:
    judgement = scored("s1", "s1.c1", "s2.c1.c1", "s2")
    assert [each.id for each in judgement.counted] == ["s1", "s2"]
    assert [each.id for each in judgement.parts] == ["s1.c1", "s2.c1.c1"]
    assert [each.id for each in judgement.children("s1")] == ["s1.c1"]


def test_parts_count_where_the_whole_was_not_judged() -> None:
    assert [each.id for each in scored("s1", "s2.c1").counted] == ["s1", "s2.c1"]
    assert [each.id for each in scored("s2.c1", "s2.c1.c1").counted] == ["s2.c1"]


def test_everything_is_a_part_of_a_judged_response() -> None:
    units = (Unit.response("It sat."), *UNITS)
    judgement = said(Verdict("response", score=1), Verdict("s1", score=0), units=units)
    assert [each.id for each in judgement.counted] == ["response"]


def test_revision_supersedes_what_it_names() -> None:
    first = scored("s1")
    second = replace(first, round=2, supersedes=first.key)
    other = replace(first, author=GOLD)
    assert first.key == "ex/d/1"
    assert current([first, other, second]) == [other, second]
    assert current([first, other]) == [first, other]


def test_annotated_example_tells_people_from_detectors() -> None:
    example = Example("ex", Source("a"), Response("b"))
    machine, person = scored("s1"), replace(scored("s1"), author=GOLD)
    annotated = Annotated(example, (machine,)).with_judgements(person)
    assert (annotated.id, annotated.gold, annotated.recorded) == ("ex", (person,), (machine,))


MANIFEST = Manifest(
    author=DETECTOR,
    version="1.0",
    detector="judge-gray7:batch",
    dataset="a.jsonl",
    dataset_digest="aaaa",
    examples=10,
    model="openai/gpt-4o",
    parameters={"temperature": 0.0, "seed": None},
    prompt_digests={"judge-gray7": "1111", "repair": "2222"},
)


def test_set_is_read_from_the_beginning_each_time() -> None:
    pair = [scored("s1"), replace(scored("s1"), author=GOLD), replace(scored("s2"), example="b")]
    judgements = Judgements("FILE", MANIFEST, lambda: iter(pair))
    assert list(judgements) == list(judgements) == pair
    assert judgements.by_example() == {"ex": tuple(pair[:2]), "b": (pair[2],)}


def test_differences_name_what_changed_from_what_to_what() -> None:
    new = replace(
        MANIFEST,
        author=Author("d", version="2"),
        dataset_digest="bbbb",
        sample=5,
        seed=1,
        parameters={"temperature": 0.7, "seed": None, "logprobs": True},
        prompt_digests={"judge-gray7": "3333", "repair": "2222"},
    )
    assert list(differences(MANIFEST, new)) == [
        "author: d 1 -> d 2",
        "dataset digest: aaaa -> bbbb",
        "sample: none -> 5",
        "seed: none -> 1",
        "temperature: 0.0 -> 0.7",
        "logprobs: none -> True",
        "prompt judge-gray7: 1111 -> 3333",
    ]


def test_same_data_under_another_name_is_the_same() -> None:
    assert not list(differences(MANIFEST, replace(MANIFEST, dataset="./a.jsonl")))


@pytest.mark.parametrize(("sample", "chosen"), [(None, 10), (3, 3), (99, 10)])
def test_chosen_is_the_sample_or_all(sample: int | None, chosen: int) -> None:
    assert replace(MANIFEST, sample=sample).chosen == chosen
