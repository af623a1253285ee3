"""Claims and sentences that outside knowledge settles together."""

from dataclasses import replace

from assay.core.examples import Example
from assay.core.judgements import Author, Finding, Judgement
from assay.core.taxonomies import ERROR5, GRAY7
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.core.verdicts import Attributes, Failure, Verdict
from assay.detectors.combinators.consultation import Searched
from assay.detectors.protocol import judgement_of
from assay.knowledge import FetchError, KnowledgePassage
from tests.detectors.combinators.test_consultation import (
    BAD,
    JACKET,
    RULES,
    SENTENCE,
    SOURCE,
    WHOLE,
)

EXAMPLE = Example("1", Source(SOURCE), Response(SENTENCE))


PART = Unit("s1.c1", "claim", "Nicklaus won the Masters.", parent="s1")


OTHER = Unit("s2.c1", "claim", "Nicklaus rested.", parent="s2")


def says(*pairs: tuple[Unit, Verdict]) -> Judgement:
    return judgement_of(EXAMPLE, Author("a"), (Finding(*pair) for pair in pairs))


def looked_up(
    *again: tuple[Unit, str], found: tuple[KnowledgePassage, ...] | FetchError = (JACKET,)
) -> list[Verdict]:
    """A fabricated sentence, its claim and one of another sentence; only the first is searched."""
    by_hand = Attributes(backend="by hand")
    first = says(
        (WHOLE, Verdict("s1", BAD, note="Not said.", error=ERROR5["fabricated-link"])),
        (OTHER, Verdict(OTHER.id, BAD, note="Not said.")),
        (PART, Verdict(PART.id, BAD, note="Not said.", attributes=by_hand)),
    )
    said = ((WHOLE, "implicitly-supported"), *again)
    second = says(*((unit, Verdict(unit.id, GRAY7[label])) for unit, label in said))
    searched = Searched(EXAMPLE, first, {"s1": found}, "the shelf")
    settled = searched.settle([second] if isinstance(found, tuple) and found else [])
    return list(settled.verdicts)


def test_an_out_dependent_sentence_has_no_kind_of_error() -> None:
    sentence, _, _ = looked_up()
    assert (sentence.label, sentence.error) == (GRAY7["out-dependent"], None)
    assert sentence.external == (JACKET.evidence,)


def test_claims_of_a_sentence_that_was_looked_up_are_settled_with_it() -> None:
    sentence, other, claim = looked_up((PART, "explicitly-supported"))
    assert (str(sentence.label), str(claim.label)) == ("out-dependent", "out-dependent")
    assert claim.external == (JACKET.evidence,)
    assert (other.label, other.note) == (BAD, "Not said.")  # its sentence was not looked up
    sentence, _, claim = looked_up((PART, "fabricated"), found=(JACKET, RULES))
    assert (str(sentence.label), str(claim.label)) == ("out-dependent", "fabricated")
    assert "What the shelf says does not support it." in claim.note
    nothing = looked_up(found=())
    assert "Nothing about it was found in the shelf." in nothing[2].note


def test_claim_that_the_second_answer_does_not_have_says_that_only_its_sentence_was_asked() -> None:
    changed = replace(PART, text="Nicklaus won something.")  # another claim under the same id
    for again in ((), ((changed, "explicitly-supported"),)):
        _, _, claim = looked_up(*again)
        assert claim.label == BAD
        assert claim.note == "Not said. Only its sentence was looked up in the shelf."
        assert claim.attributes == Attributes(backend="by hand", consulted="the shelf")


def test_claim_of_a_sentence_whose_search_failed_keeps_its_verdict() -> None:
    other, claim = looked_up(found=FetchError("timeout", "too slow"))
    assert [other.unit, claim.unit] == [OTHER.id, PART.id]
    assert claim.label == BAD


def test_a_verdict_that_quotes_nothing_cites_all_that_was_found_and_says_so() -> None:
    sentence, _, _ = looked_up()
    assert sentence.external == (JACKET.evidence,)
    assert "It quotes none of what was found, so all of it is cited." in sentence.note


def test_sentences_without_a_verdict_are_not_looked_up() -> None:
    first = says((WHOLE, Failure("s1", "parse")))  # type: ignore[arg-type]
    assert Searched(EXAMPLE, first, {}, "the shelf").settle([]) == first
