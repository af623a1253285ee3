"""TrueTeacher and TRUE's NLI model: the formula of the authors' pages, computed again."""

import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers

from assay.core.errors import InputError, UnknownNameError
from assay.core.verdicts import Failure
from assay.detectors.local import NO_OPTIONS
from assay.detectors.published.kinds import ModelChoice
from assay.detectors.published.scores import Claim, Scored
from assay.detectors.published.trueteacher import AnsweringT5, open_t5
from tests.detectors.published import checkpoints
from tests.detectors.published.pairs import first_sentences, odd_claims, ragtruth_claims

LONG = Claim("The ferry carried passengers and a dog. " * 20, "The dog was carried.")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small T5 that answers 1 and other words."""
    return checkpoints.answering_t5(tmp_path_factory.mktemp("t5"))


def opened(folder: Path, detector: str = "trueteacher", **settings: str) -> AnsweringT5:
    return open_t5(ModelChoice(detector, str(folder), None, "response", settings), NO_OPTIONS)


@cache
def loaded(folder: Path) -> tuple[Any, Any]:
    """The tokenizer and the model, in double precision."""
    model = transformers.T5ForConditionalGeneration.from_pretrained(folder)
    return transformers.AutoTokenizer.from_pretrained(folder), model.double().eval()


def narrow(folder: Path, **settings: str) -> AnsweringT5:
    """The same in a window of 300 tokens, to save time."""
    return replace(opened(folder, **settings), window=300)


def scores(scorer: AnsweringT5, claims: list[Claim]) -> list[float]:
    """The scores of claims of which none is too long."""
    return [each.score for each in scorer.score(claims) if isinstance(each, Scored)]


def by_hand(folder: Path, text: str, most: int | None) -> float:
    """The probability of 1 among all words, one text at a time."""
    tokenizer, model = loaded(folder)
    cut: dict[str, Any] = {"truncation": True, "max_length": most} if most else {}
    ids = torch.tensor([tokenizer(text, **cut)["input_ids"]])
    with torch.no_grad():
        logits = model(input_ids=ids, decoder_input_ids=torch.tensor([[0]])).logits[0, 0].numpy()
    powers = np.exp(logits - logits.max())
    return float(powers[tokenizer("1")["input_ids"][0]] / powers.sum())


def compare(scorer: AnsweringT5, folder: Path, claims: list[Claim]) -> None:
    texts = [f"premise: {claim.source} hypothesis: {claim.text}" for claim in claims]
    expected = [by_hand(folder, text, scorer.window) for text in texts]
    np.testing.assert_allclose(scores(scorer, claims), expected, atol=1e-4)


def test_scores_of_real_texts_follow_the_formula(small: Path, shared_data: Path) -> None:
    claims = first_sentences(ragtruth_claims(shared_data, 200), 150)
    compare(opened(small, "true-nli"), small, claims)


def test_scores_of_odd_and_long_texts_follow_the_formula(small: Path) -> None:
    claims = [*odd_claims(), LONG]
    compare(opened(small, "true-nli"), small, claims)
    compare(narrow(small, cut="end"), small, claims)


def test_trueteacher_reads_2048_tokens(small: Path) -> None:
    assert opened(small).window == 2048
    assert opened(small, "true-nli").window is None


def test_a_long_source_is_cut_and_the_claim_is_read(small: Path) -> None:
    found = narrow(small).score([LONG])[0]
    assert isinstance(found, Scored)
    assert found.read is not None
    assert 0 < found.read < len(LONG.source)
    shown = f"premise: {LONG.source[: found.read]} hypothesis: {LONG.text}"
    tokenizer = opened(small).network.tokenizer
    assert 295 <= len(tokenizer(shown)["input_ids"]) <= 300
    assert found.score == pytest.approx(by_hand(small, shown, None), abs=1e-4)


def test_a_claim_that_was_cut_off_is_said_to_be(small: Path) -> None:
    found = narrow(small, cut="end").score([LONG])[0]
    assert found.note.endswith("The claim was cut off.")
    assert isinstance(found, Scored)
    assert found.read is not None
    tokenizer = opened(small).network.tokenizer
    assert len(tokenizer(f"premise: {LONG.source[: found.read]}")["input_ids"]) == 300


def test_a_claim_longer_than_the_window_is_a_failure(small: Path) -> None:
    outcomes = narrow(small).score([Claim("The dog.", LONG.source), Claim("A dog.", "A dog.")])
    assert [type(each) for each in outcomes] == [Failure, Scored]


def test_true_nli_reads_long_sources_whole(small: Path) -> None:
    found = opened(small, "true-nli").score([LONG])[0]
    assert isinstance(found, Scored)
    assert found.read is None


def test_half_precision_says_nearly_the_same(small: Path) -> None:
    claims = odd_claims()
    half = opened(small, dtype="bfloat16")
    assert half.network.model.dtype == torch.bfloat16
    assert half.version.endswith(" bfloat16")
    np.testing.assert_allclose(scores(half, claims), scores(opened(small), claims), atol=0.2)


def test_unknown_settings_are_refused(small: Path) -> None:
    with pytest.raises(UnknownNameError, match="bfloat16, float32"):
        opened(small, dtype="half")


def test_a_vocabulary_without_1_is_refused(small: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(small, tmp_path / "copy"))
    said = (folder / "tokenizer.json").read_text(encoding="utf-8")
    (folder / "tokenizer.json").write_text(said.replace('"▁1"', '"▁one"'), encoding="utf-8")
    with pytest.raises(InputError, match="its vocabulary has no such word"):
        opened(folder)


def test_another_architecture_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is of type 'roberta', not t5"):
        opened(checkpoints.roberta(tmp_path))
