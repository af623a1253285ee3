"""The pool of annotated responses: same source, never the response itself."""

from dataclasses import FrozenInstanceError, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.examples import Example
from assay.core.taxonomies import BINARY, FAITHBENCH
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.core.verdicts import Verdict
from assay.detectors.judges.judging import squeeze
from assay.detectors.judges.peers import PeerPool


def annotated(id: str, response: str, source: str = "The cat sat.", label: str = "") -> Example:
    verdict = Verdict(Unit("response", response), BINARY[label or "faithful"])
    return Example(id, Source(source), Response(response), gold=(verdict,))


A, B, C = (annotated(name, f"It sat, says {name}.") for name in "abc")


def test_peers_are_the_other_responses_in_the_order_of_the_data() -> None:
    assert PeerPool.of([C, A, B]).peers_for(A) == (C, B)


def test_sources_are_the_same_if_only_white_space_differs() -> None:
    spaced = annotated("d", "It sat down.", source="  The cat\n\tsat. ")
    other = annotated("e", "It stood.", source="The cat sat")
    assert PeerPool.of([A, spaced, other]).peers_for(A) == (spaced,)


def test_a_response_with_the_same_text_under_another_id_is_no_peer() -> None:
    copy = annotated("copy", f"\n{A.response.text}  ")
    assert PeerPool.of([copy, B]).peers_for(A) == (B,)


def test_a_response_with_the_same_id_and_another_text_is_no_peer() -> None:
    edited = annotated("a", "It sat, says a, edited.")
    assert PeerPool.of([edited, B]).peers_for(A) == (B,)


def test_the_same_id_under_another_source_hides_nothing() -> None:
    elsewhere = annotated("b", "It barked.", source="The dog barked.")
    assert PeerPool.of([elsewhere, B]).peers_for(A) == (B,)


def test_a_response_without_annotation_is_no_peer() -> None:
    scored = replace(B, gold=(Verdict(Unit("response", "x"), score=0.4),))
    pool = PeerPool.of([A, replace(B, gold=()), replace(scored, id="s")])
    assert pool.peers_for(C) == (A,)


def test_a_pool_without_annotated_responses_is_empty() -> None:
    assert not PeerPool.of([replace(A, gold=()), replace(B, gold=())])
    assert PeerPool.of([A])


def test_a_source_without_annotated_responses_has_no_peers() -> None:
    assert PeerPool.of([A, B]).peers_for(annotated("z", "x", source="Another text.")) == ()


def test_a_pool_does_not_change() -> None:
    pool = PeerPool.of([A])
    with pytest.raises(FrozenInstanceError):
        pool.digest = "0"  # type: ignore[misc]
    with pytest.raises(TypeError):
        pool.groups["0"] = ()  # type: ignore[index]


def test_a_lone_surrogate_in_a_text_is_no_obstacle() -> None:
    broken = annotated("s", "It \ud800 sat.", source="The \ud800 cat.")
    other = annotated("t", "It sat.", source="The \ud800 cat.")
    assert PeerPool.of([broken]).peers_for(other) == (broken,)


@pytest.mark.parametrize(
    "other",
    [
        [A],
        [B, A],
        [A, replace(B, response=Response("It slept."))],
        [A, replace(B, gold=(Verdict(Unit("response", "x"), FAITHBENCH["benign"]),))],
        [A, replace(B, source=Source("The dog sat."))],
        [A, replace(B, question="Who sat?")],
    ],
)
def test_the_digest_tells_pools_apart(other: list[Example]) -> None:
    assert PeerPool.of([A, B]).digest == PeerPool.of(iter([A, B])).digest
    assert PeerPool.of([A, B]).digest != PeerPool.of(other).digest


texts = st.sampled_from(["It sat.", " It  sat.", "It sat", "It stood.", "It sat. It stood.", ""])
sources = st.sampled_from(["The cat sat.", "The cat\nsat. ", "The dog."])
examples = st.builds(
    lambda id, response, source, has_gold: (
        annotated(str(id), response, source)
        if has_gold
        else Example(str(id), Source(source), Response(response))
    ),
    st.integers(0, 4),
    texts,
    sources,
    st.booleans(),
)


@given(st.lists(examples, max_size=12), examples)
def test_peers_are_all_others_to_the_source_and_never_the_response(
    data: list[Example], candidate: Example
) -> None:
    found = PeerPool.of(data).peers_for(candidate)
    said = squeeze(candidate.response.text)
    assert found == tuple(
        each
        for each in data
        if each.gold
        and squeeze(each.source.text) == squeeze(candidate.source.text)
        and not (each.id == candidate.id or squeeze(each.response.text) == said)
    )
