"""What a large network says of sentences, kept under keys that any tokenizer's rows can find.

A key is a hash of all that the network has read when it judges a sentence: source, question, and
the response as far as it goes. So a smaller network can take the labels whatever its tokens,
windows and rows are, and a label is never taken for another item's.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from training.arrays import Arrays, load_arrays, rows_of_marks, save_arrays
from training.items import Item
from training.rows import Rows

Keys = NDArray[np.uint64]
CLASSES = 3


def sentence_keys(item: Item) -> list[int]:
    """The key of each sentence of an item.

    >>> from training.items import Sentence
    >>> short = Item("", "A cat sat.", (Sentence("It sat.", 0),))
    >>> longer = Item("", "A cat sat.", (Sentence("It sat.", 0), Sentence("It sat.", 0)))
    >>> sentence_keys(short) == sentence_keys(longer)[:1]
    True
    >>> len(set(sentence_keys(longer)))
    2
    """
    read = sha256(f"{item.source}\0{item.question}".encode())
    keys = []
    for sentence in item.sentences:
        read.update(f"\0{sentence.text}".encode())
        keys.append(int.from_bytes(read.digest()[:8], "little"))
    return keys


def mark_keys(items: Sequence[Item], examples: Sequence[int], places: Iterable[int]) -> Keys:
    """The keys of marks, given the item and the sentence that each one stands behind."""
    own = {number: sentence_keys(items[number]) for number in set(examples)}
    return np.array(
        [own[number][place] for number, place in zip(examples, places, strict=True)],
        dtype=np.uint64,
    )


def save_labels(
    path: Path,
    rows: Rows,
    keys: Keys,
    numbers: NDArray[np.int64],
    logits: NDArray[np.float32],
    *,
    unseen: int = 0,
) -> int:
    """Writes what was said of the sentences of some rows; says how many there are.

    Of a sentence in several pieces the one counts that is least entailed. `unseen` has a bit for
    each fold whose sources the teacher has not met. The file is there only when it is complete.
    """
    marks = np.flatnonzero(np.isin(rows_of_marks(rows.mark_ends), numbers))
    margin = logits[marks, 0] - np.logaddexp(logits[marks, 1], logits[marks, 2])
    marks = marks[np.argsort(margin, kind="stable")]
    found, first = np.unique(keys[marks], return_index=True)
    said: Arrays = {
        "keys": found,
        "logits": logits[marks[first]].astype(np.float16),
        "unseen": np.array([unseen], dtype=np.uint8),
    }
    partial = path.with_name(f"partial-{path.name}")
    save_arrays(partial, said)
    partial.replace(path)
    return len(found)


def teachers_of(paths: Sequence[Path], fold: int | None) -> list[Path]:
    """The files of teachers that have not met the sources of a fold; all where none is kept apart.

    So a student that is measured on a fold is taught by nobody who knows its labels.
    """
    if fold is None or fold < 0:
        return list(paths)
    found = [path for path in paths if int(load_arrays(path)["unseen"][0]) >> fold & 1]
    if not found:
        raise ValueError(f"every teacher has met the sources of fold {fold}: label with its own")
    return found


class SoftLabels:
    """The labels of several files; a sentence that several have gets their mean.

    So adapters that label the same rows are an ensemble: each one's chances count alike.
    """

    def __init__(self, paths: Iterable[Path], softness: float = 1.0) -> None:
        """Logits are divided by `softness`."""
        parts = [load_arrays(path) for path in paths]
        self._keys, place = np.unique(
            np.concatenate([part["keys"] for part in parts]), return_inverse=True
        )
        logits = np.concatenate([part["logits"] for part in parts]).astype(np.float64) / softness
        logits -= np.logaddexp.reduce(logits, axis=1, keepdims=True)
        total = np.zeros((len(self._keys), CLASSES))
        np.add.at(total, place, np.exp(logits))
        self._chances = total / total.sum(axis=1, keepdims=True)

    def __len__(self) -> int:
        return len(self._keys)

    def of(self, keys: Keys) -> NDArray[np.float32]:
        """The chances of the three classes, NaN where nothing was said."""
        place = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        known = self._keys[place] == keys
        return np.where(known[:, None], self._chances[place], np.nan).astype(np.float32)
