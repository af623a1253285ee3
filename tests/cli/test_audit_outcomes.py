"""What `assay audit flag`, `apply` and `compare` tell, and who counts as a detector afterwards."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from assay import Author
from assay.core.codec import read_example, write_example
from assay.core.verdicts import Failure
from tests.audit.ferries import ferry, judged
from tests.cli.conftest import assay, error_of
from tests.cli.test_audit_command import fill, incorrect


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Data in which d disagrees with the label of s1 of a and b."""
    monkeypatch.chdir(tmp_path)
    for name in ("ASSAY_RUNS", "ASSAY_DATA", "ASSAY_MODEL", "ASSAY_STUDIO"):
        monkeypatch.delenv(name, raising=False)
    write("data.jsonl")
    return tmp_path


def write(path: str, **more: str) -> None:
    """The data, with what others say of the sentences of each example."""
    lines = []
    for id, gold in (("a", "-+-"), ("b", "-+-"), ("c", "++-")):
        made = ferry(id, gold)
        said = {"d": "++-", "e": gold, **more}
        given = [judged(id, made.example.units, Author(who), s) for who, s in said.items()]
        lines.append(write_example(made.with_judgements(*given)))
    Path(path).write_bytes(b"\n".join(lines))


def write_rows(path: str) -> None:
    """Rows of somebody's own, with labels of responses and a field that Assay does not know."""
    texts = {
        "The ferry crosses twice a day.": "unfaithful",
        "In May it carried 48 people.": "faithful",
        "Whales sing at night.": "unfaithful",
    }
    rows: list[dict[str, Any]] = [
        {
            "id": f"r{n}",
            "source_id": f"doc{n // 2}",
            "source": "The ferry crosses twice a day. In May it carried 48 people.",
            "response": text,
            "label": label,
            "difficulty": {"level": n},
        }
        for n, (text, label) in enumerate(texts.items())
    ]
    Path(path).write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


def audit(*arguments: str) -> Result:
    return assay("audit", *arguments)


def test_list_of_flags_has_the_reasons_and_what_each_rule_would_flag() -> None:
    shown = audit("flag", "data.jsonl", "d", "e", "--out", "f.jsonl").stdout
    assert "d: faithful. + of s1" in shown
    rows = [line.split()[:3] for line in shown.splitlines() if line.strip()]
    assert [row for row in rows if row[1:2] in (["disagrees"], ["disagree"])] == [
        ["any", "disagrees", "0.222"],
        ["most", "disagree", "0.000"],
        ["all", "disagree", "0.000"],
    ]
    assert "2 of 9 sentence labels flagged" in shown


def test_revisions_without_votes_are_told_and_nothing_is_said_to_be_open() -> None:
    audit("flag", "data.jsonl", "d", "--out", "flags.jsonl")
    fill("flags.jsonl", "done.jsonl", a=incorrect(), b=incorrect())
    asked = audit("apply", "data.jsonl", "done.jsonl", "--out", "waiting.jsonl", "--quiet")
    assert asked.exit_code == 3
    assert asked.stderr == "assay: 2 revisions waiting for votes: labels stay as they were\n"
    done = audit("apply", "data.jsonl", "done.jsonl", "--unverified", "--out", "new.jsonl")
    assert done.exit_code == 0
    assert "2 revisions applied although too few votes agree" in done.stderr
    assert "open" not in done.stderr
    assert "proposed revisions: 2 unverified" in done.stdout


def test_flags_of_sentences_and_of_responses_are_applied_one_after_the_other() -> None:
    write("data.jsonl", f="+++")
    for unit, detector in (("sentence", "d"), ("response", "f")):
        audit("flag", "data.jsonl", detector, "--unit", unit, "--out", f"{unit}.jsonl")
        fill(f"{unit}.jsonl", f"{unit}-done.jsonl", a=incorrect(), b=incorrect(), c=incorrect())
    files = ("sentence-done.jsonl", "response-done.jsonl")
    both = audit("apply", "data.jsonl", *files, "--unverified", "--out", "both.jsonl")
    assert both.exit_code == 2
    assert "about sentences and about responses; apply those of the one kind" in error_of(both)
    assert not Path("both.jsonl").exists()
    first = audit("apply", "data.jsonl", files[0], "--unverified", "--out", "first.jsonl", "--json")
    (tally,) = json.loads(first.stdout)["tallies"]
    assert (tally["units"], tally["flagged"], tally["revised"]) == (9, 2, 2)
    then = audit("apply", "first.jsonl", files[1], "--unverified", "--out", "then.jsonl", "--json")
    (tally,) = json.loads(then.stdout)["tallies"]
    assert (tally["units"], tally["flagged"], tally["revised"]) == (3, 3, 3)


@pytest.mark.parametrize("who", ["verify-revision m", "collect", "filter"])
def test_who_is_no_detector_neither_votes_nor_ranks(who: str) -> None:
    write("revised.jsonl", **{who: "---"})
    mined = json.loads(assay("mine", "revised.jsonl", "--json").stdout)
    assert who not in json.dumps(mined)
    compared = json.loads(audit("compare", "revised.jsonl", "data.jsonl", "--json").stdout)
    assert {each["detector"] for each in compared["ranking"]} == {"d", "e"}
    counted = json.loads(assay("data", "stats", "revised.jsonl", "--json").stdout)
    assert [each["author"] for each in counted["recorded"]] == ["d", "e"]
    named = assay("mine", "revised.jsonl", who, "d")
    assert named.exit_code == 2
    assert f"'{who}'" in error_of(named)


def test_voter_whose_calls_failed_is_no_detector_either() -> None:
    made = ferry("a", "-+-")
    units = made.example.units[:1]
    failed = judged("a", units, Author("verify-revision m"), "x")
    assert isinstance(failed.outcomes[0], Failure)
    detector = judged("a", made.example.units, Author("d"), "++-")
    Path("failed.jsonl").write_bytes(write_example(made.with_judgements(detector, failed)))
    compared = json.loads(audit("compare", "failed.jsonl", "failed.jsonl", "--json").stdout)
    assert [each["detector"] for each in compared["ranking"]] == ["d"]


def test_new_version_of_rows_keeps_their_fields_and_shows_what_changed() -> None:
    write_rows("rows.jsonl")
    assert audit("flag", "rows.jsonl", "overlap", "--out", "flags.jsonl").exit_code == 0
    fill("flags.jsonl", "done.jsonl", r0=incorrect())
    done = audit("apply", "rows.jsonl", "done.jsonl", "--unverified", "--out", "new.jsonl")
    assert done.exit_code == 0, done.output
    lines = Path("new.jsonl").read_bytes().splitlines()
    assert [read_example(each).example.source.id for each in lines] == ["doc0", "doc0", "doc1"]
    assert all(b"difficulty" in each for each in lines)
    changed = json.loads(assay("data", "changes", "rows.jsonl", "new.jsonl", "--json").stdout)
    assert (changed["matched"], len(changed["changes"])) == (3, 1)
    assert changed["counts"] == [{"before": "unfaithful", "after": "faithful", "count": 1}]


def test_apply_and_compare_rank_within_the_models_that_files_name() -> None:
    files = []
    for name, model in (("one", "gpt"), ("two", "gem")):
        said = json.loads(assay("check", "data.jsonl", "--detector", "overlap", "--json").stdout)
        said["manifest"] |= {"model": model}
        Path(f"{name}.json").write_text(json.dumps(said), encoding="utf-8")
        files.append(f"{name}.json")
    audit("flag", "data.jsonl", "d", "--out", "flags.jsonl")
    fill("flags.jsonl", "done.jsonl", a=incorrect())
    ranked = [part for file in (*files, "d") for part in ("--detector", file)]
    applied = audit(
        *("apply", "data.jsonl", "done.jsonl", "--unverified", "--out", "new.jsonl", "--json"),
        *(*ranked, "--by-model"),
    )
    compared = audit("compare", "data.jsonl", "new.jsonl", *files, "d", "--by-model", "--json")
    for document in (json.loads(applied.stdout), json.loads(compared.stdout)):
        assert document["ranked_within"] == "model"
        found = {each["detector"]: each for each in document["ranking"]}
        assert [found[name]["model"] for name in (*files, "d")] == ["gpt", "gem", ""]
        assert {each["rank_after"] for each in found.values()} == {1}
    shown = audit("compare", "data.jsonl", "new.jsonl", *files, "--markdown", "-", "--by-model")
    assert "| gem | two.json | " in shown.stdout
