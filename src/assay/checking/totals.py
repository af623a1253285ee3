"""What the results of a check add up to, counted as they come."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from assay.checking.results import Checked
from assay.core.verdicts import Failure, Verdict


@dataclass(slots=True)
class Totals:
    """Counts over all examples so far; nothing of the examples themselves is kept.

    Claims and relations of sentences are counted as `parts`, and their failures as failures.
    """

    examples: int = 0
    units: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    parts: Counter[str] = field(default_factory=Counter)
    failed_parts: int = 0
    characters: int = 0
    characters_read: int = 0

    def add(self, checked: Checked) -> None:
        """Counts one more example."""
        self.examples += 1
        self.characters += len(checked.example.source.text)
        self.characters_read += checked.judgement.characters_read
        for outcome in checked.counted:
            self.units += 1
            self.kinds[outcome.unit.kind] += 1
            if isinstance(outcome, Verdict):
                self.labels[outcome.label.name if outcome.label else "score only"] += 1
        for part in checked.parts:
            self.parts[part.unit.kind] += 1
            self.failed_parts += isinstance(part, Failure)
        self.failures.update(failure.reason for failure in checked.failures)

    @property
    def noun(self) -> str:
        """What was judged, in the singular: the kind of all units, or `unit` where they differ."""
        return noun_of(self.kinds)

    @property
    def unjudged(self) -> int:
        """How many units, their parts aside, have no verdict."""
        return self.failures.total() - self.failed_parts

    @property
    def coverage(self) -> float | None:
        """The share of units with a verdict; None without any unit."""
        return 1 - self.unjudged / self.units if self.units else None


def noun_of(kinds: Iterable[str]) -> str:
    """A word for units of these kinds, in the singular."""
    different = set(kinds)
    return different.pop() if len(different) == 1 else "unit" if different else "sentence"
