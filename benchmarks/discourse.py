"""What `discourse-offline` costs beside `embedded`, what it notices, and whether it does harm.

cost: the same documents through `check` with each detector in turn, round after round; the ratio of
  the times within a round. The made documents have two claims in every sentence.
suite: 120 pairs of a faithful and an unfaithful response with one discourse error, written for this
  (tests/detectors/discourse/pairs.jsonl). Half of them (D) were looked at while the rules were
  written, the other half (T) only measured.
perturbations: the discourse kinds and the faithful paraphrases of training/suite.
corpora: sentences that people judged, with `embedded` alone and with `discourse-offline`.

Run: python benchmarks/discourse.py [cost] [suite] [perturbations] [corpora] [--rounds 5]
  [--documents 24] [--limit N]
"""

import argparse
import json
import os
import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from statistics import median

from embedded import sentence
from shared_data import BESIDE

from assay import (
    DataChoice,
    DetectorSpec,
    Example,
    InputError,
    Judgement,
    Response,
    Source,
    Verdict,
    check,
    evaluate,
    open_detector,
)
from assay.core.system import bridge
from assay.datasets.corpus import load_corpus
from assay.evaluation.evaluate import Evaluation

ROOT = Path(__file__).parents[1]
PAIRS = ROOT / "tests" / "detectors" / "discourse" / "pairs.jsonl"
PERTURBATIONS = ROOT / "training" / "suite" / "perturbations.jsonl"
KINDS = ("cause", "hedge", "order", "attribution", "strength", "paraphrase")
DATA = Path(os.environ.get("ASSAY_DATA", BESIDE))
CORPORA = ("storysumm", "qags", "faithbench-sentences")
PARTS = ("cost", "suite", "perturbations", "corpora")
PLAIN, OURS = "embedded", "discourse-offline"
LINKS = ("because", "but", "after", "although", "so that")


def made(count: int) -> Iterator[Example]:
    """Documents of about 520 source tokens and five sentences of two clauses."""
    pick = random.Random(1)
    for number in range(count):
        source = " ".join(sentence(pick) for _ in range(27))
        halves = (f"{sentence(pick)[:-7]}, {pick.choice(LINKS)} {sentence(pick)}" for _ in range(5))
        yield Example(str(number), Source(source), Response(" ".join(halves)))


def real(name: str, count: int) -> list[Example]:
    """Summaries of a corpus, in an order of our own; none where it is not here."""
    if not (DATA / name).is_dir():
        return []
    examples = (each.example for each in load_corpus(name, DATA))
    found = [example for example in examples if "summary" in example.task.lower()]
    random.Random(2).shuffle(found)
    return [replace(example, units=()) for example in found[:count]]


def seconds(detector: str, examples: Sequence[Example]) -> tuple[float, float]:
    """Wall-clock and CPU seconds for some examples."""
    rows = [{"source": each.source.text, "response": each.response.text} for each in examples]
    wall, busy = time.perf_counter(), time.process_time()
    check(rows, detector=detector)
    return time.perf_counter() - wall, time.process_time() - busy


def cost(rounds: int, count: int) -> None:
    """The ratio of the times of both detectors on the same documents."""
    sets = {"made, two claims a sentence": list(made(count))}
    sets |= {name: real(name, count) for name in ("storysumm", "ragtruth")}
    print("discourse-offline as a multiple of embedded: median (lowest-highest) of the rounds")
    for name, examples in sets.items():
        if not examples:
            print(f"  {name:28} skipped: not here; set ASSAY_DATA to the folder of the corpora")
            continue
        seconds(PLAIN, examples[:2])
        seconds(OURS, examples[:2])
        walls, busies = [], []
        for _ in range(rounds):
            before, after = seconds(PLAIN, examples), seconds(OURS, examples)
            walls.append(after[0] / before[0])
            busies.append(after[1] / before[1])
        print(
            f"  {name:28} {len(examples):3} documents; wall clock {spread(walls)},"
            f" CPU {spread(busies)}",
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
        for number, case in enumerate(row["cases"]):
            for key in ("faithful", "unfaithful"):
                id = f"{row['id']}-{number}-{key}"
                given = Example(id, Source(row["source"]), Response(case[key]))
                known = (case["relation"] or "in a claim", case["error"], key == "faithful")
                yield Case(row["id"][0], *known, given)


def judge_all(detector: str, examples: Iterable[Example]) -> Iterator[Judgement]:
    """The judgements of some examples, in their order."""
    given = list(examples)
    judging = open_detector(DetectorSpec(detector)).judge(given)
    found = {each.example: each for each in bridge.iterate(judging)}
    return (found[example.id] for example in given)


def last_sentence(judgement: Judgement) -> Verdict:
    """The verdict on the last sentence of a response."""
    found = [each.verdict for each in judgement.findings if each.kind == "sentence"][-1]
    assert found
    return found


def suite(limit: int | None) -> None:
    """What each detector notices of the unfaithful responses, and its false alarms."""
    known = list(islice(cases(), limit))
    counts: Counter[tuple[str, str, bool]] = Counter()
    for detector in (PLAIN, OURS):
        judgements = judge_all(detector, (each.example for each in known))
        for each, judgement in zip(known, judgements, strict=True):
            said = last_sentence(judgement)
            keys = (f"part {each.part}", f"relation: {each.relation}", f"error: {each.error}")
            for key in keys:
                counts[key, detector, each.is_faithful] += said.coarse == "unfaithful"
                counts[key, "n", each.is_faithful] += detector == PLAIN
            if said.error and not each.is_faithful:
                counts[f"part {each.part}", "named", False] += 1
                counts[f"part {each.part}", "right", False] += said.error.name == each.error
    print(f"{'':32} pairs  noticed: embedded, ours   false alarms: embedded, ours")
    for key in sorted({key for key, _, _ in counts}):
        row = {name: (counts[key, name, False], counts[key, name, True]) for name in _NAMES}
        print(
            f"  {key:30} {row['n'][0]:5}  {row[PLAIN][0]:17} {row[OURS][0]:5}"
            f"   {row[PLAIN][1]:22} {row[OURS][1]:5}"
        )
    for part in "DT":
        named, right = (counts[f"part {part}", name, False] for name in ("named", "right"))
        print(f"  part {part}: a kind of error is named for {named}, and the right one for {right}")


def perturbations(limit: int | None) -> None:
    """The share called unfaithful of each kind of sentence."""
    lines = PERTURBATIONS.read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines[:limit]]
    known = [
        (case["kind"], Example(f"{row['id']}-{number}", Source(row["source"]), Response(text)))
        for row in rows
        for number, case in enumerate(row["cases"])
        if case["kind"] in KINDS and (text := case["sentence"])
    ]
    counts: Counter[tuple[str, str]] = Counter(("n", kind) for kind, _ in known)
    for detector in (PLAIN, OURS):
        judgements = judge_all(detector, (example for _, example in known))
        for (kind, _), judgement in zip(known, judgements, strict=True):
            counts[detector, kind] += last_sentence(judgement).coarse == "unfaithful"
    print("training/suite: share called unfaithful (in the last row these are false alarms)")
    for kind in KINDS:
        n, before, after = (counts[name, kind] for name in _NAMES)
        if n:
            print(f"  {kind:14} n {n:4}  embedded {before / n:.3f}  ours {after / n:.3f}")


_NAMES = ("n", PLAIN, OURS)


def corpora(limit: int | None) -> None:
    """AUROC and balanced accuracy of both detectors on sentences that people judged."""
    for name in CORPORA:
        choice = DataChoice(name, folder=str(DATA), sample=limit)
        try:
            plain, ours = evaluate(PLAIN, OURS, data=choice, unit="sentence")
        except InputError as error:
            print(f"  {name:22} skipped: {error}")
            continue
        pairs = zip(plain.judged, ours.judged, strict=True)
        changed = sum(a.outcome.coarse != b.outcome.coarse for a, b in pairs)
        print(f"  {name:22} {PLAIN:18} {figures(plain)}")
        print(f"  {name:22} {OURS:18} {figures(ours)}  changed by a rule {changed}", flush=True)


def figures(found: Evaluation) -> str:
    """The figures of a detector in one line."""
    shown = (f"{name} {found.figures[name]}" for name in ("AUROC", "balanced accuracy", "recall"))
    return f"n {found.n:,}  {'  '.join(shown)}"


def main() -> None:
    """Prints what was asked for, by default all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--documents", type=int, default=24)
    parser.add_argument("--limit", type=int, help="only so many cases, and a sample of each corpus")
    options = parser.parse_args()
    parts = options.parts or PARTS
    if "cost" in parts:
        cost(options.rounds, options.documents)
    if "suite" in parts:
        suite(options.limit)
    if "perturbations" in parts:
        perturbations(options.limit)
    if "corpora" in parts:
        corpora(options.limit)


if __name__ == "__main__":
    main()
