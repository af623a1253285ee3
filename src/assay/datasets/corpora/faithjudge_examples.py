"""FaithJudge's two parts as examples."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.taxonomies import FAITHBENCH
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.core.verdicts import Failure, FailureReason, Outcome, Verdict
from assay.datasets.corpora.building import (
    FAITHFUL,
    UNFAITHFUL,
    items,
    items_of,
    need_texts,
    some,
    whole,
)
from assay.datasets.corpora.faithbench_labels import pool, read_annotation
from assay.datasets.corpora.faithjudge import TASKS
from assay.datasets.corpora.ragtruth import read_gold, read_grounding
from assay.datasets.corpora.reading import need, read_json_lines
from assay.datasets.repairs import Repairs

JUDGE = "faithjudge-o3-mini"

_MAJORITY = "computed_ground_truth_label_majority"
_CLASSES = {"Consistent": FAITHFUL, "Inconsistent": UNFAITHFUL}
Row = dict[str, Any]


def load_peers(folder: Path, repairs: Repairs) -> Iterator[Example]:
    """The annotated responses, task by task."""
    yield from _load_faithbench(folder / "eval_data/faithbench_summary.jsonl", repairs)
    for task in TASKS[1:]:
        yield from _load_ragtruth(
            folder / f"eval_data/{task.replace('-', '_')}.jsonl", task, repairs
        )


def load_judged(folder: Path, repairs: Repairs) -> Iterator[Example]:
    """The judged responses, task by task; an id is task, source and model."""
    path = folder / "sources.jsonl.gz"
    grounds = {}
    for row in some(read_json_lines(path), path):
        need(need_texts(row, ("task", "source_id"), path), ("source",), path)
        grounds[row["task"], row["source_id"]] = read_grounding(row["source"], row["source_id"])
    for task in TASKS:
        path = folder / f"judged/{task}.jsonl.gz"
        for row in some(read_json_lines(path), path):
            need_texts(row, ("model", "source_id", "candidate_text", "classification"), path)
            if (task, row["source_id"]) not in grounds:
                raise InputError(f"{path}: source '{row['source_id']}' is not in sources.jsonl.gz")
            source, question = grounds[task, row["source_id"]]
            yield Example(
                id=f"{task}/{row['source_id']}/{row['model']}",
                source=source,
                response=Response(row["candidate_text"], row["model"]),
                question=question,
                recorded=(_judged(whole(row["candidate_text"]), row),),
                task=task,
            )


def _judged(unit: Unit, row: Row) -> Outcome:
    note, said = str(row.get("evaluation_response") or ""), row["classification"]
    if said in _CLASSES:
        return Verdict(unit, _CLASSES[said], note=note, judge=JUDGE)
    reason: FailureReason = "invalid" if said == "Invalid" else "off_menu"
    return Failure(unit, reason, f"the judge said {said!r}", raw=note, judge=JUDGE)


def _load_ragtruth(path: Path, task: str, repairs: Repairs) -> Iterator[Example]:
    for row in some(read_json_lines(path), path):
        need(row, ("source_id", "source", "responses"), path)
        source, question = read_grounding(row["source"], row["source_id"])
        for number, peer in enumerate(items(row["responses"], path)):
            need_texts(peer, ("response", "model"), path)
            yield Example(
                id=f"{task}/{source.id}-{number}",
                source=source,
                response=Response(peer["response"], peer["model"]),
                question=question,
                gold=read_gold(peer, path, repairs),
                task=task,
            )


def _load_faithbench(path: Path, repairs: Repairs) -> Iterator[Example]:
    rows = [
        need(row, ("source_id", "source", "summaries"), path)
        for row in some(read_json_lines(path), path)
    ]
    names = _annotators(rows, path)
    for row in rows:
        source = Source(need_texts(row, ("source",), path)["source"], id=str(row["source_id"]))
        for peer in row["summaries"]:
            need_texts(peer, ("sample_id", "summary", "meta_model", _MAJORITY), path)
            yield Example(
                id=f"{TASKS[0]}/{peer['sample_id']}",
                source=source,
                response=Response(peer["summary"], peer["meta_model"]),
                gold=tuple(_opinions(peer, source, names, repairs)),
                task=TASKS[0],
            )


def _annotators(rows: list[Row], path: Path) -> dict[tuple[str, int], str]:
    """Who stands at each place of a batch's lists of annotations."""
    names: dict[tuple[str, int], str] = {}
    for row in rows:
        for peer in items(row["summaries"], path):
            lists = items(need(peer, ("annotations",), path)["annotations"], path)
            for place, annotations in enumerate(lists):
                for each in items(annotations, path):
                    who = need(each, ("annotator", "label"), path)["annotator"]
                    items_of(str, each["label"], path)
                    if names.setdefault((_batch(row), place), who) != who:
                        raise InputError(f"{path}: annotators change places in '{_batch(row)}'")
    return names


def _batch(row: Row) -> str:
    return str(row["source_id"]).partition("-")[0]


def _opinions(
    peer: Row, source: Source, names: dict[tuple[str, int], str], repairs: Repairs
) -> Iterator[Verdict]:
    """The majority, then each annotator's worst class and marked spans."""
    unit = whole(peer["summary"])
    yield Verdict(unit, FAITHBENCH[peer[_MAJORITY]])
    batch = source.id.partition("-")[0]
    for place, annotations in enumerate(peer["annotations"]):
        judge = names.get((batch, place), f"annotator {place + 1}")
        if not annotations:
            repairs.note(
                "annotator-by-place",
                "an annotator who marked nothing has no name: known by the place in the list",
            )
        read = (
            read_annotation(each, source, peer["summary"], judge, repairs) for each in annotations
        )
        verdicts = [verdict for verdict in read if verdict]
        yield pool(unit, verdicts, judge)
        yield from verdicts
