"""DeFacto: XSum summaries with a verdict, its explanation, evidence and a corrected summary."""

from collections.abc import Iterator
from pathlib import Path

from assay.core.examples import Annotated, Example
from assay.core.judgements import GOLD, Finding
from assay.core.texts import Response, Source, Span
from assay.core.units import RESPONSE, Unit
from assay.core.verdicts import Attributes, Verdict
from assay.datasets.corpora.annotations import FAITHFUL, UNFAITHFUL, annotate, text_id
from assay.datasets.corpora.raw_files import RawRow, locate, read_rows
from assay.datasets.corpus import Card, Protocol, Repairs, released

_PINS = {
    "train.jsonl": "53a0e42f2d627170e00d3db32a367bfe8280f2a61c77aee6e2f8a2a354b72f78",
    "val.jsonl": "f7f4ec9c2526d5e7bb542dcfb05d5df6444d9840cc3036ef6b90a8d5377b6466",
}

CARD = Card(
    name="defacto",
    title="DeFacto: summaries with human feedback",
    origin="https://github.com/microsoft/DeFacto",
    revision="a7e70a2fab6b6953f88a2e56d5b14feb4ff5beef",
    licence="MIT",
    taxonomy="binary",
    unit_kind="response",
    splits=("train", "val"),
    folder="defacto",
    files=released(_PINS, "data/"),
    loader="assay.datasets.corpora.defacto:load",
    paper="On Improving Summarization Factual Consistency from Natural Language Feedback "
    "(ACL 2023)",
    protocol=Protocol("response", "corpus", stated_in="FINAL, its binarized evaluation"),
    labels="has_error is unfaithful. The kind of error, the explanation, the instruction and the "
    "corrected summary are attributes of the verdict; the evidence is a sentence of the article.",
    defects=(
        "the test part is not here",
        "8 summaries without an error have a corrected summary, and of one it is null",
        "33 pieces of evidence are not in the article word for word",
        "the reference summaries, which are not read, are themselves often unfaithful",
        "one article, nothing but page furniture, stands in train and in val under two ids",
    ),
    may_train=True,
)

_LABELS = {True: UNFAITHFUL, False: FAITHFUL}


def load(folder: Path, repairs: Repairs) -> Iterator[Annotated]:
    """The summaries of train and val."""
    for split in CARD.splits:
        for row in read_rows(folder / f"{split}.jsonl"):
            article, unit = row.text("article"), Unit.response(row.text("candidate"))
            example = Example(
                id=f"{split}-{row['doc_id']}",
                source=Source(article, id=text_id(article)),
                response=Response(row["candidate"], model="pegasus"),
                split=split,
                task="xsum",
            )
            yield annotate(example, [(GOLD, Finding(unit, _verdict(row, repairs)))])


def _verdict(row: RawRow, repairs: Repairs) -> Verdict:
    label, feedback = row.pick(_LABELS, row["has_error"]), row.row("feedback")
    correction = feedback.get("summary")
    if correction is None:
        repairs.note("correction-null", "a corrected summary that is null is read as none")
    elif label is FAITHFUL and correction:
        repairs.note(
            "correction-without-error", "a faithful summary has a corrected one, which is kept"
        )
    evidence = _evidence(row["article"], feedback.text("evidence"), repairs)
    kinds = [kind for kind in ("intrinsic", "extrinsic") if row.get(f"{kind}_error")]
    attributes = Attributes(
        explanation=feedback.text("explanation"),
        correction=correction or "",
        instruction=feedback.text("instruction"),
        category=" and ".join(kinds),
        cited="" if evidence else feedback["evidence"],
    )
    return Verdict(
        RESPONSE, label, note=_note(attributes), evidence=evidence, attributes=attributes
    )


def _note(attributes: Attributes) -> str:
    """The feedback for people, a line for each part."""
    parts = {
        "error": attributes.category,
        "explanation": attributes.explanation,
        "instruction": attributes.instruction,
        "corrected": attributes.correction,
        "evidence": attributes.cited,
    }
    return "\n".join(f"{name}: {text}" for name, text in parts.items() if text)


def _evidence(article: str, quote: str, repairs: Repairs) -> tuple[Span, ...]:
    start = locate(article, quote, 0)
    if start is None:
        repairs.note(
            "evidence-unlocated", "evidence that is not in the article is kept as a citation"
        )
        return ()
    return (Span.cut(article, start, start + len(quote), "source"),)
