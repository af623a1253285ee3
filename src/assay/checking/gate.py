"""When a check fails: a response that scores too low, or a unit with an unwanted label."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from assay.checking.results import Checked
from assay.checking.totals import noun_of
from assay.core.errors import UnknownNameError
from assay.core.labels import COARSE, Label, Taxonomy
from assay.core.verdicts import Verdict


@dataclass(slots=True)
class Gate:
    """Counts what breaks the rules."""

    fail_under: float | None = None
    fail_on: frozenset[Label] = frozenset()
    low_scores: int = 0
    bad_labels: Counter[str] = field(default_factory=Counter)
    unscored: int = 0
    bad_kinds: set[str] = field(default_factory=set)

    def add(self, checked: Checked) -> None:
        """Holds one more result against the rules."""
        verdicts = [each for each in checked.counted if isinstance(each, Verdict)]
        if self.fail_under is not None:
            self.unscored += checked.score is None and _states_fact(checked)
            scores = [each.score for each in verdicts if each.score is not None]
            self.low_scores += bool(scores) and min(scores) < self.fail_under
        for verdict in verdicts:
            if verdict.label is not None and verdict.label in self.fail_on:
                self.bad_labels[verdict.label.name] += 1
                self.bad_kinds.add(verdict.unit.kind)

    @property
    def failed(self) -> bool:
        """Whether anything broke a rule."""
        return bool(self.low_scores or self.bad_labels)

    def __str__(self) -> str:
        names = ", ".join(sorted(self.bad_labels))
        parts = (
            (self.low_scores, f"responses that score under {self.fail_under}"),
            (self.bad_labels.total(), f"{noun_of(self.bad_kinds)}s that are {names}"),
            (self.unscored, "responses without a score, so that --fail-under cannot tell"),
        )
        return "; ".join(f"{count:,} {what}" for count, what in parts if count)


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
        raise UnknownNameError("label", name, (*taxonomy.names, *COARSE)) from None


def _states_fact(checked: Checked) -> bool:
    response = checked.response
    return isinstance(response, Verdict) and (
        response.label is not None and response.label.coarse != "no-fact"
    )
