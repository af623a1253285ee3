"""The items of an evaluation: units with a gold label, and how a reading sees them."""

from collections.abc import Iterable
from dataclasses import dataclass

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.labels import Label
from assay.core.readings import Reading, reading
from assay.core.taxonomies import BINARY
from assay.core.units import Unit
from assay.evaluate.gold import GoldUnit, Pool, gold_labels

# How the labels of each taxonomy are read as faithful or not, unless another reading is named;
# FaithBench's paper reads sentences otherwise than whole summaries.
SENTENCE_READINGS = {"faithbench": "faithbench-strict"}
DEFAULT_READINGS: dict[str, str] = {
    "gray7": "verigray",
    "faithbench": "faithbench",
    "nli": "nli-binary",
    "finesure9": "finesure",
    "error5": "discourse-errors",
    "ragtruth4": "ragtruth",
    "final4": "inconsistencies",
    "grounding4": "grounding",
}


@dataclass(frozen=True, slots=True)
class Item:
    """A unit with its gold label; `faithful` is None where the reading leaves the label out."""

    example: str
    group: str
    model: str
    unit: Unit
    gold: Label
    faithful: bool | None


@dataclass(frozen=True, slots=True)
class Reading:
    """Which units count, how annotators are pooled, and how labels are read as faithful or not."""

    unit: GoldUnit = "response"
    pool: Pool = "corpus"
    name: str = ""

    def faithful(self, label: Label) -> bool | None:
        """Whether a gold label counts as faithful; None if it is left out."""
        read = label
        if label.taxonomy != BINARY.name:
            found = self.mapping_for(label.taxonomy)(label)
            if found is None:
                return None
            read = found
        return read.coarse == "faithful"

    def mapping_for(self, taxonomy: str) -> Mapping:
        """The table for the labels of a taxonomy: the one named, or the usual one."""
        named = reading(self.name) if self.name else None
        if named and named.origin == taxonomy:
            if named.target != BINARY.name:
                raise InputError(f"reading '{named.name}' does not say which labels are faithful")
            return named
        usual = SENTENCE_READINGS if self.unit == "sentence" else {}
        return reading(usual.get(taxonomy, DEFAULT_READINGS[taxonomy]))

    def describe(self, taxonomies: Iterable[str]) -> str:
        """What this reading does, in words; a named reading that fits no gold label raises."""
        menus = list(taxonomies)
        if self.name and reading(self.name).origin not in menus:
            raise InputError(
                f"reading '{self.name}' is for {reading(self.name).origin} labels; "
                f"the gold labels here are {', '.join(menus)}"
            )
        tables = [self.mapping_for(name) for name in menus if name != BINARY.name]
        meanings = [f"{table.name}: {table.meaning}" for table in tables]
        if BINARY.name in menus:
            meanings.append("binary labels as the corpus gives them")
        pool = "the corpus's own labels" if self.pool == "corpus" else f"{self.pool} of annotators"
        return "; ".join((f"{self.unit} level", pool, *meanings))


def find_items(examples: Iterable[Example], reading: Reading) -> list[Item]:
    """The items of some examples under a reading, in order."""
    return [
        Item(
            example=example.id,
            group=example.source.id or example.id,
            model=example.response.model,
            unit=unit,
            gold=label,
            faithful=reading.faithful(label),
        )
        for example in examples
        for unit, label in gold_labels(example, reading.unit, reading.pool)
    ]
