"""The pool of annotated responses: same source, never the response itself."""

from dataclasses import FrozenInstanceError, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.examples import Annotated, Example
from assay.core.judgements import Finding
from assay.core.taxonomies import BINARY, FAITHBENCH
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.core.verdicts import Verdict
from assay.detectors.judges.peers import PeerPool
from tests.detectors.judges.scripts import annotate, whole


def annotated(id: str, response: str, source: str = "The cat sat.") -> Annotated:
    example = Example(id, Source(source), Response(response))
    return annotate(example, gold=[whole(response, BINARY["faithful"])])


A, B, C = (annotated(name, f"It sat, says {name}.") for name in "abc")
BARE = Annotated(B.example)


def test_peers_are_the_other_responses_in_the_order_of_the_data() -> None:
    assert PeerPool.of([C, A, B]).peers_for(A.example) == (C, B)


def test_sources_are_the_same_if_only_white_space_differs() -> None:
    spaced = annotated("d", "It sat down.", source="  The cat\n\tsat. ")
    other = annotated("e", "It stood.", source="The cat sat")
    assert PeerPool.of([A, spaced, other]).peers_for(A.example) == (spaced,)


def test_a_response_with_the_same_text_under_another_id_is_no_peer() -> None:
    copy = annotated("copy", f"\n{A.example.response.text}  ")
    assert PeerPool.of([copy, B]).peers_for(A.example) == (B,)


def test_a_response_that_differs_in_where_there_is_space_is_no_peer() -> None:
    """A corpus may join sentences without the space that another has between them."""
    text = "It sat. Then it slept."
    copy = annotated("copy", "It sat.Then it\u00a0slept.", source="The cat sat .")
    shouted = annotated("loud", "IT SAT. THEN IT SLEPT.")
    pool = PeerPool.of([copy, shouted, B])
    assert pool.peers_for(annotated("x", text).example) == (shouted, B)


def test_a_response_with_the_same_id_and_another_text_is_no_peer() -> None:
    edited = annotated("a", "It sat, says a, edited.")
    assert PeerPool.of([edited, B]).peers_for(A.example) == (B,)


def test_the_same_id_under_another_source_hides_nothing() -> None:
    elsewhere = annotated("b", "It barked.", source="The dog barked.")
    assert PeerPool.of([elsewhere, B]).peers_for(A.example) == (B,)


def test_a_response_without_annotation_is_no_peer() -> None:
    score = Finding(Unit.response("x"), Verdict("response", score=0.4))
    scored = annotate(replace(B.example, id="s"), gold=[score])
    assert PeerPool.of([A, BARE, scored]).peers_for(C.example) == (A,)


def test_a_pool_without_annotated_responses_is_empty() -> None:
    assert not PeerPool.of([BARE])
    assert PeerPool.of([A])


def test_a_source_without_annotated_responses_has_no_peers() -> None:
    assert PeerPool.of([A, B]).peers_for(annotated("z", "x", "Another text.").example) == ()


def test_a_pool_does_not_change() -> None:
    pool = PeerPool.of([A])
    with pytest.raises(FrozenInstanceError):
        pool.digest = "0"  # type: ignore[misc]
    with pytest.raises(TypeError):
        pool.groups["0"] = ()  # type: ignore[index]


def test_a_lone_surrogate_in_a_text_is_no_obstacle() -> None:
    broken = annotated("s", "It \ud800 sat.", source="The \ud800 cat.")
    other = annotated("t", "It sat.", source="The \ud800 cat.")
    assert PeerPool.of([broken]).peers_for(other.example) == (broken,)


@pytest.mark.parametrize(
    "other",
    [
        [A],
        [B, A],
        [A, replace(B, example=replace(B.example, response=Response("It slept.")))],
        [A, annotate(B.example, gold=[whole("x", FAITHBENCH["benign"])])],
        [A, replace(B, example=replace(B.example, source=Source("The dog sat.")))],
        [A, replace(B, example=replace(B.example, question="Who sat?"))],
    ],
)
def test_the_digest_tells_pools_apart(other: list[Annotated]) -> None:
    assert PeerPool.of([A, B]).digest == PeerPool.of(iter([A, B])).digest
    assert PeerPool.of([A, B]).digest != PeerPool.of(other).digest


def bare(text: str) -> str:
    return "".join(text.split())


texts = st.sampled_from(
    ["It sat.", " It  sat.", "Itsat.", "It sat", "It stood.", "It sat. It stood.", ""]
)
sources = st.sampled_from(["The cat sat.", "The cat\nsat. ", "The dog."])
examples = st.builds(
    lambda id, response, source, has_gold: (
        annotated(str(id), response, source)
        if has_gold
        else Annotated(Example(str(id), Source(source), Response(response)))
    ),
    st.integers(0, 4),
    texts,
    sources,
    st.booleans(),
)


@given(st.lists(examples, max_size=12), examples)
def test_peers_are_all_others_to_the_source_and_never_the_response(
    data: list[Annotated], candidate: Annotated
) -> None:
    found = PeerPool.of(data).peers_for(candidate.example)
    said = bare(candidate.example.response.text)
    assert found == tuple(
        each
        for each in data
        if each.gold
        and bare(each.example.source.text) == bare(candidate.example.source.text)
        and not (each.id == candidate.id or bare(each.example.response.text) == said)
    )
