"""How often the passages found for a sentence are those that people linked to it.

FaithBench: source spans that annotators linked to a span of the summary; a hit is a passage that
overlaps one. WiCE: sentences that support a claim; a hit is a passage that overlaps one.

Run: python benchmarks/evidence.py [--limit N]
"""

import argparse

import numpy as np
from intervals import Array, show
from numpy.typing import NDArray
from shared_data import read_json, read_lines, shared_data

from assay.core.texts import Source
from assay.text import evidence
from assay.text.sentences import split_sentences

Case = tuple[str, str, list[tuple[int, int]]]
DEPTHS = (1, 3, 5)


def faithbench() -> list[Case]:
    """Source, summary sentence and linked source ranges."""
    cases: list[Case] = []
    for path in sorted(shared_data("faithbench", "data_for_release").glob("*.json")):
        for sample in read_json("faithbench", "data_for_release", path.name)["samples"]:
            sentences = split_sentences(sample["summary"])
            for note in sample["annotations"]:
                if note.get("source_span") and note["summary_span"]:
                    begin = note["summary_start"]
                    found = [s.text for s in sentences if s.start <= begin < s.end]
                    linked = [(note["source_start"], note["source_end"])]
                    cases += [(sample["source"], text, linked) for text in found]
    return cases


def wice() -> list[Case]:
    """Source, claim and supporting sentences."""
    cases: list[Case] = []
    for part in ("dev.jsonl", "test.jsonl"):
        for row in read_lines("wice", "entailment_retrieval", "claim", part):
            ends = np.cumsum([len(sentence) + 1 for sentence in row["evidence"]])
            ranges = [
                (int(end) - 1 - len(sentence), int(end) - 1)
                for end, sentence in zip(ends, row["evidence"], strict=True)
            ]
            linked = [ranges[i] for group in row["supporting_sentences"] for i in group]
            if linked:
                cases.append(("\n".join(row["evidence"]), row["claim"], linked))
    return cases


def hits(cases: list[Case], weight: float) -> Array:
    """A row per case: whether the best 1, 3 and 5 passages hold a linked range."""
    evidence.MENTION_WEIGHT = weight
    indexes: dict[str, evidence.SourceIndex] = {}
    rows = []
    for source, sentence, linked in cases:
        index = indexes.setdefault(source, evidence.SourceIndex(Source(source)))
        found = [
            any(r.passage.start < end and start < r.passage.end for start, end in linked)
            for r in index.rank(sentence, max(DEPTHS))
        ]
        rows.append([any(found[:depth]) for depth in DEPTHS])
    return np.array(rows, dtype=float)


def _share(hit: Array, groups: NDArray[np.intp]) -> str:
    return show(lambda rows: float(hit[rows].mean()), groups)


def main() -> None:
    """Prints hit rates with intervals, with and without the weight of exact mentions."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--limit", type=int, help="only so many sentences of each corpus")
    limit = parser.parse_args().limit
    for title, found in (("FaithBench links", faithbench()), ("WiCE supporting", wice())):
        cases = found[:limit]
        names = {source: number for number, source in enumerate({case[0]: 0 for case in cases})}
        groups = np.array([names[case[0]] for case in cases])
        print(f"{title}: {len(cases):,} sentences, {len(names):,} sources (intervals by source)")
        for label, weight in (("BM25 alone", 0.0), ("BM25 + exact mentions", 0.5)):
            table = hits(cases, weight)
            cells = [
                f"hit@{depth} {_share(table[:, column], groups)}"
                for column, depth in enumerate(DEPTHS)
            ]
            print(f"  {label:22} {'  '.join(cells)}")


if __name__ == "__main__":
    main()
