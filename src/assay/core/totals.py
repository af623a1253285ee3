"""What results add up to, counted as they come."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from assay.core.judgements import Finding, Judgement
from assay.core.results import Result, is_unsure

UNSURE = "not sure"  # the class of verdicts whose label is not sure


@dataclass(slots=True)
class Totals:
    """Counts over all examples so far; nothing of the examples themselves is kept.

    Parts of units that were judged as a whole are counted apart, but their failures are failures.
    """

    examples: int = 0
    units: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    parts: Counter[str] = field(default_factory=Counter)
    failed_parts: int = 0
    peers: Counter[int] = field(default_factory=Counter)  # verdicts by number of peers shown
    characters: int = 0
    characters_read: int = 0

    def add(self, result: Result) -> None:
        """Counts one more example."""
        self.examples += 1
        self.characters += len(result.example.source.text)
        self.characters_read += result.judgement.characters_read
        for finding in result.counted:
            self.units += 1
            self.kinds[finding.kind] += 1
            if finding.verdict:
                self.labels[_class(finding)] += 1
        self.peers.update(peers_shown(result.judgement))
        for part in result.judgement.parts:
            self.parts[part.kind] += 1
            self.failed_parts += part.failure is not None
        self.failures.update(failure.reason for failure in result.failures)

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


def _class(finding: Finding) -> str:
    """What a verdict counts as; a label that is not sure is counted apart from those that are."""
    if is_unsure(finding.outcome):
        return UNSURE
    return finding.label.name if finding.label else "score only"


def peers_shown(judgement: Judgement) -> Iterator[int]:
    """How many annotated peers each verdict rests on, where its judge wants some."""
    for verdict in judgement.verdicts:
        if verdict.attributes.peers is not None:
            yield verdict.attributes.peers


def noun_of(kinds: Iterable[str]) -> str:
    """A word for units of these kinds, in the singular."""
    different = set(kinds)
    return different.pop() if len(different) == 1 else "unit" if different else "sentence"


def plural_of(noun: str) -> str:
    """The word for many.

    >>> plural_of("inconsistency"), plural_of("span"), plural_of("batch")
    ('inconsistencies', 'spans', 'batches')
    """
    if noun.endswith("y"):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith("ch") else f"{noun}s"


def count_of(number: int, noun: str) -> str:
    """A number with its noun.

    >>> count_of(1, "sentence"), count_of(1200, "sentence")
    ('1 sentence', '1,200 sentences')
    """
    return f"{number:,} {noun if number == 1 else plural_of(noun)}"
