"""LettuceDetect: the same probabilities and spans as its package, and all that does not fit."""

import json
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import pytest

from assay.core.errors import InputError, UnknownNameError
from assay.core.examples import Example
from assay.core.judgements import Judgement
from assay.core.texts import Passage, Response, Source
from assay.core.verdicts import Failure
from assay.detectors.local import NO_OPTIONS
from assay.detectors.published.kinds import ModelChoice
from assay.detectors.published.lettuce import MarkedAnswer, WordMarker, open_lettuce
from assay.detectors.published.lettuce_prompts import templates
from assay.detectors.published.scores import (
    Claim,
    Scored,
    ScoreDetector,
    ScoredUnit,
    capabilities,
)
from assay.models.checkpoints import find_hub_model
from tests.detectors.published import checkpoints
from tests.detectors.published.pairs import odd_claims, ragtruth_claims

RECORD = Path(__file__).with_name("reference") / "lettuce.json"
SENTENCES = "The harbour closed. The ferry sank in spring. Nobody was hurt."


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small ModernBERT with two classes."""
    return checkpoints.modernbert(tmp_path_factory.mktemp("modernbert"))


def opened(folder: Path, **settings: str) -> WordMarker:
    return open_lettuce(ModelChoice("lettuce", str(folder), None, "response", settings), NO_OPTIONS)


def whole(source: str, response: str, *passages: tuple[int, int]) -> Claim:
    place = (0, len(response))
    return Claim(source, response, response=response, place=place, passages=passages)


def judged(folder: Path, example: Example, unit: ScoredUnit = "response") -> Judgement:
    """The judgement of the detector about an example."""
    detector = ScoreDetector(opened(folder), capabilities(unit, marks=True, quotes=False))
    return next(detector._judge_all([example]))


def assert_recorded(found: MarkedAnswer | None, row: list[float] | None) -> None:
    """The same number of tokens, probabilities and spans, unless a token is on the edge."""
    if row is None or found is None:
        assert (row, found) == (None, None)
        return
    spans = list(found.spans())
    assert len(found.chances) == row[0]
    assert sum(found.chances) == pytest.approx(row[1], abs=1e-4 * max(1, row[0]))
    assert max(found.chances, default=0.0) == pytest.approx(row[2], abs=1e-4)
    if all(abs(chance - 0.5) > 1e-5 for chance in found.chances):
        assert [len(spans), crc32(json.dumps(spans).encode())] == row[3:]


def test_probabilities_and_spans_are_those_of_the_package(small: Path, shared_data: Path) -> None:
    claims = ragtruth_claims(shared_data, 190) + odd_claims()
    rows = json.loads(RECORD.read_text())["whole"]
    for found, row in zip(opened(small).marked(claims), rows, strict=True):
        assert_recorded(found, row)


def test_odd_texts_have_the_spans_of_the_package(small: Path) -> None:
    rows = json.loads(RECORD.read_text())["whole"][190:]
    for found, row in zip(opened(small).marked(odd_claims()), rows, strict=True):
        assert_recorded(found, row)


def test_long_sources_are_grouped_and_cut_as_by_the_package(small: Path, shared_data: Path) -> None:
    found = opened(small, length="900").marked(ragtruth_claims(shared_data, 40, 10_000))
    for each, row in zip(found, json.loads(RECORD.read_text())["cut"], strict=True):
        assert_recorded(each, row)
    assert sum(each is not None and each.parts > 1 for each in found) >= 5
    assert sum(each is not None and each.unread > 0 for each in found) >= 5


def test_a_single_long_source_is_cut_and_the_result_says_so(small: Path) -> None:
    source = "The harbour closed in May. " * 100
    found = opened(small, length="300").score([whole(source, "It closed.")])[0]
    assert isinstance(found, Scored)
    assert found.read is not None
    assert 0 < found.read < len(source)
    again = opened(small, length="300").score(
        [whole(source[: found.read] + "x" * 900, "It closed.")]
    )
    assert again[0].score == pytest.approx(found.score, abs=1e-5)


def test_of_several_parts_the_worst_counts(small: Path) -> None:
    first, second = "The harbour closed. " * 20, "The ferry sank in May. " * 20
    both = whole(first + second, "It closed.", (0, len(first)), (len(first), len(first + second)))
    marker = opened(small, length="300")
    parts = [marker.marked([whole(each, "It closed.")])[0] for each in (first, second)]
    found = marker.marked([both])[0]
    assert found is not None
    assert found.parts == 2
    chances = [each.chances for each in parts if each]
    assert found.chances == pytest.approx(
        [max(pair) for pair in zip(*chances, strict=True)], abs=1e-5
    )


def test_a_response_longer_than_the_window_is_a_failure(small: Path) -> None:
    found = opened(small, length="100").score([whole("It closed.", SENTENCES * 20)])[0]
    assert isinstance(found, Failure)
    assert found.reason == "too_long"


def test_a_sentence_is_judged_within_its_response(small: Path) -> None:
    marker = opened(small)
    start = SENTENCES.index("The ferry")
    place = (start, start + len("The ferry sank in spring."))
    claim = Claim("The harbour closed.", SENTENCES[slice(*place)], response=SENTENCES, place=place)
    found = marker.score([claim])[0]
    answer = marker.marked([claim])[0]
    assert answer is not None
    inside = [
        chance
        for (first, last), chance in zip(answer.places, answer.chances, strict=True)
        if first < place[1] and last > place[0]
    ]
    assert found.score == pytest.approx(1 - max(inside))
    assert isinstance(found, Scored)
    assert all(0 <= first < last <= len(claim.text) for first, last in found.marks)


def test_the_worst_sentence_has_the_score_of_the_response(small: Path) -> None:
    example = Example("1", Source("The harbour closed."), Response(SENTENCES))
    scores = {}
    units: tuple[ScoredUnit, ...] = ("sentence", "response")
    for unit in units:
        judgement = judged(small, example, unit)
        scores[unit] = [each.score or 0 for each in judgement.outcomes]
        for verdict in judgement.outcomes:
            assert all(span.verify(SENTENCES) for span in verdict.marks)
    assert len(scores["sentence"]) == 3
    assert min(scores["sentence"]) == scores["response"][0]


def test_passages_of_a_source_are_read_as_passages(small: Path) -> None:
    text = "The harbour closed. The ferry sank."
    apart = Source(text, (Passage("1", 0, 19), Passage("2", 20, len(text))))
    answer = Response("It closed.")
    found = [judged(small, Example("1", source, answer)) for source in (Source(text), apart)]
    by_hand = opened(small).score([whole(text, "It closed.", (0, 19), (20, len(text)))])[0]
    assert found[1].outcomes[0].score == pytest.approx(by_hand.score, abs=1e-6)
    assert found[0].outcomes[0].score != found[1].outcomes[0].score


@pytest.fixture
def own_prompts(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The package is not installed."""
    monkeypatch.setattr("assay.detectors.published.lettuce_prompts._package", lambda: None)
    templates.cache_clear()
    yield
    templates.cache_clear()


@pytest.mark.usefixtures("own_prompts")
def test_without_the_package_our_prompts_are_used_and_the_version_says_so(small: Path) -> None:
    assert templates()["en"].fill(["One."], "").text.startswith("Text to sum up:\npassage 1: One.")
    assert opened(small).version.endswith(" own")


def test_with_the_package_its_prompts_are_used_and_the_version_says_so(small: Path) -> None:
    assert opened(small).version.endswith(" lettucedetect-0.2.3")


def test_a_prompt_names_its_passages_and_their_number() -> None:
    prompt = templates()["en"].fill(["One.", "Two."], "How many?")
    assert "\nHow many?\n" in prompt.text
    assert " 2 passages:\npassage 1: One.\npassage 2: Two.\n" in prompt.text
    assert [prompt.text[slice(*place)] for place in prompt.places] == ["One.", "Two."]
    assert prompt.unread(prompt.places[0][0] + 1) == len("ne.") + len("Two.")


def test_every_language_has_both_prompts() -> None:
    assert set(templates()) == {"de", "en", "es", "fr", "it", "pl", "zh"}
    for template in templates().values():
        assert template.fill(["P"], "").text != template.fill(["P"], "Q").text
        assert "$" not in template.fill(["P"], "Q").text


def test_the_language_of_the_model_or_the_setting_decides(small: Path) -> None:
    claim = Claim("Der Hafen schloss.", "Er schloss.", language="de")
    english = opened(small, language="en").score([claim])[0].score
    german = opened(small, language="de").score([claim])[0].score
    assert english != german
    assert opened(small).score([claim])[0].score == german
    known = ModelChoice("lettuce", str(small), find_hub_model("lettuce-210m-it"), "response", {})
    with pytest.raises(InputError, match="'assay models pull lettuce-210m-it' fetches about"):
        open_lettuce(known, NO_OPTIONS)


def test_eurobert_runs_without_the_code_its_configuration_names(tmp_path: Path) -> None:
    found = opened(checkpoints.eurobert(tmp_path), language="de").score(
        [whole("Der Hafen schloss.", "Er schloss.")]
    )
    assert isinstance(found[0], Scored)
    assert 0 <= found[0].score <= 1


def test_what_does_not_fit_is_refused(small: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="language of lettuce 'hu'"):
        opened(small, language="hu")
    with pytest.raises(InputError, match="length is a number of tokens up to 8,192, not '9000'"):
        opened(small, length="9000")
    with pytest.raises(InputError, match="has 3 classes; LettuceDetect has 2"):
        opened(checkpoints.modernbert(tmp_path / "three", 3))
    (tmp_path / "code").mkdir()
    said = {"model_type": "lfm2_span_tagger", "auto_map": {"AutoConfig": "code.Config"}}
    (tmp_path / "code" / "config.json").write_text(json.dumps(said))
    with pytest.raises(InputError, match="code"):
        opened(tmp_path / "code")
