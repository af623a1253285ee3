"""AggreFact: summaries of nine data sets with one label and the metrics of its paper."""

from collections.abc import Iterator
from pathlib import Path

from assay.core.examples import Annotated, Example
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.datasets.corpora.annotations import (
    ONE_IS_FAITHFUL,
    Opinion,
    annotate,
    opinion,
    read_decision,
    read_score,
    text_id,
)
from assay.datasets.corpora.raw_files import RawRow, read_rows
from assay.datasets.corpus import Card, File, Protocol, Repairs

CARD = Card(
    name="aggrefact",
    title="AggreFact: factual errors in summaries from nine data sets",
    origin="https://github.com/Liyan06/AggreFact",
    revision="52fffcec4bcfc35fc83f7bf88919532381f331b4",
    licence="none stated; the member sets keep their own terms",
    taxonomy="binary",
    unit_kind="response",
    splits=("val", "test"),
    folder="aggrefact",
    files=(File("aggre_fact_final.csv", upstream="data/aggre_fact_final.csv"),),
    loader="assay.datasets.corpora.aggrefact:load",
    paper="Understanding Factual Errors in Summarization: Errors, Summarizers, Datasets, Error "
    "Detectors (ACL 2023)",
    protocol=Protocol("response", "corpus", stated_in="FaithJudge, section 6.1"),
    labels="1 is consistent, hence faithful; 0 is unfaithful. The task is the member set and "
    "cnndm or xsum. Each metric's decision and, where it lies between 0 and 1, its score are "
    "recorded under its name in lower case.",
    defects=(
        "several metrics have scores beyond 0 to 1: only their decisions are kept",
        "decisions exist for the test split only, by a threshold for each member set",
        "one label a summary, made from different annotations in different member sets",
    ),
    notes="CSV: dataset, origin, id, doc, summary, model_name, label, cut, and for each metric "
    "<metric>_score and <metric>_label (DAE, QuestEval, SummaC-ZS, SummaC-Conv, QAFactEval). "
    "aggre_fact_sota.csv is a part of it.",
)


def load(folder: Path, repairs: Repairs) -> Iterator[Annotated]:
    """The summaries; an id is the number of a row."""
    for number, row in enumerate(read_rows(folder / "aggre_fact_final.csv")):
        if not row["summary"].strip():
            repairs.note("empty-text", "a summary is empty: it is skipped")
            continue
        unit = Unit.response(row["summary"])
        example = Example(
            id=str(number),
            source=Source(row["doc"], id=text_id(row["doc"])),
            response=Response(row["summary"], row["model_name"]),
            split=row["cut"],
            task=f"{row['dataset']}-{row['origin']}",
        )
        gold = opinion(unit, row.pick(ONE_IS_FAITHFUL, row["label"]))
        yield annotate(example, (gold, *_recorded(unit, row, repairs)))


def _recorded(unit: Unit, row: RawRow, repairs: Repairs) -> Iterator[Opinion]:
    for metric in (name.removesuffix("_score") for name in row if name.endswith("_score")):
        author, score = read_score(unit, row[f"{metric}_score"], metric.lower())
        _, decision = read_decision(unit, row.get(f"{metric}_label"), metric.lower())
        if score.failure and score.failure.reason == "parse":
            repairs.note("score-beyond-range", "a score is not between 0 and 1: it is left out")
        if score.verdict and decision.verdict:
            yield opinion(unit, decision.label, score.score, by=author)
        else:
            yield author, score if score.verdict else decision
