"""Step 1 for the large model: the same items as `training.prepare`, in the tokens of its base.

    python -m training.prepare_large --base QWEN.gguf --data DATA --out prepared-large
        [--window 4000]

Writes `base.npz` (the base's weights as packed in its file, with the embedding of the tokens in
use only), `shape.json`, `train.npz` and `unlabelled.npz` with the folds of their rows and the keys
of their marks in `train-folds.npz` and `unlabelled-folds.npz`, `development.npz` with its gold in
`development.jsonl`, and the same two in `folds/` for all of RAGTruth's sources, in `looks/` for
some examples in several looks, in `everyday/` for what thresholds are set by, and in `withstand/`
and `variants/` for the suite of that name. `pointing.npz` has sentences with marked evidence. The
same seed gives the same files.
"""

import argparse
import json
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.datasets.overlaps import h80
from assay.detectors.embedded.reading import SOURCE_TOKENS
from assay.detectors.embedded.tokens import FIRST_WORD
from training import corpora
from training.arrays import Arrays, save_arrays
from training.everyday import everyday
from training.folds import Folds, fold_of
from training.items import Item
from training.measured import Measured, measured, measured_examples, write_gold
from training.measured_looks import in_looks
from training.point import Marked
from training.pointing import marked_rows, marked_sets, save_marked
from training.prepare import (
    SEED,
    TrainingRow,
    development_rows,
    in_other_looks,
    row_keys,
    save_rows,
    training_items,
    training_rows,
)
from training.qwen import QwenFile, packed_weights, read_file
from training.splits import is_development
from training.tables import measured_tables
from training.unlabelled import mixed
from training.withstand.reading import withstand
from training.withstand.variants import pairs

MIXED = 24  # unlabelled responses for each source of RAGTruth
JUDGED = ("summedits", "diasumfact", "faceval")  # dealt out to the folds as RAGTruth is
MOST_TOKENS = 2**16  # that rows can tell apart


@dataclass(frozen=True)
class Texts:
    """What is trained and measured on; `crossed` are the examples of all four folds.

    `unlabelled` items are only labelled; `changed` are the examples of `withstood` in other looks;
    `everyday` ones set thresholds. Of the sentences in `marked` people named the evidence.
    """

    items: list[Item]
    examples: list[Measured]
    crossed: list[Measured]
    unlabelled: list[Item]
    withstood: list[Measured]
    changed: list[Measured]
    everyday: list[Measured]
    marked: dict[str, list[Marked]] = field(default_factory=dict)


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
    annotated = corpora.labelled_ragtruth(root)
    items = list(training_items(root, random.Random(SEED)))
    kept = list(corpora.ragtruth(each for each in annotated if is_development(each.example)))
    items += [*kept, *in_other_looks(kept)]
    crossed = [
        measured(f"ragtruth-{each.example.task}", each, by_sentence=True) for each in annotated
    ]
    return Texts(
        items,
        [*measured_examples(root), *measured_tables(root, SEED)],
        crossed,
        list(mixed(items, MIXED, SEED)),
        list(withstand()),
        list(changed_looks()),
        list(everyday()),
        marked_sets(root),
    )


def changed_looks() -> Iterator[Measured]:
    """The suite of what must be withstood in all its variants; `look|group` is the group."""
    for pair in pairs():
        yield replace(pair.changed, group=f"{pair.variant}|{pair.plain.group}")


def prepare(file: QwenFile, texts: Texts, out: Path, window: int = SOURCE_TOKENS) -> None:
    """Writes everything that training reads."""
    for name in ("folds", "looks", "withstand", "variants", "everyday"):
        (out / name).mkdir(parents=True, exist_ok=True)
    looked = list(in_looks(e for e in texts.examples if e.group.startswith(("ragtruth", "suite"))))
    tokenizer = file.base.tokenizer
    folds = dealt_out(texts)
    taught = {"train": texts.items, "unlabelled": texts.unlabelled}
    rows = {name: list(training_rows(own, tokenizer, window)) for name, own in taught.items()}
    golds = {
        out: texts.examples,
        out / "folds": texts.crossed,
        out / "looks": looked,
        out / "withstand": texts.withstood,
        out / "variants": texts.changed,
        out / "everyday": texts.everyday,
    }
    sets = {folder: list(development_rows(own, tokenizer, window)) for folder, own in golds.items()}
    pointing = marked_rows(texts.marked, tokenizer, window)
    used = tokens_in_use([*rows.values(), *sets.values()], [row.row.tokens for row in pointing])
    for name, items in taught.items():
        save_rows(renumbered(rows[name], used), out / f"{name}.npz")
        save_folds(rows[name], items, folds, out / f"{name}-folds.npz")
    for folder, examples in golds.items():
        save_rows(renumbered(sets[folder], used), folder / "development.npz")
        write_gold(examples, folder / "development.jsonl")
    table = numbers_of(used)
    for row in pointing:
        row.row.tokens[:] = table[row.row.tokens]
    if pointing:
        save_marked(pointing, out / "pointing.npz")
    own_folds = [1 << fold_of(texts.crossed[row.example].cluster) for row in sets[out / "folds"]]
    save_arrays(out / "folds" / "masks.npz", {"mask": np.array(own_folds, dtype=np.uint8)})
    save_arrays(out / "base.npz", packed_weights(file, file.numbers(used.tolist())))
    (out / "shape.json").write_text(json.dumps(file.shape), encoding="utf-8")
    print(f"{len(used):,} of {len(file.words):,} tokens are in use")


def dealt_out(texts: Texts) -> Folds:
    """The folds of RAGTruth's sources and of those of the judged groups."""
    folds = Folds()
    for example in texts.crossed:
        folds.add(example.cluster, example.source.text, labelled=True)
    for source in dict.fromkeys(i.source for i in texts.items if i.group.split("-")[0] in JUDGED):
        if not folds.mask(source) and (name := h80(source)):
            folds.add(name, source)
    return folds


def save_folds(
    rows: Sequence[TrainingRow], items: Sequence[Item], folds: Folds, path: Path
) -> None:
    """The folds in which each row is kept apart, its lot, and the key of each of its marks."""
    origins = [item.origin or item.source for item in items]
    masks = np.array([folds.mask(text) for text in origins], dtype=np.uint8)
    lots = np.array([folds.lot(text) for text in origins], dtype=np.uint8)
    numbers = [row.example for row in rows]
    arrays: Arrays = {
        "mask": masks[numbers],
        "lot": lots[numbers],
        "keys": row_keys(rows, items),
    }
    save_arrays(path, arrays)


def tokens_in_use(
    sets: Iterable[Sequence[TrainingRow]], others: Sequence[NDArray[np.int32]] = ()
) -> NDArray[np.int32]:
    """The words that occur in the rows, in order."""
    parts = [np.unique(np.concatenate([row.tokens for row in rows])) for rows in sets if rows]
    parts += [np.unique(tokens) for tokens in others]
    found = np.unique(np.concatenate(parts))
    words = found[found >= FIRST_WORD]
    if len(words) + FIRST_WORD > MOST_TOKENS:
        raise ValueError(f"{len(words)} tokens are in use; rows can hold {MOST_TOKENS}")
    return words


def renumbered(rows: Iterable[TrainingRow], used: NDArray[np.int32]) -> Iterable[TrainingRow]:
    """The rows in the numbers of the words in use."""
    table = numbers_of(used)
    return [replace(row, tokens=table[row.tokens]) for row in rows]


def numbers_of(used: NDArray[np.int32]) -> NDArray[np.int32]:
    """The number of each word among those in use."""
    table = np.zeros(int(used.max()) + 1, dtype=np.int32)
    table[:FIRST_WORD] = np.arange(FIRST_WORD)
    table[used] = FIRST_WORD + np.arange(len(used))
    return table


if __name__ == "__main__":
    main()
