"""Labels of several annotators in an audit: one pool from the flags to the new version."""

import json
from pathlib import Path
from typing import Any

import pytest

from assay import Author
from assay.core.codec import write_example
from tests.audit.ferries import ferry, judged
from tests.cli.conftest import assay, line_of

MAJORITY = "gold: majority of 3 annotators (ties count as unfaithful)"
ANY = "gold: worst of 3 annotators (any)"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two examples of three annotators; by most of them both are `++-`, by any `-+-` and `+--`.

    The detector d says `-+-` of the first and `++-` of the second.
    """
    monkeypatch.chdir(tmp_path)
    made = [ferry("a", "...", "-+-", "++-", "++-"), ferry("b", "...", "+--", "++-", "++-")]
    said = [("-+-", made[0]), ("++-", made[1])]
    lines = [
        each.with_judgements(judged(each.id, each.example.units, Author("d"), labels))
        for labels, each in said
    ]
    Path("data.jsonl").write_bytes(b"\n".join(map(write_example, lines)))
    return tmp_path


def document(*arguments: str, code: int = 0) -> dict[str, Any]:
    done = assay(*arguments, "--json")
    assert done.exit_code == code, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def flag(pool: str, out: str = "flags.jsonl") -> dict[str, Any]:
    return document("audit", "flag", "data.jsonl", "d", "--pool", pool, "--out", out)


def decide(path: str, target: str) -> None:
    """Finds every flagged label wrong."""
    lines = [json.loads(line) for line in Path(path).read_text("utf-8").splitlines()]
    for line in lines:
        form = next(each for each in line["judgements"] if not each["author"]["name"])
        form["author"]["name"] = "ann"
        for unit in form["units"]:
            other = {"faithful": "unfaithful", "unfaithful": "faithful"}[unit["verdict"]["label"]]
            cited = {"decision": "incorrect", "cited": "crosses twice a day"}
            unit["verdict"] |= {"label": other, "note": "So it is.", "attributes": cited}
    Path(target).write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")


@pytest.mark.parametrize(
    ("pool", "statement", "flags"),
    [
        ("majority", MAJORITY, [("a", "s1", "faithful")]),
        ("any", ANY, [("b", "s2", "unfaithful")]),
        ("all", "gold: best of 3 annotators (all)", [("a", "s1", "faithful")]),
    ],
)
def test_what_is_flagged_depends_on_the_pool_which_is_told(
    pool: str, statement: str, flags: list[tuple[str, str, str]]
) -> None:
    found = flag(pool)
    assert [(e["example"], e["unit"], e["label"]) for e in found["flags"]] == flags
    assert (found["gold"]["pool"], found["gold"]["statement"]) == (pool, statement)
    shown = assay("audit", "flag", "data.jsonl", "d", "--pool", pool, "--out", "flags.jsonl").stdout
    words = " ".join(shown.split())
    assert statement in words
    assert f"the share whose gold label ({statement.removeprefix('gold: ')}) is" in words
    assert "final label" not in words


def test_later_steps_use_the_pool_of_the_flags_without_being_told() -> None:
    flag("majority")
    decide("flags.jsonl", "decided.jsonl")
    assert document("audit", "adjudicate", "decided.jsonl")["decisions"]["incorrect"] == 1
    applied = ("audit", "apply", "data.jsonl", "decided.jsonl", "--unverified", "--out")
    found = document(*applied, "new.jsonl")
    assert found["gold"]["statement"] == MAJORITY
    assert MAJORITY in found["reading"]
    assert [tuple(each.values()) for each in found["changes"]["counts"]] == [
        ("faithful", "unfaithful", 1)
    ]
    (rank,) = found["ranking"]
    # Before, 3 of 4 faithful and 2 of 2 unfaithful labels are found; then 3 of 3 and 3 of 3.
    assert (rank["before"]["value"], rank["after"]["value"]) == (0.875, 1)
    # The new version carries these labels as its own, so that nobody has to pool again.
    (again,) = document("evaluate", "d", "--dataset", "new.jsonl", "--unit", "sentence")[
        "detectors"
    ]
    assert again["figures"]["balanced accuracy"]["value"] == 1


def test_flags_of_two_pools_do_not_go_together() -> None:
    flag("majority", "most.jsonl")
    flag("any", "any.jsonl")
    done = assay("audit", "apply", "data.jsonl", "most.jsonl", "any.jsonl", "--out", "new.jsonl")
    assert "pooled in several ways, any and majority" in line_of(done)


@pytest.mark.parametrize(("pool", "changed"), [("any", 1), ("majority", 0)])
def test_versions_are_compared_by_the_pool(pool: str, changed: int) -> None:
    lines = [ferry("a", "...", "++-", "++-", "++-"), ferry("b", "...", "+--", "++-", "++-")]
    Path("new.jsonl").write_bytes(b"\n".join(map(write_example, lines)))
    options = ("data.jsonl", "new.jsonl", "--pool", pool)
    found = document("audit", "compare", *options)
    assert len(found["changes"]["changes"]) == changed
    statement = {"any": ANY, "majority": MAJORITY}[pool]
    assert found["gold"]["old"]["statement"] == found["gold"]["new"]["statement"] == statement
    assert statement in " ".join(assay("audit", "compare", *options).stdout.split())
    found = document("data", "changes", *options)
    assert (len(found["changes"]), found["gold_before"]) == (changed, statement)
    assert statement in " ".join(assay("data", "changes", *options).stdout.split())


def test_statistics_of_data_say_how_they_pool() -> None:
    rows = [
        ferry(id, "...", *votes)
        for id, votes in (("a", ("---", "+++", "+++")), ("b", ("+++",) * 3))
    ]
    longer = json.loads(write_example(rows[1]))
    longer["source"] += " And so on, at some length."
    text = "\n".join((write_example(rows[0]).decode(), json.dumps(longer)))
    Path("two.jsonl").write_text(text, encoding="utf-8")
    for pool, share, words in (
        ("any", 1, "the worst by any annotator of the sentence"),
        ("majority", 0, "that of most annotators (ties count as unfaithful) of the sentence"),
    ):
        options = ("data", "stats", "two.jsonl", "--no-overlap", "--pool", pool)
        found = document(*options)
        assert found["length_rates"][0]["overall"][0]["value"] == share
        assert found["gold"]["pool"] == pool
        assert words in " ".join(assay(*options).stdout.split())
    done = assay("data", "stats", "two.jsonl", "--pool", "most")
    assert "unknown pool 'most'" in line_of(done)


@pytest.mark.parametrize(
    ("pool", "counts"),
    [("any", "2 faithful sentences and 4 unfaithful"), ("majority", "4 faithful sentences and 2")],
)
def test_calibrate_goes_by_the_pool(pool: str, counts: str) -> None:
    done = assay("calibrate", "data.jsonl", "--pool", pool)
    assert f"too few labels to calibrate on: {counts}" in line_of(done)
