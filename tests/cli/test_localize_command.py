"""`assay localize` on a small corpus in RAGTruth's format, also with a server on loopback."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from assay import Author, Failure, Judgement, Manifest, Report, Span, Unit, Verdict
from assay.core.results import Result as Checked
from assay.core.taxonomies import BINARY, FINAL4
from assay.core.units import unit_id
from assay.core.verdicts import Outcome
from assay.datasets.corpus import load_corpus
from tests.cli import conftest
from tests.cli.conftest import line_of
from tests.cli.loopback import Body, Loopback, question

SOURCE = "The ferry crosses the strait twice a day. It carried 48,200 passengers last year."
GOOD = "The ferry crosses the strait twice a day."
BAD = "The red ferry crosses the strait twice a day."
ENTRY = {
    "quotes": ["red"],
    "evidence": ["The ferry crosses the strait"],
    "description": "The response calls the ferry red, and the source names no colour.",
    "category": "extrinsic-wrong",
}


def rows(count: int) -> Iterator[dict[str, Any]]:
    """Responses of which every second one has an error."""
    label = {"start": 4, "end": 7, "text": "red", "label_type": "Evident Baseless Info"}
    for n in range(count):
        marked = [{**label, "meta": "HIGH INTRO OF NEW INFO\nNo colour is given, so not red."}]
        yield {
            "id": str(n),
            "source_id": str(n),
            "model": "m",
            "split": "test",
            "response": BAD if n % 2 else GOOD,
            "labels": marked if n % 2 else [],
        }


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a corpus of eight responses."""
    monkeypatch.chdir(tmp_path)
    for name in ("ASSAY_RUNS", "ASSAY_MODEL", "ASSAY_CONFIG", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "a-key")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("ASSAY_DATA", str(tmp_path))
    corpus = tmp_path / "ragtruth"
    corpus.mkdir()
    about = (
        {"source_id": str(n), "task_type": "Summary", "source_info": f"{SOURCE} Story {n}."}
        for n in range(8)
    )
    (corpus / "source_info.jsonl").write_text("\n".join(map(json.dumps, about)), encoding="utf-8")
    (corpus / "response.jsonl").write_text("\n".join(map(json.dumps, rows(8))), encoding="utf-8")
    return tmp_path


def assay(*arguments: str) -> Result:
    return conftest.assay("localize", *arguments)


def document(*arguments: str, code: int = 0) -> dict[str, Any]:
    done = assay(*arguments, "--json")
    assert done.exit_code == code, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def write_verdicts(folder: Path, name: str = "said.json", count: int = 8) -> None:
    """What a localizer says: it finds the colour, once with a repetition, and fails once."""
    author = Author("localize-cot m")
    results = []
    for annotated in list(load_corpus("ragtruth", folder))[:count]:
        example = annotated.example
        text = example.response.text
        units = [Unit.response(text)]
        outcomes: list[Outcome] = [Verdict("response", BINARY["faithful"])]
        if example.id in ("1", "3"):
            start = text.index("red")
            spans = (Span.cut(text, start, start + 3, "response"),)
            words = ["The ferry is not said to be red.", "Red is made up."]
            for number, said in enumerate(words if example.id == "3" else words[:1], start=1):
                units.append(Unit(unit_id("inconsistency", number), "inconsistency", said, spans))
            wrong = BINARY["unfaithful"]
            outcomes = [Verdict("response", wrong)]
            outcomes += [Verdict(u.id, wrong, error=FINAL4["extrinsic-wrong"]) for u in units[1:]]
        if example.id == "5":
            outcomes = [Failure("response", "refused", "no")]
        made = Judgement(
            example.id, author, tuple(units), tuple(outcomes), len(example.source.text)
        )
        results.append(Checked(example, made))
    manifest = Manifest(author, unit_kind="response", taxonomy="binary")
    (folder / name).write_text(Report(manifest, tuple(results)).to_json(), encoding="utf-8")


def test_file_of_verdicts_is_measured_without_a_model(folder: Path) -> None:
    write_verdicts(folder)
    (found,) = document("evaluate", "said.json", "--dataset", "ragtruth", code=3)["corpora"]
    # Errors: 1, 3 and 7 are measured, 5 failed; 1 and 3 are found, with 3 predictions.
    assert found["hits"] == {"found": 2, "predicted": 3, "gold": 3}
    assert found["figures"]["precision"]["value"] == pytest.approx(2 / 3)
    assert found["figures"]["recall"]["value"] == pytest.approx(2 / 3)
    assert (found["coverage"], found["failures"]) == (7 / 8, {"refused": 1})
    assert found["recall_by_kind"]["evident-baseless"]["n"] == 3
    assert found["precision_by_category"]["extrinsic-wrong"]["value"] == pytest.approx(2 / 3)
    # Binarized: 2 of 3 unfaithful and 4 of 4 faithful responses are called so: (2/3 + 1) / 2.
    binary = found["binarized"]["figures"]["balanced accuracy"]
    assert (binary["value"], binary["n"]) == (pytest.approx(5 / 6), 7)
    assert found["binary"] is None


def test_tables_show_figures_coverage_and_a_binary_judge_beside(folder: Path) -> None:
    write_verdicts(folder)
    done = assay("evaluate", "said.json", "--dataset", "ragtruth", "--binary", "overlap")
    assert done.exit_code == 3, done.output  # one response has no verdict
    assert "ragtruth: said.json, matched by offline" in done.stdout
    assert "2 found of 3, with 3 predictions" in done.stdout
    assert "87.5% of 8 examples; detector failed: 1 refused" in done.stdout
    assert "said.json, binarized" in done.stdout
    assert "overlap" in done.stdout


def test_detector_of_sentences_is_measured_by_what_it_marks(folder: Path) -> None:
    done = assay("evaluate", "overlap", "--dataset", "ragtruth", "--sample", "4", "--seed", "1")
    assert done.exit_code == 0, done.output
    assert "of 4 examples" in done.stdout


def localizing(body: Body) -> str:
    """A model that finds the colour when it is asked by the second wording only."""
    text = body["messages"][0]["content"] + question(body)
    if "GOLD" in text:
        return '{"A": "A"}'
    finds = "Task: find" in text and "The red ferry" in text
    return json.dumps({"reasoning": "", "inconsistencies": [ENTRY] if finds else []})


@pytest.fixture
def server() -> Iterator[Loopback]:
    made = Loopback(localizing)
    yield made
    made.close()


def test_choose_asks_both_prompts_and_says_which_to_take(folder: Path, server: Loopback) -> None:
    asked = ("--dataset", "ragtruth", "--model", "m", "--base-url", server.url)
    found = document("choose", "localize-cot", *asked, "--sample", "6")
    assert found["better"] == "localize-cot:b"
    assert (found["model"], found["difference"]["value"]) == ("m", pytest.approx(-1.0))
    assert [each["examples"] for each in found["variants"]] == [6, 6]
    assert server.calls == 12
    done = assay("choose", "localize-cot", *asked)
    assert "take localize-cot:b: it has the higher F1" in done.stdout
    assert "--localize-cot-a--m: 8 calls, 960 tokens" in done.stderr
    assert "--localize-cot-b--m: 8 calls, 960 tokens" in done.stderr


def test_model_can_match_and_replies_are_not_paid_for_twice(folder: Path, server: Loopback) -> None:
    write_verdicts(folder)
    asked = ("--dataset", "ragtruth", "--matcher", "llm", "--model", "m", "--base-url", server.url)
    server.answer = lambda body: json.dumps(
        {
            letter: "A"
            for letter in ("A", "B")
            if f"\n{letter}. " in question(body).partition("<<<PREDICTED")[2]
        }
    )
    kept = (*asked, "--cache", "kept.db")
    (found,) = document("evaluate", "said.json", *kept, code=3)["corpora"]
    assert found["matcher"] == "llm m"
    assert found["hits"] == {"found": 2, "predicted": 3, "gold": 3}
    assert server.calls == 2  # where nothing is predicted, nobody is asked
    document("evaluate", "said.json", *kept, code=3)
    assert server.calls == 2


def test_matcher_that_cannot_be_read_lowers_the_coverage(folder: Path, server: Loopback) -> None:
    write_verdicts(folder)
    server.answer = lambda body: '{"A": "Q"}'
    asked = ("--dataset", "ragtruth", "--matcher", "llm", "--model", "m", "--base-url", server.url)
    (found,) = document("evaluate", "said.json", *asked, code=3)["corpora"]
    assert found["matcher_failures"] == {"off_menu": 1, "parse": 1}
    assert found["coverage"] == 5 / 8
    # All that could be matched failed: the error that was missed in 7 is no recall of 0.
    assert [each["value"] for each in found["figures"].values()] == [None, None, None]
    assert found["recall_by_kind"] == {}


def test_judge_beside_is_asked_only_about_the_examples_of_a_file(
    folder: Path, server: Loopback
) -> None:
    write_verdicts(folder, count=3)
    server.answer = lambda body: json.dumps({"reason": "", "label": "faithful"})
    asked = ("--dataset", "ragtruth", "--model", "m", "--base-url", server.url)
    (found,) = document("evaluate", "said.json", *asked, "--binary", "judge-simple")["corpora"]
    assert server.calls == 3
    assert (found["binarized"]["n"], found["binary"]["n"]) == (3, 3)
    assert (found["coverage"], found["outside_of_sample"]) == (1.0, 5)


def test_failures_of_the_judge_beside_give_exit_code_3(folder: Path, server: Loopback) -> None:
    write_verdicts(folder, count=3)
    server.answer = lambda body: "Hm."
    asked = ("--dataset", "ragtruth", "--model", "m", "--base-url", server.url)
    document("evaluate", "said.json", *asked, "--binary", "judge-simple", code=3)


def test_localizer_is_run_and_measured(folder: Path, server: Loopback) -> None:
    asked = ("--dataset", "ragtruth", "--model", "m", "--base-url", server.url)
    (found,) = document("evaluate", "localize-cot:b", *asked)["corpora"]
    assert found["hits"] == {"found": 4, "predicted": 4, "gold": 4}
    assert found["figures"]["F1"]["value"] == 1.0
    assert found["binarized"]["figures"]["balanced accuracy"]["value"] == 1.0


def test_run_of_a_localizer_is_kept_and_measured(folder: Path, server: Loopback) -> None:
    asked = ("--model", "m", "--base-url", server.url, "--quiet", "--name", "cot")
    run = ("run", "ragtruth", "--detector", "localize-cot:b,two-step=gold", *asked)
    assert conftest.assay(*run).exit_code == 0
    assert set(server.asked) == {each for each in server.asked if "The red ferry" in each}
    (found,) = document("evaluate", "run:cot", "--dataset", "ragtruth")["corpora"]
    assert found["hits"] == {"found": 4, "predicted": 4, "gold": 4}


def keep_run(server: Loopback, name: str, *options: str) -> None:
    """A run of the second wording of `localize-zero` on the small corpus."""
    asked = ("--model", "m", "--base-url", server.url, "--quiet", "--name", name, *options)
    run = ("run", "ragtruth", "--detector", "localize-zero:b", *asked)
    assert conftest.assay(*run).exit_code == 0


@pytest.mark.parametrize(
    ("detector", "calls"),
    [
        ("localize-zero:two-step=self", 16),
        ("localize-zero:two-step=gold", 4),
        ("localize-pipeline", 32),  # facts, two checks and merge for each of the 8
        ("localize-pipeline:group=10", 24),
    ],
)
def test_estimate_counts_the_calls_of_every_step(folder: Path, detector: str, calls: int) -> None:
    (folder / "ragtruth" / "response.jsonl").write_text(
        "\n".join(
            json.dumps({**row, "response": f"{row['response']} It is old."}) for row in rows(8)
        ),
        encoding="utf-8",
    )
    run = ("run", "ragtruth", "--detector", detector, "--model", "m", "--dry-run", "--json")
    done = conftest.assay(*run)
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)[detector]["models"]["m"]["calls"] == calls


def test_run_of_a_sample_is_measured_on_its_sample(folder: Path, server: Loopback) -> None:
    keep_run(server, "part", "--sample", "3")
    (found,) = document("evaluate", "run:part", "--dataset", "ragtruth")["corpora"]
    assert (found["examples"], found["coverage"], found["failures"]) == (3, 1.0, {})
    assert found["outside_of_sample"] == 5
    done = assay("evaluate", "run:part", "--dataset", "ragtruth")
    assert "5 other examples are not in the sample of the run or in the file" in done.stdout


def test_run_of_all_splits_is_measured_on_one_of_them(folder: Path, server: Loopback) -> None:
    responses = folder / "ragtruth" / "response.jsonl"
    lines = [{**row, "split": "train" if int(row["id"]) < 6 else "test"} for row in rows(8)]
    responses.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    asked = ("--dataset", "ragtruth", "--split", "test")
    keep_run(server, "whole")
    (found,) = document("evaluate", "run:whole", *asked)["corpora"]
    assert (found["examples"], found["outside_of_sample"]) == (2, 0)
    keep_run(server, "part", "--split", "test", "--sample", "1")
    (found,) = document("evaluate", "run:part", *asked)["corpora"]
    assert (found["examples"], found["outside_of_sample"]) == (1, 1)


def test_examples_on_which_a_prompt_was_chosen_can_be_held_out(
    folder: Path, server: Loopback
) -> None:
    asked = ("--dataset", "ragtruth", "--model", "m", "--base-url", server.url)
    document("choose", "localize-cot", *asked, "--sample", "5")
    assert server.calls == 10
    write_verdicts(folder)
    held_out = ("evaluate", "said.json", "--dataset", "ragtruth", "--held-out", "5")
    assert json.loads(assay(*held_out, "--json").stdout)["corpora"][0]["examples"] == 3
    done = assay("evaluate", "said.json", "--dataset", "ragtruth", "--held-out", "8")
    assert "is left to measure on" in line_of(done)


def test_choose_takes_neither_prompt_where_no_reply_can_be_read(
    folder: Path, server: Loopback
) -> None:
    server.answer = lambda body: "I cannot say."
    asked = ("--dataset", "ragtruth", "--model", "m", "--base-url", server.url)
    done = assay("choose", "localize-zero", *asked)
    assert done.exit_code == 3
    assert "take neither" in done.stdout
    assert "higher F1" not in done.stdout
    assert document("choose", "localize-zero", *asked, code=3)["better"] is None


def test_choose_does_not_call_the_better_of_equals_better(folder: Path, server: Loopback) -> None:
    server.answer = lambda body: json.dumps({"inconsistencies": []})
    asked = ("--dataset", "ragtruth", "--model", "m", "--base-url", server.url)
    done = assay("choose", "localize-zero", *asked)
    assert "their F1 is the same on the 8 examples" in done.stdout
    assert "higher F1" not in done.stdout


def test_wrong_name_of_the_judge_beside_costs_nothing(folder: Path, server: Loopback) -> None:
    write_verdicts(folder)
    done = assay("evaluate", "said.json", "--dataset", "ragtruth", "--binary", "judge-simpel")
    assert "Did you mean 'judge-simple'" in line_of(done)
    assert server.calls == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("evaluate", "said.json"), "such as ragtruth (--dataset)"),
        (("evaluate", "said.json", "--dataset", "ragtrut"), "'ragtruth'"),
        (("evaluate", "overlp", "--dataset", "ragtruth"), "'overlap'"),
        (("evaluate", "run:none", "--dataset", "ragtruth"), "there are no runs"),
        (("evaluate", "gone.json", "--dataset", "ragtruth"), "cannot read gone.json"),
        (("evaluate", "other.json", "--dataset", "ragtruth"), "not in the corpus"),
        (("evaluate", "said.json", "--dataset", "plain.jsonl"), "nobody wrote down"),
        (
            ("evaluate", "said.json", "--dataset", "ragtruth", "--matcher", "lm"),
            "Did you mean 'llm'",
        ),
        (
            ("evaluate", "said.json", "--dataset", "ragtruth", "--matcher-model", "m"),
            "the offline matcher asks no model (--matcher-model)",
        ),
        (
            ("evaluate", "said.json", "--dataset", "ragtruth", "--matcher-prompt", "m.md"),
            "the offline matcher asks no model (--matcher-prompt)",
        ),
        (
            ("evaluate", "said.json", "--dataset", "ragtruth", "--reading", "ragtrut"),
            "Did you mean 'ragtruth'",
        ),
        (
            ("evaluate", "said.json", "--dataset", "ragtruth", "--matcher", "llm"),
            "no model is given",
        ),
        (("evaluate", "said.json", "--dataset", "ragtruth", "--sample", "0"), "not 0"),
        (
            ("evaluate", "said.json", "--dataset", "ragtruth", "--split", "dev"),
            "its splits: test",
        ),
        (
            ("evaluate", "run:x", "--dataset", "ragtruth", "--dataset", "defacto"),
            "a run is about one corpus",
        ),
        (("evaluate", "binary.json", "--dataset", "ragtruth"), "not what is wrong"),
        (("choose", "localize-zero", "--dataset", "ragtruth"), "no model is given"),
        (
            ("choose", "zero", "--dataset", "ragtruth", "--model", "m"),
            "localize-zero",
        ),
    ],
)
def test_bad_input_is_one_clear_line(
    folder: Path, arguments: tuple[str, ...], message: str
) -> None:
    write_verdicts(folder)
    said = json.loads((folder / "said.json").read_text(encoding="utf-8"))
    strange = {**said, "judgements": [{**said["judgements"][0], "example": "nobody"}]}
    (folder / "other.json").write_text(json.dumps(strange), encoding="utf-8")
    (folder / "plain.jsonl").write_text(
        json.dumps({"source": SOURCE, "response": GOOD}), encoding="utf-8"
    )
    only_whole = [{**each, "units": each["units"][:1]} for each in said["judgements"]]
    (folder / "binary.json").write_text(json.dumps({**said, "judgements": only_whole}), "utf-8")
    assert message in line_of(assay(*arguments))


def test_wrong_key_ends_with_one_line(folder: Path, server: Loopback) -> None:
    server.status = 401
    asked = ("--dataset", "ragtruth", "--model", "m", "--base-url", server.url)
    assert "does not accept the key" in line_of(assay("choose", "localize-zero", *asked))
