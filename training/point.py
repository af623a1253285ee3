"""Step 7: choose the attention heads that point at evidence, and measure the evidence.

    python -m training.point --data DATA [--model MODEL] [--fit 300] [--count 150]

People marked the evidence of summaries in DeFacto (one passage), the supporting sentences of
claims in WiCE (any of several sets) and the source side of errors in FaithBench. Heads are chosen
on DeFacto's training part, greedily by the share of its summaries whose first passage is right.
What is printed is the share with a right passage among the first 1, 3 and 5, beside BM25's.
"""

import argparse
import json
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.core.texts import Source
from assay.detectors.embedded.detector import SHIPPED, Model
from assay.detectors.embedded.reading import SourceReader
from assay.metrics import Estimate, estimate_from_rows
from assay.text.evidence import SourceIndex
from assay.text.sentences import split_sentences
from training.ship import write_card

Head = tuple[int, int]
"""The number of a layer, and of a head in it."""

FIRST = (1, 3, 5)
LEAST_GAIN = 0.002  # for a further head to be taken
_SEED = 5


@dataclass(frozen=True)
class Marked:
    """A sentence, its source, and the places in it that people marked as evidence."""

    source: Source
    sentence: str
    places: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Looked:
    """Where each head looks: layers x heads x passages; with BM25's scores and what is right."""

    heads: NDArray[np.float32]
    lexical: NDArray[np.float32]
    right: NDArray[np.bool_]


def defacto(root: Path, part: str) -> Iterator[Marked]:
    """Summaries of DeFacto with the evidence that was quoted for them."""
    with (root / "defacto" / f"{part}.jsonl").open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            evidence = ((row["feedback"] or {}).get("evidence") or "").strip()
            place = row["article"].find(evidence)
            if evidence and place >= 0:
                spot = ((place, place + len(evidence)),)
                yield Marked(Source(row["article"]), row["candidate"], spot)


def wice(root: Path) -> Iterator[Marked]:
    """Claims of WiCE with all sentences that any set of supporting ones has."""
    for part in ("dev", "test"):
        path = root / "wice" / "entailment_retrieval" / "claim" / f"{part}.jsonl"
        for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            starts = np.cumsum([0, *(len(text) + 1 for text in row["evidence"])])
            numbers = sorted({n for chosen in row["supporting_sentences"] for n in chosen})
            places = tuple(
                (int(starts[n]), int(starts[n]) + len(row["evidence"][n])) for n in numbers
            )
            if places:
                yield Marked(Source("\n".join(row["evidence"])), row["claim"], places)


def faithbench(root: Path) -> Iterator[Marked]:
    """Sentences of FaithBench with the source spans that are linked to an error in them."""
    for path in sorted((root / "faithbench" / "data_for_release").glob("batch_*.json")):
        for sample in json.loads(path.read_text(encoding="utf-8"))["samples"]:
            for span in split_sentences(sample["summary"]):
                places = tuple(
                    (note["source_start"], note["source_end"])
                    for note in sample["annotations"]
                    if note["source_start"] is not None
                    and note["summary_start"] < span.end
                    and span.start < note["summary_end"]
                )
                if places:
                    yield Marked(Source(sample["source"]), span.text, places)


def look(model: Model, marked: Marked) -> Looked | None:
    """Where the heads look for a sentence; None if no passage that was read is right."""
    reader = SourceReader(marked.source, model.tokenizer)
    reading = next(reader.read("", [marked.sentence]))
    passages, parts = reader.passages_in(reading)
    right = np.array([any(s < p.end and p.start < e for s, e in marked.places) for p in passages])
    if not right.any():
        return None
    layers = range(len(model.network.layers))
    looks = model.network.forward(reading.row, layers).attention
    attention = np.stack([looks[layer] for layer in layers])[:, :, 0]
    sums = np.pad(attention.cumsum(axis=2), ((0, 0), (0, 0), (1, 0)))
    heads = np.stack([sums[:, :, part.stop] - sums[:, :, part.start] for part in parts], axis=2)
    index = SourceIndex(marked.source)
    scores = dict(zip(index.passages, index.scores(marked.sentence), strict=True))
    lexical = np.array([scores[passage] for passage in passages], dtype=np.float32)
    return Looked(heads.astype(np.float32), lexical, right)


def choose(looked: Sequence[Looked], most: int = 6) -> list[Head]:
    """Heads one by one, while the first passage gets better."""
    layers, heads = looked[0].heads.shape[:2]
    everywhere = [(layer, head) for layer in range(layers) for head in range(heads)]
    chosen: list[Head] = []
    best = 0.0
    while len(chosen) < most:
        left = [head for head in everywhere if head not in chosen]
        score, head = max((_first_right(looked, [*chosen, head]), head) for head in left)
        if score <= best + LEAST_GAIN:
            break
        best = score
        chosen.append(head)
    return chosen


def _first_right(looked: Sequence[Looked], heads: Sequence[Head]) -> float:
    found = [each.right[int(np.argmax(attended(each, heads)))] for each in looked]
    return float(np.mean(found))


def attended(looked: Looked, heads: Sequence[Head]) -> NDArray[np.float32]:
    """The weight of each passage, as the detector's pointer gives it."""
    total = np.zeros_like(looked.lexical)
    for layer, head in heads:
        total = total + looked.heads[layer, head]
    return total


def hits(
    right: Sequence[NDArray[np.bool_]], weights: Sequence[NDArray[np.float32]]
) -> list[Estimate]:
    """The share with a right passage among the first few."""
    orders = [np.argsort(-each, kind="stable") for each in weights]
    return [
        _share(np.array([own[o[:first]].any() for own, o in zip(right, orders, strict=True)]))
        for first in FIRST
    ]


def _share(found: NDArray[np.bool_]) -> Estimate:
    return estimate_from_rows(lambda rows: float(found[rows].mean()), len(found))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", type=Path, default=SHIPPED)
    parser.add_argument("--fit", type=int, default=300)
    parser.add_argument("--count", type=int, default=150)
    options = parser.parse_args(arguments)
    model = Model(options.model)
    rng = random.Random(_SEED)
    heads = choose(look_at_some(model, defacto(options.data, "train"), options.fit, rng))
    weighted = [[layer, head, 1.0] for layer, head in heads]
    write_card(options.model, {"evidence": {"heads": weighted}})
    print(f"heads {heads}")
    sets = {
        "DeFacto, validation": defacto(options.data, "val"),
        "WiCE": wice(options.data),
        "FaithBench": faithbench(options.data),
    }
    print("| set | n | method | " + " | ".join(f"first {n}" for n in FIRST) + " |")
    for name, marked in sets.items():
        looked = look_at_some(model, marked, options.count, rng)
        print("\n".join(table(name, looked, heads)), flush=True)


def look_at_some(
    model: Model, marked: Iterable[Marked], count: int, rng: random.Random
) -> list[Looked]:
    """Where the heads look for some sentences of a set, drawn by chance."""
    everything = list(marked)
    picked = rng.sample(everything, min(count, len(everything)))
    return [found for each in picked if (found := look(model, each)) is not None]


def _cell(found: Estimate) -> str:
    """A share with its interval, which a few sentences do not have."""
    interval = f" ({found.low:.2f} to {found.high:.2f})" if found.low is not None else ""
    return f"{found.value:.2f}{interval}"


def table(name: str, looked: Sequence[Looked], heads: Sequence[Head]) -> Iterator[str]:
    """A line of the table for each way of pointing."""
    right = [each.right for each in looked]
    methods = {
        "attention": [attended(each, heads) for each in looked],
        "BM25": [each.lexical for each in looked],
    }
    for method, weights in methods.items():
        found = hits(right, weights)
        cells = [_cell(each) for each in found]
        yield f"| {name} | {len(looked)} | {method} | " + " | ".join(cells) + " |"


if __name__ == "__main__":
    main()
