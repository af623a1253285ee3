"""`assay audit` from flags to a new version of the data, and all that people can do wrong."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from assay import Author
from assay.core.codec import write_example
from assay.core.examples import Annotated
from assay.datasets.conversion import read_converted
from assay.evaluation.gold import gold_labels
from tests.audit.ferries import ferry, judged
from tests.cli import conftest
from tests.cli.conftest import error_of, line_of
from tests.cli.loopback import Body, Loopback, question

MODELS = ("--model", "m1", "--model", "m2", "--model", "m3")


def voting(body: Body) -> str:
    """m3 disagrees; a judge finds everything entailed."""
    if "reviewer" not in question(body):
        return json.dumps({"reason": "It says so.", "label": "entailment"})
    vote = "disagree" if body["model"] == "m3" else "agree"
    return json.dumps({"reason": f"I {vote}.", "vote": vote})


@pytest.fixture
def server() -> Iterator[Loopback]:
    made = Loopback(voting)
    yield made
    made.close()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Loopback) -> Path:
    """Data in which the label of s1 is wrong in a and b; d is a recorded detector that is right."""
    monkeypatch.chdir(tmp_path)
    for name in ("ASSAY_RUNS", "ASSAY_DATA", "ASSAY_MODEL", "ASSAY_STUDIO"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "a-key")
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    lines = []
    for id, gold in (("a", "-+-"), ("b", "-+-"), ("c", "++-")):
        made = ferry(id, gold)
        units = made.example.units
        more = [judged(id, units, Author("d"), "++-"), judged(id, units, Author("e"), gold)]
        lines.append(write_example(made.with_judgements(*more)))
    (tmp_path / "data.jsonl").write_bytes(b"\n".join(lines))
    return tmp_path


def audit(*arguments: str) -> Result:
    return conftest.assay("audit", *arguments)


def flag(*more: str) -> Result:
    return audit("flag", "data.jsonl", "d", "--out", "flags.jsonl", *more)


def fill(source: str, target: str, by: str = "ann", **decisions: dict[str, Any]) -> None:
    """Signs the forms of some examples and writes a decision into each of their units."""
    lines = [json.loads(line) for line in Path(source).read_text("utf-8").splitlines()]
    for line in lines:
        form = next(each for each in line["judgements"] if not each["author"]["name"])
        if line["id"] in decisions:
            form["author"]["name"] = by
            for unit in form["units"]:
                unit["verdict"] |= decisions[line["id"]]
    Path(target).write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")


def decide(source: str, target: str, **decisions: dict[str, Any]) -> None:
    """Signs the form of the first example as ann, and decides about some of its units."""
    lines = [json.loads(line) for line in Path(source).read_text("utf-8").splitlines()]
    form = next(each for each in lines[0]["judgements"] if not each["author"]["name"])
    form["author"]["name"] = "ann"
    for unit in form["units"]:
        unit["verdict"] |= decisions.get(unit["id"], {})
    Path(target).write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")


def incorrect(cited: str = "crosses twice a day", **more: Any) -> dict[str, Any]:
    attributes = {"decision": "incorrect", "cited": cited}
    return {"label": "faithful", "note": "The source says so.", "attributes": attributes, **more}


AMBIGUOUS = {"note": "Both.", "attributes": {"decision": "ambiguous"}}


def labels(path: str) -> list[str]:
    examples = [each for each in read_converted(path) if isinstance(each, Annotated)]
    return [
        "".join(
            "+" if label == "faithful" else "-" for _, label in gold_labels(e, "sentence", "corpus")
        )
        for e in examples
    ]


def test_from_flags_to_a_new_version_of_the_data(folder: Path, server: Loopback) -> None:
    before = (folder / "data.jsonl").read_bytes()
    done = flag("--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert (told["units"], told["flagged"], told["file"]) == (9, 2, "flags.jsonl")
    kind: dict[str, Any] = {"error": {"taxonomy": "error5", "label": "semantic-reframing"}}
    fill("flags.jsonl", "done.jsonl", a=incorrect(**kind), b=AMBIGUOUS)
    checked = audit("adjudicate", "done.jsonl")
    assert checked.exit_code == 0, checked.output
    assert "2 flags: 1 incorrect, 1 ambiguous" in checked.stdout
    voted = audit("verify", "done.jsonl", *MODELS, "--out", "verified.jsonl", "--json")
    assert voted.exit_code == 0, voted.output
    assert json.loads(voted.stdout)["standings"]["verified"] == 1
    assert server.calls == 3
    applied = audit(
        *("apply", "data.jsonl", "verified.jsonl", "--out", "revised.jsonl", "--json"),
        *("--html", "page.html", "--csv", "report.csv", "--markdown", "report.md"),
    )
    assert applied.exit_code == 0, applied.output
    report = json.loads(applied.stdout)
    tally = report["tallies"][0]
    assert (tally["units"], tally["flagged"], tally["revised"]) == (9, 2, 1)
    # Before: d finds 3 of 5 unfaithful labels, (3/5 + 1) / 2, and e repeats them, 1. After, a s1 is
    # faithful: d finds 3 of 4, (3/4 + 1) / 2; e finds all 4, and is wrong about 1 of 5 others.
    ranking = {each["detector"]: each for each in report["ranking"]}
    assert [ranking[name]["before"]["value"] for name in "de"] == pytest.approx([0.8, 1.0])
    assert [ranking[name]["after"]["value"] for name in "de"] == pytest.approx([0.875, 0.9])
    assert [ranking[name]["rank_after"] for name in "de"] == [2, 1]
    assert report["profiles"][0]["kinds"]["semantic-reframing"]["count"] == 1
    assert labels("revised.jsonl") == ["++-", "-+-", "++-"]
    assert (folder / "data.jsonl").read_bytes() == before
    page = (folder / "page.html").read_text("utf-8")
    assert "The source says so." in page
    assert "semantic-reframing" in page
    assert "inconsistency rate,0.1111" in (folder / "report.csv").read_text("utf-8")
    assert "| detector | before | rank |" in (folder / "report.md").read_text("utf-8")


def test_same_command_pays_nothing_twice(folder: Path, server: Loopback) -> None:
    flag()
    fill("flags.jsonl", "done.jsonl", a=incorrect())
    for out in ("one.jsonl", "two.jsonl"):
        assert audit("verify", "done.jsonl", *MODELS, "--out", out).exit_code == 0
    assert server.calls == 3
    again = audit("verify", "one.jsonl", *MODELS, "--out", "three.jsonl", "--json")
    assert json.loads(again.stdout)["standings"]["verified"] == 1


def test_dry_run_asks_nobody(folder: Path, server: Loopback) -> None:
    flag()
    fill("flags.jsonl", "done.jsonl", a=incorrect(), b=incorrect())
    done = audit("verify", "done.jsonl", *MODELS, "--dry-run", "--json")
    told = json.loads(done.stdout)
    assert {name: each["models"] for name, each in told.items()}.keys() == {
        f"votes of m{n}" for n in (1, 2, 3)
    }
    assert [next(iter(each["models"].values()))["calls"] for each in told.values()] == [2, 2, 2]
    judged = audit("flag", "data.jsonl", "judge-fewshot", *MODELS, "--dry-run", "--json")
    assert list(json.loads(judged.stdout)) == [f"judge-fewshot m{n}" for n in (1, 2, 3)]
    assert server.calls == 0


def test_each_model_judges_by_itself(folder: Path, server: Loopback) -> None:
    done = audit(
        "flag", "data.jsonl", "judge-fewshot", *MODELS[:4], "--out", "flags.jsonl", "--json"
    )
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    names = [each["detector"] for each in found["detectors"]]
    assert names == ["judge-fewshot m1", "judge-fewshot m2"]
    # Both find all nine entailed; a and b have two unfaithful labels, c has one.
    assert [(each["disagrees"], each["agrees"]) for each in found["detectors"]] == [(5, 4)] * 2
    assert [each["severity"] for each in found["flags"]] == [2.0] * 5


def test_evidence_that_is_not_there_is_refused_and_nobody_is_asked(
    folder: Path, server: Loopback
) -> None:
    flag()
    fill("flags.jsonl", "done.jsonl", a=incorrect("crosses thrice a day"))
    checked = audit("adjudicate", "done.jsonl")
    message = "the evidence 'crosses thrice a day' is not in the source word for word"
    assert error_of(checked) == f"done.jsonl line 1: example 'a', unit s1: {message}"
    voted = audit("verify", "done.jsonl", *MODELS, "--out", "verified.jsonl", "--json")
    assert voted.exit_code == 3, voted.output
    assert "1 revision refused" in voted.stderr
    assert f"example 'a', unit s1: {message}" in voted.stderr
    found = json.loads(voted.stdout)
    assert (found["standings"]["refused"], found["units"][0]["refusal"]) == (1, message)
    assert server.calls == 0
    options = ("--unverified", "--out", "revised.jsonl", "--json")
    applied = audit("apply", "data.jsonl", "verified.jsonl", *options)
    assert json.loads(applied.stdout)["tallies"][0]["revised"] == 0


def test_wrong_place_of_evidence_is_found_by_its_words(folder: Path) -> None:
    flag()
    wrong = [{"start": 7, "end": 27, "text": "crosses twice a day."}]
    fill("flags.jsonl", "done.jsonl", a=incorrect("", evidence=wrong))
    assert audit("adjudicate", "done.jsonl", "--out", "located.jsonl").exit_code == 0
    first = json.loads((folder / "located.jsonl").read_text("utf-8").splitlines()[0])
    (unit,) = next(j for j in first["judgements"] if j["author"]["name"] == "ann")["units"]
    span = unit["verdict"]["evidence"][0]
    assert (span["start"], span["text"]) == (10, "crosses twice\na day.")


def test_every_line_that_is_wrong_is_told_and_nothing_is_written(folder: Path) -> None:
    flag()
    unknown = {"label": "faithfull", "note": "x", "attributes": {"decision": "incorrect"}}
    fill("flags.jsonl", "done.jsonl", a=unknown, b={"attributes": {"decision": "ambiguous"}})
    text = (folder / "done.jsonl").read_text("utf-8")
    (folder / "done.jsonl").write_text(f"{text}\n{{broken", encoding="utf-8")
    for command in ("adjudicate", "verify"):
        done = audit(command, "done.jsonl", "--out", "out.jsonl")
        lines = error_of(done).splitlines()
        where = "done.jsonl line 1: example 'a', unit s1: "
        assert lines[0].startswith(f"{where}unknown binary label 'faithfull'")
        assert "done.jsonl line 3: " in lines[1] + lines[2]
        assert any("line 2: example 'b', unit s1: a decision needs a reason" in e for e in lines)
        assert not (folder / "out.jsonl").exists()


def test_flags_of_other_data_change_nothing(folder: Path) -> None:
    flag()
    fill("flags.jsonl", "done.jsonl", a=incorrect())
    lines = (folder / "data.jsonl").read_bytes().splitlines()
    (folder / "other.jsonl").write_bytes(b"\n".join(lines[1:]))
    done = audit("apply", "other.jsonl", "done.jsonl", "--out", "revised.jsonl")
    assert error_of(done) == "done.jsonl line 1: the data has no example 'a'"
    swapped = audit("apply", "done.jsonl", "done.jsonl", "--out", "revised.jsonl")
    assert "done.jsonl is no data, but flags with forms" in line_of(swapped)
    assert not (folder / "revised.jsonl").exists()


def test_recorded_votes_need_no_model_and_votes_are_no_recorded_detector(folder: Path) -> None:
    flag()
    fill("flags.jsonl", "done.jsonl", a=incorrect(), b=AMBIGUOUS)
    voted = audit(
        "verify", "done.jsonl", "--vote", "d", "--vote", "e", "--out", "v.jsonl", "--json"
    )
    assert json.loads(voted.stdout)["standings"]["rejected"] == 1  # e repeats the old label
    applied = audit("apply", "data.jsonl", "v.jsonl", "--out", "revised.jsonl", "--agree", "1")
    assert applied.exit_code == 0, applied.output
    measured = conftest.assay(
        "evaluate", "--dataset", "revised.jsonl", "--unit", "sentence", "--json"
    )
    detectors = [each["detector"] for each in json.loads(measured.stdout)["detectors"]]
    assert detectors == ["d", "e"]


def test_too_few_voters_and_bad_names_are_usage(folder: Path) -> None:
    flag()
    fill("flags.jsonl", "done.jsonl", a=incorrect())
    few = audit("verify", "done.jsonl", "--vote", "d", "--out", "v.jsonl")
    assert line_of(few) == "2 votes have to agree, but there is 1 voter (--agree)"
    assert "unknown rule 'most'" in line_of(flag("--rule", "most"))
    assert "unknown preset 'x'" in line_of(flag("--preset", "x"))
    assert "is for gray7 labels" in line_of(flag("--preset", "annotation-errors"))
    assert "--out FILE" in line_of(audit("flag", "data.jsonl", "d"))


def test_flags_go_to_the_studio_and_decisions_come_back(folder: Path) -> None:
    flag()
    refused = audit("adjudicate", "flags.jsonl", "--studio", "look", "--database", "s.sqlite")
    assert "has a binary label of a sentence: decide in the file instead" in line_of(refused)
    text = (folder / "data.jsonl").read_text("utf-8")
    for old, new in (("unfaithful", "contradicting"), ("faithful", "explicitly-supported")):
        text = text.replace(f'"label":"{old}"', f'"label":"{new}"')
    text = text.replace('"taxonomy":"binary"', '"taxonomy":"gray7"')
    (folder / "data.jsonl").write_text(text, encoding="utf-8")
    assert audit("flag", "data.jsonl", "d", "--out", "gray.jsonl").exit_code == 0
    done = audit("adjudicate", "gray.jsonl", "--studio", "look", "--database", "s.sqlite", "--json")
    assert done.exit_code == 0, done.output
    assert (json.loads(done.stdout)["project"], json.loads(done.stdout)["added"]) == ("look", 2)
    back = audit(
        "adjudicate", "studio:look", "--database", "s.sqlite", "--out", "back.jsonl", "--json"
    )
    assert json.loads(back.stdout)["decisions"]["open"] == 2
    assert "unknown project" in audit(
        "adjudicate", "studio:no", "--database", "s.sqlite"
    ).stderr or (
        "no project 'no'" in audit("adjudicate", "studio:no", "--database", "s.sqlite").stderr
    )


def test_two_versions_of_labels_are_compared(folder: Path) -> None:
    lines = [json.loads(line) for line in (folder / "data.jsonl").read_text("utf-8").splitlines()]
    lines[0]["judgements"][0]["units"][0]["verdict"]["label"] = "faithful"
    lines[2]["response"] = "Something else."
    for each in ("units", "judgements"):
        lines[2][each] = []
    (folder / "new.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    done = audit("compare", "data.jsonl", "new.jsonl", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert (found["examples"], found["only_old"], found["only_new"]) == (2, 1, 1)
    assert found["changes"]["counts"] == [{"before": "unfaithful", "after": "faithful", "count": 1}]
    ranks = {each["detector"]: each for each in found["ranking"]}
    # Of a and b, four of six labels are unfaithful; d finds two of them: (2/4 + 1) / 2. Of the new
    # ones it finds two of three, (2/3 + 1) / 2; e finds all three and is wrong about one of three.
    assert ranks["d"]["before"]["value"] == pytest.approx(0.75)
    assert ranks["d"]["after"]["value"] == pytest.approx(5 / 6)
    assert ranks["e"]["after"]["value"] == pytest.approx((1 + 2 / 3) / 2)
    assert [ranks[name]["rank_before"] for name in "de"] == [2, 1]
    assert [(ranks[name]["rank_after"], ranks[name]["direction"]) for name in "de"] == [
        (1, "up"),
        (1, ""),
    ]
    shown = audit("compare", "data.jsonl", "new.jsonl")
    assert "1 of 6 sentences changed" in shown.stdout
    (folder / "none.jsonl").write_text(json.dumps(lines[2]), encoding="utf-8")
    assert "have no example in common" in line_of(audit("compare", "data.jsonl", "none.jsonl"))


def test_same_command_asks_again_for_a_vote_that_failed(folder: Path, server: Loopback) -> None:
    flag()
    fill("flags.jsonl", "done.jsonl", a=incorrect(), b=AMBIGUOUS)
    server.answer = lambda body: "gone" if body["model"] == "m2" else voting(body)
    command = ("verify", "done.jsonl", *MODELS, "--out", "verified.jsonl", "--json")
    first = audit(*command)
    assert (first.exit_code, json.loads(first.stdout)["failures"]) == (3, {"parse": 1})
    assert "1 vote missing; the same command asks again" in first.stderr
    server.answer, before = voting, server.calls
    again = audit(*command)
    assert again.exit_code == 0, again.output
    assert json.loads(again.stdout)["standings"]["verified"] == 1
    assert server.calls == before + 1  # m1 and m3 have answered
    for _ in range(2):
        assert audit("adjudicate", "done.jsonl", "--out", "checked.jsonl").exit_code == 0


def test_votes_on_another_reason_or_evidence_do_not_count(folder: Path, server: Loopback) -> None:
    flag()
    fill("flags.jsonl", "done.jsonl", a=incorrect(), b=AMBIGUOUS)
    assert audit("verify", "done.jsonl", *MODELS, "--out", "verified.jsonl").exit_code == 0
    text = (folder / "verified.jsonl").read_text("utf-8")
    stale = text.replace("The source says so.", "I like ferries.")
    assert stale != text
    (folder / "stale.jsonl").write_text(stale, encoding="utf-8")
    applied = audit("apply", "data.jsonl", "stale.jsonl", "--out", "revised.jsonl")
    assert applied.exit_code == 3, applied.output
    assert labels("revised.jsonl") == ["-+-", "-+-", "++-"]
    before = server.calls
    again = audit("verify", "stale.jsonl", *MODELS, "--out", "again.jsonl", "--json")
    assert server.calls == before + 3
    (unit,) = json.loads(again.stdout)["units"]
    assert (unit["standing"], len(unit["votes"])) == ("verified", 3)


def test_vote_that_was_read_already_adds_nothing(folder: Path) -> None:
    flag()
    fill("flags.jsonl", "done.jsonl", a=incorrect())
    for source, target in (("done", "one"), ("one", "two")):
        out = ("--vote", "d", "--agree", "1", "--out", f"{target}.jsonl")
        assert audit("verify", f"{source}.jsonl", *out).exit_code == 0
    assert (folder / "two.jsonl").read_bytes() == (folder / "one.jsonl").read_bytes()


@pytest.mark.parametrize("name", ["votes.json", "votes.parquet", "votes/"])
def test_file_votes_under_the_name_of_its_author(folder: Path, name: str) -> None:
    flag()
    fill("flags.jsonl", "done.jsonl", a=incorrect())
    conftest.assay("run", "data.jsonl", "--detector", "overlap", "--name", "said", "--quiet")
    conftest.assay("runs", "export", "said", "--out", f"{folder}/{name}")
    votes = ("--vote", f"{folder}/{name}", "--agree", "1")
    done = audit("verify", "done.jsonl", *votes, "--out", "v.jsonl", "--json")
    (vote,) = json.loads(done.stdout)["units"][0]["votes"]
    assert vote["by"] == "verify-revision overlap"
    assert str(folder) not in (folder / "v.jsonl").read_text("utf-8")
    twice = audit("verify", "done.jsonl", *votes, "--vote", "overlap", "--out", "w.jsonl")
    assert "overlap, who has voted already" in line_of(twice)


@pytest.mark.parametrize("name", ["flags.parquet", "flags.jsonl.gz"])
def test_flags_in_another_form_are_told_in_one_line(folder: Path, name: str) -> None:
    flag()
    conftest.assay("data", "convert", "flags.jsonl", "--to", name)
    said = line_of(audit("adjudicate", name, "--out", "out.jsonl"))
    assert said.startswith(f"{name} cannot hold decisions: people decide in JSON lines")


@pytest.mark.parametrize("command", ["adjudicate", "verify", "apply"])
def test_files_without_flags_are_refused_by_every_step(folder: Path, command: str) -> None:
    (folder / "empty.jsonl").write_text("", encoding="utf-8")
    data = ("data.jsonl",) if command == "apply" else ()
    done = audit(command, *data, "empty.jsonl", "--out", "out.jsonl")
    assert "there are no flags" in line_of(done)
    assert done.exit_code == 2


@pytest.mark.parametrize("command", ["adjudicate", "verify", "apply", "profile"])
def test_data_in_place_of_flags_is_told_in_one_line(folder: Path, command: str) -> None:
    data = ("data.jsonl",) if command == "apply" else ()
    out = () if command == "profile" else ("--out", "out.jsonl")
    done = audit(command, *data, "data.jsonl", *out)
    assert line_of(done) == (
        "data.jsonl: 3 examples without a form to decide in: this is no file of flags, which "
        "flagging makes of data"
    )


def test_tie_says_that_it_has_no_majority(folder: Path) -> None:
    flag()
    fill("flags.jsonl", "ann.jsonl", a=incorrect())
    fill("flags.jsonl", "bo.jsonl", by="bo", a=AMBIGUOUS)
    files = ("ann.jsonl", "bo.jsonl", "--vote", "d", "--agree", "1", "--out", "v.jsonl")
    plain, tied = (line_of(audit("verify", *files, *more)) for more in ((), ("--majority",)))
    said = (
        "people decided differently about 1 flag, the first is unit s1 of 'a': "
        "ann incorrect (faithful), bo ambiguous"
    )
    assert plain == f"{said}; --prefer NAME or --majority says whose decision counts"
    assert tied == (
        f"{said}; no decision has more than half of them; --prefer NAME says whose decision counts"
    )


def test_unknown_label_hides_nothing_else_of_its_line(folder: Path) -> None:
    judge = ("judge-fewshot", "--model", "m1")
    assert audit("flag", "data.jsonl", *judge, "--out", "flags.jsonl").exit_code == 0
    wrong = {"label": "faithfull", "note": "x", "attributes": {"decision": "maybe"}}
    decide("flags.jsonl", "done.jsonl", s1=wrong, s3={"attributes": {"decision": "ambiguous"}})
    lines = error_of(audit("adjudicate", "done.jsonl")).splitlines()
    place = "done.jsonl line 1: example 'a', unit"
    assert lines[0].strip().startswith(f"{place} s1: unknown binary label 'faithfull'")
    assert lines[1].strip().startswith(f"{place} s1: the decision is one of open,")
    assert lines[2].strip() == f"{place} s3: a decision needs a reason; write it as the note"
    assert len(lines) == 3
