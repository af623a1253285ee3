"""`assay board build`: what it prints and writes, and what it refuses."""

import csv
import io
import json
from pathlib import Path

import pytest

from assay.core.codec import write_example
from assay.core.taxonomies import FAITHBENCH
from tests.board.making import F, U, annotated, response
from tests.cli.conftest import assay, line_of
from tests.cli.loopback import Loopback

BUILD = ("board", "build")
QUICK = ("--replicates", "20")


@pytest.fixture
def data(tmp_path: Path) -> str:
    """Responses of three LLMs to four sources, by people and by two recorded detectors."""
    labels = {"alpha": "consistent", "beta": "benign", "gamma": "unwanted"}
    path = tmp_path / "responses.jsonl"
    with path.open("wb") as file:
        for model, name in labels.items():
            for number in range(4):
                said = {
                    "gold": FAITHBENCH[name],
                    "d": U if model == "gamma" or number == 0 else F,
                    "e": U if model == "beta" else F,
                }
                task = "qa" if number % 2 else "summary"
                row = annotated(response(model, f"s{number}", task=task), said)
                file.write(write_example(row) + b"\n")
    return str(path)


def test_terminal_has_every_table(data: str) -> None:
    done = assay(*BUILD, data, "--title", "Three LLMs", "--by-task", "--own", "d=gamma", *QUICK)
    assert done.exit_code == 0, done.output
    for words in (
        "Three LLMs",
        "LLMs by hallucination rate: unwanted + questionable + benign",
        "By judge: unwanted",
        "By task: unwanted",
        "Rank correlation between judges",
        "The same responses by each judge",
        "4 (3)°",  # d on its own LLM
        "Labels by gold",
        "Errors of detectors by gold label, response level",
        "balanced accuracy",
    ):
        assert words in done.stdout, words


@pytest.mark.parametrize("option", ["--csv", "--markdown"])
def test_no_table_replaces_the_data(data: str, option: str) -> None:
    before = Path(data).read_bytes()
    assert "is an input and would be lost" in line_of(assay(*BUILD, data, option, data, *QUICK))
    assert Path(data).read_bytes() == before


def test_plain_rows_are_known_by_the_id_of_their_source(tmp_path: Path) -> None:
    rows = [
        {
            "id": f"{doc}/{model}",
            "source_id": doc,
            "source": f"The{' ' * n} ferry {doc} sails at nine in the morning.",
            "response": f"The ferry {doc} sails at nine, says {model}.",
            "model": model,
            "label": "faithful",
        }
        for n, model in enumerate(("alpha", "beta"), start=1)
        for doc in ("one", "two")
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    done = assay(*BUILD, str(path), "gold", *QUICK)
    assert "By gold; 2 sources" in done.stdout, done.stdout
    assert "100.0%" in done.stdout


def test_json_is_one_document(data: str) -> None:
    done = assay(*BUILD, data, "gold", "d", "--json", "--levels", "benign", *QUICK)
    document = json.loads(done.stdout)
    assert document["levels"][0]["name"] == "benign"
    first = document["rankings"][0]
    assert (first["judge"], first["level"], first["task"]) == ("gold", "benign", "")
    rates = {each["model"]: each["rate"]["value"] for each in first["standings"]}
    assert rates == {"alpha": 0, "beta": 1, "gamma": 1}


def test_csv_and_markdown_are_printed_or_written(data: str, tmp_path: Path) -> None:
    done = assay(*BUILD, data, "d", "--csv", "-", *QUICK)
    found = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [(row["model"], row["hallucinated"], row["judged"]) for row in found] == [
        ("alpha", "1", "4"),
        ("beta", "1", "4"),
        ("gamma", "4", "4"),
    ]
    target = tmp_path / "board.md"
    assert assay(*BUILD, data, "d", "--markdown", str(target), "--quiet", *QUICK).stdout == ""
    text = target.read_text(encoding="utf-8")
    assert text.startswith("# Hallucinations in ")
    assert "| LLM | rank | rate % |" in text


def test_site_is_written_with_the_responses(data: str, tmp_path: Path) -> None:
    folder = tmp_path / "site"
    done = assay(*BUILD, data, "--site", str(folder), "--quiet", *QUICK)
    assert done.exit_code == 0, done.output
    assert (folder / "index.html").is_file()
    assert json.loads((folder / "board.json").read_text(encoding="utf-8"))["models"]


def test_a_folder_with_something_else_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("x", encoding="utf-8")
    said = line_of(assay(*BUILD, "no-such-file.jsonl", "--site", str(tmp_path)))
    assert "something else" in said


def test_judges_to_run_are_estimated_and_nothing_is_sent(data: str) -> None:
    done = assay(*BUILD, data, "judge-simple", "--model", "openai/gpt-4o", "--dry-run")
    assert done.exit_code == 0, done.output
    assert "judge-simple" in done.stdout


def test_each_of_several_models_judges_by_itself(data: str, tmp_path: Path) -> None:
    server = Loopback()
    asked = ("judge-simple", "overlap", "--model", "openai/gamma", "--model", "openai/other")
    try:
        where = ("--base-url", server.url, "--runs", str(tmp_path / "runs"))
        done = assay(*BUILD, data, "gold", *asked, *where, "--json", *QUICK)
    finally:
        server.close()
    assert done.exit_code == 0, done.output
    judges = json.loads(done.stdout)["judges"]
    assert [each["name"] for each in judges] == [
        "gold",
        "judge-simple openai/gamma",
        "judge-simple openai/other",
        "overlap",
        "majority",
    ]
    assert [each["own"] for each in judges] == [[], ["gamma"], [], [], []]
    assert server.calls == 8  # four different questions to each


def test_a_judge_learns_from_peers_that_were_named(data: str, tmp_path: Path) -> None:
    peer = annotated(response("delta", "s0", "It sank."), {"gold": FAITHBENCH["unwanted"]})
    peers = tmp_path / "peers.jsonl"
    peers.write_bytes(write_example(peer))
    server = Loopback(lambda body: "It agrees.\n\nFinal classification: Consistent")
    try:
        where = ("--model", "openai/m", "--base-url", server.url, "--runs", str(tmp_path / "runs"))
        learning = (*BUILD, data, "gold", "faithjudge", "--peers", str(peers), *where, *QUICK)
        done = assay(*learning, "--json")
        assert done.exit_code == 0, done.output
        asked = server.calls
        again = assay(*learning, "--json")  # the run is there
        assert (again.exit_code, server.calls) == (0, asked)
    finally:
        server.close()
    # Only s0 has a peer; the three LLMs say the same of a source, and four questions are asked.
    shown = {question: "<<<PEER 1 " in question for question in server.asked}
    assert sorted(shown.values()) == [False, False, False, True]
    judges = json.loads(done.stdout)["judges"]
    assert [each["name"] for each in judges] == ["gold", "faithjudge openai/m"]


def test_several_models_are_several_judges(data: str) -> None:
    models = ("--model", "openai/gpt-4o", "--model", "openai/gpt-4o-mini")
    done = assay(*BUILD, data, "judge-simple", *models, "--dry-run")
    assert done.exit_code == 0, done.output
    assert "judge-simple openai/gpt-4o\n" in done.stdout
    assert "judge-simple openai/gpt-4o-mini\n" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--own", "nonsense"), "'nonsense' is not of the form JUDGE=LLM (--own)"),
        (("--own", "z=a"), "unknown judge 'z'"),
        (("--own", "d=nosuch"), "unknown LLM 'nosuch'. Choices: alpha, beta, gamma"),
        (("--levels", "worst"), "unknown level 'worst'"),
        (("--invalid", "x"), "unknown invalid 'x'"),
        (("--refusals", "x"), "unknown refusals 'x'"),
        (("--replicates", "0"), "replicates must be 1 or more, not 0"),
        (("nobody",), "unknown detector, recorded detector or reference"),
        (("--csv", "-", "--json"), "only one document can be printed"),
        (("--task", "x"), "has no task 'x'; its tasks: qa, summary"),
        (("d", "--peers", "p.jsonl"), "none of the detectors learns from peers; leave them out"),
        (("--peers", "p.jsonl"), "none of the detectors learns from peers; leave them out"),
    ],
)
def test_what_is_wrong_is_told_in_a_line(
    data: str, arguments: tuple[str, ...], message: str
) -> None:
    assert message in line_of(assay(*BUILD, data, *arguments))


def test_second_responses_are_refused_with_what_can_be_done(tmp_path: Path) -> None:
    path = tmp_path / "twice.jsonl"
    rows = [annotated(response("a", "s"), {"d": F}) for _ in range(2)]
    lines = (write_example(row).replace(b'"a/s/"', b'"%d"' % at) for at, row in enumerate(rows))
    path.write_bytes(b"\n".join(lines))
    said = line_of(assay(*BUILD, str(path)))
    assert "--duplicates first takes the first of each" in said
    assert assay(*BUILD, str(path), "--duplicates", "first").exit_code == 0


def test_common_sources_only(tmp_path: Path) -> None:
    path = tmp_path / "some.jsonl"
    rows = [annotated(response("a", f"s{n}"), {"d": U}) for n in range(3)]
    rows += [annotated(response("b", "s0"), {"d": F})]
    path.write_bytes(b"\n".join(map(write_example, rows)))
    whole = assay(*BUILD, str(path))
    assert "note: the LLMs were judged on unequally many responses: 1 to 3 by d" in whole.stdout
    done = json.loads(assay(*BUILD, str(path), "--common", "--json").stdout)
    assert [each["judged"] for each in done["rankings"][0]["standings"]] == [1, 1]
