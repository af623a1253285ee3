"""`ccp` says what lm-polygraph says of the same networks."""

import json
from collections.abc import Sequence
from math import exp, log
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("transformers")

from assay.core.errors import InputError
from assay.core.verdicts import Failure
from assay.detectors.local import LocalOptions
from assay.detectors.published.causal import TokenPassage
from assay.detectors.published.ccp import (
    ClaimConditionedProbability,
    Pair,
    Relation,
    TokenChoice,
    meaning_log,
    open_ccp,
)
from assay.detectors.published.kinds import ModelChoice
from assay.detectors.published.scores import Claim, Scored
from tests.detectors.published import causal_checkpoints, checkpoints
from tests.detectors.published.causal_texts import HARBOUR, OWN, ResponseText, response_texts

RECORD: Any = json.loads((Path(__file__).parent / "reference" / "ccp.json").read_text("utf-8"))
NEAR = 1e-4


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A causal model and an NLI model."""
    folder = tmp_path_factory.mktemp("ccp")
    return causal_checkpoints.llama(folder / "llama"), causal_checkpoints.relations(folder / "nli")


def opened(folders: tuple[Path, Path], **settings: str) -> ClaimConditionedProbability:
    own = {"nli": str(folders[1]), **settings}
    return open_ccp(ModelChoice("ccp", str(folders[0]), None, "sentence", own), LocalOptions())


def claims_of(texts: Sequence[ResponseText]) -> list[Claim]:
    return [
        Claim(text.source, text.response[a:b], text.question, "en", text.response, (a, b))
        for text in texts
        for a, b in text.places
    ]


def greatest_difference(
    scorer: ClaimConditionedProbability, texts: Sequence[ResponseText], recorded: Sequence[float]
) -> float:
    """The greatest difference of the logs of the probabilities."""
    passages, failed = scorer.reader.passages(claims_of(texts))
    ours = scorer.logs(passages)
    assert not failed
    assert len(ours) == len(recorded)
    return max(abs(ours[number] - log(each)) for number, each in enumerate(recorded))


def test_probabilities_are_those_of_the_reference(folders: tuple[Path, Path]) -> None:
    own = sum(len(text.places) for text in OWN)
    assert greatest_difference(opened(folders), OWN, RECORD["found"]["word"][-own:]) < NEAR


@pytest.mark.soak
def test_probabilities_of_real_responses_are_those_of_the_reference(
    folders: tuple[Path, Path], shared_data: Path
) -> None:
    texts, recorded = response_texts(shared_data), RECORD["found"]["word"]
    assert len(recorded) >= 200
    assert max(recorded) > 0.5 > min(recorded)
    assert greatest_difference(opened(folders), texts, recorded) < NEAR


def test_words_after_their_claim_are_those_of_the_reference(
    folders: tuple[Path, Path], shared_data: Path
) -> None:
    texts, recorded = response_texts(shared_data)[2:3], RECORD["found"]["claim"]
    first = sum(len(text.places) for text in response_texts(shared_data)[:2])
    count = sum(len(text.places) for text in texts)
    scorer = opened(folders, context="claim")
    assert greatest_difference(scorer, texts, recorded[first : first + count]) < NEAR


def test_a_text_of_the_models_own_has_the_probability_of_the_whole_reference(
    folders: tuple[Path, Path],
) -> None:
    scorer = opened(folders)
    for each in RECORD["greedy"]:
        first, tokens = len(each["prompt"]), [*each["prompt"], *each["tokens"]]
        found = scorer.logs([TokenPassage(tokens, first, {0: (first, len(tokens))})])
        assert found[0] == pytest.approx(log(each["score"]), abs=NEAR)


def test_the_meaning_of_a_token_is_its_share_of_what_contradicts_it() -> None:
    choice = TokenChoice((1, 2, 3, 4), (log(0.4), log(0.2), log(0.2), log(0.1)))
    related: dict[Pair, Relation] = {
        ("may", "might"): "entails",
        ("might", "may"): "neutral",
        ("may", "cannot"): "contradicts",
        ("cannot", "may"): "contradicts",
        ("may", "tree"): "entails",
        ("tree", "may"): "contradicts",
    }
    found = exp(meaning_log(choice, ["may", "might", "cannot", "tree"], related))
    assert found == pytest.approx(0.6 / 0.8)  # the last one says both, so it is of another kind


def test_the_score_is_half_at_the_threshold_of_verigray(folders: tuple[Path, Path]) -> None:
    scorer = opened(folders)
    found = scorer.score(claims_of(OWN))
    passages, _ = scorer.reader.passages(claims_of(OWN))
    for number, value in scorer.logs(passages).items():
        own = found[number]
        assert isinstance(own, Scored)
        assert (own.score < scorer.threshold) == (exp(value) < 0.001)
        assert f"{exp(value):.3g}" in own.note


def test_what_does_not_fit_has_no_score(folders: tuple[Path, Path], tmp_path: Path) -> None:
    short = causal_checkpoints.llama(tmp_path, max_position_embeddings=100)
    found = opened((short, folders[1])).score([Claim(HARBOUR * 9, "It was.")])[0]
    assert isinstance(found, Failure)
    assert found.reason == "too_long"


def test_a_classifier_with_other_classes_is_refused(
    folders: tuple[Path, Path], tmp_path: Path
) -> None:
    two, three = checkpoints.roberta(tmp_path / "two"), checkpoints.roberta(tmp_path / "three", 3)
    with pytest.raises(InputError, match="three classes"):
        opened((folders[0], two))
    with pytest.raises(InputError, match="LABEL_0/LABEL_1/LABEL_2"):
        opened((folders[0], three))
    with pytest.raises(InputError, match="entailment/neutral"):
        opened((folders[0], three), labels="entailment/neutral")
    named = opened((folders[0], three), labels="contradiction/entailment/neutral")
    passages, _ = named.reader.passages(claims_of(OWN[:1]))
    assert named.logs(passages) == opened(folders).logs(passages)  # the same weights


def test_the_embedded_model_can_tell_what_words_mean(folders: tuple[Path, Path]) -> None:
    scorer = opened(folders, nli="embedded")
    pairs = (("", "."), ("1954", "1964"), ("1954", "1954"))
    assert set(scorer.nli.relate(pairs).values()) <= {"entails", "neutral", "contradicts"}
    assert scorer.nli.known["1954", "1954"] == "entails"
    assert isinstance(scorer.score([Claim(HARBOUR, "Yes")])[0], Scored)


def test_an_unknown_context_is_refused(folders: tuple[Path, Path]) -> None:
    with pytest.raises(InputError, match="claim, word"):
        opened(folders, context="sentence")
