"""Step 3 for the large model: its figures, with intervals over sources, and over several folds.

    python -m training.evaluate_large --prepared prepared-large --trained out/large
        [--sources DATA/ragtruth/source_info.jsonl] [--replicates 1000]

Reads the logits that `training.train_large` wrote; several trained folders are the folds of one
cross-validation. RAGTruth's figures are over the sources that each fold kept apart, all folds
together, with the lowest and highest fold; all other sets were kept apart from every run, and
their figures are means of those runs that measured them. Scores are as trained, or calibrated as
`--model` is, and a response scores what its worst sentence scores; with several folds the threshold
of each is also fitted on the others. `--sources` counts only RAGTruth's sources in that file: to
compare with an earlier run that had no others, or on sources that a run without a fold has never
met. Writes `figures.json` beside the first logits.
"""

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.metrics import Estimate, Resampling, balanced_accuracy, estimate_from_rows, f1
from training.evaluate import (
    RAGTRUTH,
    THRESHOLD,
    Estimator,
    Judged,
    Scores,
    read_calibration,
    read_logits,
    shown,
)
from training.everyday import BOUND, COMPOSED, TOLD, WHOLE, WRITTEN
from training.folds import fold_of
from training.ship import write_card

EVERYDAY = {
    "everyday written": (WRITTEN, WHOLE),
    "everyday composed": (COMPOSED,),
    "everyday bound": (BOUND,),
}
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
    """The scores that one training run gave; one that kept no fold apart has none of RAGTruth."""

    def __init__(
        self,
        prepared: Path,
        trained: Path,
        calibration: tuple[float, float] = (1.0, 0.0),
        sources: frozenset[str] | None = None,
    ) -> None:
        """Of RAGTruth only `sources` count, if named, also where no fold was kept apart."""
        self._calibration = calibration
        self._sources = sources
        self.fold = int(json.loads((trained / "log.json").read_text(encoding="utf-8"))["fold"])
        has_others = (trained / "development.npz").exists()
        self.development = self._scores(prepared, trained) if has_others else None
        has_everyday = (trained / "everyday" / "development.npz").exists()
        paths = prepared / "everyday", trained / "everyday"
        self.everyday = self._scores(*paths) if has_everyday else None
        is_apart = self.fold >= 0 or sources is not None
        self.crossed = self._of_fold(prepared, trained) if is_apart else None

    def _of_fold(self, prepared: Path, trained: Path) -> Scores:
        """The scores of the sources that the fold kept apart."""
        crossed = self._scores(prepared / "folds", trained / "folds")
        own = [
            number
            for number, example in enumerate(crossed.examples)
            if self.fold in (-1, fold_of(example["cluster"]))
            and (self._sources is None or example["cluster"] in self._sources)
        ]
        crossed.examples = [crossed.examples[number] for number in own]
        crossed.sentences = [crossed.sentences[number] for number in own]
        return crossed

    def _scores(self, prepared: Path, trained: Path) -> Scores:
        return Scores(prepared, read_logits(trained), *self._calibration)


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


def best_threshold(judged: Judged) -> float:
    """The threshold with the best balanced accuracy, of several the nearest to one half.

    >>> scores = np.array([0.1, 0.65, 0.7, 0.9])
    >>> best_threshold(Judged(scores, np.array([0, 0, 1, 1], dtype=bool), [""] * 4))
    0.66
    """
    tried = np.round(np.arange(0.05, 0.96, 0.01), 2)
    found = [balanced_accuracy(judged.gold, judged.scores >= each) or 0.0 for each in tried]
    best = tried[np.isclose(found, max(found))]
    return float(best[np.argmin(np.abs(best - THRESHOLD))])


class Report:
    """Figures of one run or of all folds, as text."""

    def __init__(
        self, runs: Sequence[Trained], resampling: Resampling, whole: Trained | None = None
    ) -> None:
        """Sets other than RAGTruth are those of `whole`, the run on all sources, if given."""
        self._crossed = [run.crossed for run in runs if run.crossed is not None]
        others = runs if whole is None else [whole]
        self._developed = [run.development for run in others if run.development is not None]
        self._everyday = [run.everyday for run in others if run.everyday is not None]
        self._resampling = resampling
        self._estimator = Estimator(resampling)

    def has_folds(self, count: int) -> bool:
        """Whether so many runs kept sources of RAGTruth apart."""
        return len(self._crossed) >= count

    def ragtruth(self) -> dict[str, str]:
        """The sources that each fold kept apart, all folds together."""
        found = {}
        for group in RAGTRUTH:
            own = [scores for scores in self._crossed if group in scores.groups()]
            responses = [scores.responses(group) for scores in own]
            sentences = [scores.labelled(group) for scores in own]
            found[f"{group} response BAcc"] = self._pooled(responses, self._estimator.accuracy)
            found[f"{group} sentence AUC"] = self._pooled(sentences, self._estimator.auc)
        every = [scores.responses(*RAGTRUTH) for scores in self._crossed]
        found["ragtruth response F1 of unfaithful"] = self._pooled(every, self._f1)
        return found

    def fitted(self) -> dict[str, str]:
        """The same responses at thresholds that were fitted on the sources of the other folds."""
        found = {}
        for title, groups in (*((name, (name,)) for name in RAGTRUTH), ("ragtruth", RAGTRUTH)):
            parts = [scores.responses(*groups) for scores in self._crossed]
            moved, thresholds = [], []
            for number, part in enumerate(parts):
                limit = best_threshold(together([*parts[:number], *parts[number + 1 :]]))
                moved.append(part._replace(scores=part.scores - limit + THRESHOLD))
                thresholds.append(limit)
            span = f"thresholds {min(thresholds):.2f} to {max(thresholds):.2f}"
            accuracy = self._pooled(moved, self._estimator.accuracy)
            found[f"{title} response BAcc, fitted"] = f"{accuracy}; {span}"
            if len(groups) > 1:
                found[f"{title} response F1 of unfaithful, fitted"] = self._pooled(moved, self._f1)
        return found

    def alarms(self) -> dict[str, str]:
        """How many responses of RAGTruth are flagged at one half."""
        every = together([scores.responses(*RAGTRUTH) for scores in self._crossed])
        return {
            f"ragtruth {title} responses flagged at 0.5": shown(
                self._estimator.noticed(_of_gold(every, gold))
            )
            for title, gold in (("faithful", True), ("unfaithful", False))
        }

    def everyday(self) -> dict[str, str]:
        """What was written last and kept apart: sentences, and whole responses."""
        found = {}
        for title, groups in EVERYDAY.items():
            sentences = [scores.labelled(*groups) for scores in self._everyday]
            if sentences and len(sentences[0].gold):
                found[f"{title} sentence AUC"] = self._mean(sentences, self._estimator.auc)
            for name, gold in (("faithful", True), ("unfaithful", False)):
                parts = [_of_gold(part, gold) for part in sentences]
                if parts and len(parts[0].gold):
                    figure = self._mean(parts, self._estimator.noticed)
                    found[f"{title} {name} sentences flagged"] = figure
        for title, group in (("whole", WHOLE), ("told", TOLD)):
            for name, gold in (("faithful", True), ("unfaithful", False)):
                whole = [_of_gold(scores.responses(group), gold) for scores in self._everyday]
                if whole and len(whole[0].gold):
                    figure = self._mean(whole, self._estimator.noticed)
                    found[f"everyday {title} {name} responses flagged"] = figure
        return found

    def _pooled(self, parts: Sequence[Judged], figure: Callable[[Judged], Estimate]) -> str:
        text = shown(figure(together(parts)))
        values = [each for part in parts if (each := figure(part).value) is not None]
        if len(parts) > 1:
            text += f"; folds {min(values):.3f} to {max(values):.3f}"
        return text

    def _f1(self, judged: Judged) -> Estimate:
        gold, called = judged.gold, judged.scores >= THRESHOLD
        return estimate_from_rows(
            lambda rows: f1(gold[rows], called[rows]),
            len(gold),
            groups=judged.clusters,
            resampling=self._resampling,
        )

    def others(self) -> dict[str, str]:
        """Sets that no run was trained on."""
        found: dict[str, str] = {}
        if not self._developed:
            return found
        groups = self._developed[0].groups()
        for group in (name for name in groups if name in OTHERS):
            found[f"{group} response AUC"] = self._mean(
                [scores.responses(group) for scores in self._developed], self._estimator.auc
            )
        if "faithbench-sentences" in groups:
            sentences = [scores.labelled("faithbench-sentences") for scores in self._developed]
            found["faithbench sentence AUC"] = self._mean(sentences, self._estimator.auc)
        if forms := [name for name in groups if name.startswith("tabfact-")]:
            sentences = [scores.labelled(*forms) for scores in self._developed]
            found["tabfact sentence AUC"] = self._mean(sentences, self._estimator.auc)
        kinds = [name for name in groups if name.startswith("suite-")]
        suite = [scores.labelled(*kinds) for scores in self._developed]
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
            lambda rows: noticed_at(rows_of(judged, rows), ALARMS),
            len(judged.gold),
            groups=judged.clusters,
            resampling=self._resampling,
        )

    def _mean(self, parts: Sequence[Judged], figure: Callable[[Judged], Estimate]) -> str:
        if len(parts) == 1:
            return shown(figure(parts[0]))
        values = [value for part in parts if (value := figure(part).value) is not None]
        if not values:
            return "-"
        spread = f"runs {min(values):.3f} to {max(values):.3f}"
        return f"{np.mean(values):.3f}, n={len(parts[0].gold)}; {spread}"


CARD: dict[str, dict[str, str]] = {
    **{
        f"RAGTruth {name}": {
            "response BAcc": f"ragtruth-{task} response BAcc",
            "sentence AUC": f"ragtruth-{task} sentence AUC",
        }
        for name, task in (
            ("summaries", "summary"),
            ("question answering", "qa"),
            ("data-to-text", "data2txt"),
        )
    },
    "RAGTruth, all": {"F1 of unfaithful": "ragtruth response F1 of unfaithful"},
    "SummEdits podcast": {"response AUC": "summedits-podcast response AUC"},
    "SummEdits sales e-mail": {"response AUC": "summedits-sales_email response AUC"},
    "FaithBench": {"sentence AUC": "faithbench sentence AUC"},
    "perturbation suite": {
        "noticed": "suite noticed at 0.5",
        "false alarms on paraphrases": "suite false alarms at 0.5",
    },
}


def rows_of(judged: Judged, rows: NDArray[np.intp]) -> Judged:
    """Some of what was judged."""
    return Judged(judged.scores[rows], judged.gold[rows], [judged.clusters[row] for row in rows])


def _of_gold(judged: Judged, gold: bool) -> Judged:
    return rows_of(judged, np.flatnonzero(judged.gold == gold))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prepared", type=Path, required=True)
    parser.add_argument("--trained", type=Path, nargs="+", required=True)
    parser.add_argument("--model", type=Path, help="whose calibration is used; none: as trained")
    parser.add_argument("--whole", type=Path, help="the run on all sources, for other sets")
    parser.add_argument("--sources", type=Path, help="a file with those of RAGTruth that count")
    parser.add_argument("--card", action="store_true", help="write figures into the model's card")
    parser.add_argument("--replicates", type=int, default=1_000, help="for the intervals")
    options = parser.parse_args(arguments)
    calibration = read_calibration(options.model)
    sources = read_sources(options.sources) if options.sources else None
    runs = [Trained(options.prepared, folder, calibration, sources) for folder in options.trained]
    whole = Trained(options.prepared, options.whole, calibration) if options.whole else None
    report = Report(runs, Resampling(options.replicates), whole)
    found = report.ragtruth() | report.alarms() if report.has_folds(1) else {}
    found |= report.fitted() if report.has_folds(2) else {}
    found |= report.everyday() | report.others()
    for name, text in found.items():
        print(f"- {name}: {text}")
    path = options.trained[0] / "figures.json"
    path.write_text(json.dumps(found, indent=1), encoding="utf-8")
    if options.card:
        write_card(options.model, {"figures": card_figures(found)})


def read_sources(path: Path) -> frozenset[str]:
    """The ids of the sources in a file of RAGTruth's layout."""
    with path.open(encoding="utf-8") as lines:
        return frozenset(str(json.loads(line)["source_id"]) for line in lines)


def card_figures(found: dict[str, str]) -> dict[str, str]:
    """The figures that `assay detectors show` prints."""
    card = {}
    for name, figures in CARD.items():
        parts = [f"{title} {found[key]}" for title, key in figures.items() if key in found]
        if parts:
            card[name] = "; ".join(parts)
    return card


if __name__ == "__main__":
    main()
