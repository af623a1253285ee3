"""SummaC: the validation split of six corpora of judged summaries, reconstructed."""

from collections.abc import Iterator
from pathlib import Path

from assay.core.examples import Annotated, Example
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.core.verdicts import Attributes
from assay.datasets.corpora.annotations import FAITHFUL, UNFAITHFUL, annotate, opinion, text_id
from assay.datasets.corpora.raw_files import read_rows
from assay.datasets.corpus import Card, File, Repairs

_FILE = "summac_val_reconstructed.jsonl.gz"

CARD = Card(
    name="summac",
    title="SummaC: validation split, reconstructed",
    origin="https://github.com/NKWBTB/SummaCoz",
    revision="dcfea00dbaed71ef221f3eeaa93738709f5d9923",
    licence="Apache-2.0; the member corpora have their own terms",
    taxonomy="binary",
    unit_kind="response",
    splits=("val",),
    folder="summac_val",
    files=(File(_FILE),),
    loader="assay.datasets.corpora.summac:load",
    paper="SummaC: Re-Visiting NLI-based Models for Inconsistency Detection in Summarization "
    "(TACL 2022); SummaCoz (Findings of EMNLP 2024)",
    labels="1 is faithful, 0 is unfaithful; an explanation, where there is one, is the note. The "
    "task is the member corpus: the benchmark reports balanced accuracy per member.",
    defects=(
        "polytope is not complete: 123 rows",
        "claims keep artefacts: escaped quotes, lower case, tokens set apart",
        "193 rows repeat a document and claim of the same member; 4 such claims have both labels",
        "member xsumfaith is the corpus xsumfaith under another name: do not count both",
    ),
    notes="One JSON line per claim, put together from the repository; the file is not in it.",
    may_train=True,
)

_LABELS = {1: FAITHFUL, 0: UNFAITHFUL}


def load(folder: Path, repairs: Repairs) -> Iterator[Annotated]:
    """The claims, with an id from the member corpus and its file."""
    for row in read_rows(folder / _FILE):
        document, claim, member = row.text("document"), row.text("claim"), row.text("dataset")
        if "\\'" in claim:
            repairs.note("escaped-quote", "a claim keeps the backslash before its quotes")
        example = Example(
            id=f"{member}-{row.text('file')}",
            source=Source(document, id=text_id(document)),
            response=Response(claim),
            split="val",
            task=member,
        )
        label, note = row.pick(_LABELS, row["label"]), row.get("human_explanation") or ""
        unit = Unit.response(claim)
        gold = opinion(unit, label, note=note, attributes=Attributes(explanation=note))
        yield annotate(example, [gold])
