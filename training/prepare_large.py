"""Step 1 for the large model: the same items as `training.prepare`, in the tokens of its base.

    python -m training.prepare_large --base QWEN.gguf --data DATA --out prepared-large
        [--window 4000]

Writes `base.npz` (the base's weights as packed in its file, with the embedding of the tokens in
use only), `shape.json`, `train.npz` with the folds of its rows in `train-folds.npz`,
`development.npz` with its gold in `development.jsonl`, and the same two in `folds/` for all of
RAGTruth's sources and in `looks/` for some examples in several looks. The same seed gives the
same files.
"""

import argparse
import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.detectors.embedded.reading import SOURCE_TOKENS
from assay.detectors.embedded.tokens import FIRST_WORD
from training import corpora
from training.arrays import save_arrays
from training.folds import Folds
from training.items import Item
from training.measured import Measured, measured, measured_examples, write_gold
from training.measured_looks import in_looks
from training.prepare import (
    SEED,
    TrainingRow,
    development_rows,
    in_other_looks,
    save_rows,
    training_items,
    training_rows,
)
from training.qwen import QwenFile, QwenTokenizer, packed_weights, read_file
from training.splits import is_development

MOST_TOKENS = 2**16  # that rows can tell apart


@dataclass(frozen=True)
class Texts:
    """What is trained and measured on; `crossed` are the examples of all four folds."""

    items: list[Item]
    examples: list[Measured]
    crossed: list[Measured]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--window", type=int, default=SOURCE_TOKENS, help="source tokens read")
    options = parser.parse_args(arguments)
    prepare(read_file(options.base), read_texts(options.data), options.out, options.window)


def read_texts(root: Path) -> Texts:
    """Everything; RAGTruth's development sources are trained on where another fold is measured."""
    annotated = corpora.corpus("ragtruth", root)
    items = list(training_items(root, random.Random(SEED)))
    kept = list(corpora.ragtruth(each for each in annotated if is_development(each.example)))
    items += [*kept, *in_other_looks(kept)]
    crossed = [
        measured(f"ragtruth-{each.example.task}", each, by_sentence=True) for each in annotated
    ]
    return Texts(items, list(measured_examples(root)), crossed)


def prepare(file: QwenFile, texts: Texts, out: Path, window: int = SOURCE_TOKENS) -> None:
    """Writes everything that training reads."""
    for name in ("folds", "looks"):
        (out / name).mkdir(parents=True, exist_ok=True)
    looked = list(in_looks(e for e in texts.examples if e.group.startswith(("ragtruth", "suite"))))
    tokenizer = QwenTokenizer(file.words)
    folds = Folds()
    for example in texts.crossed:
        folds.add(example.cluster, example.source.text)
    rows: list[TrainingRow] = []
    masks: list[int] = []
    for item in texts.items:
        own = list(training_rows([item], tokenizer, window))
        rows += own
        masks += [folds.mask(item.origin or item.source)] * len(own)
    sets = {
        out: list(development_rows(texts.examples, tokenizer, window)),
        out / "folds": list(development_rows(texts.crossed, tokenizer, window)),
        out / "looks": list(development_rows(looked, tokenizer, window)),
    }
    used = tokens_in_use([rows, *sets.values()])
    save_rows(renumbered(rows, used), out / "train.npz")
    save_arrays(out / "train-folds.npz", {"mask": np.array(masks, dtype=np.uint8)})
    golds = (texts.examples, texts.crossed, looked)
    for (folder, own), examples in zip(sets.items(), golds, strict=True):
        save_rows(renumbered(own, used), folder / "development.npz")
        write_gold(examples, folder / "development.jsonl")
    save_arrays(out / "base.npz", packed_weights(file, file.numbers(used.tolist())))
    (out / "shape.json").write_text(json.dumps(file.shape), encoding="utf-8")
    print(f"{len(used):,} of {len(file.words):,} tokens are in use")


def tokens_in_use(sets: Iterable[Sequence[TrainingRow]]) -> NDArray[np.int32]:
    """The words that occur in the rows, in order."""
    parts = [np.unique(np.concatenate([row.tokens for row in rows])) for rows in sets]
    found = np.unique(np.concatenate(parts))
    words = found[found >= FIRST_WORD]
    if len(words) + FIRST_WORD > MOST_TOKENS:
        raise ValueError(f"{len(words)} tokens are in use; rows can hold {MOST_TOKENS}")
    return words


def renumbered(rows: Iterable[TrainingRow], used: NDArray[np.int32]) -> Iterable[TrainingRow]:
    """The rows in the numbers of the words in use."""
    table = np.zeros(int(used.max()) + 1, dtype=np.int32)
    table[:FIRST_WORD] = np.arange(FIRST_WORD)
    table[used] = FIRST_WORD + np.arange(len(used))
    return [replace(row, tokens=table[row.tokens]) for row in rows]


if __name__ == "__main__":
    main()
