"""`fold`: from the units of a response up to one verdict on all of it."""

from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import get_args

from assay.core.errors import UnknownNameError
from assay.core.examples import Example
from assay.core.folding import Rule, fold_judgement
from assay.core.judgements import Author, Judgement
from assay.core.taxonomies import BINARY
from assay.core.units import Unit
from assay.detectors.combinators.combining import Wrapping
from assay.detectors.protocol import Capabilities, Detector, closing


@dataclass(frozen=True, slots=True)
class Fold(Wrapping):
    """A detector of units, as a detector of responses."""

    rule: Rule = "worst"

    @property
    def author(self) -> Author:
        """The detector and the rule."""
        inner = self.detector.author
        return replace(inner, name=f"{inner.name} {self.rule}")

    @property
    def capabilities(self) -> Capabilities:
        """Those of the detector, for responses; binary unless the rule is `worst`.

        A mean is a score, even of labels.
        """
        return folded_capabilities(self.detector.capabilities, self.rule)

    async def judge(self, examples: Iterable[Example]) -> AsyncIterator[Judgement]:
        """One outcome an example."""
        texts: dict[str, str] = {}
        async with closing(self.detector.judge(_noting(examples, texts))) as judgements:
            async for judgement in judgements:
                yield self._folded(judgement, texts.pop(judgement.example))

    def _folded(self, judgement: Judgement, response: str) -> Judgement:
        outcome = fold_judgement(judgement, self.rule)
        units = (Unit.response(response),)
        return replace(judgement, author=self.author, units=units, outcomes=(outcome,))


def fold(detector: Detector, rule: Rule = "worst") -> Fold:
    """The same detector on whole responses.

    worst: the least faithful label and the lowest score; no-fact counts only if all units are.
    mean: the mean score, or where no unit has one the share of faithful units among those that
    state a fact; faithful from 0.5 on.
    any: unfaithful if any unit is unfaithful.
    Where units failed, only `worst` and `any` can give a verdict, and only an unfaithful one.
    """
    if rule not in get_args(Rule):
        raise UnknownNameError("rule", rule, get_args(Rule))
    return Fold(detector, rule)


def folded_capabilities(inner: Capabilities, rule: Rule = "worst") -> Capabilities:
    """The capabilities of a detector that is folded."""
    return replace(
        inner,
        unit_kind="response",
        taxonomy=inner.taxonomy if rule == "worst" else BINARY,
        scores=inner.scores or rule == "mean",
        finds_units=False,
        consults=False,
        marks=False,
    )


def _noting(examples: Iterable[Example], texts: dict[str, str]) -> Iterator[Example]:
    """The examples, whose responses are noted by id as they are taken."""
    for example in examples:
        texts[example.id] = example.response.text
        yield example
