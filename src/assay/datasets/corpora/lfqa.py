"""LFQA-Verification: sentences of long answers, judged by three people against documents."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.rendering import read_source
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.datasets.corpora.annotations import (
    FAITHFUL,
    UNFAITHFUL,
    Opinion,
    annotate,
    find_sentences,
    opinion,
    person,
)
from assay.datasets.corpora.raw_files import RawRow, items_of, read_rows
from assay.datasets.corpus import Card, Repairs, released

# System -> the documents its answers were judged against, and the digest of its annotations.
_SYSTEMS = {
    "alpaca": ("webgpt", "c3582f7a59e218aa1bcf4a1b7e18ae75f847e3c7e43b7f1b5bc3655f7df2c1a0"),
    "alpaca_wdoc": ("webgpt", "f2e4e95e1d12c5564bb07195b91fdea96375a9fcc43c0a1ea798f354c8bad61d"),
    "gpt3": ("webgpt", "149c41215aa25c3d210f665e6f9af54951d31e61d29721d2e694cfb00f8c8cf8"),
    "gpt3_wdoc": ("webgpt", "ccbeffc8ae50a2059f50f1a51a8841266fee38555c4a5fe091689c07243c84b4"),
    "gpt3_whudoc": ("human", "d3fca80685e0d84ae6796e018290f1363bbaf8b8dd6c7198816b2460e01b5e72"),
    "webgpt": ("webgpt", "00d80e806d1d3428dad9e3c363f48f1c69df0b0553f1d0ab1660e517cbb52942"),
}
_DOCUMENTS = {
    "human": "f96947e2352c5df5929696bbf58e640ea72fc694e0b2c242389530cabcaa1472",
    "webgpt": "bca08af7ab7fa8062929387b16d33fd7609b3739db1dab4935e376437332387b",
}
_PINS = {
    **{f"annotations/annotations-{name}.json": pin for name, (_, pin) in _SYSTEMS.items()},
    "answers.json": "f4cb389b59ed0d7dd2998d0e119947568b6e0add410b727b420643ea2d97cf07",
    **{f"docs/docs-{name}.json": pin for name, pin in _DOCUMENTS.items()},
}

CARD = Card(
    name="lfqa",
    title="LFQA-Verification: attribution of long-form answers",
    origin="https://github.com/timchen0618/LFQA-Verification",
    revision="4e905be93fbe919082d62faa77ee32c68e90237c",
    licence="none stated",
    taxonomy="binary",
    unit_kind="sentence",
    folder="lfqa_verification",
    files=released(_PINS, "data/"),
    loader="assay.datasets.corpora.lfqa:load",
    paper="Understanding Retrieval Augmentation for Long-Form Question Answering (2023)",
    labels="supported is faithful; partially and not_supported are unfaithful, as the authors "
    "read them, and the word stays in the note. Three annotators per sentence, named by their "
    "place in the list; the corpus's own label is the majority of the three words, and a "
    "sentence that got all three words has none, as with the authors.",
    defects=(
        "which documents belong to which system is not written down: gpt3_whudoc was judged "
        "against those a person chose, all others against WebGPT's, also the systems that saw none",
        "the list does not say whether its first annotator is always the same person",
    ),
)

_LABELS = {"supported": FAITHFUL, "partially": UNFAITHFUL, "not_supported": UNFAITHFUL}


def load(folder: Path, repairs: Repairs) -> Iterator[Annotated]:
    """The answers, system by system."""
    answers = _by_question(folder / "answers.json")
    documents = {
        name: {
            number: _source(row["docs"], f"{name}-{number}")
            for number, row in _by_question(folder / f"docs/docs-{name}.json").items()
        }
        for name in _DOCUMENTS
    }
    for system, (name, _) in _SYSTEMS.items():
        path = folder / f"annotations/annotations-{system}.json"
        for number, row in _by_question(path).items():
            text = answers[number].get(f"{system}_answer") if number in answers else None
            source = documents[name].get(number)
            if not isinstance(text, str) or source is None:
                raise InputError(f"{path}: question {number} has no answer or no documents")
            yield _example(row, source, Response(text, model=system), repairs)


def _example(row: RawRow, source: Source, response: Response, repairs: Repairs) -> Annotated:
    judged = row.rows("annotations")
    units = tuple(find_sentences(response.text, (each.text("answer") for each in judged), repairs))
    example = Example(
        id=f"{response.model}-{row['question_id']}",
        source=source,
        response=response,
        question=row.text("question"),
        units=units,
        task="qa",
    )
    opinions = (
        said
        for unit, each in zip(units, judged, strict=True)
        for said in _opinions(unit, each, repairs)
    )
    return annotate(example, opinions)


def _by_question(path: Path) -> dict[int, RawRow]:
    rows = list(read_rows(path))
    numbers = items_of(int, [row["question_id"] for row in rows], path)
    return dict(zip(numbers, rows, strict=True))


def _source(documents: list[object], id: str) -> Source:
    """The documents one after the other, each under its title."""
    source = read_source(documents)
    return Source(source.text, source.passages, id)


def _opinions(unit: Unit, row: RawRow, repairs: Repairs) -> Iterator[Opinion]:
    words = row.items_of(str, "labels")
    labels = [row.pick(_LABELS, word) for word in words]
    if len(set(words)) < len(words):
        word = Counter(words).most_common(1)[0][0]
        yield opinion(unit, _LABELS[word], note=word)
    else:
        repairs.note("no-majority", "every annotator chose another word: no verdict but theirs")
    for number, (word, label) in enumerate(zip(words, labels, strict=True), start=1):
        yield opinion(unit, label, by=person(f"annotator {number}"), note=word)
