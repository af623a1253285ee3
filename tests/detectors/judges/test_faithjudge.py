"""`faithjudge` with a scripted model: what comes of a reply, options, bad input."""

import asyncio
from dataclasses import replace
from math import log
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.labels import Label
from assay.core.taxonomies import BINARY, FAITHBENCH
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.detectors.judges.faithjudge import FaithJudge, make_faithjudge
from assay.detectors.judges.judging import squeeze
from assay.detectors.judges.protocol import Judge
from assay.llm.client import CallError, Reply, Request, Token, Usage
from assay.llm.scripted import Line, Scripted

FERRY = "The ferry to Holm was cancelled on Monday because of high waves, the operator said."


def echo(request: Request) -> Line:
    """A reply of the wanted form."""
    return request.example


def response(id: str, text: str, source: str = FERRY) -> Example:
    return Example(id, Source(source), Response(text))


def annotated(id: str, text: str, label: Label = BINARY["faithful"]) -> Example:
    return replace(response(id, text), gold=(Verdict(Unit("response", text), label),))


CANDIDATE = response("x", "The ferry was cancelled because of a storm.")
PEERS = [
    annotated("p1", "A storm stopped the ferry to Holm on Monday.", BINARY["unfaithful"]),
    annotated("p2", "High waves stopped the ferry to Holm."),
]


def asked(judge: FaithJudge, example: Example) -> tuple[Outcome, Request]:
    judgement = asyncio.run(judge.judge(example))
    assert isinstance(judge.client, Scripted)
    [outcome] = judgement.outcomes
    assert judgement.characters_read == len(example.source.text)
    return outcome, judge.client.requests[0]


def outcome_of(*lines: Line, argument: str = "") -> Outcome:
    return asked(make_faithjudge(Scripted(lines), argument).with_peers(PEERS), CANDIDATE)[0]


def prompt_for(example: Example, *peers: Example, argument: str = "") -> str:
    judge = make_faithjudge(Scripted(echo), argument).with_peers(peers or PEERS)
    return "\n".join(message.content for message in asked(judge, example)[1].messages)


def test_it_is_a_judge() -> None:
    assert isinstance(make_faithjudge(Scripted([])), Judge)


@pytest.mark.parametrize(
    ("argument", "said", "label"),
    [
        ("", "Consistent", BINARY["faithful"]),
        ("", "Inconsistent", BINARY["unfaithful"]),
        ("ternary", "Consistent", FAITHBENCH["consistent"]),
        ("ternary", "Benign", FAITHBENCH["benign"]),
        ("ternary", "Unwanted", FAITHBENCH["unwanted"]),
    ],
)
def test_the_last_line_is_the_verdict(argument: str, said: str, label: Label) -> None:
    outcome = outcome_of(f"Waves, no storm.\n\nFinal classification: {said}", argument=argument)
    assert isinstance(outcome, Verdict)
    assert outcome.label == label
    assert outcome.note == "2 annotated peers. Waves, no storm."
    assert outcome.unit.text == CANDIDATE.response.text


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
        (CallError("budget", "spent"), "budget"),
    ],
)
def test_no_verdict_is_a_typed_failure(reply: Line, reason: str) -> None:
    outcome = outcome_of(reply, reply)
    assert isinstance(outcome, Failure)
    assert outcome.reason == reason


def test_judgements_come_in_the_order_of_the_examples() -> None:
    judge = make_faithjudge(Scripted(echo)).with_peers(PEERS)
    judged = list(judge.detect([*PEERS, CANDIDATE]))
    assert [each.example.id for each in judged] == ["p1", "p2", "x"]
    notes = [each.verdicts[0].note for each in judged]
    assert [note.partition(".")[0] for note in notes] == [
        "1 annotated peer",
        "1 annotated peer",
        "2 annotated peers",
    ]


def test_a_source_without_peers_is_judged_zero_shot_and_says_so() -> None:
    alone = response("x", "It rained.", "It rained in Holm.")
    judge = make_faithjudge(Scripted(echo)).with_peers(PEERS)
    outcome, request = asked(judge, alone)
    assert isinstance(outcome, Verdict)
    assert outcome.note.startswith("No annotated peers for this source: judged zero-shot. It ")
    assert "PEER" not in request.messages[-1].content


def test_peers_0_is_zero_shot_for_all_and_needs_no_pool() -> None:
    outcome, request = asked(make_faithjudge(Scripted(echo), "peers=0"), CANDIDATE)
    assert isinstance(outcome, Verdict)
    assert outcome.note.startswith("Annotated peers were not asked for: judged zero-shot.")
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
    judge = FaithJudge(Scripted(echo))
    for example in examples:
        shown = judge.with_peers(examples).peers_shown(example)
        texts = [block[f"peer_{n}"] for n, block in enumerate(shown.blocks, start=1)]
        assert squeeze(example.response.text) not in map(squeeze, texts)
        assert example.id not in [peer.id for peer in shown.peers]


def test_options_are_read() -> None:
    judge = make_faithjudge(Scripted([]), "ternary, peers=5,characters=900")
    assert (judge.ternary, judge.peers, judge.characters) == (True, 5, 900)
    usual = make_faithjudge(Scripted([]))
    assert (usual.ternary, usual.peers, usual.characters) == (False, None, 40_000)


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
        make_faithjudge(Scripted([]), argument)


def test_the_limits_are_told_in_the_verdict() -> None:
    first = outcome_of("Final classification: Consistent", argument="peers=1")
    none = outcome_of("Final classification: Consistent", argument="characters=10")
    assert isinstance(first, Verdict)
    assert isinstance(none, Verdict)
    assert first.note == "1 of 2 annotated peers shown: the first in the data."
    assert none.note.endswith("shown to stay within 10 characters: judged zero-shot.")


def test_a_prompt_of_the_users_own_is_asked_with(tmp_path: Path) -> None:
    file = tmp_path / "mine.md"
    header = "---\nname: mine\nversion: 1\ninputs: source, response, peers, marker\n---\n"
    file.write_text(f"{header}# user\n$peers $source $response Say $marker: Consistent.")
    text = prompt_for(CANDIDATE, argument=f"prompt={file}")
    assert text.startswith("<<<PEER 1 ")
    file.write_text(f"{header.replace(', peers', '')}# user\n$source $response $marker")
    with pytest.raises(InputError, match=r"\$peers is missing"):
        make_faithjudge(Scripted([]), f"prompt={file}")


def test_without_peers_it_says_how_to_give_them_before_any_call() -> None:
    judge = make_faithjudge(Scripted([]))
    with pytest.raises(InputError, match=r"has none: give --peers NAME\|FILE, or data that is"):
        asyncio.run(judge.judge(CANDIDATE))
    with pytest.raises(InputError, match="peers=0 judges without them"):
        judge.detect([CANDIDATE])
    assert isinstance(judge.client, Scripted)
    assert not judge.client.requests


def test_peers_of_which_none_is_annotated_raise_at_once() -> None:
    with pytest.raises(InputError, match="none of those given is annotated: give --peers") as told:
        make_faithjudge(Scripted([])).with_peers([CANDIDATE])
    assert "\n" not in str(told.value)
    assert make_faithjudge(Scripted([]), "peers=0").with_peers([CANDIDATE])


def test_digests_tell_menus_and_peers_apart_and_cover_every_task() -> None:
    binary = make_faithjudge(Scripted([])).with_peers(PEERS)
    ternary = replace(binary, ternary=True)
    fewer = binary.with_peers(PEERS[:1])
    assert len(set(binary.prompt_digests.values())) == len(binary.prompt_digests) == 7
    differ = {
        name
        for name, value in ternary.prompt_digests.items()
        if value != binary.prompt_digests[name]
    }
    assert differ == set(binary.prompt_digests) - {"peers"}
    assert fewer.prompt_digests["peers"] != binary.prompt_digests["peers"]
    assert "peers" not in make_faithjudge(Scripted([])).prompt_digests
