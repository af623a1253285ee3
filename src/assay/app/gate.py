"""The rules by which a check fails: a score that is too low, or an unwanted label.

A label that its author is not sure of breaks no rule about labels; it breaks one about what is not
sure. What has a score and no label breaks rules about coarse readings. A rule about scores looks at
scores alone.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from assay.core.errors import UnknownNameError
from assay.core.judgements import Finding
from assay.core.labels import COARSE, Label, Taxonomy
from assay.core.results import UNSURE, Result, count_of, is_unsure, noun_of


@dataclass(slots=True)
class Gate:
    """Counts what breaks the rules."""

    fail_under: float | None = None
    fail_on: frozenset[Label] = frozenset()
    fail_on_coarse: frozenset[str] = frozenset()
    low_scores: int = 0
    bad_labels: Counter[str] = field(default_factory=Counter)
    unscored: int = 0
    bad_kinds: set[str] = field(default_factory=set)
    spared: int = 0  # units whose label would break a rule if it were sure
    spared_kinds: set[str] = field(default_factory=set)

    def add(self, result: Result) -> None:
        """Compares one more result with the rules."""
        if self.fail_under is not None:
            self.unscored += result.score is None and _states_fact(result)
            scores = [each.score for each in result.counted if each.score is not None]
            self.low_scores += bool(scores) and min(scores) < self.fail_under
        for finding in result.counted if self.fail_on or self.fail_on_coarse else ():
            if name := self._broken_by(finding):
                self.bad_labels[name] += 1
                self.bad_kinds.add(finding.kind)

    def _broken_by(self, finding: Finding) -> str:
        """The label, or `not sure`, that breaks a rule; empty where none is broken."""
        label, coarse = finding.label, finding.coarse
        if is_unsure(finding.outcome):
            fails = "not-sure" in self.fail_on_coarse
            if label in self.fail_on and not fails:
                self.spared += 1
                self.spared_kinds.add(finding.kind)
            return UNSURE if fails else ""
        if label is None:
            return coarse if coarse and coarse in self.fail_on_coarse else ""
        return label.name if label in self.fail_on else ""

    @property
    def failed(self) -> bool:
        """True if anything broke a rule."""
        return bool(self.low_scores or self.bad_labels)

    def __str__(self) -> str:
        labels, names = self.bad_labels.total(), " or ".join(sorted(self.bad_labels))
        kind, unsure = noun_of(self.bad_kinds), noun_of(self.spared_kinds)
        told = (
            (self.low_scores, f"{count_of(self.low_scores, 'response')} below {self.fail_under}"),
            (labels, f"{count_of(labels, kind)} labelled {names}"),
            (self.spared, f"{count_of(self.spared, unsure)} not sure, which no rule here counts"),
            (self.unscored, f"{count_of(self.unscored, 'response')} without a score to compare"),
        )
        return "; ".join(words for number, words in told if number)


def make_gate(fail_under: float | None, fail_on: Iterable[str], taxonomy: Taxonomy) -> Gate:
    """The gate for some rules; names are labels of the taxonomy or coarse readings."""
    names, labels = tuple(fail_on), set[Label]()
    for name in names:
        if name in COARSE:
            labels.update(label for label in taxonomy if label.coarse == name)
        else:
            labels.add(_label(taxonomy, name))
    return Gate(fail_under, frozenset(labels), frozenset(names) & frozenset(COARSE))


def _label(taxonomy: Taxonomy, name: str) -> Label:
    try:
        return taxonomy[name]
    except UnknownNameError:
        menu = (*taxonomy.names, *COARSE)
        raise UnknownNameError("label", name, menu, field="fail_on") from None


def _states_fact(result: Result) -> bool:
    """True if the response has a verdict that could have a score."""
    return result.response.coarse in ("faithful", "not-sure", "unfaithful")
