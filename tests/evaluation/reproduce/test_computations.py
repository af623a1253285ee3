"""Each computation on data that is small enough to check by hand."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from assay import Annotated, Author, Example, Response, Source, Unit, Verdict, taxonomy
from assay.core.verdicts import Failure, Outcome
from assay.evaluation.reproduce.cells import Figure
from assay.evaluation.reproduce.faithbench import (
    agreement_figures,
    table1_figures,
    table2_figures,
    table3_figures,
)
from assay.evaluation.reproduce.faithjudge import CLASSES, leaderboard_figures, rate_figures
from assay.evaluation.reproduce.faithjudge import table3_figures as margins
from assay.evaluation.reproduce.revisiting import audit_figures, size_figures
from assay.evaluation.reproduce.tables import ReleasedData
from assay.text.sentences import find_sentences
from tests.evaluation.opinions import Opinion, annotate, says

Lines = Callable[[Path, list[Any]], None]
FAITHBENCH, BINARY = taxonomy("faithbench"), taxonomy("binary")
NAMES = {"gpt_4o": "gpt-4o", "hhem": "hhem-2.1"}


class Prepared(ReleasedData):
    """Released data whose examples are given."""

    def __init__(self, root: Path, annotated: list[Annotated]) -> None:
        super().__init__(root)
        self._given = annotated

    def load(self, name: str) -> list[Annotated]:
        return self._given


def values(figures: Iterable[Figure]) -> dict[tuple[str, str], float | None]:
    return {(figure.row, figure.metric): figure.value for figure in figures}


def summary(label: str, **recorded: Outcome) -> Annotated:
    """A summary with its label, and what detectors said of it."""
    whole = Unit.response("S.")
    said = [(Author(NAMES[name]), whole, each) for name, each in recorded.items()]
    example = Example("1", Source("s", id=label), Response("S.", "openai/gpt-4o"))
    return annotate(example, says(whole, FAITHBENCH[label]), *said)


def test_table1_counts_the_classes_up_to_each_one(tmp_path: Path) -> None:
    labels = ("unwanted", "questionable", "benign", "consistent")
    found = values(table1_figures(Prepared(tmp_path, [summary(label) for label in labels])))
    assert found["GPT-4o", "unwanted"] == 25
    assert found["GPT-4o", "unwanted+questionable"] == 50
    assert found["GPT-4o", "unwanted+questionable+benign"] == 75
    assert found["Mistral-7B", "unwanted"] is None


def test_table2_reads_benign_as_faithful_and_a_missing_prediction_as_wrong(tmp_path: Path) -> None:
    yes, no = (Verdict("response", BINARY[name]) for name in ("faithful", "unfaithful"))
    score = [Verdict("response", score=value) for value in (0.5, 0.49, 0.1, 0.2)]
    annotated = [
        summary("benign", gpt_4o=yes, hhem=score[0]),
        summary("consistent", gpt_4o=Failure("response", "missing"), hhem=score[1]),
        summary("questionable", gpt_4o=no, hhem=score[2]),
        summary("unwanted", gpt_4o=yes, hhem=score[3]),
    ]
    found = values(table2_figures(Prepared(tmp_path, annotated)))
    assert found["GPT-4o", "balanced accuracy"] == 50  # 1 of 2 faithful, 1 of 2 unfaithful
    assert found["HHEM-2.1", "balanced accuracy"] == 75  # 1 of 2, and 2 of 2
    # Unfaithful: 2 x 2 / (3 called so + 2); faithful: 2 x 1 / (1 called so + 2).
    assert found["HHEM-2.1", "macro F1"] == pytest.approx(100 * (4 / 5 + 2 / 3) / 2)
    assert ("GPT-4-Turbo", "macro F1") not in found


def sentence(number: int, label: str, *claims: Opinion) -> Annotated:
    (unit,) = find_sentences("S.")
    example = Example(str(number), Source("s"), Response("S."), units=(unit,))
    return annotate(example, says(unit, FAITHBENCH[label]), *claims)


def claim(number: int, value: float, detector: str) -> Opinion:
    unit = Unit(f"s1.c{number}", "claim", "c", (), "s1")
    label = BINARY["faithful" if value else "unfaithful"]
    by_label = Verdict(unit.id, label)
    said = by_label if detector == "ragas" else Verdict(unit.id, score=value)
    return Author(detector), unit, said


def test_table3_pairs_claims_by_position_and_by_sample(tmp_path: Path, lines: Lines) -> None:
    refuted = (claim(1, 0, "ragas"), claim(2, 1, "ragas"), claim(1, 0.7, "trulens"))
    annotated = [
        sentence(1, "consistent", claim(1, 1, "ragas"), claim(1, 1, "trulens")),
        sentence(2, "benign", *refuted),
    ]
    folder = tmp_path / "faithbench/faithbench_sentence_level"
    for judge, wrong in (("ragas", [0, 1]), ("trulens", [0.7])):
        rows = [{"meta_id": 2, "results": {"S.": {"claim_preds": wrong}}}]
        rows.append({"meta_id": 1, "results": {"S.": {"claim_preds": [1]}}})
        lines(folder / f"processed_{judge}_claim_level_preds.jsonl", rows)
    found = values(table3_figures(Prepared(tmp_path, annotated)))
    for judge in ("RAGAS", "TruLens"):
        assert found[f"{judge}, joined by sample", "balanced accuracy"] == 100
        assert found[f"{judge}, paired by position", "balanced accuracy"] == 0


def batches(root: Path, annotations: list[list[tuple[str, list[str]]]]) -> None:
    """Sixteen batches with the same samples, each a list of (annotator, labels)."""
    folder = root / "faithbench/paper_annotations"
    folder.mkdir(parents=True)
    rows = [
        {"annotations": [{"annotator_name": who, "label": labels} for who, labels in sample]}
        for sample in annotations
    ]
    for number in range(1, 17):
        path = folder / f"batch_{number}_annotation.json"
        path.write_text(json.dumps(rows), encoding="utf-8")
    selection = {"selected_annotators": {"1": ["ann", "bob"]}}
    (folder / "selection.json").write_text(json.dumps(selection), encoding="utf-8")


def test_agreement_of_the_authors_overlooks_a_sub_label_and_pools_by_batch(tmp_path: Path) -> None:
    unwanted = ["Unwanted", "Unwanted.Intrinsic"]
    batches(
        tmp_path,
        [
            [("Ann A", unwanted), ("Bob B", unwanted)],
            [("Ann A", unwanted), ("Bob B", ["Unwanted.Extrinsic"])],
            [],
            [],
        ],
    )
    found = values(agreement_figures(ReleasedData(tmp_path)))
    row = "consistent / unwanted"
    # Bob's second label is nothing to the authors: u u / u c / c c / c c in each batch. Observed
    # 1/4; expected 2 x 3 x 5 / (8 x 7); alpha = 1 - (1/4) / (15/28) = 8/15.
    assert found[row, "alpha, authors' convention"] == pytest.approx(8 / 15)
    assert found[row, "alpha, nominal and pooled"] == pytest.approx(1)


def test_batch_with_one_class_only_counts_as_agreement_for_the_authors(tmp_path: Path) -> None:
    batches(tmp_path, [[("Ann A", ["Benign"]), ("Bob B", ["Benign"])], []])
    found = values(agreement_figures(ReleasedData(tmp_path)))
    assert found["consistent / unwanted", "alpha, authors' convention"] == 1
    assert found["consistent / unwanted", "alpha, nominal and pooled"] is None


JUDGED_TASKS = ("faithbench-summary", "ragtruth-summary", "ragtruth-qa", "ragtruth-data2txt")


def write_judged(folder: Path, lines: Lines, *said: str) -> None:
    """One response to each task, with what the judge said of it."""
    sources = [{"task": task, "source_id": "1", "source": "A text."} for task in JUDGED_TASKS]
    lines(folder / "faithjudge/sources.jsonl.gz", sources)
    for task, classification in zip(JUDGED_TASKS, said, strict=True):
        row = {"source_id": "1", "candidate_text": "t", "evaluation_response": "r"}
        rows = [row | {"model": "maker/m", "classification": classification}]
        lines(folder / f"faithjudge/judged/{task}.jsonl.gz", rows)


def test_leaderboard_counts_invalid_as_hallucinated_and_sums_over_tasks(
    tmp_path: Path, lines: Lines
) -> None:
    write_judged(tmp_path, lines, "Inconsistent", "Invalid", "Consistent", "Consistent")
    found = values(leaderboard_figures(ReleasedData(tmp_path)))
    assert [found["m", f"{task} hallucinated"] for task in JUDGED_TASKS] == [1, 1, 0, 0]
    assert found["m", "overall rate"] == 50


def test_leaderboard_leaves_out_a_class_that_it_does_not_have(tmp_path: Path, lines: Lines) -> None:
    write_judged(tmp_path, lines, "Inconsistent", "Odd", "Consistent", "Consistent")
    found = values(leaderboard_figures(ReleasedData(tmp_path)))
    assert found["m", "ragtruth-summary hallucinated"] == 0
    assert found["m", "overall rate"] == pytest.approx(100 / 3)  # of three responses, not of four


def test_rate_leaves_out_empty_summaries(tmp_path: Path, lines: Lines) -> None:
    folder = tmp_path / "leaderboard_summaries"
    lines(folder / "sources.jsonl.gz", [{"id": id, "text": "A text."} for id in range(5)])
    given = (("a", 0.5), ("b", 0.49), (None, 0.1), ("c", 0.9), ("d", None))
    rows = [
        {"source_id": id, "model": "m", "summary": text, "hhem_2_1": score}
        for id, (text, score) in enumerate(given)
    ]
    lines(folder / "summaries.jsonl.gz", rows)
    (figure,) = rate_figures(ReleasedData(tmp_path))
    assert figure.n == 3
    assert figure.value == pytest.approx(100 / 3)


class ByName(ReleasedData):
    """Released data whose examples are given for each corpus."""

    def __init__(self, root: Path, **annotated: list[Annotated]) -> None:
        super().__init__(root)
        self._given = annotated

    def load(self, name: str) -> list[Annotated]:
        return self._given[name.replace("-", "_")]


def voted(id: str, task: str, *labels: str, released: str = "") -> Annotated:
    whole = Unit.response("S.")
    votes = [says(whole, FAITHBENCH[label], by=f"{n}") for n, label in enumerate(labels)]
    given = [says(whole, FAITHBENCH[released])] if released else []
    return annotate(Example(id, Source("s"), Response("S."), task=task), *given, *votes)


def test_margins_are_majorities_of_all_annotators_or_released_labels(tmp_path: Path) -> None:
    one_of_two = voted("1-0", "summary", "unwanted.extrinsic", "consistent")  # the more severe
    all_differ = voted("1-1", "summary", "questionable", "benign", "consistent")
    outvoted = voted("3-15", "summary", "unwanted", "consistent", "consistent")
    other_task = voted("ragtruth-qa/3-15", "ragtruth-qa", released="consistent")
    released = voted("faithbench-summary/3-15", "faithbench-summary", released="unwanted")
    data = ByName(
        tmp_path,
        faithbench_paper=[one_of_two, all_differ, outvoted],
        faithjudge_peers=[released, other_task],
    )
    found = values(margins(data))
    by_votes = [found[name, "gold, majority of the votes"] for name in CLASSES]
    with_released = [found[name, "gold, released where it is"] for name in CLASSES]
    assert CLASSES == ("unwanted", "questionable", "benign", "consistent")
    assert by_votes == [1, 1, 0, 1]
    assert with_released == [2, 1, 0, 0]


def test_sizes_are_those_of_the_benchmarks_that_are_here(tmp_path: Path, lines: Lines) -> None:
    sentences = [{"text": "It's late.", "annotation": "No-Fact"}, {"text": "Go!", "annotation": ""}]
    row = {"question": "Q.", "answer": "It's late. Go!", "generator": "m", "sentences": sentences}
    lines(tmp_path / "verigray/20251007.jsonl", [row])
    lines(tmp_path / "verigray/20251225.jsonl", [row, {**row, "answer": "Go!", "sentences": []}])
    found = values(size_figures(ReleasedData(tmp_path)))
    assert found == {
        ("VeriGray", "summaries"): 1,
        ("VeriGray", "sentences"): 2,
        ("VeriGray", "words"): 3,
        ("VeriGray", "words and punctuation marks"): 5,  # It's late . Go !
    }
    audited = values(audit_figures(ReleasedData(tmp_path)))
    assert audited == {("VeriGray", "sentences"): 2}
