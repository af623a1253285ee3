"""`discourse-offline` with a tiny model whose bias says what it answers."""

import itertools
import json
from dataclasses import replace

import pytest

from assay import check
from assay.checking.results import Checked
from assay.core.examples import Example, Judgement
from assay.core.taxonomies import GRAY7
from assay.core.texts import Response, Source
from assay.core.units import Relation, Unit
from assay.core.verdicts import Failure
from assay.detectors.discourse.offline import OfflineDiscourse, Plan
from assay.detectors.embedded.detector import EmbeddedDetector
from assay.detectors.replay import read_judgement
from tests.detectors.discourse.scripts import example, failure, of_kind, verdict
from tests.detectors.embedded.conftest import TinyModel

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
    [judgement] = OfflineDiscourse(str(model(bias))).detect([example(SOURCE, response)])
    return judgement


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
    sentence = verdict(judgement.outcomes[0])
    assert (str(sentence.label), str(sentence.error)) == (label, error)
    assert "By a rule of thumb" in sentence.note
    assert sentence.note.endswith("[discourse, offline]")
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
    assert all(verdict(each).error is None for each in judgement.outcomes)
    assert {verdict(each).label.coarse for each in judgement.outcomes} == {"faithful"}  # type: ignore[union-attr]


def test_relation_is_named_with_its_cue_and_its_claims_stay_supported(
    tiny_model: TinyModel,
) -> None:
    response = "The library closed because Tove Brandt sold her boat."
    judgement = judge(tiny_model, response)
    [relation] = of_kind(judgement, "relation")
    assert isinstance(relation.unit, Relation)
    assert relation.unit.cue is not None
    assert (relation.unit.name, relation.unit.cue.text) == ("cause", "because")
    assert verdict(judgement.outcomes[0]).note.startswith(
        "The cause relation “because” is fabricated (the cause: Tove Brandt sold her boat; the"
        " effect: The library closed). By a rule of thumb: the source has both"
    )
    assert [each.unit.text for each in of_kind(judgement, "claim")] == [
        "The library closed.",
        "Tove Brandt sold her boat.",
    ]
    assert all(verdict(each).label.coarse == "faithful" for each in of_kind(judgement, "claim"))  # type: ignore[union-attr]


def test_claims_that_are_not_found_are_to_blame_before_links(tiny_model: TinyModel) -> None:
    judgement = judge(tiny_model, "The library closed because the roof fell in.", NEUTRAL)
    sentence = verdict(judgement.outcomes[0])
    assert (str(sentence.label), sentence.error) == ("fabricated", None)
    assert sentence.note.startswith("The claim “")


def test_sentences_keep_the_score_of_the_embedded_detector(tiny_model: TinyModel) -> None:
    folder = str(tiny_model())
    given = example(
        SOURCE, "The library closed, but the club moved. Tove said so because she left."
    )
    [plain] = EmbeddedDetector(folder).detect([given])
    [ours] = OfflineDiscourse(folder).detect([given])
    scores = [verdict(each).score for each in of_kind(ours, "sentence")]
    assert scores == pytest.approx([verdict(each).score for each in plain.outcomes], abs=1e-4)
    assert ours.characters_read == plain.characters_read


def test_relation_across_sentences_stands_with_the_later_one(tiny_model: TinyModel) -> None:
    judgement = judge(tiny_model, "The boiler failed in December. As a result, the library closed.")
    kinds = [each.unit.kind for each in judgement.outcomes]
    assert kinds == ["sentence", "claim", "sentence", "claim", "relation"]


def test_named_sentences_are_judged_and_no_others(tiny_model: TinyModel) -> None:
    given = example(SOURCE, "The library closed. The club moved because it rained.")
    unit = Unit("sentence", "The club moved because it rained.")
    [judgement] = OfflineDiscourse(str(tiny_model())).detect([replace(given, units=(unit,))])
    assert [each.unit for each in of_kind(judgement, "sentence")] == [unit]
    assert len(judgement.outcomes) == 4
    [nothing] = OfflineDiscourse(str(tiny_model())).detect(
        [replace(given, units=(Unit("span", "club"),))]
    )
    assert nothing.outcomes == ()


def test_talk_and_other_languages_have_no_parts(tiny_model: TinyModel) -> None:
    judgement = judge(tiny_model, "I hope this helps!")
    assert [str(verdict(each).label) for each in judgement.outcomes] == ["no-fact"]
    german = "Das Haus wurde nicht gebaut, weil der Bürgermeister es für die Stadt nicht wollte."
    [refused] = judge(tiny_model, german).outcomes
    assert failure(refused).reason == "language"


def test_examples_are_read_as_they_are_needed(tiny_model: TinyModel) -> None:
    endless = (example(SOURCE, f"The library closed because of {n}.") for n in itertools.count())
    stream = OfflineDiscourse(str(tiny_model())).detect(endless)
    found = [next(stream) for _ in range(3)]
    assert [each.example.response.text[-2:] for each in found] == ["0.", "1.", "2."]


@pytest.mark.parametrize(
    "response",
    [
        "A",
        "because",
        "Because, because, because.",
        "If then but so.",
        "word " * 2_000,
        "because it rained, " * 400,
        "x" * 9_000,
        "He said " * 300,
        "\x07 a\x1b because \u3000 b",
        "“According to, , said.” Therefore",
        "- If A is b, c is d.\n- but e was f",
    ],
)
@pytest.mark.parametrize("source", ["a", "...", "Word because word. " * 400, "\x07 a\x1b b."])
def test_odd_texts_never_crash_and_every_span_is_exact(
    tiny_model: TinyModel, source: str, response: str
) -> None:
    [checked] = check(
        source, response, detector=OfflineDiscourse(str(tiny_model(ENTAILED)))
    ).examples
    assert checked.units
    for outcome in checked.units:
        assert not isinstance(outcome, Failure)
        assert all(span.verify(response) for span in outcome.unit.spans)
    units = [outcome.unit for outcome in checked.units]
    assert len(set(units)) == len(units)


def test_outcomes_can_be_written_and_read_back(tiny_model: TinyModel) -> None:
    response = "Ada Moor said it closed. But it closed because, sadly, Tove Brandt sold her boat."
    for units in ((), (Unit("sentence", "It closed because it rained."),)):
        given = replace(example(SOURCE, response), units=units)
        [judgement] = OfflineDiscourse(str(tiny_model(ENTAILED))).detect([given])
        record = json.loads(json.dumps(Checked(judgement).to_dict()))
        assert set(read_judgement(record, given, GRAY7).outcomes) == set(judgement.outcomes)


def test_no_more_is_added_than_the_sentences_are_long() -> None:
    text = "Ada left, but Ben stayed because it rained, so Cy slept if he could, and Di sang. " * 9
    plan = Plan.of(Example("1", Source("a"), Response(text)))
    added = sum(len(unit.text) for unit in plan.statements)
    assert 0 < added <= len(text)
