"""`granite-guardian`: is the message ungrounded? Yes is unfaithful."""

import json
from dataclasses import replace
from math import log
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.core.texts import Response
from assay.detectors.registry import DetectorSpec
from assay.llm.client import CallError, Line, Message, Reply, Scripted, Token, Usage
from tests.detectors.judges.scripts import MILL, RESPONSE, SOURCE, echo, hear, load

NAME = "granite-guardian"
DOCUMENTS = [{"doc_id": "0", "text": SOURCE}]


def reply_of(*tokens: Token) -> Reply:
    """A reply that consists of these tokens."""
    return Reply("".join(token.text for token in tokens), Usage(9, 9), tokens=tokens)


def test_usual_version_gets_source_and_criterion_as_arguments_of_its_template() -> None:
    (request,) = hear(NAME, echo).requests
    assert request.messages == (Message("assistant", RESPONSE),)
    criterion = {"criteria_id": "groundedness"}
    assert request.template == {
        "guardian_config": criterion,
        "documents": DOCUMENTS,
        "think": False,
    }
    assert (request.probabilities, request.alternatives) == (True, 20)


def test_earlier_versions_have_a_turn_for_the_source() -> None:
    for version in ("3.0", "3.1", "3.2"):
        (request,) = hear(f"{NAME}:{version}", echo).requests
        assert request.messages == (Message("context", SOURCE), Message("assistant", RESPONSE))
        assert request.template == {"guardian_config": {"risk_name": "groundedness"}}


def test_version_4_1_is_asked_by_a_last_turn(tmp_path: Path) -> None:
    (request,) = hear(f"{NAME}:4.1", echo).requests
    assert request.template == {"documents": DOCUMENTS}
    assert request.messages[0] == Message("assistant", RESPONSE)
    assert request.messages[1].content.startswith("<guardian><no-think>")
    (thinking,) = hear(f"{NAME}:4.1,think", echo).requests
    assert thinking.messages[1].content.startswith("<guardian><think>")
    path = tmp_path / "block.md"
    path.write_text("---\nname: b\nversion: 1\ninputs:\n---\n# user\n<guardian>Theirs\n", "utf-8")
    (theirs,) = hear(f"{NAME}:4.1,prompt={path}", echo).requests
    assert theirs.messages[1] == Message("user", "<guardian>Theirs")


def test_what_is_sent_is_recorded_with_a_run() -> None:
    digests = {
        json.dumps(dict(load(f"{NAME}:{way}", Scripted(echo)).prompt_digests))
        for way in ("3.3", "3.3,think", "3.2", "3.2,ollama", "ollama", "4.1", "4.1,think", "plain")
    }
    assert len(digests) == 8


def test_ollama_takes_the_risk_as_the_turn_of_the_system() -> None:
    (request,) = hear(f"{NAME}:3.2,ollama", echo).requests
    roles = [message.role for message in request.messages]
    assert roles == ["system", "context", "assistant"]
    assert request.messages[0].content == "groundedness"
    assert request.template is None
    (request,) = hear(f"{NAME}:ollama", echo).requests
    assert [message.role for message in request.messages] == ["system", "document 0", "assistant"]


def test_without_its_template_it_is_asked_in_words(tmp_path: Path) -> None:
    (request,) = hear(f"{NAME}:plain", echo).requests
    assert f"Context: {SOURCE}\n\nAssistant Message: {RESPONSE}" in request.messages[0].content
    assert request.template is None
    path = tmp_path / "mine.md"
    head = "---\nname: mine\nversion: 1\ninputs: source, response\n---\n"
    path.write_text(f"{head}# user\n$source\n$response\n", encoding="utf-8")
    (request,) = hear(f"{NAME}:prompt={path}", echo).requests
    assert "<<<SOURCE " in request.messages[0].content


@pytest.mark.parametrize(
    ("line", "label", "note"),
    [
        ("Yes", "unfaithful", ""),
        ("No", "faithful", ""),
        ("Yes\n<confidence> High </confidence>", "unfaithful", "The model's own confidence: high."),
        ("<score> yes </score>", "unfaithful", ""),
        ("<score>no</score>", "faithful", ""),
        ("<think>\n</think>\n<score> no </score>", "faithful", ""),
        ("<think>Arson? <score> no </score>?</think><score> yes </score>", "unfaithful", "Arson?"),
    ],
)
def test_every_version_s_reply_is_read(line: str, label: str, note: str) -> None:
    heard = hear(NAME, [line])
    assert heard.labels == [label]
    assert heard.verdict().score is None
    assert heard.verdict().note.startswith(note)
    assert heard.verdict().note.endswith("No score: the server gave no token probabilities.")


def test_score_is_the_share_of_no_over_all_places_of_the_reply() -> None:
    alternatives = (("Yes", log(0.6)), (" yes", log(0.1)), ("No", log(0.2)), ("Maybe", log(0.1)))
    later = Token("\n", log(0.9), (("\n", log(0.9)), ("no", log(0.1))))
    verdict = hear(NAME, [reply_of(Token("Yes", log(0.6), alternatives), later)]).verdict()
    assert str(verdict.label) == "unfaithful"
    assert verdict.score == 0.3  # (0.2 + 0.1) of (0.2 + 0.1 + 0.6 + 0.1)


def test_words_in_its_thoughts_do_not_count() -> None:
    thought = Token("yes", log(0.9), (("yes", log(0.9)), ("no", log(0.1))))
    said = Token(" no", log(0.75), ((" no", log(0.75)), (" yes", log(0.25))))
    tokens = (
        Token("<think>", -0.1),
        thought,
        Token("</think>", -0.1),
        Token("<score>", -0.1),
        said,
        Token(" </score>", -0.1),
    )
    assert hear(NAME, [reply_of(*tokens)]).verdict().score == 0.75


@pytest.mark.parametrize(("word", "score"), [("No", 0.8), ("Yes", 0.2)])
def test_probability_of_the_word_alone_is_enough(word: str, score: float) -> None:
    assert hear(NAME, [reply_of(Token(word, log(0.8)))]).verdict().score == score


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("It is grounded.", "parse"),
        ("<score> maybe </score>", "parse"),
        ("<score> ", "parse"),
        (Reply("<think>Let me", Usage(9, 9), finish="length"), "truncated"),
        (CallError("transport", "gone"), "transport"),
    ],
)
def test_reply_without_a_word_is_a_failure_and_asked_for_once(line: Line, reason: str) -> None:
    heard = hear(NAME, [line])
    assert heard.failure().reason == reason
    assert len(heard.requests) == 1


def test_server_that_goes_on_with_the_message_is_told_how_to_be_started() -> None:
    failure = hear(NAME, [f"{RESPONSE} <score> no </score>"]).failure()
    assert failure.detail.endswith("switched off (no-prefill-assistant)")


def test_message_that_is_a_yes_itself_can_be_judged() -> None:
    assert hear(NAME, ["Yes"], replace(MILL, response=Response("Yes."))).labels == ["unfaithful"]


def test_sentences_are_judged_one_by_one_if_that_is_wanted() -> None:
    heard = hear(f"{NAME}:unit=sentence", ["No", "Yes", "No"])
    assert heard.labels == ["faithful", "unfaithful", "faithful"]
    assert DetectorSpec(f"{NAME}:unit=sentence").capabilities.one_by_one


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("3.2,3.3", "one version is wanted, not 3.2 and 3.3"),
        ("3.2,think", "'think' is for versions 3.3 and 4.1"),
        ("ollama,think", "'think' is for versions 3.3 and 4.1"),
        ("ollama,plain", "choose one of 'ollama', 'plain'"),
        ("plain,prompt=x.md", "choose one of 'ollama', 'plain'"),
        ("5.0", "unknown option of granite-guardian '5.0'"),
        ("unit=word", "unknown unit of granite-guardian 'word'"),
    ],
)
def test_options_that_contradict_each_other_are_told(argument: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        hear(f"{NAME}:{argument}", echo)
