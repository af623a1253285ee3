"""The counterfactual test: is a detail found once it is false, although it was missed while true?

The paper's reading: a model that finds far more of the false details than of the true ones lets the
true ones pass because it knows them, not because it cannot see them.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from assay.core.examples import Example
from assay.core.spans import Span
from assay.core.taxonomies import FINAL4
from assay.core.texts import Response
from assay.core.units import Unit
from assay.core.verdicts import Failure
from assay.detectors.protocol import Detector
from assay.evaluation.asking import Progress, ask_each, no_progress
from assay.evaluation.errors.alternatives import Alternative, moved, propose_words, replace_words
from assay.evaluation.errors.targets import Finder, Target
from assay.evaluation.localization.inconsistencies import Inconsistency, made_unit
from assay.llm.client import Client
from assay.metrics import Estimate, proportion


@dataclass(frozen=True, slots=True)
class Trial:
    """A target with false words in its place, and whether the detector notices them.

    `error` is the false detail, and `others` are the other errors at their new places; those in
    the words that changed are gone.
    """

    target: Target
    alternative: Alternative
    changed: Example
    error: Inconsistency
    others: tuple[Inconsistency, ...]
    found: bool | None = None

    def to_dict(self) -> dict[str, Any]:
        """What was changed and what was found, as plain JSON values."""
        target = self.target
        return {
            "example": target.example.id,
            "description": target.error.description,
            "words": [span.text for span in target.error.unit.spans],
            "alternatives": list(self.alternative.words),
            "reason": self.alternative.reason,
            "response": self.changed.response.text,
            "found_before": target.found,
            "found_after": self.found,
        }


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """How many details are found while they are true and once they are false.

    All three count only what was judged both times; `after_missed` only what was missed before.
    """

    targets: int
    unplaced: int
    before: Estimate
    after: Estimate
    after_missed: Estimate
    trials: tuple[Trial, ...]
    failed: tuple[tuple[Target, Failure], ...]  # no words were proposed
    unjudged: int

    @property
    def proposal_failures(self) -> Counter[str]:
        """How many targets have no new words, by reason."""
        return Counter(failure.reason for _, failure in self.failed)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        return {
            "targets": self.targets,
            "unplaced": self.unplaced,
            "before": asdict(self.before),
            "after": asdict(self.after),
            "after_missed": asdict(self.after_missed),
            "proposal_failures": dict(self.proposal_failures),
            "unjudged": self.unjudged,
            "trials": [trial.to_dict() for trial in self.trials],
            "without_words": [
                {"example": target.example.id, **asdict(failure)} for target, failure in self.failed
            ],
        }


async def try_counterfactuals(
    targets: Sequence[Target],
    client: Client,
    detector: Detector,
    finder: Finder,
    progress: Progress = no_progress,
) -> Counterfactual:
    """Asks for false words, puts them in, and lets the same detector look again."""

    async def propose(target: Target) -> Alternative | Failure:
        return await propose_words(client, target.example, target.error)

    placed = [_merged(target) for target in targets if target.error.unit.spans]
    proposed = await ask_each(placed, propose, client.concurrency)
    pairs = list(zip(placed, proposed, strict=True))
    trials = [make_trial(target, new) for target, new in pairs if isinstance(new, Alternative)]
    failed = tuple((target, new) for target, new in pairs if isinstance(new, Failure))
    told = await _judge(trials, detector, finder, progress)
    return _measured(len(targets), len(targets) - len(placed), told, failed)


async def _judge(
    trials: Sequence[Trial], detector: Detector, finder: Finder, progress: Progress
) -> list[Trial]:
    """The trials with what the detector notices; several may have the same changed response."""
    examples = {trial.changed.id: trial.changed for trial in trials}
    said = {}
    async for judgement in detector.judge(examples.values()):
        said[judgement.example] = judgement
        progress()

    async def find(trial: Trial) -> Trial:
        judgement = said[trial.changed.id]
        found = await finder.find(trial.changed, judgement, trial.error, trial.others)
        return replace(trial, found=found)

    return await ask_each(trials, find, finder.matcher.concurrency)


def make_trial(target: Target, alternative: Alternative) -> Trial:
    """The example with the new words, and what is wrong with it now."""
    example, spans, words = target.example, target.error.unit.spans, alternative.words
    text, places = replace_words(example.response.text, spans, words)
    digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:10]
    changed = replace(
        example,
        id=f"{example.id}:changed-{digest}",
        response=Response(text, example.response.model),
        units=(),
    )
    unit = made_unit(Unit(target.error.unit.id, "span", " ... ".join(words), places))
    error = Inconsistency(unit, FINAL4["extrinsic-wrong"], is_made=True)
    others = []
    for other in target.others:
        new = [moved(span, spans, words, text) for span in other.unit.spans]
        kept = tuple(span for span in new if span is not None)
        if len(kept) == len(new):
            others.append(replace(other, unit=replace(other.unit, spans=kept), also=()))
    return Trial(target, alternative, changed, error, tuple(others))


def _merged(target: Target) -> Target:
    """The target with its places in their order, and those that overlap as one."""
    text, spans = target.example.response.text, list[Span]()
    for span in sorted(target.error.unit.spans):
        if spans and spans[-1].overlaps(span):
            last = spans.pop()
            span = Span.cut(text, last.start, max(last.end, span.end), "response")
        spans.append(span)
    unit = replace(target.error.unit, spans=tuple(spans))
    return replace(target, error=replace(target.error, unit=unit))


def _measured(
    targets: int,
    unplaced: int,
    trials: Sequence[Trial],
    failed: tuple[tuple[Target, Failure], ...],
) -> Counterfactual:
    both = [t for t in trials if t.found is not None and t.target.found is not None]
    missed = [trial for trial in both if not trial.target.found]
    return Counterfactual(
        targets,
        unplaced,
        proportion(sum(bool(trial.target.found) for trial in both), len(both)),
        proportion(sum(bool(trial.found) for trial in both), len(both)),
        proportion(sum(bool(trial.found) for trial in missed), len(missed)),
        tuple(trials),
        failed,
        len(trials) - len(both),
    )
