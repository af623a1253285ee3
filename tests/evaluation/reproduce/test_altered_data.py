"""Nothing is remembered: other data gives other figures, and the command exits with 1."""

import csv
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.shared_data, pytest.mark.soak]

Run = Callable[..., Any]
Copy = Callable[..., Path]
Lines = Callable[[Path, list[Any]], None]
PAPER = ("faithbench/paper_annotations", "faithbench/examples_to_annotate.csv")
SENTENCES = ("faithbench/faithbench_sentence_level", "faithbench/examples_to_annotate.csv")


def statuses(done: Any) -> dict[str, str]:
    return {f"{row}: {metric}": cell["status"] for (row, metric), cell in done.cells.items()}


def unpack(path: Path) -> list[Any]:
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def test_one_more_sentence_in_a_matrix_moves_its_figures(run: Run, copy: Copy) -> None:
    root = copy("verigray/confusions.json")
    path = root / "verigray/confusions.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    document["figures"][0]["matrix"][0][0] += 1
    path.write_text(json.dumps(document), encoding="utf-8")
    done = run("verigray-notebook", "--data", str(root), "--json")
    found = statuses(done)
    assert done.code == 1
    assert found["GPT-5: ranking loss"] == found["GPT-5: macro F1"] == "DIFFERS"
    assert found["DeepSeek-R1: ranking loss"] == "exact"


def test_printed_figures_beside_the_matrices_are_not_used(run: Run, copy: Copy) -> None:
    root = copy("verigray/confusions.json")
    path = root / "verigray/confusions.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    for each in document["figures"]:
        each.update(ranking_loss=0.0, macro_f1=0.0, thresholds=[])
    path.write_text(json.dumps(document), encoding="utf-8")
    assert run("verigray-notebook", "--data", str(root)).code == 0


def test_summary_without_its_annotations_moves_the_rate_of_its_llm(run: Run, copy: Copy) -> None:
    root = copy(*PAPER)
    path = root / "faithbench/paper_annotations/batch_1_annotation.json"
    rows = json.loads(path.read_text(encoding="utf-8"))
    assert rows[0]["meta_model"].startswith("mistralai/")
    assert any("Unwanted" in each["label"] for each in rows[0]["annotations"])
    rows[0]["annotations"] = []
    path.write_text(json.dumps(rows), encoding="utf-8")
    done = run("faithbench-table1", "--data", str(root), "--json")
    cell = done.cells["Mistral-7B", "unwanted"]
    assert done.code == 1
    assert cell["ours"] == pytest.approx(100 * 51 / 75)  # 52 of 75 before
    assert statuses(done)["GPT-4o: unwanted"] == "exact"


def test_annotations_move_the_agreement(run: Run, copy: Copy) -> None:
    root = copy(PAPER[0])
    path = root / "faithbench/paper_annotations/batch_1_annotation.json"
    rows = json.loads(path.read_text(encoding="utf-8"))
    for row in rows:
        row["annotations"] = row["annotations"][:1]
    path.write_text(json.dumps(rows), encoding="utf-8")
    done = run("faithbench-agreement", "--data", str(root))
    assert (done.code, "DIFFERS" in done.out) == (1, True)


def test_one_other_prediction_moves_its_detector(run: Run, copy: Copy) -> None:
    root = copy(*PAPER)
    path = root / "faithbench/examples_to_annotate.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    # Row 15 of the pool is the first sample of batch 1.
    rows[15]["gpt-4o"] = str(1 - int(float(rows[15]["gpt-4o"])))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    done = run("faithbench-table2", "--data", str(root), "--json")
    assert done.code == 1
    assert statuses(done)["GPT-4o: balanced accuracy"] == "DIFFERS"
    assert statuses(done)["GPT-4-Turbo: balanced accuracy"] == "exact"


def test_one_other_sentence_score_moves_its_detector(run: Run, copy: Copy) -> None:
    root = copy(*SENTENCES)
    path = root / "faithbench/faithbench_sentence_level/detectors_sent_level_preds.json"
    samples = json.loads(path.read_text(encoding="utf-8"))
    sentence = next(iter(samples["15"].values()))
    sentence["HHEM-2.1"] = 0.1  # it was 0.53
    path.write_text(json.dumps(samples), encoding="utf-8")
    done = run("faithbench-table3", "--data", str(root), "--json")
    assert done.code == 1
    assert statuses(done)["HHEM-2.1: balanced accuracy"] == "DIFFERS"


def test_one_other_judgement_moves_the_count_and_the_overall_rate(
    run: Run, copy: Copy, lines: Lines
) -> None:
    root = copy("faithjudge/sources.jsonl.gz", "faithjudge/judged")
    path = root / "faithjudge/judged/ragtruth-qa.jsonl.gz"
    rows = unpack(path)
    row = next(r for r in rows if (r["model"], r["classification"]) == ("xai/grok-3", "Consistent"))
    row["classification"] = "Invalid"
    lines(path, rows)
    done = run("faithjudge-leaderboard", "--data", str(root), "--json")
    differing = {name for name, status in statuses(done).items() if status != "exact"}
    assert done.code == 1
    assert differing == {"grok-3: ragtruth-qa hallucinated", "grok-3: overall rate"}


def test_one_other_score_moves_the_rate_of_its_llm(run: Run, copy: Copy, lines: Lines) -> None:
    root = copy(
        "leaderboard_summaries/sources.jsonl.gz", "leaderboard_summaries/summaries.jsonl.gz"
    )
    path = root / "leaderboard_summaries/summaries.jsonl.gz"
    rows = unpack(path)
    row = next(r for r in rows if r["model"] == "openai/gpt-4o" and r["hhem_2_1"] >= 0.5)
    row["hhem_2_1"] = 0.1
    lines(path, rows)
    done = run("vectara-2024-10-02", "--data", str(root), "--json")
    cell = done.cells["openai/gpt-4o", "hallucination rate"]
    assert (done.code, cell["status"], cell["published"]) == (1, "DIFFERS", 1.5)
    assert cell["ours"] == pytest.approx(100 * 16 / 1006)  # 15 of 1,006 before
