"""GrayFacts: statements on which careful people could not agree, taken from other corpora."""

from collections.abc import Iterator
from pathlib import Path

from assay.core.examples import Annotated, Example
from assay.core.taxonomies import GRAY7
from assay.core.texts import Response
from assay.core.units import Unit
from assay.datasets.corpora.annotations import annotate, join, opinion
from assay.datasets.corpora.raw_files import read_rows
from assay.datasets.corpus import Card, Repairs, released

_PINS = {
    "grayfacts.jsonl": "8199baf287a3a524f5915c184bc9da014f3c31a8192ea4418dada5883a1637b9",
}

CARD = Card(
    name="grayfacts",
    title="GrayFacts: ambiguous statements",
    origin="https://github.com/just1nseo/verifying-the-verifiers",
    revision="9faafde2dcba2bc7ae9795379b4a5cdd7b991786",
    licence="none stated",
    taxonomy="gray7",
    unit_kind="response",
    folder="grayfacts",
    files=released(_PINS, "data/"),
    loader="assay.datasets.corpora.grayfacts:load",
    paper="Verifying the Verifiers: Unveiling Pitfalls and Potentials in Fact Verifiers (2025)",
    labels="Every statement is ambiguous; the note gives the label it had in the corpus it comes "
    "from (S supported, NS not supported). The task names that corpus.",
    defects=("one class only: good for asking whether a detector abstains, for nothing else",),
)

_LABELS = {"AMBIG": GRAY7["ambiguous"]}


def load(folder: Path, repairs: Repairs) -> Iterator[Annotated]:
    """The statements, with the number of the line as id."""
    for number, row in enumerate(read_rows(folder / CARD.files[0].path)):
        statement = row.text("statement")
        example = Example(
            id=str(number),
            source=join(row.items_of(str, "reference_documents"), "document", "\n\n"),
            response=Response(statement),
            task=f"{row.text('topic')}/{row.text('category')}",
        )
        label = row.pick(_LABELS, row["label"])
        note = f"originally {row.row('additional_info')['original_label']}"
        yield annotate(example, [opinion(Unit.response(statement), label, note=note)])
