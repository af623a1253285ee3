"""Which of the two prompts of a style is better on some examples, and whether that is luck."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.core.errors import UnknownNameError
from assay.core.examples import Example
from assay.detectors.localize.making import STYLES, VARIANTS, make_localizer
from assay.evaluate.localization.cases import make_cases
from assay.evaluate.localization.hearing import Heard, Tick, hear_detector
from assay.evaluate.localization.matching import Matcher
from assay.evaluate.localization.measuring import Localization, groups_of, measure
from assay.llm.client import Client
from assay.metrics import Comparison, Resampling, Tables, compare_tables, hit_tables, rates


@dataclass(frozen=True, slots=True)
class Choice:
    """Both variants of a style, the difference of their F1, and the one to take.

    Nothing is `better` where no F1 can be compared.
    """

    style: str
    variants: tuple[Localization, Localization]
    comparison: Comparison
    better: str | None

    @property
    def is_clear(self) -> bool:
        """Whether the interval of the difference leaves out 0."""
        low, high = self.comparison.difference.low, self.comparison.difference.high
        return low is not None and high is not None and not low <= 0 <= high

    @property
    def is_complete(self) -> bool:
        """Whether both are measured on all examples, and can be compared."""
        return self.better is not None and all(each.is_complete for each in self.variants)


def choose_variant(
    style: str,
    examples: Sequence[Example],
    client: Client,
    matcher: Matcher,
    tick: Tick = lambda _: None,
    resampling: Resampling | None = None,
) -> Choice:
    """The variant with the higher F1 on the examples; of equals the first."""
    if style not in STYLES:
        raise UnknownNameError("style", style, STYLES)
    how = resampling or Resampling()
    heard = [_heard(f"{style}:{variant}", examples, client, tick) for variant in VARIANTS]
    first, second = (
        measure(each.name, matcher.name, make_cases(each.judgements, matcher), how)
        for each in heard
    )
    comparison = compare_f1(first, second, how)
    return Choice(style, (first, second), comparison, _better(style, comparison))


def compare_f1(first: Localization, second: Localization, resampling: Resampling) -> Comparison:
    """The F1 of two localizers on the examples that both are measured on, and the difference."""
    pairs = zip(first.cases, second.cases, strict=True)
    is_measured = all(each.figures["F1"].value is not None for each in (first, second))
    both = [pair for pair in pairs if is_measured and all(case.hits for case in pair)]
    groups = groups_of([one for one, _ in both])
    sides = [[pair[side].hits for pair in both] for side in (0, 1)]
    tables = [hit_tables([each for each in hits if each], groups=groups) for hits in sides]
    values = np.stack([table.values for table in tables], axis=1)
    paired = Tables(values, tables[0].copies, len(both))
    return compare_tables(rates.hit_f1, paired, resampling=resampling)


def _better(style: str, comparison: Comparison) -> str | None:
    if comparison.first is None or comparison.second is None:
        return None
    return f"{style}:{VARIANTS[comparison.second > comparison.first]}"


def _heard(name: str, examples: Sequence[Example], client: Client, tick: Tick) -> Heard:
    return hear_detector(name, make_localizer(name, client), examples, tick)
