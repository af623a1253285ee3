"""Languages that a model's card names are read, others get no verdict, and notes fit them."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("gguf")

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.rendering import read_source
from assay.core.texts import Response
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.detectors.embedded import detector as small
from assay.detectors.embedded import languages as wording
from assay.detectors.embedded.detector import EntailmentDetector
from assay.detectors.embedded.folders import CARD, ModelFolder
from assay.detectors.embedded.languages import named, read_by_larger, read_languages
from assay.detectors.embedded.large.detector import SHIPPED, LargeModel
from tests.detectors.embedded.large.conftest import adapter_arrays, write_adapter
from tests.judging import judge_all

ENGLISH = "The harbour of Otranto opened in 1986. Ferries cross to Albania twice a day."
GERMAN = "Der Hafen von Otranto wurde 1986 eröffnet. Zweimal am Tag fahren die Fähren ab."
COPIED = "Der Hafen von Otranto wurde 1986 eröffnet."
DANISH = "Havnen blev ikke åbnet i 1986, og færgerne sejler kun om sommeren."
SURE, AGAINST = (9.0, 0.0, 0.0), (0.0, 0.0, 9.0)

Judge = Callable[..., tuple[Outcome, ...]]


@pytest.fixture
def judge(tmp_path: Path, base_path: Path) -> Judge:
    """What a tiny model whose card names languages says of the sentences of a response."""

    def said(
        source: str,
        response: str,
        bias: tuple[float, ...] = SURE,
        reads: tuple[str, ...] = ("en", "de", "zh"),
        language: str = "",
    ) -> tuple[Outcome, ...]:
        folder = write_adapter(tmp_path / "large", adapter_arrays(bias))
        card = json.loads((folder / CARD).read_text()) | {"languages": reads}
        (folder / CARD).write_text(json.dumps(card))
        example = Example(
            "a",
            read_source(source),
            Response(response),
            language=language or "en",
            is_english_stated=language == "en",
        )
        detector = EntailmentDetector(LargeModel(folder, base_path).ready)
        (judgement,) = judge_all(detector, [example])
        return judgement.outcomes

    return said


def only(outcomes: tuple[Outcome, ...]) -> Verdict:
    (verdict,) = outcomes
    assert isinstance(verdict, Verdict)
    return verdict


def failure(outcomes: tuple[Outcome, ...]) -> Failure:
    (failed,) = outcomes
    assert isinstance(failed, Failure)
    assert failed.reason == "language"
    return failed


def test_language_of_the_card_is_judged(judge: Judge) -> None:
    assert str(only(judge(GERMAN, COPIED)).label) == "explicitly-supported"
    assert str(only(judge(GERMAN, COPIED, AGAINST)).label) == "contradicting"


def test_another_language_gets_no_verdict_and_is_told_what_is_read(judge: Judge) -> None:
    assert failure(judge(ENGLISH, DANISH)).detail == (
        "the text is in Danish, and embedded-large reads English, German and Chinese;"
        " the detector overlap can look at it"
    )


def test_source_in_another_language_gets_no_verdict(judge: Judge) -> None:
    detail = failure(judge(f"{DANISH} {DANISH}", COPIED)).detail
    assert detail.startswith("the source is in Danish, and embedded-large reads")


def test_a_card_that_names_no_languages_reads_english_only(judge: Judge) -> None:
    assert read_languages({}) == ("en",)
    assert "reads English only" in failure(judge(GERMAN, COPIED, reads=("en",))).detail


@pytest.mark.parametrize("languages", [[], [5], ["en", None]])
def test_damaged_languages_are_noticed(judge: Judge, languages: list[object]) -> None:
    with pytest.raises(InputError, match=r"model\.json is damaged"):
        judge(GERMAN, COPIED, reads=tuple(languages))


@pytest.mark.parametrize(
    ("source", "response"),
    [(ENGLISH, COPIED), (GERMAN, "The harbour of Otranto opened in 1986.")],
)
def test_nothing_is_explicit_across_languages(judge: Judge, source: str, response: str) -> None:
    verdict = only(judge(source, response))
    assert str(verdict.label) == "implicitly-supported"
    assert verdict.note == "The source entails it."


def test_note_across_languages_compares_no_words(judge: Judge) -> None:
    note = only(judge(ENGLISH, "Der Hafen wurde nicht 1990 eröffnet.", AGAINST)).note
    assert note.startswith("The source seems to say otherwise")


def test_note_in_another_language_lists_no_small_words(judge: Judge) -> None:
    said = "Der Hafen von Otranto wurde mit einem Fest eröffnet."
    note = only(judge(GERMAN, said)).note
    assert note == "The source entails it in other words; not in the evidence as such: Fest."


def test_note_in_chinese_lists_no_single_characters(judge: Judge) -> None:
    verdict = only(judge("港口于1986年开放。渡轮每天两班。", "这座港口在1986年启用。"))
    assert "not in the evidence" not in verdict.note


def test_a_stated_language_settles_it(judge: Judge) -> None:
    assert only(judge(GERMAN, "Otranto.", language="de"))
    assert only(judge(f"{DANISH} {DANISH}", DANISH, language="de"))
    assert "language 'sw'" not in failure(judge(ENGLISH, COPIED, language="sw")).detail
    assert "Swahili" in failure(judge(ENGLISH, COPIED, language="sw")).detail


def test_short_sentence_takes_the_language_of_its_source(judge: Judge) -> None:
    assert only(judge(GERMAN, "Fähren fahren täglich."))


def test_greeting_in_a_language_that_is_read_states_nothing(judge: Judge) -> None:
    first, second = judge(GERMAN, f"Hier ist eine Zusammenfassung:\n\n{COPIED}")
    assert isinstance(first, Verdict)
    assert str(first.label) == "no-fact"
    assert isinstance(second, Verdict)


def test_small_model_says_that_the_large_one_reads_it(
    monkeypatch: pytest.MonkeyPatch, judge: Judge
) -> None:
    monkeypatch.setattr(wording, "LARGER", "another")  # the tiny one has the large one's name
    monkeypatch.setattr(wording, "read_by_larger", lambda: ("en", "de"))
    detail = failure(judge(GERMAN, COPIED, reads=("en",))).detail
    assert detail.endswith("; the detector another reads it")
    assert "overlap" in failure(judge(ENGLISH, DANISH, reads=("en",))).detail


def test_shipped_cards_name_the_languages_that_they_read() -> None:
    class Card(ModelFolder):
        detector, weights, remedy = "embedded-large", "adapter.npz", ""

    reads = Card(SHIPPED).settings.languages
    assert reads[0] == "en"
    assert read_by_larger() == reads
    assert Card(small.SHIPPED).settings.languages == ("en",)
    assert named(reads) in Card(SHIPPED).facts("", "", 1)["language"]
