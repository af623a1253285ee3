"""The counterfactual test: is a detail found once it is false, although it was missed while true?

The paper's reading: a model that finds far more of the false details than of the true ones lets the
true ones pass because it knows them, not because it cannot see them.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.core.examples import Example, Judgement
from assay.core.spans import Span
from assay.core.taxonomies import BINARY, FINAL4
from assay.core.texts import Response
from assay.core.verdicts import Failure, Verdict
from assay.detectors.judges.judging import together
from assay.detectors.protocol import Detector
from assay.detectors.units import response_unit
from assay.evaluate.errors.alternatives import Alternative, Proposer, moved, replace_words
from assay.evaluate.errors.finding import Finder
from assay.evaluate.localization.hearing import Tick, hear_detector
from assay.evaluate.localization.inconsistencies import Inconsistency, made_unit
from assay.llm.background import background
from assay.metrics import Estimate, proportion

CATEGORY = FINAL4["extrinsic-correct"]


@dataclass(frozen=True, slots=True)
class Target:
    """A true detail that the source does not have; `found` says whether the judge noticed it."""

    example: Example
    error: Inconsistency
    others: tuple[Inconsistency, ...]
    found: bool | None


@dataclass(frozen=True, slots=True)
class Trial:
    """A target with false words in its place, and whether the judge notices them."""

    target: Target
    alternative: Alternative
    changed: Example
    found: bool | None = None


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


def try_counterfactuals(
    targets: Sequence[Target],
    proposer: Proposer,
    detector: Detector,
    finder: Finder,
    tick: Tick = lambda _: None,
) -> Counterfactual:
    """Asks for false words, puts them in, and lets the same judge look again."""
    placed = [_merged(target) for target in targets if target.error.unit.spans]
    proposed = background().run(_propose_all(placed, proposer))
    pairs = list(zip(placed, proposed, strict=True))
    trials = [_trial(target, new) for target, new in pairs if isinstance(new, Alternative)]
    heard = hear_detector("changed", detector, [trial.changed for trial in trials], tick)
    told = _found_all(trials, heard.judgements, finder)
    failed = tuple((target, new) for target, new in pairs if isinstance(new, Failure))
    return _measured(len(targets), len(targets) - len(placed), told, failed)


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


def _found_all(
    trials: Sequence[Trial], judgements: Sequence[Judgement], finder: Finder
) -> tuple[Trial, ...]:
    asked = [
        (judgement, *_errors(trial)) for trial, judgement in zip(trials, judgements, strict=True)
    ]
    found = finder.find_all(asked)
    return tuple(replace(trial, found=each) for trial, each in zip(trials, found, strict=True))


def _measured(
    targets: int,
    unplaced: int,
    trials: tuple[Trial, ...],
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
        trials,
        failed,
        len(trials) - len(both),
    )


async def _propose_all(
    targets: Sequence[Target], proposer: Proposer
) -> list[Alternative | Failure]:
    async with proposer.client:
        return await together(proposer.propose(each.example, each.error) for each in targets)


def _trial(target: Target, alternative: Alternative) -> Trial:
    """The example with the new words; its gold is what is wrong with it now."""
    example, spans = target.example, target.error.unit.spans
    text, _ = replace_words(example.response.text, spans, alternative.words)
    number = "-".join(str(span.start) for span in spans)
    changed = replace(
        example,
        id=f"{example.id}:changed-{number}",
        response=Response(text, example.response.model),
        units=(),
        gold=(),
        recorded=(),
    )
    trial = Trial(target, alternative, changed)
    error, others = _errors(trial)
    gold = (
        Verdict(response_unit(changed), BINARY["unfaithful"]),
        *(Verdict(e.unit, BINARY["unfaithful"], error=e.category) for e in (error, *others)),
    )
    return replace(trial, changed=replace(changed, gold=gold))


def _errors(trial: Trial) -> tuple[Inconsistency, tuple[Inconsistency, ...]]:
    """The false detail, and the other errors at their new places; those in its words are gone."""
    target, words = trial.target, trial.alternative.words
    spans = target.error.unit.spans
    text, places = replace_words(target.example.response.text, spans, words)
    error = Inconsistency(made_unit(places, " ... ".join(words)), FINAL4["extrinsic-wrong"])
    others = []
    for other in target.others:
        new = [moved(span, spans, words, text) for span in other.unit.spans]
        kept = tuple(span for span in new if span is not None)
        if len(kept) == len(new):
            others.append(replace(other, unit=replace(other.unit, spans=kept), also=()))
    return replace(error, is_made=True), tuple(others)
