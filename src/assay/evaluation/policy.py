"""The labels that count as faithful: those of people, and of the detectors compared with them."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from assay.core.errors import InputError, UnknownNameError
from assay.core.labels import Label
from assay.core.options import Option
from assay.core.pooling import GoldBasis, Pool
from assay.core.readings import Reading, reading, usual_reading
from assay.core.system.plugins import find_plugins
from assay.core.taxonomies import BINARY, TAXONOMIES, taxonomy
from assay.core.verdicts import Failure, Outcome

GoldUnit = Literal["sentence", "response"]
Threshold = float | str | None
# What becomes of a response that a judge called invalid, such as one that refuses the task.
Invalid = Literal["apart", "unfaithful"]

READING = Option(
    "Which labels count as faithful: the name of a reading, as in verigray; default: as the "
    "corpus's paper does.",
    "NAME",
)


def pool_option(default: str) -> Option:
    """The option of pooling the labels of several annotators, with its default in words."""
    return Option(
        "How several annotators' labels become one: unfaithful if any, most or all of them say so "
        "(ties count as unfaithful), or the corpus's own label where it has one, otherwise any; "
        f"default: {default}.",
        "any|majority|all|corpus",
    )


def read_cut(text: str) -> float | str:
    """A cut as it is typed: a number or a label."""
    try:
        return float(text)
    except ValueError:
        return text


POOL = pool_option("as the corpus's paper does, otherwise corpus")
OWN_POOL = pool_option("corpus")
CUT = Option(
    "A prediction counts as faithful from here upwards: 0.5, or a label.",
    "SCORE|LABEL",
    reads=read_cut,
)


@dataclass(frozen=True, slots=True)
class GoldPolicy:
    """The gold standard: the units that count, whose labels, and their reading.

    `reading` names the table for the gold labels; without one, each taxonomy has its usual table.
    """

    unit: GoldUnit = "response"
    pool: Pool = "corpus"
    reading: str = ""

    def is_faithful(self, label: Label) -> bool | None:
        """True if a gold label counts as faithful; None where the reading leaves it out."""
        if label.taxonomy == BINARY.name:
            return label.coarse == "faithful"
        read = self.reading_for(label.taxonomy)(label)
        return None if read is None else read.coarse == "faithful"

    def reading_for(self, menu: str) -> Reading:
        """The table for the labels of a taxonomy: the one named, or the usual one."""
        named = reading(self.reading) if self.reading else None
        if named and named.origin == menu:
            if named.target != BINARY.name:
                raise InputError(
                    f"reading '{named.name}' does not say which labels are faithful",
                    field="reading",
                )
            return named
        return usual_reading(menu, "sentence" if self.unit == "sentence" else "response")

    def describe(self, menus: Iterable[str], basis: GoldBasis) -> str:
        """The policy in words, for gold labels of these taxonomies that rest on this basis."""
        menus = list(menus)
        self.require_reading(menus)
        tables = [self.reading_for(menu) for menu in menus if menu != BINARY.name]
        meanings = [f"{table.name}: {table.meaning}" for table in tables]
        if BINARY.name in menus:
            meanings.append("binary labels as they are")
        return "; ".join((f"{self.unit} level", basis.describe(), *meanings))

    def require_reading(self, menus: Collection[str]) -> None:
        """Raises if the reading is for labels of none of these taxonomies."""
        if self.reading and reading(self.reading).origin not in menus:
            raise InputError(
                f"reading '{self.reading}' is for {reading(self.reading).origin} labels; "
                f"the gold labels here are {', '.join(menus)}",
                field="reading",
            )


USUAL = GoldPolicy()


def says_faithful(
    outcome: Outcome,
    policy: GoldPolicy = USUAL,
    gold: Collection[str] = (),
    threshold: Threshold = None,
) -> bool | None:
    """True if an outcome counts as faithful beside gold labels of some taxonomies.

    The threshold decides where it applies: a number to outcomes with a score, a label to those of
    its own taxonomy, where it counts as faithful together with all higher labels. Anything else
    is read as without a threshold: a label of a taxonomy of the gold labels as the policy reads
    them, another label by its coarse reading, in which what states no fact has no fault, and a
    score from 0.5 upwards as faithful. A label that its author is not sure of counts all the same.
    A failure is neither.
    """
    if isinstance(outcome, Failure):
        return None
    label = outcome.label
    if isinstance(threshold, str):
        lowest = find_threshold(label.taxonomy, threshold) if label else None
        if label and lowest:
            return label.rank >= lowest.rank
    elif threshold is not None and outcome.score is not None:
        return outcome.score >= threshold
    if label is not None and label.taxonomy in gold:
        return _reads_as_faithful(policy, label)
    return outcome.leaning in ("faithful", "no-fact")


@lru_cache(maxsize=4096)
def find_threshold(menu: str, name: str) -> Label | None:
    """The label of that name in a taxonomy, if it has one."""
    try:
        return taxonomy(menu)[name]
    except UnknownNameError:
        return None


@lru_cache(maxsize=4096)
def _reads_as_faithful(policy: GoldPolicy, label: Label) -> bool:
    """The reading of a detector's label, which cannot be left out as one of people can.

    One that the reading leaves out counts by the order of labels: it is faithful only if it ranks
    no lower than the lowest label that the reading calls faithful.
    """
    said = policy.is_faithful(label)
    if said is not None:
        return said
    faithful = [each.rank for each in taxonomy(label.taxonomy) if policy.is_faithful(each)]
    return bool(faithful) and label.rank >= min(faithful)


def require_cut(cut: float | str | None) -> None:
    """Raises for a score that is none, and for a label that no taxonomy has."""
    if isinstance(cut, float) and not 0 <= cut <= 1:
        raise InputError(f"the cut is a label or a score between 0 and 1, not {cut}", field="cut")
    if isinstance(cut, str) and not any(find_threshold(menu, cut) for menu in menus()):
        labels = (name for menu in menus() for name in taxonomy(menu).names)
        raise UnknownNameError("label", cut, labels, field="cut")


def menus() -> tuple[str, ...]:
    """The names of all taxonomies: ours, then those of installed packages."""
    return (*TAXONOMIES, *find_plugins("assay.taxonomies"))
