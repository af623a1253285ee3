"""The large model's base as training reads it: its weights as they lie in the file."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("gguf", reason="training needs the 'train' extra: pip install 'assay[train]'")

from assay.detectors.embedded.tokens import FIRST_WORD
from tests.detectors.embedded.large.tiny_base import WIDTH, tokens, weights, write_base
from training.qwen import packed_weights, read_file, unpacked


def test_embedding_is_cut_to_the_tokens_in_use(tmp_path: Path) -> None:
    file = read_file(write_base(tmp_path / "base.gguf"))
    numbers = file.numbers([FIRST_WORD + 7, FIRST_WORD + 260])
    assert [tokens()[number] for number in numbers[:2]] == ["<|im_start|>", "<|repo_name|>"]
    assert numbers[4:] == [7, 260]
    found = unpacked(packed_weights(file, numbers), threads=2)
    assert found["token_embd.weight"].shape == (6, WIDTH)
    given = weights()
    # Eight bits in groups of 32: half a step of the largest of about 1.2 is 0.005.
    assert np.abs(found["token_embd.weight"] - given["token_embd.weight"][numbers]).max() < 0.006
    assert np.array_equal(found["blk.1.attn_k.bias"], given["blk.1.attn_k.bias"])
    assert set(given) - set(found) == {"output.weight"}
