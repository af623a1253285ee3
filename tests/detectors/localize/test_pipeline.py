"""`localize-pipeline`: facts are found, held against the response, checked and merged."""

import json

import pytest

from assay.core.examples import Example
from assay.core.texts import Response, Source
from assay.detectors.localize import facts as fact_finding
from assay.detectors.localize.pipeline import GROUP
from assay.llm.client import CallError, Request
from assay.llm.scripted import Line
from tests.detectors.judges.scripts import asked
from tests.detectors.localize.scripts import (
    AGE,
    BOAT,
    DAY,
    RESPONSE,
    SOURCE,
    checked,
    facts,
    hear,
    listed,
    merged,
)

NAME = "localize-pipeline"
THREE = facts(
    (1, "Runa Dahl and Otto Berg were both 39."),
    (1, "Runa Dahl and Otto Berg reached the island on 16 July."),
    (2, "Dahl went ashore first."),
)


def test_facts_are_found_checked_and_merged_in_three_calls() -> None:
    heard = hear(NAME, [THREE, checked([AGE], [DAY], []), merged()])
    assert heard.labels == ["unfaithful"] * 3
    assert heard.verdict(0).note == "2 inconsistencies found."
    assert [each.text for each in heard.findings[1:]] == [
        AGE["description"],
        DAY["description"],
    ]
    first, second, third = map(asked, heard.requests)
    assert SOURCE not in first
    assert "\n1. On 16 July Runa Dahl" in first
    assert SOURCE in second
    assert RESPONSE in second
    assert "\n3. Dahl went ashore first.\n" in second
    assert f"\n2. {DAY['description']}\n" in third
    assert SOURCE not in third


def test_merge_is_not_asked_where_there_is_nothing_to_merge() -> None:
    assert len(hear(NAME, [THREE, checked([], [], [])]).requests) == 2
    heard = hear(NAME, [THREE, checked([AGE], [AGE], [])])
    assert (len(heard.requests), heard.labels) == (2, ["unfaithful", "unfaithful"])


def test_same_error_of_two_facts_is_kept_once_as_it_was_first_worded() -> None:
    """The paper's figure 9, retold: a wrong actor shows in two facts of one sentence."""
    example = Example(
        "1",
        Source("The harbour board set new fees."),
        Response("The mayor set new fees for boats."),
    )
    found = facts((1, "The mayor set fees."), (1, "The fees of the mayor are new."))
    entry = {"quotes": ["The mayor"], "evidence": [], "category": "intrinsic-alteration"}
    one = {**entry, "description": "The harbour board, not the mayor, set the fees."}
    two = {**entry, "description": "New fees came from the board and not from the mayor."}
    heard = hear(NAME, [found, checked([one], [two]), merged([2, 1])], example)
    assert [each.text for each in heard.findings[1:]] == [one["description"]]
    assert heard.verdict(1).note == "One of 2 descriptions of it."
    assert heard.verdict(0).note == "1 inconsistency found."


def test_description_that_says_where_the_error_is_is_kept() -> None:
    nowhere = {**AGE, "quotes": [], "description": "Their age is not the same."}
    heard = hear(NAME, [THREE, checked([nowhere, DAY], [AGE], []), merged([1, 3])])
    texts = [each.text for each in heard.findings[1:]]
    assert texts == [AGE["description"], DAY["description"]]
    assert [span.text for span in heard.findings[1].unit.spans] == ["both 39"]
    again = hear(NAME, [THREE, checked([{**AGE, "quotes": []}], [AGE], [])])
    assert [span.text for span in again.findings[1].unit.spans] == ["both 39"]


@pytest.mark.parametrize(
    ("groups", "detail"),
    [
        ([[1, 7]], "there is no description 7"),
        ([[0, 1]], "there is no description 0"),
        ([[1, 2], [2]], "description 2 is named 2 times"),
        ([[1, 1]], "description 1 is named 2 times"),
        (["1, 2"], "not a list"),
    ],
)
def test_groups_that_cannot_be_used_are_a_failure_and_not_a_guess(
    groups: list[list[object]], detail: str
) -> None:
    reply = merged(*groups)
    heard = hear(NAME, [THREE, checked([AGE], [DAY], []), reply, reply])
    assert heard.labels == ["failed: parse"]
    assert detail in heard.failure().detail
    assert heard.failure().detail.startswith("2 inconsistencies found. Which of them are the same")
    assert heard.failure().raw == reply


@pytest.mark.parametrize(
    ("fact", "strange"),
    [
        ((1, "Runa Dahl was 38."), "does not have '38'"),
        ((1, "Runa Dahl came from Skaw."), "does not have 'Skaw'"),
        ((2, "The weather stayed calm."), "does not have 'weather', 'stayed', 'calm'"),
        ((7, "Dahl was ashore first."), "names sentence 7, and the response has 2"),
        ((0, "Dahl was ashore first."), "names sentence 0"),
        ((2, "So it was."), "any content word"),
    ],
)
def test_fact_that_the_response_does_not_state_is_reported_and_not_checked(
    fact: tuple[int, str], strange: str
) -> None:
    reply = json.dumps({"facts": [*json.loads(THREE)["facts"], *json.loads(facts(fact))["facts"]]})
    heard = hear(NAME, [reply, checked([], [], [])])
    assert heard.labels == ["faithful", "failed: parse"]
    left = heard.findings[1]
    assert (left.kind, left.text, left.id) == ("claim", fact[1], "c4")
    assert strange in left.note
    assert fact[1] not in asked(heard.requests[1]).partition("The facts to check")[2]
    assert heard.verdict(0).note.endswith("1 fact is left out: not in the response.")


def test_words_of_the_question_and_other_forms_of_a_word_are_no_invention() -> None:
    example = Example(
        "1", Source("Ada."), Response("She was born on July 16 or 17."), "Was Ada born?"
    )
    found = facts((1, "Ada was born on July 16."), (1, "Ada's birth was July 17 or the 16th."))
    assert hear(NAME, [found, checked([], [])], example).labels == ["faithful"]


def test_sentence_that_the_facts_lose_is_checked_as_a_whole() -> None:
    only_first = facts(*((1, each) for each in ("Dahl and Berg, both 39, reached the island.",)))
    heard = hear(NAME, [only_first, checked([], [], [])])
    shown = asked(heard.requests[1]).partition("The facts to check")[2]
    # The first sentence also tells a day and a first name, which its fact leaves out.
    assert "\n2. On 16 July Runa Dahl and Otto Berg, both 39, reached the island.\n" in shown
    assert "\n3. Dahl went ashore first.\n" in shown
    assert heard.verdict(0).note == "No inconsistency found. 2 sentences are checked as a whole."


def test_response_that_states_nothing_is_faithful_and_costs_nothing() -> None:
    example = Example("1", Source("It rains."), Response("Hello! Would you like to know more?"))
    heard = hear(NAME, [], example)
    assert (heard.labels, heard.requests) == (["faithful"], [])
    assert heard.verdict().note == "No inconsistency found. It states nothing to check."


def test_more_facts_than_the_bound_are_a_failure() -> None:
    many = facts(*((1, f"Dahl reached island {n}.") for n in range(fact_finding.MOST + 1)))
    heard = hear(NAME, [many])
    assert heard.labels == ["failed: too_long"]
    assert "makes 501 facts of the response; at most 500 facts" in heard.failure().detail
    assert len(heard.requests) == 1


def houses(count: int) -> Example:
    sentences = " ".join(f"House number {n} is red." for n in range(1, count + 1))
    return Example("1", Source(sentences), Response(sentences))


def test_response_with_more_sentences_than_the_bound_costs_nothing() -> None:
    heard = hear(NAME, [], houses(fact_finding.MOST + 1))
    assert (heard.labels, heard.requests) == (["failed: too_long"], [])
    assert "the response has 501 sentences; at most 500 facts" in heard.failure().detail


def test_facts_and_the_sentences_that_they_lose_are_bounded_together() -> None:
    def answer(request: Request) -> Line:
        entries = json.loads(request.example)["facts"]
        return facts(*((each["sentence"], "A house is red.") for each in entries))

    heard = hear(NAME, answer, houses(300))
    assert heard.labels == ["failed: too_long"]
    assert "makes 300 facts of the response and leaves out 300" in heard.failure().detail


def test_figure_that_only_the_facts_of_another_sentence_tell_is_lost() -> None:
    text = "Sales were 5 in 2019. Costs were 7 in 2019."
    found = facts((1, "Sales were 5 in 2019."), (2, "Costs were 7."))
    heard = hear(NAME, [found, checked([], [], [])], Example("1", Source(text), Response(text)))
    assert heard.verdict(0).note == "No inconsistency found. 1 sentence is checked as a whole."


def test_long_response_is_taken_apart_and_checked_in_groups() -> None:
    example = houses(40)

    def answer(request: Request) -> Line:
        if "break sentences" in asked(request):
            return request.example
        return checked(*([] for _ in json.loads(request.example)["facts"]), first=_first(request))

    heard = hear(NAME, answer, example)
    sizes = [len(json.loads(request.example)["facts"]) for request in heard.requests]
    assert sizes == [15, 15, 10] + [GROUP] * 4
    assert heard.labels == ["faithful"]


def _first(request: Request) -> int:
    number: int = json.loads(request.example)["facts"][0]["number"]
    return number


def test_words_are_marked_in_the_sentence_of_their_fact() -> None:
    example = Example("1", Source("One fell."), Response("Rain fell. Later rain fell again."))
    found = facts((1, "Rain fell."), (2, "Later rain fell again."))
    entry = {**AGE, "quotes": ["rain fell"]}
    heard = hear(NAME, [found, checked([], [entry])], example)
    assert heard.findings[1].unit.start == 17


@pytest.mark.parametrize(
    ("reply", "detail"),
    [
        (checked([], []), "fact 3 has 0 entries"),
        (checked([], [], [], []), "there is no fact 4"),
        (checked([], [], [], first=0), "there is no fact 0"),
        (checked([{**AGE, "category": "lie"}], [], []), "'lie'"),
        (listed(), "'facts' is missing"),
    ],
)
def test_check_that_leaves_facts_out_or_names_others_is_a_failure_of_the_group(
    reply: str, detail: str
) -> None:
    heard = hear(NAME, [THREE, reply, reply])
    assert [each.kind for each in heard.findings] == ["response", "claim", "claim", "claim"]
    assert all(label.startswith("failed") for label in heard.labels)
    assert detail in heard.failure(0).detail
    assert "no inconsistency found, but 3 facts were not checked" in heard.failure(0).detail


def test_what_was_found_stays_where_another_group_fails() -> None:
    sentences = [f"House number {n} is red." for n in range(1, 12)]
    example = Example("1", Source("Houses are red."), Response(" ".join(sentences)))
    entry = {**AGE, "quotes": ["House number 1 is red"], "evidence": []}

    def answer(request: Request) -> Line:
        if "break sentences" in asked(request):
            return request.example
        numbers = [each["number"] for each in json.loads(request.example)["facts"]]
        if 11 in numbers:
            return CallError("transport", "connection reset")
        return checked([entry], *([] for _ in numbers[1:]))

    heard = hear(NAME, answer, example)
    assert heard.labels == ["unfaithful", "unfaithful", "failed: transport"]
    assert heard.verdict(0).note == "1 inconsistency found. 1 fact was not checked (transport)."
    assert heard.findings[2].text == "House number 11 is red."


def test_too_many_descriptions_to_compare_are_a_failure() -> None:
    many = [{**AGE, "description": f"Error number {n}."} for n in range(501)]
    heard = hear(NAME, [THREE, checked(many, [], [])])
    assert heard.labels == ["failed: too_long"]
    assert "at most 500 descriptions" in heard.failure().detail


def test_boat_is_read_as_the_paper_reads_its_first_figure() -> None:
    """Two errors in one sentence: each has its own description, and one has two spans."""
    heard = hear(NAME, [THREE, checked([AGE], [DAY], []), merged()], BOAT)
    assert [span.text for span in heard.findings[2].unit.spans] == [
        "On 16 July",
        "reached the island",
    ]
