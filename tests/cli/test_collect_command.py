"""`assay collect`: asked, cut off, gone on with, and told what is lacking."""

import json
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.core.codec import read_example
from assay.core.examples import Annotated
from assay.datasets.conversion import read_converted
from tests.cli.conftest import Workplace, assay, line_of
from tests.cli.loopback import Body, question

TOLD = "The ferry sank in May, and nobody was hurt at all."
OUT = ("--out", "responses.jsonl")


def lines(name: str = "responses.jsonl") -> dict[str, Annotated]:
    text = Path(name).read_text(encoding="utf-8")
    found = [read_example(line) for line in text.splitlines()]
    return {each.id: each for each in found}


def made(each: Annotated) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads(each.example.original)["collected"]
    return fields


def document(*arguments: str, code: int = 0) -> dict[str, Any]:
    done = assay("collect", *arguments, *OUT, "--json", "--quiet")
    assert done.exit_code == code, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture
def place(work: Callable[..., Workplace]) -> Workplace:
    made = work(3)
    made.server.answer = lambda body: f"<think>Hm.</think>{TOLD}"
    return made


def test_every_model_responds_to_every_source(place: Workplace) -> None:
    found = document("data.jsonl", "--model", "m", "--model", "n", "--temperature", "0.3")
    assert list(lines()) == ["ex0/m", "ex0/n", "ex1/m", "ex1/n", "ex2/m", "ex2/n"]
    example = lines()["ex1/n"].example
    assert (example.source.text, example.source.id) == ("Cat 1 sat.", "ex1")
    assert (example.response.text, example.response.model) == (TOLD, "n")
    assert example.task == "summarize"
    fields = made(lines()["ex1/n"])
    assert fields["thinking"] == "Hm."
    assert fields["settings"] == {"model": "n", "temperature": 0.3, "max_tokens": 4096}
    assert fields["prompt"]["name"] == "summarize"
    assert len(fields["prompt"]["digest"]) == 16
    assert fields["finish"] == "stop"
    assert fields["at"]
    assert [each["responses"] for each in found["models"]] == [3, 3]
    assert found["lacking"] == 0


def test_another_model_is_asked_without_paying_for_the_first_again(place: Workplace) -> None:
    document("data.jsonl", "--model", "m")
    before = lines()
    document("data.jsonl", "--model", "m", "--model", "n")
    assert place.server.calls == 6
    assert {id: each for id, each in lines().items() if id.endswith("/m")} == before


def test_a_lost_file_is_made_again_from_the_journal(place: Workplace) -> None:
    document("data.jsonl", "--model", "m")
    Path("responses.jsonl").unlink()
    document("data.jsonl", "--model", "m")
    assert place.server.calls == 3
    assert made(lines()["ex0/m"])["kept"] is True


def test_models_of_a_file_have_settings_of_their_own(place: Workplace) -> None:
    seen: list[Body] = []
    place.server.answer = lambda body: seen.append(body) or TOLD  # type: ignore[func-returns-value]
    Path("models.toml").write_text(
        '[[model]]\nname = "cold"\nmodel = "m"\ntemperature = 0.0\nseed = 7\n\n'
        '[[model]]\nname = "warm"\nmodel = "m"\ntemperature = 0.9\nmax_tokens = 99\n',
        encoding="utf-8",
    )
    document("data.jsonl", "--models", "models.toml", "--sample", "1")
    assert {(each["temperature"], each.get("seed")) for each in seen} == {(0.0, 7), (0.9, None)}
    assert sorted(each.split("/")[1] for each in lines()) == ["cold", "warm"]
    warm = next(each for id, each in lines().items() if id.endswith("warm"))
    assert made(warm)["settings"] == {"model": "m", "temperature": 0.9, "max_tokens": 99}


def test_refusals_and_empty_replies_are_recorded_as_what_they_are(place: Workplace) -> None:
    said = {"0": "", "1": "Yes, it sat.", "2": "I'm sorry, but I can't help with this request."}
    place.server.answer = lambda body: next(
        text for number, text in said.items() if f"Cat {number} sat" in question(body)
    )
    (line,) = document("data.jsonl", "--model", "m")["models"]
    assert (line["responses"], line["empty"], line["refused"]) == (3, 1, 2)
    failures = [each.judgements[0].failures[0] for each in lines().values()]
    assert [each.reason for each in failures] == ["missing", "refused", "refused"]
    assert lines()["ex1/m"].judgements[0].author.name == "collect"


def test_what_failed_is_counted_and_asked_for_again(place: Workplace) -> None:
    place.server.answer = lambda body: TOLD
    place.server.status = 500
    done = assay("collect", "data.jsonl", "--model", "m", "--attempts", "1", *OUT, "--quiet")
    assert done.exit_code == 3, done.output
    assert "m has no response to 3 of 3 sources: ex0, ex1, ex2 (" in done.stderr
    assert "nothing" not in done.stdout
    assert not Path("responses.jsonl").exists()
    place.server.status = 200
    assert document("data.jsonl", "--model", "m", "--attempts", "1")["lacking"] == 0


def test_a_model_that_cannot_be_asked_does_not_stop_the_others(
    place: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("models.toml").write_text(
        '[[model]]\nmodel = "m"\n[[model]]\nname = "gone"\nmodel = "n"\n'
        'base_url = "http://127.0.0.1:9/v1"\n',
        encoding="utf-8",
    )
    done = assay("collect", "data.jsonl", "--models", "models.toml", "--attempts", "1", *OUT)
    assert done.exit_code == 2, done.output
    assert "gone has no response to 3 of 3 sources" in done.stderr
    assert list(lines()) == ["ex0/m", "ex1/m", "ex2/m"]


def test_budget_ends_it_with_what_is_there(place: Workplace) -> None:
    asked = ("--model", "m", "--concurrency", "1", "--budget-calls")
    done = assay("collect", "data.jsonl", *asked, "2", *OUT, "--quiet")
    assert done.exit_code == 2, done.output
    assert len(lines()) == 2
    assert "raise the budget, and the same command goes on (2 responses in" in done.stderr
    assert document("data.jsonl", *asked, "9")["lacking"] == 0
    assert place.server.calls == 3


def test_dry_run_sends_nothing_and_leaves_out_what_is_there(place: Workplace) -> None:
    document("data.jsonl", "--model", "m")
    asked = ("--model", "m", "--model", "n", "--dry-run", "--json")
    done = assay("collect", "data.jsonl", *asked, *OUT)
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert {name: each["examples"] for name, each in found.items()} == {"m": 0, "n": 3}
    assert place.server.calls == 3


def test_a_reply_that_was_cut_off_says_so(
    place: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.server.finish = "length"
    done = assay("collect", "data.jsonl", "--model", "m", *OUT, "--quiet")
    assert done.exit_code == 0, done.output
    assert "3 replies were cut off; --max-tokens allows longer ones" in done.stderr
    assert made(lines()["ex0/m"])["finish"] == "length"


def test_interrupted_work_is_written_and_goes_on(place: Workplace) -> None:
    place.write(40)
    place.server.delay = 0.05
    asked = ["collect", "data.jsonl", "--model", "m", "--concurrency", "2", *OUT, "--quiet"]
    process = place.start(*asked)
    while place.server.calls < 8 and process.poll() is None:
        pass
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130, said
    there = lines()
    assert 4 <= len(there) < 40
    assert f"interrupted: {len(there)} responses in responses.jsonl; the same" in said
    assert f"m has no response to {40 - len(there)} of 40 sources" in said
    place.server.wait_until_left()
    paid = place.server.calls
    place.server.delay = 0.0
    document("data.jsonl", "--model", "m")
    assert place.server.calls <= 40 + (paid - len(there))
    assert len(lines()) == 40
    assert {id: lines()[id] for id in there} == there


def test_responses_made_elsewhere_come_in_beside_those_asked_for(place: Workplace) -> None:
    rows = [{"source_id": "ex0", "reply": TOLD}, {"source_id": "ex2", "reply": ""}]
    Path("old.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    done = assay("collect", "data.jsonl", "--model", "m", "--replies", "old=old.jsonl", *OUT)
    assert done.exit_code == 3
    assert (
        "old has no response to 1 of 3 sources: ex1 (its file has no row for them)" in done.stderr
    )
    assert list(lines()) == ["ex0/m", "ex0/old", "ex1/m", "ex2/m", "ex2/old"]
    assert made(lines()["ex0/old"]) == {"task": "summarize", "file": "old.jsonl"}
    assert lines()["ex2/old"].judgements[0].failures[0].reason == "missing"


def test_people_read_a_table(place: Workplace) -> None:
    done = assay("collect", "data.jsonl", "--model", "m", *OUT)
    assert "responses to 3 sources in responses.jsonl" in done.stdout
    assert done.stdout.splitlines()[-1].split() == ["m", "3", "0", "0", "0", "0"]


REFUSED: list[tuple[list[dict[str, Any]], tuple[str, ...], str]] = [
    ([{"id": "a", "source": ""}], ("--model", "m"), "the source is empty"),
    ([{"id": "a", "text": "x"}], ("--model", "m"), "no source: none of"),
    (
        [{"id": "a", "source": "x"}, {"id": "a", "source": "y"}],
        ("--model", "m"),
        "the id 'a' appears twice, with another source each time",
    ),
    ([{"id": "a", "source": "x"}], ("--model", "m", "--task", "answer"), "'a' has no question"),
    ([{"id": "a", "source": "x"}], ("--model", "m", "--task", "overview"), "is not a JSON object"),
    ([{"id": "a", "source": "x"}], ("--model", "m", "--task", "sing"), "unknown task 'sing'"),
    ([{"id": "a", "source": "x"}], ("--model", "m", "--model", "m"), "two models are called 'm'"),
    (
        [{"id": "a", "source": "x"}],
        ("--model", "m", "--replies", "m=r.jsonl"),
        "two models are called 'm'",
    ),
    ([{"id": "a", "source": "x"}], ("--replies", "n=r.jsonl"), "r.jsonl: no such source: 'z'"),
    ([{"id": "z", "source": "x"}], ("--replies", "n=two.jsonl"), "a second response of n to"),
    ([{"id": "z", "source": "x"}], ("--replies", "n=bare.jsonl"), "no response: none of reply,"),
    ([{"id": "z", "source": "x"}], ("--replies", "r.jsonl"), "write NAME=FILE"),
    ([{"id": "a", "source": "x"}], (), "no model is named"),
    ([{"id": "a", "source": "x"}], ("--model", "m", "--prompt", "p"), "name the task as well"),
    ([{"id": "a", "source": "x"}], ("--models", "bad.toml"), "unknown setting 'heat'"),
    ([{"id": "a", "source": "x"}], ("--models", "none.toml"), "'model' is missing"),
    ([], ("--model", "m"), "data.jsonl has no sources"),
]


def test_what_is_neither_a_file_nor_a_corpus_is_told_so(tmp_path: Path) -> None:
    said = line_of(assay("collect", "nosuch", "--model", "m", "--out", f"{tmp_path}/r.jsonl"))
    assert said.startswith("no such file or corpus 'nosuch'.")


@pytest.mark.parametrize(("rows", "arguments", "message"), REFUSED)
def test_what_cannot_be_used_is_told_in_one_line(
    place: Workplace, rows: list[dict[str, Any]], arguments: tuple[str, ...], message: str
) -> None:
    Path("data.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    Path("r.jsonl").write_text('{"id": "z", "response": "x"}', encoding="utf-8")
    Path("two.jsonl").write_text('{"id": "z", "response": "x"}\n' * 2, encoding="utf-8")
    Path("bare.jsonl").write_text('{"id": "z", "said": "x"}', encoding="utf-8")
    Path("bad.toml").write_text('[[model]]\nmodel = "m"\nheat = 1\n', encoding="utf-8")
    Path("none.toml").write_text("[[model]]\ntemperature = 1.0\n", encoding="utf-8")
    assert message in line_of(assay("collect", "data.jsonl", *arguments, *OUT))
    assert place.server.calls == 0
    assert not Path("responses.jsonl").exists()


def test_an_output_that_cannot_be_written_is_told_before_anything_is_asked(
    place: Workplace,
) -> None:
    for out in ("no/such/folder.jsonl", "responses.txt", "data.jsonl"):
        line_of(assay("collect", "data.jsonl", "--model", "m", "--out", out))
    said = line_of(assay("collect", "data.jsonl", "--model", "m", "--out", "responses/"))
    assert said.endswith("end its name in .jsonl, .jsonl.gz, .parquet, .arrow or .feather (--out)")
    assert place.server.calls == 0


@pytest.mark.parametrize("out", ["r.parquet", "r.arrow", "r.jsonl.gz"])
def test_collection_in_another_form_goes_on(place: Workplace, out: str) -> None:
    document("data.jsonl", "--model", "m")
    done = assay("collect", "data.jsonl", "--model", "m", "--out", out, "--quiet")
    assert done.exit_code == 0, done.output
    before = [each for each in read_converted(out) if isinstance(each, Annotated)]
    assert [each.id for each in before] == ["ex0/m", "ex1/m", "ex2/m"]
    place.server.answer = lambda body: "The ferry sank, and it was in May of that year."
    done = assay("collect", "data.jsonl", "--model", "m", "--model", "n", "--out", out, "--quiet")
    assert done.exit_code == 0, done.output
    after = {each.id: each for each in read_converted(out) if isinstance(each, Annotated)}
    assert [after[f"ex{n}/m"] for n in range(3)] == before
    assert len(after) == 6
    wrong = line_of(assay("collect", "data.jsonl", "--model", "k", "--out", out))
    assert "which this command does not name" in wrong


def test_missing_package_is_told_before_anything_is_asked(
    place: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    said = line_of(assay("collect", "data.jsonl", "--model", "m", "--out", "r.parquet"))
    assert said.startswith("writing r.parquet needs an optional package")
    assert place.server.calls == 0


def test_another_collection_in_the_file_is_not_lost(place: Workplace) -> None:
    document("data.jsonl", "--model", "m")
    before = Path("responses.jsonl").read_bytes()
    for arguments, message in (
        (("--model", "n"), "has responses of 'm', which this command does not name"),
        (("--model", "m", "--temperature", "0.5"), "temperature 0.0, now 0.5"),
        (("--model", "m", "--sample", "1"), "no source of these"),
    ):
        assert message in line_of(assay("collect", "data.jsonl", *arguments, *OUT))
    Path("responses.jsonl").write_text('{"mine": 1}', encoding="utf-8")
    wrong = line_of(assay("collect", "data.jsonl", "--model", "m", *OUT))
    assert "something else than collected responses" in wrong
    Path("responses.jsonl").write_bytes(before)
    place.write(3, response="x", name="data.jsonl")
    rows = Path("data.jsonl").read_text(encoding="utf-8").replace("Cat 2", "Dog 2")
    Path("data.jsonl").write_text(rows, encoding="utf-8")
    wrong = line_of(assay("collect", "data.jsonl", "--model", "m", *OUT))
    assert "another text or question under the id 'ex2'" in wrong
    assert Path("responses.jsonl").read_bytes() == before


def test_a_folder_of_documents_is_read(place: Workplace) -> None:
    folder = Path("docs/old")
    folder.mkdir(parents=True)
    (folder / "a.txt").write_text("The ferry sank.", encoding="utf-8")
    (folder.parent / "b.md").write_text("# Bridge\n\nIt is blue.", encoding="utf-8")
    (folder.parent / "c.json").write_text('{"name": "Blue Door", "stars": 4}', encoding="utf-8")
    (folder.parent / "d.pdf").write_bytes(b"%PDF")
    (folder.parent / ".hidden.txt").write_text("no", encoding="utf-8")
    done = assay("collect", "docs", "--model", "m", *OUT)
    assert done.exit_code == 0, done.output
    assert "left out, since only .txt, .md, .json are read: d.pdf" in done.stderr
    tasks = {id: each.example.task for id, each in lines().items()}
    assert tasks == {"b/m": "summarize", "c/m": "overview", "old/a/m": "summarize"}
    assert lines()["c/m"].example.source.text == "name: Blue Door\nstars: 4"


def test_a_prompt_of_the_users_own_takes_the_place_of_ours(place: Workplace) -> None:
    text = "---\nname: mine\nversion: 3\ninputs: source\n---\n# user\nShorten it: $source\n"
    Path("mine.md").write_text(text, encoding="utf-8")
    asked = ("--model", "m", "--task", "summarize", "--prompt", "mine.md")
    document("data.jsonl", *asked)
    assert all(each.startswith("Shorten it: <<<SOURCE") for each in place.server.asked)
    assert made(lines()["ex0/m"])["prompt"]["name"] == "mine"
    Path("mine.md").write_text(text.replace("$source", "$sauce"), encoding="utf-8")
    assert "mine.md" in line_of(assay("collect", "data.jsonl", *asked, *OUT))


def test_settings_that_the_server_does_not_take_are_told_and_kept(place: Workplace) -> None:
    place.server.refuses = "temperature"
    done = assay("collect", "data.jsonl", "--model", "m", *OUT)
    assert "m: the server does not accept a temperature and uses its own" in done.stderr
    (told,) = made(lines()["ex0/m"])["adaptations"]
    assert "temperature" in told
