"""`definitions`: the localizers as the paper asks, with its steps and its form of reply."""

from pathlib import Path

import pytest

from assay.core.examples import Example
from assay.core.texts import Response, Source
from assay.llm.client import Scripted
from tests.detectors.judges.scripts import asked, echo, load
from tests.detectors.localize.scripts import (
    AGE,
    BOAT,
    DAY,
    NAMES,
    PLAIN_NAMES,
    RESPONSE,
    SOURCE,
    facts,
    hear,
    listed,
    merged,
)

STRICT = "localize-pipeline:definitions"
LISTED = f"A. {AGE['description']}\nB. {DAY['description']}"
ENDS = {"localize-cot": "Final Output:\n", "localize-cot-hint": "Final Output:\n"}
WAY_OUT = ("None", "[]", "nothing")


def test_plain_forms_ask_with_prompts_of_their_own() -> None:
    loaded = [load(name, Scripted(())) for name in (*NAMES, *PLAIN_NAMES)]
    digests = {tuple(each.prompt_digests.values()) for each in loaded}
    assert len(digests) == len(NAMES) + len(PLAIN_NAMES)
    assert [each.author.name for each in loaded[len(NAMES) :]] == [
        f"{name} scripted" for name in PLAIN_NAMES
    ]


@pytest.mark.parametrize("name", [name for name in PLAIN_NAMES if "pipeline" not in name])
def test_lettered_descriptions_are_read_and_have_no_category(name: str) -> None:
    start = ENDS.get(name.partition(":")[0], "")
    heard = hear(name, [f"{start}{LISTED}"])
    assert [each.text for each in heard.findings[1:]] == [AGE["description"], DAY["description"]]
    assert [each.verdict and each.verdict.error for each in heard.findings[1:]] == [None, None]
    assert (heard.requests[0].schema, len(heard.requests)) == (None, 1)
    assert hear(name, [f"{start}None"]).labels == ["faithful"]
    assert hear(name, echo).labels == ["unfaithful", "unfaithful"]


def test_recall_marks_the_words_of_each_fact() -> None:
    reply = f"A.\nFact: both 39\nDescription: {AGE['description']}"
    heard = hear("localize-recall:definitions", [reply])
    assert [span.text for span in heard.findings[1].unit.spans] == ["both 39"]


@pytest.mark.parametrize("wording", ["a", "b"])
def test_plain_hint_comes_first_and_offers_no_way_out(wording: str) -> None:
    """Of the paper's two prompts without the hint, only the second says what to write then."""
    plain = asked(hear(f"localize-cot:{wording},definitions", ["Final Output: None"]).requests[0])
    assert ("write None there" in plain) == (wording == "b")
    hinted = hear(f"localize-cot-hint:{wording},definitions", ["Hm.", f"Final Output:\n{LISTED}"])
    opening = "The response below contains at least one inconsistency with its source.\n\n"
    shown = [asked(each) for each in hinted.requests]
    assert shown[0].removeprefix("# system\n").startswith(opening)
    assert [word for each in shown for word in WAY_OUT if word in each] == []
    assert hinted.labels == ["unfaithful"] * 3


def test_strict_pipeline_checks_the_facts_of_the_model_and_nothing_else() -> None:
    """Three facts are three checks, although none of them has the name of Otto Berg."""
    replies = ["- They were both 39.\n- They came on 16 July.", "- Dahl went ashore first."]
    checks = [f"No.\n- {AGE['description']}", f"no\n- {DAY['description']}", "Yes"]
    heard = hear(STRICT, [*replies, *checks, LISTED])
    assert len(heard.requests) == 2 + 3 + 1
    assert [each.text for each in heard.findings[1:]] == [AGE["description"], DAY["description"]]
    assert heard.verdict(0).note == "2 inconsistencies found."
    usual = [facts((1, "They were both 39."), (1, "They came on 16 July."))]
    usual += [listed(AGE), listed(DAY), listed(), listed(), merged()]
    assert "checked as a whole" in hear("localize-pipeline", usual).verdict(0).note


def test_strict_pipeline_shows_one_sentence_then_one_fact_and_no_response() -> None:
    replies = ["- They were both 39.", "- Dahl went ashore first.", "Yes", "Yes"]
    first, second, third, fourth = map(asked, hear(STRICT, replies).requests)
    sentence = "On 16 July Runa Dahl and Otto Berg, both 39, reached the island."
    assert f"\n{sentence}\n<<<END SENTENCES" in first
    assert "Dahl went ashore first." not in first
    assert "\nDahl went ashore first.\n<<<END SENTENCES" in second
    assert "\nThey were both 39.\n<<<END FACTS" in third
    assert [SOURCE in each for each in (first, second, third, fourth)] == [False, False, True, True]
    assert RESPONSE not in third


def test_strict_pipeline_tells_which_sentences_nobody_checks() -> None:
    heard = hear(STRICT, ["- They were both 39.", "None", "Yes"])
    assert heard.labels == ["faithful"]
    told = "1 sentence is not checked, having no fact."
    assert heard.verdict(0).note == f"No inconsistency found. {told}"


def test_response_in_which_the_strict_pipeline_finds_no_fact_is_a_failure() -> None:
    heard = hear(STRICT, ["None", "None"])
    assert heard.labels == ["failed: missing"]
    nothing = Example("1", Source(SOURCE), Response("Is that all right?"))
    assert hear(STRICT, [], nothing).labels == ["faithful"]


def test_strict_pipeline_takes_prompts_of_the_user(tmp_path: Path) -> None:
    path = tmp_path / "split.md"
    header = "---\nname: mine\nversion: 1\ninputs: sentences\nreply: letters\n---\n"
    path.write_text(f"{header}# user\nSplit: $sentences\n", encoding="utf-8")
    heard = hear(f"{STRICT},facts={path}", ["- They were both 39.", "- She did.", "Yes", "Yes"])
    assert asked(heard.requests[0]).startswith("# user\nSplit: <<<SENTENCES")
    assert (heard.labels, len(heard.requests)) == (["faithful"], 4)


@pytest.mark.parametrize("reply", ["yes", "**Yes.**", "- Yes", "Yes, the source says so."])
def test_fact_that_is_called_consistent_has_no_inconsistency(reply: str) -> None:
    one = Example("1", Source("It rains."), Response("It rains."))
    heard = hear(STRICT, ["- It rains.", reply], one)
    assert (heard.labels, len(heard.requests)) == (["faithful"], 2)


def test_yes_with_a_list_is_asked_about_again() -> None:
    one = Example("1", Source("It rains."), Response("It snows."))
    twice = ["Yes\n- The fact says that it snows.", "No\n- The fact says that it snows."]
    heard = hear(STRICT, ["- It snows.", *twice], one)
    assert [each.text for each in heard.findings[1:]] == ["The fact says that it snows."]
    assert "begins with 'Yes' and lists something" in heard.requests[2].messages[-1].content


def test_first_step_asks_with_the_definitions_too() -> None:
    client = Scripted(["Dahl was 38.\nFinal answer: no", LISTED])
    localizer = load("localize-zero:definitions,two-step=self", client)
    assert list(localizer.prompt_digests) == [
        "1. localize-self-definitions",
        "2. localize-zero-a-definitions",
    ]


def test_question_is_shown_where_the_whole_response_is() -> None:
    example = Example("1", BOAT.source, BOAT.response, "Who went ashore first?")
    for name in PLAIN_NAMES:
        shown = [asked(each) for each in hear(name, echo, example).requests]
        assert all(("Who went" in each) == (name != STRICT) for each in shown)
