"""How strongly a verdict disagrees with a label, whatever taxonomies the two are of.

A disagreement weighs 1 where one says faithful and the other unfaithful. Within one taxonomy, two
other labels weigh their distance in its order as a share of the whole order, and a quarter where
they have one place in it: kinds of error, of which none is worse. A class and a kind of it agree.
Between taxonomies, "not sure" and "no fact" are compared only with a menu that has such a label,
and then weigh a half: a detector that can only say yes or no cannot be wrong about what is neither.
With a reading, both sides are read in its target first. What cannot be compared is None, never an
agreement.
"""

from dataclasses import dataclass, field, replace

from assay.core.errors import InputError, UnknownNameError
from assay.core.labels import Label
from assay.core.readings import READINGS, USUAL_READINGS, Reading, reading
from assay.core.taxonomies import BINARY, taxonomy
from assay.core.verdicts import FAITHFUL_FROM, Verdict

ANOTHER_KIND = 0.25  # what two labels weigh that have the same place in their order


def strength(label: Label, other: Verdict) -> float | None:
    """How strongly a verdict disagrees with a label, from 0 to 1; None where nobody can tell."""
    if {label.coarse, other.leaning} == {"faithful", "unfaithful"}:
        return 1.0
    if other.label is not None and other.label.taxonomy == label.taxonomy:
        return _distance(label, other.label)
    if label.coarse == other.leaning:
        return 0.0
    theirs = taxonomy(other.label.taxonomy) if other.label else ()
    can_say = {each.coarse for each in theirs}
    can_be = {each.coarse for each in taxonomy(label.taxonomy)}
    return 0.5 if label.coarse in can_say and other.leaning in can_be else None


def _distance(one: Label, other: Label) -> float:
    """How far two labels of one taxonomy are apart."""
    if one.rank == other.rank:
        is_same = one == other or one.parent == other.name or other.parent == one.name
        return 0.0 if is_same else ANOTHER_KIND
    ranks = [each.rank for each in taxonomy(one.taxonomy)]
    return round(abs(one.rank - other.rank) / (max(ranks) - min(ranks)), 4)


@dataclass(frozen=True, slots=True)
class Comparing:
    """How gold labels and verdicts are held against each other.

    `reading` names a table for the gold labels; verdicts are then read in its target, too. Gold
    labels that are `left_out` are not looked at.
    """

    reading: str = ""
    left_out: frozenset[str] = field(default_factory=frozenset)

    def __post_init__(self) -> None:
        if self.reading:
            reading(self.reading)

    def require_labels(self, menus: set[str]) -> None:
        """Raises where the reading, or a label that is left out, fits none of the gold labels."""
        if self.reading and reading(self.reading).origin not in menus:
            raise InputError(
                f"reading '{self.reading}' is for {reading(self.reading).origin} labels; "
                f"the gold labels here are {', '.join(sorted(menus))}",
                field="reading",
            )
        known = [label.name for menu in sorted(menus) for label in taxonomy(menu)]
        for name in sorted(self.left_out):
            if name not in known:
                raise UnknownNameError("gold label", name, known, field="leave_out")

    def counts(self, label: Label) -> bool:
        """Whether a gold label is looked at at all."""
        return label.name not in self.left_out and self.read_gold(label) is not None

    def read_gold(self, label: Label) -> Label | None:
        """The gold label as it is compared; None where the reading leaves it out."""
        if self.reading and reading(self.reading).origin == label.taxonomy:
            return reading(self.reading)(label)
        return label

    def strength(self, label: Label, other: Verdict) -> float | None:
        """How strongly a verdict disagrees with a gold label; None where nobody can tell."""
        gold = self.read_gold(label)
        if gold is None:
            return None
        if not self.reading or reading(self.reading).origin != label.taxonomy:
            return strength(gold, other)
        said = _read(other, reading(self.reading))
        return None if said is None else strength(gold, replace(other, label=said))

    def describe(self) -> str:
        """How labels are compared, in words."""
        left = f"gold {', '.join(sorted(self.left_out))} left out" if self.left_out else ""
        if self.reading:
            table = reading(self.reading)
            words = f"labels read as {table.target} by '{table.name}' ({table.meaning})"
        else:
            words = (
                "labels of one taxonomy as they are, those of others by what each says of being "
                "faithful"
            )
        return "; ".join(filter(None, (words, left)))


def _read(verdict: Verdict, table: Reading) -> Label | None:
    """A verdict in the target of a reading; None where no table leads there."""
    label = verdict.label
    if label is None:
        if table.target != BINARY.name or verdict.score is None:
            return None
        return BINARY.labels[verdict.score >= FAITHFUL_FROM]
    if label.taxonomy == table.target:
        return label
    if label.taxonomy == table.origin:
        return table(label)
    usual = USUAL_READINGS.get(label.taxonomy, "")
    if usual and READINGS[usual].target == table.target:
        return READINGS[usual](label)
    leading = [
        each
        for each in READINGS.values()
        if (each.origin, each.target) == (label.taxonomy, table.target)
    ]
    return leading[0](label) if len(leading) == 1 else None
