"""Reads the suite in the shape in which all examples are measured."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.core.rendering import read_source
from training.measured import Measured

FOLDER = Path(__file__).parent
ANSWER = "withstand-answer"  # the group of whole answers; every other group is a kind


@dataclass(frozen=True, slots=True)
class Judged:
    """A sentence, what the source says of it, and what it tests."""

    sentence: str
    label: str
    kind: str
    question: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer, as an assistant gives it."""

    question: str
    sentences: tuple[Judged, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """A source as it was written (text, passages or fields), and what was said about it."""

    id: str
    domain: str
    source: object
    cases: tuple[Judged, ...]
    answers: tuple[Answer, ...]


def records() -> Iterator[Record]:
    """All sources of the suite."""
    for path in sorted(FOLDER.glob("*.jsonl")):
        yield from read_records(path)


def read_records(path: Path) -> Iterator[Record]:
    """The sources of a file; a case may say why it is right or wrong."""
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        for case in row["cases"]:
            case.pop("why", None)
        yield _record(row)


def _record(row: dict[str, object]) -> Record:
    match row:
        case {
            "id": str(name),
            "domain": str(domain),
            "source": source,
            "cases": list(cases),
            "answers": list(answers),
        }:
            said = tuple(Judged(**case) for case in cases)
            return Record(name, domain, source, said, tuple(map(_answer, answers)))
    raise ValueError(f"not a record of the suite: {row.get('id')!r}")


def _answer(row: dict[str, Any]) -> Answer:
    return Answer(row["question"], tuple(Judged(**said) for said in row["sentences"]))


def withstand() -> Iterator[Measured]:
    """The whole suite: one example for each case and one for each answer."""
    for record in records():
        yield from examples(record)


def examples(record: Record) -> Iterator[Measured]:
    """The cases of a source, one sentence a response, and then its whole answers."""
    for number, case in enumerate(record.cases):
        yield _measured(record, f"{number:02}", case.question, (case,), f"withstand-{case.kind}")
    for number, answer in enumerate(record.answers):
        yield _measured(record, f"answer-{number}", answer.question, answer.sentences, ANSWER)


def _measured(
    record: Record, name: str, question: str, judged: tuple[Judged, ...], group: str
) -> Measured:
    faithful = tuple(int(each.label == "entailed") for each in judged)
    return Measured(
        group,
        f"{record.id}-{name}",
        record.id,
        read_source(record.source),
        question,
        tuple(each.sentence for each in judged),
        tuple(each.label for each in judged),
        faithful,
        min(faithful),
    )
