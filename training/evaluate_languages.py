"""What `embedded-large` notices in other languages, by its own detector at the shipped threshold.

    python -m training.evaluate_languages --base QWEN.gguf --outputs out/languages [--card]

Reads every sentence of `languages/` as a response of its own, once with its language stated and
once without. Of each language, and across languages: how many unfaithful sentences are noticed and
how many faithful ones are flagged, for sure too, with Wilson intervals. A language is promised if
enough of its sentences come out right (`BAR`); with `--card` those are written into the card, with
the figures. Nothing else is chosen by them. What the network said is kept in `--outputs`, so that
a second run reads nothing again; `languages.json` there has every sentence with its score.
"""

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from pathlib import Path

from assay.core.examples import Example
from assay.core.judgements import Judgement
from assay.core.texts import Response
from assay.core.verdicts import Verdict
from assay.detectors.embedded.detector import EntailmentDetector
from assay.detectors.embedded.folders import CARD
from assay.detectors.embedded.large.detector import SHIPPED, LargeModel
from assay.metrics.estimates import wilson_interval
from assay.text.identification import language_name
from training.languages.reading import LANGUAGES, ORIGINAL, Case, Record, records
from training.remembered import RememberedNetwork
from training.ship import write_card

BAR = (0.75, 0.20)  # noticed at least, flagged at most
THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7)
TOGETHER = 4  # sources that are read together


@dataclass(frozen=True, slots=True)
class Told:
    """What was said of a sentence; without a score it got no verdict or states nothing."""

    id: str
    file: str
    source_language: str
    language: str
    faithful: bool
    kind: str
    stated: bool  # whether its language was
    score: float | None
    flagged: bool
    sure: bool
    reason: str = ""  # for no verdict

    @property
    def is_cross(self) -> bool:
        """Whether source and sentence are in different languages."""
        return self.language != self.source_language


@dataclass(frozen=True, slots=True)
class Share:
    """How many of some sentences, with the Wilson interval."""

    count: int
    n: int

    @property
    def value(self) -> float:
        return self.count / self.n if self.n else 0.0

    def __str__(self) -> str:
        low, high = wilson_interval(self.count, self.n) or (0.0, 1.0)
        return f"{self.value:.3f} ({low:.3f} to {high:.3f}), n={self.n}"


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of some sentences."""

    noticed: Share
    noticed_for_sure: Share
    flagged: Share
    flagged_for_sure: Share
    unread: int  # without a verdict

    @property
    def passes(self) -> bool:
        """Whether they are good enough for a promise."""
        return self.noticed.value >= BAR[0] and self.flagged.value <= BAR[1]

    def __str__(self) -> str:
        return (
            f"errors noticed {self.noticed}, for sure {self.noticed_for_sure.value:.3f};"
            f" right ones flagged {self.flagged}, for sure {self.flagged_for_sure.value:.3f}"
        )


def figures_of(told: Iterable[Told]) -> Figures:
    """Counts what was noticed and flagged."""
    every = list(told)
    wrong = [each for each in every if not each.faithful]
    right = [each for each in every if each.faithful]

    def share(some: Sequence[Told], sure: bool) -> Share:
        return Share(sum(each.flagged and each.sure >= sure for each in some), len(some))

    return Figures(
        share(wrong, False),
        share(wrong, True),
        share(right, False),
        share(right, True),
        sum(bool(each.reason) for each in every),
    )


def tell(detector: EntailmentDetector, some: Sequence[Record], stated: bool) -> Iterator[Told]:
    """Judges all sentences of some sources."""
    cases = [(record, number, case) for record in some for number, case in enumerate(record.cases)]
    examples = [
        Example(
            f"{record.id}-{number + 1}",
            record.source,
            Response(case.sentence),
            language=case.language if stated else ORIGINAL,
            is_english_stated=stated and case.language == ORIGINAL,
        )
        for record, number, case in cases
    ]
    for (record, _, case), judgement in zip(cases, detector.judge_batch(examples), strict=True):
        yield _told(record, case, judgement, stated)


def _told(record: Record, case: Case, judgement: Judgement, stated: bool) -> Told:
    """One that was cut into several is flagged if any of them is."""
    verdicts = [each for each in judgement.outcomes if isinstance(each, Verdict)]
    failures = [each for each in judgement.outcomes if not isinstance(each, Verdict)]
    scores = [each.score for each in verdicts if each.score is not None]
    flagged = [each for each in verdicts if each.answers and each.answers.entailed is False]
    return Told(
        judgement.example,
        record.file,
        record.source_language,
        case.language,
        case.label == "faithful",
        case.kind,
        stated,
        min(scores, default=None),
        bool(flagged),
        any(not each.attributes.unsure for each in flagged),
        failures[0].reason if failures else "",
    )


def table(told: Sequence[Told]) -> str:
    """A Markdown table of the figures of each language, and across languages."""
    rows = [
        "| language | noticed | for sure | flagged | for sure | across: noticed, flagged"
        " | nothing stated: noticed, flagged, no verdict |",
        "|---|---|---|---|---|---|---|",
    ]
    for file in (*LANGUAGES, "", ORIGINAL):
        own = [each for each in told if (each.file == file if file else each.file != ORIGINAL)]
        stated = [each for each in own if each.stated]
        found, across = figures_of(stated), figures_of(each for each in stated if each.is_cross)
        unstated = figures_of(each for each in own if not each.stated)
        rows.append(
            f"| {language_name(file) if file else 'all twelve'} | {_cell(found.noticed)}"
            f" | {_cell(found.noticed_for_sure)} | {_cell(found.flagged)}"
            f" | {_cell(found.flagged_for_sure)} | {_pair(across)}"
            f" | {_pair(unstated)}, {unstated.unread} of {len(own) - len(stated)} |"
        )
    return "\n".join(rows)


def _cell(share: Share) -> str:
    low, high = wilson_interval(share.count, share.n) or (0.0, 1.0)
    return f"{100 * share.value:.0f} % [{100 * low:.0f}, {100 * high:.0f}] of {share.n}"


def _pair(found: Figures) -> str:
    return f"{found.noticed.count} of {found.noticed.n}, {found.flagged.count} of {found.flagged.n}"


def at_thresholds(told: Sequence[Told]) -> Iterator[str]:
    """What another threshold would give, for other languages and for English."""
    for name, files in (("other languages", LANGUAGES), ("English", (ORIGINAL,))):
        own = [each for each in told if each.stated and each.file in files]
        for threshold in THRESHOLDS:
            found = figures_of(
                replace(each, flagged=each.score is not None and each.score < threshold)
                for each in own
            )
            yield f"{name} at {threshold}: noticed {found.noticed}; flagged {found.flagged}"


def by_kind(told: Sequence[Told]) -> Iterator[str]:
    """The share that was flagged of each kind, for other languages and for English."""
    for kind in sorted({(each.faithful, each.kind) for each in told}):
        own = [each for each in told if each.stated and (each.faithful, each.kind) == kind]
        shares = (
            Share(sum(each.flagged for each in some), len(some))
            for some in (
                [each for each in own if each.file != ORIGINAL],
                [each for each in own if each.file == ORIGINAL],
            )
        )
        label = "faithful" if kind[0] else "unfaithful"
        yield f"{label} {kind[1]}: flagged {'; English '.join(map(str, shares))}"


def read_all(base: Path, model: Path, outputs: Path) -> list[Told]:
    """Judges every sentence twice, with its language stated and without."""
    ready = LargeModel(model, base).ready
    settings = replace(ready.settings, languages=(ORIGINAL, *LANGUAGES))
    network = RememberedNetwork(ready.network, outputs / ready.digest)
    detector = EntailmentDetector(replace(ready, network=network, settings=settings))
    found: list[Told] = []
    for _, group in groupby(enumerate(records()), lambda each: each[0] // TOGETHER):
        some = [record for _, record in group]
        for stated in (True, False):
            found += tell(detector, some, stated)
        print(f"{found[-1].id} ...", flush=True)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--model", type=Path, default=SHIPPED)
    parser.add_argument("--outputs", type=Path, required=True)
    parser.add_argument("--card", action="store_true", help="write languages and figures into it")
    options = parser.parse_args(arguments)
    told = read_all(options.base, options.model, options.outputs)
    path = options.outputs / "languages.json"
    path.write_text(json.dumps([asdict(each) for each in told], indent=0), encoding="utf-8")
    print(table(told), *at_thresholds(told), *by_kind(told), sep="\n")
    stated = [each for each in told if each.stated]
    by_file = {file: figures_of(each for each in stated if each.file == file) for file in LANGUAGES}
    passed = [file for file, found in by_file.items() if found.passes]
    print("promised:", *passed)
    if options.card:
        card = json.loads((options.model / CARD).read_text(encoding="utf-8"))
        tried = [each for each in stated if each.file != ORIGINAL]
        figures = {f"in {language_name(file)}": str(by_file[file]) for file in passed}
        figures[f"in all {len(LANGUAGES)} languages tried"] = str(figures_of(tried))
        kept = {name: text for name, text in card.get("figures", {}).items() if name[:3] != "in "}
        languages = [ORIGINAL, *passed]
        write_card(options.model, {"languages": languages, "figures": kept | figures})


if __name__ == "__main__":
    main()
