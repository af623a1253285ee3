"""Whether an embedded detector says on a GPU what it says on the CPU, and how much faster.

Responses of RAGTruth, drawn by a seed, are judged on both devices. What is counted: responses whose
coarse reading differs, sentences whose label differs, and how far scores are apart. The time is
that of judging, without loading.

Run: python benchmarks/embedded_devices.py [--detector embedded-large] [--device cuda] [--limit 200]
"""

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from shared_data import shared_data

from assay import Columns, DataChoice, Example, Judgement
from assay.core.folding import fold_judgement
from assay.core.system import bridge
from assay.core.verdicts import Outcome, Verdict
from assay.datasets.selection import load
from assay.detectors.local import LocalOptions
from assay.detectors.registry import DetectorSpec, make_detector


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--detector", default="embedded-large")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--limit", type=int, default=200)
    options = parser.parse_args(arguments)
    choice = DataChoice("ragtruth", str(shared_data()), Columns(), sample=options.limit, seed=1)
    examples = [each.example for each in load(choice).annotated]
    spec = DetectorSpec(options.detector)
    ours = judged(spec, examples)
    theirs = judged(replace(spec, local=LocalOptions(device=options.device)), examples)
    whole = [(fold_judgement(a), fold_judgement(b)) for a, b in zip(ours, theirs, strict=True)]
    parts = [
        (one.outcome, other.outcome)
        for a, b in zip(ours, theirs, strict=True)
        for one, other in zip(a.findings, b.findings, strict=True)
    ]
    say("responses with another coarse reading", [coarse(a) != coarse(b) for a, b in whole])
    say("sentences with another label", [label(a) != label(b) for a, b in parts])
    gaps = [
        abs(a.score - b.score)
        for a, b in parts
        if isinstance(a, Verdict) and isinstance(b, Verdict)
        if a.score is not None and b.score is not None
    ]
    print(f"scores apart: {np.mean(gaps):.5f} on average, {np.max(gaps):.4f} at most")


def judged(spec: DetectorSpec, examples: Sequence[Example]) -> list[Judgement]:
    """The judgements of some examples; the first ones are judged twice, to load everything."""
    detector = make_detector(spec)
    list(bridge.iterate(detector.judge(examples[:2])))
    began = time.perf_counter()
    found = list(bridge.iterate(detector.judge(examples)))
    taken = time.perf_counter() - began
    print(f"{spec.name} on {spec.local.device}: {len(examples) / taken:,.2f} responses a second")
    return found


def coarse(outcome: Outcome) -> str:
    """Faithful, unfaithful, or what else an outcome says."""
    return str(outcome.coarse) if isinstance(outcome, Verdict) else "failure"


def label(outcome: Outcome) -> str:
    """The label of an outcome."""
    return str(outcome.label) if isinstance(outcome, Verdict) else "failure"


def say(what: str, differ: Sequence[bool]) -> None:
    """How many differ."""
    print(f"{what}: {sum(differ)} of {len(differ):,} ({np.mean(differ):.2%})")


if __name__ == "__main__":
    main()
