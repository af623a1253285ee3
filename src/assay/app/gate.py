"""When a check fails: a response that scores too low, or a unit with an unwanted label."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from assay.core.errors import UnknownNameError
from assay.core.labels import COARSE, Label, Taxonomy
from assay.core.results import Result
from assay.core.totals import count_of, noun_of


@dataclass(slots=True)
class Gate:
    """Counts what breaks the rules."""

    fail_under: float | None = None
    fail_on: frozenset[Label] = frozenset()
    low_scores: int = 0
    bad_labels: Counter[str] = field(default_factory=Counter)
    unscored: int = 0
    bad_kinds: set[str] = field(default_factory=set)

    def add(self, result: Result) -> None:
        """Holds one more result against the rules."""
        if self.fail_under is not None:
            self.unscored += result.score is None and _states_fact(result)
            scores = [each.score for each in result.counted if each.score is not None]
            self.low_scores += bool(scores) and min(scores) < self.fail_under
        for finding in result.counted:
            if finding.label is not None and finding.label in self.fail_on:
                self.bad_labels[finding.label.name] += 1
                self.bad_kinds.add(finding.kind)

    @property
    def failed(self) -> bool:
        """Whether anything broke a rule."""
        return bool(self.low_scores or self.bad_labels)

    def __str__(self) -> str:
        labels, names = self.bad_labels.total(), " or ".join(sorted(self.bad_labels))
        kind = noun_of(self.bad_kinds)
        told = (
            (self.low_scores, f"{count_of(self.low_scores, 'response')} below {self.fail_under}"),
            (labels, f"{count_of(labels, kind)} labelled {names}"),
            (self.unscored, f"{count_of(self.unscored, 'response')} without a score to compare"),
        )
        return "; ".join(words for number, words in told if number)


def make_gate(fail_under: float | None, fail_on: Iterable[str], taxonomy: Taxonomy) -> Gate:
    """The gate for some rules; names are labels of the taxonomy or coarse readings."""
    labels: set[Label] = set()
    for name in fail_on:
        if name in COARSE:
            labels.update(label for label in taxonomy if label.coarse == name)
        else:
            labels.add(_label(taxonomy, name))
    return Gate(fail_under, frozenset(labels))


def _label(taxonomy: Taxonomy, name: str) -> Label:
    try:
        return taxonomy[name]
    except UnknownNameError:
        menu = (*taxonomy.names, *COARSE)
        raise UnknownNameError("label", name, menu, field="fail_on") from None


def _states_fact(result: Result) -> bool:
    """Whether the response has a verdict that a score could have come with."""
    return result.response.coarse in ("faithful", "not-sure", "unfaithful")
