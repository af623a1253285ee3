"""DiaSumFact: sentences of dialogue summaries with the errors people found in them."""

from collections.abc import Iterator
from pathlib import Path

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
from assay.datasets.corpora.raw_files import RawRow, locate, read_json, some
from assay.datasets.corpus import Card, Repairs, released

_PINS = {
    "annotations.json": "e4b63635483d9e9c6c9474940ad16d09a1f8d0b478ab165dc4380846414eb6b0",
}

CARD = Card(
    name="diasumfact",
    title="DiaSumFact: fine-grained errors in dialogue summaries",
    origin="https://github.com/731935354/Dia-Sum-Fact",
    revision="fdec07df7ed239360c1f7d4b69f67c5289a335d0",
    licence="MIT",
    taxonomy="binary",
    unit_kind="sentence",
    folder="diasumfact",
    files=released(_PINS),
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
    dialogues = RawRow(read_json(path), path)
    for id in some(dialogues, path):
        dialogue = dialogues.row(id)
        source = join(dialogue.items_of(str, "utterances"), "utterance", id=id)
        summaries = dialogue.row("annotations")
        for system in summaries:
            yield _example(dialogue, source, system, summaries.row(system), repairs)


def _example(
    dialogue: RawRow, source: Source, system: str, summary: RawRow, repairs: Repairs
) -> Annotated:
    text, judged = summary.text("model_prediction"), summary.rows("sentence_annotations")
    units = tuple(find_sentences(text, (each.text("sentence") for each in judged), repairs))
    question = dialogue.text("query")
    if question == "n/a":
        repairs.note("query-not-given", "the query n/a is read as no question")
        question = ""
    example = Example(
        id=f"{source.id}-{system}",
        source=source,
        response=Response(text, model=system),
        question=question,
        units=units,
        task=dialogue.text("dataset_name"),
    )
    opinions = (
        said
        for unit, each in zip(units, judged, strict=True)
        for said in _opinions(unit, _errors(each), repairs)
    )
    return annotate(example, opinions)


def _errors(sentence: RawRow) -> list[RawRow]:
    """The errors that were found in a sentence."""
    return [
        error
        for error in sentence.rows("annotation")
        if error.pick(_CLASSES, error["error_class"]) is UNFAITHFUL
    ]


def _opinions(unit: Unit, errors: list[RawRow], repairs: Repairs) -> Iterator[Opinion]:
    """An opinion of the sentence, then one of each span that is marked in it."""
    notes = "\n".join(map(_note, errors))
    label = UNFAITHFUL if errors else FAITHFUL
    yield opinion(unit, label, note=notes, attributes=_attributes(errors))
    for number, error in enumerate(errors, start=1):
        if span := error.text("error_span"):
            place = _place(unit, span, repairs)
            mark = place_unit("span", number, place, unit.id)
            yield opinion(mark, UNFAITHFUL, note=_note(error), attributes=_attributes([error]))
        else:
            repairs.note("span-not-given", "an error without marked words: no verdict on a span")


def _attributes(errors: list[RawRow]) -> Attributes:
    return Attributes(
        explanation=" ".join(filter(None, (error.text("comment") for error in errors))),
        category=", ".join(dict.fromkeys(error["error_class"] for error in errors)),
    )


def _note(error: RawRow) -> str:
    kind = error.text("intrinsic/extrinsic")
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
