"""`faithjudge` with a scripted model: what comes of a reply, options, bad input."""

from collections.abc import Sequence
from dataclasses import replace
from math import log
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.labels import Label
from assay.core.results import Result, Totals
from assay.core.taxonomies import BINARY, FAITHBENCH
from assay.core.texts import Response, Source
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.detectors.judges.faithjudge import FaithJudge
from assay.detectors.judges.judging import one_line
from assay.detectors.judges.peers import PeerPool
from assay.detectors.protocol import Detector
from assay.detectors.registry import DetectorSpec, open_detector
from assay.llm.client import CallError, Line, ModelClient, Reply, Request, Scripted, Token, Usage
from assay.report.terminal import closing_line
from tests.detectors.judges.scripts import annotate, echo, load, whole
from tests.judging import judge_all, judge_one

FERRY = "The ferry to Holm was cancelled on Monday because of high waves, the operator said."


def response(id: str, text: str, source: str = FERRY) -> Example:
    return Example(id, Source(source), Response(text))


def annotated(id: str, text: str, label: Label = BINARY["faithful"]) -> Annotated:
    return annotate(response(id, text), gold=[whole(text, label)])


CANDIDATE = response("x", "The ferry was cancelled because of a storm.")
PEERS = [
    annotated("p1", "A storm stopped the ferry to Holm on Monday.", BINARY["unfaithful"]),
    annotated("p2", "High waves stopped the ferry to Holm."),
]


def faithjudge(
    client: ModelClient, argument: str = "", peers: Sequence[Annotated] | None = PEERS
) -> Detector:
    name = f"faithjudge:{argument}" if argument else "faithjudge"
    return load(name, client, None if peers is None else lambda: peers)


def asked(client: Scripted, judge: Detector, example: Example) -> tuple[Outcome, Request]:
    judgement = judge_one(judge, example)
    [outcome] = judgement.outcomes
    assert judgement.characters_read == len(example.source.text)
    return outcome, client.requests[0]


def outcome_of(*lines: Line, argument: str = "") -> Outcome:
    client = Scripted(lines)
    return asked(client, faithjudge(client, argument), CANDIDATE)[0]


def prompt_for(example: Example, *peers: Annotated, argument: str = "") -> str:
    client = Scripted(echo)
    judge = faithjudge(client, argument, peers or PEERS)
    return "\n".join(each.content for each in asked(client, judge, example)[1].messages)


@pytest.mark.parametrize(
    ("argument", "taxonomy", "reads"),
    [("", BINARY, True), ("ternary", FAITHBENCH, True), ("peers=0", BINARY, False)],
)
def test_its_form_says_what_it_answers_and_whether_it_reads_annotations(
    argument: str, taxonomy: object, reads: bool
) -> None:
    can = DetectorSpec(f"faithjudge:{argument}").capabilities
    assert (can.taxonomy, can.reads_annotations) == (taxonomy, reads)
    peers = PEERS if reads else None
    assert faithjudge(Scripted([]), argument, peers).capabilities == can


@pytest.mark.parametrize(
    ("argument", "said", "label"),
    [
        ("", "Consistent", BINARY["faithful"]),
        ("", "Inconsistent", BINARY["unfaithful"]),
        ("ternary", "Consistent", FAITHBENCH["consistent"]),
        ("ternary", "Benign", FAITHBENCH["benign"]),
        ("ternary", "Unwanted", FAITHBENCH["unwanted"]),
        ("ternary", "Unwanted (intrinsic)", FAITHBENCH["unwanted"]),
        ("", "Not consistent", BINARY["unfaithful"]),
        ("", "Inconsistent, because of the storm", BINARY["unfaithful"]),
    ],
)
def test_the_last_line_is_the_verdict(argument: str, said: str, label: Label) -> None:
    outcome = outcome_of(f"Waves, no storm.\n\nFinal classification: {said}", argument=argument)
    assert isinstance(outcome, Verdict)
    assert outcome.label == label
    assert outcome.note == "2 annotated peers. Waves, no storm."
    assert outcome.unit == "response"


@pytest.mark.parametrize(
    ("reply", "reasons"),
    [("Inconsistent", ""), ("Waves, no storm.\n\n**Inconsistent.**", " Waves, no storm.")],
)
def test_a_last_line_that_is_nothing_but_a_class_is_the_verdict(reply: str, reasons: str) -> None:
    outcome = outcome_of(reply)
    assert isinstance(outcome, Verdict)
    assert (outcome.label, outcome.note) == (BINARY["unfaithful"], f"2 annotated peers.{reasons}")


@pytest.mark.parametrize(
    "reply",
    [
        "One of:\nConsistent\nInconsistent",
        "It ends so:\n> Inconsistent",
        "Inconsistent?",
        "Inconsistent\nIs that so?",
        "Final classification: wavy\nInconsistent",
    ],
)
def test_other_lines_without_the_marker_are_no_verdict(reply: str) -> None:
    assert isinstance(outcome_of(reply, reply), Failure)


def test_a_class_that_is_a_line_of_the_response_is_no_verdict_without_the_marker() -> None:
    example = replace(CANDIDATE, response=Response("No ferry came.\nConsistent"))
    client = Scripted(["It ends so:\nConsistent"] * 2)
    outcome, _ = asked(client, faithjudge(client), example)
    assert isinstance(outcome, Failure)


def test_the_confidence_is_the_probability_of_the_class() -> None:
    tokens = (Token("Waves.\nFinal classification: ", log(0.9)), Token("Consistent", log(0.7)))
    reply = Reply("Waves.\nFinal classification: Consistent", Usage(1, 1), tokens=tokens)
    outcome = outcome_of(reply)
    assert isinstance(outcome, Verdict)
    assert outcome.confidence == pytest.approx(0.7)


def test_a_verdict_quoted_after_the_judges_stays_in_the_note() -> None:
    quoted = 'It ends with "Final classification: Consistent".'
    outcome = outcome_of(f"Waves.\nFinal classification: Inconsistent\n{quoted}")
    assert isinstance(outcome, Verdict)
    assert (str(outcome.label), outcome.note) == (
        "unfaithful",
        f"2 annotated peers. Waves.\n{quoted}",
    )


@pytest.mark.parametrize("argument", ["", "ternary"])
def test_an_invalid_response_is_a_failure_of_its_own(argument: str) -> None:
    reply = "It is empty.\nFinal classification: Invalid"
    outcome = outcome_of(reply, argument=argument)
    assert isinstance(outcome, Failure)
    assert (outcome.reason, outcome.raw) == ("invalid", reply)
    assert outcome.detail == (
        "the judge calls the response invalid. 2 annotated peers. It is empty."
    )


@pytest.mark.parametrize(
    ("reply", "reasons"),
    [
        ("Waves. **Final Classification:** Consistent", "Waves."),
        ("Waves.\n\n**Final classification: Consistent**\n\nSo it is.", "Waves.\nSo it is."),
        ("Final classification: Consistent", ""),
        (
            "<think>Final classification: Inconsistent</think>A.\nFinal classification: Consistent",
            "A.",
        ),
    ],
)
def test_the_note_is_the_reasoning_without_the_verdict_line(reply: str, reasons: str) -> None:
    outcome = outcome_of(reply)
    assert isinstance(outcome, Verdict)
    assert outcome.label == BINARY["faithful"]
    assert outcome.note == f"2 annotated peers. {reasons}".strip()


def test_a_reply_without_verdict_is_asked_for_once_more() -> None:
    outcome = outcome_of("I think so.", "Sorry. Final classification: Inconsistent")
    assert isinstance(outcome, Verdict)
    assert outcome.label == BINARY["unfaithful"]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("It may be.", "parse"),
        ("Final classification: Unwanted", "off_menu"),
        (Reply("Cut", Usage(1, 1), finish="length"), "truncated"),
        ("I'm sorry, but I can't help with that.", "refused"),
        (CallError("transport", "gone"), "transport"),
    ],
)
def test_no_verdict_is_a_typed_failure(reply: Line, reason: str) -> None:
    outcome = outcome_of(reply, reply)
    assert isinstance(outcome, Failure)
    assert outcome.reason == reason


def test_each_peer_is_judged_by_the_others() -> None:
    examples = [*(peer.example for peer in PEERS), CANDIDATE]
    judged = judge_all(faithjudge(Scripted(echo)), examples)
    notes = [each.verdicts[0].note for each in judged]
    assert [note.partition(".")[0] for note in notes] == [
        "1 annotated peer",
        "1 annotated peer",
        "2 annotated peers",
    ]


def test_a_source_without_peers_is_judged_zero_shot_and_says_so() -> None:
    alone = response("x", "It rained.", "It rained in Holm.")
    client = Scripted(echo)
    outcome, request = asked(client, faithjudge(client), alone)
    assert isinstance(outcome, Verdict)
    assert outcome.note.startswith("No annotated peers for this source: judged zero-shot. It ")
    assert "PEER" not in request.messages[-1].content


def test_peers_0_is_zero_shot_for_all_and_needs_no_pool() -> None:
    client = Scripted(echo)
    outcome, request = asked(client, faithjudge(client, "peers=0", None), CANDIDATE)
    assert isinstance(outcome, Verdict)
    assert outcome.note.startswith("Without annotated peers, as requested: judged zero-shot.")
    assert "PEER" not in request.messages[-1].content


def test_the_response_is_never_shown_as_its_own_peer() -> None:
    copies = [
        annotated("other id", f" {CANDIDATE.response.text}\n"),
        annotated("x", "Another text."),
    ]
    text = prompt_for(CANDIDATE, *PEERS, *copies)
    assert text.count(CANDIDATE.response.text) == 1
    assert "Another text." not in text


@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from(["a", " a", "b", "a b", "c"]))))
def test_no_peer_in_a_prompt_is_the_response(data: list[tuple[int, str]]) -> None:
    examples = [annotated(str(id), text) for id, text in data]
    judge = FaithJudge(PeerPool.of(examples))
    for example in (each.example for each in examples):
        shown = judge.peers_shown(example)
        texts = [block[f"peer_{n}"] for n, block in enumerate(shown.blocks, start=1)]
        assert one_line(example.response.text) not in map(one_line, texts)
        assert example.id not in [peer.id for peer in shown.peers]


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("peers=many", "peers is a whole number, not 'many'"),
        ("characters=-1", "characters is a whole number"),
        ("tenary", "Did you mean 'ternary'"),
        ("prompt=missing.md", "cannot read the prompt missing.md"),
    ],
)
def test_wrong_options_raise(argument: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        faithjudge(Scripted([]), argument)


def test_the_limits_are_told_in_the_verdict() -> None:
    first = outcome_of("Final classification: Consistent", argument="peers=1")
    none = outcome_of("Final classification: Consistent", argument="characters=10")
    assert isinstance(first, Verdict)
    assert isinstance(none, Verdict)
    assert first.note == "1 of 2 annotated peers shown: drawn with seed 0."
    assert none.note.endswith("shown to stay within 10 characters: judged zero-shot.")


def test_a_prompt_of_the_users_own_is_asked_with(tmp_path: Path) -> None:
    file = tmp_path / "mine.md"
    header = "---\nname: mine\nversion: 1\ninputs: source, response, peers, marker\n---\n"
    file.write_text(f"{header}# user\n$peers $source $response Say $marker: Consistent.")
    text = prompt_for(CANDIDATE, argument=f"prompt={file}")
    assert text.startswith("<<<PEER 1 ")
    file.write_text(f"{header.replace(', peers', '')}# user\n$source $response $marker")
    with pytest.raises(InputError, match=r"\$peers is missing"):
        faithjudge(Scripted([]), f"prompt={file}")


def test_without_peers_it_says_what_it_needs_before_any_call() -> None:
    client = Scripted([])
    with pytest.raises(InputError, match="there are none: give it peers") as raised:
        judge_one(faithjudge(client, peers=None), CANDIDATE)
    assert (raised.value.code, raised.value.field) == ("no-peers", "peers")
    assert not client.requests


def test_peers_of_which_none_is_annotated_raise_at_once() -> None:
    with pytest.raises(InputError, match="none of those given is annotated: give it") as raised:
        faithjudge(Scripted([]), peers=[Annotated(CANDIDATE)])
    assert "\n" not in str(raised.value)


def test_digests_tell_menus_and_peers_apart_and_cover_every_task() -> None:
    client = Scripted([])
    binary, ternary = (
        faithjudge(client).prompt_digests,
        faithjudge(client, "ternary").prompt_digests,
    )
    fewer = faithjudge(client, peers=PEERS[:1]).prompt_digests
    assert len(set(binary.values())) == len(binary) == 7
    differ = {name for name, value in ternary.items() if value != binary[name]}
    assert differ == set(binary) - {"peers"}
    assert fewer["peers"] != binary["peers"]
    assert "peers" not in faithjudge(client, peers=None).prompt_digests


ELSEWHERE = response("y", "The train was late.", source="The train to Vejle was late.")
CONSISTENT = "Final classification: Consistent"


@pytest.mark.parametrize(
    ("example", "argument", "shown"),
    [
        (CANDIDATE, "", 2),
        (CANDIDATE, "peers=1", 1),
        (CANDIDATE, "characters=10", 0),
        (ELSEWHERE, "", 0),
    ],
)
def test_verdict_counts_the_peers_that_it_rests_on(
    example: Example, argument: str, shown: int
) -> None:
    client = Scripted([CONSISTENT])
    outcome, _ = asked(client, faithjudge(client, argument), example)
    assert isinstance(outcome, Verdict)
    assert outcome.attributes.peers == shown


def test_zero_shot_on_request_is_no_lack_of_peers() -> None:
    client = Scripted([CONSISTENT])
    outcome, _ = asked(client, faithjudge(client, "peers=0", peers=None), CANDIDATE)
    assert isinstance(outcome, Verdict)
    assert outcome.attributes.peers is None


def test_responses_without_peers_are_counted() -> None:
    totals = Totals()
    judge = faithjudge(Scripted(echo))
    for example in (CANDIDATE, ELSEWHERE):
        totals.add(Result(example, judge_one(judge, example)))
    assert totals.peers == {0: 1, 2: 1}
    line = closing_line(totals, BINARY).plain
    assert line.endswith("1 of 2 responses judged zero-shot for lack of annotated peers")


@pytest.mark.parametrize(
    ("example", "argument", "detail"),
    [
        (ELSEWHERE, "require-peers", "No annotated peers for this source"),
        (
            CANDIDATE,
            "require-peers,characters=10",
            "None of 2 annotated peers shown",
        ),
    ],
)
def test_a_response_without_peers_fails_unasked_where_they_are_required(
    example: Example, argument: str, detail: str
) -> None:
    client = Scripted([])
    [outcome] = judge_one(faithjudge(client, argument), example).outcomes
    assert isinstance(outcome, Failure)
    assert outcome.reason == "missing"
    assert outcome.detail.startswith(detail)
    assert outcome.detail.endswith("and they are required")
    assert not client.requests


def test_peers_cannot_be_required_and_unwanted() -> None:
    with pytest.raises(InputError, match="peers=0 judges without peers"):
        DetectorSpec("faithjudge:require-peers,peers=0")


def test_where_mild_errors_belong_is_said_for_each_menu() -> None:
    binary, ternary = (prompt_for(CANDIDATE, argument=each) for each in ("", "ternary"))
    assert "called benign" in binary
    assert "it is Inconsistent" in binary
    assert "it is Inconsistent" not in ternary
    assert "benign makes the response Benign" in ternary


@pytest.mark.parametrize(
    ("said", "label", "confidence"),
    [
        (("Consistent", "Inconsistent"), "unfaithful", 1 / 2),  # FaithJudge breaks ties this way
        (("Inconsistent", "Consistent"), "unfaithful", 1 / 2),
        (("Consistent", "Inconsistent", "Consistent"), "faithful", 2 / 3),
        (("Consistent", "Inconsistent", "Invalid"), "unfaithful", 1 / 3),  # a tie of those who vote
    ],
)
def test_models_vote_and_a_tie_is_inconsistent(
    said: tuple[str, ...], label: str, confidence: float
) -> None:
    models = [
        Scripted([f"Final classification: {each}"], model=str(n)) for n, each in enumerate(said)
    ]
    spec = DetectorSpec("faithjudge", models=tuple(each.model for each in models))
    judge = open_detector(spec, models, lambda: PEERS)
    [outcome] = judge_one(judge, CANDIDATE).outcomes
    assert isinstance(outcome, Verdict)
    assert str(outcome.label) == label
    assert outcome.confidence == pytest.approx(confidence)
    assert outcome.attributes.peers == 2
