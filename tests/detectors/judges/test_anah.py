"""`anah`: three questions about each sentence, in one conversation."""

from dataclasses import replace
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.texts import Response, Source
from assay.llm.client import CallError
from tests.detectors.judges.scripts import MILL, SOURCE, echo, hear

ONE = replace(MILL, response=Response("The mill burned down in 1987."), question="What happened?")
FACT = "<Facts Present>"
POINT = "The old mill in Vejby burned down in 1987."


def test_three_questions_are_turns_of_one_conversation() -> None:
    heard = hear("anah", [FACT, POINT, "<No Hallucination>"], ONE)
    assert heard.labels == ["supported"]
    roles = [[message.role for message in request.messages] for request in heard.requests]
    assert roles == [
        ["user"],
        ["user", "assistant", "user"],
        ["user", "assistant"] * 2 + ["user"],
    ]
    last = heard.requests[2].messages
    assert (last[1].content, last[3].content) == (FACT, POINT)
    assert "What happened?" in last[0].content
    assert SOURCE in last[2].content
    assert f"The points:\n\n{POINT}" in last[4].content


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("<No Hallucination>", "supported"),
        ("<Contradictory>", "contradictory"),
        ("<Unverifiable>", "unsupported"),
        ("< contradictory >", "contradictory"),
        ("The type is unverifiable.", "unsupported"),
        ("It is not contradictory: <No Hallucination>", "supported"),
        ("<矛盾>", "contradictory"),
        ("<无幻觉>", "supported"),
        ("<无法验证>", "unsupported"),
    ],
)
def test_type_is_read_in_both_languages(reply: str, label: str) -> None:
    assert hear("anah", [FACT, POINT, reply], ONE).labels == [label]


@pytest.mark.parametrize("reply", ["<No Facts>", "<no facts>", "<无事实>"])
def test_sentence_without_facts_is_not_asked_further(reply: str) -> None:
    heard = hear("anah", [reply], ONE)
    assert (heard.labels, len(heard.requests)) == (["nothing-to-check"], 1)


@pytest.mark.parametrize(
    "reply", ["<No Reference Information>", "no reference information", "<无参考信息>"]
)
def test_sentence_on_which_the_source_has_nothing_is_unsupported(reply: str) -> None:
    heard = hear("anah", [FACT, reply], ONE)
    assert (heard.labels, len(heard.requests)) == (["unsupported"], 2)
    assert heard.verdict().note == "The source has nothing on it."


def test_points_that_stand_in_the_source_are_the_evidence() -> None:
    heard = hear("anah", [FACT, f"{POINT}<SEP>Nobody was hurt.", "<No Hallucination>"], ONE)
    assert [span.text for span in heard.verdict().evidence] == [POINT, "Nobody was hurt."]
    assert heard.verdict().note == f"{POINT} … Nobody was hurt."


@pytest.mark.parametrize(
    "replies",
    [
        ["Perhaps.", "Perhaps."],
        ["<No Facts> or <Facts Present>"] * 2,
        [FACT, "", " "],
        [FACT, POINT, "", ""],
        [FACT, POINT, "<Contradictory> <Unverifiable>", "It depends."],
    ],
)
def test_reply_that_cannot_be_read_twice_is_a_failure(replies: list[str]) -> None:
    heard = hear("anah", replies, ONE)
    assert heard.failure().reason == "parse"
    assert "(asked twice)" in heard.failure().detail
    assert len(heard.requests) == len(replies)


def test_reply_that_is_read_the_second_time_is_one_turn() -> None:
    heard = hear("anah", ["Perhaps.", FACT, POINT, "<No Hallucination>"], ONE)
    assert heard.labels == ["supported"]
    assert [
        message.content for message in heard.requests[2].messages if message.role == "assistant"
    ] == [FACT]


def test_sentences_fail_alone() -> None:
    def reply(request: object) -> str | Exception:
        return CallError("transport", "gone") if "arson" in str(request) else "<No Facts>"

    assert hear("anah", reply, MILL).labels == [
        "nothing-to-check",
        "failed: transport",
        "nothing-to-check",
    ]


def test_text_of_any_length_is_read_in_time() -> None:
    long = Example("1", Source("It burned."), Response("It burned."))
    assert hear("anah", ["<" * 100_000] * 2, long).failure().reason == "parse"


def test_each_question_can_be_asked_with_a_file(tmp_path: Path) -> None:
    path = tmp_path / "type.md"
    head = "---\nname: theirs\nversion: 1\ninputs: points, sentence\ntexts: plain\n---\n"
    path.write_text(f"{head}# user\n$points | $sentence\n", encoding="utf-8")
    heard = hear(f"anah:type={path}", [FACT, POINT, "<无幻觉>"], ONE)
    assert heard.requests[2].messages[-1].content == f"{POINT} | The mill burned down in 1987."
    with pytest.raises(InputError, match=r"\$points is unknown"):
        hear(f"anah:reference={path}", echo, ONE)
