"""TofuEval: topic-focused summaries of dialogues, judged sentence by sentence by linguists."""

from collections.abc import Iterator
from pathlib import Path

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.core.verdicts import Attributes
from assay.datasets.corpora.annotations import (
    FAITHFUL,
    UNFAITHFUL,
    Opinion,
    annotate,
    find_sentences,
    opinion,
)
from assay.datasets.corpora.raw_files import RawRow, read_rows
from assay.datasets.corpus import Card, File, Protocol, Repairs

PARTS = tuple((part, split) for part in ("mediasum", "meetingbank") for split in ("dev", "test"))

CARD = Card(
    name="tofueval",
    title="TofuEval: hallucinations in topic-focused dialogue summaries",
    origin="https://github.com/amazon-science/tofueval",
    revision="0c0084df58ef6878945bac63e6de638dc29a2b81",
    licence="see the repository; by its README not to be used for training",
    taxonomy="binary",
    unit_kind="sentence",
    splits=("dev", "test"),
    folder="tofueval",
    files=(
        *(
            File(name, upstream=name)
            for part, split in PARTS
            for name in (f"factual_consistency/{part}_factual_eval_{split}.csv",)
        ),
        *(File(f"{part}_{split}_doc.csv") for part, split in PARTS),
    ),
    loader="assay.datasets.corpora.tofueval:load",
    paper="TofuEval: Evaluating Hallucinations of LLMs on Topic-Focused Dialogue Summarization "
    "(NAACL 2024)",
    protocol=Protocol("response", "corpus", stated_in="FaithJudge, section 6.1"),
    labels="yes is faithful, no is unfaithful, for each sentence; the types of error and the "
    "explanation are its note. The response is the sentences joined by a space, the question the "
    "topic.",
    defects=("models are anonymous",),
    notes="CSV: doc_id, annotation_id, topic, model_name, sent_idx, summ_sent, sent_label, exp, "
    "type. The dialogues are not in the repository: the script in its README makes "
    "<part>_<split>_doc.csv (doc_id or meeting_id, source) from MediaSum and MeetingBank.",
)

_LABELS = {"yes": FAITHFUL, "no": UNFAITHFUL}


def load(folder: Path, repairs: Repairs) -> Iterator[Annotated]:
    """The summaries whose dialogue is there; an id is part, dialogue, topic and model."""
    for part, split in PARTS:
        dialogues = _read_dialogues(folder / f"{part}_{split}_doc.csv")
        path = folder / f"factual_consistency/{part}_factual_eval_{split}.csv"
        for (dialogue, topic, model), rows in _group(path).items():
            if dialogue not in dialogues:
                repairs.note("no-dialogue", "the dialogue of a summary is not there: skipped")
                continue
            sentences = [row["summ_sent"] for row in rows]
            text = " ".join(sentences)
            units = tuple(find_sentences(text, sentences, repairs))
            example = Example(
                id=f"{part}/{dialogue}/{topic}/{model}",
                source=Source(dialogues[dialogue], id=f"{part}/{dialogue}"),
                response=Response(text, model),
                question=topic,
                units=units,
                split=split,
                task=part,
            )
            yield annotate(example, _opinions(units, rows, repairs))


def _read_dialogues(path: Path) -> dict[str, str]:
    return {
        row.get("doc_id") or row.get("meeting_id") or "": row["source"] for row in read_rows(path)
    }


def _group(path: Path) -> dict[tuple[str, str, str], list[RawRow]]:
    """The rows of each summary in the order of its sentences."""
    summaries: dict[tuple[str, str, str], list[RawRow]] = {}
    for row in read_rows(path):
        summaries.setdefault((row["doc_id"], row["topic"], row["model_name"]), []).append(row)
    try:
        return {
            key: sorted(rows, key=lambda row: float(row["sent_idx"]))
            for key, rows in summaries.items()
        }
    except ValueError as error:
        raise InputError(f"{path}: sent_idx must be a number: {error}") from None


def _opinions(units: tuple[Unit, ...], rows: list[RawRow], repairs: Repairs) -> Iterator[Opinion]:
    for unit, row in zip(units, rows, strict=True):
        label = row["sent_label"].strip().lower()
        if not label:
            repairs.note("sentence-without-label", "a sentence has no label: it gives no verdict")
            continue
        kind, why = row.get("type") or "", row.get("exp") or ""
        note = "\n".join(filter(None, (kind, why)))
        attributes = Attributes(explanation=why, category=kind)
        yield opinion(unit, row.pick(_LABELS, label), note=note, attributes=attributes)
