"""A matcher against annotators: rounds, agreement, and the fitted thresholds."""

import asyncio
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import Author, Judgement
from assay.core.taxonomies import FAITHBENCH
from assay.core.texts import Span
from assay.core.units import Unit
from assay.core.verdicts import Attributes, Verdict
from assay.evaluation.localization.agreement import (
    Agreement,
    Round,
    annotator_rounds,
    is_development,
    measure_matcher,
    measure_on_annotators,
)
from assay.evaluation.localization.changes import Wordings
from assay.evaluation.localization.gold import gold_inconsistencies, said_by_people
from assay.evaluation.localization.inconsistencies import Inconsistency, shared_characters
from assay.evaluation.localization.matchers import APART, WORDING, LlmMatcher, OfflineMatcher
from assay.evaluation.localization.matching import Matcher, Matches, matching_agreement
from assay.llm.client import Scripted
from assay.metrics import Hits
from tests.evaluation.localization.stories import WRECK

pytestmark = pytest.mark.slow

TEXT = WRECK.response.text


def marks(author: str, *given: tuple[str, str, str]) -> Judgement:
    """Marks of one annotator: the id of each, the words, and what is said of them."""
    units, verdicts = [], []
    for id, words, explanation in given:
        start = TEXT.index(words)
        units.append(Unit.at("span", Span.cut(TEXT, start, start + len(words), "response"), id))
        attributes = Attributes(explanation=explanation)
        verdicts.append(Verdict(id, FAITHBENCH["unwanted"], attributes=attributes))
    return Judgement(WRECK.id, Author(author, "person"), tuple(units), tuple(verdicts))


NOTED = Annotated(
    WRECK,
    (
        marks(
            "ann",
            ("p1", "in Vardia", "No country is named."),
            ("p2", "silver", "There was no silver."),
        ),
        marks(
            "bob",
            ("p3", "a silver wreck", "It held no silver."),
            ("p4", "southern coast", "Not the coast."),
        ),
        marks("cy", ("p5", "Guards", "")),
    ),
)


def measured(matcher: Matcher, given: list[Round]) -> Agreement:
    return asyncio.run(measure_matcher(matcher, given))


def test_each_annotator_is_gold_for_each_other_who_wrote_notes() -> None:
    first, second = annotator_rounds([NOTED])
    # Ann's errors as gold: Bob's first shares words with her second, his second with none.
    assert (first.matches, second.matches) == ((1, None), (None, 0))
    assert [each.description for each in first.predicted] == [
        "It held no silver.",
        "Not the coast.",
    ]
    assert all(each.unit.spans for each in first.gold)
    assert not any(each.unit.spans for each in (*first.predicted, *second.predicted))


def test_gold_can_be_shown_without_its_place_as_well() -> None:
    first, _ = annotator_rounds([NOTED], placed_gold=False)
    assert not any(each.unit.spans for each in first.gold)
    assert first.matches == (1, None)


def test_matcher_is_measured_by_the_matches_that_it_finds() -> None:
    agreement = measured(OfflineMatcher(), list(annotator_rounds([NOTED])))
    # Each round has one match, and the shared word "silver" finds both; no other word is shared.
    assert agreement.hits == Hits(found=2, predicted=2, gold=2)
    assert (agreement.rounds, agreement.failures) == (2, {})


def test_round_that_a_matcher_fails_on_is_counted_and_left_out() -> None:
    right = '{"A": "B", "B": null}'
    agreement = measured(LlmMatcher(Scripted([right, "?", "?"])), list(annotator_rounds([NOTED])))
    assert agreement.hits == Hits(found=1, predicted=1, gold=1)
    assert agreement.failures == {"parse": 1}
    assert agreement.figures["precision"].n == 1


def test_halves_go_by_source() -> None:
    sources = [replace(WRECK, source=replace(WRECK.source, id=str(n))) for n in range(200)]
    assert 70 < sum(map(is_development, sources)) < 130
    assert is_development(sources[0]) is is_development(replace(sources[0], id="other"))


def test_both_halves_are_measured_with_and_without_the_place_of_gold() -> None:
    parts = asyncio.run(measure_on_annotators("d", [NOTED], OfflineMatcher()))
    assert list(parts) == [
        "development, words only",
        "development, words, gold also by place",
        "held out, words only",
        "held out, words, gold also by place",
    ]
    assert sum(part.rounds for part in parts.values()) == 4
    with pytest.raises(InputError, match="no response with notes of two annotators"):
        asyncio.run(measure_on_annotators("d", [Annotated(WRECK)], OfflineMatcher()))


# The released annotations.

Load = Callable[[str], list[Annotated]]


@pytest.fixture(scope="module")
def load(shared_data: Path) -> Load:
    from assay.datasets.corpus import load_corpus

    return lambda name: list(load_corpus(name, shared_data))


def rounds(corpus: list[Annotated], *, development: bool, placed: bool) -> list[Round]:
    some = [each for each in corpus if is_development(each.example) is development]
    return list(annotator_rounds(some, placed_gold=placed))


def match_all(
    matcher: OfflineMatcher,
    given: list[tuple[Sequence[Inconsistency], Sequence[Inconsistency], Example]],
) -> list[Matches]:
    async def match() -> list[Matches]:
        return [await matcher.match(*each) for each in given]

    return asyncio.run(match())


def hits(matcher: OfflineMatcher, given: list[Round]) -> Hits:
    said = match_all(matcher, [(r.gold, r.predicted, r.example) for r in given])
    return matching_agreement(zip((r.matches for r in given), said, strict=True))


@pytest.mark.shared_data
def test_threshold_of_wording_is_the_best_on_the_development_half(load: Load) -> None:
    examples = load("faithbench")
    given = [
        each
        for placed in (False, True)
        for each in rounds(examples, development=True, placed=placed)
    ]
    f1 = {
        t: hits(OfflineMatcher(wording=t), given).f1 or 0.0 for t in (0.06, 0.09, 0.12, 0.15, 0.2)
    }
    assert max(f1, key=lambda threshold: f1[threshold]) == WORDING


def compared(annotated: Annotated) -> Iterator[tuple[float, bool]]:
    """How alike the notes of two annotators are, and whether their marks share words."""
    wordings = Wordings(annotated.example.response.text)
    notes = [
        each for each in said_by_people(annotated) if each.unit.kind == "span" and each.explanation
    ]
    for one, other in itertools.combinations(notes, 2):
        if one.author != other.author:
            alike = wordings.similarity(one.explanation, other.explanation)
            yield alike, shared_characters(one.unit, other.unit) > 0


@pytest.mark.shared_data
def test_threshold_for_other_words_is_the_first_at_which_95_percent_share_words(load: Load) -> None:
    development = [each for each in load("faithbench") if is_development(each.example)]
    pairs = [pair for annotated in development for pair in compared(annotated)]
    shares = {}
    for step in range(2, 12):
        enough = [shares_words for alike, shares_words in pairs if alike >= step / 20]
        shares[step / 20] = sum(enough) / len(enough)
    assert min(threshold for threshold, share in shares.items() if share >= 0.95) == APART


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("placed", "precision", "recall"), [(False, 0.840, 0.633), (True, 0.849, 0.749)]
)
def test_figures_of_the_documentation_are_those_of_the_held_out_half(
    load: Load, placed: bool, precision: float, recall: float
) -> None:
    given = rounds(load("faithbench"), development=False, placed=placed)
    found = hits(OfflineMatcher(), given)
    assert (len(given), found.gold) == (600, 713)
    assert found.precision == pytest.approx(precision, abs=0.0005)
    assert found.recall == pytest.approx(recall, abs=0.0005)


@pytest.mark.shared_data
def test_instruction_of_defacto_is_matched_with_the_explanation_it_belongs_to(load: Load) -> None:
    examples = [each for each in load("defacto") if gold_inconsistencies(each)]
    instructions = [
        Inconsistency(Unit("i1", "inconsistency", said.attributes.instruction))
        for each in examples
        for said in said_by_people(each)[:1]
    ]
    shares = []
    for shift in (0, 1):  # to its own explanation, and to that of the next response
        given: list[tuple[Sequence[Inconsistency], Sequence[Inconsistency], Example]] = [
            (gold_inconsistencies(each) or (), [instructions[place - shift]], each.example)
            for place, each in enumerate(examples)
        ]
        matched = match_all(OfflineMatcher(), given)
        shares.append(sum(match != (None,) for match in matched) / len(examples))
    assert len(examples) == 1_042
    assert shares[0] == pytest.approx(0.943, abs=0.01)
    assert shares[1] < 0.08


def test_constants_are_shown_in_the_documentation() -> None:
    page = Path(__file__).resolve().parents[3] / "docs" / "localization.md"
    text = page.read_text(encoding="utf-8")
    assert f"{WORDING:.2f}" in text
    assert f"{APART:.2f}" in text
