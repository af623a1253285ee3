"""What a base file says of its model, and how its tokenizer cuts text."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("gguf")

from assay.core.errors import InputError
from assay.detectors.embedded.large.base import BORROWED, BaseModel, read_base
from assay.detectors.embedded.tokens import FIRST_WORD
from tests.detectors.embedded.large.tiny_base import tokens, weights, write_base


@pytest.fixture(scope="module")
def base(base_path: Path) -> BaseModel:
    return read_base(base_path)


def test_words_are_merged_in_order(base: BaseModel) -> None:
    found = base.tokenizer.encode("in the then") - FIRST_WORD
    assert [tokens()[number] for number in found] == ["in", "Ġthe", "Ġthe", "n"]


def test_text_is_cut_where_qwen_cuts_it(base: BaseModel) -> None:
    # No merge may cross a cut: digits stand alone, and spaces before a word end before the last.
    text = "It'll cost 12 (the in)\n\n  the"
    found = base.tokenizer.encode(text)
    pieces = [text[a:b] for a, b in pairwise(base.tokenizer.starts(text, found))]
    assert "".join(pieces) == text
    assert pieces[-2:] == [" ", " the"]
    assert {"1", "2", "the", "in"} <= set(pieces)


@pytest.mark.parametrize("special", BORROWED)
def test_text_that_spells_a_token_of_no_text_is_text(base: BaseModel, special: str) -> None:
    found = base.tokenizer.encode(f"the {special} end")
    assert found.min() >= FIRST_WORD
    assert found.max() < FIRST_WORD + len(base.words)
    assert len(found) > len(special)


@pytest.mark.parametrize("repeated", [" ", "\n", "\r\n", " \n", "'", "x", "1", "-", "é", "\u3000"])
def test_hundred_thousand_repetitions_are_read(base: BaseModel, repeated: str) -> None:
    text = f"the{repeated * 100_000}the"
    assert base.tokenizer.starts(text, base.tokenizer.encode(text))[-1] == len(text)


def test_embedding_has_the_tokens_of_no_text_first(base: BaseModel) -> None:
    numbers = np.array([0, 3, FIRST_WORD, FIRST_WORD + 258], dtype=np.int32)
    places = [tokens().index(BORROWED[0]), tokens().index(BORROWED[3]), 0, 258]
    # Eight bits in groups of 32: half a step of the largest of about 1.2 is 0.005.
    expected = weights()["token_embd.weight"][places]
    assert np.abs(base.embedding.rows(numbers) - expected).max() < 0.006


def test_words_out_of_order_are_refused(tmp_path: Path) -> None:
    path = write_base(tmp_path / "base.gguf", ["i n", "t h", "th e", "Ġ the", "e r", "o n"])
    with pytest.raises(InputError, match=r"base\.gguf cannot be used: .* order of its merges"):
        _ = read_base(path).words


def test_value_or_tensor_that_is_not_there_is_named(base: BaseModel) -> None:
    with pytest.raises(InputError, match=r"cannot be used: it has no qwen2\.none"):
        base.size("none")
    with pytest.raises(InputError, match=r"it has no tensor output_norm\.weight of 1 x 3"):
        base.tensor("output_norm.weight", 1, 3)


def test_base_of_another_family_is_refused(tmp_path: Path) -> None:
    from gguf import GGUFWriter

    writer = GGUFWriter(tmp_path / "other.gguf", "llama")
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    with pytest.raises(InputError, match="it is of the family llama, not qwen2"):
        read_base(tmp_path / "other.gguf")
