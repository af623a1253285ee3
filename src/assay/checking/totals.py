"""What the results of a check add up to, counted as they come."""

from collections import Counter
from dataclasses import dataclass, field

from assay.checking.results import Checked
from assay.core.verdicts import Verdict


@dataclass(slots=True)
class Totals:
    """Counts over all examples so far; nothing of the examples themselves is kept."""

    examples: int = 0
    units: int = 0
    labels: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    characters: int = 0
    characters_read: int = 0

    def add(self, checked: Checked) -> None:
        """Counts one more example."""
        self.examples += 1
        self.characters += len(checked.example.source.text)
        self.characters_read += checked.judgement.characters_read
        for outcome in checked.judgement.outcomes:
            self.units += 1
            if isinstance(outcome, Verdict):
                self.labels[outcome.label.name if outcome.label else "score only"] += 1
            else:
                self.failures[outcome.reason] += 1

    @property
    def coverage(self) -> float | None:
        """The share of units with a verdict; None without any unit."""
        return 1 - self.failures.total() / self.units if self.units else None
