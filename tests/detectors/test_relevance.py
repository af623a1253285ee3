"""Which passages of a source matter for a selected part of a response."""

from dataclasses import replace

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.core.errors import InputError, SpanError
from assay.core.examples import Example
from assay.core.texts import Response, Source, Span
from assay.core.units import Unit
from assay.detectors.embedded.detector import EmbeddedDetector
from assay.detectors.embedded.pointing import SourceLooks, WordLook
from assay.detectors.relevance import Mixture, Relevance, Relevant
from assay.text.evidence import SourceIndex

SOURCE = (
    "The plant in Lund makes 2,000,000 bottles a year. It was founded in 1950. "
    "Ada King has run the plant since May. Its workers strike often. The canteen serves fish."
)
RESPONSE = "The factory in Lund began production in 1950. Two million bottles leave it. Yes 😀!"
ANY_TEXT = st.text(st.characters() | st.sampled_from(".!?\n- 123ABCé😀"))


def example(source: str = SOURCE, response: str = RESPONSE) -> Example:
    return Example("1", Source(source), Response(response))


def select(words: str, looks: SourceLooks | None = None, **options: int) -> tuple[Relevant, ...]:
    start = RESPONSE.index(words)
    return Relevance(example()).for_span(start, start + len(words), looks, **options)


def looking(words: str, passage: int, weight: float = 1.0) -> SourceLooks:
    """What a network would keep that looks from some words at one passage."""
    start = RESPONSE.index(words)
    return SourceLooks("tiny", (WordLook(start, start + len(words), (passage,), (weight,)),))


def texts(found: tuple[Relevant, ...]) -> list[str]:
    return [each.span.text for each in found]


def test_selected_words_come_before_those_of_their_sentence() -> None:
    found = select("1950")
    assert texts(found)[0] == "It was founded in 1950."
    assert "The plant in Lund makes 2,000,000 bottles a year." in texts(found)


def test_word_that_the_source_lacks_lights_up_what_its_sentence_is_about() -> None:
    found = select("production")
    assert texts(found) == [
        "It was founded in 1950.",
        "The plant in Lund makes 2,000,000 bottles a year.",
    ]
    assert found[0].weight < select("1950")[0].weight


def test_number_in_other_writing_is_a_reason_of_its_own() -> None:
    best = select("Two million")[0]
    assert best.span.text.startswith("The plant in Lund")
    assert "names" in best.reasons


def test_spans_quote_the_source_and_weights_fall_from_one_to_zero() -> None:
    found = select("The factory in Lund began production in 1950.")
    assert all(each.span.verify(SOURCE).side == "source" for each in found)
    weights = [each.weight for each in found]
    assert weights == sorted(weights, reverse=True)
    assert 0 < weights[-1] <= weights[0] <= 1


def test_passage_with_every_word_is_brighter_than_one_with_some() -> None:
    whole = Relevance(example(response="It was founded in 1950.")).for_span(0, 23)[0].weight
    some = Relevance(example(response="It was founded in Rome by monks.")).for_span(0, 32)[0].weight
    assert some < whole


def test_network_lights_up_what_has_no_word_in_common() -> None:
    found = select("production", looking("production", 3))
    assert texts(found)[0] == "Its workers strike often."
    assert found[0].reasons == ("network",)
    # Half of the weight is the network's, and all that it looks at is that passage.
    assert found[0].weight == pytest.approx(0.5)


def test_rest_of_the_sentence_counts_less_than_the_selection_for_the_network() -> None:
    start, other = RESPONSE.index("Lund"), RESPONSE.index("production")
    words = (WordLook(start, start + 4, (3,), (1.0,)), WordLook(other, other + 10, (4,), (1.0,)))
    network = Relevance(example(), mixture=Mixture(network=1, context=0.5))
    found = network.for_span(other, other + 10, SourceLooks("tiny", words))
    assert texts(found) == ["The canteen serves fish.", "Its workers strike often."]
    # (1 + 0.5 * 1/2) and 0.5 * 1/2, of 1.5
    assert [each.weight for each in found] == pytest.approx([1.25 / 1.5, 0.25 / 1.5], abs=1e-4)


def test_words_that_the_network_did_not_read_are_ranked_without_it() -> None:
    assert select("1950", looking("Two million", 4)) == select("1950")


def test_claim_in_other_words_uses_its_own_wording_and_the_looks_of_its_place() -> None:
    place = Span.cut(RESPONSE, 0, 11, "response")
    claim = Unit("s1.c1", "claim", "The canteen has fish.", (place,), "s1")
    relevance = Relevance(example())
    assert relevance.for_unit(claim)[0].span.text == "The canteen serves fish."
    found = relevance.for_unit(claim, looking("The factory", 3))
    assert {"The canteen serves fish.", "Its workers strike often."} <= set(texts(found))


def test_example_that_names_spans_only_has_sentences_all_the_same() -> None:
    start = RESPONSE.index("production")
    span = Unit.at("span", Span.cut(RESPONSE, start, start + 10, "response"), "p1")
    named = replace(example(), units=(span,))
    assert Relevance(named).for_unit(span) == select("production")


def test_unit_without_a_place_is_ranked_by_its_wording() -> None:
    unit = Unit("i1", "inconsistency", "The canteen does not serve fish.")
    assert texts(Relevance(example()).for_unit(unit)) == ["The canteen serves fish."]


def test_no_more_passages_than_asked_for() -> None:
    assert len(select("The factory in Lund began production in 1950.", most=1)) == 1
    with pytest.raises(InputError, match="most must be 1 or more, not 0") as error:
        select("1950", most=0)
    assert error.value.field == "most"


def test_selection_outside_the_response_is_refused() -> None:
    with pytest.raises(SpanError, match="does not fit"):
        Relevance(example()).for_span(0, len(RESPONSE) + 1)


def test_nothing_in_common_lights_up_nothing() -> None:
    assert select("😀") == ()
    assert Relevance(example("")).for_span(0, 10) == ()


def test_index_of_a_source_serves_all_its_responses() -> None:
    index = SourceIndex(Source(SOURCE))
    other = example(response="The canteen has fish.")
    assert Relevance(other, index).for_span(0, 21) == Relevance(other).for_span(0, 21)


def test_looks_can_be_written_down_and_read_again() -> None:
    looks = looking("production", 3, 0.25)
    text = msgspec.json.encode(looks)
    assert msgspec.json.decode(text, type=SourceLooks) == looks


@pytest.mark.parametrize(
    ("words", "passage"),
    [
        ("doctor", "The physician was honoured for her work with refugees."),
        ("streetcar", "Fares on the tram go up by a tenth next spring."),
        ("gets more expensive", "Fares on the tram go up by a tenth next spring."),
    ],
)
def test_shipped_network_finds_what_is_said_in_other_words(words: str, passage: str) -> None:
    source = (
        "The council met on Monday evening. Several speakers asked about the weather. The"
        " physician was honoured for her work with refugees. Coffee was served in the hall. Fares"
        " on the tram go up by a tenth next spring. The library stays closed."
    )
    response = "A doctor received an award. Travelling by streetcar gets more expensive."
    one, start = example(source, response), response.index(words)
    relevance, looks = Relevance(one), EmbeddedDetector().look(one)
    assert relevance.for_span(start, start + len(words)) == ()
    found = relevance.for_span(start, start + len(words), looks)
    assert found[0].span.text == passage


@settings(max_examples=150)
@given(ANY_TEXT, ANY_TEXT, st.data())
def test_any_selection_gives_distinct_quotes_of_the_source(
    source: str, response: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(response)))
    end = data.draw(st.integers(start, len(response)))
    found = Relevance(example(source, response)).for_span(start, end)
    assert all(each.span.verify(source) and 0 < each.weight <= 1 for each in found)
    assert all(each.reasons for each in found)
    assert len({each.span for each in found}) == len(found) <= 8
