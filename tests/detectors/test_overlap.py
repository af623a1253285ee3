"""The lexical floor."""

import asyncio
import math
import time
from collections.abc import Callable

import pytest

from assay.core.examples import Example
from assay.core.judgements import Judgement
from assay.core.texts import Response, Source, Span
from assay.core.units import Unit, UnitKind
from assay.core.verdicts import Verdict
from assay.detectors import overlap
from assay.detectors.overlap import OverlapDetector
from assay.text.evidence import SourceIndex
from tests.detectors.checking import check_with, only_verdict
from tests.judging import judge_one

SOURCE = (
    "Ada Lovelace was born in London on 10 December 1815. She wrote seven notes on the engine. "
    "Her father was a poet."
)


def judge(response: str, source: str = SOURCE, language: str = "en") -> list[Verdict]:
    example = Example("1", Source(source), Response(response), language=language)
    judgement = judge_one(OverlapDetector(), example)
    assert judgement.failures == ()
    assert judgement.characters_read == len(source)
    return list(judgement.verdicts)


def label(response: str, source: str = SOURCE, language: str = "en") -> str:
    return str(judge(response, source, language)[0].label)


def logistic(weight: float) -> float:
    return round(1 / (1 + math.exp(-weight)), 4)


def test_copied_sentence_is_explicitly_supported_by_that_passage() -> None:
    (verdict,) = judge("She wrote seven notes on the engine.")
    assert str(verdict.label) == "explicitly-supported"
    assert verdict.score == logistic(overlap.INTERCEPT + overlap.COVERAGE)
    assert verdict.evidence[0].text == "She wrote seven notes on the engine."
    assert verdict.note == "4 of 4 content words are in the nearest passages."


def test_sentence_with_a_word_of_its_own_is_implicitly_supported() -> None:
    assert label("She wrote seven brief notes on the engine.") == "implicitly-supported"


def test_changed_number_lowers_the_score_and_is_named() -> None:
    (verdict,) = judge("Ada Lovelace was born in 1852.")
    # Content words: Ada, Lovelace, born, 1852; one of four is missing, and so is the figure.
    weight = overlap.INTERCEPT + 0.75 * overlap.COVERAGE + overlap.MISSING_FIGURE
    assert verdict.score == logistic(weight)
    assert str(verdict.label) == "fabricated"
    assert "not in the source: 1852" in verdict.note


@pytest.mark.parametrize("date", ["1815", "December 1815", "December 10, 1815", "1815-12-10"])
def test_part_of_a_date_or_its_other_format_is_not_missing(date: str) -> None:
    (verdict,) = judge(f"Ada Lovelace was born in {date}.")
    assert "not in the source" not in verdict.note


def test_surname_alone_is_the_name_of_the_source() -> None:
    index = SourceIndex(Source(SOURCE))
    assert overlap.compare("It was Lovelace.", [], index).missing_names == ()
    assert overlap.compare("It was Babbage.", [], index).missing_names == ("Babbage",)


def test_unrelated_sentence_is_fabricated_and_says_what_cannot_be_told() -> None:
    (verdict,) = judge("Submarines dive below icebergs.")
    assert str(verdict.label) == "fabricated"
    assert verdict.evidence == ()
    assert verdict.note.endswith("word counts cannot tell a contradiction.")


def test_count_of_words_is_never_quite_sure() -> None:
    (verdict,) = judge(
        "In 2031 Zorblax Quux of Vexia bought 77 zeppelins from Mr Plonk for $9,123."
    )
    assert (verdict.score or 0) < 0.05
    assert verdict.confidence == 0.8


def test_contradiction_and_knowledge_are_left_open() -> None:
    answers = judge("Submarines dive below icebergs.")[0].answers
    assert answers is not None
    assert (answers.states_fact, answers.entailed) == (True, False)
    assert answers.contradicted is None
    assert answers.entailed_with_knowledge is None


@pytest.mark.parametrize(
    "response",
    [
        "Would you like to know more?",
        "Sure!",
        "Here's a summary of the passage.",
        "Here are the main points:",
        "I hope this helps.",
        "Thanks!",
        "Hi there.",
        "???",
        "It was what it was.",
    ],
)
def test_sentence_that_states_nothing_is_no_fact_without_a_score(response: str) -> None:
    (verdict,) = judge(response)
    assert str(verdict.label) == "no-fact"
    assert verdict.score is None
    assert verdict.confidence is None


@pytest.mark.parametrize(
    "response",
    [
        "Thanks to the engine, deaths fell.",
        "Sure enough, her father was a poet.",
        "Hi-tech engines were sold.",
        "Hope was her second name.",
    ],
)
def test_sentence_that_only_begins_like_a_greeting_states_a_fact(response: str) -> None:
    assert label(response) != "no-fact"


def test_response_longer_than_its_source_is_judged_sentence_by_sentence() -> None:
    verdicts = judge("It rains in Spain today. " * 50 + "It rains.", source="It rains.")
    assert len(verdicts) == 51
    assert str(verdicts[-1].label) == "explicitly-supported"
    assert str(verdicts[0].label) == "fabricated"


def test_german_inflection_is_understood_if_the_language_is_given() -> None:
    source = "Das alte Museum zeigt viele Bilder."
    response = "Viele alten Bilder zeigte das Museum."
    assert label(response, source, "de") == "explicitly-supported"
    assert label(response, source, "en") == "implicitly-supported"


def test_thousands_of_missing_figures_have_a_score_of_zero() -> None:
    (verdict,) = judge(", ".join(map(str, range(2_000, 5_000))), source="It was so.")
    assert verdict.score == 0.0


@pytest.mark.parametrize("kind", ["claim", "response"])
def test_only_sentences_are_judged_if_units_are_named(kind: UnitKind) -> None:
    text = "Her father was a poet. Yes."
    sentence = Unit.at("sentence", Span.cut(text, 0, 22, "response"), "s4")
    units = (Unit("x1", kind, "A poet."), sentence)
    example = Example("1", Source(SOURCE), Response(text), units=units)
    assert judge_one(OverlapDetector(), example).units == (sentence,)


def test_examples_are_judged_as_they_come(make_example: Callable[..., Example]) -> None:
    stream = iter([make_example(id="a"), make_example(id="b")])

    async def first() -> Judgement:
        return await anext(OverlapDetector().judge(stream))

    assert asyncio.run(first()).example == "a"
    assert next(stream).id == "b"


@pytest.mark.parametrize(
    "text",
    [
        "## Summary",
        "**Key points**",
        "Conclusion",
        "I cannot answer that question.",
        "I'm sorry, but I can't help with that.",
        "Yes.",
        "Sure! Here is a short summary of the article:",
        "Please let me know if you need more.",
    ],
)
def test_talk_headings_and_refusals_state_nothing(text: str) -> None:
    verdict = judge(text, "The ferry crossed the strait.")[0]
    assert verdict.label is not None
    assert (verdict.label.name, verdict.score) == ("no-fact", None)


@pytest.mark.parametrize(
    "text",
    [
        "Here is a summary: The ferry sank and everyone aboard drowned.",
        "Please note that the ferry sank.",
        "Sure, the tower is 900 m tall.",
        "Did you know that Bob Smith murdered Ada in 1900?",
        "Paris",
    ],
)
def test_facts_behind_talk_are_judged(text: str) -> None:
    verdict = judge(text, "The ferry crossed the strait.")[0]
    assert verdict.label is not None
    assert verdict.label.name == "fabricated"


def test_a_figure_in_another_spelling_is_no_missing_word() -> None:
    verdict = only_verdict(
        check_with(OverlapDetector(), "It has 12,000 members.", "It has twelve thousand members.")
    )
    assert "missing" not in verdict.note


def test_emphasis_does_not_hide_a_word() -> None:
    verdict = only_verdict(
        check_with(OverlapDetector(), "She lived in London.", "She lived in _London_.")
    )
    assert "missing" not in verdict.note


@pytest.mark.parametrize("endless", ["7", "a", "*", ".", "ferry ", "a,", '"'])
def test_endless_sentence_ends_soon(endless: str) -> None:
    begun = time.process_time()
    judge_one(
        OverlapDetector(),
        Example("1", Source(SOURCE), Response(endless * (100_000 // len(endless)))),
    )
    assert time.process_time() - begun < 10  # seconds; half of one is usual


def test_response_of_5000_sentences_is_judged() -> None:
    text = " ".join(f"She wrote note {number} on the engine." for number in range(5_000))
    assert len(judge(text)) == 5_000
