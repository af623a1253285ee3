"""How well sentence segmentation agrees with two released corpora, and how fast it is.

Five libraries are run as they are and inside Assay's layout blocks (paragraphs, headings, list
items, tables, code), beside `split_sentences`. A sentence agrees if start and end are the same.

Run: python benchmarks/segmentation.py [--limit N]
"""

import argparse
import time
from collections.abc import Callable, Iterable

import blingfire
import numpy as np
import pysbd
import sentencex
import syntok.segmenter
from intervals import Rows, show
from segtok.segmenter import split_multi
from shared_data import read_json, read_lines

from assay.text.blocks import split_blocks
from assay.text.sentences import split_sentences

Range = tuple[int, int]
Splitter = Callable[[str], Iterable[Range]]


def locate(text: str, sentences: Iterable[str]) -> list[Range]:
    """Where each sentence stands, searching on from the end of the one before."""
    found: list[Range] = []
    position = 0
    for sentence in map(str.strip, sentences):
        start = text.find(sentence, position)
        if sentence and start >= 0:
            position = start + len(sentence)
            found.append((start, position))
    return found


def faithbench() -> list[tuple[str, list[Range]]]:
    """Summaries of FaithBench's candidate pool with their released sentence lists."""
    rows = read_lines("faithbench", "faithbench_sentence_level", "summary_sent_list.jsonl")
    return [
        (row["summary"], locate(row["summary"], (sentence[0] for sentence in row["sent_list"])))
        for row in rows
    ]


def storysumm() -> list[tuple[str, list[Range]]]:
    """StorySumm's summaries, given as lists of sentences, joined by spaces."""
    pairs = []
    for record in read_json("storysumm", "storysumm_repaired.json").values():
        text = " ".join(sentence.strip() for sentence in record["summary"])
        pairs.append((text, locate(text, record["summary"])))
    return pairs


def _syntok(text: str) -> list[Range]:
    sentences = [list(s) for paragraph in syntok.segmenter.analyze(text) for s in paragraph]
    return [(s[0].offset, s[-1].offset + len(s[-1].value)) for s in sentences]


def _pysbd() -> Splitter:
    segmenter = pysbd.Segmenter(language="en", clean=False)
    return lambda text: locate(text, segmenter.segment(text))


LIBRARIES: dict[str, Splitter] = {
    "sentencex": lambda text: locate(text, sentencex.segment("en", text)),
    "pysbd": _pysbd(),
    "syntok": _syntok,
    "segtok": lambda text: locate(text, split_multi(text)),
    "blingfire": lambda text: blingfire.text_to_sentences_and_offsets(text)[1],
}


def in_blocks(split: Splitter) -> Splitter:
    """A library that sees one block of the layout at a time; list markers join the first piece."""

    def run(text: str) -> Iterable[Range]:
        for block in split_blocks(text):
            start = block.start
            for begin, end in split(text[block.body : block.end]):
                yield (start if start == block.start else block.body + begin), block.body + end
                start = block.body + end

    return run


def trim(text: str, start: int, end: int) -> Range:
    """The range without white space at its ends."""
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())


def measure(name: str, split: Splitter, corpus: list[tuple[str, list[Range]]]) -> None:
    """Prints exact agreement and speed of one splitter on one corpus."""
    began = time.perf_counter()
    results = [{trim(text, *each) for each in split(text)} for text, _ in corpus]
    seconds = time.perf_counter() - began
    golds = [set(gold) for _, gold in corpus]
    counts = np.array(
        [[len(r & g), len(r), len(g), r == g] for r, g in zip(results, golds, strict=True)]
    )

    def f1(rows: Rows) -> float:
        hits, given, expected = counts[rows, :3].sum(axis=0)
        return float(2 * hits / (given + expected))

    speed = sum(len(text) for text, _ in corpus) / seconds / 1e6
    print(
        f"  {name:24} F1 {show(f1, np.arange(len(corpus)))}  "
        f"whole summaries {counts[:, 3].mean():.3f}  {speed:6.2f} M characters/s"
    )


def main() -> None:
    """Prints a table for each corpus."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--limit", type=int, help="only so many summaries of each corpus")
    limit = parser.parse_args().limit
    for title, found in (("FaithBench", faithbench()), ("StorySumm", storysumm())):
        corpus = found[:limit]
        print(f"{title}: {len(corpus):,} summaries, {sum(len(g) for _, g in corpus):,} sentences")
        measure("assay", lambda t: [(s.start, s.end) for s in split_sentences(t)], corpus)
        for name, split in LIBRARIES.items():
            measure(name, split, corpus)
            measure(f"{name} in blocks", in_blocks(split), corpus)


if __name__ == "__main__":
    main()
