"""How many peers a prompt shows, which, and what is said about it."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.examples import Annotated, Example
from assay.core.taxonomies import BINARY
from assay.core.texts import Response, Source
from assay.detectors.judges.peers import PeerLimits, choose_peers
from assay.llm.fences import Fences
from tests.detectors.judges.scripts import annotate, whole


def peer(id: str, length: int = 10, judge: str = "gold", question: str = "") -> Annotated:
    text = "x" * length
    example = Example(id, Source("s"), Response(text), question=question)
    return annotate(example, **{judge: [whole(text, BINARY["faithful"])]})


NINE = [peer(str(number), 100 + 10 * number) for number in range(9)]


def rendered(peers: list[Annotated], limits: PeerLimits) -> str:
    shown = choose_peers(peers, limits)
    return shown.render(Fences(shown.texts))


def ids(peers: list[Annotated], limits: PeerLimits) -> str:
    return "".join(each.id for each in choose_peers(peers, limits).peers)


def test_all_peers_are_shown_without_limits() -> None:
    shown = choose_peers(NINE, PeerLimits())
    assert shown.peers == tuple(NINE)
    assert shown.basis == "9 annotated peers."
    assert choose_peers(NINE[:1], PeerLimits()).basis == "1 annotated peer."


def test_peers_are_drawn_up_to_their_number_and_shown_in_the_order_of_the_data() -> None:
    drawn = ids(NINE, PeerLimits(peers=3))
    assert len(drawn) == 3
    assert list(drawn) == sorted(drawn)
    assert choose_peers(NINE, PeerLimits(peers=3, seed=7)).basis == (
        "3 of 9 annotated peers shown: drawn with seed 7."
    )


@pytest.mark.parametrize("seed", range(5))
def test_fewer_peers_are_among_the_more_of_the_same_seed(seed: int) -> None:
    draws = [set(ids(NINE, PeerLimits(peers=n, seed=seed))) for n in range(10)]
    assert [len(each) for each in draws] == list(range(10))
    assert all(fewer < more for fewer, more in pairwise(draws))


def test_another_seed_and_another_source_draw_other_peers() -> None:
    def elsewhere(source: str) -> list[Annotated]:
        return [
            replace(each, example=replace(each.example, source=Source(source))) for each in NINE
        ]

    limits = PeerLimits(peers=3)
    assert len({ids(NINE, replace(limits, seed=seed)) for seed in range(10)}) > 5
    assert len({ids(elsewhere(str(number)), limits) for number in range(10)}) > 5
    assert ids(elsewhere("a b"), limits) == ids(elsewhere("ab\n"), limits)


def test_the_draw_does_not_depend_on_the_order_or_on_the_response_left_out() -> None:
    four = ids(NINE, PeerLimits(peers=4))
    assert ids(NINE[::-1], PeerLimits(peers=4)) == four[::-1]
    others = [each for each in NINE if each.id != four[0]]
    assert set(four[1:]) < set(ids(others, PeerLimits(peers=4)))


def test_the_longest_are_left_out_until_the_rest_fits() -> None:
    mixed = [peer("a", 300), peer("b", 50), peer("c", 200), peer("d", 60)]
    whole = len(rendered(mixed, PeerLimits()))
    assert ids(mixed, PeerLimits(characters=whole)) == "abcd"
    assert ids(mixed, PeerLimits(characters=whole - 1)) == "bcd"
    assert ids(mixed, PeerLimits(characters=len(rendered(mixed[1:], PeerLimits())) - 1)) == "bd"
    assert choose_peers(mixed, PeerLimits(characters=whole - 1)).basis == (
        f"3 of 4 annotated peers shown: the longest was left out to stay within {whole - 1:,} "
        "characters."
    )


def test_of_equally_long_peers_the_later_one_is_left_out() -> None:
    three = [peer("a"), peer("b"), peer("c")]
    assert ids(three, PeerLimits(characters=len(rendered(three, PeerLimits())) - 1)) == "ab"


def test_the_number_is_limited_before_the_characters() -> None:
    size = len(rendered(NINE[7:], PeerLimits()))  # two, whichever they are, but no three
    shown = choose_peers(NINE, PeerLimits(peers=6, characters=size))
    assert shown.basis == (
        "2 of 9 annotated peers shown: of 6 drawn with seed 0 the longest were left out to "
        f"stay within {size} characters."
    )
    # Without the number the shortest, which is not drawn, would have been shown.
    seed = next(n for n in range(99) if "0" not in ids(NINE, PeerLimits(peers=6, seed=n)))
    assert "0" not in ids(NINE, PeerLimits(6, size, seed))
    assert "0" in ids(NINE, PeerLimits(None, size, seed))


@pytest.mark.parametrize(
    ("peers", "limits", "basis"),
    [
        ([], PeerLimits(), "No annotated peers for this source: judged zero-shot."),
        ([], PeerLimits(peers=4), "No annotated peers for this source: judged zero-shot."),
        (NINE, PeerLimits(peers=0), "Without annotated peers, as requested: judged zero-shot."),
        (
            NINE,
            PeerLimits(characters=20),
            "None of 9 annotated peers shown to stay within 20 characters: judged zero-shot.",
        ),
    ],
)
def test_no_peers_to_show_is_said(peers: list[Annotated], limits: PeerLimits, basis: str) -> None:
    shown = choose_peers(peers, limits)
    assert (shown.peers, shown.texts, shown.basis) == ((), {}, basis)


def test_peers_are_counted_anew_but_annotators_keep_their_numbers() -> None:
    two = [peer("a", 300, judge="ida"), peer("b", judge="ole")]
    text = rendered(two, PeerLimits(characters=300))
    assert "<<<PEER 1 " in text
    assert "<<<PEER 2" not in text
    assert "Annotator 2: " in text


def test_a_peer_with_another_question_brings_it_along() -> None:
    same, other = peer("a", question="Who  sat?"), peer("b", question="Who stood?")
    shown = choose_peers([same, other], PeerLimits(), question="Who sat?")
    assert list(shown.blocks[0]) == ["peer_1", "peer_1_annotations"]
    assert list(shown.blocks[1]) == ["peer_2_question", "peer_2", "peer_2_annotations"]


@given(
    st.lists(st.integers(0, 400), max_size=14),
    st.integers(0, 3_000),
    st.none() | st.integers(0, 14),
)
def test_the_rule_holds_for_any_peers(
    lengths: list[int], characters: int, most: int | None
) -> None:
    peers = [peer(str(place), length) for place, length in enumerate(lengths)]
    shown = choose_peers(peers, PeerLimits(most, characters)).peers
    wanted = choose_peers(peers, PeerLimits(most, 10**6)).peers
    assert len(rendered(list(wanted), PeerLimits(characters=characters))) <= characters
    assert list(shown) == [each for each in wanted if each in shown]  # in the order of the data
    left = [each for each in wanted if each not in shown]
    sizes = [len(each.example.response.text) for each in shown]
    assert all(len(each.example.response.text) >= max(sizes, default=0) for each in left)
    if left:  # the shortest of those left out would not have fitted: only its number may shrink
        more = [*shown, min(left, key=lambda each: len(each.example.response.text))]
        assert len(rendered(more, PeerLimits(characters=10**6))) + 4 * len(more) > characters
