"""What `discourse-offline` costs beside `embedded`, what it notices, and whether it does harm.

cost: the same documents through `check` with each detector in turn, round after round; the ratio of
  the times within a round. The made documents have two claims in every sentence.
suite: 120 pairs of a faithful and an unfaithful response with one discourse error, written for this
  (tests/detectors/discourse/pairs.jsonl). Half of them (D) was looked at while the rules were
  written, the other half (T) only measured.
perturbations: the discourse kinds and the faithful paraphrases of training/suite.
corpora: sentences that people judged, with `embedded` alone and with `discourse-offline`.

Run: python benchmarks/discourse.py [cost] [suite] [perturbations] [corpora] [--rounds 5]
"""

import argparse
import json
import os
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from statistics import median

from embedded import sentence
from shared_data import BESIDE

from assay import check
from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.texts import Response, Source
from assay.core.verdicts import Outcome, Verdict
from assay.datasets.corpus import load_corpus
from assay.detectors import Detector
from assay.detectors.discourse.offline import OfflineDiscourse
from assay.detectors.embedded.detector import EmbeddedDetector
from assay.evaluate.evaluation import Evaluation, evaluate
from assay.evaluate.items import Reading, find_items
from assay.evaluate.predictions import run_predictions

ROOT = Path(__file__).parents[1]
PAIRS = ROOT / "tests" / "detectors" / "discourse" / "pairs.jsonl"
PERTURBATIONS = ROOT / "training" / "suite" / "perturbations.jsonl"
KINDS = ("cause", "hedge", "order", "attribution", "strength", "paraphrase")
DATA = Path(os.environ.get("ASSAY_DATA", BESIDE))
CORPORA = ("storysumm", "qags", "faithbench-sentences")
PARTS = ("cost", "suite", "perturbations", "corpora")
LINKS = ("because", "but", "after", "although", "so that")


def made(count: int) -> Iterator[Example]:
    """Documents of about 520 source tokens and five sentences of two clauses."""
    pick = random.Random(1)
    for _ in range(count):
        source = " ".join(sentence(pick) for _ in range(27))
        halves = (f"{sentence(pick)[:-7]}, {pick.choice(LINKS)} {sentence(pick)}" for _ in range(5))
        yield Example("", Source(source), Response(" ".join(halves)))


def real(name: str, count: int) -> list[Example]:
    """Summaries of a corpus, in an order of our own; none where it is not here."""
    if not (DATA / name).is_dir():
        return []
    found = [example for example in load_corpus(name, DATA) if "summary" in example.task.lower()]
    random.Random(2).shuffle(found)
    return [replace(example, units=()) for example in found[:count]]


def seconds(detector: Detector, examples: Sequence[Example]) -> tuple[float, float]:
    """Seconds by the clock and of the processor for some examples."""
    rows = [{"source": each.source.text, "response": each.response.text} for each in examples]
    wall, busy = time.perf_counter(), time.process_time()
    check(rows, detector=detector)
    return time.perf_counter() - wall, time.process_time() - busy


def cost(rounds: int, count: int) -> None:
    """The ratio of the times of both detectors on the same documents."""
    plain, ours = EmbeddedDetector(), OfflineDiscourse()
    sets = {"made, two claims a sentence": list(made(count))}
    sets |= {name: real(name, count) for name in ("storysumm", "ragtruth")}
    print("discourse-offline as a multiple of embedded: median (lowest-highest) of the rounds")
    for name, examples in sets.items():
        if not examples:
            print(f"  {name:28} skipped: not here; set ASSAY_DATA to the folder of the corpora")
            continue
        seconds(plain, examples[:2])
        seconds(ours, examples[:2])
        walls, busies = [], []
        for _ in range(rounds):
            before, after = seconds(plain, examples), seconds(ours, examples)
            walls.append(after[0] / before[0])
            busies.append(after[1] / before[1])
        print(
            f"  {name:28} {len(examples):3} documents; by the clock {spread(walls)},"
            f" processor {spread(busies)}",
            flush=True,
        )


def spread(values: Sequence[float]) -> str:
    """The median and the ends."""
    return f"{median(values):.2f} ({min(values):.2f}-{max(values):.2f})"


@dataclass(frozen=True)
class Case:
    """One response of a pair, and what is known of it."""

    part: str
    relation: str
    error: str
    is_faithful: bool
    example: Example


def cases() -> Iterator[Case]:
    """Both responses of every pair."""
    for line in PAIRS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        for case in row["cases"]:
            for key in ("faithful", "unfaithful"):
                given = Example(row["id"], Source(row["source"]), Response(case[key]))
                known = (case["relation"] or "in a claim", case["error"], key == "faithful")
                yield Case(row["id"][0], *known, given)


def last_sentence(outcomes: Sequence[Outcome]) -> Verdict:
    """The verdict on the last sentence of a response."""
    found = [each for each in outcomes if each.unit.kind == "sentence"][-1]
    assert isinstance(found, Verdict)
    return found


def suite() -> None:
    """What each detector notices of the unfaithful responses, and its false alarms."""
    known = list(cases())
    counts: Counter[tuple[str, str, bool]] = Counter()
    for detector in (EmbeddedDetector(), OfflineDiscourse()):
        judgements = detector.detect(each.example for each in known)
        for each, judgement in zip(known, judgements, strict=True):
            said = last_sentence(judgement.outcomes)
            keys = (f"part {each.part}", f"relation: {each.relation}", f"error: {each.error}")
            is_bad = said.label is not None and said.label.coarse == "unfaithful"
            for key in keys:
                counts[key, detector.name, each.is_faithful] += is_bad
                counts[key, "n", each.is_faithful] += detector.name == "embedded"
            if said.error and not each.is_faithful:
                counts[f"part {each.part}", "named", False] += 1
                counts[f"part {each.part}", "right", False] += said.error.name == each.error
    print(f"{'':32} pairs  noticed: embedded, ours   false alarms: embedded, ours")
    for key in sorted({key for key, _, _ in counts}):
        row = {name: (counts[key, name, False], counts[key, name, True]) for name in _NAMES}
        print(
            f"  {key:30} {row['n'][0]:5}  {row['embedded'][0]:17} {row['discourse-offline'][0]:5}"
            f"   {row['embedded'][1]:22} {row['discourse-offline'][1]:5}"
        )
    for part in "DT":
        named, right = (counts[f"part {part}", name, False] for name in ("named", "right"))
        print(f"  part {part}: a kind of error is named for {named}, and the right one for {right}")


def perturbations() -> None:
    """The share called unfaithful of each kind of sentence."""
    rows = [json.loads(line) for line in PERTURBATIONS.read_text(encoding="utf-8").splitlines()]
    known = [
        (case["kind"], Example(row["id"], Source(row["source"]), Response(case["sentence"])))
        for row in rows
        for case in row["cases"]
        if case["kind"] in KINDS
    ]
    counts: Counter[tuple[str, str]] = Counter(("n", kind) for kind, _ in known)
    for detector in (EmbeddedDetector(), OfflineDiscourse()):
        judgements = detector.detect(example for _, example in known)
        for (kind, _), judgement in zip(known, judgements, strict=True):
            label = last_sentence(judgement.outcomes).label
            counts[detector.name, kind] += label is not None and label.coarse == "unfaithful"
    print("training/suite: called unfaithful (the last row are false alarms)")
    for kind in KINDS:
        n, before, after = (counts[name, kind] for name in _NAMES)
        print(f"  {kind:14} n {n:4}  embedded {before / n:.3f}  ours {after / n:.3f}")


_NAMES = ("n", "embedded", "discourse-offline")


def corpora(limit: int | None) -> None:
    """AUROC and balanced accuracy of both detectors on sentences that people judged."""
    for name in CORPORA:
        try:
            examples = list(islice(load_corpus(name, DATA), limit))
        except InputError as error:
            print(f"  {name:22} skipped: {error}")
            continue
        items = find_items(examples, Reading(unit="sentence"))
        for detector in (EmbeddedDetector(), OfflineDiscourse()):
            found = evaluate(items, run_predictions(examples, detector, items))
            print(f"  {name:22} {detector.name:18} {figures(found)}", flush=True)


def figures(found: Evaluation) -> str:
    """The figures of a detector in one line."""
    turned = sum(
        isinstance(each.outcome, Verdict) and "rule of thumb" in each.outcome.note
        for each in found.judged
    )
    shown = (f"{name} {found.figures[name]}" for name in ("AUROC", "balanced accuracy", "recall"))
    return f"n {found.n:,}  {'  '.join(shown)}  by a rule {turned}"


def main() -> None:
    """Prints what was asked for, by default all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--documents", type=int, default=24)
    parser.add_argument("--limit", type=int, help="responses of each corpus")
    options = parser.parse_args()
    parts = options.parts or PARTS
    if "cost" in parts:
        cost(options.rounds, options.documents)
    if "suite" in parts:
        suite()
    if "perturbations" in parts:
        perturbations()
    if "corpora" in parts:
        corpora(options.limit)


if __name__ == "__main__":
    main()
