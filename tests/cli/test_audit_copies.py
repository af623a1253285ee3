"""`assay audit` with several copies of the flags: no decision is lost or overwritten."""

import json
from pathlib import Path

from tests.cli.conftest import error_of, line_of
from tests.cli.loopback import Loopback
from tests.cli.test_audit_command import (
    AMBIGUOUS,
    MODELS,
    audit,
    decide,
    fill,
    flag,
    folder,
    incorrect,
    labels,
    server,
)

__all__ = ["folder", "server"]


def test_decisions_are_never_overwritten(folder: Path) -> None:
    flag()
    fill("flags.jsonl", "done.jsonl", a=incorrect())
    again = audit("flag", "data.jsonl", "d", "--out", "done.jsonl")
    assert "done.jsonl has decisions of people that would be lost" in line_of(again)
    same = audit("verify", "done.jsonl", "--vote", "d", "--agree", "1", "--out", "done.jsonl")
    assert "done.jsonl is an input and would be lost" in line_of(same)


def test_several_people_work_in_copies(folder: Path) -> None:
    flag()
    fill("flags.jsonl", "ann.jsonl", a=incorrect(), b=AMBIGUOUS)
    fill("flags.jsonl", "bo.jsonl", by="bo", a=incorrect(), b=incorrect())
    done = audit("adjudicate", "ann.jsonl", "bo.jsonl", "--json")
    assert done.exit_code == 3, done.output
    assert "1 conflict between people" in done.stderr
    found = json.loads(done.stdout)
    assert found["decisions"]["conflict"] == 1
    assert found["agreement"]["raw"]["value"] == 0.5
    stopped = audit(
        "verify", "ann.jsonl", "bo.jsonl", "--vote", "d", "--agree", "1", "--out", "v.jsonl"
    )
    assert "ann ambiguous, bo incorrect (faithful)" in line_of(stopped)
    chosen = ("--prefer", "bo", "--agree", "1", "--json")
    voted = audit("verify", "ann.jsonl", "bo.jsonl", "--vote", "d", "--out", "v.jsonl", *chosen)
    assert json.loads(voted.stdout)["standings"]["verified"] == 2
    applied = audit("apply", "data.jsonl", "v.jsonl", "--out", "revised.jsonl", *chosen)
    assert applied.exit_code == 0, applied.output
    assert labels("revised.jsonl") == ["++-", "++-", "++-"]


def test_target_may_hold_no_decision_that_is_not_written_again(folder: Path) -> None:
    flag()
    fill("flags.jsonl", "ann.jsonl", a=incorrect())
    fill("flags.jsonl", "bo.jsonl", by="bo", b=AMBIGUOUS)
    for command in (["adjudicate"], ["verify", "--vote", "d", "--agree", "1"]):
        done = audit(command[0], "ann.jsonl", *command[1:], "--out", "bo.jsonl")
        assert "bo.jsonl has decisions of people that would be lost" in line_of(done)
    both = audit("adjudicate", "ann.jsonl", "bo.jsonl", "--out", "both.jsonl")
    assert both.exit_code == 0, both.output
    assert "both.jsonl has decisions" in line_of(
        audit("adjudicate", "ann.jsonl", "--out", "both.jsonl")
    )


def test_target_may_be_written_again_when_more_is_decided_but_not_with_less(folder: Path) -> None:
    judge = ("judge-fewshot", "--model", "m1")
    assert audit("flag", "data.jsonl", *judge, "--out", "flags.jsonl").exit_code == 0
    both = {"s1": incorrect(), "s3": {"note": "Both.", "attributes": {"decision": "ambiguous"}}}
    decide("flags.jsonl", "one.jsonl", s1=both["s1"])
    decide("flags.jsonl", "two.jsonl", **both)
    decide("flags.jsonl", "other.jsonl", **both | {"s1": incorrect("The ferry crosses twice")})
    assert audit("adjudicate", "one.jsonl", "--out", "out.jsonl").exit_code == 0
    assert audit("adjudicate", "two.jsonl", "--out", "out.jsonl").exit_code == 0
    for name in ("one.jsonl", "other.jsonl"):
        less = audit("adjudicate", name, "--out", "out.jsonl")
        assert "out.jsonl has decisions of people that would be lost" in line_of(less)


def test_damaged_or_begun_work_is_not_overwritten(folder: Path) -> None:
    flag()
    fill("flags.jsonl", "done.jsonl", b=AMBIGUOUS)
    text = (folder / "done.jsonl").read_text("utf-8")
    (folder / "broken.jsonl").write_text(text[5:], encoding="utf-8")
    fill("flags.jsonl", "begun.jsonl", a={"note": "Hm."})
    fill("flags.jsonl", "signed.jsonl", a={})
    for name in ("broken", "begun", "signed"):
        before = (folder / f"{name}.jsonl").read_bytes()
        done = audit("flag", "data.jsonl", "d", "--out", f"{name}.jsonl")
        assert "that would be lost" in line_of(done)
        assert (folder / f"{name}.jsonl").read_bytes() == before


def test_one_person_in_two_copies_loses_no_decision(folder: Path, server: Loopback) -> None:
    judge = ("judge-fewshot", "--model", "m1")
    assert audit("flag", "data.jsonl", *judge, "--out", "flags.jsonl").exit_code == 0
    decide("flags.jsonl", "p1.jsonl", s1=incorrect())
    decide("flags.jsonl", "p2.jsonl", s3=incorrect("carried 48 folks"))
    done = audit("verify", "p1.jsonl", "p2.jsonl", *MODELS, "--out", "both.jsonl", "--json")
    assert json.loads(done.stdout)["standings"] == {
        "verified": 1,
        "rejected": 0,
        "refused": 1,
        "unverified": 0,
    }
    assert (folder / "both.jsonl").read_text("utf-8").count("48 folks") == 1
    again = audit("adjudicate", "both.jsonl")
    assert "'carried 48 folks' is not in the source" in error_of(again)
