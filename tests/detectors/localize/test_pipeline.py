"""`localize-pipeline`: facts are found, checked and merged."""

import json

import pytest

from assay.core.examples import Example
from assay.core.texts import Response, Source
from assay.detectors.localize import facts as fact_finding
from assay.llm.client import CallError, Line, Request
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

ALONE = "localize-pipeline"
NAME = "localize-pipeline:group=10"  # facts share a call
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


def test_each_fact_is_checked_in_a_call_of_its_own() -> None:
    """FactScore's way, and the default; the next question is asked whatever came of the others."""
    replies = [THREE, checked([AGE]), checked([DAY], first=2), checked([], first=3), merged()]
    heard = hear(ALONE, replies)
    assert heard.labels == ["unfaithful"] * 3
    shown = [asked(request).partition("The facts to check")[2] for request in heard.requests[1:4]]
    assert [each.count("\n1. ") + each.count("\n2. ") + each.count("\n3. ") for each in shown] == [
        1,
        1,
        1,
    ]
    assert "\n2. Runa Dahl and Otto Berg reached the island on 16 July.\n" in shown[1]


@pytest.mark.parametrize(
    "reply", [listed(), "[]", "None", '{"facts": [{"number": 1, "inconsistencies": null}]}']
)
def test_answer_about_one_fact_needs_no_number(reply: str) -> None:
    one = Example("1", Source("It rains."), Response("It rains."))
    assert hear(ALONE, [facts((1, "It rains.")), reply], one).labels == ["faithful"]
    found = hear(ALONE, [facts((1, "It rains.")), listed({**AGE, "quotes": ["rains"]})], one)
    assert found.findings[1].text == AGE["description"]


def test_merge_is_not_asked_where_there_is_nothing_to_merge() -> None:
    assert len(hear(NAME, [THREE, checked([], [], [])]).requests) == 2
    heard = hear(NAME, [THREE, checked([AGE], [AGE], [])])
    assert (len(heard.requests), heard.labels) == (2, ["unfaithful", "unfaithful"])


def test_same_error_of_two_facts_is_kept_once_in_words_that_were_there() -> None:
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
    # The model names the clearer one first.
    assert [each.text for each in heard.findings[1:]] == [two["description"]]
    assert heard.verdict(1).note == "One of 2 descriptions of it."
    assert heard.verdict(0).note == "1 inconsistency found."


def test_description_that_names_no_words_takes_the_place_of_its_duplicate() -> None:
    nowhere = {**AGE, "quotes": [], "description": "Their age is not the same."}
    heard = hear(NAME, [THREE, checked([nowhere, DAY], [AGE], []), merged([1, 3])])
    texts = [each.text for each in heard.findings[1:]]
    assert texts == [nowhere["description"], DAY["description"]]
    assert [span.text for span in heard.findings[1].unit.spans] == ["both 39"]
    again = hear(NAME, [THREE, checked([{**AGE, "quotes": []}], [AGE], [])])
    assert [span.text for span in again.findings[1].unit.spans] == ["both 39"]


FOUND = [{**AGE, "description": f"Error number {n}."} for n in range(1, 5)]


@pytest.mark.parametrize(
    ("groups", "kept"),
    [
        ([[1, 2], [2, 3]], [1, 4]),  # they overlap, and are about one error
        ([[1, 2], [3, 4], [4, 2]], [1]),
        ([[2, 1, 1]], [2, 3, 4]),
        ([["1", "3"]], [1, 2, 4]),
        ([[4], []], [1, 2, 3, 4]),
    ],
)
def test_groups_that_overlap_are_united(groups: list[list[object]], kept: list[int]) -> None:
    heard = hear(NAME, [THREE, checked(FOUND, [], []), merged(*groups)])
    assert [each.text for each in heard.findings[1:]] == [f"Error number {n}." for n in kept]


def test_unknown_numbers_in_a_group_are_ignored_and_told() -> None:
    heard = hear(NAME, [THREE, checked(FOUND, [], []), merged([1, 7, 2], [0, "x"])])
    assert [each.text[-2] for each in heard.findings[1:]] == ["1", "3", "4"]
    assert heard.verdict(0).note.endswith("The merge names 3 unknown descriptions.")


@pytest.mark.parametrize(
    "reply", ["They differ.", json.dumps({"duplicates": ["1, 2"]}), CallError("transport", "reset")]
)
def test_merge_without_an_answer_keeps_the_list_as_it_is(reply: Line) -> None:
    heard = hear(NAME, [THREE, checked([AGE], [DAY], []), reply, reply])
    assert heard.labels == ["unfaithful"] * 3
    assert "2 inconsistencies found. Duplicates were not merged" in heard.verdict(0).note


@pytest.mark.parametrize(
    ("fact", "strange"),
    [
        ((1, "Runa Dahl was 38."), "does not have '38'"),
        ((1, "Runa Dahl came from Skaw."), "does not have 'Skaw'"),
        ((2, "The weather stayed calm."), "does not have 'weather', 'stayed', 'calm'"),
        ((7, "Dahl was ashore first."), "names no sentence of the response"),
        ((0, "Dahl was ashore first."), "names no sentence"),
        ((2, "So it was."), "any content word"),
    ],
)
def test_fact_that_may_not_be_in_the_response_is_checked_and_remarked_on(
    fact: tuple[int, str], strange: str
) -> None:
    reply = json.dumps({"facts": [*json.loads(THREE)["facts"], *json.loads(facts(fact))["facts"]]})

    def answer(request: Request) -> Line:
        if "break sentences" in asked(request):
            return reply
        (number,) = (each["number"] for each in json.loads(request.example)["facts"])
        is_it = fact[1] in asked(request).partition("The facts to check")[2]
        return checked([AGE] if is_it else [], first=number)

    heard = hear(ALONE, answer)
    assert heard.labels == ["unfaithful", "unfaithful"]
    assert strange in heard.findings[1].note
    assert heard.verdict(0).note.endswith("1 fact may not come from the response.")


def test_fact_in_other_words_is_checked_like_any_other() -> None:
    """A count and a part of it: word overlap once threw this fact away."""
    text = "Two men, aged 41 and 42, were arrested."
    example = Example("1", Source("A man of 42 was arrested."), Response(text))
    told = facts((1, "Two men were arrested."), (1, "One man is 41."), (1, "One man is 42."))
    entry = {**AGE, "quotes": ["41"], "evidence": []}
    heard = hear(NAME, [told, checked([], [entry], [])], example)
    assert [span.text for span in heard.findings[1].unit.spans] == ["41"]


@pytest.mark.parametrize(
    "bad", [{"sentence": 1}, {"sentence": 1, "fact": None}, {"sentence": 2, "fact": " "}, 7]
)
def test_entry_without_a_fact_costs_no_other_fact(bad: object) -> None:
    reply = json.dumps({"facts": [*json.loads(THREE)["facts"], bad]})
    assert hear(NAME, [reply, checked([], [], [])]).labels == ["faithful"]


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
    assert sizes == [15, 15, 10] + [10] * 4
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
        (checked([{"quotes": []}], [], []), "no entry of the list has a description"),
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


def test_too_many_descriptions_to_compare_are_not_merged() -> None:
    many = [{**AGE, "description": f"Error number {n}."} for n in range(501)]
    heard = hear(NAME, [THREE, checked(many, [], [])])
    assert heard.labels == ["unfaithful"] * 502
    assert "at most 500 descriptions" in heard.verdict(0).note


def test_bad_entry_about_a_fact_is_dropped_and_counted() -> None:
    heard = hear(NAME, [THREE, checked([AGE, {"quotes": ["x"]}], [], [])])
    assert heard.labels == ["unfaithful", "unfaithful"]
    assert "1 entry of the reply could not be read." in heard.verdict(0).note


def test_boat_is_read_as_the_paper_reads_its_first_figure() -> None:
    """Two errors in one sentence: each has its own description, and one has two spans."""
    heard = hear(NAME, [THREE, checked([AGE], [DAY], []), merged()], BOAT)
    assert [span.text for span in heard.findings[2].unit.spans] == [
        "On 16 July",
        "reached the island",
    ]
