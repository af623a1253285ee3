"""FacEval: summaries of SAMSum dialogues by four models and people, with kinds of error."""

from collections.abc import Iterator
from pathlib import Path

from assay.core.examples import Annotated, Example
from assay.core.texts import Response
from assay.core.units import Unit
from assay.core.verdicts import Attributes
from assay.datasets.corpora.annotations import FAITHFUL, UNFAITHFUL, annotate, join, opinion
from assay.datasets.corpora.raw_files import read_rows
from assay.datasets.corpus import Card, Repairs, released

_PINS = {
    "FacEval_human_result.csv": "812029b3af4e683937163a4b5b36145aae1ff642b1f3ddc843b6a2d0df1908a3",
}

CARD = Card(
    name="faceval",
    title="FacEval: faithfulness of dialogue summaries",
    origin="https://github.com/BinWang28/FacEval",
    revision="548f7591836b5cb096462e07051927eaa6107eba",
    licence="MIT",
    taxonomy="binary",
    unit_kind="response",
    folder="faceval",
    files=released(_PINS, "human_result/"),
    loader="assay.datasets.corpora.faceval:load",
    paper="Analyzing and Evaluating Faithfulness in Dialogue Summarization (EMNLP 2022)",
    labels="'w/ Error' is unfaithful; the kinds of error are the note: SubObjE (wrong subject or "
    "object), ProE (pronoun), NegE (negation), ParE (particulars), HalE (hallucination), OtherE. "
    "The model human_ref is the reference.",
    defects=("12 of the dialogues are also in diasumfact",),
    may_train=True,
)

_KINDS = ("SubObjE", "ProE", "NegE", "ParE", "HalE", "OtherE")
_LABELS = {"yes": UNFAITHFUL, "no": FAITHFUL}


def load(folder: Path, repairs: Repairs) -> Iterator[Annotated]:
    """The summaries; each line of a dialogue is a passage."""
    for row in read_rows(folder / CARD.files[0].path):
        kinds = [kind for kind in _KINDS if row.pick(_LABELS, row[kind]) is UNFAITHFUL]
        label = row.pick(_LABELS, row["w/ Error"])
        if (label is UNFAITHFUL) != bool(kinds):
            repairs.note("kind-disagrees", "kinds of error that do not fit the verdict are kept")
        example = Example(
            id=f"{row['DocID']}-{row['Model'].replace(' ', '_')}",
            source=join(row["Dialogue"].split("\n"), "utterance", id=row["DocID"]),
            response=Response(row["Summary"], model=row["Model"]),
            task="samsum",
        )
        words = ", ".join(kinds)
        unit = Unit.response(row["Summary"])
        gold = opinion(unit, label, note=words, attributes=Attributes(category=words))
        yield annotate(example, [gold])
