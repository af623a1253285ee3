"""Sets of judgements opened from a reference, and laid beside the examples they are about."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay import (
    Answers,
    Author,
    Example,
    ExternalEvidence,
    InputError,
    Judgement,
    Judgements,
    Link,
    Manifest,
    Response,
    Source,
    Span,
    Unit,
    Verdict,
    taxonomy,
)
from assay.core.codec import DocumentWriter, write_judgement
from assay.core.decision import Interpretation
from assay.core.units import UnitKind
from assay.core.verdicts import Failure, Outcome
from assay.evaluation.references import align, open_judgements, recorded_judgements
from assay.store.rows import JournalEntry
from assay.store.runs import open_store
from assay.text.sentences import find_sentences
from tests.evaluation.opinions import Make

GRAY7 = taxonomy("gray7")
AUTHOR = Author("a judge", version="1")
Write = Callable[..., Path]


def example(response: str = "It sat.", id: str = "1", source: str = "The cat sat.") -> Example:
    return Example(id, Source(source), Response(response))


def opinion(unit: Unit) -> Outcome:
    """A verdict with all that one can have, or a failure."""
    if unit.text.startswith("No"):
        return Failure(unit.id, "refused", "it would not say", raw="No, I will not.")
    return Verdict(
        unit.id,
        GRAY7["ambiguous"],
        score=0.25,
        confidence=0.5,
        note="Two readings 😀.",
        evidence=(Span.cut("The cat sat.", 4, 7, "source"),),
        external=(ExternalEvidence("https://example.org", "a quote", "A title"),),
        answers=Answers(True, several_readings=True),
        interpretations=(Interpretation(GRAY7["fabricated"], "the cat"),),
    )


def judge(given: Example, units: Sequence[Unit] = (), **more: Any) -> Judgement:
    """What the author says of some units, by default of the sentences."""
    units = tuple(units) or find_sentences(given.response.text)
    return Judgement(given.id, AUTHOR, units, tuple(map(opinion, units)), **more)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes judgements to a file."""

    def written(*judgements: Judgement, kind: UnitKind = "sentence") -> Path:
        path = tmp_path / "said.json"
        with path.open("w", encoding="utf-8") as file:
            manifest = Manifest(AUTHOR, detector="a judge", unit_kind=kind, taxonomy="gray7")
            writer = DocumentWriter(file, manifest, "0.1.0")
            for judgement in judgements:
                writer.add(write_judgement(judgement))
            writer.close()
        return path

    return written


def only(judgements: Judgements, given: Example) -> Judgement:
    (found,) = align(judgements, [given])
    return found


def test_a_file_gives_back_exactly_what_was_written(write: Write) -> None:
    examples = [example("😀 It sat. No way.", "a"), example(id="b")]
    said = [judge(each) for each in examples]
    opened = open_judgements(str(write(*said)))
    assert opened.manifest.author == AUTHOR
    assert list(align(opened, examples)) == said
    assert list(align(opened, reversed(examples))) == said[::-1]


@pytest.mark.parametrize("kind", ["response", "claim", "relation", "span"])
def test_units_of_every_kind_come_back_as_they_were(kind: UnitKind, write: Write) -> None:
    text = "It sat. No way."
    first, second = (Span.cut(text, start, start + 2, "response") for start in (0, 3))
    sentence = find_sentences(text)[0]
    claim = Unit("s1.c1", "claim", "The cat sat", (first,), "s1")
    link = Link("cause", "s1.c1", "s1.c2", second)
    units = {
        "response": (Unit.response(text),),
        "claim": (sentence, claim, Unit("c1", "claim", "No way", (first, second))),
        "relation": (
            claim,
            Unit("s1.c2", "claim", "No way", (second,), "s1"),
            Unit("s1.r1", "relation", "sat, so No", (first, second), "s1", link),
        ),
        "span": (Unit.at("span", first, "p1"), Unit.at("span", second, "p2")),
    }[kind]
    given = example(text)
    said = judge(given, units)
    opened = open_judgements(str(write(said, kind=kind)))
    assert opened.manifest.unit_kind == kind
    assert only(opened, given) == said


def test_units_of_another_kind_than_was_judged_are_left_aside(write: Write) -> None:
    given = example()
    said = judge(given, [Unit.response("It sat.")])
    opened = open_judgements(str(write(said, kind="response")))
    named = replace(given, units=find_sentences("It sat."))
    assert only(opened, named) == said


def test_exactly_the_named_units_come_with_their_parts(write: Write) -> None:
    given = example("It sat. It ate. It ran.")
    first, second, third = find_sentences(given.response.text)
    part = Unit("s2.c1", "claim", "A cat ate", (), "s2")
    below = Unit("s2.c1.c1", "claim", "A cat", (), "s2.c1")
    opened = open_judgements(str(write(judge(given, [first, second, part, below, third]))))
    found = only(opened, replace(given, units=(second,)))
    assert [each.id for each in found.findings] == ["s2", "s2.c1", "s2.c1.c1"]
    assert [each.id for each in found.counted] == ["s2"]


def test_a_part_that_is_named_as_well_comes_once(write: Write) -> None:
    given = example()
    (sentence,) = find_sentences("It sat.")
    part = Unit("s1.c1", "claim", "A cat sat", (), "s1")
    said = judge(given, [sentence, part])
    opened = open_judgements(str(write(said)))
    assert only(opened, replace(given, units=(sentence, part))) == said


def test_a_named_sentence_of_which_only_parts_were_judged_is_not_a_failure(write: Write) -> None:
    given = example("It sat. It ate.")
    first, second = find_sentences(given.response.text)
    part = Unit("s1.c1", "claim", "A cat sat", (), "s1")
    said = Judgement("1", AUTHOR, (first, part, second), (opinion(part), opinion(second)))
    opened = open_judgements(str(write(said)))
    found = only(opened, replace(given, units=(first, second)))
    assert [each.id for each in found.findings] == ["s1.c1", "s2"]
    assert found.failures == ()


def test_an_example_that_is_not_there_has_a_missing_failure_for_each_sentence(write: Write) -> None:
    opened = open_judgements(str(write(judge(example()))))
    found = only(opened, example("It sat. It ate.", id="7"))
    assert [(each.id, each.text) for each in found.findings] == [
        ("s1", "It sat."),
        ("s2", "It ate."),
    ]
    assert {failure.reason for failure in found.failures} == {"missing"}
    assert "has no example '7'" in found.failures[0].detail
    assert found.characters_read == 0


def test_a_unit_that_was_not_judged_is_a_missing_failure(write: Write) -> None:
    given = example()
    opened = open_judgements(str(write(judge(given))))
    claim = Unit("c1", "claim", "It sat")
    found = only(opened, replace(given, units=(*find_sentences("It sat."), claim)))
    assert len(found.verdicts) == 1
    assert found.failures[0].detail.endswith("has no verdict on this claim")


@pytest.mark.parametrize(
    "changed", [{"source": "A dog ran off."}, {"response": "It ran."}], ids=["source", "response"]
)
def test_a_text_that_has_changed_since_is_a_missing_failure(
    changed: dict[str, str], write: Write
) -> None:
    opened = open_judgements(str(write(judge(example()))))
    found = only(opened, example(**changed))
    assert found.verdicts == ()
    assert {failure.reason for failure in found.failures} == {"missing"}
    assert "is about another text" in found.failures[0].detail


def test_a_unit_of_the_same_id_and_another_text_is_a_missing_failure(write: Write) -> None:
    given = example()
    opened = open_judgements(str(write(judge(given, [Unit("c1", "claim", "It sat")], at=""))))
    found = only(opened, replace(given, units=(Unit("c1", "claim", "It ran"),)))
    assert found.units[0].text == "It ran"
    assert "is about another text: its c1 reads 'It sat'" in found.failures[0].detail


def test_what_was_revised_is_not_read(write: Write) -> None:
    given = example()
    first = judge(given)
    second = replace(judge(given, [Unit.response("It sat.")]), round=2, supersedes=first.key)
    opened = open_judgements(str(write(first, second)))
    assert list(opened) == [second]


def test_two_judgements_of_one_example_are_refused(write: Write) -> None:
    opened = open_judgements(str(write(judge(example(id="7")), judge(example(id="7")))))
    with pytest.raises(InputError, match=r"said\.json has two judgements of the example '7'"):
        list(align(opened, [example(id="7")]))


def test_judgements_of_unknown_examples_are_refused_where_all_are_known(write: Write) -> None:
    opened = open_judgements(str(write(judge(example(id="a")), judge(example(id="b")))))
    assert len(list(align(opened, [example(id="a")], known={"a", "b"}))) == 1
    with pytest.raises(InputError, match="1 examples are not in the corpus, first 'b'"):
        list(align(opened, [example(id="a")], known={"a"}))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "holds no judgements of this version"),
        ("[]", "holds no judgements of this version"),
        ('{"detector": "x", "taxonomy": "gray7", "examples": []}', "holds no judgements of this"),
        ('{"schema": "urn:assay:judgements:9"}', "has the form 'urn:assay:judgements:9'"),
        ('{"schema": "urn:assay:judgements:1"}', "is damaged"),
    ],
)
def test_a_file_of_another_kind_is_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "said.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        open_judgements(str(path))


@pytest.mark.parametrize(
    "damage", [{"label": 5}, {"score": "high"}, {"score": 7}, {"label": "greyish"}]
)
def test_a_damaged_verdict_is_refused(damage: dict[str, Any], write: Write) -> None:
    path = write(judge(example()))
    document = json.loads(path.read_text(encoding="utf-8"))
    document["judgements"][0]["units"][0]["verdict"] |= damage
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(InputError):
        open_judgements(str(path))


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("nowhere.json", r"cannot read nowhere\.json: No such file"),
        (
            "gpt-4o",
            r"'gpt-4o' names no judgements; give run:NAME, FILE\.json, FILE\.parquet",
        ),
        ("recorded:gpt-4o", "'recorded:gpt-4o' names no judgements"),
        ("recorded:gpt-4o@", "'recorded:gpt-4o@' names no judgements"),
        ("recorded:@faithbench", "'recorded:@faithbench' names no judgements"),
        ("gold:", "'gold:' names no judgements"),
        ("run:", "'run:' names no judgements"),
        ("gold:faithbenhc", "Did you mean 'faithbench'"),
    ],
)
def test_a_reference_that_cannot_be_opened_is_told_in_one_line(
    reference: str, message: str
) -> None:
    with pytest.raises(InputError, match=message) as error:
        open_judgements(reference)
    assert "\n" not in error.value.message


def test_a_run_is_opened_by_its_name_and_tells_what_it_took(tmp_path: Path) -> None:
    given = [example(id="a"), example(id="b")]
    manifest = Manifest(AUTHOR, model="some-model", taxonomy="gray7", examples=2)
    with open_store(str(tmp_path)).create("mine", manifest) as journal:
        for position, each in enumerate(given):
            journal.add(JournalEntry(position, judge(each)))
        journal.keep(usage={"seconds": 2.5, "cost": 0.01})
    opened = open_judgements("run:mine", runs=str(tmp_path))
    assert (opened.reference, opened.manifest) == ("run:mine", manifest)
    assert (opened.seconds, opened.cost) == (2.5, 0.01)
    assert list(align(opened, given)) == [judge(each) for each in given]


def test_a_run_of_replies_only_is_refused_in_one_line(tmp_path: Path) -> None:
    manifest = Manifest(AUTHOR, detector="matching", model="m")
    open_store(str(tmp_path)).create("questions", manifest).close()
    with pytest.raises(InputError, match="holds what a model answered for matching, and no"):
        open_judgements("run:questions", runs=str(tmp_path))


def test_recorded_judgements_are_found_by_the_name_of_the_detector(make_annotated: Make) -> None:
    annotated = [make_annotated("a", "fabricated", ".2"), make_annotated("b", "no-fact", ".9")]
    opened = recorded_judgements("j", "d", annotated)
    assert opened.reference == "recorded:j@d"
    assert opened.manifest.unit_kind == "sentence"
    assert [each.outcomes[0].score for each in opened] == [0.2, 0.9]
    with pytest.raises(InputError, match=r"unknown recorded detector of d 'jj'\. Did you mean 'j'"):
        recorded_judgements("jj", "d", annotated)


@pytest.mark.shared_data
def test_a_corpus_gives_its_gold_and_its_recorded_detectors(shared_data: Path) -> None:
    gold = open_judgements("gold:faithbench-sentences", data=str(shared_data))
    assert {each.author.kind for each in gold} == {"person"}
    said = open_judgements("recorded:hhem-2.1@faithbench-sentences", data=str(shared_data))
    assert said.reference == "recorded:hhem-2.1@faithbench-sentences"
    assert {each.author.name for each in said} == {"hhem-2.1"}
    assert sum(len(each.verdicts) for each in said) == 3767
