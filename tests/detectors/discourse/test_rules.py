"""Rules of thumb about links: what the words of a source must show, and where they keep silent."""

import pytest

from assay.core.texts import Source
from assay.detectors.discourse.ground import Fault, Ground
from assay.detectors.discourse.rules import check_hedge, check_link, check_order, check_speaker

FAR = (
    "The red mill burned down. A dog barked. Nobody came. It snowed. The old king died in his bed."
)


def ground(text: str) -> Ground:
    return Ground(Source(text))


@pytest.mark.parametrize("relation", ["cause", "purpose", "condition", "contrast", "concession"])
def test_far_facts_without_a_connective_are_not_linked(relation: str) -> None:
    fault = check_link(ground(FAR), relation, "The red mill burned down.", "The old king died.")
    assert fault is not None
    assert (fault.label, fault.error) == ("fabricated", "fabricated-link")
    assert [span.text[:11] for span in fault.evidence] == ["The red mil", "The old kin"]


@pytest.mark.parametrize(
    ("relation", "source"),
    [
        ("cause", FAR.replace("The old king", "That is why the old king")),
        ("contrast", FAR.replace("The old king", "The old king, however,")),
        ("condition", FAR.replace("in his bed", "in his bed unless it rained")),
        ("cause", "The red mill burned down. The old king died in his bed."),
        ("cause", "The red mill burned down and the old king died in his bed."),
        ("cause", "The red mill burned down. It snowed."),
        ("elaboration", FAR),
        ("temporal", FAR),
    ],
)
def test_link_that_may_be_there_is_left_alone(relation: str, source: str) -> None:
    ends = ("The red mill burned down.", "The old king died.")
    assert check_link(ground(source), relation, *ends) is None


def test_cause_that_the_source_gives_to_something_else_is_attached_wrongly() -> None:
    source = ground(
        "The court fined the baker. It made him keep books because he had lost receipts."
    )
    fault = check_link(source, "cause", "He had lost receipts.", "The court fined the baker.")
    assert fault is not None
    assert (fault.label, fault.error) == ("contradicting", "scope-attachment")
    assert check_link(source, "cause", "He had lost receipts.", "He must keep books.") is None


@pytest.mark.parametrize(
    ("relation", "error"), [("cause", "fabricated-link"), ("temporal", "temporal-state")]
)
def test_link_that_the_source_has_the_other_way_round_is_contradicted(
    relation: str, error: str
) -> None:
    word = "because" if relation == "cause" else "after"
    source = ground(f"The red mill burned down {word} the old king died.")
    mill, king = "The red mill burned down.", "The old king died."

    def check(first: str, second: str) -> Fault | None:
        if relation == "temporal":
            return check_order(source, first, second)
        return check_link(source, relation, first, second)

    fault = check(mill, king)
    assert fault is not None
    assert (fault.label, fault.error) == ("contradicting", error)
    assert check(king, mill) is None


def test_order_is_that_of_the_source_unless_words_turn_it_round() -> None:
    ends = ("The old king died.", "The red mill burned down.")
    fault = check_order(ground(FAR), *ends)
    assert fault is not None
    assert (fault.label, fault.error) == ("contradicting", "temporal-state")
    assert check_order(ground(FAR), *reversed(ends)) is None
    assert check_order(ground(FAR.replace("died", "had died")), *ends) is None
    assert check_order(ground("The red mill burned down. The old king died."), *ends) is None


def test_empty_source_says_nothing() -> None:
    empty = ground("...")
    assert check_link(empty, "cause", "The mill burned down.", "The king died early.") is None
    assert check_order(empty, "The mill burned down.", "The king died early.") is None


HEDGED = "The new vaccine may protect young calves. It was tested in May."


@pytest.mark.parametrize(
    ("source", "sentence", "lost"),
    [
        (HEDGED, "The new vaccine protects young calves.", True),
        (HEDGED, "The new vaccine could protect young calves.", False),
        (HEDGED, "Vets believe that the new vaccine protects young calves.", False),
        (
            f"{HEDGED} The vaccine protects young calves.",
            "The vaccine protects young calves.",
            False,
        ),
        (HEDGED, "The vaccine was tested in May.", False),
        (HEDGED, "It protects.", False),
        (
            "The fire may, some say, have been set on purpose.",
            "The fire was set on purpose.",
            False,
        ),
        ("The town plans to plant forty trees.", "The town planted forty trees.", True),
        ("The crew mostly repaired the boat by hand.", "The crew repaired the boat by hand.", True),
        ("Two whales came. They seemed to follow herring.", "The whales followed herring.", True),
        ("Two boats came. They seemed to follow herring.", "The whales followed herring.", False),
        ("Work begins in March if the grant comes.", "Work begins in March.", True),
        ("Work begins in March if the grant comes.", "Once paid, work begins in March.", False),
        ("Work begins in March, subject to the weather.", "Work begins in March.", False),
        ("If work begins in March, the grant comes.", "Work begins in March.", False),
        # A hedge that both have takes nothing away from another one.
        (
            "The map was mostly drawn from supposedly safe sightings.",
            "The map was drawn from supposedly safe sightings.",
            True,
        ),
        (
            "The map was mostly drawn from supposedly safe sightings.",
            "The map was mostly drawn from supposedly safe sightings.",
            False,
        ),
        (
            "The map was mostly drawn from supposedly safe sightings.",
            "The map was largely drawn from supposedly safe sightings.",
            False,
        ),
    ],
)
def test_hedge_is_missed_only_where_every_passage_has_it(
    source: str, sentence: str, lost: bool
) -> None:
    fault = check_hedge(ground(source), sentence, sentence)
    assert (fault is not None) is lost


SAID = (
    "Ines Aalto voted for the tram. She praised the plan. Piet Moor was against it. He said that"
    " the tram costs too much money. The mayor, Lea Holm, said that work begins in March."
)


@pytest.mark.parametrize(
    ("who", "what", "wrong"),
    [
        ("Ines Aalto", "The tram costs too much money.", True),
        ("Piet Moor", "The tram costs too much money.", False),
        ("Moor", "The tram costs too much money.", False),
        ("Councillor Aalto", "The tram costs too much money.", True),
        ("The mayor", "Work begins in March.", False),
        ("Lea Holm", "Work begins in March.", False),
        ("Piet Moor", "Work begins in March.", True),
        ("Ines Aalto", "The weather was cold.", False),
        ("He", "The tram costs too much money.", False),
    ],
)
def test_words_of_another_speaker_are_noticed(who: str, what: str, wrong: bool) -> None:
    fault = check_speaker(ground(SAID), who, what)
    assert (fault is not None) is wrong


def test_empty_source_qualifies_nothing_and_names_no_speaker() -> None:
    empty = ground("...")
    assert check_hedge(empty, "The mill burned down.", "The mill burned down.") is None
    assert check_speaker(empty, "Ada", "The mill burned down.") is None
