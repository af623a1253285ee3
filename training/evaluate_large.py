"""Step 3 for the large model: its figures, with intervals over sources, and over several folds.

    python -m training.evaluate_large --prepared prepared-large --trained out/large
        [--replicates 1000]

Reads the logits that `training.train_large` wrote; several trained folders are the folds of one
cross-validation. RAGTruth's figures are over the sources that each fold kept apart, all folds
together, with the lowest and highest fold; all other sets were kept apart from every fold, and
their figures are means of the folds'. Scores are as trained, without calibration, and a response
scores what its worst sentence scores. Writes `figures.json` beside the first logits.
"""

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.detectors.embedded.verdicts import ENTAILED_FROM
from assay.metrics import Estimate, Resampling, estimate_from_rows, f1
from training.evaluate import RAGTRUTH, Estimator, Judged, Scores, read_logits, shown
from training.folds import fold_of

ALARMS = 0.15  # the share of paraphrases that may be called unfaithful
OTHERS = (
    "summedits-podcast",
    "summedits-sales_email",
    "defacto",
    "qags-cnndm",
    "qags-xsum",
    "storysumm",
    "wice",
)
"""Sets with a label for each response."""


class Trained:
    """The scores that one training run gave."""

    def __init__(self, prepared: Path, trained: Path) -> None:
        self.fold = int(json.loads((trained / "log.json").read_text(encoding="utf-8"))["fold"])
        self.development = _scores(prepared, trained)
        self.crossed = _scores(prepared / "folds", trained / "folds")
        own = [
            number
            for number, example in enumerate(self.crossed.examples)
            if fold_of(example["cluster"]) == self.fold
        ]
        self.crossed.examples = [self.crossed.examples[number] for number in own]
        self.crossed.sentences = [self.crossed.sentences[number] for number in own]


def _scores(prepared: Path, trained: Path) -> Scores:
    return Scores(prepared, read_logits(trained), 1.0, 0.0)


def together(parts: Sequence[Judged]) -> Judged:
    """What several runs judged, end to end."""
    return Judged(
        np.concatenate([part.scores for part in parts]),
        np.concatenate([part.gold for part in parts]),
        [cluster for part in parts for cluster in part.clusters],
    )


def noticed_at(judged: Judged, false_alarms: float) -> float | None:
    """The share of unfaithful sentences below a threshold that so many faithful ones are below.

    >>> scores = np.array([0.1, 0.4, 0.3, 0.5, 0.6, 0.9])
    >>> noticed_at(Judged(scores, np.array([0, 0, 1, 1, 1, 1], dtype=bool), [""] * 6), 0.25)
    1.0
    >>> noticed_at(Judged(scores, np.array([0, 0, 1, 1, 1, 1], dtype=bool), [""] * 6), 0.0)
    0.5
    """
    faithful, unfaithful = np.sort(judged.scores[judged.gold]), judged.scores[~judged.gold]
    if not len(faithful) or not len(unfaithful):
        return None
    return float((unfaithful < faithful[int(false_alarms * len(faithful))]).mean())


class Report:
    """Figures of one run or of all folds, as text."""

    def __init__(self, runs: Sequence[Trained], resampling: Resampling) -> None:
        self._runs, self._resampling = runs, resampling
        self._estimator = Estimator(resampling)

    def ragtruth(self) -> dict[str, str]:
        """The sources that each fold kept apart, all folds together."""
        found = {}
        for group in RAGTRUTH:
            own = [run for run in self._runs if group in run.crossed.groups()]
            responses = [run.crossed.responses(group) for run in own]
            sentences = [run.crossed.labelled(group) for run in own]
            found[f"{group} response BAcc"] = self._pooled(responses, self._estimator.accuracy)
            found[f"{group} sentence AUC"] = self._pooled(sentences, self._estimator.auc)
        every = [run.crossed.responses(*RAGTRUTH) for run in self._runs]
        found["ragtruth response F1 of unfaithful"] = self._pooled(every, self._f1)
        return found

    def _pooled(self, parts: Sequence[Judged], figure: Callable[[Judged], Estimate]) -> str:
        text = shown(figure(together(parts)))
        values = [each for part in parts if (each := figure(part).value) is not None]
        if len(parts) > 1:
            text += f"; folds {min(values):.3f} to {max(values):.3f}"
        return text

    def _f1(self, judged: Judged) -> Estimate:
        wrong, called = ~judged.gold, judged.scores < ENTAILED_FROM
        return estimate_from_rows(
            lambda rows: f1(wrong[rows], called[rows]),
            len(wrong),
            groups=judged.clusters,
            resampling=self._resampling,
        )

    def others(self) -> dict[str, str]:
        """Sets that no fold was trained on."""
        found = {}
        groups = self._runs[0].development.groups()
        for group in (name for name in groups if name in OTHERS):
            found[f"{group} response AUC"] = self._mean(
                [run.development.responses(group) for run in self._runs], self._estimator.auc
            )
        if "faithbench-sentences" in groups:
            sentences = [run.development.labelled("faithbench-sentences") for run in self._runs]
            found["faithbench sentence AUC"] = self._mean(sentences, self._estimator.auc)
        kinds = [name for name in groups if name.startswith("suite-")]
        suite = [run.development.labelled(*kinds) for run in self._runs]
        found["suite sentence AUC"] = self._mean(suite, self._estimator.auc)
        found["suite noticed at 15 % false alarms"] = self._mean(suite, self._noticed)
        found["suite noticed at 0.5"] = self._mean(
            [_of_gold(part, False) for part in suite], self._estimator.noticed
        )
        found["suite false alarms at 0.5"] = self._mean(
            [_of_gold(part, True) for part in suite], self._estimator.noticed
        )
        return found

    def _noticed(self, judged: Judged) -> Estimate:
        return estimate_from_rows(
            lambda rows: noticed_at(_rows_of(judged, rows), ALARMS),
            len(judged.gold),
            groups=judged.clusters,
            resampling=self._resampling,
        )

    def _mean(self, parts: Sequence[Judged], figure: Callable[[Judged], Estimate]) -> str:
        if len(parts) == 1:
            return shown(figure(parts[0]))
        values = [value for part in parts if (value := figure(part).value) is not None]
        spread = f"folds {min(values):.3f} to {max(values):.3f}"
        return f"{np.mean(values):.3f}, n={len(parts[0].gold)}; {spread}"


def _rows_of(judged: Judged, rows: NDArray[np.intp]) -> Judged:
    return Judged(judged.scores[rows], judged.gold[rows], [judged.clusters[row] for row in rows])


def _of_gold(judged: Judged, gold: bool) -> Judged:
    return _rows_of(judged, np.flatnonzero(judged.gold == gold))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prepared", type=Path, required=True)
    parser.add_argument("--trained", type=Path, nargs="+", required=True)
    parser.add_argument("--replicates", type=int, default=1_000, help="for the intervals")
    options = parser.parse_args(arguments)
    runs = [Trained(options.prepared, folder) for folder in options.trained]
    report = Report(runs, Resampling(options.replicates))
    found = report.ragtruth() | report.others()
    for name, text in found.items():
        print(f"- {name}: {text}")
    path = options.trained[0] / "figures.json"
    path.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
