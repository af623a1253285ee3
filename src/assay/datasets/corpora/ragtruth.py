"""RAGTruth: summaries, answers and data-to-text with marked hallucinations of four types."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.rendering import read_source
from assay.core.taxonomies import RAGTRUTH4
from assay.core.texts import Passage, Response, Source
from assay.core.units import Unit
from assay.core.verdicts import Attributes
from assay.datasets.corpora.annotations import (
    FAITHFUL,
    FROM_MARKS,
    UNFAITHFUL,
    Opinion,
    annotate,
    find_quote,
    in_own_words,
    opinion,
    place_unit,
)
from assay.datasets.corpora.raw_files import RawRow, read_rows
from assay.datasets.corpus import Card, File, Protocol, Repairs

CARD = Card(
    name="ragtruth",
    title="RAGTruth: hallucinated spans in answers, summaries and data-to-text",
    origin="https://github.com/ParticleMedia/RAGTruth",
    revision="ca35eb45d0d32cffd5ddc2d6513c4e8342cb9f5d",
    licence="MIT",
    taxonomy="ragtruth4",
    unit_kind="span",
    splits=("test",),
    folder="ragtruth",
    files=(File("response.jsonl"), File("source_info.jsonl")),
    loader="assay.datasets.corpora.ragtruth:load",
    paper="RAGTruth: A Hallucination Corpus for Developing Trustworthy Retrieval-Augmented "
    "Language Models (ACL 2024)",
    protocol=Protocol("response", "corpus", stated_in="FaithJudge, section 6.1"),
    labels="A verdict for each marked span, with the annotator's words as its note and the marks "
    "implicit_true and due_to_null as attributes; and a binary verdict on the response, which is "
    "faithful if nothing is marked.",
    defects=(
        "implicit_true marks what is true in the world but not in the source",
        "the types are not the classes of FaithBench",
    ),
    notes="A part of the test split in the layout of the release, as redistributed in FaithJudge "
    "(vectara/FaithJudge, whose revision is given); the whole release is read as well.",
    may_train=True,
)

_PASSAGE = re.compile(r"^passage \d+:", re.MULTILINE)
# A line that only repeats the type of the span, as in EVIDENT CONFLICT or LOW INTRO OF NEW INFO.
_HEADING = re.compile(
    r"(?:(?:high|low|evident|subtle) )?"
    r"(?:conflict|intro(?:duction)? (?:of|to) (?:new )?info(?:rmation)?)[\s:|]*",
    re.IGNORECASE,
)


def load(folder: Path, repairs: Repairs) -> Iterator[Annotated]:
    """The responses in the order of the release."""
    about = folder / "source_info.jsonl"
    groundings = {}
    for row in read_rows(about):
        row.text("task_type")
        groundings[str(row["source_id"])] = ground(row)
    for row in read_rows(folder / "response.jsonl"):
        for field in ("response", "model", "split"):
            row.text(field)
        if str(row["source_id"]) not in groundings:
            raise InputError(f"{row.path}: source '{row['source_id']}' is not in {about.name}")
        grounded = groundings[str(row["source_id"])]
        yield annotate(respond(row, grounded), read_gold(row, repairs))


def ground(row: Mapping[str, Any]) -> Example:
    """The example that responses to a source share: its text, the question and the task."""
    source, question = read_grounding(row["source_info"], row["source_id"])
    return Example("", source, Response(""), question=question, task=row["task_type"].lower())


def respond(row: Mapping[str, Any], grounded: Example) -> Example:
    """The example of a response."""
    response = Response(row["response"], row["model"])
    return replace(grounded, id=str(row["id"]), response=response, split=row["split"])


def read_grounding(value: Any, identity: object) -> tuple[Source, str]:
    """The source and the question of a prompt: a text, a question with passages, or an object."""
    if isinstance(value, Mapping) and set(value) == {"question", "passages"}:
        passages = value["passages"]
        source = _passages(passages) if isinstance(passages, str) else read_source(passages)
        return replace(source, id=str(identity)), str(value["question"])
    return replace(read_source(value), id=str(identity)), ""


def _passages(text: str) -> Source:
    """Passages as they stand, one after the other, each after a heading like `passage 1:`."""
    headings = list(_PASSAGE.finditer(text))
    if not headings:
        return Source(text)
    ends = [*(following.start() for _, following in pairwise(headings)), len(text)]
    return Source(
        text,
        tuple(
            Passage(heading[0][:-1], heading.end(), len(text[:end].rstrip()))
            for heading, end in zip(headings, ends, strict=True)
        ),
    )


def read_gold(row: RawRow, repairs: Repairs) -> Iterator[Opinion]:
    """The label of a response, then those of its marked spans."""
    marked, text = row.rows("labels"), row["response"]
    label = UNFAITHFUL if marked else FAITHFUL
    yield opinion(Unit.response(text), label, attributes=FROM_MARKS)
    for number, each in enumerate(marked, start=1):
        span = find_quote(text, each["text"], (each["start"], each["end"]), "response", repairs)
        unit = place_unit("span", number, span or str(each["text"]))
        label = RAGTRUTH4[str(each["label_type"])]
        note = str(each.get("meta") or "")
        yield opinion(unit, label, note=note, attributes=_attributes(note, each))


def _attributes(note: str, row: Mapping[str, Any]) -> Attributes:
    kept = (line for line in note.splitlines() if not _HEADING.fullmatch(line.strip()))
    return Attributes(
        explanation=in_own_words(" ".join(kept)),
        implicit_true=_flag(row.get("implicit_true")),
        due_to_null=_flag(row.get("due_to_null")),
    )


def _flag(value: Any) -> bool | None:
    return None if value is None else bool(value)
