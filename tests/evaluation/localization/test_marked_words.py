"""The words that a detector marks against those that people marked."""

import asyncio
from dataclasses import replace

from assay.core.examples import Annotated
from assay.core.judgements import Judgement
from assay.core.taxonomies import GRAY7
from assay.core.texts import Span
from assay.core.units import Unit
from assay.core.verdicts import Failure, Verdict
from assay.evaluation.localization.evaluation import Part, evaluate_localizer, select
from assay.evaluation.localization.inconsistencies import predicted_inconsistencies
from assay.evaluation.localization.matchers import OfflineMatcher
from assay.evaluation.localization.measures import MarkedWords, measure_marks
from assay.evaluation.policy import GoldPolicy
from assay.metrics import Estimate, Hits, Resampling
from tests.evaluation.localization.stories import WRECK, failed, gold, predictions, said, unit

TEXT = WRECK.response.text
HOW = Resampling(replicates=50)


def span(words: str) -> Span:
    start = TEXT.index(words)
    return Span.cut(TEXT, start, start + len(words), "response")


def response(id: str, *errors: str, task: str = "") -> Annotated:
    """A response of which people marked some words as wrong."""
    example = replace(WRECK, id=id, task=task, source=replace(WRECK.source, id=id))
    return gold(example, *(unit(f"no {each}", each) for each in errors))


def sentence(annotated: Annotated, *marks: str, label: str = "fabricated") -> Judgement:
    """A verdict on the only sentence of a response, with marks."""
    whole = Unit.at("sentence", span(TEXT), "s1")
    verdict = Verdict("s1", GRAY7[label], 0.1, marks=tuple(map(span, marks)))
    return said(annotated.example, [whole], [verdict])


def measured(corpus: list[Annotated], *judgements: Judgement) -> MarkedWords:
    found = measure_marks(corpus, predictions(*judgements), GoldPolicy(), HOW)
    assert found is not None
    return found


def values(figures: dict[str, Estimate]) -> list[float | None]:
    return [each.value for each in figures.values()]


def test_characters_and_responses_are_counted_over_all_responses() -> None:
    corpus = [response("1", "in Vardia", "silver"), response("2"), response("3", "silver")]
    found = measured(
        corpus,
        sentence(corpus[0], "Vardia"),  # 6 of 9 + 6 characters
        sentence(corpus[1], "coast"),  # 5 characters too many
        sentence(corpus[2], "silver wreck"),  # 6 of 6 characters, and 6 too many
    )
    # 12 of 23 characters are right, and 12 of 21 are found; all three are marked, two rightly.
    assert values(found.characters) == [12 / 23, 12 / 21, 24 / 44]
    assert values(found.examples) == [2 / 3, 1, 0.8]
    assert (found.responses, found.coverage, found.is_whole) == (3, 1, False)
    assert found.characters["F1"].n == 3


def test_sentence_without_marks_counts_nothing_where_a_detector_marks() -> None:
    corpus = [response("1", "silver"), response("2", "silver")]
    found = measured(corpus, sentence(corpus[0], "silver"), sentence(corpus[1]))
    assert values(found.characters) == [1, 0.5, 2 / 3]
    assert values(found.examples) == [1, 0.5, 2 / 3]


def test_detector_that_marks_nothing_is_measured_by_what_it_calls_unfaithful() -> None:
    corpus = [response("1", "silver"), response("2")]
    right = sentence(corpus[1], label="explicitly-supported")
    found = measured(corpus, sentence(corpus[0]), right)
    assert found.is_whole
    assert values(found.characters) == [6 / len(TEXT), 1, 12 / (6 + len(TEXT))]
    assert values(found.examples) == [1, 1, 1]


def test_detector_that_can_mark_is_measured_by_marks_even_if_it_has_none() -> None:
    corpus = [response("1", "silver"), response("2")]
    run = predictions(*map(sentence, corpus), parameters={"marks": True})
    found = measure_marks(corpus, run, GoldPolicy(), HOW)
    assert found is not None
    assert not found.is_whole
    assert [found.characters["recall"].value, found.examples["recall"].value] == [0, 0]


def test_whether_a_file_has_marks_does_not_hang_on_the_part_that_is_measured() -> None:
    corpus = [response("1", "silver"), response("2", "silver")]
    run = predictions(sentence(corpus[0]), sentence(corpus[1], "silver"))
    for part in (corpus, corpus[:1]):
        found = measure_marks(part, run, GoldPolicy(), HOW)
        assert found is not None
        assert not found.is_whole


def test_failures_are_counted_and_not_scored() -> None:
    corpus = [response("1", "silver"), response("2", "silver")]
    found = measured(corpus, sentence(corpus[0], "silver"), failed(corpus[1]))
    assert (found.coverage, dict(found.failures)) == (0.5, {"parse": 1})
    assert values(found.characters) == [1, 1, 1]


def test_errors_without_a_place_leave_their_response_out() -> None:
    nowhere = response("2")
    vague = gold(nowhere.example, unit("It is vague."))
    corpus = [response("1", "silver"), vague]
    found = measured(corpus, sentence(corpus[0], "silver"), sentence(vague, "coast"))
    assert (found.unplaced, found.responses) == (1, 1)
    assert measure_marks([vague], predictions(sentence(vague)), GoldPolicy(), HOW) is None


def test_tasks_have_figures_of_their_own() -> None:
    corpus = [response("1", "silver", task="qa"), response("2", "silver", task="summary")]
    found = measured(corpus, sentence(corpus[0], "silver"), sentence(corpus[1], "coast"))
    assert {task: values(each.characters)[2] for task, each in found.tasks.items()} == {
        "qa": 1,
        "summary": 0,
    }
    assert found.to_dict()["tasks"]["qa"]["characters"]["F1"]["n"] == 1


def test_each_mark_is_a_prediction_instead_of_its_sentence() -> None:
    judgement = sentence(response("1"), "Vardia", "silver")
    found = predicted_inconsistencies(judgement)
    assert not isinstance(found, Failure)
    assert [[each.text for each in one.unit.spans] for one in found] == [["Vardia"], ["silver"]]
    assert all(one.is_made for one in found)


def test_report_of_a_localizer_has_them_beside_what_is_matched() -> None:
    corpus = [response("1", "silver"), response("2", "coast")]
    run = predictions(sentence(corpus[0], "silver"), sentence(corpus[1], "coast"), examples=2)
    selected = select("d", corpus, Part(), [run])
    report = asyncio.run(evaluate_localizer("d", selected, run, OfflineMatcher()))
    assert report.to_dict()["marked_words"]["characters"]["F1"]["value"] == 1
    assert report.localization.hits == Hits(2, 2, 2)  # each mark is at the words of an error
