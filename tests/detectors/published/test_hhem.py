"""HHEM: the same scores as the released model code, and checkpoints that do not fit."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from safetensors.torch import load_file, save_file

from assay.core.errors import InputError
from assay.detectors.local import NO_OPTIONS
from assay.detectors.published.hhem import ConsistencyEncoder, open_hhem
from assay.detectors.published.kinds import ModelChoice
from assay.detectors.published.scores import Claim
from tests.detectors.published import checkpoints
from tests.detectors.published.pairs import first_sentences, odd_claims, ragtruth_claims

RECORD = Path(__file__).with_name("reference") / "hhem.json"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small checkpoint with the released names."""
    return checkpoints.hhem(tmp_path_factory.mktemp("hhem"))


@pytest.fixture
def copy(small: Path, tmp_path: Path) -> Path:
    """A copy of it, to be damaged."""
    return Path(shutil.copytree(small, tmp_path / "copy"))


def opened(folder: Path) -> ConsistencyEncoder:
    return open_hhem(ModelChoice("hhem", str(folder), None, "response", {}), NO_OPTIONS)


def figures(encoder: ConsistencyEncoder, claims: Sequence[Claim]) -> list[float]:
    """The scores of some claims, which all have one."""
    found = [each.score for each in encoder.score(claims)]
    return [each for each in found if each is not None or pytest.fail("no score")]


def test_scores_are_those_of_the_released_code(small: Path, shared_data: Path) -> None:
    claims = first_sentences(ragtruth_claims(shared_data, 190)) + odd_claims()
    scores = figures(opened(small), claims)
    np.testing.assert_allclose(scores, json.loads(RECORD.read_text())["scores"], atol=1e-4)


def test_odd_texts_have_the_scores_of_the_released_code(small: Path) -> None:
    scores = figures(opened(small), odd_claims())
    np.testing.assert_allclose(scores, json.loads(RECORD.read_text())["scores"][190:], atol=1e-4)


def test_a_claim_does_not_depend_on_those_beside_it(small: Path) -> None:
    claims = odd_claims()
    together = figures(opened(small), claims)
    alone = [figures(opened(small), [claim])[0] for claim in claims[:3]]
    np.testing.assert_allclose(together[:3], alone, atol=1e-5)


def test_the_prompt_of_the_configuration_counts(copy: Path) -> None:
    claims = [Claim("The harbour closed.", "It opened.")]
    (plain,) = figures(opened(copy), claims)
    said = json.loads((copy / "config.json").read_text())
    (copy / "config.json").write_text(json.dumps({**said, "prompt": "{text1} | {text2}"}))
    (changed,) = figures(opened(copy), claims)
    assert abs(changed - plain) > 1e-3


def test_a_prompt_without_places_for_the_texts_is_refused(copy: Path) -> None:
    said = json.loads((copy / "config.json").read_text())
    (copy / "config.json").write_text(json.dumps({**said, "prompt": "{text2} {text1}"}))
    with pytest.raises(InputError, match=r"has not \{text1\} and then \{text2\}"):
        opened(copy)


def test_a_missing_tokenizer_says_what_to_fetch(copy: Path) -> None:
    (copy / "config.json").write_text(json.dumps({"foundation": "google/flan-t5-base"}))
    with pytest.raises(InputError, match=r"'hf download google/flan-t5-base .*spiece\.model"):
        opened(copy)


def test_a_tokenizer_beside_the_weights_is_used(copy: Path) -> None:
    score = opened(copy).score([Claim("The harbour closed.", "It opened.")])[0].score
    for file in (copy / "foundation").glob("*token*.json"):
        shutil.copy(file, copy)
    shutil.rmtree(copy / "foundation")
    assert opened(copy).score([Claim("The harbour closed.", "It opened.")])[0].score == score


@pytest.mark.parametrize(
    "name", ["t5.classifier.bias", "t5.transformer.encoder.final_layer_norm.weight"]
)
def test_a_missing_weight_is_refused(copy: Path, name: str) -> None:
    weights = load_file(copy / "model.safetensors")
    del weights[name]
    save_file(weights, copy / "model.safetensors")
    with pytest.raises(InputError, match=name.removeprefix("t5.")):
        opened(copy)


def test_another_checkpoint_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="it has no weight"):
        opened(checkpoints.t5(tmp_path))


def test_a_folder_without_weights_is_refused(copy: Path) -> None:
    (copy / "model.safetensors").unlink()
    with pytest.raises(InputError, match=r"model\.safetensors cannot be read"):
        opened(copy)
