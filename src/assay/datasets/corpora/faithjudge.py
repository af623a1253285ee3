"""FaithJudge: annotated peer responses of four tasks, and what its judge said of 46 LLMs."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import Finding
from assay.core.taxonomies import FAITHBENCH
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.core.verdicts import Failure, FailureReason
from assay.datasets.corpora.annotations import (
    FAITHFUL,
    FROM_MARKS,
    UNFAITHFUL,
    Opinion,
    annotate,
    detector,
    opinion,
    person,
)
from assay.datasets.corpora.faithbench_marks import pool, read_annotation
from assay.datasets.corpora.ragtruth import read_gold, read_grounding
from assay.datasets.corpora.raw_files import RawRow, read_rows
from assay.datasets.corpus import Card, File, Protocol, Repairs

TASKS = ("faithbench-summary", "ragtruth-summary", "ragtruth-qa", "ragtruth-data2txt")

_ORIGIN = "https://github.com/vectara/FaithJudge"
_REVISION = "ca35eb45d0d32cffd5ddc2d6513c4e8342cb9f5d"
_LICENCE = "none stated (RAGTruth itself: MIT; FaithBench itself: CC BY-NC-SA 4.0)"
_PAPER = "Benchmarking LLM Faithfulness in RAG with Evolving Leaderboards (arXiv 2505.04847)"

PEERS = Card(
    name="faithjudge-peers",
    title="FaithJudge, the annotated responses that its judge is shown",
    origin=_ORIGIN,
    revision=_REVISION,
    licence=_LICENCE,
    taxonomy="faithbench",
    unit_kind="span",
    folder="faithjudge",
    files=(
        File(
            "eval_data/faithbench_summary.jsonl",
            "fc3060e138fcc9b43b0d800c5e3f765c8e68065e6e81488a4c8096a188c45bbc",
            upstream="eval_data/faithbench_summary.jsonl",
        ),
        File("eval_data/ragtruth_summary.jsonl"),
        File("eval_data/ragtruth_qa.jsonl"),
        File("eval_data/ragtruth_data2txt.jsonl"),
    ),
    loader="assay.datasets.corpora.faithjudge:load_peers",
    paper=_PAPER,
    protocol=Protocol("response", "corpus", "faithbench-strict", "FaithJudge, appendix B"),
    labels="FaithBench's summaries: the release's majority label, each annotator's worst class "
    "(consistent if the annotator marked nothing), and a verdict for each marked span. RAGTruth's "
    "tasks: marked spans in ragtruth4 and a binary verdict on the response, as in ragtruth.",
    defects=(
        "an annotator who marked nothing is an empty list without a name: the place in the list, "
        "which is fixed within a batch, tells who it is",
        "FaithBench's defects: see faithbench-paper",
        "one majority label is not that of the annotators' worst classes",
    ),
    notes="faithbench_summary.jsonl is as released; of the RAGTruth files a part of the lines.",
)

JUDGED = Card(
    name="faithjudge-judged",
    title="FaithJudge, the judged responses of 46 LLMs",
    origin=_ORIGIN,
    revision=_REVISION,
    licence=_LICENCE,
    taxonomy="binary",
    unit_kind="response",
    folder="faithjudge",
    files=(
        File("sources.jsonl.gz"),
        *(File(f"judged/{task}.jsonl.gz") for task in TASKS),
    ),
    loader="assay.datasets.corpora.faithjudge:load_judged",
    paper=_PAPER,
    has_gold=False,
    labels="No gold. The judge (o3-mini with annotated peer responses) is recorded under the name "
    "faithjudge-o3-mini: Consistent is faithful, Inconsistent unfaithful, and Invalid is a failure "
    "with the reason invalid, which the leaderboard counts as hallucinated.",
    defects=("machine labels", "3 responses are Invalid"),
    asks={"faithjudge-o3-mini": "openai/o3-mini"},
    notes="Converted: the judge's prompt is left out, and the sources have a file of their own.",
)

JUDGE = detector("faithjudge-o3-mini")

_MAJORITY = "computed_ground_truth_label_majority"
_CLASSES = {"Consistent": FAITHFUL, "Inconsistent": UNFAITHFUL}


def load_peers(folder: Path, repairs: Repairs) -> Iterator[Annotated]:
    """The annotated responses, task by task."""
    yield from _load_faithbench(folder / "eval_data/faithbench_summary.jsonl", repairs)
    for task in TASKS[1:]:
        yield from _load_ragtruth(
            folder / f"eval_data/{task.replace('-', '_')}.jsonl", task, repairs
        )


def load_judged(folder: Path, repairs: Repairs) -> Iterator[Annotated]:
    """The judged responses, task by task; an id is task, source and model."""
    grounds = {
        (row.text("task"), row.text("source_id")): read_grounding(row["source"], row["source_id"])
        for row in read_rows(folder / "sources.jsonl.gz")
    }
    for task in TASKS:
        for row in read_rows(folder / f"judged/{task}.jsonl.gz"):
            text, model = row.text("candidate_text"), row.text("model")
            if (task, row.text("source_id")) not in grounds:
                raise InputError(
                    f"{row.path}: source '{row['source_id']}' is not in sources.jsonl.gz"
                )
            source, question = grounds[task, row["source_id"]]
            example = Example(
                id=f"{task}/{row['source_id']}/{model}",
                source=source,
                response=Response(text, model),
                question=question,
                task=task,
            )
            yield annotate(example, [_judged(Unit.response(text), row)])


def _judged(unit: Unit, row: RawRow) -> Opinion:
    note, said = str(row.get("evaluation_response") or ""), row.text("classification")
    if said in _CLASSES:
        return opinion(unit, _CLASSES[said], by=JUDGE, note=note)
    reason: FailureReason = "invalid" if said == "Invalid" else "off_menu"
    return JUDGE, Finding(unit, Failure(unit.id, reason, f"the judge said {said!r}", raw=note))


def _load_ragtruth(path: Path, task: str, repairs: Repairs) -> Iterator[Annotated]:
    for row in read_rows(path):
        source, question = read_grounding(row["source"], row["source_id"])
        for number, peer in enumerate(row.rows("responses")):
            example = Example(
                id=f"{task}/{source.id}-{number}",
                source=source,
                response=Response(peer.text("response"), peer.text("model")),
                question=question,
                task=task,
            )
            yield annotate(example, read_gold(peer, repairs))


def _load_faithbench(path: Path, repairs: Repairs) -> Iterator[Annotated]:
    rows = list(read_rows(path))
    names = _annotators(rows)
    for row in rows:
        source = Source(row.text("source"), id=str(row["source_id"]))
        for peer in row.rows("summaries"):
            example = Example(
                id=f"{TASKS[0]}/{peer.text('sample_id')}",
                source=source,
                response=Response(peer.text("summary"), peer.text("meta_model")),
                task=TASKS[0],
            )
            yield annotate(example, _opinions(peer, example, names, repairs))


def _annotators(rows: list[RawRow]) -> dict[tuple[str, int], str]:
    """The annotator at each place of a batch's lists of annotations."""
    names: dict[tuple[str, int], str] = {}
    for row in rows:
        for peer in row.rows("summaries"):
            for place, annotations in enumerate(peer.items_of(list, "annotations")):
                for each in annotations:
                    said = RawRow(each, row.path)
                    said.items_of(str, "label")
                    who = said["annotator"]
                    if names.setdefault((_batch(row), place), who) != who:
                        raise InputError(f"{row.path}: annotators change places in '{_batch(row)}'")
    return names


def _batch(row: RawRow) -> str:
    return str(row["source_id"]).partition("-")[0]


def _opinions(
    peer: RawRow, example: Example, names: dict[tuple[str, int], str], repairs: Repairs
) -> Iterator[Opinion]:
    """The majority, then each annotator's worst class and marked spans."""
    unit = Unit.response(peer["summary"])
    yield opinion(unit, FAITHBENCH[peer.text(_MAJORITY)], attributes=FROM_MARKS)
    batch = example.source.id.partition("-")[0]
    numbers = count(1)
    for place, annotations in enumerate(peer["annotations"]):
        annotator = names.get((batch, place), f"annotator {place + 1}")
        if not annotations:
            repairs.note(
                "annotator-by-place",
                "an annotator who marked nothing has no name: known by the place in the list",
            )
        marks = [
            mark
            for each in annotations
            if (mark := read_annotation(next(numbers), each, example, annotator, repairs))
        ]
        yield pool(unit, marks, person(annotator))
        yield from marks
