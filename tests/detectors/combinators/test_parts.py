"""Cascades and votes by name: what stands after the colon, and what each part is given."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.taxonomies import BINARY, GRAY7
from assay.core.units import Unit
from assay.core.verdicts import Attributes, Failure, Outcome, Verdict
from assay.detectors.combinators.cascade import Per, cascade
from assay.detectors.combinators.combining import StageMeter, centred
from assay.detectors.combinators.parts import split_parts
from assay.detectors.combinators.vote import Voting, vote
from assay.detectors.local import LocalOptions
from assay.detectors.protocol import Detector, stages_of, uses_of
from assay.detectors.registry import DetectorSpec, detector_facts, open_detector
from assay.llm.client import Reply, Request, Scripted, Usage
from tests.detectors.judges.scripts import MILL, asked, echo, opinion
from tests.judging import judge_all, judge_one

Make = Callable[..., Example]
Script = Callable[..., Detector]


def opened(name: str, *clients: Scripted, **more: object) -> Detector:
    return open_detector(DetectorSpec(name, **more), clients)  # type: ignore[arg-type]


def test_a_part_with_commas_stands_in_parentheses() -> None:
    parts = split_parts("vote", "(judge-gray7:batch,definitions), embedded ,below=0.8")
    assert parts == ["judge-gray7:batch,definitions", "embedded", "below=0.8"]
    assert split_parts("vote", "embedded:/a (1)/b,overlap") == ["embedded:/a (1)/b", "overlap"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("cascade:embedded", "cascade needs two detectors or more; write cascade:A,B"),
        ("vote:embedded", "vote needs two detectors or more; write vote:A,B"),
        ("vote:overlap,embeded", "unknown detector 'embeded'. Did you mean 'embedded'?"),
        ("vote:judge-gray7:batch,definitions", "whose parts with commas stand in parentheses"),
        ("vote:overlap,overlap", "vote names overlap twice; several votes ask one model several"),
        ("vote:overlap,,embedded", "vote: a part is empty; write A,B"),
        ("vote:(overlap,embedded", "parentheses: one is not closed"),
        ("vote:overlap),embedded", "parentheses: one is closed that was not opened"),
        ("vote:((((overlap)))),embedded", "parentheses: too many in each other"),
        ("vote:overlap,judge-claims", "cannot use judge-claims, which finds its own units"),
        ("cascade:overlap,localize-zero", "cannot use localize-zero, which finds its own units"),
        ("cascade:overlap,judge-simple", "overlap judges sentences, judge-simple judges responses"),
        ("cascade:overlap,judge-simple", "write unit=response, which folds the others"),
        ("vote:(minicheck:x/y,unit=response),overlap", r"write (minicheck:x/y,unit=sentence) to"),
        ("vote:overlap,embedded,unit=claim", "unknown unit of vote 'claim'"),
        ("vote:overlap,embedded,below=0.5", "vote has no setting 'below'; it has unit=response"),
        ("cascade:overlap,embedded,below=2", "below lies between 0 and 1, not at '2'"),
        ("cascade:overlap,embedded,below=nan", "below lies between 0 and 1, not at 'nan'"),
        ("cascade:overlap,embedded,per=claim", "unknown value of per in cascade 'claim'"),
    ],
)
def test_parts_that_cannot_be_combined_are_one_clear_line(name: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        DetectorSpec(name)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)
    assert raised.value.field == "detector"


def test_a_vote_without_parts_says_what_to_write() -> None:
    with pytest.raises(InputError, match="vote needs detectors: write vote:A,B,C"):
        opened("vote")


def test_a_cascade_without_parts_is_that_of_our_two_models() -> None:
    assert detector_facts("cascade")["part 2"].startswith("embedded-large: ")


def test_capabilities_are_those_of_all_parts() -> None:
    same = DetectorSpec("cascade:embedded,embedded-large").capabilities
    assert (same.taxonomy, same.runs_here, same.asks_model) == (GRAY7, True, False)
    mixed = DetectorSpec("vote:overlap,embedded,minicheck").capabilities
    assert (mixed.taxonomy, mixed.consults) == (BINARY, False)
    asking = DetectorSpec("cascade:embedded,judge-gray7").capabilities
    assert asking.asks_model
    whole = DetectorSpec("vote:embedded,judge-simple,unit=response").capabilities
    assert (whole.unit_kind, whole.taxonomy, whole.asks_model) == ("response", BINARY, True)


def test_nothing_is_loaded_to_know_them() -> None:
    code = (
        "import sys; from assay.detectors.registry import DetectorSpec;"
        "print(DetectorSpec('vote:embedded,minicheck,(cascade:nli:a/b,judge-fewshot)').capabilities"
        ".asks_model, 'torch' in sys.modules, 'transformers' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False", "False"]


def test_a_threshold_has_no_meaning_for_several_models() -> None:
    both = "cascade:embedded,embedded-large"
    with pytest.raises(InputError, match="a threshold belongs to one model") as raised:
        DetectorSpec(both, local=LocalOptions(threshold=0.6))
    assert raised.value.field == "threshold"
    DetectorSpec(both, local=LocalOptions(device="cuda", batch_size=4))  # means the same to both


def test_a_threshold_is_that_of_the_only_model_that_runs_here() -> None:
    made = opened("vote:overlap,embedded", local=LocalOptions(threshold=0.6))
    assert made.capabilities.threshold == 0.5  # to which scores are moved, as overlap has it
    assert [stage.capabilities.threshold for stage in stages_of(made)] == [0.5, 0.6]


def test_only_the_part_that_asks_is_given_the_model_and_every_vote() -> None:
    client = Scripted(lambda request: opinion("fabricated"), model="m")
    made = opened("vote:overlap,judge-gray7", client, votes=3)
    judgement = judge_one(made, MILL)
    assert len(client.requests) == 9  # three sentences, three times
    overlap, judge = uses_of(made)
    assert (overlap.name, overlap.examples, overlap.calls) == ("overlap", 1, 0)
    assert (judge.name, judge.examples, judge.units, judge.calls) == ("judge-gray7", 1, 3, 9)
    assert judgement.author.name == "vote of 1 x overlap, 1 x vote of 3 x judge-gray7 m"


def test_a_reply_that_was_there_already_is_no_call() -> None:
    kept = Scripted(
        lambda request: Reply(opinion("fabricated"), Usage(1, 1), cached=True), model="m"
    )
    made = opened("vote:overlap,judge-gray7", kept)
    judge_one(made, MILL)
    assert uses_of(made)[1].calls == 0


def test_whoever_decided_is_the_backend() -> None:
    client = Scripted(lambda request: opinion("explicitly-supported"), model="m")
    made = opened("cascade:overlap,judge-gray7,below=0.3", client)
    sure = judge_one(made, MILL)
    assert {each.attributes.backend for each in sure.verdicts} == {"overlap"}
    assert client.requests == []
    made = opened("cascade:overlap,judge-gray7,below=1", client)
    again = judge_one(made, MILL)
    named = [each.attributes.backend for each in again.verdicts]
    assert named == ["judge-gray7", "judge-gray7", "overlap"]  # the last states nothing


def test_a_cascade_inside_a_vote_names_the_innermost_and_lists_all() -> None:
    client = Scripted(lambda request: opinion("fabricated"), model="m")
    made = opened("vote:(cascade:overlap,judge-gray7,below=1),judge-gray7:definitions", client)
    judgement = judge_one(made, MILL)
    names = [each.name for each in uses_of(made)]
    assert names == ["overlap", "judge-gray7", "judge-gray7:definitions"]
    assert judgement.verdicts[0].attributes.backend == "judge-gray7"


def test_three_stages_are_asked_one_after_the_other() -> None:
    client = Scripted(echo, model="m")
    made = opened("cascade:overlap,judge-gray7,judge-gray7:batch,below=1", client)
    assert made.author.name == "overlap then judge-gray7 m then judge-gray7:batch m"
    assert [each.name for each in uses_of(made)] == ["overlap", "judge-gray7", "judge-gray7:batch"]


def told(label: str, taxonomy: object, **more: object) -> Callable[[Unit], Outcome]:
    return lambda unit: Verdict(unit.id, taxonomy[label], note="so", **more)  # type: ignore[index, arg-type]


def test_labels_of_different_taxonomies_are_combined_by_their_coarse_reading(
    make_example: Make, scripted: Script
) -> None:
    gray = scripted(told("fabricated", GRAY7), name="gray")
    binary = scripted(told("faithful", BINARY), name="binary", taxonomy=BINARY)
    meters = tuple(map(StageMeter, ("a", "b", "c")))
    made = Voting((gray, binary, gray), meters)
    (verdict,) = judge_one(made, make_example()).verdicts
    assert verdict.label == BINARY["unfaithful"]
    assert verdict.note == (
        "2 of 3 agree. The votes lie on both sides of faithful and unfaithful."
        " a says fabricated. so"
    )
    assert verdict.attributes.backend == "a"
    assert made.capabilities.taxonomy == BINARY


@pytest.mark.parametrize(
    ("label", "read", "unsure"),
    [
        ("no-fact", "faithful", None),
        ("ambiguous", "unfaithful", True),
        ("implicitly-supported", "faithful", None),
    ],
)
def test_what_states_no_fact_has_no_fault_and_gray_labels_are_not_sure(
    label: str, read: str, unsure: bool | None, make_example: Make, scripted: Script
) -> None:
    gray, binary = scripted(told(label, GRAY7)), scripted(told("faithful", BINARY), taxonomy=BINARY)
    (verdict,) = judge_one(vote(gray, gray, binary), make_example()).verdicts
    assert verdict.label == BINARY[read]
    assert verdict.attributes.unsure is unsure
    (alone,) = judge_one(vote(gray, gray), make_example()).verdicts
    assert str(alone.label) == label  # among its own kind it stays as it is


def test_a_score_is_moved_so_that_its_threshold_lies_in_the_middle() -> None:
    # From 0.2 to 1 there are 0.8; 0.6 is half-way there, and so is 0.75 between 0.5 and 1.
    assert centred(0.6, 0.2) == pytest.approx(0.75)
    assert centred(0.1, 0.2) == pytest.approx(0.25)
    assert [centred(score, 0.5) for score in (0.0, 0.3, 0.5, 1.0)] == [0.0, 0.3, 0.5, 1.0]


def test_without_a_confidence_the_distance_of_the_score_from_the_threshold_decides(
    make_example: Make, scripted: Script
) -> None:
    log: list[str] = []
    scores = {"It is 1.": 0.95, "It is 2.": 0.7, "It is 3.": 0.1, "It is 4.": 0.4}
    first = scripted(lambda unit: Verdict(unit.id, GRAY7["fabricated"], scores[unit.text]))
    second = scripted(told("fabricated", GRAY7), log=log)
    judge_one(cascade(first, second), make_example(response=" ".join(scores)))
    assert log == ["It is 2.", "It is 4."]  # 0.7 and 1 - 0.4 are less than 0.8


def unsure_of_the_first(unit: Unit) -> Outcome:
    unsure = Attributes(unsure=True) if unit.text == "It is 1." else Attributes()
    return Verdict(unit.id, GRAY7["implicitly-supported"], confidence=0.6, attributes=unsure)


def test_per_response_all_sentences_go_on_together(make_example: Make, scripted: Script) -> None:
    log: list[str] = []
    second = scripted(told("explicitly-supported", GRAY7), log=log)
    made = cascade(scripted(unsure_of_the_first), second, below=0.5, per="response")
    examples = [
        make_example(response="It is 1. It is 2.", id="1"),
        make_example(response="It is 2. It is 3.", id="2"),
    ]
    one, two = judge_all(made, examples)
    assert log == ["It is 1.", "It is 2."]
    assert [str(each.label) for each in one.verdicts] == ["explicitly-supported"] * 2
    assert [str(each.label) for each in two.verdicts] == ["implicitly-supported"] * 2
    first, other = made.uses
    assert (first.examples, first.units) == (2, 4)
    assert (other.examples, other.units) == (1, 2)


@pytest.mark.parametrize(
    ("per", "wanted"), [("response", []), ("sentence", ["It is 1."])], ids=lambda each: str(each)
)
def test_a_response_that_is_unfaithful_for_sure_does_not_go_on_as_a_whole(
    per: Per, wanted: list[str], make_example: Make, scripted: Script
) -> None:
    def says(unit: Unit) -> Outcome:
        is_first = unit.text == "It is 1."
        label = "implicitly-supported" if is_first else "fabricated"
        return Verdict(unit.id, GRAY7[label], attributes=Attributes(unsure=is_first or None))

    log: list[str] = []
    second = scripted(told("explicitly-supported", GRAY7), log=log)
    example = make_example(response="It is 1. It is 2.")
    judge_one(cascade(scripted(says), second, below=0.0, per=per), example)
    assert log == wanted


def test_a_sentence_without_a_verdict_goes_on_beside_one_that_is_unfaithful_for_sure(
    make_example: Make, scripted: Script
) -> None:
    def says(unit: Unit) -> Outcome:
        if unit.text == "It is 1.":
            return Failure(unit.id, "parse", "nothing was read")
        return Verdict(unit.id, GRAY7["fabricated"])

    log: list[str] = []
    second = scripted(told("explicitly-supported", GRAY7), log=log)
    example = make_example(response="It is 1. It is 2.")
    judge_one(cascade(scripted(says), second, below=0.0, per="response"), example)
    assert log == ["It is 1.", "It is 2."]


def test_by_name_the_second_is_given_what_costs_it_nothing_more() -> None:
    def per(name: str) -> str:
        made = opened(name, Scripted(()))
        return made.detector.per  # type: ignore[attr-defined, no-any-return]

    assert per("cascade:overlap,judge-gray7") == "sentence"
    assert per("cascade:overlap,judge-gray7:batch") == "response"
    assert per("cascade:overlap,judge-gray7:batch,per=sentence") == "sentence"
    assert per("cascade:judge-gray7,embedded") == "response"


def test_a_detector_with_a_band_is_believed_and_another_one_needs_confidence() -> None:
    banded = opened("cascade:embedded,overlap")
    plain = opened("cascade:overlap,embedded")
    assert banded.detector.below == 0.0  # type: ignore[attr-defined]
    assert plain.detector.below == 0.8  # type: ignore[attr-defined]


def test_facts_name_the_parts_their_prompts_and_the_rule() -> None:
    facts = detector_facts("cascade:embedded,(judge-gray7:batch,definitions),below=0.7")
    assert facts["part 1"].startswith("embedded: a small entailment model")
    assert facts["part 2"].startswith("judge-gray7:batch,definitions: asks a model")
    assert facts["prompts of 2"].startswith("judge-gray7-batch-definitions (")
    assert facts["goes on"] == "where a part fails or is less than 0.7 confident"


def test_the_second_reads_the_sentence_that_goes_on_and_keeps_its_evidence() -> None:
    def answer(request: Request) -> str:
        assert "It was arson." in asked(request)
        return json.dumps({"reason": "No.", "label": "fabricated", "quotes": ["Nobody was hurt."]})

    made = opened("cascade:embedded,judge-gray7", Scripted(answer, model="m"))
    judgement = judge_one(made, MILL)
    decided = {each.attributes.backend for each in judgement.verdicts}
    assert decided <= {"embedded", "judge-gray7"}


def test_a_published_detector_is_combined_with_ours(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    from tests.detectors.published.checkpoints import roberta

    folder = roberta(tmp_path / "tiny")
    theirs = f"minicheck:{folder}"
    made = opened(f"cascade:{theirs},overlap,below=1", local=LocalOptions(batch_size=2))
    assert made.detector.per == "response"  # type: ignore[attr-defined]
    judgement = judge_one(made, MILL)
    assert {each.attributes.backend for each in judgement.verdicts} == {"overlap"}
    voted = judge_one(opened(f"vote:overlap,{theirs}"), MILL)
    assert {str(each.label) for each in voted.verdicts} <= {"faithful", "unfaithful"}
    assert {each.attributes.backend for each in voted.verdicts} <= {"overlap", theirs}
