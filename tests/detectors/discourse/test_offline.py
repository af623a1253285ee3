"""`discourse-offline` with a tiny model whose bias says what it answers."""

import asyncio
import itertools
from collections.abc import Iterator
from dataclasses import replace

import pytest

from assay.core.codec import read_judgement, verify, write_judgement
from assay.core.examples import Example
from assay.core.judgements import Judgement
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.detectors.discourse.offline import OfflineDiscourse, ScoringPlan
from assay.detectors.embedded.detector import EmbeddedDetector
from assay.detectors.registry import detector_facts
from tests.detectors.discourse.scripts import (
    example,
    failure,
    hangs_under_its_sentence,
    of_kind,
    verdict,
)
from tests.detectors.embedded.conftest import TinyModel
from tests.judging import judge_one

SOURCE = (
    "The library closed on Friday. Its boiler failed in December. The reading club moved to the"
    " hall. Tove Brandt sold her boat. The town may open the library again in June."
    " Ada Moor voted against the plan. She said that the plan costs too much money."
    " The school shut its kitchen because the drains leaked."
)
ENTAILED, NEUTRAL = (9.0, 0.0, 0.0), (0.0, 9.0, 0.0)


def judge(
    model: TinyModel, response: str, bias: tuple[float, float, float] = ENTAILED
) -> Judgement:
    return judge_one(OfflineDiscourse(str(model(bias))), example(SOURCE, response))


@pytest.mark.parametrize(
    ("response", "label", "error"),
    [
        ("The library closed because Tove Brandt sold her boat.", "fabricated", "fabricated-link"),
        (
            "Although Tove Brandt sold her boat, the library closed.",
            "fabricated",
            "fabricated-link",
        ),
        ("The boiler failed because the drains leaked.", "contradicting", "scope-attachment"),
        ("Tove Brandt sold her boat before the boiler failed.", "contradicting", "temporal-state"),
        ("The town opens the library again in June.", "fabricated", "hedging-removal"),
        (
            "Tove Brandt said that the plan costs too much money.",
            "contradicting",
            "scope-attachment",
        ),
    ],
)
def test_rules_of_thumb_turn_what_the_model_finds(
    tiny_model: TinyModel, response: str, label: str, error: str
) -> None:
    judgement = judge(tiny_model, response)
    sentence = verdict(judgement.findings[0])
    assert (str(sentence.label), str(sentence.error)) == (label, error)
    assert "By a rule of thumb" in sentence.note
    assert sentence.attributes.backend == "offline"
    assert sentence.score == 0.4
    assert sentence.confidence == 0.5
    assert sentence.evidence


@pytest.mark.parametrize(
    "response",
    [
        "The school shut its kitchen because the drains leaked.",
        "The library may open again in June.",
        "The town plans to open the library again in June.",
        "Ada Moor said that the plan costs too much money.",
        "Its boiler failed before Tove Brandt sold her boat.",
        "The library closed on Friday, and its boiler failed in December.",
        "The library closed because its boiler failed.",  # neighbours: a link may go without saying
    ],
)
def test_rules_of_thumb_leave_alone_what_the_source_shows(
    tiny_model: TinyModel, response: str
) -> None:
    judgement = judge(tiny_model, response)
    assert all(verdict(each).error is None for each in judgement.findings)
    assert {each.coarse for each in judgement.findings} == {"faithful"}


def test_relation_is_named_with_its_cue_and_its_claims_stay_supported(
    tiny_model: TinyModel,
) -> None:
    response = "The library closed because Tove Brandt sold her boat."
    judgement = judge(tiny_model, response)
    [relation] = of_kind(judgement, "relation")
    link = relation.unit.link
    assert link is not None
    assert link.cue is not None
    assert (link.name, link.first, link.second) == ("cause", "s1.c2", "s1.c1")
    assert link.cue.text == "because"
    assert verdict(judgement.findings[0]).note.startswith(
        "The cause relation “because” is fabricated (the cause: Tove Brandt sold her boat; the"
        " effect: The library closed). By a rule of thumb: the source states both"
    )
    assert [each.text for each in of_kind(judgement, "claim")] == [
        "The library closed.",
        "Tove Brandt sold her boat.",
    ]
    assert all(each.coarse == "faithful" for each in of_kind(judgement, "claim"))


def test_claims_that_are_not_found_are_to_blame_before_links(tiny_model: TinyModel) -> None:
    judgement = judge(tiny_model, "The library closed because the roof fell in.", NEUTRAL)
    sentence = verdict(judgement.findings[0])
    assert (str(sentence.label), sentence.error) == ("fabricated", None)
    assert sentence.note.startswith("The claim “")


def test_sentences_keep_the_score_of_the_embedded_detector(tiny_model: TinyModel) -> None:
    folder = str(tiny_model())
    given = example(
        SOURCE, "The library closed, but the club moved. Tove said so because she left."
    )
    plain = judge_one(EmbeddedDetector(folder), given)
    ours = judge_one(OfflineDiscourse(folder), given)
    scores = [verdict(each).score for each in of_kind(ours, "sentence")]
    assert scores == pytest.approx([verdict(each).score for each in plain.findings], abs=1e-4)
    assert ours.characters_read == plain.characters_read


def test_relation_across_sentences_stands_with_the_later_one(tiny_model: TinyModel) -> None:
    judgement = judge(tiny_model, "The boiler failed in December. As a result, the library closed.")
    ids = [each.id for each in judgement.findings]
    assert ids == ["s1", "s1.c1", "s2", "s2.c1", "s2.r1"]


def test_named_sentences_are_judged_and_no_others(tiny_model: TinyModel) -> None:
    given = example(SOURCE, "The library closed. The club moved because it rained.")
    unit = Unit("s2", "sentence", "The club moved because it rained.")
    detector = OfflineDiscourse(str(tiny_model()))
    judgement = judge_one(detector, replace(given, units=(unit,)))
    assert [each.unit for each in of_kind(judgement, "sentence")] == [unit]
    assert [each.id for each in judgement.parts] == ["s2.c1", "s2.c2", "s2.r1"]
    nothing = judge_one(detector, replace(given, units=(Unit("p1", "span", "club"),)))
    assert nothing.outcomes == ()


def test_talk_and_other_languages_have_no_parts(tiny_model: TinyModel) -> None:
    judgement = judge(tiny_model, "I hope this helps!")
    assert [str(verdict(each).label) for each in judgement.findings] == ["no-fact"]
    german = "Das Haus wurde nicht gebaut, weil der Bürgermeister es für die Stadt nicht wollte."
    [refused] = judge(tiny_model, german).findings
    assert failure(refused).reason == "language"


def test_examples_are_read_as_they_are_needed(tiny_model: TinyModel) -> None:
    read = 0

    def endless() -> Iterator[Example]:
        nonlocal read
        for read in itertools.count(1):
            yield replace(example(SOURCE, "The library closed because of rain."), id=str(read))

    async def first(count: int) -> list[str]:
        stream = OfflineDiscourse(str(tiny_model())).judge(endless())
        return [(await anext(stream)).example for _ in range(count)]

    assert sorted(asyncio.run(first(3))) == ["1", "2", "3"]
    assert read < 10


@pytest.mark.parametrize(
    "response",
    [
        "A",
        "because",
        "Because, because, because.",
        "If then but so.",
        "word " * 200,
        "because it rained, " * 40,
        "x" * 500,
        "He said " * 60,
        "\x07 a\x1b because \u3000 b",
        "“According to, , said.” Therefore",
        "- If A is b, c is d.\n- but e was f",
    ],
)
@pytest.mark.parametrize("source", ["a", "...", "Word because word. " * 400, "\x07 a\x1b b."])
def test_odd_texts_never_crash_and_every_span_is_exact(
    tiny_model: TinyModel, source: str, response: str
) -> None:
    given = example(source, response)
    judgement = judge_one(OfflineDiscourse(str(tiny_model(ENTAILED))), given)
    assert judgement.verdicts
    assert not judgement.failures
    assert verify(read_judgement(write_judgement(judgement)), given) == judgement
    assert all(hangs_under_its_sentence(each.unit, judgement) for each in judgement.parts)


@pytest.mark.parametrize("endless", ["word ", "because it rained, ", "x", "He said "])
def test_an_endless_sentence_is_too_long_and_the_next_is_judged(
    tiny_model: TinyModel, endless: str
) -> None:
    given = example(SOURCE, f"{endless * 9_000}.\n\nThe library closed because of rain.")
    judgement = judge_one(OfflineDiscourse(str(tiny_model(ENTAILED))), given)
    assert [each.reason for each in judgement.failures] == ["too_long"]
    assert [each.unit for each in judgement.verdicts] == ["s2"]
    assert all(hangs_under_its_sentence(each.unit, judgement) for each in judgement.parts)


RESPONSES = (
    "Ada Moor said it closed. But it closed because, sadly, Tove Brandt sold her boat.",
    "The boiler failed in December. As a result, the library closed. This was a great success.",
    "It closed because it rained. It closed because it rained. However, it closed.",
)


@pytest.mark.parametrize("response", RESPONSES)
def test_parts_hang_under_their_own_sentences_after_writing_and_reading(
    tiny_model: TinyModel, response: str
) -> None:
    given = example(SOURCE, response)
    judgement = judge_one(OfflineDiscourse(str(tiny_model(ENTAILED))), given)
    again = read_judgement(write_judgement(judgement))
    assert again == judgement
    assert verify(again, given) == judgement
    assert all(hangs_under_its_sentence(each.unit, again) for each in again.parts)
    assert {each.unit.parent for each in again.parts} == {each.id for each in again.counted}


def test_what_a_relation_links_is_always_there(tiny_model: TinyModel) -> None:
    judgement = judge(tiny_model, RESPONSES[0])
    ends = [
        judgement.by_id[end]
        for unit in judgement.units
        if unit.link
        for end in (unit.link.first, unit.link.second)
    ]
    spans = [unit for unit in ends if unit.kind == "span"]
    assert [unit.text for unit in spans] == ["Ada Moor", "sadly"]
    assert all(judgement.finding(unit.id) is None for unit in spans)


def test_named_sentence_without_a_place_has_parts_without_one(tiny_model: TinyModel) -> None:
    unit = Unit("s1", "sentence", "It closed because it rained.")
    given = replace(example(SOURCE, "It closed."), units=(unit,))
    judgement = judge_one(OfflineDiscourse(str(tiny_model(ENTAILED))), given)
    assert read_judgement(write_judgement(judgement)) == judgement
    assert all(each.spans == () for each in judgement.units)


def test_no_more_is_added_than_the_sentences_are_long() -> None:
    text = "Ada left, but Ben stayed because it rained, so Cy slept if he could, and Di sang. " * 9
    plan = ScoringPlan.of(Example("1", Source("a"), Response(text)))
    added = sum(len(unit.text) for unit in plan.statements)
    assert 0 < added <= len(text)


def test_facts_tell_what_it_is() -> None:
    facts = detector_facts("discourse-offline")
    assert "English only" in facts["language"]
    assert "connectives" in facts["word lists"]
