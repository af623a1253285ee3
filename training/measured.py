"""The examples that the model is measured on, and what people said of them."""

import json
import random
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from assay.core.examples import Annotated
from assay.core.pooling import Pool
from assay.core.rendering import read_source
from assay.core.texts import Source
from assay.datasets.overlaps import h80
from assay.evaluation.gold import gold_labels
from assay.text.sentences import split_sentences
from training.corpora import corpus, labelled_ragtruth, wrong_places
from training.made import as_record
from training.splits import is_development
from training.wording import Spans

SUITE = Path(__file__).parent / "suite" / "perturbations.jsonl"
SUMMAC = 1_500  # examples of SummaC's validation part that are read
SEED = 20_261_115


@dataclass(frozen=True, slots=True)
class Measured:
    """An example and its gold: `labels` as the corpus names them, "" where a sentence has none.

    `faithful` and `response` say 1 for faithful, 0 for anything else, -1 where it is not known.
    `cluster` is the source, which is resampled whole. `wrong` has for each sentence the characters
    that people marked, and is empty where nobody marked any of the response.
    """

    group: str
    id: str
    cluster: str
    source: Source
    question: str
    sentences: tuple[str, ...]
    labels: tuple[str, ...]
    faithful: tuple[int, ...]
    response: int
    wrong: tuple[Spans, ...] = ()


def measured_examples(root: Path) -> Iterator[Measured]:
    """Everything the model is measured on."""
    for each in labelled_ragtruth(root):
        if is_development(each.example):
            yield measured(f"ragtruth-{each.example.task}", each, by_sentence=True)
    for name in ("summedits", "defacto"):
        for each in corpus(name, root):
            if is_development(each.example):
                group = f"summedits-{each.example.task}" if name == "summedits" else name
                yield measured(group, each)
    for name in ("faithbench-sentences", "storysumm", "qags", "wice"):
        for each in corpus(name, root):
            group = f"qags-{each.example.task}" if name == "qags" else name
            yield measured(group, each, by_sentence=name != "wice")
    for each in random.Random(SEED).sample(corpus("summac", root), SUMMAC):
        yield measured(f"summac-{each.example.task}", each)
    yield from suite()


def measured(group: str, annotated: Annotated, by_sentence: bool = False) -> Measured:
    """An example with its gold; three workers who disagree are counted by majority."""
    example = annotated.example
    pool: Pool = "majority" if group.startswith("qags") else "corpus"
    pairs = gold_labels(annotated, "sentence", pool) if by_sentence else []
    marked = pairs if group.startswith("ragtruth") else []
    if pairs:
        sentences = tuple(unit.text for unit, _ in pairs)
        labels = tuple(label.name for _, label in pairs)
        faithful = tuple(int(label.coarse == "faithful") for _, label in pairs)
    else:
        spans = split_sentences(example.response.text)
        sentences = tuple(span.text for span in spans) or (example.response.text,)
        labels, faithful = ("",) * len(sentences), (-1,) * len(sentences)
    whole = gold_labels(annotated, "response", pool)
    response = int(whole[0][1].coarse == "faithful") if whole else min(faithful)
    return Measured(
        group,
        example.id,
        example.source.id or h80(example.source.text) or example.id,
        example.source,
        example.question,
        sentences,
        labels,
        faithful,
        response,
        tuple(wrong_places(annotated, unit) for unit, _ in marked),
    )


def suite() -> Iterator[Measured]:
    """The perturbation suite, one sentence a response."""
    for line in SUITE.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        source = read_source(as_record(record["source"]))
        for number, case in enumerate(record["cases"]):
            truth = int(case["label"] == "entailed")
            yield Measured(
                f"suite-{case['kind']}",
                f"{record['id']}-{number}",
                record["id"],
                source,
                record.get("question", ""),
                (case["sentence"],),
                (case["label"],),
                (truth,),
                truth,
            )


def write_gold(examples: Iterable[Measured], path: Path) -> None:
    """The examples without their sources."""
    with path.open("w", encoding="utf-8") as lines:
        for example in examples:
            row = {name: value for name, value in asdict(example).items() if name != "source"}
            lines.write(json.dumps(row, ensure_ascii=False) + "\n")
