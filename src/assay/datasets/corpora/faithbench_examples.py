"""FaithBench's three releases as examples."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.taxonomies import FAITHBENCH
from assay.core.texts import Response, Source
from assay.core.verdicts import Outcome, Verdict
from assay.datasets.corpora.building import items, items_of, need_texts, some, text_id, whole
from assay.datasets.corpora.faithbench import ANNOTATED, RELEASED
from assay.datasets.corpora.faithbench_labels import pool, read_annotation
from assay.datasets.corpora.reading import need, read_csv, read_json
from assay.datasets.corpora.recordings import find_columns, read_outcomes
from assay.datasets.repairs import Repairs

Row = dict[str, Any]


def load_release(folder: Path, repairs: Repairs) -> Iterator[Example]:
    """The 750 samples of the release; an id is batch and sample."""
    for batch in RELEASED:
        path = folder / f"data_for_release/batch_{batch}.json"
        for row in _samples(need(read_json(path), ("samples",), path)["samples"], path):
            about = need_texts(need(row, ("metadata",), path)["metadata"], ("summarizer",), path)
            outcomes = read_outcomes(whole(row["summary"]), about, find_columns(about))
            annotations = _annotations(row, path)
            yield _example(row, batch, about["summarizer"], annotations, outcomes, repairs)


def load_paper(folder: Path, repairs: Repairs) -> Iterator[Example]:
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
        for row in _samples(read_json(path), path):
            need_texts(row, ("meta_model",), path)
            if row["sample_id"] in skipped:
                repairs.note("sample-skipped", "the paper leaves this sample out")
                continue
            candidate = _candidate(candidates, row, path, repairs)
            outcomes = read_outcomes(whole(row["summary"]), candidate, columns)
            chosen = list(_select(_annotations(row, path), selected, repairs))
            yield _example(row, batch, row["meta_model"], chosen, outcomes, repairs)


def load_table(folder: Path, repairs: Repairs) -> Iterator[Example]:
    """The 800 rows of the CSV; an id is the number of a row."""
    path = folder / "FaithBench.csv"
    for number, row in enumerate(some(read_csv(path), path)):
        need(row, ("source", "summary", "LLM", "worst-label", "best-label"), path)
        unit = whole(row["summary"])
        yield Example(
            id=str(number),
            source=Source(row["source"], id=text_id(row["source"])),
            response=Response(row["summary"], row["LLM"]),
            gold=(
                Verdict(unit, FAITHBENCH[row["worst-label"]]),
                Verdict(unit, FAITHBENCH[row["best-label"]], judge="best-label"),
            ),
            task="summary",
        )


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
        if selected and _annotator(annotation) not in selected:
            repairs.note("annotator-not-selected", "the paper ignores this annotation's author")
        else:
            yield annotation


def _annotator(annotation: Row) -> str:
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


def _example(
    row: Row,
    batch: int,
    model: str,
    annotations: list[Row],
    outcomes: tuple[Outcome, ...],
    repairs: Repairs,
) -> Example:
    source, text = Source(row["source"], id=text_id(row["source"])), row["summary"]
    read = (read_annotation(each, source, text, _annotator(each), repairs) for each in annotations)
    verdicts = [verdict for verdict in read if verdict]
    return Example(
        id=f"{batch}-{row['sample_id']}",
        source=source,
        response=Response(text, model),
        gold=(pool(whole(text), verdicts), *verdicts),
        recorded=outcomes,
        split=f"batch-{batch}",
        task="summary",
    )
