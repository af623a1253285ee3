"""`two_step`: what the first step lets through, and first steps by what people said."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import Finding
from assay.core.labels import Label
from assay.core.readings import usual_reading
from assay.core.taxonomies import BINARY, FAITHBENCH, GRAY7
from assay.core.texts import Response, Source, Span
from assay.core.units import Unit
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.detectors.combinators.two_step import GoldStep, gold_label, two_step
from assay.detectors.localize.making import FOLDER
from assay.detectors.protocol import Detector, stages_of
from assay.detectors.registry import DetectorSpec
from assay.llm.client import CallError, Line, Scripted
from assay.text.sentences import response_unit
from tests.detectors.judges.scripts import Heard, annotate, load
from tests.detectors.localize.scripts import AGE, BOAT, RESPONSE, hear, listed
from tests.judging import judge_all, judge_one

Script = Callable[..., Detector]
FOUND = listed(AGE)
EXPLICIT, FABRICATED = GRAY7["explicitly-supported"], GRAY7["fabricated"]


def ask(classifier: Detector, lines: Iterable[Line], example: Example = BOAT) -> Heard:
    client = Scripted(lines)
    judge = two_step(classifier, load("localize-zero", client))
    return Heard(judge_one(judge, example).findings, client.requests)


def test_localizer_is_not_asked_where_the_first_step_says_faithful(scripted: Script) -> None:
    heard = ask(scripted(lambda unit: Verdict(unit.id, EXPLICIT)), [])
    assert (heard.labels, heard.requests) == (["faithful"], [])
    assert heard.findings[0].unit == response_unit(BOAT)
    assert heard.verdict().note.startswith("The first step (scripted) finds it faithful")


def test_one_unfaithful_sentence_is_enough_to_ask_the_localizer(scripted: Script) -> None:
    def second_is_wrong(unit: Unit) -> Outcome:
        return Verdict(unit.id, FABRICATED if unit.start else EXPLICIT)

    heard = ask(scripted(second_is_wrong), [FOUND])
    assert heard.labels == ["unfaithful", "unfaithful"]
    assert heard.verdict(0).note == (
        "The first step (scripted) does not find it faithful. 1 inconsistency found."
    )
    assert heard.verdict(1).note == ""


@pytest.mark.parametrize(
    ("label", "asked"),
    [("no-fact", False), ("implicitly-supported", False), ("ambiguous", True)],
)
def test_localizer_is_asked_unless_the_first_step_finds_nothing_doubtful(
    scripted: Script, label: str, asked: bool
) -> None:
    heard = ask(scripted(lambda unit: Verdict(unit.id, GRAY7[label])), [FOUND])
    assert bool(heard.requests) is asked


def test_scores_are_cut_in_the_middle(scripted: Script) -> None:
    assert ask(scripted(lambda unit: Verdict(unit.id, score=0.4)), [FOUND]).requests
    assert not ask(scripted(lambda unit: Verdict(unit.id, score=0.5)), [FOUND]).requests


def test_localizer_may_find_nothing_where_the_first_step_does(scripted: Script) -> None:
    heard = ask(scripted(lambda unit: Verdict(unit.id, FABRICATED)), [listed()])
    assert heard.labels == ["faithful"]
    assert "does not find it faithful. No inconsistency found." in heard.verdict().note


def test_failure_of_the_first_step_is_a_failure(scripted: Script) -> None:
    heard = ask(scripted(lambda unit: Failure(unit.id, "language", "it is Danish")), [FOUND])
    assert (heard.labels, heard.requests) == (["failed: language"], [])
    assert heard.failure().detail == "the first step (scripted) has no verdict: it is Danish"


def test_failure_beside_an_unfaithful_sentence_does_not_matter(scripted: Script) -> None:
    def first_fails(unit: Unit) -> Outcome:
        return Verdict(unit.id, FABRICATED) if unit.start else Failure(unit.id, "parse")

    assert ask(scripted(first_fails), [FOUND]).labels == ["unfaithful", "unfaithful"]


def test_failure_of_the_localizer_stays_as_it_is(scripted: Script) -> None:
    heard = ask(scripted(lambda u: Verdict(u.id, FABRICATED)), [CallError("transport", "gone")])
    assert heard.labels == ["failed: transport"]
    assert heard.failure().detail == "gone"


def test_named_units_reach_the_step_that_judges_their_kind(scripted: Script) -> None:
    detector = scripted(lambda unit: Verdict(unit.id, EXPLICIT))
    ask(detector, [], replace(BOAT, units=(response_unit(BOAT),)))
    assert len(detector.log) == 2  # type: ignore[attr-defined]


def ask_self(*lines: Line) -> Heard:
    return hear("localize-cot:two-step=self", lines)


def test_self_asks_the_same_model_for_a_reasoned_verdict_first() -> None:
    heard = ask_self("All ages differ.\nVerdict: unfaithful", FOUND)
    assert heard.labels == ["unfaithful", "unfaithful"]
    assert len(heard.requests) == 2
    assert len(ask_self("It agrees.\nVerdict: faithful").requests) == 1
    assert ask_self("Hm.", "Hm.").labels == ["failed: parse"]


def test_judge_of_two_steps_says_who_it_is_and_what_it_asks_with() -> None:
    client = Scripted((), model="m")
    judge = load("localize-cot:b,two-step=self", client)
    assert judge.author.name == "localize-cot:b m after localize-self m"
    assert list(judge.prompt_digests) == ["1. localize-self", "2. localize-cot-b"]
    gold = load("localize-cot:two-step=gold", client, list)
    assert list(gold.prompt_digests) == ["localize-cot-a"]
    assert [each.author.name for each in stages_of(judge)] == [
        "localize-self m",
        "localize-cot:b m",
    ]
    assert stages_of(gold) == (gold,)


@pytest.mark.parametrize("step", ["self", "gold", "overlap", "judge-gray7:batch"])
def test_spec_declares_what_two_steps_can_do(step: str) -> None:
    spec = DetectorSpec(f"localize-zero:two-step={step}")
    annotations = list if step == "gold" else None
    assert load(spec.name, Scripted(()), annotations).capabilities == spec.capabilities
    assert spec.capabilities.reads_annotations is (step == "gold")


def test_prompt_of_one_step_does_not_hide_one_of_that_name_of_the_other(tmp_path: Path) -> None:
    text = (FOLDER / "localize-zero-a.md").read_text(encoding="utf-8")
    other = tmp_path / "mine.md"
    other.write_text(text.replace("You compare", "Please compare"), encoding="utf-8")
    client = Scripted(())
    steps = load("localize-zero", client), load(f"localize-zero:prompt={other}", client)
    assert [list(step.prompt_digests) for step in steps] == [["localize-zero-a"]] * 2
    assert len(set(two_step(*steps).prompt_digests.values())) == 2


def test_any_detector_can_be_the_first_step() -> None:
    fair = Example("1", Source("The cat sat on the mat."), Response("The cat sat on the mat."))
    judge = load("localize-cot:two-step=overlap", Scripted([FOUND]))
    judgement = judge_one(judge, fair)
    assert [str(each.label) for each in judgement.verdicts] == ["faithful"]
    assert judgement.author == judge.author
    assert judgement.characters_read == len(fair.source.text)


def test_what_neither_step_read_is_not_counted() -> None:
    # p-true reads nothing of the source.
    first = load("p-true:repeat=1", Scripted(lambda _: "B"))
    named = replace(BOAT, question="Did they leave?")
    judge = two_step(first, load("localize-zero", Scripted([FOUND])))
    assert judge_one(judge, named).characters_read == 0


def test_many_examples_are_classified_and_localized() -> None:
    client = Scripted(lambda _: FOUND)
    texts = ["The cat sat on the mat.", "Submarines dive below icebergs."] * 50
    source = Source("The cat sat on the mat.")
    examples = [Example(str(n), source, Response(text)) for n, text in enumerate(texts)]
    found = judge_all(load("localize-zero:two-step=overlap", client), examples)
    labels = [str(each.verdicts[0].label) for each in found]
    assert labels == ["faithful", "unfaithful"] * 50
    assert len(client.requests) == 50


# First steps by what people said.

WHOLE = Unit.response(RESPONSE)
SPAN = Unit.at("span", Span.cut(RESPONSE, 0, 10, "response"), "p1")


def said(unit: Unit, label: Label) -> list[Finding]:
    return [Finding(unit, Verdict(unit.id, label))]


def by_gold(**gold: Iterable[Finding]) -> Outcome:
    """What the first step says of an example with these judgements by people."""
    step = GoldStep(lambda: [annotate(BOAT, **gold)])
    return judge_one(step, BOAT).outcomes[0]


@pytest.mark.parametrize(
    ("gold", "label"),
    [
        (
            {"gold": said(WHOLE, BINARY["faithful"]), "x": said(SPAN, FAITHBENCH["benign"])},
            "faithful",
        ),
        ({"gold": said(WHOLE, FAITHBENCH["consistent"])}, "faithful"),
        # Every error that people marked is one, as in the gold of localizers.
        ({"gold": said(WHOLE, FAITHBENCH["benign"])}, "unfaithful"),
        ({"gold": said(WHOLE, FAITHBENCH["questionable"])}, "unfaithful"),
        ({"x": said(SPAN, FAITHBENCH["unwanted.intrinsic"])}, "unfaithful"),
        (
            {"x": said(WHOLE, BINARY["faithful"]), "y": said(WHOLE, BINARY["unfaithful"])},
            "unfaithful",
        ),
        (
            {"gold": said(WHOLE, BINARY["faithful"]), "y": said(WHOLE, BINARY["unfaithful"])},
            "faithful",
        ),
    ],
)
def test_gold_label_is_read_strictly(gold: dict[str, list[Finding]], label: str) -> None:
    assert str(by_gold(**gold).label) == label


def test_gold_label_that_is_not_there_or_is_left_out_is_a_failure() -> None:
    nothing, left_out = by_gold(), by_gold(gold=said(WHOLE, GRAY7["ambiguous"]))
    assert isinstance(nothing, Failure)
    assert isinstance(left_out, Failure)
    assert (nothing.reason, nothing.detail) == ("missing", "the example has no gold label")
    assert "leaves out ambiguous" in left_out.detail


def test_gold_step_lets_through_what_people_find_unfaithful() -> None:
    client = Scripted([FOUND])
    good, bad = replace(BOAT, id="good"), replace(BOAT, id="bad")
    annotated = [
        annotate(good, gold=said(WHOLE, BINARY["faithful"])),
        annotate(bad, gold=said(WHOLE, BINARY["unfaithful"])),
    ]
    judge = load("localize-cot:two-step=gold", client, lambda: annotated)
    labels = [[str(v.label) for v in each.verdicts] for each in judge_all(judge, [good, bad])]
    assert labels == [["faithful"], ["unfaithful", "unfaithful"]]
    assert len(client.requests) == 1


def test_gold_step_without_annotated_data_says_what_it_needs() -> None:
    judge = load("localize-cot:two-step=gold", Scripted([]))
    with pytest.raises(InputError, match="needs annotated data"):
        judge_one(judge, BOAT)


def test_usual_reading_is_the_first_that_says_faithful_or_not() -> None:
    names = {name: usual_reading(name).name for name in ("gray7", "faithbench", "ragtruth4")}
    assert names == {"gray7": "verigray", "faithbench": "faithbench", "ragtruth4": "ragtruth"}


def test_label_of_an_example_without_annotations_is_none() -> None:
    assert gold_label(Annotated(BOAT)) is None
