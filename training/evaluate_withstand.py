"""What verdicts withstand: the figures of a trained large model on the suite of that name.

    python -m training.evaluate_withstand --prepared prepared-large --trained out/large [--card]

Reads the logits in `withstand/` and `variants/` that `training.train_large` wrote. At one half:
how many unfaithful sentences of each kind are noticed, and how many faithful ones are flagged; the
same for the sentences of whole answers, and for the answers; and which verdicts of sentences change
when only the look of the source or the question does. Nothing is chosen by these figures. Writes
`withstand.json`; with `--card`, the figures of everyday texts into the card of the model, which
`assay detectors show` prints.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.detectors.embedded.folders import CARD
from assay.metrics import Estimate, Resampling, estimate_from_rows
from training.evaluate import (
    THRESHOLD,
    Estimator,
    Judged,
    Scores,
    read_calibration,
    read_logits,
    shown,
)
from training.evaluate_large import ALARMS, noticed_at, rows_of
from training.ship import write_card
from training.withstand.reading import ANSWER


class WithstandReport:
    """Figures of the suite's kinds, of its whole answers, and of its variants."""

    def __init__(self, plain: Scores, changed: Scores | None, resampling: Resampling) -> None:
        self._plain, self._changed, self._resampling = plain, changed, resampling
        self._estimator = Estimator(resampling)

    def sentences(self) -> dict[str, str]:
        """Single sentences, all kinds together and each by itself."""
        kinds = [name for name in self._plain.groups() if name != ANSWER]
        every = self._plain.labelled(*kinds)
        found = {"all kinds: AUC": shown(self._estimator.auc(every))}
        found["all kinds: noticed at 15 % false alarms"] = shown(
            estimate_from_rows(
                lambda rows: noticed_at(rows_of(every, rows), ALARMS),
                len(every.gold),
                groups=every.clusters,
                resampling=self._resampling,
            )
        )
        found |= self._flagged("all kinds", every)
        for kind in sorted(kinds):
            found |= self._flagged(kind.removeprefix("withstand-"), self._plain.labelled(kind))
        return found

    def answers(self) -> dict[str, str]:
        """Whole answers, and the sentences in them."""
        return self._flagged("sentences of answers", self._plain.labelled(ANSWER)) | self._flagged(
            "whole answers", self._plain.responses(ANSWER)
        )

    def _flagged(self, title: str, judged: Judged) -> dict[str, str]:
        found = {}
        for name, gold in (("unfaithful noticed", False), ("faithful flagged", True)):
            own = np.flatnonzero(judged.gold == gold)
            if len(own):
                estimate = self._estimator.noticed(rows_of(judged, own))
                found[f"{title}: {name}"] = shown(estimate)
        return found

    def card(self, unsure: tuple[float, float]) -> dict[str, str]:
        """What the card of the model says of everyday texts that calibration has not seen.

        Below the lower edge of the band a verdict is sure, below the upper one it is no all-clear.
        """
        kinds = [name for name in self._plain.groups() if name != ANSWER]
        sentences, answers = self._plain.labelled(*kinds), self._plain.responses(ANSWER)
        wrong, right = (rows_of(sentences, np.flatnonzero(sentences.gold == g)) for g in (0, 1))
        whole = rows_of(answers, np.flatnonzero(answers.gold))
        low, high = unsure
        noticed = self._estimator.noticed
        said = [
            f"{title} {shown(noticed(judged))}, for sure {noticed(judged, low).value:.3f}"
            for title, judged in (("errors noticed", wrong), ("right ones flagged", right))
        ]
        return {
            "everyday sentences": "; ".join(said),
            "everyday answers without an error": f"flagged for sure {shown(noticed(whole, low))};"
            f" for sure or not sure {shown(noticed(whole, high))}",
        }

    def variants(self) -> dict[str, str]:
        """The share of responses that are flagged in one look and not in the other."""
        if self._changed is None:
            return {}
        plain = {
            each["id"]: scores.min()
            for each, scores in zip(self._plain.examples, self._plain.sentences, strict=True)
        }
        found = {}
        for look in dict.fromkeys(name.partition("|")[0] for name in self._changed.groups()):
            pairs = zip(self._changed.examples, self._changed.sentences, strict=True)
            own = [
                (scores.min() < THRESHOLD, plain[each["id"].rpartition("+")[0]], each)
                for each, scores in pairs
                if each["group"].startswith(f"{look}|")
            ]
            differs = np.array([flagged != (before < THRESHOLD) for flagged, before, _ in own])
            clusters = [each["cluster"] for _, _, each in own]
            found[f"{look}: changed"] = shown(self._share(differs, clusters))
        return found

    def _share(self, differs: NDArray[np.bool_], clusters: list[str]) -> Estimate:
        return estimate_from_rows(
            lambda rows: float(differs[rows].mean()),
            len(differs),
            groups=clusters,
            resampling=self._resampling,
        )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prepared", type=Path, required=True)
    parser.add_argument("--trained", type=Path, required=True)
    parser.add_argument("--model", type=Path, help="whose calibration is used; none: as trained")
    parser.add_argument("--card", action="store_true", help="write figures into the model's card")
    parser.add_argument("--replicates", type=int, default=1_000, help="for the intervals")
    options = parser.parse_args(arguments)

    def scores(name: str) -> Scores:
        logits = read_logits(options.trained / name)
        return Scores(options.prepared / name, logits, *read_calibration(options.model))

    has_variants = (options.trained / "variants" / "development.npz").exists()
    changed = scores("variants") if has_variants else None
    report = WithstandReport(scores("withstand"), changed, Resampling(options.replicates))
    found = report.sentences() | report.answers() | report.variants()
    for name, text in found.items():
        print(f"- {name}: {text}")
    path = options.trained / "withstand.json"
    path.write_text(json.dumps(found, indent=1), encoding="utf-8")
    if options.card:
        card = json.loads((options.model / CARD).read_text(encoding="utf-8"))
        unseen = report.card(tuple(card["calibration"]["unsure"]))
        write_card(options.model, {"figures": card.get("figures", {}) | unseen})


if __name__ == "__main__":
    main()
