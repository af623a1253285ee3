"""Prepared rows, and batches of them that all have the same number of tokens."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from training.arrays import load_arrays

Ints = NDArray[np.int64]
RESPONSE = 2  # the token before the first sentence, as in assay's `tokens.py`
# All of these divide the tokens of a batch, so that one compiled form serves every batch.
LENGTHS = (
    *(64, 80, 96, 112, 128, 160, 168, 192, 224, 240, 280, 320, 336, 384, 448, 480, 560),
    *(640, 672, 840, 896, 960, 1_120, 1_344, 1_680, 1_920),
    *(2_240, 2_688, 3_360, 4_480, 6_720),
)


class Batch(NamedTuple):
    """Padded tokens, flat places of marks and words, each word's mark, and the numbers of both."""

    tokens: Ints
    places: Ints
    words: Ints
    owners: Ints
    numbers: Ints
    word_numbers: Ints

    def inputs(self, device: torch.device) -> tuple[Tensor, ...]:
        """What the network takes."""
        return tuple(torch.from_numpy(part).to(device) for part in self[:4])

    def lines(self, device: torch.device) -> Tensor:
        """The line of the batch that each mark stands in."""
        return torch.from_numpy(self.places // self.tokens.shape[1]).to(device)


class Rows:
    """The rows of a file of `training.prepare`."""

    def __init__(self, path: Path, lengths: Sequence[int] = LENGTHS) -> None:
        self.lengths = lengths
        self.arrays = load_arrays(path)
        self.ends = self.arrays["token_ends"]
        self.starts = np.concatenate(([0], self.ends[:-1]))
        self.mark_ends = self.arrays["mark_ends"]
        self.mark_starts = np.concatenate(([0], self.mark_ends[:-1]))
        self.bucket = np.searchsorted(lengths, self.ends - self.starts)
        # Where in its row each response begins, and where its words end among those of all rows.
        begins = np.flatnonzero(self.arrays["tokens"] == RESPONSE)
        self.begins = begins - self.starts + 1
        last_marks = self.arrays["marks"][self.mark_ends - 1]
        self.word_ends = np.cumsum(last_marks + 1 - self.begins)
        self.word_starts = np.concatenate(([0], self.word_ends[:-1]))
        self.groups = [str(name) for name in self.arrays["groups"]]

    def __len__(self) -> int:
        return len(self.ends)

    def wanted(self, mix: dict[str, float]) -> NDArray[np.float64]:
        """How often each row is met in one pass: the weight of its group, or of its family."""
        weights = np.array(
            [mix.get(name, mix.get(name.split("-")[0], 1.0)) for name in self.groups]
        )
        return weights[self.arrays["group"]]

    def chosen(self, wanted: NDArray[np.float64], rng: np.random.Generator) -> Ints:
        """One pass: each row as often as is wanted, by chance for the rest."""
        times = np.floor(wanted).astype(int) + (rng.random(len(self)) < wanted % 1)
        return np.repeat(np.arange(len(self)), times)

    def batches(self, rows: Ints, tokens: int, rng: np.random.Generator | None) -> Iterator[Ints]:
        """Rows of like length, at most `tokens` at once; in random order where there is an rng."""
        found = []
        for number, length in enumerate(self.lengths):
            same = rows[self.bucket[rows] == number]
            if rng is not None:
                rng.shuffle(same)
            size = max(tokens // length, 1)
            found += [same[start : start + size] for start in range(0, len(same), size)]
        if rng is not None:
            rng.shuffle(found)
        yield from found

    def passes(
        self, wanted: NDArray[np.float64], tokens: int, rng: np.random.Generator
    ) -> Iterator[Ints]:
        """The batches of one pass after another, without end."""
        while True:
            yield from self.batches(self.chosen(wanted, rng), tokens, rng)

    def batch(self, rows: Ints, tokens: int) -> Batch:
        """Some rows of one length, filled up with padding."""
        length = self.lengths[self.bucket[rows[0]]]
        padded = np.zeros((max(tokens // length, 1), length), dtype=np.int64)
        places: list[int] = []
        numbers: list[int] = []
        words: list[NDArray[Any]] = []
        owners: list[NDArray[Any]] = []
        word_numbers: list[NDArray[Any]] = []
        for line, row in enumerate(rows):
            start, end = self.starts[row], self.ends[row]
            padded[line, : end - start] = self.arrays["tokens"][start:end]
            marks = self.arrays["marks"][self.mark_starts[row] : self.mark_ends[row]]
            begin = int(self.begins[row])
            words.append(np.arange(begin, marks[-1] + 1) + line * length)
            word_numbers.append(np.arange(self.word_starts[row], self.word_ends[row]))
            sentence_lengths = np.diff(marks, prepend=begin - 1)
            owners.append(np.repeat(len(numbers) + np.arange(len(marks)), sentence_lengths))
            places += [*(marks + line * length)]
            numbers += range(self.mark_starts[row], self.mark_ends[row])
        joined = np.concatenate(words), np.concatenate(owners)
        return Batch(
            padded, np.array(places), *joined, np.array(numbers), np.concatenate(word_numbers)
        )
