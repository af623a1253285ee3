"""GrayFacts: statements on which careful people could not agree, taken from other corpora."""

from collections.abc import Iterator
from pathlib import Path

from assay.core.examples import Annotated, Example
from assay.core.taxonomies import GRAY7
from assay.core.texts import Response
from assay.core.units import Unit
from assay.datasets.corpora.annotations import annotate, join, opinion
from assay.datasets.corpora.raw_files import items_of, need, need_texts, pick, read_json_lines, some
from assay.datasets.corpus import Card, File, Repairs

CARD = Card(
    name="grayfacts",
    title="GrayFacts: ambiguous statements",
    origin="https://github.com/just1nseo/verifying-the-verifiers",
    revision="9faafde2dcba2bc7ae9795379b4a5cdd7b991786",
    licence="none stated",
    taxonomy="gray7",
    unit_kind="response",
    splits=(),
    folder="grayfacts",
    files=(
        File(
            "grayfacts.jsonl",
            "8199baf287a3a524f5915c184bc9da014f3c31a8192ea4418dada5883a1637b9",
            upstream="data/grayfacts.jsonl",
        ),
    ),
    loader="assay.datasets.corpora.grayfacts:load",
    paper="Verifying the Verifiers: Unveiling Pitfalls and Potentials in Fact Verifiers (2025)",
    labels="Every statement is ambiguous; the note gives the label it had in the corpus it comes "
    "from (S supported, NS not supported). The task names that corpus.",
    defects=("one class only: good for asking whether a detector abstains, for nothing else",),
)

_LABELS = {"AMBIG": GRAY7["ambiguous"]}


def load(folder: Path, repairs: Repairs) -> Iterator[Annotated]:
    """The statements, with the number of the line as id."""
    path = folder / CARD.files[0].path
    for number, each in enumerate(some(read_json_lines(path), path)):
        row = need_texts(each, ("topic", "statement", "label", "category"), path)
        info = need(row.get("additional_info"), ("original_label",), path)
        example = Example(
            id=str(number),
            source=join(items_of(str, row.get("reference_documents"), path), "document", "\n\n"),
            response=Response(row["statement"]),
            task=f"{row['topic']}/{row['category']}",
        )
        label = pick(_LABELS, row["label"], path)
        note = f"originally {info['original_label']}"
        yield annotate(example, [opinion(Unit.response(row["statement"]), label, note=note)])
