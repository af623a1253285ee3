"""Tables that read the labels of one taxonomy as those of another.

Where papers read the same label in two ways there are two tables, each with its own name, and
reports say which was used. A label mapped to None is left out of the reading.
"""

from dataclasses import dataclass

from assay.core.errors import InputError, UnknownNameError
from assay.core.labels import Label
from assay.core.taxonomies import (
    BINARY,
    FAITHBENCH,
    FINESURE9,
    GRAY7,
    RAGTRUTH4,
    TAXONOMIES,
    taxonomy,
)


@dataclass(frozen=True, slots=True)
class Reading:
    """A named reading: every label of `origin` has an entry."""

    name: str
    origin: str
    target: str
    meaning: str
    table: dict[str, str | None]

    def __call__(self, label: Label) -> Label | None:
        """The label read in the target taxonomy, or None where the reading leaves it out."""
        if label.taxonomy != self.origin:
            raise InputError(
                f"reading '{self.name}' takes {self.origin} labels, not {label.taxonomy}"
            )
        name = self.table[label.name]
        return None if name is None else TAXONOMIES[self.target][name]


def _binary(name: str, origin: str, meaning: str, faithful: str, left_out: str = "") -> Reading:
    """A binary reading: the labels named are faithful or left out, all others unfaithful."""
    table = {
        label: None if label in left_out.split() else BINARY.names[label in faithful.split()]
        for label in TAXONOMIES[origin].names
    }
    return Reading(name, origin, "binary", meaning, table)


def _at_least(name: str) -> dict[str, str | None]:
    """A binary table over gray7: faithful from one label of the order upwards."""
    return {label.name: BINARY.names[label.rank >= GRAY7[name].rank] for label in GRAY7}


_READINGS = (
    _binary(
        "verigray",
        "gray7",
        "VeriGray's first protocol, for people's labels: not-sure and no-fact are left out",
        "explicitly-supported implicitly-supported",
        left_out="out-dependent ambiguous no-fact",
    ),
    *(
        Reading(
            f"from-{label.name}",
            "gray7",
            "binary",
            f"VeriGray's reading of predictions: faithful from {label.name} upwards",
            _at_least(label.name),
        )
        for label in GRAY7.labels[1:]
    ),
    Reading(
        "gray7-nli",
        "gray7",
        "nli",
        "What the source alone says: out-dependent is neutral; ambiguous and no-fact are left out",
        {
            "contradicting": "contradiction",
            "fabricated": "neutral",
            "ambiguous": None,
            "no-fact": None,
            "out-dependent": "neutral",
            "implicitly-supported": "entailment",
            "explicitly-supported": "entailment",
        },
    ),
    _binary("nli-binary", "nli", "Only entailment is faithful", "entailment"),
    _binary(
        "faithbench",
        "faithbench",
        "FaithBench, whole summaries: benign is faithful, questionable is not",
        "consistent benign",
    ),
    _binary(
        "faithbench-unwanted",
        "faithbench",
        "FaithBench's lowest level: only unwanted is unfaithful, questionable and benign are not",
        "consistent benign questionable",
    ),
    _binary(
        "faithbench-strict",
        "faithbench",
        "FaithBench, sentences, and FaithJudge's leaderboard data: only consistent is faithful",
        "consistent",
    ),
    _binary(
        "faithjudge",
        "faithbench",
        "FaithJudge: the gray labels benign and questionable are left out",
        "consistent",
        left_out="benign questionable",
    ),
    Reading(
        "faithbench-classes",
        "faithbench",
        "faithbench",
        "FaithBench's four classes: the kinds of unwanted are merged",
        {label.name: label.parent or label.name for label in FAITHBENCH},
    ),
    _binary(
        "finesure",
        "finesure9",
        "Any category but no-error is unfaithful",
        FINESURE9.names[-1],
    ),
    _binary(
        "grounding",
        "grounding4",
        "FACTS Grounding: supported and nothing-to-check are faithful",
        "supported nothing-to-check",
    ),
    _binary(
        "discourse-errors",
        "error5",
        "Each of the five errors makes a sentence unfaithful",
        "",
    ),
    _binary("inconsistencies", "final4", "FINAL: an inconsistency of any kind is unfaithful", ""),
    _binary("ragtruth", "ragtruth4", "RAGTruth: any marked span is unfaithful", ""),
    Reading(
        "ragtruth-nli",
        "ragtruth4",
        "nli",
        "Conflicts are contradictions, baseless information is neutral",
        {
            name: "contradiction" if name.endswith("conflict") else "neutral"
            for name in RAGTRUTH4.names
        },
    ),
)

_SENTENCE_READINGS = {"faithbench": "faithbench-strict"}
USUAL_READINGS = {
    "gray7": "verigray",
    "faithbench": "faithbench",
    "nli": "nli-binary",
    "finesure9": "finesure",
    "error5": "discourse-errors",
    "ragtruth4": "ragtruth",
    "final4": "inconsistencies",
    "grounding4": "grounding",
}
READINGS = {each.name: each for each in _READINGS}


def reading(name: str) -> Reading:
    """The reading of that name."""
    if name not in READINGS:
        raise UnknownNameError("reading", name, READINGS)
    return READINGS[name]


def usual_reading(menu: str, kind: str = "response") -> Reading:
    """The reading of a taxonomy's labels unless another is named.

    FaithBench's paper reads sentences differently from whole summaries. The labels of a taxonomy
    that a package brings are read by what they say of themselves.
    """
    usual = (_SENTENCE_READINGS.get(menu) if kind == "sentence" else None) or USUAL_READINGS.get(
        menu
    )
    if usual:
        return READINGS[usual]
    if menu in TAXONOMIES:
        raise InputError(
            f"no reading says which {menu} labels are faithful; "
            f"gold labels can be of {', '.join(sorted((*USUAL_READINGS, BINARY.name)))}",
            field="label_taxonomy",
        )
    table: dict[str, str | None] = {
        label.name: label.coarse if label.coarse in BINARY.names else None
        for label in taxonomy(menu)
    }
    return Reading(f"{menu}-coarse", menu, BINARY.name, "as each label says of itself", table)
