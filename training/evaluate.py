"""Step 5: the figures of a trained model, with intervals over sources.

    python -m training.evaluate --prepared prepared --trained out/student [--model MODEL]
        [--replicates 1000]

Reads the logits that training wrote for the development rows and the calibration in the model's
card. Prints a list in Markdown and writes it as `figures.json` beside the logits.
"""

import argparse
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.detectors.embedded.detector import SHIPPED
from assay.detectors.embedded.folders import CARD
from assay.metrics import (
    Estimate,
    Resampling,
    auroc,
    balanced_accuracy,
    calibration_error,
    estimate_from_rows,
    selective_area,
    wilson_interval,
)
from training.arrays import load_arrays, rows_of_marks
from training.ship import write_card

Floats = NDArray[np.float64]
Figure = Estimate | float | None
THRESHOLD = 0.5  # of a score; calibration puts the best one there
RAGTRUTH = tuple(f"ragtruth-{task}" for task in ("summary", "qa", "data2txt"))


class Judged(NamedTuple):
    """Score, gold (True is faithful) and source of responses or sentences."""

    scores: Floats
    gold: NDArray[np.bool_]
    clusters: list[str]


class Scores:
    """The calibrated score of each sentence of each example; of one in pieces the lowest."""

    def __init__(self, prepared: Path, logits: Floats, scale: float, shift: float) -> None:
        with (prepared / "development.jsonl").open(encoding="utf-8") as lines:
            self.examples: list[dict[str, Any]] = [json.loads(line) for line in lines]
        arrays = load_arrays(prepared / "development.npz")
        example = arrays["example"][rows_of_marks(arrays["mark_ends"])]
        margin = logits[:, 0] - np.logaddexp(logits[:, 1], logits[:, 2])
        chances = 1 / (1 + np.exp(-(scale * margin + shift)))
        self.sentences = [np.full(len(each["sentences"]), np.inf) for each in self.examples]
        for number, place, chance in zip(example, arrays["sentences"], chances, strict=True):
            self.sentences[number][place] = min(self.sentences[number][place], chance)

    def groups(self) -> list[str]:
        """The names of the sets, in order."""
        return list(dict.fromkeys(each["group"] for each in self.examples))

    def has_sentence_gold(self, group: str) -> bool:
        """Whether any sentence of a set was judged by itself."""
        own = (each for each in self.examples if each["group"] == group)
        return any(max(each["faithful"]) >= 0 for each in own)

    def responses(self, *groups: str) -> Judged:
        """Every response with gold; its score is the lowest of its sentences."""
        return _judged(
            (scores.min(), each["response"] == 1, each["cluster"])
            for each, scores in zip(self.examples, self.sentences, strict=True)
            if each["group"] in groups and each["response"] >= 0
        )

    def labelled(self, *groups: str, lenient: bool = False) -> Judged:
        """Every sentence with gold.

        Questionable and benign sentences of FaithBench count as unfaithful, as in its Table 3;
        `lenient` counts benign ones as faithful and leaves out questionable ones, as in Table 2.
        """
        return _judged(
            (score, faithful == 1 or (lenient and label == "benign"), each["cluster"])
            for each, scores in zip(self.examples, self.sentences, strict=True)
            if each["group"] in groups
            for label, faithful, score in zip(each["labels"], each["faithful"], scores, strict=True)
            if faithful >= 0 and not (lenient and label == "questionable")
        )


def _judged(rows: Iterable[tuple[float, bool, str]]) -> Judged:
    given = list(rows)
    if not given:
        return Judged(np.zeros(0), np.zeros(0, dtype=bool), [])
    scores, gold, clusters = zip(*given, strict=True)
    return Judged(np.array(scores, dtype=float), np.array(gold, dtype=bool), list(clusters))


@dataclass(frozen=True, slots=True)
class Estimator:
    """Figures with intervals over sources, which are resampled whole."""

    resampling: Resampling

    def auc(self, judged: Judged) -> Estimate:
        """Area under the ROC curve."""
        scores, gold, clusters = judged
        return self._estimate(lambda rows: auroc(gold[rows], scores[rows]), clusters)

    def accuracy(self, judged: Judged) -> Estimate:
        """Balanced accuracy at the shipped threshold."""
        called, gold = judged.scores >= THRESHOLD, judged.gold
        return self._estimate(
            lambda rows: balanced_accuracy(gold[rows], called[rows]), judged.clusters
        )

    def noticed(self, judged: Judged, below: float = THRESHOLD) -> Estimate:
        """The share that is called unfaithful: whose score lies below the threshold, or another."""
        hits, sources = judged.scores < below, len(set(judged.clusters))
        return estimate_from_rows(
            lambda rows: float(hits[rows].mean()),
            len(hits),
            groups=judged.clusters,
            resampling=self.resampling,
            small=lambda value: wilson_interval(round(value * sources), sources),
        )

    def _estimate(
        self, statistic: Callable[[NDArray[np.intp]], float | None], clusters: list[str]
    ) -> Estimate:
        return estimate_from_rows(
            statistic, len(clusters), groups=clusters, resampling=self.resampling
        )


def figures(scores: Scores, estimator: Estimator) -> dict[str, dict[str, Figure]]:
    """All figures by set, but for the suite's."""
    found: dict[str, dict[str, Figure]] = {}
    for group in scores.groups():
        if group.startswith("suite"):
            continue
        responses = scores.responses(group)
        found[group] = {
            "response BAcc": estimator.accuracy(responses),
            "response AUC": estimator.auc(responses),
        }
        if scores.has_sentence_gold(group):
            sentences = scores.labelled(group)
            found[group]["sentence AUC"] = estimator.auc(sentences)
            found[group]["sentence BAcc"] = estimator.accuracy(sentences)
            found[group] |= _confidence(sentences)
    lenient = scores.labelled("faithbench-sentences", lenient=True)
    found["faithbench, benign faithful"] = {
        "sentence AUC": estimator.auc(lenient),
        "sentence BAcc": estimator.accuracy(lenient),
    }
    pooled = scores.labelled(*RAGTRUTH)
    found["ragtruth, all tasks"] = {"sentence AUC": estimator.auc(pooled), **_confidence(pooled)}
    return found


def _confidence(judged: Judged) -> dict[str, Figure]:
    return {
        "ECE": calibration_error(judged.gold, judged.scores),
        "risk-coverage area": selective_area(judged.gold, judged.scores),
    }


def suite_figures(scores: Scores, estimator: Estimator) -> dict[str, Estimate]:
    """The share of each kind of case that is called unfaithful; for paraphrases a false alarm."""
    kinds = [group for group in scores.groups() if group.startswith("suite-")]
    found = {
        kind.removeprefix("suite-"): estimator.noticed(scores.labelled(kind)) for kind in kinds
    }
    wrong = [kind for kind in kinds if kind != "suite-paraphrase"]
    found["all perturbations"] = estimator.noticed(scores.labelled(*wrong))
    return found


def shown(value: Figure) -> str:
    """A figure with its interval."""
    if isinstance(value, Estimate):
        if value.value is None:
            return "-"
        interval = f" ({value.low:.3f} to {value.high:.3f})" if value.low is not None else ""
        return f"{value.value:.3f}{interval}, n={value.n}"
    return "-" if value is None else f"{value:.3f}"


def read_calibration(model: Path | None) -> tuple[float, float]:
    """Scale and shift in the card of a model; without a model scores are as trained."""
    if model is None:
        return 1.0, 0.0
    card = json.loads((model / CARD).read_text(encoding="utf-8"))["calibration"]
    return float(card["scale"]), float(card["shift"])


def read_logits(trained: Path) -> Floats:
    """The logits that training wrote for the development rows."""
    return load_arrays(trained / "development.npz")["logits"].astype(np.float64)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prepared", type=Path, required=True)
    parser.add_argument("--trained", type=Path, required=True)
    parser.add_argument("--model", type=Path, default=SHIPPED)
    parser.add_argument("--replicates", type=int, default=1_000, help="for the intervals")
    options = parser.parse_args(arguments)
    logits = read_logits(options.trained)
    scores = Scores(options.prepared, logits, *read_calibration(options.model))
    estimator = Estimator(Resampling(options.replicates))
    report: dict[str, dict[str, str]] = {}
    for group, row in figures(scores, estimator).items():
        report[group] = {name: shown(value) for name, value in row.items()}
        print(f"- {group}: " + "; ".join(f"{name} {text}" for name, text in report[group].items()))
    suite = suite_figures(scores, estimator)
    report["suite"] = {kind: shown(value) for kind, value in suite.items()}
    for kind, text in report["suite"].items():
        print(f"- suite, {kind}: called unfaithful {text}")
    (options.trained / "figures.json").write_text(json.dumps(report, indent=1), encoding="utf-8")
    write_card(options.model, {"figures": card_figures(report)})


CARD_SETS = {
    "RAGTruth summaries": "ragtruth-summary",
    "RAGTruth question answering": "ragtruth-qa",
    "RAGTruth data-to-text": "ragtruth-data2txt",
    "SummEdits podcast": "summedits-podcast",
    "SummEdits sales e-mail": "summedits-sales_email",
    "FaithBench": "faithbench-sentences",
}


def card_figures(report: dict[str, dict[str, str]]) -> dict[str, str]:
    """The figures that `assay detectors show embedded` prints."""
    found = {}
    for name, group in CARD_SETS.items():
        row = report.get(group, {})
        second = "sentence AUC" if "sentence AUC" in row else "response AUC"
        found[name] = "; ".join(f"{m} {row[m]}" for m in ("response BAcc", second) if m in row)
    suite = report["suite"]
    found["perturbation suite"] = (
        f"noticed {suite['all perturbations']}; false alarms on paraphrases {suite['paraphrase']}"
    )
    found["calibration error"] = f"{report['ragtruth, all tasks']['ECE']} on RAGTruth sentences"
    return found


if __name__ == "__main__":
    main()
