"""`assay evaluate` as the papers evaluate: their protocols, all taxonomies, tasks and runs."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import assay as library
from assay import check, taxonomy
from assay.datasets.corpus import load_corpus
from tests.cli.conftest import assay, error_of, line_of

pytestmark = pytest.mark.slow

GOOD, BAD = "The ferry has crossed the strait since 1986.", "Elephants danced at midnight."
LABELS = ("Explicitly-Supported", "Fabricated", "Out-Dependent", "No-Fact")
SENTENCES = (GOOD, BAD, "The strait is cold.", "Here is a summary.")
Write = Callable[..., None]


def row(number: int) -> dict[str, object]:
    """A summary of four sentences; each has a source of its own."""
    answer, places = " ".join(SENTENCES), []
    for text, label in zip(SENTENCES, LABELS, strict=True):
        start = answer.index(text)
        places.append({"text": text, "range": [start, start + len(text)], "annotation": label})
    source = f"{GOOD} This is story number {number}."
    return {"question": source, "answer": answer, "generator": "m", "sentences": places}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a corpus in VeriGray's format."""
    path = tmp_path / "verigray" / "verigray.jsonl"
    path.parent.mkdir()
    path.write_text("\n".join(json.dumps(row(n)) for n in range(6)), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture
def write(folder: Path) -> Write:
    """Writes a file of judgements: what a detector says of the four sentences of each summary."""
    examples = [each.example for each in load_corpus("verigray", folder)]

    def written(name: str, menu: str, *said: object, author: str = "") -> None:
        document = check(examples, detector="overlap").to_dict()
        document["manifest"] |= {"taxonomy": menu, "author": {"name": author or name}}
        for judgement in document["judgements"]:
            judgement |= {"taxonomy": menu, "author": {"name": author or name}}
            judgement.pop("response", None)
            for unit, outcome in zip(judgement["units"], said, strict=True):
                unit.pop("verdict")
                unit |= _outcome(outcome)
        (folder / f"{name}.json").write_text(json.dumps(document), encoding="utf-8")

    return written


def _outcome(said: object) -> dict[str, Any]:
    if isinstance(said, float):
        return {"verdict": {"score": said}}
    if said in ("invalid", "parse"):
        return {"failure": {"reason": said}}
    return {"verdict": {"label": said}}


def with_prompts(path: Path, **digests: str) -> None:
    """Puts the digests of prompts into a file of judgements."""
    document = json.loads(path.read_text(encoding="utf-8"))
    document["manifest"]["prompt_digests"] = digests
    path.write_text(json.dumps(document), encoding="utf-8")


@pytest.fixture
def four(write: Write) -> tuple[str, ...]:
    """Judges of four taxonomies and one with scores only; all are right about the first two."""
    write("gray7", "gray7", "implicitly-supported", "contradicting", "no-fact", "ambiguous")
    write("nli", "nli", "entailment", "neutral", "neutral", "neutral")
    write("finesure", "finesure9", "no-error", "out-of-context", "no-error", "no-error")
    write("binary", "binary", "faithful", "unfaithful", "faithful", "faithful")
    write("scores", "", 0.9, 0.2, 0.8, 0.4)
    return "gray7.json", "nli.json", "finesure.json", "binary.json", "scores.json"


def figures(*arguments: str) -> dict[str, Any]:
    """The document of an evaluation, with its detectors by name."""
    done = assay("evaluate", *arguments, "--json")
    assert done.exit_code == 0, done.output
    document: dict[str, Any] = json.loads(done.stdout)
    return {**document, **{each["detector"]: each for each in document["detectors"]}}


def test_verigray_is_evaluated_as_its_paper_does_unless_options_say_otherwise(
    four: tuple[str, ...],
) -> None:
    found = figures(four[0], "--dataset", "verigray")
    assert found["protocol"] == "the protocol of VeriGray, section 5.2"
    assert found["reading"].startswith("sentence level; gold: the corpus's own labels; verigray:")
    assert "the protocol of VeriGray, section 5.2" in found["reading"]
    # 6 x 2 sentences count; the two protocols: binary, and the order of all 24.
    assert (found["gray7.json"]["n"], found["gray7.json"]["items"]) == (12, 24)
    whole = figures(four[0], "--dataset", "verigray", "--unit", "response")
    assert whole["protocol"].startswith("not the protocol of VeriGray, section 5.2, which is: ")
    assert whole["gray7.json"]["items"] == 6
    lower = figures(four[0], "--dataset", "verigray", "--reading", "from-out-dependent")
    assert (lower["gray7.json"]["n"], lower["protocol"][:3]) == (24, "not")


@pytest.mark.parametrize("threshold", ["implicitly-supported", "generally-supported"])
def test_the_threshold_of_the_paper_is_its_protocol(threshold: str, four: tuple[str, ...]) -> None:
    found = figures(four[0], "--dataset", "verigray", "--cut", threshold)
    assert found["protocol"] == "the protocol of VeriGray, section 5.2"
    plain = figures(four[0], "--dataset", "verigray")
    assert found["gray7.json"]["figures"] == plain["gray7.json"]["figures"]


@pytest.mark.parametrize("threshold", ["out-dependent", "linking", "0.7"])
def test_another_threshold_is_not_the_protocol_of_the_paper(
    threshold: str, four: tuple[str, ...]
) -> None:
    found = figures(four[0], four[2], "--dataset", "verigray", "--cut", threshold)
    assert found["protocol"] == (
        "not the protocol of VeriGray, section 5.2, which is: sentence level, the corpus's own "
        "labels, reading verigray, without another threshold"
    )


def test_number_as_the_threshold_is_the_cut_of_files(four: tuple[str, ...]) -> None:
    given = (four[4], "--dataset", "verigray")
    cut = figures(*given, "--cut", "0.3")
    assert figures(*given, "--threshold", "0.3") == cut
    assert figures(*given) != cut
    python = library.evaluate(four[2], data="verigray", threshold="linking")  # type: ignore[arg-type]
    assert python.report.protocol.startswith("not the protocol")


def test_a_program_has_the_same_defaults(four: tuple[str, ...]) -> None:
    evaluated = library.evaluate(four[0], data="verigray")
    assert evaluated.report.protocol == "the protocol of VeriGray, section 5.2"
    assert evaluated["gray7.json"].n == 12
    assert library.compare(*four[:2], data="verigray").about.count("sentence level") == 1


def test_a_file_of_ones_own_has_no_protocol(folder: Path) -> None:
    rows = [
        {"source": GOOD, "response": GOOD, "label": 1},
        {"source": GOOD, "response": BAD, "label": 0},
    ]
    (folder / "own.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    found = figures("overlap", "--dataset", "own.jsonl")
    assert found["protocol"] == ""
    assert found["reading"].startswith(
        "response level; gold: the corpus's own labels; binary labels"
    )


@pytest.mark.parametrize("threshold", [(), ("--cut", "implicitly-supported")])
def test_detectors_of_all_taxonomies_stand_in_one_table(
    four: tuple[str, ...], threshold: tuple[str, ...]
) -> None:
    found = figures(*four, "--dataset", "verigray", *threshold)
    values = {name: found[name]["figures"]["balanced accuracy"]["value"] for name in four}
    assert values == dict.fromkeys(four, 1.0)
    assert [found[name]["rank"] for name in four] == [1, 1, 1, 1, 1]
    kinds = {name: found[name]["confidence"] for name in four}
    assert kinds == {**dict.fromkeys(four[:4], "label"), "scores.json": "score"}
    # Only gray7 has the classes of the gold labels; thresholds are the three highest degrees.
    assert [name for name in four if found[name]["class_f1"]] == ["gray7.json"]
    assert [each["from"] for each in found["gray7.json"]["acceptance"]] == [
        "out-dependent",
        "implicitly-supported",
        "explicitly-supported",
    ]


@pytest.mark.parametrize("threshold", [(), ("--cut", "implicitly-supported")])
def test_two_taxonomies_are_compared(four: tuple[str, ...], threshold: tuple[str, ...]) -> None:
    done = assay("compare", *four[:2], "--dataset", "verigray", *threshold, "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["balanced_accuracy"]["difference"]["value"] == 0


def test_the_table_shows_ranks_acceptance_and_what_confidence_is(four: tuple[str, ...]) -> None:
    text = assay("evaluate", *four, "--dataset", "verigray").stdout
    assert "rank" in text
    assert f"AUROC and risk-coverage area go by labels: {', '.join(four[:4])}" in text
    assert "Selective prediction by labels." in text
    page = assay("evaluate", *four, "--dataset", "verigray", "--html", "-").stdout
    assert page.startswith("<!doctype html>")
    assert "Selective prediction by labels</h2>" in page
    assert "There are no scores: how sure the detector is, its label says" in page


@pytest.mark.parametrize("form", ["--csv", "--markdown", "--html"])
def test_a_dash_prints_the_document_alone_and_makes_no_file(
    four: tuple[str, ...], folder: Path, form: str
) -> None:
    done = assay("evaluate", four[0], "--dataset", "verigray", form, "-")
    beginnings = {"--csv": "dataset,", "--markdown": "verigray:", "--html": "<!doctype html>"}
    assert done.stdout.startswith(beginnings[form])
    assert "┏" not in done.stdout
    assert not (folder / "-").exists()
    twice = assay("evaluate", four[0], "--dataset", "verigray", form, "-", "--json")
    assert "only one document can be printed" in line_of(twice)


def test_runs_of_one_detector_are_averaged(write: Write) -> None:
    right = ("explicitly-supported", "fabricated", "out-dependent", "no-fact")
    write("a", "gray7", *right, author="judge")
    write("b", "gray7", "fabricated", "fabricated", "parse", "no-fact", author="judge")
    write("other", "gray7", *right)
    found = figures("a.json+b.json", "other.json", "--dataset", "verigray")
    row = found["a.json+b.json"]
    assert row["figures"]["balanced accuracy"]["value"] == pytest.approx(0.75)
    assert row["spread"]["balanced accuracy"] == pytest.approx(0.125**0.5)
    assert [run["coverage"] for run in row["runs"]] == [1, 0.75]
    assert [found[name]["rank"] for name in ("a.json+b.json", "other.json")] == [2, 1]
    text = assay("evaluate", "a.json+b.json", "--dataset", "verigray", "--markdown", "-").stdout
    assert "| a.json+b.json | spread |  |  | ±0.354 |" in text
    lines = assay("evaluate", "a.json+b.json", "--dataset", "verigray", "--csv", "-").stdout
    by_run = {(each["run"], each["figure"]): each for each in csv.DictReader(io.StringIO(lines))}
    assert by_run["b.json", "balanced accuracy"]["value"] == "0.5"
    assert float(by_run["", "spread balanced accuracy"]["value"]) == pytest.approx(0.125**0.5)
    compared = assay("compare", "a.json+b.json", "other.json", "--dataset", "verigray")
    assert "balanced accuracies are averages over runs" in compared.stdout
    assert "difference -0.250" in compared.stdout


def test_runs_with_different_prompts_are_not_averaged(write: Write, folder: Path) -> None:
    for name, digests in {"a": {"mine": "1"}, "b": {"mine": "2"}, "c": {"mine": "2"}}.items():
        write(name, "binary", "faithful", "unfaithful", "faithful", "faithful", author="j")
        with_prompts(folder / f"{name}.json", **digests)
    done = assay("evaluate", "a.json+b.json", "--dataset", "verigray")
    assert "only runs with the same prompts are averaged, and these differ in theirs: mine" in (
        line_of(done)
    )
    assert figures("b.json+c.json", "--dataset", "verigray")["b.json+c.json"]["coverage"] == 1


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a.json+b.json", "only runs of one detector are averaged, and these are of a, b"),
        ("a.json+a.json", "'a.json+a.json' averages a run with itself"),
        ("a.json+overlp", "unknown detector, recorded detector or reference"),
        ("run:x+run:y", "there are no runs at"),
    ],
)
def test_what_cannot_be_averaged_is_told(write: Write, name: str, message: str) -> None:
    for each in ("a", "b"):
        write(each, "gray7", "fabricated", "fabricated", "fabricated", "fabricated")
    assert message in error_of(assay("evaluate", name, "--dataset", "verigray"))


def test_a_plus_may_be_part_of_a_file_name(write: Write) -> None:
    write("a+b", "gray7", "fabricated", "fabricated", "fabricated", "fabricated")
    assert figures("a+b.json", "--dataset", "verigray")["a+b.json"]["items"] == 24


def test_invalid_responses_count_as_unfaithful_where_that_is_asked_for(write: Write) -> None:
    write("a", "gray7", "explicitly-supported", "invalid", "parse", "no-fact")
    left_out = figures("a.json", "--dataset", "verigray")["a.json"]
    assert left_out["failures"] == {"invalid": 6, "parse": 6}
    assert left_out["figures"]["balanced accuracy"]["value"] is None
    done = figures("a.json", "--dataset", "verigray", "--invalid", "unfaithful")
    counted = done["a.json"]
    assert "invalid responses count as predicted unfaithful" in done["reading"]
    assert (counted["failures"], counted["invalid_as_unfaithful"]) == ({"parse": 6}, 6)
    assert (counted["figures"]["recall"]["value"], counted["coverage"]) == (1, 0.75)
    table = assay("evaluate", "a.json", "--dataset", "verigray", "--invalid", "unfaithful")
    assert "parse 6, invalid as unfaithful 6" in table.stdout
    wrong = assay("evaluate", "a.json", "--dataset", "verigray", "--invalid", "consistent")
    assert "unknown invalid 'consistent'" in line_of(wrong)


def test_labels_are_folded_into_their_mean(write: Write) -> None:
    write("nli", "nli", "entailment", "neutral", "entailment", "entailment")
    whole = ("--dataset", "verigray", "--unit", "response", "--fold", "worst,mean")
    found = figures("nli.json", *whole)
    assert found["nli.json (mean)"]["coverage"] == 1
    # Every response is unfaithful: the worst label says so, 3 of 4 supported sentences do not.
    values = {
        n: found[n]["figures"]["recall"]["value"] for n in ("nli.json (worst)", "nli.json (mean)")
    }
    assert values == {"nli.json (worst)": 1, "nli.json (mean)": 0}


def write_tasks(folder: Path) -> None:
    """Writes eight examples of two tasks and two splits."""
    rows = [
        {"id": f"{n}", "source": GOOD, "response": BAD if n % 2 else GOOD, "label": 1 - n % 2}
        for n in range(8)
    ]
    (folder / "own.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert (
        assay(
            "data", "convert", "own.jsonl", "--to", "tasks.jsonl", "--label-field", "label"
        ).exit_code
        == 0
    )
    lines = [json.loads(line) for line in (folder / "tasks.jsonl").read_text().splitlines()]
    for n, line in enumerate(lines):
        line["task"] = "qa" if n < 4 else "summary"
        line["split"] = "dev" if n % 4 < 2 else "test"
    (folder / "tasks.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")


def test_tasks_have_rows_and_can_be_chosen(folder: Path) -> None:
    write_tasks(folder)
    both = figures("overlap", "--dataset", "tasks.jsonl")["overlap"]
    assert {name: part["n"] for name, part in both["tasks"].items()} == {"qa": 4, "summary": 4}
    assert both["tasks"]["qa"]["figures"]["specificity"]["value"] == 1
    table = assay("evaluate", "overlap", "--dataset", "tasks.jsonl").stdout
    assert "By task." in table
    one = figures("overlap", "--dataset", "tasks.jsonl", "--task", "qa")["overlap"]
    assert (one["n"], one.get("tasks")) == (4, None)
    _names_its_part("task", "qa")
    _names_its_part("split", "dev")
    unknown = assay("evaluate", "overlap", "--dataset", "tasks.jsonl", "--task", "translation")
    assert "its tasks: qa, summary" in line_of(unknown)
    frame = library.evaluate("overlap", data="tasks.jsonl").to_pandas()
    counted = frame[frame["figure"] == "specificity"].set_index("task")["n"]
    assert counted.to_dict() == {"": 4, "qa": 2, "summary": 2}  # the faithful ones
    part = library.DataChoice("tasks.jsonl", task="qa")
    assert "task" not in library.evaluate("overlap", data=part).to_pandas().columns


def test_a_task_or_split_of_a_run_over_a_sample_is_measured_on_the_sample(folder: Path) -> None:
    write_tasks(folder)
    sample = ("--sample", "5", "--name", "some", "--runs", "runs")
    done = assay("run", "tasks.jsonl", "--detector", "overlap", *sample)
    assert done.exit_code == 0, done.output
    run = ("run:some", "--runs", "runs", "--dataset", "tasks.jsonl")
    for part, names in (("--task", ("qa", "summary")), ("--split", ("dev", "test"))):
        found = [figures(*run, part, name)["run:some"] for name in names]
        assert [each["coverage"] for each in found] == [1, 1]
        assert sum(each["items"] for each in found) == 5


def _names_its_part(part: str, name: str) -> None:
    """Whether heading, JSON and CSV say which task or split was chosen."""
    arguments = ("evaluate", "overlap", "--dataset", "tasks.jsonl", f"--{part}", name)
    assert f"only {part} {name};" in assay(*arguments, "--markdown", "-").stdout
    assert json.loads(assay(*arguments, "--json").stdout)[part] == name
    rows = csv.DictReader(io.StringIO(assay(*arguments, "--csv", "-").stdout))
    assert name in {row[part] for row in rows}
    pair = ("compare", "overlap", "gold:tasks.jsonl", *arguments[2:])
    assert f"only {part} {name};" in " ".join(assay(*pair).stdout.split())


def test_a_judge_of_whole_responses_is_told_that_sentences_cannot_measure_it(
    write: Write, folder: Path
) -> None:
    write("nli", "nli", "entailment", "neutral", "neutral", "neutral")
    document = json.loads((folder / "nli.json").read_text(encoding="utf-8"))
    document["manifest"]["unit_kind"] = "response"
    for judgement in document["judgements"]:
        text = " ".join(SENTENCES)
        whole = {"id": "response", "kind": "response", "text": text}
        judgement["units"] = [whole | {"verdict": {"label": "neutral"}}]
    (folder / "whole.json").write_text(json.dumps(document), encoding="utf-8")
    alone = line_of(assay("evaluate", "whole.json", "--dataset", "verigray"))
    assert "whole responses are judged by whole.json" in alone
    assert alone.endswith("--unit response measures whole responses")
    beside = assay("evaluate", "whole.json", "nli.json", "--dataset", "verigray")
    assert "since they judge whole responses: whole.json" in beside.stdout
    measured = figures("whole.json", "--dataset", "verigray", "--unit", "response")
    assert measured["whole.json"]["coverage"] == 1


def test_a_corpus_whose_folder_has_none_of_it_is_told_with_its_name(folder: Path) -> None:
    (folder / "verigray" / "verigray.jsonl").unlink()
    message = line_of(assay("evaluate", "overlap", "--dataset", "verigray"))
    assert message.startswith("verigray: nothing of it is at ")
    assert message.endswith("give its place with --data DIR or ASSAY_DATA")


def test_the_star_is_explained_only_where_there_is_one(write: Write) -> None:
    write("failing", "nli", "parse", "parse", "parse", "parse")
    write("good", "nli", "entailment", "neutral", "neutral", "neutral")
    write("poor", "nli", "neutral", "entailment", "neutral", "neutral")
    for form in ((), ("--markdown", "-")):
        starred = assay("evaluate", "good.json", "poor.json", "--dataset", "verigray", *form)
        assert "* the best balanced accuracy" in starred.stdout
        for alone in ("good.json", "failing.json"):
            without = assay("evaluate", alone, "--dataset", "verigray", *form)
            assert "* the best balanced accuracy" not in without.stdout


def test_every_label_of_gray7_can_be_a_threshold(four: tuple[str, ...]) -> None:
    for label in taxonomy("gray7").names[2:]:
        arguments = (four[0], "--dataset", "verigray", "--cut", label)
        assert figures(*arguments)["gray7.json"]["coverage"] == 1


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("task", "reading"),
    [("faithbench-summary", "faithbench-strict"), ("ragtruth-qa", "binary labels")],
)
def test_a_task_whose_labels_the_paper_s_reading_does_not_fit_is_read_as_usual(
    shared_data: Path, task: str, reading: str
) -> None:
    part = library.DataChoice("faithjudge-peers", str(shared_data), task=task, sample=9, seed=1)
    report = library.evaluate("overlap", data=part).report
    assert report.protocol == "the protocol of FaithJudge, appendix B"
    assert report.reading.startswith(f"response level; gold: the corpus's own labels; {reading}")
    assert len(report.evaluations[0].items) == 9
