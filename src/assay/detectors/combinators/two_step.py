"""`two_step`: a first step says whether anything is wrong, and only then is it asked what."""

from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from assay import __version__
from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import GOLD, Author, Finding, Judgement
from assay.core.labels import Label, worst
from assay.core.readings import reading as find_reading
from assay.core.readings import usual_reading
from assay.core.taxonomies import BINARY, FAITHBENCH
from assay.core.units import RESPONSE, UnitKind
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.detectors.combinators.combining import (
    TOGETHER,
    PerExample,
    combined_capabilities,
    combined_digests,
)
from assay.detectors.protocol import (
    Capabilities,
    Detector,
    concurrently,
    judgement_of,
    stages_of,
)
from assay.text.sentences import response_unit

_PARTS: tuple[UnitKind, ...] = ("inconsistency", "span", "sentence")


class GoldStep:
    """A first step by what people said of the response: an upper bound for real ones.

    It goes by the gold label under the usual reading of its taxonomy; of FaithBench's labels only
    consistent is faithful.
    """

    author = GOLD
    capabilities = Capabilities("response", BINARY, scores=False, reads_annotations=True)
    prompt_digests: Mapping[str, str] = {}

    def __init__(self, annotations: Callable[[], Iterable[Annotated]] | None) -> None:
        self._annotations = annotations

    async def judge(self, examples: Iterable[Example]) -> AsyncIterator[Judgement]:
        """The gold verdicts; a response without one, or with one that is left out, is a failure."""
        missing = Failure(RESPONSE, "missing", "the example has no gold label")
        for example in examples:
            outcome = self._outcomes.get(example.id, missing)
            yield judgement_of(example, GOLD, [Finding(response_unit(example), outcome)])

    @cached_property
    def _outcomes(self) -> dict[str, Outcome]:
        if self._annotations is None:
            raise InputError("a first step by gold labels needs annotated data", field="peers")
        labels = ((each.id, gold_label(each)) for each in self._annotations())
        return {id: _gold_outcome(label) for id, label in labels if label}


@dataclass(frozen=True, slots=True)
class TwoStep:
    """Asks the localizer unless all that the first step judged is faithful or states no fact."""

    first: Detector
    localizer: Detector

    @property
    def author(self) -> Author:
        """Both names."""
        name = f"{self.localizer.author.name} after {self.first.author.name}"
        return Author(name, version=__version__)

    @property
    def capabilities(self) -> Capabilities:
        """Those of the localizer; it needs what the first step needs as well."""
        can = self.localizer.capabilities
        combined = combined_capabilities(can, self.first.capabilities)
        return replace(combined, scores=can.scores, consults=can.consults, marks=can.marks)

    @property
    def prompt_digests(self) -> Mapping[str, str]:
        """The prompts of both steps; numbered by step where both ask."""
        return combined_digests((self.first, self.localizer))

    @property
    def stages(self) -> tuple[Detector, ...]:
        """The first step, then the localizer; together where people said what comes to it."""
        if self.first.capabilities.reads_annotations:
            return (self,)
        return (*stages_of(self.first), *stages_of(self.localizer))

    def judge(self, examples: Iterable[Example]) -> AsyncIterator[Judgement]:
        """The localizer's judgement, or a note that the first step made asking it unnecessary."""
        classifier, localizer = PerExample(self.first), PerExample(self.localizer)
        kind = self.first.capabilities.unit_kind

        async def judge_one(example: Example) -> Judgement:
            named = tuple(unit for unit in example.units if unit.kind == kind)
            first = await classifier.judge(replace(example, units=named))
            settled = self._settled(first)
            if settled:
                finding = Finding(response_unit(example), settled)
                return judgement_of(example, self.author, [finding], first.characters_read)
            found = await localizer.judge(replace(example, units=()))
            return replace(
                found,
                author=self.author,
                outcomes=tuple(map(self._explained, found.outcomes)),
                characters_read=min(first.characters_read, found.characters_read),
            )

        return concurrently(examples, judge_one, TOGETHER)

    def _settled(self, first: Judgement) -> Outcome | None:
        """The outcome that the first step leads to alone; None if the localizer is to be asked."""
        if any(each.coarse not in ("faithful", "no-fact") for each in first.verdicts):
            return None
        if first.failures or not first.outcomes:
            failure = first.failures[0] if first.failures else Failure(RESPONSE, "missing")
            detail = f"the first step ({self.first.author.name}) has no verdict: {failure.detail}"
            return Failure(RESPONSE, failure.reason, detail.removesuffix(": "), failure.raw)
        note = (
            f"The first step ({self.first.author.name}) finds it faithful; nothing more was asked."
        )
        return Verdict(RESPONSE, BINARY["faithful"], note=note)

    def _explained(self, outcome: Outcome) -> Outcome:
        """The localizer's verdict on the response, with what led to it."""
        if isinstance(outcome, Failure) or outcome.unit != RESPONSE:
            return outcome
        note = (
            f"The first step ({self.first.author.name}) does not find it faithful. {outcome.note}"
        )
        return replace(outcome, note=note.strip())


def two_step(classifier: Detector, localizer: Detector) -> TwoStep:
    """Classify, then localize what is not classified as faithful."""
    return TwoStep(classifier, localizer)


def gold_label(annotated: Annotated) -> Label | None:
    """The corpus's own label of the response; without one the worst that people gave it."""
    said = [(each.author, finding) for each in annotated.gold for finding in each.findings]
    whole = [(author, finding) for author, finding in said if finding.kind == "response"]
    settled = [finding.label for author, finding in whole if author == GOLD]
    parts = ([each.label for _, each in said if each.kind == kind] for kind in _PARTS)
    for given in (settled, [finding.label for _, finding in whole], *parts):
        labels = list(filter(None, given))
        if labels:
            return worst([label for label in labels if label.coarse != "no-fact"] or labels)
    return None


def _gold_outcome(label: Label) -> Outcome:
    if label.taxonomy == BINARY.name:
        return Verdict(RESPONSE, label)
    # Every error that people marked is one, as in the gold that localizers are measured by.
    is_faithbench = label.taxonomy == FAITHBENCH.name
    reading = find_reading("faithbench-strict") if is_faithbench else usual_reading(label.taxonomy)
    read = reading(label)
    if read is None:
        return Failure(RESPONSE, "missing", f"the reading '{reading.name}' leaves out {label}")
    return Verdict(RESPONSE, read)
