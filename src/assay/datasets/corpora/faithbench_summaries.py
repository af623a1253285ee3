"""FaithBench's three releases as examples."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.taxonomies import FAITHBENCH
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.datasets.corpora.annotations import Opinion, annotate, opinion, person, text_id
from assay.datasets.corpora.faithbench import ANNOTATED, RELEASED
from assay.datasets.corpora.faithbench_marks import pool, read_annotation, regulars, with_silent
from assay.datasets.corpora.raw_files import (
    items,
    items_of,
    need,
    need_texts,
    read_csv,
    read_json,
    some,
)
from assay.datasets.corpora.recordings import find_columns, read_outcomes
from assay.datasets.corpus import Repairs

Row = dict[str, Any]


def load_release(folder: Path, repairs: Repairs) -> Iterator[Annotated]:
    """The 750 samples of the release; an id is batch and sample."""
    for batch in RELEASED:
        path = folder / f"data_for_release/batch_{batch}.json"
        rows = list(_samples(need(read_json(path), ("samples",), path)["samples"], path))
        annotators = annotators_of([_annotations(row, path) for row in rows])
        for row in rows:
            about = need_texts(need(row, ("metadata",), path)["metadata"], ("summarizer",), path)
            outcomes = read_outcomes(Unit.response(row["summary"]), about, find_columns(about))
            example = _example(row, batch, about["summarizer"])
            said = _opinions(example, _annotations(row, path), annotators, repairs)
            yield annotate(example, (*said, *outcomes))


def load_paper(folder: Path, repairs: Repairs) -> Iterator[Annotated]:
    """The 750 samples of the paper's tables with the annotators that it selects."""
    path = folder / "paper_annotations/selection.json"
    selection = need(read_json(path), ("skip_samples", "selected_annotators"), path)
    pool_path = folder / "examples_to_annotate.csv"
    candidates = list(some(read_csv(pool_path), pool_path))
    columns = find_columns(candidates[0])
    for batch in ANNOTATED:
        path = folder / f"paper_annotations/batch_{batch}_annotation.json"
        skipped = selection["skip_samples"].get(str(batch), ())
        selected = selection["selected_annotators"].get(str(batch), ())
        rows = list(_samples(read_json(path), path))
        annotators = selected or annotators_of([_annotations(row, path) for row in rows])
        for row in rows:
            need_texts(row, ("meta_model",), path)
            if row["sample_id"] in skipped:
                repairs.note("sample-skipped", "the paper leaves this sample out")
                continue
            candidate = _candidate(candidates, row, path, repairs)
            outcomes = read_outcomes(Unit.response(row["summary"]), candidate, columns)
            chosen = list(_select(_annotations(row, path), selected, repairs))
            example = _example(row, batch, row["meta_model"])
            said = _opinions(example, chosen, annotators, repairs)
            yield annotate(example, (*said, *outcomes))


def load_table(folder: Path, repairs: Repairs) -> Iterator[Annotated]:
    """The 800 rows of the CSV; an id is the number of a row."""
    path = folder / "FaithBench.csv"
    for number, row in enumerate(some(read_csv(path), path)):
        need(row, ("source", "summary", "LLM", "worst-label", "best-label"), path)
        unit = Unit.response(row["summary"])
        example = Example(
            id=str(number),
            source=Source(row["source"], id=text_id(row["source"])),
            response=Response(row["summary"], row["LLM"]),
            task="summary",
        )
        worst_label = opinion(unit, FAITHBENCH[row["worst-label"]])
        best_label = opinion(unit, FAITHBENCH[row["best-label"]], by=person("best-label"))
        yield annotate(example, (worst_label, best_label))


def _samples(value: Any, path: Path) -> Iterator[Row]:
    for row in some(items(value, path), path):
        yield need(need_texts(row, ("source", "summary"), path), ("sample_id",), path)


def _annotations(row: Row, path: Path) -> list[Row]:
    annotations = items(need(row, ("annotations",), path)["annotations"], path)
    for annotation in annotations:
        items_of(str, need(annotation, ("label",), path)["label"], path)
    return annotations


def _select(annotations: Iterable[Row], selected: Iterable[str], repairs: Repairs) -> Iterator[Row]:
    for annotation in annotations:
        if selected and annotator_of(annotation) not in selected:
            repairs.note("annotator-not-selected", "the paper ignores this annotation's author")
        else:
            yield annotation


def annotators_of(samples: Sequence[Iterable[Row]]) -> list[str]:
    """The annotators taken to have looked at a whole batch, by the annotations of its samples."""
    return regulars([{annotator_of(each) for each in annotations} for annotations in samples])


def annotator_of(annotation: Row) -> str:
    """The first word of the name; the ids differ from batch to batch, so they are a last resort."""
    name = str(annotation.get("annotator_name") or "").split()
    identity = annotation.get("annotator_id") or annotation.get("annotator") or ""
    return name[0].lower() if name else str(identity)


def _candidate(
    candidates: list[dict[str, str]], row: Row, path: Path, repairs: Repairs
) -> dict[str, str]:
    """The row of the candidate pool that holds a sample's predictions."""
    number = need(row, ("meta_sample_id",), path)["meta_sample_id"]
    candidate = candidates[number] if number in range(len(candidates)) else {}
    if candidate.get("model") != row["meta_model"]:
        raise InputError(f"{path}: examples_to_annotate.csv has no row {number} for this sample")
    if (candidate.get("source"), candidate.get("summary")) != (row["source"], row["summary"]):
        repairs.note("other-white-space", "the predictions were made on a slightly other text")
    return candidate


def _example(row: Row, batch: int, model: str) -> Example:
    return Example(
        id=f"{batch}-{row['sample_id']}",
        source=Source(row["source"], id=text_id(row["source"])),
        response=Response(row["summary"], model),
        split=f"batch-{batch}",
        task="summary",
    )


def _opinions(
    example: Example, annotations: list[Row], annotators: Iterable[str], repairs: Repairs
) -> Iterator[Opinion]:
    """The pooled class, each mark, and the batch's annotators who marked nothing."""
    marks = [
        mark
        for number, each in enumerate(annotations, start=1)
        if (mark := read_annotation(number, each, example, annotator_of(each), repairs))
    ]
    yield pool(Unit.response(example.response.text), marks)
    yield from with_silent(example, marks, map(person, annotators), repairs)
