"""What a judge missed and invented, at each level."""

from dataclasses import dataclass, replace

from assay.core.examples import Example, Judgement
from assay.core.taxonomies import BINARY, GRAY7
from assay.core.texts import Response
from assay.core.units import Unit, UnitKind
from assay.core.verdicts import Failure, Verdict
from assay.detectors.overlap import OverlapDetector
from assay.detectors.replay import Replay
from assay.detectors.units import response_unit, sentence_units
from assay.evaluate.errors.gathering import gather_described, gather_labelled
from assay.evaluate.errors.items import choose_items, identified
from assay.evaluate.errors.levels import level_of
from assay.evaluate.localization.offline import OfflineMatcher
from tests.evaluate.errors.cases import ALARM, CARGO, PLACE, gold_of, invented, missed
from tests.evaluate.localization.stories import WRECK, failed, judged


@dataclass(frozen=True)
class Says:
    """A judge with prepared judgements, by id."""

    judgements: dict[str, Judgement]
    unit_kind: UnitKind = "response"
    name: str = "says"
    taxonomy = BINARY

    def detect(self, examples):  # type: ignore[no-untyped-def]
        return (self.judgements[example.id] for example in examples)


def test_described_errors_are_missed_or_invented() -> None:
    example = gold_of((PLACE, "extrinsic-correct"), (CARGO, ""))
    judge = Says({"wreck": judged(example, [CARGO, ALARM])})
    found = gather_described("j", judge, ("d", [example]), OfflineMatcher())
    assert [(item.side, item.unit) for item in found.items] == [
        ("missed", PLACE),
        ("invented", ALARM),
    ]
    assert found.items[0].given is not None
    assert found.items[0].given.name == "extrinsic-correct"
    assert (found.level, found.units) == ("error", 1)


def test_examples_that_the_judge_left_open_are_counted_and_not_explained() -> None:
    example = gold_of((PLACE, ""))
    found = gather_described(
        "j", Says({"wreck": failed(example)}), ("d", [example]), OfflineMatcher()
    )
    assert (found.items, found.failures) == ((), {"parse": 1})


def test_parts_that_the_judge_left_open_are_counted() -> None:
    example = gold_of((PLACE, ""))
    lost = Failure(Unit("claim", "A wreck."), "parse")
    judge = Says({"wreck": judged(example, [PLACE], lost)})
    found = gather_described("j", judge, ("d", [example]), OfflineMatcher())
    assert (found.items, found.unchecked) == ((), 1)


TWO = replace(
    WRECK,
    response=Response("Guards in Vardia have driven divers away. One guard was hurt."),
)


def said_of_sentences(example: Example, *faithful: bool | None) -> Judgement:
    outcomes = tuple(
        Failure(each, "parse")
        if good is None
        else Verdict(each, GRAY7["explicitly-supported" if good else "fabricated"], note="Because.")
        for each, good in zip(sentence_units(example), faithful, strict=True)
    )
    return Judgement(example, outcomes, 10)


def test_unfaithful_sentence_called_faithful_is_missed_and_the_reverse_invented() -> None:
    place = replace(PLACE, spans=tuple(replace(s) for s in PLACE.spans))
    first, second = sentence_units(TWO)
    example = gold_of((place, "extrinsic-wrong"), example=TWO)
    labels = (
        Verdict(first, BINARY["unfaithful"]),
        Verdict(second, BINARY["faithful"]),
    )
    example = replace(example, gold=(*example.gold, *labels))
    judge = Says({"wreck": said_of_sentences(TWO, True, False)}, "sentence")
    found = gather_labelled("j", judge, [example], "sentence")
    one, other = found.items
    assert (one.side, one.unit.text, one.unit.spans) == ("missed", PLACE.text, first.spans)
    assert one.given is not None
    assert one.given.name == "extrinsic-wrong"
    assert (other.side, other.said, other.unit.spans) == ("invented", "Because.", second.spans)
    assert found.units == 2


def test_sentences_without_a_verdict_are_failures() -> None:
    first, second = sentence_units(TWO)
    gold = (Verdict(first, BINARY["unfaithful"]), Verdict(second, BINARY["faithful"]))
    example = replace(TWO, gold=gold)
    judge = Says({"wreck": said_of_sentences(TWO, None, True)}, "sentence")
    found = gather_labelled("j", judge, [example], "sentence")
    assert (found.items, found.failures) == ((), {"parse": 1})


def test_response_that_nobody_explained_says_so() -> None:
    example = replace(WRECK, gold=(Verdict(response_unit(WRECK), BINARY["unfaithful"]),))
    verdict = Verdict(response_unit(WRECK), BINARY["faithful"])
    judge = Says({"wreck": Judgement(WRECK, (verdict,), 1)})
    (item,) = gather_labelled("j", judge, [example], "response").items
    assert (item.side, item.unit.spans) == ("missed", ())
    assert "nobody wrote down" in item.unit.text


def test_sentences_count_as_responses_where_nobody_labelled_unfaithful_ones() -> None:
    whole = Verdict(response_unit(TWO), BINARY["unfaithful"])
    judge = Says({"wreck": said_of_sentences(TWO, True, True)}, "sentence")
    found = gather_labelled("j", judge, [replace(TWO, gold=(whole,))], "sentence")
    assert (found.level, [item.side for item in found.items]) == ("response", ["missed"])


def test_sentences_that_are_all_faithful_are_looked_at_as_sentences() -> None:
    gold = tuple(Verdict(each, BINARY["faithful"]) for each in sentence_units(TWO))
    judge = Says({"wreck": said_of_sentences(TWO, True, False)}, "sentence")
    found = gather_labelled("j", judge, [replace(TWO, gold=gold)], "sentence")
    assert (found.level, [item.side for item in found.items]) == ("sentence", ["invented"])


def test_what_a_judge_said_is_kept_so_that_it_need_not_be_asked_again() -> None:
    gold = (Verdict(response_unit(TWO), BINARY["unfaithful"]),)
    judge = Says({"wreck": said_of_sentences(TWO, True, False)}, "sentence")
    (judgement,) = gather_labelled("j", judge, [replace(TWO, gold=gold)], "sentence").judgements
    kinds = [outcome.unit.kind for outcome in judgement.outcomes]
    assert kinds == ["sentence", "sentence", "response"]


def test_level_is_found_by_what_a_judge_says_and_by_its_name() -> None:
    described = {"units": [{"kind": "inconsistency"}]}
    replay = Replay("r", BINARY, "response", "f", {"1": {"units": []}, "2": described})
    nothing = Replay("r", BINARY, "response", "f", {"1": {"units": []}})
    assert level_of(replay, "") == "error"
    assert level_of(nothing, "") == "response"
    assert level_of(nothing, "localize-cot:b") == "error"
    assert level_of(OverlapDetector(), "overlap") == "sentence"


def test_ids_follow_from_the_texts_and_equal_errors_are_numbered() -> None:
    one, other = identified([replace(missed(), id=""), replace(missed(), id="")])
    assert other.id == f"{one.id}-2"
    assert one.id.startswith("wreck:missed:")
    longer = replace(WRECK, response=Response(WRECK.response.text + " Yes."))
    assert identified([replace(missed(), example=longer)])[0].id != one.id


def test_sample_takes_so_many_of_each_side_and_the_same_by_seed() -> None:
    units = [Unit("inconsistency", f"Error {n}.") for n in range(20)]
    items = identified([*map(missed, units), *map(invented, units)])
    chosen = choose_items(items, 5, 1)
    assert [item.side for item in chosen] == ["missed"] * 5 + ["invented"] * 5
    assert chosen == choose_items(items, 5, 1) != choose_items(items, 5, 2)
    assert choose_items(items, None, 0) == items
