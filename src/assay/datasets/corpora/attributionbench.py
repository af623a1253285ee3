"""AttributionBench: claims of generative search engines and whether their references carry them."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from assay.core.examples import Annotated, Example
from assay.core.rendering import read_source
from assay.core.texts import Response
from assay.core.units import Unit
from assay.datasets.corpora.annotations import FAITHFUL, UNFAITHFUL, annotate, opinion, text_id
from assay.datasets.corpora.raw_files import find_tables, read_rows
from assay.datasets.corpus import Card, Repairs

CARD = Card(
    name="attributionbench",
    title="AttributionBench: are claims supported by the references they cite",
    origin="https://huggingface.co/datasets/osunlp/AttributionBench",
    revision="62569e644f4186606f54f742178a4517431b42e1",
    licence="Apache-2.0; the member sets keep their own terms",
    taxonomy="binary",
    unit_kind="response",
    splits=("train", "dev", "test", "test_ood"),
    folder="attributionbench",
    loader="assay.datasets.corpora.attributionbench:load",
    paper="AttributionBench: How Hard is Automatic Attribution Evaluation? (ACL Findings 2024)",
    labels="attributable is faithful, 'not attributable' unfaithful. The response is the claim, "
    "the source its references, the task the member set.",
    defects=(
        "a claim is judged against its own references, so the rest of the answer is left out",
        "the balanced files are samples of the merged ones: do not load both",
        "ExpertQA, LFQA and others are among the member sets",
    ),
    notes="JSON lines: question, claim, claim_raw_string, response, references (a list), "
    "citation_links, webpage_references, attribution_label, src_dataset, id. The paper uses "
    "{train,dev,test,test_ood}_all_subset_balanced.jsonl; a name that begins with a split tells "
    "the split.",
)

_LABELS = {"attributable": FAITHFUL, "not attributable": UNFAITHFUL}


def load(folder: Path, repairs: Repairs) -> Iterator[Annotated]:
    """The claims of all tables in the folder."""
    for path in find_tables(folder, (".jsonl",)):
        name = path.name.removeprefix("merged_")
        split = next((each for each in reversed(CARD.splits) if name.startswith(each)), "")
        for row in read_rows(path):
            claim = row.text("claim")
            references = [text for text in row.items_of(str, "references") if text]
            if not references or not claim.strip():
                repairs.note("empty-text", "a claim or its references are empty: it is skipped")
                continue
            source = read_source(references)
            example = Example(
                id=str(row["id"]),
                source=replace(source, id=text_id(source.text)),
                response=Response(claim),
                question=row.get("question") or "",
                split=split,
                task=row["src_dataset"],
            )
            label = row.pick(_LABELS, row["attribution_label"])
            yield annotate(example, [opinion(Unit.response(claim), label)])
