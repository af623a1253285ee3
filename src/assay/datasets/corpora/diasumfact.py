"""DiaSumFact: sentences of dialogue summaries with the errors people found in them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.texts import Response, Source, Span
from assay.core.units import Unit
from assay.core.verdicts import Attributes
from assay.datasets.corpora.annotations import (
    FAITHFUL,
    UNFAITHFUL,
    Opinion,
    annotate,
    find_sentences,
    join,
    opinion,
    place_unit,
)
from assay.datasets.corpora.raw_files import (
    items,
    items_of,
    locate,
    need,
    need_texts,
    pick,
    read_json,
    some,
)
from assay.datasets.corpus import Card, File, Repairs

CARD = Card(
    name="diasumfact",
    title="DiaSumFact: fine-grained errors in dialogue summaries",
    origin="https://github.com/731935354/Dia-Sum-Fact",
    revision="fdec07df7ed239360c1f7d4b69f67c5289a335d0",
    licence="MIT",
    taxonomy="binary",
    unit_kind="sentence",
    splits=(),
    folder="diasumfact",
    files=(
        File(
            "annotations.json",
            "e4b63635483d9e9c6c9474940ad16d09a1f8d0b478ab165dc4380846414eb6b0",
            upstream="annotations.json",
        ),
    ),
    loader="assay.datasets.corpora.diasumfact:load",
    paper="Annotating and Detecting Fine-grained Factual Errors for Dialogue Summarization "
    "(ACL 2023)",
    labels="A sentence without an error is faithful. The note of an unfaithful one lists its "
    "errors: class, intrinsic or extrinsic, comment; each error that marks words is also a verdict "
    "on that span. The task is QMSum or SAMSum; QMSum's query is the question.",
    defects=(
        "2 summaries end before the last sentence that was judged",
        "22 of 555 errors name no words of their sentence, 6 of them mean all of it",
        "12 of the dialogues are also in faceval",
    ),
    may_train=True,
)

_CLASSES = {
    "No Error": FAITHFUL,
    **dict.fromkeys(("EntE", "PredE", "CirE", "CorefE", "LinkE", "Others"), UNFAITHFUL),
}


def load(folder: Path, repairs: Repairs) -> Iterator[Annotated]:
    """The summaries of each dialogue."""
    path = folder / CARD.files[0].path
    dialogues = read_json(path)
    if not isinstance(dialogues, dict):
        raise InputError(f"{path} must hold an object, not a {type(dialogues).__name__}")
    for id, dialogue in some(dialogues.items(), path):
        need_texts(dialogue, ("query", "dataset_name"), path)
        source = join(items_of(str, dialogue.get("utterances"), path), "utterance", id=id)
        for system, annotated in need(dialogue.get("annotations"), (), path).items():
            summary = need_texts(annotated, ("model_prediction",), path)
            yield _example(dialogue, source, system, summary, path, repairs)


def _example(
    dialogue: dict[str, Any],
    source: Source,
    system: str,
    summary: dict[str, Any],
    path: Path,
    repairs: Repairs,
) -> Annotated:
    text = summary["model_prediction"]
    judged = [
        need_texts(each, ("sentence",), path)
        for each in items(summary.get("sentence_annotations"), path)
    ]
    units = tuple(find_sentences(text, (each["sentence"] for each in judged), repairs))
    question = dialogue["query"]
    if question == "n/a":
        repairs.note("query-not-given", "the query n/a is read as no question")
        question = ""
    example = Example(
        id=f"{source.id}-{system}",
        source=source,
        response=Response(text, model=system),
        question=question,
        units=units,
        task=dialogue["dataset_name"],
    )
    opinions = (
        said
        for unit, each in zip(units, judged, strict=True)
        for said in _opinions(unit, _errors(each, path), repairs)
    )
    return annotate(example, opinions)


def _errors(sentence: dict[str, Any], path: Path) -> list[dict[str, Any]]:
    """The errors that were found in a sentence."""
    fields = ("error_class", "error_span", "intrinsic/extrinsic", "comment")
    annotations = items(sentence.get("annotation"), path)
    return [
        error
        for error in (need_texts(each, fields, path) for each in annotations)
        if pick(_CLASSES, error["error_class"], path) is UNFAITHFUL
    ]


def _opinions(unit: Unit, errors: list[dict[str, Any]], repairs: Repairs) -> Iterator[Opinion]:
    """An opinion of the sentence, then one of each span that is marked in it."""
    notes = "\n".join(map(_note, errors))
    label = UNFAITHFUL if errors else FAITHFUL
    yield opinion(unit, label, note=notes, attributes=_attributes(errors))
    for number, error in enumerate(errors, start=1):
        if error["error_span"]:
            place = _place(unit, error["error_span"], repairs)
            mark = place_unit("span", number, place, unit.id)
            yield opinion(mark, UNFAITHFUL, note=_note(error), attributes=_attributes([error]))
        else:
            repairs.note("span-not-given", "an error without marked words: no verdict on a span")


def _attributes(errors: list[dict[str, Any]]) -> Attributes:
    return Attributes(
        explanation=" ".join(error["comment"] for error in errors if error["comment"]),
        category=", ".join(dict.fromkeys(error["error_class"] for error in errors)),
    )


def _note(error: dict[str, Any]) -> str:
    kind = error["intrinsic/extrinsic"]
    name = error["error_class"] + (f" ({kind})" if kind not in ("", "n/a") else "")
    return f"{name}: {error['comment']}" if error["comment"] else name


def _place(sentence: Unit, quote: str, repairs: Repairs) -> Span | str:
    """The span of the marked words of a sentence; the words alone if they cannot be placed."""
    if not sentence.spans:
        repairs.note("span-unlocated", "marked words that are not in the sentence have no offsets")
        return quote
    within = sentence.spans[0]
    if quote in ("the whole sentence", "whole sentence"):
        repairs.note("span-whole-sentence", "'the whole sentence' is read as all of it")
        return within
    start = locate(within.text, quote, 0)
    if start is None:
        repairs.note("span-unlocated", "marked words that are not in the sentence have no offsets")
        return quote
    if locate(within.text, quote, start + 1) is not None:
        repairs.note(
            "span-repeated", "marked words stand in the sentence twice: the first is meant"
        )
    at = within.start + start
    return Span("response", at, at + len(quote), quote)
