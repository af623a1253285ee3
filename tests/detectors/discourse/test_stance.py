"""Rules of thumb about hedges and speakers: what they notice, and where they keep silent."""

import pytest

from assay.core.texts import Source
from assay.detectors.discourse.ground import Ground
from assay.detectors.discourse.stance import check_hedge, check_speaker


def ground(text: str) -> Ground:
    return Ground(Source(text))


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


def test_empty_source_says_nothing() -> None:
    empty = ground("...")
    assert check_hedge(empty, "The mill burned down.", "The mill burned down.") is None
    assert check_speaker(empty, "Ada", "The mill burned down.") is None
