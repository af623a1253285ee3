"""LLM-AggreFact: claims of LLMs from eleven data sets, supported by a document or not."""

from collections.abc import Iterator
from pathlib import Path

from assay.core.examples import Annotated, Example
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.datasets.corpora.annotations import ONE_IS_FAITHFUL, annotate, opinion, text_id
from assay.datasets.corpora.raw_files import find_tables, read_rows
from assay.datasets.corpus import Card, Repairs

CARD = Card(
    name="llm-aggrefact",
    title="LLM-AggreFact: grounded claims of LLMs from eleven data sets",
    origin="https://huggingface.co/datasets/lytang/LLM-AggreFact",
    revision="main",
    licence="CC BY-ND 4.0; the member sets keep their own terms",
    taxonomy="binary",
    unit_kind="response",
    splits=("dev", "test"),
    folder="llm_aggrefact",
    loader="assay.datasets.corpora.llm_aggrefact:load",
    paper="MiniCheck: Efficient Fact-Checking of LLMs on Grounding Documents (EMNLP 2024)",
    labels="1 is supported, hence faithful; 0 is unfaithful. The task is the member set.",
    defects=(
        "it contains parts of other corpora: AggreFact, TofuEval, WiCE, LFQA, RAGTruth and more",
        "contamination_identifier is a mark for finding leaks, no data: it is left out",
    ),
    notes="Behind a form; not pinned. Tables in the folder, as Parquet, JSON lines or CSV, with "
    "dataset, doc, claim, label and contamination_identifier; a name with dev or test in it tells "
    "the split.",
)


def load(folder: Path, repairs: Repairs) -> Iterator[Annotated]:
    """The claims, with an id from the table and the row."""
    for path in find_tables(folder):
        split = next((name for name in CARD.splits if name in path.name), "")
        for number, row in enumerate(read_rows(path)):
            member, document, claim = row["dataset"], row["doc"] or "", row["claim"] or ""
            if not document.strip() or not claim.strip():
                repairs.note("empty-text", "a document or a claim is empty: it is skipped")
                continue
            example = Example(
                id=f"{path.name.partition('.')[0]}-{number}",
                source=Source(document, id=text_id(document)),
                response=Response(claim),
                split=split,
                task=member,
            )
            label = row.pick(ONE_IS_FAITHFUL, row["label"])
            yield annotate(example, [opinion(Unit.response(claim), label)])
