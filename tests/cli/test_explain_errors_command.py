"""`assay explain-errors` on a small corpus, with a server on loopback."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from tests.cli import conftest
from tests.cli.conftest import line_of
from tests.cli.ferries import make_folder
from tests.cli.loopback import Body, Loopback, question

ALARM = {
    "quotes": ["twice a day"],
    "evidence": [],
    "description": "The response does not mention the passengers of last year.",
    "category": "extrinsic-wrong",
}
COLOUR = {
    "quotes": ["green"],
    "evidence": [],
    "description": "The response calls the ferry green, and the source names no colour.",
    "category": "extrinsic-wrong",
}


def answering(body: Body) -> str:
    """A judge that misses the red ferry, notices a green one, and complains about an omission."""
    system, text = body["messages"][0]["content"], question(body)
    if "The words to replace" in text:
        return json.dumps({"reason": "It is red.", "alternatives": ["green"]})
    if "Write a question" in system:
        return json.dumps({"question": "Of what colour is the ferry?", "answer": "Red."})
    if "A: CORRECT" in text or "A: INCORRECT" in text:
        return "A" if "A: CORRECT" in text else "B"
    if "People noted an error" in system:
        return json.dumps({"reason": "It was added.", "label": "extrinsic-correct"})
    if "Somebody complained" in system:
        return json.dumps({"reason": "It is left out.", "label": "omission"})
    found = [COLOUR] if "green" in text else [] if "The red ferry" in text else [ALARM]
    return json.dumps({"reasoning": "", "inconsistencies": found})


@pytest.fixture
def server() -> Iterator[Loopback]:
    made = Loopback(answering)
    yield made
    made.close()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Loopback) -> Path:
    """A working folder with a corpus of four responses and a run of a localizer."""
    place = make_folder(tmp_path, monkeypatch)
    asked = ("--model", "judge", "--base-url", server.url, "--quiet", "--name", "cot")
    done = conftest.assay("run", "ragtruth", "--detector", "localize-cot", *asked)
    assert done.exit_code == 0, done.output
    return place


def explain(*arguments: str) -> Result:
    return conftest.assay("explain-errors", *arguments)


def document(*arguments: str, code: int = 0) -> dict[str, Any]:
    done = explain("run:cot", "--dataset", "ragtruth", *arguments, "--json")
    assert done.exit_code == code, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write(path: Path, records: list[dict[str, Any]]) -> None:
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")


def said_by(line: dict[str, Any], name: str) -> dict[str, Any]:
    """The judgement of an example by an author; the form is by nobody yet."""
    return next(each for each in line["judgements"] if each["author"]["name"] == name)


def answers(line: dict[str, Any], label: str, menu: str, note: str = "") -> dict[str, Any]:
    """The line with an answer of Ann to its first error."""
    (unit, *_) = line["judgements"][0]["units"]
    verdict = {"label": {"taxonomy": menu, "label": label}, "note": note}
    author = {"name": "ann", "kind": "person"}
    mine = {"example": line["id"], "author": author, "units": [{**unit, "verdict": verdict}]}
    kept = [each for each in line["judgements"] if each["author"]["name"]]
    return {**line, "judgements": [*kept, mine]}


def of_missed(folder: Path) -> list[dict[str, Any]]:
    """The lines of examples with a missed error, as a report without a model writes them."""
    document("--out", "errors.jsonl")
    written = lines(folder / "errors.jsonl")
    return [line for line in written if line["judgements"][0]["author"]["name"] == "gold"]


def test_without_a_model_errors_are_listed_for_people(folder: Path, server: Loopback) -> None:
    calls = server.calls
    found = document("--out", "errors.jsonl")
    # Responses 1 and 3 have an error that is missed; the gold itself knows that it is true. The
    # complaints about 0 and 2 are invented, and nobody has explained them yet.
    assert found["found"] == {"missed": 2, "invented": 2}
    assert found["missed"]["decided_by"] == {"gold": 2}
    assert (found["invented"]["open"], found["invented"]["decided"]) == (2, 0)
    assert server.calls == calls
    written = lines(folder / "errors.jsonl")
    authors = [[each["author"]["name"] for each in line["judgements"]] for line in written]
    # The form is by nobody yet.
    assert authors == [["localize-cot judge", ""], ["gold", ""]] * 2
    assert "verdict" not in said_by(written[0], "")["units"][0]


def test_model_explains_and_people_override_it(folder: Path, server: Loopback) -> None:
    asked = ("--model", "explainer", "--base-url", server.url)
    found = document(*asked, "--out", "errors.jsonl")
    omission = found["invented"]["categories"]["omission"]
    assert (omission["count"], omission["share"]["value"], omission["share"]["n"]) == (2, 1.0, 2)
    written = lines(folder / "errors.jsonl")
    proposed = said_by(written[0], "explainer")["units"][0]["verdict"]
    assert (proposed["label"], proposed["note"]) == ("omission", "It is left out.")
    form = said_by(written[0], "")["units"][0]["verdict"]
    assert (form["label"], form["attributes"]) == ("omission", {"decision": "open"})
    calls = server.calls
    filled = [answers(written[0], "overly-literal", "falsealarm5", "Look again."), *written[1:]]
    write(folder / "filled.jsonl", filled)
    again = document("--answers", "filled.jsonl", "--out", "again.jsonl")
    assert again["invented"]["decided_by"] == {"people": 1, "model": 1}
    assert again["invented"]["categories"]["overly-literal"]["by_people"] == 1
    assert server.calls == calls  # what was proposed before is not paid for again
    mine = said_by(lines(folder / "again.jsonl")[0], "ann")["units"][0]["verdict"]
    assert mine["note"] == "Look again."


def test_tables_tell_shares_and_who_decided(folder: Path, server: Loopback) -> None:
    done = explain("run:cot", "--dataset", "ragtruth", "--model", "m", "--base-url", server.url)
    assert done.exit_code == 0, done.output
    assert "2 missed, 2 invented" in done.stdout
    # The model also looks at the errors for which the gold has a category.
    assert "assay: 4 calls, 480 tokens, cost unknown" in done.stderr
    assert "2 of 2 decided (2 by gold)" in done.stdout
    assert "2 of 2 decided (2 by model)" in done.stdout
    assert "1.000 [0.342, 1.000] n=2" in done.stdout


def test_p_true_asks_the_model_of_the_run_what_it_believes(folder: Path, server: Loopback) -> None:
    asked = ("--model", "explainer", "--base-url", server.url, "--p-true", "--repeat", "2")
    found = document(*asked, "--out", "errors.jsonl")
    # The model says "correct" in both orders, so it believes both additions.
    assert found["p_true"]["extrinsic-correct"]["mean"]["value"] == 1.0
    assert found["p_true"]["extrinsic-correct"]["mean"]["n"] == 2
    believed = [said_by(lines(folder / "errors.jsonl")[n], "p-true judge") for n in (1, 3)]
    assert [each["units"][0]["text"] for each in believed] == ["Red."] * 2
    assert found["p_true"]["extrinsic-correct"]["questions_by"] == {"model": 2}
    assert found["p_true"]["extrinsic-correct"]["scores"] == [1.0, 1.0]
    assert [each["units"][0]["verdict"]["score"] for each in believed] == [1.0, 1.0]
    asked_about = [n for text, n in server.asked.items() if "A: CORRECT" in text]
    assert sum(asked_about) == 2  # both questions are the same, which is asked twice


def test_p_true_asks_with_a_prompt_of_the_user(folder: Path, server: Loopback) -> None:
    header = "---\nname: mine\nversion: 1\ninputs: question, answer, first, second\n"
    asking = "Is this right?\n$question\n$answer\nA: $first\nB: $second\n"
    path = folder / "belief.md"
    path.write_text(f"{header}texts: plain\n---\n# user\n{asking}", encoding="utf-8")
    asked = ("--model", "explainer", "--base-url", server.url, "--p-true", "--repeat", "2")
    found = document(*asked, "--p-true-prompt", str(path), "--out", "errors.jsonl")
    assert found["p_true"]["extrinsic-correct"]["mean"]["value"] == 1.0
    assert any(text.startswith("Is this right?") for text in server.asked)
    assert said_by(lines(folder / "errors.jsonl")[1], "p-true [mine] judge")


def test_p_true_counts_answers_where_the_server_tells_no_probabilities(
    folder: Path, server: Loopback
) -> None:
    server.refuses = "logprobs"
    asked = ("--model", "explainer", "--base-url", server.url, "--p-true", "--repeat", "2")
    found = document(*asked, "--out", "errors.jsonl")
    assert found["p_true"]["extrinsic-correct"]["mean"]["value"] == 1.0
    believed = [said_by(lines(folder / "errors.jsonl")[n], "p-true judge") for n in (1, 3)]
    notes = [each["units"][0]["verdict"]["note"] for each in believed]
    assert all("the share of answers, 4 in all" in note for note in notes)


def test_stopped_analysis_goes_on_from_its_cache(folder: Path, server: Loopback) -> None:
    asked = ("--model", "m", "--base-url", server.url, "--counterfactual", "--cache", "kept.db")
    first = document(*asked)
    server.status = 500
    assert document(*asked) == first


def test_counterfactual_asks_the_judge_of_the_run_again(folder: Path, server: Loopback) -> None:
    asked = ("--model", "explainer", "--base-url", server.url, "--counterfactual")
    test = document(*asked)["counterfactual"]
    assert (test["targets"], test["before"]["value"], test["after"]["value"]) == (2, 0.0, 1.0)
    assert (test["after"]["n"], test["after_missed"]["value"]) == (2, 1.0)
    trial = test["trials"][0]
    assert (trial["words"], trial["alternatives"]) == (["red"], ["green"])
    assert trial["response"] == "The green ferry crosses the strait twice a day."
    done = explain("run:cot", "--dataset", "ragtruth", *asked)
    assert "found once false, of those missed before" in done.stdout


def test_file_says_how_its_detector_can_be_asked_again(folder: Path, server: Loopback) -> None:
    conftest.assay("runs", "export", "cot", "--out", "said.json")
    asked = ("--model", "explainer", "--base-url", server.url, "--counterfactual")
    done = explain("said.json", "--dataset", "ragtruth", *asked, "--json")
    assert done.exit_code == 0, done.output
    test = json.loads(done.stdout)["counterfactual"]
    assert (test["before"]["value"], test["after"]["value"]) == (0.0, 1.0)


def test_answer_to_an_error_that_is_not_there_is_refused(folder: Path) -> None:
    line = answers(of_missed(folder)[0], "extrinsic-wrong", "final4")
    line["judgements"][-1]["units"][0]["text"] = "Something else."
    write(folder / "filled.jsonl", [line])
    done = explain("run:cot", "--dataset", "ragtruth", "--answers", "filled.jsonl")
    assert "'Something else.' is none of the errors that are found now" in line_of(done)


def test_sentence_detector_is_explained_by_its_labels(folder: Path) -> None:
    done = explain("overlap", "--dataset", "ragtruth", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert (found["level"], found["units"], found["matcher"]) == ("sentence", 4, "")


def test_detector_is_asked_once_about_each_response_and_again_about_changed_ones(
    folder: Path, server: Loopback
) -> None:
    def label(body: Body) -> str:
        if "The words to replace" in question(body) or "People noted an error" in str(body):
            return answering(body)
        return json.dumps({"reason": "", "label": "faithful"})

    server.answer = label
    calls = server.calls
    asked = ("--model", "m", "--base-url", server.url, "--counterfactual", "--json")
    done = explain("judge-simple", "--dataset", "ragtruth", *asked)
    assert done.exit_code == 0, done.output
    test = json.loads(done.stdout)["counterfactual"]
    assert (test["before"]["n"], test["after"]["value"]) == (2, 0.0)
    # Four responses, an explanation and new words for two of them, and the two changed responses.
    assert server.calls - calls == 10


def test_words_that_were_not_proposed_are_told_with_the_reply(
    folder: Path, server: Loopback
) -> None:
    server.answer = lambda body: "Hm." if "to replace" in question(body) else answering(body)
    asked = ("--model", "m", "--base-url", server.url, "--counterfactual")
    test = document(*asked, code=3)["counterfactual"]
    assert test["proposal_failures"] == {"parse": 2}
    assert [(each["example"], each["raw"]) for each in test["without_words"]] == [
        ("1", "Hm."),
        ("3", "Hm."),
    ]


def test_p_true_says_where_there_is_nothing_to_ask(folder: Path, server: Loopback) -> None:
    filled = [answers(line, "intrinsic-alteration", "final4") for line in of_missed(folder)]
    write(folder / "filled.jsonl", filled)
    asked = ("--model", "m", "--base-url", server.url, "--p-true", "--answers", "filled.jsonl")
    done = explain("run:cot", "--dataset", "ragtruth", *asked)
    assert "no missed error is known to be an addition" in done.stdout


def test_answers_outside_the_sample_are_not_lost_in_silence(folder: Path) -> None:
    filled = [answers(line, "extrinsic-wrong", "final4") for line in of_missed(folder)]
    write(folder / "filled.jsonl", filled)
    done = explain("run:cot", "--dataset", "ragtruth", "--answers", "filled.jsonl", "--sample", "1")
    assert "1 answers are about errors outside the sample" in line_of(done)


def test_answers_that_cannot_be_read_are_told_before_anybody_is_asked(
    folder: Path, server: Loopback
) -> None:
    calls = server.calls
    asked = ("--model", "m", "--base-url", server.url, "--answers", "none.jsonl")
    done = explain("judge-simple", "--dataset", "ragtruth", *asked)
    assert "cannot read none.jsonl" in line_of(done)
    assert server.calls == calls


def test_run_whose_prompt_was_changed_since_is_not_asked_again(
    folder: Path, server: Loopback
) -> None:
    prompt = "---\nname: mine\nversion: 1\ninputs: source, response\n---\n# user\n$source $response"
    (folder / "mine.md").write_text(prompt, encoding="utf-8")
    asked = ("--model", "judge", "--base-url", server.url, "--quiet", "--name", "mine")
    server.answer = lambda body: json.dumps({"reason": "", "label": "faithful"})
    made = conftest.assay("run", "ragtruth", "--detector", "judge-simple:prompt=mine.md", *asked)
    assert made.exit_code == 0, made.output
    (folder / "mine.md").write_text(f"{prompt} Be strict.", encoding="utf-8")
    again = ("--model", "m", "--base-url", server.url, "--counterfactual")
    done = explain("run:mine", "--dataset", "ragtruth", *again)
    assert "its prompt 'mine' has changed since" in line_of(done)


def test_prompt_of_the_matcher_can_be_another(folder: Path, server: Loopback) -> None:
    header = "---\nname: mine\nversion: 1\ninputs: gold, predicted\nreply: map\n---\n"
    (folder / "m.md").write_text(f"{header}# user\nPair $gold and $predicted.\n", "utf-8")

    def pairing(body: Body) -> str:
        if "Pair <<<GOLD" in str(body):
            return '{"A": null}'
        return json.dumps({"reasoning": "", "inconsistencies": [ALARM]})

    server.answer = pairing
    asked = ("--model", "judge", "--base-url", server.url, "--quiet", "--name", "alarms")
    assert conftest.assay("run", "ragtruth", "--detector", "localize-cot", *asked).exit_code == 0
    matched = ("--matcher", "llm", "--matcher-model", "m", "--matcher-prompt", "m.md")
    explain("run:alarms", "--dataset", "ragtruth", *matched, "--base-url", server.url)
    assert sum(each.startswith("Pair <<<GOLD") for each in server.asked) > 0


def test_sample_explains_so_many_of_each_side(folder: Path, server: Loopback) -> None:
    found = document("--sample", "1")
    assert (found["missed"]["errors"], found["invented"]["errors"]) == (1, 1)
    assert found["found"] == {"missed": 2, "invented": 2}


def test_unreadable_explanations_are_failures(folder: Path, server: Loopback) -> None:
    server.answer = lambda body: "Hm."
    found = document("--model", "m", "--base-url", server.url, code=3)
    assert found["invented"]["failures"] == {"parse": 2}


def test_detector_that_judges_the_whole_corpus_for_a_sample_says_so(folder: Path) -> None:
    done = explain("overlap", "--dataset", "ragtruth", "--sample", "1")
    assert done.stderr.count("overlap first judges all examples to find its errors") == 1
    assert "first judges" not in explain("overlap", "--dataset", "ragtruth").stderr
    assert "first judges" not in explain("run:cot", "--dataset", "ragtruth", "--sample", "1").stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run:cot",), "name one with --dataset"),
        (("run:cat", "--dataset", "ragtruth"), "Did you mean 'cot'"),
        (
            ("run:cot", "--dataset", "ragtruth", "--p-true"),
            "P(True) asks a model, and none is given; choose one with --model PROVIDER/MODEL",
        ),
        (
            ("run:cot", "--dataset", "ragtruth", "--counterfactual"),
            "the counterfactual test asks a model, and none is given",
        ),
        (("run:cot", "--dataset", "ragtruth", "--sample", "0"), "not 0"),
        (("run:cot", "--dataset", "ragtruth", "--reading", "ragtrut"), "Did you mean 'ragtruth'"),
        (
            ("run:cot", "--dataset", "ragtruth", "--model", "m", "--p-true", "--repeat", "0"),
            "1 or more, not 0",
        ),
        (
            ("run:cot", "--dataset", "ragtruth", "--model", "m", "--p-true-prompt", "no.md"),
            "P(True) is not asked for (--p-true)",
        ),
        (
            (
                *("run:cot", "--dataset", "ragtruth", "--model", "m"),
                *("--p-true", "--p-true-prompt", "no.md"),
            ),
            "cannot read the prompt no.md",
        ),
        (("run:cot", "--dataset", "ragtruth", "--matcher", "lm"), "'llm'"),
        (("run:cot", "--dataset", "ragtruth", "--answers", "no.jsonl"), "no.jsonl"),
        (
            ("run:cot", "--dataset", "ragtruth", "--answers", "in.jsonl", "--out", "in.jsonl"),
            "would be lost",
        ),
        (
            ("run:cot", "--dataset", "ragtruth", "--answers", "in.jsonl"),
            "in.jsonl line 1: the line is damaged",
        ),
        (
            ("run:cot", "--dataset", "ragtruth", "--out", "none/x.jsonl"),
            "cannot write none/x.jsonl",
        ),
        (("overlp", "--dataset", "ragtruth"), "'overlap'"),
    ],
)
def test_bad_input_is_one_clear_line(
    folder: Path, arguments: tuple[str, ...], message: str
) -> None:
    write(folder / "in.jsonl", [{"id": "x"}])
    assert message in line_of(explain(*arguments))


def test_wrong_key_ends_with_one_line(folder: Path, server: Loopback) -> None:
    server.status = 401
    done = explain("run:cot", "--dataset", "ragtruth", "--model", "m", "--base-url", server.url)
    assert "does not accept the key" in line_of(done)
