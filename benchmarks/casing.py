"""What capitals do to the embedded model: copied sentences, and FaithBench's sources in lower case.

python benchmarks/casing.py copied faithbench

`copied` takes a sentence out of each RAGTruth source and judges it by the source in lower case.
`faithbench` gives the AUROC of sentences on sources that have no capitals. Both are measured with
the capitals of the response and without; the released data must be there (ASSAY_DATA).
"""

import argparse
import asyncio
from collections import Counter
from collections.abc import Iterable
from random import Random

from assay.core.examples import Annotated, Example
from assay.core.judgements import Judgement
from assay.core.texts import Response, Source
from assay.datasets.selection import DataChoice
from assay.detectors.registry import DetectorSpec, open_detector
from assay.evaluation.gold import gold_labels
from assay.evaluation.policy import GoldPolicy
from assay.text import casing
from assay.text.sentences import split_sentences

RESPONSES = 200
WAYS = {"without": 0.0, "with": casing.FEWEST}


def judge(examples: Iterable[Example]) -> list[Judgement]:
    """The judgements of the embedded model, in the order of the examples."""

    async def work() -> dict[str, Judgement]:
        detector = open_detector(DetectorSpec("embedded"))
        return {each.example: each async for each in detector.judge(given)}

    given = list(examples)
    found = asyncio.run(work())
    return [found[example.id] for example in given]


def read(name: str) -> list[Annotated]:
    """The examples of a corpus."""
    return [row for row in DataChoice(name).read() if isinstance(row, Annotated)]


def copied() -> None:
    """Labels of sentences that were copied from a source which is then lower-cased."""
    rows = (row.example for row in read("ragtruth") if "summ" in row.example.task.lower())
    texts = sorted({row.source.text for row in rows if 600 < len(row.source.text) < 3500})
    examples = []
    for number, text in enumerate(texts):
        long = [each.text for each in split_sentences(text) if 60 < len(each.text) < 220]
        if long:
            response = Response(Random(number).choice(long))
            examples.append(Example(str(number), Source(text.lower()), response))
    for way, fewest in WAYS.items():
        casing.FEWEST = fewest
        casing._has_lost_capitals.cache_clear()
        labels = Counter(str(o.label) for each in judge(examples) for o in each.outcomes)
        print(f"copied, {way} capitals, n={len(examples)}: {dict(labels.most_common())}")


def faithbench() -> None:
    """AUROC of sentences on sources without capitals, worst of annotators."""
    policy = GoldPolicy("sentence", "any")
    rows = [row for row in read("faithbench") if casing._has_lost_capitals(row.example.source.text)]
    rows = rows[:RESPONSES]
    for way, fewest in WAYS.items():
        casing.FEWEST = fewest
        casing._has_lost_capitals.cache_clear()
        pairs = []
        for row, judgement in zip(rows, judge(row.example for row in rows), strict=True):
            gold = {unit.id: label for unit, label in gold_labels(row, "sentence", "any")}
            for each in judgement.findings:
                if each.verdict and each.verdict.score is not None and each.id in gold:
                    pairs.append((each.verdict.score, policy.is_faithful(gold[each.id])))
        good = [score for score, faithful in pairs if faithful]
        bad = [score for score, faithful in pairs if faithful is False]
        wins = sum((a > b) + (a == b) / 2 for a in good for b in bad)
        auroc = wins / (len(good) * len(bad))
        print(f"faithbench, {way} capitals: AUROC {auroc:.3f}, n={len(good) + len(bad)} sentences")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", default=["copied", "faithbench"])
    for part in parser.parse_args().parts:
        {"copied": copied, "faithbench": faithbench}[part]()
