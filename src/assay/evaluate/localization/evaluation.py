"""A localizer held against the errors that people found, and beside a binary judge."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from assay.core.examples import Example
from assay.evaluate.evaluation import Evaluation, evaluate
from assay.evaluate.items import Reading, find_items
from assay.evaluate.localization.cases import make_cases
from assay.evaluate.localization.hearing import Asking, Heard, hear_detector
from assay.evaluate.localization.matching import Matcher
from assay.evaluate.localization.measuring import Localization, measure
from assay.evaluate.localization.selecting import Part, select
from assay.evaluate.predictions import (
    recorded_judges,
    recorded_predictions,
    refuse_repeated,
    run_predictions,
)
from assay.metrics import Resampling


@dataclass(frozen=True, slots=True)
class Measuring:
    """Who judges, who matches and on which examples; `binary` is a judge to set beside."""

    judge: str
    matcher: Matcher
    model: str = ""
    binary: str = ""
    part: Part = field(default_factory=Part)
    resampling: Resampling = field(default_factory=Resampling)


@dataclass(frozen=True, slots=True)
class LocalizationReport:
    """What came out on one corpus: the errors found, and the verdicts on whole responses.

    Left out are `unknown` examples, of which nobody said what is wrong, and those `outside` of the
    sample that a run is about, or of a file of verdicts.
    """

    dataset: str
    localization: Localization
    binarized: Evaluation
    binary: Evaluation | None
    unknown: int = 0
    outside: int = 0
    made: int = 0

    @property
    def is_complete(self) -> bool:
        """Whether every example has an outcome, of the judge beside as well."""
        return self.localization.is_complete and not (self.binary and self.binary.failures)


def evaluate_localizer(
    dataset: str, corpus: Sequence[Example], measuring: Measuring, asking: Asking
) -> LocalizationReport:
    """Measures one judge on the examples of a corpus of which it is known what is wrong."""
    refuse_repeated(dataset, (example.id for example in corpus))
    judges = [name for name in (measuring.judge, measuring.binary) if name]
    selected = select(dataset, corpus, measuring.part, judges, asking.runs)
    examples = selected.examples
    # Both are looked for before either is asked, so that a wrong name costs nothing.
    judge = asking.find(measuring.judge, measuring.model, corpus)
    beside = _beside(examples, corpus, measuring, asking)
    heard = hear_detector(measuring.judge, judge, examples, asking.tick)
    cases = make_cases(heard.judgements, measuring.matcher)
    how = measuring.resampling
    return LocalizationReport(
        dataset,
        measure(heard.name, measuring.matcher.name, cases, how),
        binarized(heard, examples, how),
        beside() if beside else None,
        unknown=selected.unknown,
        outside=selected.outside,
        made=sum(error.is_made for case in cases for error in case.gold),
    )


def _beside(
    examples: Sequence[Example], corpus: Sequence[Example], measuring: Measuring, asking: Asking
) -> Callable[[], Evaluation] | None:
    """What evaluates the judge to set beside: one that the corpus records, or one to be heard."""
    name, how = measuring.binary, measuring.resampling
    if not name:
        return None
    if name in recorded_judges(examples):
        items = find_items(examples, Reading())
        recorded = recorded_predictions(examples, name, items)
        return lambda: evaluate(items, recorded, resampling=how)
    judge = asking.find(name, measuring.model, corpus)
    return lambda: binarized(hear_detector(name, judge, examples, asking.tick), examples, how)


def binarized(heard: Heard, examples: Sequence[Example], resampling: Resampling) -> Evaluation:
    """The verdicts on whole responses against the gold labels under their usual reading."""
    items = find_items(examples, Reading())
    return evaluate(items, run_predictions(examples, heard, items), resampling=resampling)
