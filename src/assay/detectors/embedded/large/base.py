"""The public base of the large model, read from its GGUF file: shape, vocabulary, embedding.

It is of the Qwen2 family. Its tokens are numbered as the small model's: first those that stand for
no text, then the words in their own order.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from assay.core.errors import InputError
from assay.detectors.embedded.large.gguf import REMEDY, GGUFFile, Tensor, read_gguf
from assay.detectors.embedded.layers import Shape
from assay.detectors.embedded.packing import Matrix
from assay.detectors.embedded.tokens import Tokenizer, Tokens

FAMILY = "qwen2"
# What stands for start, source, response and mark (see `tokens.py`).
BORROWED = ("<|im_start|>", "<|repo_name|>", "<|file_sep|>", "<|im_end|>")
BYTES = 256  # the first words are the single bytes; the merges follow in order
PIECES = "|".join(
    (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)",
        r"[^\r\n\p{L}\p{N}]?\p{L}+",
        r"\p{N}",
        r" ?[^\s\p{L}\p{N}]+[\r\n]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    )
)


@dataclass(frozen=True, slots=True)
class BaseEmbedding:
    """The embedding as it is packed; `places` has the row of each token."""

    tensor: Tensor
    places: Tokens

    def rows(self, numbers: Tokens) -> Matrix:
        """The vectors of some tokens."""
        return self.tensor.take(self.places[numbers]).unpack()


@dataclass(frozen=True)
class BaseModel:
    """The facts about a model in its file."""

    file: GGUFFile

    def value(self, name: str) -> Any:
        """A value that the file must have."""
        try:
            return self.file.values[name]
        except KeyError:
            raise self.unfit(f"it has no {name}") from None

    def tensor(self, name: str, rows: int, columns: int) -> Tensor:
        """A tensor that the file must have, of this shape."""
        found = self.file.tensors.get(name)
        if found is None or found.shape != (rows, columns):
            raise self.unfit(f"it has no tensor {name} of {rows} x {columns}")
        return found

    def unfit(self, why: str) -> InputError:
        """The error for a file that is not what it should be."""
        return InputError(f"the base model {self.file.path} cannot be used: {why}; {REMEDY}")

    def size(self, name: str) -> int:
        """A number of the model's that is above zero."""
        found = self.value(f"{FAMILY}.{name}")
        if not isinstance(found, int) or found < 1:
            raise self.unfit(f"its {name} is {found!r}")
        return found

    @property
    def layers(self) -> int:
        """The number of layers."""
        return self.size("block_count")

    @property
    def width(self) -> int:
        """The width of a token's vector."""
        return self.size("embedding_length")

    @property
    def inner(self) -> int:
        """The inner width of a layer's feed-forward part."""
        return self.size("feed_forward_length")

    @cached_property
    def shape(self) -> Shape:
        """Its heads, and what its norms and rotary positions need."""
        heads, keys = self.size("attention.head_count"), self.size("attention.head_count_kv")
        head = self.width // heads
        if heads % keys or head * heads != self.width or head % 2:
            raise self.unfit(f"it has {heads} heads and {keys} key heads in {self.width}")
        turns = float(self.value(f"{FAMILY}.rope.freq_base"))
        epsilon = float(self.value(f"{FAMILY}.attention.layer_norm_rms_epsilon"))
        return Shape(heads, keys, head, turns, epsilon)

    @cached_property
    def words(self) -> list[bytes]:
        """The vocabulary in the order of the merges."""
        tokens: list[str] = self.value("tokenizer.ggml.tokens")
        joined = [merge.replace(" ", "", 1) for merge in self.value("tokenizer.ggml.merges")]
        kept = tokens[: BYTES + len(joined)]
        if kept[BYTES:] != joined:
            raise self.unfit("its words are not in the order of its merges")
        letters = byte_letters()
        try:
            return [bytes(letters[letter] for letter in word) for word in kept]
        except KeyError as error:
            raise self.unfit(f"a word of it has the letter {error}") from None

    @cached_property
    def borrowed(self) -> tuple[int, ...]:
        """The numbers of the tokens that stand for no text."""
        try:
            tokens: Sequence[str] = self.value("tokenizer.ggml.tokens")
            return tuple(tokens.index(name, len(self.words)) for name in BORROWED)
        except ValueError:
            raise self.unfit("it lacks a token that stands for no text") from None

    @property
    def tokenizer(self) -> Tokenizer:
        """Cuts text into its tokens; text that spells a token of no text stays text.

        The base also composes accents (NFC) before it reads; we do not, so that each token covers
        characters of the text that was given.
        """
        return Tokenizer(self.words, PIECES)

    @property
    def embedding(self) -> BaseEmbedding:
        """The vector of each token before the first layer."""
        tokens = len(self.value("tokenizer.ggml.tokens"))
        places = [*self.borrowed, *range(len(self.words))]
        tensor = self.tensor("token_embd.weight", tokens, self.width)
        return BaseEmbedding(tensor, np.array(places, dtype=np.int32))


def read_base(path: Path) -> BaseModel:
    """The base model of a file."""
    base = BaseModel(read_gguf(path))
    if (family := base.value("general.architecture")) != FAMILY:
        raise base.unfit(f"it is of the family {family}, not {FAMILY}")
    return base


def byte_letters() -> dict[str, int]:
    """The printable letter that byte-level vocabularies write for each byte."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    return {chr(byte): byte for byte in plain} | {
        chr(256 + number): byte for number, byte in enumerate(others)
    }
