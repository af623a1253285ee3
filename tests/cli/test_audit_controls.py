"""`assay audit` with reasons of others, a control sample, and voters who flagged."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from assay import Author
from assay.core.codec import write_example
from tests.audit.ferries import ferry, judged
from tests.cli.conftest import assay, line_of
from tests.cli.loopback import Body, Loopback, question

IDS = "abcdefgh"


def judging(body: Body) -> str:
    """A judge that finds everything entailed; a vote that agrees."""
    if "reviewer" in question(body):
        return json.dumps({"reason": "I agree.", "vote": "agree"})
    return json.dumps({"reason": "Because of the ferry.", "label": "entailment"})


@pytest.fixture
def server() -> Iterator[Loopback]:
    made = Loopback(judging)
    yield made
    made.close()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Loopback) -> Path:
    """Eight examples of three labels; d disagrees with s1 of a and b."""
    monkeypatch.chdir(tmp_path)
    for name in ("ASSAY_RUNS", "ASSAY_DATA", "ASSAY_MODEL", "ASSAY_STUDIO"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "a-key")
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    lines = []
    for id in IDS:
        made = ferry(id, "-+-" if id in "ab" else "++-")
        said = judged(id, made.example.units, Author("d"), "++-")
        lines.append(write_example(made.with_judgements(said)))
    (tmp_path / "data.jsonl").write_bytes(b"\n".join(lines))
    return tmp_path


def audit(*arguments: str) -> Result:
    return assay("audit", *arguments)


def lines_of(path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text("utf-8").splitlines()]


def sign(path: str, target: str, *wrong: tuple[str, str]) -> None:
    """Signs every form: some labels are found wrong, all others may stand."""
    lines = lines_of(path)
    for line in lines:
        form = next(each for each in line["judgements"] if not each["author"]["name"])
        form["author"]["name"] = "ann"
        for unit in form["units"]:
            verdict, is_wrong = unit["verdict"], (line["id"], unit["id"]) in wrong
            decision = {"decision": "incorrect" if is_wrong else "ambiguous"}
            if is_wrong:
                verdict["label"] = {"faithful": "unfaithful", "unfaithful": "faithful"}[
                    verdict["label"]
                ]
                decision["cited"] = "crosses twice a day"
            verdict |= {"note": "So it is.", "attributes": decision}
    Path(target).write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")


REASONS = ("--rationale", "judge-fewshot:definitions", "--model", "m1")


def test_reasons_are_paid_for_flagged_units_only_and_flag_nothing(server: Loopback) -> None:
    done = audit("flag", "data.jsonl", "d", *REASONS, "--out", "flags.jsonl", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert server.calls == 2  # s1 of a and b, of 24 sentences
    assert [(each["example"], each["unit"]) for each in found["flags"]] == [
        ("a", "s1"),
        ("b", "s1"),
    ]
    assert [each["detector"] for each in found["detectors"]] == ["d"]
    (reason,) = found["flags"][0]["rationales"]
    assert (reason["author"], reason["note"]) == (
        "judge-fewshot:definitions m1",
        "Because of the ferry.",
    )
    shown = audit("flag", "data.jsonl", "d", *REASONS, "--out", "flags.jsonl").stdout
    assert server.calls == 2  # it goes on where it was
    assert "asked for reasons only" in shown
    (said,) = [
        each
        for each in lines_of("flags.jsonl")[0]["judgements"]
        if each["author"]["name"] == "judge-fewshot:definitions m1"
    ]
    assert said["units"][0]["verdict"]["note"] == "Because of the ferry."


def test_estimate_of_reasons_is_what_they_cost_at_most(server: Loopback) -> None:
    done = audit("flag", "data.jsonl", "d", *REASONS, "--dry-run", "--json")
    (name,) = json.loads(done.stdout)
    assert name == "judge-fewshot:definitions, at most"
    assert server.calls == 0


def test_flagger_cannot_be_asked_for_reasons_only() -> None:
    done = audit("flag", "data.jsonl", "d", "--rationale", "d", "--out", "f.jsonl")
    assert line_of(done) == "d flags, so that its reasons are shown already (--rationale)"


CONTROL = ("--control", "10", "--seed", "7", "--key", "key.json")


def test_control_sample_is_blind_and_apply_reports_it(folder: Path) -> None:
    done = audit("flag", "data.jsonl", "d", *CONTROL, "--out", "flags.jsonl", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["controls"] == 10
    key = json.loads((folder / "key.json").read_text("utf-8"))
    controls = [(each["example"], each["unit"]) for each in key["controls"]]
    assert (len(controls), key["not_flagged"], key["seed"]) == (10, 22, 7)
    text = (folder / "flags.jsonl").read_text("utf-8")
    assert '"name":"d"' not in text  # who flagged does not speak on the lines
    sign("flags.jsonl", "done.jsonl", ("a", "s1"), controls[0])
    wanted = ("apply", "data.jsonl", "done.jsonl", "--unverified", "--out", "new.jsonl")
    assert "there is a control sample among the flags" in line_of(audit(*wanted))
    told = audit(*wanted, "--key", "key.json", "--json")
    assert told.exit_code == 0, told.output
    found = json.loads(told.stdout)
    # One of two flags and one of ten controls are changed: 0.1 x 22 labels that nobody flagged.
    assert found["control"]["flagged"]["rate"]["value"] == 0.5
    assert found["control"]["controls"]["rate"]["value"] == pytest.approx(0.1)
    assert found["control"]["estimated_errors_not_flagged"]["value"] == pytest.approx(2.2)
    assert (found["tallies"][0]["flagged"], found["tallies"][0]["revised"]) == (2, 2)
    assert [(each["detector"], each["flagged"]) for each in found["ranking"]] == [("d", True)]
    shown = audit(*wanted[:-1], "again.jsonl", "--key", "key.json").stdout
    assert "an estimated 2.2 [" in shown
    assert "d †" in shown


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--control", "3"), "the key of the control sample needs a file, which those who decide"),
        (("--key", "k.json"), "a key is that of a control sample, and there is none"),
        (("--seed", "3"), "a seed draws a control sample, and there is none"),
        (("--control", "3", "--key", "k.txt"), "k.txt must end in .json"),
        (("--control", "3", "--key", "other.json"), "other.json is no key of a control sample"),
    ],
)
def test_what_is_wrong_with_a_control_sample_is_one_line(
    folder: Path, options: tuple[str, ...], message: str
) -> None:
    (folder / "other.json").write_text("{}", encoding="utf-8")
    assert message in line_of(audit("flag", "data.jsonl", "d", *options, "--out", "f.jsonl"))
    assert not (folder / "f.jsonl").exists()


def test_key_of_another_sample_is_not_overwritten(folder: Path) -> None:
    audit("flag", "data.jsonl", "d", *CONTROL, "--out", "flags.jsonl")
    before = (folder / "key.json").read_bytes()
    assert audit("flag", "data.jsonl", "d", *CONTROL, "--out", "flags.jsonl").exit_code == 0
    other = (*CONTROL[:3], "8", *CONTROL[4:])
    done = audit("flag", "data.jsonl", "d", *other, "--out", "more.jsonl")
    assert "key.json is the key of another control sample" in line_of(done)
    assert (folder / "key.json").read_bytes() == before


def test_voters_who_flagged_are_named(server: Loopback) -> None:
    judge = ("judge-fewshot:definitions", "--model", "m1")
    audit("flag", "data.jsonl", "d", *judge, "--out", "flags.jsonl")
    sign("flags.jsonl", "done.jsonl", ("a", "s1"))
    votes = ("--vote", "d", "--model", "m1", "--model", "m2")
    done = audit("verify", "done.jsonl", *votes, "--out", "votes.jsonl", "--json")
    told = "voters who also flagged these labels and so confirm themselves: d, m1 (as "
    assert told + "judge-fewshot:definitions m1); 1 revision verified only with" in done.stderr
    found = json.loads(done.stdout)
    assert [each["voter"] for each in found["voters_that_flagged"]] == ["d", "m1"]
    assert found["verified_only_by_them"] == 1
    applied = audit("apply", "data.jsonl", "votes.jsonl", "--out", "new.jsonl")
    assert "verified only with votes of those who flagged: 1 revision" in applied.stdout
    others = ("--model", "m2", "--model", "m3")
    alone = audit("verify", "done.jsonl", *others, "--out", "others.jsonl", "--json")
    assert "also flagged" not in alone.stderr
    assert json.loads(alone.stdout)["voters_that_flagged"] == []


def test_profile_compares_the_kinds_of_error_of_several_files(folder: Path) -> None:
    (folder / "other").mkdir()
    for target, kind in (("first.jsonl", "hedging-removal"), ("other/first.jsonl", "")):
        audit("flag", "data.jsonl", "d", "--out", "flags.jsonl")
        sign("flags.jsonl", target, ("a", "s1"))
        if kind:
            lines = lines_of(target)
            form = next(e for e in lines[0]["judgements"] if e["author"]["name"] == "ann")
            form["units"][0]["verdict"]["error"] = {"taxonomy": "error5", "label": kind}
            Path(target).write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    files = ("first.jsonl", "other/first.jsonl")
    done = audit("profile", *files, "--unverified", "--html", "p.html", "--json")
    assert done.exit_code == 0, done.output
    first, second = json.loads(done.stdout)["profiles"]
    assert (first["name"], second["name"]) == files  # both would be called 'first'
    assert first["kinds"]["hedging-removal"]["count"] == first["by_people"] == 1
    assert (second["without_kind"], second["kinds"]["hedging-removal"]["count"]) == (1, 0)
    assert "first.jsonl" in (folder / "p.html").read_text("utf-8")
    applied = ("apply", "data.jsonl", "first.jsonl", "--unverified", "--out", "n.jsonl", "--json")
    (own,) = json.loads(audit(*applied).stdout)["profiles"]
    assert own["kinds"] == first["kinds"]  # as where it is applied
    assert "hedging-removal" in audit("profile", "first.jsonl", "--unverified").stdout
    assert "no revision counts" in line_of(audit("profile", "first.jsonl"))


def test_controls_are_not_counted_as_flagged_and_forms_stay_blind() -> None:
    options = ("--control", "5", "--key", "key.json", "--out", "flags.jsonl")
    shown = " ".join(audit("flag", "data.jsonl", "d", *options).stdout.split())
    flagged = {"a", "b"}
    drawn = {each["example"] for each in json.loads(Path("key.json").read_text())["controls"]}
    others = len(drawn - flagged)
    assert "2 of 24 sentence labels flagged" in shown
    assert f"; 2 flagged and {others} control examples of 8 examples" in shown
    decided = audit("adjudicate", "flags.jsonl").stdout
    assert decided.startswith("7 flagged or control labels: 7 open")
    assert "control" in str(json.loads(audit("adjudicate", "flags.jsonl", "--json").stdout).keys())
    assert audit("flag", "data.jsonl", "d", "--out", "plain.jsonl").exit_code == 0
    assert audit("adjudicate", "plain.jsonl").stdout.startswith("2 flags: 2 open")


def test_profile_of_flags_that_nobody_decided_about_says_what_comes_next() -> None:
    audit("flag", "data.jsonl", "d", "--out", "flags.jsonl")
    told = line_of(audit("profile", "flags.jsonl"))
    assert "nobody has decided about these flags yet" in told
    assert told.endswith("assay audit adjudicate FLAGS")
    sign("flags.jsonl", "signed.jsonl", ("a", "s1"))
    told = line_of(audit("profile", "signed.jsonl"))
    assert "too few votes agree; --unverified counts them all the same" in told
    assert told.endswith("assay audit verify FLAGS")
