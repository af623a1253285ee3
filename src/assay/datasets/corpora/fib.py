"""FIB: pairs of a consistent summary and another one, checked by people."""

from collections.abc import Iterator
from pathlib import Path

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.labels import Label
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.datasets.corpora.annotations import FAITHFUL, UNFAITHFUL, annotate, opinion
from assay.datasets.corpora.raw_files import RawRow, read_rows
from assay.datasets.corpus import Card, File, Repairs

_FILE = "fib_human_checked.jsonl.gz"

CARD = Card(
    name="fib",
    title="FIB: factual inconsistency benchmark",
    origin="https://github.com/r-three/fib",
    revision="1d48ee2e52ac3f8ded69f4593db255ae2ba12200",
    licence="CC-BY-4.0",
    taxonomy="binary",
    unit_kind="response",
    folder="fib",
    files=(File(_FILE),),
    loader="assay.datasets.corpora.fib:load",
    paper="Evaluating the Factual Consistency of Large Language Models Through News Summarization "
    "(Findings of ACL 2023)",
    labels="A pair is two examples whose ids differ in their end. The correct choice is faithful. "
    "The other is unfaithful in the parts fib (written by a model) and fir (an inconsistent "
    "reference); in factually_consistent-model_generated it was judged consistent, so both are "
    "faithful. The task is data set and part; the model is the one that wrote the other choice.",
    defects=(
        "542 documents have one correct choice each, which returns in about nine pairs",
        "choices of cnn_dm are tokenised and keep the marks <t> and </t>",
        "2 summaries are faithful in one part and unfaithful in another",
    ),
    notes="One JSON line per pair: the parts of the release's multiple_choice-dataset that people "
    "checked, for some of its documents.",
    may_train=True,
)

_OTHER: dict[str, Label] = {
    "fib": UNFAITHFUL,
    "fir": UNFAITHFUL,
    "factually_consistent-model_generated": FAITHFUL,
}


def load(folder: Path, repairs: Repairs) -> Iterator[Annotated]:
    """Both choices of each pair, the correct one first."""
    for row in read_rows(folder / _FILE):
        other = _other(row)
        label = row.pick(_OTHER, row["part"])
        if label is FAITHFUL:
            repairs.note("both-consistent", "a pair of two consistent summaries: both faithful")
        if row["correct_choice"] == other:
            repairs.note("same-choices", "a pair whose two choices are the same text")
        yield _example(row, "correct", row.text("correct_choice"), FAITHFUL, repairs)
        yield _example(row, "other", other, label, repairs)


def _other(row: RawRow) -> str:
    """The choice that is not the correct one."""
    choices, number = row.get("list_choices"), row.get("lbl")
    if (
        not isinstance(choices, list)
        or len(choices) != 2
        or number not in (0, 1)
        or choices[number] != row["correct_choice"]
    ):
        raise InputError(f"{row.path}: row {row['id']} does not name its correct choice of two")
    return str(choices[1 - number])


def _example(row: RawRow, choice: str, text: str, label: Label, repairs: Repairs) -> Annotated:
    if "<t>" in text:
        repairs.note("sentence-marks", "a summary keeps the marks <t> and </t> of its sentences")
    model, document = row.text("distractor_model"), f"{row.text('dataset')}-{row.text('id')}"
    example = Example(
        id=f"{document}-{row['part']}-{model}-{choice}",
        source=Source(row.text("input"), id=document),
        response=Response(text, model=model if choice == "other" else ""),
        task=f"{row['dataset']}/{row['part']}",
    )
    return annotate(example, [opinion(Unit.response(text), label)])
