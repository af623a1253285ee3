"""Which verdicts can be relied on: what the detectors that ship say for sure, as users run them.

    python -m training.evaluate_sure judge --detector embedded --set withstand --out OUT
    python -m training.evaluate_sure report OUT
    python -m training.evaluate_sure band OUT --right 0.08 --whole 0.12 --precise 0.85

`judge` runs a detector over a set and keeps a line a sentence: `everyday` is what bands are set by,
`withstand` what nothing is chosen by, `ragtruth_more` sources of RAGTruth that no shipped network
was trained on (DATA/ragtruth_more), and a file is read like those of `withstand/`. A second call
goes on. `report` prints by set and by kind of source how many right and wrong sentences, and how
many faithful answers, are called unfaithful, and how many of those for sure, with intervals over
sources. `band` finds for each kind of source the highest lower edge that keeps to three limits: of
right sentences, of faithful answers, and of how many sure verdicts are right.
"""

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np

from assay.core.examples import Example
from assay.core.system.bridge import iterate
from assay.core.texts import Response, Span
from assay.core.units import Unit, unit_id
from assay.datasets.corpora.ragtruth import load
from assay.datasets.corpus import Repairs
from assay.detectors.local import LocalOptions
from assay.detectors.registry import DetectorSpec, make_detector
from assay.metrics import Resampling, estimate_from_rows, wilson_interval
from training.everyday import everyday
from training.measured import Measured, measured
from training.source_kinds import source_kind
from training.withstand.reading import examples, read_records, withstand

ROWS = 32  # examples that are judged before they are kept
FEWEST = 40  # right sentences of a kind of source by which an edge is set
REPLICATES = 1_000


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence, its gold, and what a detector said of it."""

    set: str
    group: str
    kind: str  # of its source
    cluster: str
    example: str
    number: int
    is_right: bool
    score: float | None
    coarse: str | None  # `not-sure` inside the band
    leaning: str | None
    is_reckoned: bool = False  # whether a calculation settled it


def read_set(name: str, data: Path | None) -> Iterator[Measured]:
    """The examples of a set."""
    if name == "everyday":
        yield from everyday()
    elif name == "withstand":
        yield from withstand()
    elif name == "ragtruth_more":
        if data is None:
            raise SystemExit("ragtruth_more needs --data, the folder of the released corpora")
        for each in load(data / "ragtruth_more", Repairs()):
            yield measured(f"ragtruth-{each.example.task}", each, by_sentence=True)
    else:
        for record in read_records(Path(name)):
            yield from examples(record)


def as_example(each: Measured) -> Example:
    """An example with exactly the sentences that have gold."""
    text, units = "", []
    for number, sentence in enumerate(each.sentences, start=1):
        start = len(text)
        text += f"{sentence} "
        span = Span("response", start, start + len(sentence), sentence)
        units.append(Unit.at("sentence", span, unit_id("sentence", number)))
    return Example(
        each.id,
        each.source,
        Response(text.rstrip()),
        question=each.question,
        units=tuple(units),
        is_english_stated=True,
    )


def judge(detector: str, name: str, out: Path, data: Path | None, most: int) -> None:
    """Appends what a detector says of the examples of a set that it has not judged yet."""
    out.parent.mkdir(parents=True, exist_ok=True)
    done = {each.example for each in read_said(out)} if out.exists() else set()
    # Sources in an order that says nothing, so that a part of them is a sample.
    given = sorted(read_set(name, data), key=lambda each: sha256(each.cluster.encode()).digest())
    left = [each for each in given if each.id not in done][:most]
    judges = make_detector(DetectorSpec(detector, local=LocalOptions()))
    title = Path(name).stem
    with out.open("a", encoding="utf-8") as file:
        for start in range(0, len(left), ROWS):
            some = left[start : start + ROWS]
            judgements = iterate(judges.judge([as_example(each) for each in some]))
            for each, judgement in zip(some, judgements, strict=True):
                kind = source_kind(each.source)
                for number, finding in enumerate(judgement.findings):
                    if each.faithful[number] < 0:
                        continue
                    outcome = finding.outcome
                    said = Said(
                        title,
                        each.group,
                        kind,
                        each.cluster,
                        each.id,
                        number,
                        each.faithful[number] == 1,
                        finding.score,
                        finding.coarse,
                        finding.leaning,
                        "figures of the source" in getattr(outcome, "note", "").lower(),
                    )
                    file.write(json.dumps(asdict(said)) + "\n")
            file.flush()
            print(f"{start + len(some)} of {len(left)}", flush=True)


def read_said(*paths: Path) -> list[Said]:
    """What was kept of some runs."""
    lines = (line for path in paths for line in path.read_text(encoding="utf-8").splitlines())
    return [Said(**json.loads(line)) for line in lines]


def rate(own: Sequence[Said], is_so: Callable[[Said], bool]) -> str:
    """The share of sentences, or of answers, with an interval over sources."""
    if not own:
        return "–"
    hits = np.array([is_so(each) for each in own])
    estimate = estimate_from_rows(
        lambda rows: float(hits[rows].mean()),
        len(own),
        groups=[each.cluster for each in own],
        resampling=Resampling(REPLICATES),
    )
    low, high = estimate.low, estimate.high
    if low is None or hits.all() or not hits.any():  # resamples that are all alike say nothing
        low, high = wilson_interval(int(hits.sum()), len(own)) or (None, None)
    ends = "" if low is None or high is None else f" [{100 * low:.1f}, {100 * high:.1f}]"
    return f"{100 * hits.mean():.1f}{ends} (n={len(own)})"


def is_flagged(said: Said) -> bool:
    """True if it is called unfaithful, sure or not."""
    return said.leaning == "unfaithful"


def is_sure(said: Said) -> bool:
    """True if it is called unfaithful for sure."""
    return said.coarse == "unfaithful"


def is_doubtful(said: Said) -> bool:
    """True if it is no all-clear: called unfaithful, or not sure."""
    return is_flagged(said) or said.coarse == "not-sure"


def whole_answers(said: Iterable[Said]) -> list[Said]:
    """Faithful answers of several sentences, each as the worst of its sentences."""
    answers: dict[tuple[str, str], list[Said]] = {}
    for each in said:
        answers.setdefault((each.set, each.example), []).append(each)
    several = (own for own in answers.values() if len(own) > 1 and all(s.is_right for s in own))
    order = (is_sure, is_flagged, is_doubtful)
    return [
        next((each for is_so in order for each in own if is_so(each)), own[0]) for own in several
    ]


def report(said: Sequence[Said]) -> None:
    """Prints the figures of each set, and within it of each kind of source."""
    for title in dict.fromkeys(each.set for each in said):
        own = [each for each in said if each.set == title]
        _figures(title, own)
        for kind in dict.fromkeys(each.kind for each in own):
            _figures(f"{title}, {kind}", [each for each in own if each.kind == kind])


def _figures(title: str, own: Sequence[Said]) -> None:
    right = [each for each in own if each.is_right]
    wrong = [each for each in own if not each.is_right]
    sure = [each for each in own if is_sure(each)]
    answers = whole_answers(own)
    print(f"{title}:")
    print(f"- wrong noticed {rate(wrong, is_flagged)}; for sure {rate(wrong, is_sure)}")
    print(f"- right flagged {rate(right, is_flagged)}; for sure {rate(right, is_sure)}")
    print(f"- called unfaithful for sure, and are {rate(sure, lambda each: not each.is_right)}")
    unsure = (rate(each, lambda said: said.coarse == "not-sure") for each in (right, wrong))
    print("- not sure of right {}, of wrong {}".format(*unsure))
    if answers:
        flagged = ", ".join(rate(answers, is_so) for is_so in (is_flagged, is_sure, is_doubtful))
        print(f"- faithful answers flagged, for sure, sure or not sure: {flagged}")


def find_edge(said: Sequence[Said], right: float, whole: float, precise: float) -> float:
    """The highest lower edge of the band that keeps to the limits; 0 if none does."""
    own = [each for each in said if each.score is not None and not each.is_reckoned]
    scores = np.array([each.score for each in own])
    gold = np.array([each.is_right for each in own])
    lowest: dict[tuple[str, str], tuple[float, bool, int]] = {}
    for each in own:
        score, is_right, count = lowest.get((each.set, each.example), (1.0, True, 0))
        key = (each.set, each.example)
        lowest[key] = (min(score, each.score or 0.0), is_right and each.is_right, count + 1)
    answers = np.array([s for s, is_right, count in lowest.values() if is_right and count > 1])
    best = 0.0
    for edge in np.arange(0.005, 0.5, 0.005):
        below = scores <= edge
        if (
            float(below[gold].mean()) <= right
            and (not len(answers) or float((answers <= edge).mean()) <= whole)
            and float((~gold[below]).mean() if below.any() else 1.0) >= precise
        ):
            best = float(edge)
    return round(best, 3)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    steps = parser.add_subparsers(dest="step", required=True)
    one = steps.add_parser("judge")
    one.add_argument("--detector", default="embedded")
    one.add_argument("--set", required=True)
    one.add_argument("--out", type=Path, required=True)
    one.add_argument("--data", type=Path)
    one.add_argument("--most", type=int, default=10**9, help="examples that are judged now")
    two = steps.add_parser("report")
    two.add_argument("said", type=Path, nargs="+")
    three = steps.add_parser("band")
    three.add_argument("said", type=Path, nargs="+")
    three.add_argument("--right", type=float, required=True)
    three.add_argument("--whole", type=float, required=True)
    three.add_argument("--precise", type=float, required=True)
    options = parser.parse_args(arguments)
    if options.step == "judge":
        judge(options.detector, options.set, options.out, options.data, options.most)
        return
    said = read_said(*options.said)
    if options.step == "report":
        report(said)
        return
    limits = (options.right, options.whole, options.precise)
    print(f"all: {find_edge(said, *limits)}")
    for kind in dict.fromkeys(each.kind for each in said):
        own = [each for each in said if each.kind == kind]
        if sum(each.is_right for each in own) >= FEWEST:
            print(f"{kind}: {find_edge(own, *limits)} (n={len(own)})")


if __name__ == "__main__":
    main()
