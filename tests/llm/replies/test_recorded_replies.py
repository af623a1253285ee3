"""The replies of FaithJudge's judge, all that were released, read as ours are."""

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.llm.replies.texts import UnreadableError, final_text, is_refusal
from assay.llm.replies.verdict_lines import find_verdict_line

pytestmark = [pytest.mark.shared_data, pytest.mark.slow]

# Three replies were cut off before their verdict; the release counts them as Inconsistent.
WITHOUT_VERDICT = [
    ("faithbench-summary", "10-3", "openai/o3-mini-high-2025-01-31", "Inconsistent"),
    ("faithbench-summary", "14-0", "openai/gpt-4o-mini-2024-07-18", "Inconsistent"),
    ("ragtruth-summary", "15778", "anthropic/claude-3-7-sonnet-thinking-20250219", "Inconsistent"),
]


@pytest.fixture(scope="module")
def rows(shared_data: Path) -> list[dict[str, Any]]:
    folder = shared_data / "faithjudge" / "judged"
    if not folder.is_dir():
        pytest.skip(f"FaithJudge's recorded replies are not at {folder}")
    return list(_rows(folder))


def _rows(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                yield {"task": path.name.removesuffix(".jsonl.gz"), **json.loads(line)}


def verdict(reply: str) -> str:
    menu = ("Consistent", "Inconsistent", "Invalid")
    try:
        return find_verdict_line(final_text(reply), "Final classification", menu).choice
    except UnreadableError as problem:
        return problem.reason


def test_every_stated_verdict_is_the_published_classification(rows: list[dict[str, Any]]) -> None:
    read = [(row, verdict(row["evaluation_response"])) for row in rows]
    differences = [(row, said) for row, said in read if said != row["classification"]]
    assert [
        (row["task"], row["source_id"], row["model"], row["classification"])
        for row, _ in differences
    ] == WITHOUT_VERDICT
    assert {said for _, said in differences} == {"parse"}
    # 17,873 + 5,627 + 3 = 23,503 of 23,506 replies state a verdict, and all agree
    assert Counter(said for _, said in read) == {
        "Consistent": 17_873,
        "Inconsistent": 5_627,
        "Invalid": 3,
        "parse": 3,
    }


def test_the_replies_without_a_verdict_break_off(rows: list[dict[str, Any]]) -> None:
    known = {each[:3] for each in WITHOUT_VERDICT}
    silent = [row for row in rows if (row["task"], row["source_id"], row["model"]) in known]
    assert len(silent) == 3
    for row in silent:
        assert "classification" not in row["evaluation_response"].lower()
        assert row["evaluation_response"][-1].isalpha()  # in the middle of a sentence


def test_no_reply_is_taken_for_a_refusal(rows: list[dict[str, Any]]) -> None:
    assert not any(is_refusal(row["evaluation_response"]) for row in rows)
