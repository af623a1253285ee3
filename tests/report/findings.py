"""Results with findings of any label and text, as writers of results take them."""

from pathlib import Path

from assay.app.gate import make_gate
from assay.core.complaints import AcceptedFinding, Complaint, fingerprint
from assay.core.examples import Example
from assay.core.judgements import Author, Judgement, Manifest
from assay.core.places import RowPlace
from assay.core.results import Result
from assay.core.taxonomies import GRAY7
from assay.core.texts import Response, Source, Span
from assay.core.units import Unit
from assay.core.verdicts import Failure, Outcome, Verdict

HERE = Path.cwd()
AUTHOR = Author("overlap", version="1")
MANIFEST = Manifest(AUTHOR, taxonomy=GRAY7.name)
SOURCE = "Ada was born in 1815."
BY_ANN = AcceptedFinding("", "Ann", "read it in the book", "2026-01-31")


def found(
    *labels: str, id: str = "a", text: str = "Ada was born in 1852.", place: RowPlace | None = None
) -> Result:
    """A result with a sentence for each label; an empty one has no verdict."""
    response = "\n".join([text] * len(labels))
    size = len(text) + 1
    spans = [
        Span.cut(response, size * n, size * n + len(text), "response") for n in range(len(labels))
    ]
    units = tuple(Unit.at("sentence", span, f"s{n}") for n, span in enumerate(spans, 1))
    outcomes = tuple(_outcome(unit.id, label) for unit, label in zip(units, labels, strict=True))
    example = Example(id, Source(SOURCE), Response(response), place=place or RowPlace("a.jsonl", 7))
    return Result(example, Judgement(id, AUTHOR, units, outcomes))


def _outcome(unit: str, label: str) -> Outcome:
    if not label:
        return Failure(unit, "parse", "no label in the reply")
    evidence = (Span.cut(SOURCE, 0, 3, "source"),)
    return Verdict(unit, GRAY7[label], 0.25, 0.9, "Because.", evidence)


def complaints(result: Result, *standings: str) -> tuple[Complaint, ...]:
    """What a rule about unfaithful sentences finds, one by one with these standings."""
    new = make_gate(None, ["unfaithful"], GRAY7).add(result)
    if not standings:
        return new
    return tuple(map(_standing, new, standings))


def _standing(complaint: Complaint, standing: str) -> Complaint:
    note = BY_ANN if standing == "accepted" else None
    return Complaint(
        complaint.finding,
        complaint.rule,
        complaint.said,
        complaint.fingerprint,
        standing,  # type: ignore[arg-type]
        note,
    )


def mark(result: Result, unit: int = 0) -> str:
    """The fingerprint of a sentence."""
    return fingerprint(result.example, result.units[unit].text)
