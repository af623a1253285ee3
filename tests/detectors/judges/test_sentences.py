"""`judge-gray7` and `judge-fewshot`: one sentence a call."""

import asyncio
from dataclasses import replace
from math import log

import pytest

from assay.core.consistency import contradictions
from assay.core.examples import Example
from assay.core.taxonomies import GRAY7
from assay.core.texts import Response, Span
from assay.core.units import Unit
from assay.detectors.registry import DetectorSpec
from assay.llm.client import CallError, Line, Reply, Request, Scripted, Token, Usage
from tests.detectors.judges.scripts import MILL, RESPONSE, SOURCE, asked, hear, load, opinion
from tests.judging import judge_one


def sentence_of(request: Request) -> str:
    """The sentence that a request asks about."""
    return asked(request).rpartition("<<<SENTENCE ")[2].split("\n")[1]


def answer(request: Request) -> Line:
    sentence = sentence_of(request)
    if sentence.startswith("The mill"):
        return opinion("explicitly-supported", evidence=["burned down in 1987"])
    if sentence.startswith("It was"):
        return opinion("fabricated", evidence=["The cause is  not known", "set on fire"])
    return opinion("no-fact")


def test_each_sentence_gets_its_own_call_and_label() -> None:
    heard = hear("judge-gray7", answer)
    assert heard.labels == ["explicitly-supported", "fabricated", "no-fact"]
    assert [sentence_of(request) for request in heard.requests] == RESPONSE.replace(
        "? ", "?|"
    ).replace(". ", ".|").split("|")


def test_reason_is_the_note_and_quotes_are_evidence_with_offsets() -> None:
    verdict = hear("judge-gray7", answer).verdict(1)
    start = SOURCE.index("The cause")
    assert verdict.evidence == (Span.cut(SOURCE, start, start + 22, "source"),)
    assert verdict.note == "I find it fabricated. 1 quote is not in the source."


def test_question_that_the_label_depends_on_and_nobody_looked_up_is_open() -> None:
    heard = hear("judge-gray7", answer)
    open_ones = [each.answers is not None for each in map(heard.verdict, range(3))]
    assert open_ones == [False, True, False]
    answers = heard.verdict(1).answers
    assert answers is not None
    assert answers.entailed_with_knowledge is None
    assert contradictions(answers, GRAY7["fabricated"]) == []


def test_prompts_of_one_response_differ_only_in_the_sentence() -> None:
    first, second, _ = (asked(request) for request in hear("judge-gray7", answer).requests)
    shared = first.partition("The sentence to judge")[0]
    assert SOURCE in shared
    assert second.startswith(shared)


@pytest.mark.parametrize(
    ("said", "label"),
    [("Generally-Supported", "implicitly-supported"), ("INCONSISTENT", "contradicting")],
)
def test_other_names_of_a_label_are_understood(said: str, label: str) -> None:
    assert set(hear("judge-gray7", lambda _: opinion(said)).labels) == {label}


def test_last_verdict_of_a_reply_counts() -> None:
    reply = f"First I thought {opinion('fabricated')}, but no:\n```json\n{opinion('no-fact')}\n```"
    assert set(hear("judge-gray7", lambda _: reply).labels) == {"no-fact"}


def test_one_failed_call_leaves_the_other_sentences_alone() -> None:
    def stumble(request: Request) -> Line:
        failed = sentence_of(request).startswith("It was")
        return CallError("transport", "reset") if failed else answer(request)

    heard = hear("judge-gray7", stumble)
    assert heard.labels == ["explicitly-supported", "failed: transport", "no-fact"]


def test_named_units_are_judged_and_no_others() -> None:
    sentence = Unit.at("sentence", Span.cut(RESPONSE, 30, 43, "response"), "s2")
    units = (sentence, Unit("c1", "claim", "A claim."))
    heard = hear("judge-gray7", answer, replace(MILL, units=units))
    assert [each.unit for each in heard.findings] == [sentence]
    assert RESPONSE in asked(heard.requests[0])


def test_sentences_are_asked_at_the_same_time_and_keep_their_order() -> None:
    waiting = asyncio.Event()

    class Backwards(Scripted):
        async def ask(self, request: Request) -> Reply:
            if sentence_of(request).startswith("Would"):
                waiting.set()
            await waiting.wait()  # only the last sentence sets the others free
            return await super().ask(request)

    judgement = judge_one(load("judge-gray7", Backwards(answer)), MILL)
    assert [str(v.label) for v in judgement.verdicts] == [
        "explicitly-supported",
        "fabricated",
        "no-fact",
    ]


def test_confidence_is_the_probability_of_the_labels_words() -> None:
    pieces = ['{"reason": "no-fact?", "label": "', "no", "-fact", '"}']
    chances = (0.9, 0.5, 0.5, 0.9)
    tokens = tuple(Token(*each) for each in zip(pieces, map(log, chances), strict=True))
    reply = Reply("".join(pieces), Usage(1, 1), tokens=tokens)
    verdict = hear("judge-gray7", lambda _: reply).verdict()
    assert verdict.confidence == pytest.approx(0.25)  # 0.5 * 0.5
    assert verdict.score is None


def test_sentence_that_breaks_its_line_is_shown_as_it_is() -> None:
    text = "A list:\n- The mill\n- The town"
    example = Example("1", MILL.source, Response(text), units=(Unit("s1", "sentence", text),))
    request = hear("judge-gray7", lambda _: opinion("no-fact"), example).requests[0]
    assert f">>>\n{text}\n<<<END SENTENCE 1" in asked(request)


def test_fewshot_answers_in_three_labels_for_each_sentence() -> None:
    script = [opinion("entailment"), opinion("neutral"), opinion("contradiction")]
    assert hear("judge-fewshot", script).labels == ["entailment", "neutral", "contradiction"]


def test_worked_examples_of_fewshot_show_each_label_and_can_be_read() -> None:
    system = hear("judge-fewshot", [opinion("neutral")] * 3).requests[0].messages[0].content
    replies = [line.removeprefix("Reply: ") for line in system.splitlines() if "Reply: {" in line]
    shown = [hear("judge-fewshot", [reply] * 3).labels[0] for reply in replies]
    assert set(shown) == {"entailment", "neutral", "contradiction"}
    assert len(shown) == system.count("\nSource: ") == system.count("\nSentence: ")


def test_only_judges_that_ask_one_by_one_save_a_call_for_a_sentence_left_out() -> None:
    names = ("judge-gray7", "judge-gray7:batch", "judge-fewshot:definitions", "judge-finesure")
    assert [DetectorSpec(name).capabilities.one_by_one for name in names] == [
        True,
        False,
        True,
        False,
    ]
