"""FaithBench's Table 3: detectors on single sentences, and its two rows that were joined wrongly.

A sentence is faithful only if all its labels are consistent: benign counts as hallucinated, unlike
in Table 2. RAGAS and TruLens judged claims: a sentence is faithful if every claim of it is fully
supported, also if none was made of it.
"""

from collections.abc import Iterator, Sequence

from assay.core.examples import Example
from assay.core.readings import reading
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.datasets.corpora.reading import need, read_json_lines
from assay.evaluate.reproduce.cells import Figure
from assay.evaluate.reproduce.faithbench_tables import DETECTORS, says_faithful, score_rows
from assay.evaluate.reproduce.shelf import Shelf

FOLDER = "faithbench/faithbench_sentence_level"
CLAIM_JUDGES = {"RAGAS": "ragas", "TruLens": "trulens"}
# Its predictions are not in the file at all, where true-nli's are there and empty.
LEFT_OUT_WHERE_MISSING = ("o3-mini",)


def table3_figures(shelf: Shelf) -> Iterator[Figure]:
    """Every detector with recorded predictions; those on claims paired in both ways."""
    examples = shelf.examples("faithbench-sentences")
    gold = [_is_consistent(verdict) for example in examples for verdict in example.gold]
    said = _by_judge(examples)
    for row, judge in DETECTORS.items():
        if judge in said:
            words = [says_faithful(outcome) for outcome in said[judge]]
            yield from score_rows(row, *_without_missing(judge, gold, words))
    for row, judge in CLAIM_JUDGES.items():
        by_position = _in_order_of_file(shelf, judge)
        if len(by_position) == len(gold):
            yield from score_rows(f"{row}, paired by position", gold, by_position)
        joined = [word for example in examples for word in _joined(example, judge)]
        yield from score_rows(f"{row}, joined by sample", gold, joined)


def _is_consistent(verdict: Verdict) -> bool:
    read = reading("faithbench-strict")(verdict.label) if verdict.label else None
    return read is not None and read.name == "faithful"


def _by_judge(examples: Sequence[Example]) -> dict[str, list[Outcome]]:
    """What each detector said of the sentences that have a label, in their order."""
    said: dict[str, list[Outcome]] = {}
    for example in examples:
        labelled = {verdict.unit for verdict in example.gold}
        for outcome in example.recorded:
            if outcome.unit in labelled and outcome.judge not in CLAIM_JUDGES.values():
                said.setdefault(outcome.judge, []).append(outcome)
    return said


def _without_missing(
    judge: str, gold: list[bool], said: list[bool | None]
) -> tuple[list[bool], list[bool | None]]:
    if judge not in LEFT_OUT_WHERE_MISSING:
        return gold, said
    kept = [place for place, word in enumerate(said) if word is not None]
    return [gold[place] for place in kept], [said[place] for place in kept]


def _joined(example: Example, judge: str) -> Iterator[bool]:
    """What follows for each sentence from the claims that were made of it."""
    refuted = {
        outcome.unit.spans
        for outcome in example.recorded
        if outcome.judge == judge and outcome.unit.kind == "claim" and not _is_supported(outcome)
    }
    for verdict in example.gold:
        yield verdict.unit.spans not in refuted


def _is_supported(outcome: Outcome) -> bool:
    if isinstance(outcome, Failure):
        return False
    if outcome.label is None:
        return outcome.score == 1
    return outcome.label.coarse == "faithful"


def _in_order_of_file(shelf: Shelf, judge: str) -> list[bool | None]:
    """The same for each sentence of the raw file, as if it were in the order of the labels."""
    path = shelf.root / FOLDER / f"processed_{judge}_claim_level_preds.jsonl"
    rows = (need(row, ("meta_id", "results"), path) for row in read_json_lines(path))
    return [
        all(prediction == 1 for prediction in need(each, ("claim_preds",), path)["claim_preds"])
        for row in rows
        for each in row["results"].values()
    ]
