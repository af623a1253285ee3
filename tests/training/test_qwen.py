"""The large model's base: its tokenizer, and its weights as they lie in the file."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("gguf", reason="training needs the 'train' extra: pip install 'assay[train]'")

from assay.core.errors import InputError
from assay.detectors.embedded.large.base import BORROWED
from assay.detectors.embedded.tokens import FIRST_WORD
from tests.training.large_base import WIDTH, tokens, weights, write_base
from training.qwen import QwenTokenizer, packed_weights, read_file, unpacked

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_base(tmp_path_factory.mktemp("qwen") / "base.gguf")


def test_words_are_merged_in_order(path: Path) -> None:
    tokenizer = QwenTokenizer(read_file(path).words)
    found = tokenizer.encode("in the then") - FIRST_WORD
    assert [tokens()[number] for number in found] == ["in", "Ġthe", "Ġthe", "n"]


def test_text_is_cut_where_qwen_cuts_it(path: Path) -> None:
    tokenizer = QwenTokenizer(read_file(path).words)
    # No merge may cross a cut: digits stand alone, and spaces before a word end before the last.
    text = "It'll cost 12 (the in)\n\n  the"
    found = tokenizer.encode(text)
    starts = tokenizer.starts(text, found)
    pieces = [text[a:b] for a, b in pairwise(starts)]
    assert "".join(pieces) == text
    assert pieces[-2:] == [" ", " the"]
    assert {"1", "2", "the", "in"} <= set(pieces)


def test_words_out_of_order_are_refused(tmp_path: Path) -> None:
    path = write_base(tmp_path / "base.gguf", ["i n", "t h", "th e", "Ġ the", "e r", "o n"])
    with pytest.raises(InputError, match="not in the order of its merges"):
        _ = read_file(path).words


def test_embedding_is_cut_to_the_tokens_in_use(path: Path) -> None:
    file = read_file(path)
    assert [tokens()[number] for number in file.base.borrowed] == list(BORROWED)
    numbers = file.numbers([FIRST_WORD + 7, FIRST_WORD + 260])
    assert numbers[4:] == [7, 260]
    found = unpacked(packed_weights(file, numbers), threads=2)
    assert found["token_embd.weight"].shape == (6, WIDTH)
    given = weights()
    # Eight bits in groups of 32: half a step of the largest of about 1.2 is 0.005.
    assert np.abs(found["token_embd.weight"] - given["token_embd.weight"][numbers]).max() < 0.006
    assert np.array_equal(found["blk.1.attn_k.bias"], given["blk.1.attn_k.bias"])
    assert set(given) - set(found) == {"output.weight"}
