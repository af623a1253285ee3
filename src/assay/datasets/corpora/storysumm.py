"""StorySumm: LLM summaries of short stories, judged sentence by sentence and as a whole."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.core.verdicts import Attributes
from assay.datasets.corpora.building import (
    FAITHFUL,
    UNFAITHFUL,
    Opinion,
    annotate,
    find_sentences,
    opinion,
)
from assay.datasets.corpora.reading import items, items_of, need, need_texts, pick, read_text, some
from assay.datasets.corpus import Card, File, Protocol, Repairs

CARD = Card(
    name="storysumm",
    title="StorySumm: subtle errors in summaries of short stories",
    origin="https://github.com/melaniesubbiah/storysumm",
    revision="22d47af2bfb2a6b2d443b44dbcc81dd01ac742cb",
    licence="MIT",
    taxonomy="binary",
    unit_kind="sentence",
    splits=("val", "test"),
    folder="storysumm",
    files=(
        File(
            "storysumm.json",
            "a5d33036b5a77e344912ea8c28dc831358ba91412217d9cdff3049f80e307cab",
            upstream="storysumm.json",
        ),
    ),
    loader="assay.datasets.corpora.storysumm:load",
    paper="STORYSUMM: Evaluating Faithfulness in Story Summarization (EMNLP 2024)",
    protocol=Protocol(
        "sentence", "corpus", stated_in="Revisiting Faithfulness Annotations, section 7"
    ),
    labels="1 is faithful and 0 unfaithful, for a summary and for a sentence (the field is called "
    "'errors' all the same). An explanation is the note of its sentence, in order; the difficulty "
    "is in the note of the summary. The response is the sentences joined by a space.",
    defects=(
        "the file is not valid JSON: a stray quote ends a line",
        "one summary has 7 sentences but 6 labels: its sentences get no verdict",
        "one unfaithful summary has no unfaithful sentence",
    ),
    may_train=True,
)

_STRAY_QUOTE = re.compile(r'(",) "$', re.MULTILINE)
_LABELS = {1: FAITHFUL, 0: UNFAITHFUL}


def load(folder: Path, repairs: Repairs) -> Iterator[Annotated]:
    """The summaries in the order of the file."""
    path = folder / "storysumm.json"
    rows = need(_read(path, repairs), (), path)
    for identity, row in some(rows.items(), path):
        need(need_texts(row, ("story", "split", "model"), path), ("story-id", "label"), path)
        sentences = items_of(str, row.get("summary"), path)
        text = " ".join(sentences)
        units = tuple(find_sentences(text, sentences, repairs))
        example = Example(
            id=identity,
            source=Source(row["story"], id=str(row["story-id"])),
            response=Response(text, row["model"]),
            units=units,
            split=row["split"],
            task="summary",
        )
        yield annotate(example, _opinions(row, units, Unit.response(text), path, repairs))


def _read(path: Path, repairs: Repairs) -> Any:
    """The file's value; the stray quote at the end of a line is taken out first."""
    text = read_text(path)
    try:
        return json.loads(text)
    except ValueError:
        corrected, count = _STRAY_QUOTE.subn(r"\1", text)
    try:
        value = json.loads(corrected)
    except ValueError as error:
        raise InputError(f"{path} is not JSON: {error}") from None
    repairs.note("stray-quote", "a stray quote at the end of a line was taken out", count)
    return value


def _opinions(
    row: dict[str, Any], units: tuple[Unit, ...], response: Unit, path: Path, repairs: Repairs
) -> Iterator[Opinion]:
    errors = [pick(_LABELS, error, path) for error in items(row.get("errors"), path)]
    notes = items_of(str, row.get("explanations") or [], path)
    explained = errors.count(UNFAITHFUL) == len(notes)
    difficulty = f"difficulty: {row['difficulty']}" if row.get("difficulty") else ""
    if not explained:
        repairs.note("loose-explanation", "explanations do not fit the sentences: on the summary")
    about = [difficulty, *([] if explained else notes)]
    label = pick(_LABELS, row["label"], path)
    yield opinion(response, label, note="\n".join(filter(None, about)))
    if len(errors) != len(units):
        repairs.note("labels-do-not-fit", "not as many labels as sentences: the labels are dropped")
        return
    explanations = iter(notes if explained else ())
    for unit, error in zip(units, errors, strict=True):
        note = next(explanations, "") if error == UNFAITHFUL else ""
        yield opinion(unit, error, note=note, attributes=Attributes(explanation=note))
