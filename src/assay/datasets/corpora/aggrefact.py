"""AggreFact: summaries of nine data sets with one label and the metrics of its paper."""

from collections.abc import Iterator
from pathlib import Path

from assay.core.examples import Example
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.core.verdicts import Outcome, Verdict
from assay.datasets.cards import Card, File
from assay.datasets.corpora.building import pick, text_id, whole
from assay.datasets.corpora.recordings import read_decision, read_score
from assay.datasets.corpora.tables import ONE_IS_FAITHFUL, read_table
from assay.datasets.repairs import Repairs

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

_FIELDS = ("dataset", "origin", "doc", "summary", "model_name", "label", "cut")


def load(folder: Path, repairs: Repairs) -> Iterator[Example]:
    """The summaries; an id is the number of a row."""
    path = folder / "aggre_fact_final.csv"
    for number, row in enumerate(read_table(path, _FIELDS)):
        if not row["summary"].strip():
            repairs.note("empty-text", "a summary is empty: it is skipped")
            continue
        unit = whole(row["summary"])
        yield Example(
            id=str(number),
            source=Source(row["doc"], id=text_id(row["doc"])),
            response=Response(row["summary"], row["model_name"]),
            gold=(Verdict(unit, pick(ONE_IS_FAITHFUL, row["label"], path)),),
            recorded=tuple(_outcomes(unit, row, repairs)),
            split=row["cut"],
            task=f"{row['dataset']}-{row['origin']}",
        )


def _outcomes(unit: Unit, row: dict[str, str], repairs: Repairs) -> Iterator[Outcome]:
    for metric in (name.removesuffix("_score") for name in row if name.endswith("_score")):
        judge = metric.lower()
        score = read_score(unit, row[f"{metric}_score"], judge)
        decision = read_decision(unit, row.get(f"{metric}_label"), judge)
        if not isinstance(score, Verdict) and score.reason == "parse":
            repairs.note("score-beyond-range", "a score is not between 0 and 1: it is left out")
        if isinstance(score, Verdict) and isinstance(decision, Verdict):
            yield Verdict(unit, decision.label, score.score, judge=judge)
        else:
            yield score if isinstance(score, Verdict) else decision
