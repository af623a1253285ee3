"""`assay run` against a real server on loopback."""

import gc
import json
from collections.abc import Callable

import pytest

from assay.app.runs import RunSummary, seldom_collecting
from assay.cli.runs import _next_commands
from assay.core.judgements import Author, Manifest
from assay.core.results import Totals
from tests.cli.conftest import Workplace, error_of, line_of
from tests.cli.loopback import FAITHFUL, Body, Loopback, question

Work = Callable[..., Workplace]
NAME = "data--judge-simple--m"
PRICES = '["m"]\ninput = 1.0\noutput = 10.0\n'  # dollars for a million tokens
CALL = (100 * 1.0 + 20 * 10.0) / 1e6  # what a call to the server on loopback costs


def ids(document: dict[str, list[dict[str, str]]]) -> list[str]:
    return [each["example"] for each in document["judgements"]]


def test_run_judges_every_example_once_and_says_what_comes_next(work: Work) -> None:
    place = work(20)
    done = place.run(quiet=False)
    assert done.exit_code == 0
    assert "20 responses" in done.stdout
    assert "20 faithful" in done.stdout
    assert "coverage 100.0%, 0 failures" in done.stdout
    assert "20 paid, 0 from the cache" in done.stdout
    assert f"assay runs export {NAME}" in done.stdout
    assert "--retry-failures" not in done.stdout
    assert place.server.calls == 20
    assert ids(place.export()) == [f"ex{n}" for n in range(20)]


@pytest.mark.parametrize(
    ("data", "folder", "expected"),
    [
        ("qags", None, ["assay evaluate run:mine --dataset qags"]),
        ("qags", "my corpora", ["assay evaluate run:mine --dataset qags --data 'my corpora'"]),
        ("leaderboard", None, []),  # it has no labels of people
        ("answers.jsonl", None, []),
    ],
)
def test_evaluation_is_suggested_only_where_it_is_possible(
    data: str, folder: str | None, expected: list[str]
) -> None:
    manifest = Manifest(Author("overlap"), dataset=data)
    summary = RunSummary("mine", "", "complete", manifest, Totals(), {}, ())
    assert _next_commands(summary, None, folder)[1:] == expected


def test_run_leaves_the_collecting_of_garbage_as_it_was(work: Work) -> None:
    before = (gc.get_threshold(), gc.get_freeze_count())
    assert work(2).run().exit_code == 0
    assert (gc.get_threshold(), gc.get_freeze_count()) == before
    with seldom_collecting():
        assert gc.get_threshold()[0] == 20_000
        assert gc.get_freeze_count() > 0


def test_sums_are_one_json_document(work: Work) -> None:
    place = work(5)
    (place.folder / "prices.toml").write_text(PRICES, encoding="utf-8")
    done = place.run("--json", "--prices", "prices.toml", "--model-seed", "3")
    document = json.loads(done.stdout)
    assert document["name"] == "data--judge-simple--m"
    assert (document["done"], document["total"]) == (5, 5)
    assert document["labels"] == {"faithful": 5}
    assert (document["failures"], document["coverage"]) == ({}, 1.0)
    assert document["usage"]["calls"] == 5
    assert document["usage"]["cost"] == pytest.approx(5 * CALL)
    run = document["manifest"]
    assert run["parameters"]["seed"] == 3
    assert run["parameters"]["base_url"] == place.server.url
    assert set(run["prompt_digests"]) == {"judge-simple"}
    assert len(run["dataset_digest"]) == 32


def test_units_without_a_verdict_are_counted_by_reason_and_exit_code_3(work: Work) -> None:
    place = work(6)
    place.server.answer = lambda body: "no idea" if "Cat 3" in question(body) else FAITHFUL
    done = place.run(quiet=False)
    assert done.exit_code == 3
    assert "1 failure (parse 1)" in done.stdout
    assert "assay: no verdict for 1 response (parse 1)\n" in done.stderr
    failure = place.export()["judgements"][3]["units"][0]["failure"]
    assert (failure["reason"], failure["raw"]) == ("parse", "no idea")


def test_sample_is_judged_and_is_the_same_again(work: Work) -> None:
    place = work(50)
    place.run("--sample", "7", "--seed", "1", "--name", "one")
    place.run("--sample", "7", "--seed", "1", "--name", "two")
    place.run("--sample", "7", "--seed", "2", "--name", "three")
    one, two, three = (ids(place.export(name)) for name in ("one", "two", "three"))
    assert len(one) == 7
    assert one == two != three


def test_seed_of_the_sample_is_not_sent_to_the_model(work: Work) -> None:
    place = work(5)
    sent: list[Body] = []

    def answer(body: Body) -> str:
        sent.append(body)
        return FAITHFUL

    place.server.answer = answer
    place.run("--sample", "2", "--seed", "1", "--name", "one")
    assert ["seed" in body for body in sent] == [False, False]
    place.run("--sample", "1", "--model-seed", "7", "--name", "two")
    assert sent[-1]["seed"] == 7


def test_run_that_exists_says_how_far_it_is_and_what_can_be_done(work: Work) -> None:
    place = work(4)
    place.run()
    message = error_of(place.run())
    assert f"the run '{NAME}' exists, 4 of 4 examples are judged" in message
    assert all(each in message for each in ("--name NAME", "assay runs delete NAME"))
    assert "--resume" not in message
    assert place.server.calls == 4


def test_resume_of_a_complete_run_asks_nothing(work: Work) -> None:
    place = work(4)
    place.run()
    assert place.run("--resume").exit_code == 0
    assert place.server.calls == 4


def test_resume_without_a_run_says_so(work: Work) -> None:
    place = work(4)
    assert f"there is no run '{NAME}'" in error_of(place.run("--resume"))
    assert not (place.folder / "assay-runs").exists()


def test_resume_names_exactly_what_changed(work: Work) -> None:
    place = work(4)
    place.run("--temperature", "0", "--name", "mine")
    message = error_of(place.run("--temperature", "0.5", "--name", "mine", "--resume"))
    assert message.splitlines()[1:-1] == ["  temperature: 0.0 -> 0.5"]
    place.write(5)
    message = error_of(place.run("--name", "mine", "--resume"))
    changed = [line.split(":")[0].strip() for line in message.splitlines()[1:-1]]
    assert changed == ["dataset digest", "examples"]
    assert "examples: 4 -> 5" in message
    assert place.server.calls == 4


def test_resume_refuses_a_changed_prompt_and_names_it(work: Work) -> None:
    place = work(3)
    prompt = place.folder / "mine.md"
    text = "---\nname: mine\nversion: 1\ninputs: labels, source, response\n---\n# user\n{}"
    prompt.write_text(text.format("$labels $source $response"), encoding="utf-8")
    detector = "judge-simple:prompt=mine.md"
    assert place.run(detector=detector).exit_code == 0
    prompt.write_text(text.format("Now: $labels $source $response"), encoding="utf-8")
    message = error_of(place.run("--resume", detector=detector))
    (line,) = message.splitlines()[1:-1]
    assert line.startswith("  prompt mine: ")
    assert " -> " in line


def test_budget_stops_the_run_and_more_of_it_goes_on(work: Work) -> None:
    place = work(10)
    done = place.run("--budget-calls", "4", "--concurrency", "2")
    assert done.exit_code == 2
    assert "the budget is used up: 4 of 4 calls made" in done.stderr
    assert "raise the budget and go on with --resume" in done.stderr
    assert "4 of 10 examples are judged and kept" in done.stderr
    assert place.server.calls == 4
    same = place.run("--budget-calls", "4", "--resume")
    assert (same.exit_code, place.server.calls) == (2, 4)
    more = place.run("--budget-calls", "10", "--resume")
    assert (more.exit_code, place.server.calls) == (0, 10)


def test_money_of_all_sessions_counts_for_the_budget(work: Work) -> None:
    place = work(10)
    (place.folder / "prices.toml").write_text(PRICES, encoding="utf-8")
    money = ("--prices", "prices.toml", "--max-tokens", "20", "--concurrency", "1", "--json")
    first = json.loads(place.run(*money, "--budget-usd", "0.004").stdout)
    assert 0 < first["done"] < 10
    assert first["usage"]["cost"] <= 0.004
    second = json.loads(place.run(*money, "--budget-usd", "0.01", "--resume").stdout)
    assert second["usage"]["cost"] == pytest.approx(CALL * second["done"])
    assert second["usage"]["calls"] == place.server.calls == second["done"]


def test_retry_failures_asks_only_what_failed_and_not_the_kept_reply(work: Work) -> None:
    place = work(5, response="Cat {n} sat. Cat {n} ran.")
    seven = json.dumps({"reason": "so", "label": "explicitly-supported"})
    place.server.answer = lambda body: "no idea" if "ran." in last_sentence(body) else seven
    assert place.run(detector="judge-gray7").exit_code == 3
    before = place.server.calls
    place.server.answer = lambda body: seven
    place.server.asked.clear()
    done = place.run("--retry-failures", detector="judge-gray7")
    assert done.exit_code == 0
    assert before == 5 + 2 * 5  # the unreadable ones were asked for twice
    assert place.server.calls == 5
    document = place.export("data--judge-gray7--m")
    units = [unit for each in document["judgements"] for unit in each["units"]]
    labels = [unit["verdict"]["label"] for unit in units]
    assert labels == ["explicitly-supported"] * 10


def last_sentence(body: Body) -> str:
    """The sentence that a question of judge-gray7 is about."""
    return question(body).rsplit("<<<SENTENCE", 1)[-1]


def test_replies_that_came_in_are_not_paid_for_again(work: Work) -> None:
    place = work(3, response="Cat {n} sat. Cat {n} ran.")
    seven = json.dumps({"reason": "so", "label": "explicitly-supported"})
    place.server.answer = lambda body: seven
    # Three calls are one example and a half: the half is not kept, but its reply is.
    cut = place.run("--budget-calls", "3", "--concurrency", "1", detector="judge-gray7")
    assert "1 of 3 examples are judged" in cut.stderr
    done = place.run("--resume", "--json", detector="judge-gray7")
    assert place.server.calls == 6
    usage = json.loads(done.stdout)["usage"]
    assert (usage["calls"], usage["cached"]) == (6, 1)


def test_users_cache_is_not_paid_for_again(work: Work) -> None:
    place = work(6)
    place.run("--cache", "kept.sqlite", "--name", "one")
    done = place.run("--cache", "kept.sqlite", "--name", "two", "--json")
    usage = json.loads(done.stdout)["usage"]
    assert (usage["calls"], usage["cached"], place.server.calls) == (0, 6, 6)


def test_several_models_and_samples_vote(work: Work) -> None:
    place = work(3)
    done = place.run("--model", "other", "--votes", "2", "--json")
    document = json.loads(done.stdout)
    assert document["name"].endswith("--judge-simple--m+other")
    assert place.server.calls == 3 * 2 * 2
    assert document["manifest"]["votes"] == 2
    assert any(value == 0.7 for value in document["manifest"]["parameters"].values())
    (unit,) = place.export(document["name"])["judgements"][0]["units"]
    note = unit["verdict"]["note"]
    assert note.startswith("4 of 4 agree.")


def test_several_models_share_one_budget(work: Work) -> None:
    place = work(10)
    place.run("--model", "other", "--budget-calls", "5")
    assert place.server.calls == 5


def test_dry_run_needs_no_key_sends_nothing_and_writes_nothing(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name)
    place = work(8)
    asked = ("--detector", "judge-simple", "--model", "openai/gpt-4o", "--sample", "5")
    done = place.assay("run", "data.jsonl", *asked, "--dry-run", "--json")
    estimate = json.loads(done.stdout)["judge-simple"]
    assert estimate["examples"] == 5
    model = estimate["models"]["openai/gpt-4o"]
    assert model["calls"] == 5
    assert 0 < model["low"] < model["expected"] < model["high"]
    words = place.assay("run", "data.jsonl", *asked, "--dry-run").stdout
    assert "expected" in words
    assert sorted(path.name for path in place.folder.iterdir()) == ["data.jsonl"]
    assert place.server.calls == 0


def test_detector_that_asks_nobody_is_run_and_costs_nothing(work: Work) -> None:
    place = work(6)
    dry = place.assay("run", "data.jsonl", "--detector", "overlap", "--dry-run")
    assert "the detector asks no model" in dry.stdout
    done = place.assay("run", "data.jsonl", "--detector", "overlap")
    assert done.exit_code == 0
    assert "6 sentences in 6 responses" in done.stdout
    assert "cost" not in done.stdout
    assert ids(place.export("data--overlap")) == [f"ex{n}" for n in range(6)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--dry-run", "--resume"], "--dry-run is for a run from its beginning"),
        (["--sample", "0"], "a sample has 1 example or more, not 0 (--sample)"),
        (["--votes", "0"], "votes must be 1 or more, not 0 (--votes)"),
        (["--model", "m"], "the model m is given twice"),
        (["--budget-usd", "0"], "budget_usd must be more than 0, not 0"),
        (["--budget-usd", "1"], "for 'm'; give it with --prices FILE"),
        (["--prices", "none.toml"], "cannot read none.toml: No such file or directory (--prices)"),
        (["--name", "a/b"], "a run cannot be named 'a/b'"),
        (["--peers", "data.jsonl"], "learns from no peers (--peers)"),
        (["--split", "test"], "has no split 'test'"),
        (["--source-field", "x"], "(--source-field)"),
        (["--detector", "faithjudge"], "faithjudge learns from annotated responses"),
        (["--detector", "judge-sample"], "Did you mean 'judge-simple'"),
        (["--detector", "overlap"], "detector 'overlap' asks no model; leave out model (--model)"),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, list) else "",
)
def test_contradictions_are_one_clear_line_before_anything_is_asked(
    arguments: list[str], message: str, work: Work
) -> None:
    place = work(4)
    assert message in error_of(place.run(*arguments))
    assert place.server.calls == 0
    assert not (place.folder / "assay-runs").exists()


def test_reply_that_a_colleague_paid_for_is_in_the_cache_of_the_team(
    work: Work, database: str
) -> None:
    place = work(6)
    cache = database.replace("assay@", "assay:secret@")
    place.run("--cache", cache, "--runs", "mine")
    done = place.run("--cache", cache, "--runs", "theirs", "--json")
    usage = json.loads(done.stdout)["usage"]
    assert (usage["calls"], usage["cached"], place.server.calls) == (0, 6, 6)


def test_cache_on_a_server_that_is_not_there_is_one_line_before_anything_is_sent(
    work: Work,
) -> None:
    place = work(2)
    line = line_of(place.run("--cache", "postgresql://me:secret@127.0.0.1:1/team"))
    assert line.startswith("cannot use the cache of replies postgresql://127.0.0.1:1/team: ")
    assert line.endswith("(--cache)")
    assert (place.server.calls, "secret" in line) == (0, False)


@pytest.mark.parametrize(
    "option", [["--votes", "3"], ["--rpm", "5"], ["--budget-usd", "1"], ["--cache", "x"]]
)
def test_options_for_models_are_refused_for_others(option: list[str], work: Work) -> None:
    place = work(2)
    message = line_of(place.assay("run", "data.jsonl", "--detector", "overlap", *option))
    assert message.startswith("detector 'overlap' asks no model; leave out ")
    assert message.endswith(f" ({option[0]})")


def test_missing_key_is_told_before_the_data_is_read(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name)
    place = work(2)
    asked = ("--detector", "judge-simple", "--model", "openai/gpt-4o")
    assert "OPENAI_API_KEY" in error_of(place.assay("run", "nowhere.jsonl", *asked))


@pytest.mark.parametrize(
    ("status", "advice"), [(401, "--key-env names another variable"), (404, "status 404")]
)
def test_service_that_cannot_be_used_leaves_no_empty_run(
    status: int, advice: str, work: Work, server: Loopback
) -> None:
    place = work(4)
    server.status = status
    assert advice in line_of(place.run())
    assert not list((place.folder / "assay-runs").glob("*.sqlite"))
    server.status = 200
    assert place.run().exit_code == 0


def test_service_that_fails_later_keeps_what_was_judged(work: Work, server: Loopback) -> None:
    place = work(30)

    def answer(body: Body) -> str:
        if server.calls >= 10:
            server.status = 401
        return FAITHFUL

    server.answer = answer
    message = error_of(place.run("--concurrency", "2"))
    assert "of 30 examples are judged and kept; go on with --resume" in message
    server.status, server.answer = 200, lambda body: FAITHFUL
    assert place.run("--resume").exit_code == 0
    assert len(place.export()["judgements"]) == 30
