"""Sentences whose evidence people marked, as rows: for the heads of a network on a GPU to look at.

`training.point` says which sentences these are and how heads are chosen among those that look.
"""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.detectors.embedded.reading import SourceReader
from assay.detectors.embedded.tokens import Tokenizer, TokenRow
from assay.text.evidence import SourceIndex
from training.arrays import Arrays, load_arrays, save_arrays
from training.point import Looked, Marked, defacto, faithbench, wice

FIT = "DeFacto, training"
FITTED, MEASURED = 300, 150  # sentences that heads are chosen by, and that each set is measured on
SEED = 5


@dataclass(frozen=True)
class MarkedRow:
    """A row, the tokens of each passage within its source, BM25's scores, and which are right."""

    group: str
    row: TokenRow
    parts: list[slice]
    lexical: NDArray[np.float32]
    right: NDArray[np.bool_]


def marked_sets(root: Path) -> dict[str, list[Marked]]:
    """Some sentences of each set, drawn by chance."""
    rng = random.Random(SEED)
    sets: Mapping[str, Iterable[Marked]] = {
        FIT: defacto(root, "train"),
        "DeFacto, validation": defacto(root, "val"),
        "WiCE": wice(root),
        "FaithBench": faithbench(root),
    }
    drawn = {}
    for name, marked in sets.items():
        every = list(marked)
        drawn[name] = rng.sample(every, min(FITTED if name == FIT else MEASURED, len(every)))
    return drawn


def marked_rows(
    sets: Mapping[str, Sequence[Marked]], tokenizer: Tokenizer, window: int
) -> list[MarkedRow]:
    """The rows of the sentences of which a passage that was read is right."""
    found = []
    for name, marked in sets.items():
        for each in marked:
            reader = SourceReader(each.source, tokenizer, window=window)
            reading = next(reader.read("", [each.sentence]))
            passages, parts = reader.passages_in(reading)
            right = np.array(
                [any(s < p.end and p.start < e for s, e in each.places) for p in passages]
            )
            if right.any():
                index = SourceIndex(each.source)
                scores = dict(zip(index.passages, index.scores(each.sentence), strict=True))
                lexical = np.array([scores[passage] for passage in passages], dtype=np.float32)
                found.append(MarkedRow(name, reading.row, parts, lexical, right))
    return found


def save_marked(rows: Sequence[MarkedRow], path: Path) -> None:
    """Rows end to end; `*_ends` say where each ends."""
    arrays: Arrays = {
        "groups": np.array([row.group for row in rows]),
        "tokens": np.concatenate([row.row.tokens for row in rows]).astype(np.uint16),
        "token_ends": np.cumsum([len(row.row.tokens) for row in rows]),
        "sources": np.array([[row.row.source.start, row.row.source.stop] for row in rows]),
        "marks": np.array([row.row.marks[0] for row in rows]),
        "parts": np.array([[part.start, part.stop] for row in rows for part in row.parts]),
        "part_ends": np.cumsum([len(row.parts) for row in rows]),
        "lexical": np.concatenate([row.lexical for row in rows]),
        "right": np.concatenate([row.right for row in rows]),
    }
    save_arrays(path, arrays, compressed=True)


def read_marked(path: Path) -> list[MarkedRow]:
    """What `save_marked` wrote."""
    arrays = load_arrays(path)
    found = []
    token, part = 0, 0
    for number, group in enumerate(arrays["groups"]):
        token_end, part_end = int(arrays["token_ends"][number]), int(arrays["part_ends"][number])
        row = TokenRow(
            arrays["tokens"][token:token_end].astype(np.int32),
            slice(*map(int, arrays["sources"][number])),
            arrays["marks"][number : number + 1].astype(np.intp),
        )
        parts = [slice(int(a), int(b)) for a, b in arrays["parts"][part:part_end]]
        lexical, right = arrays["lexical"][part:part_end], arrays["right"][part:part_end]
        found.append(MarkedRow(str(group), row, parts, lexical, right))
        token, part = token_end, part_end
    return found


def looked_at(row: MarkedRow, attention: NDArray[np.float32]) -> Looked:
    """How much each head looks at each passage, from layers x heads x source tokens."""
    sums = np.pad(attention.cumsum(axis=2), ((0, 0), (0, 0), (1, 0)))
    heads = np.stack([sums[:, :, part.stop] - sums[:, :, part.start] for part in row.parts], axis=2)
    return Looked(heads.astype(np.float32), row.lexical, row.right)
