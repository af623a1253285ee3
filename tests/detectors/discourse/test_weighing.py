"""The scores of a sentence and its parts, set against each other."""

from assay.core.decision import Answers, decide
from assay.core.texts import Source
from assay.core.units import Unit
from assay.core.verdicts import Outcome, Verdict
from assay.detectors.discourse.ground import Ground
from assay.detectors.discourse.weighing import weigh
from assay.text.discourse.outline import outline
from tests.detectors.discourse.scripts import verdict

GROUND = Ground(Source("It rained. They left. Ben slept."))


def scored(text: str, score: float) -> Verdict:
    """What the model says of a statement with this score."""
    entailed = score >= 0.5
    answers = Answers(states_fact=True, entailed=entailed, explicit=True if entailed else None)
    return Verdict(Unit("sentence", text), decide(answers).label, score, answers=answers, note="N.")


def weighed(sentence: str, score: float, **parts: float) -> list[Outcome]:
    """The outcomes for a sentence with this score; the keywords are statements with theirs."""
    [found] = outline([Unit("sentence", sentence)])
    statements = {text.replace("_", " "): value for text, value in parts.items()}
    said: dict[str, Outcome] = {
        f"{text}.": scored(f"{text}.", value) for text, value in statements.items()
    }
    return weigh(found, scored(sentence, score), said, GROUND)


def labels(outcomes: list[Outcome]) -> list[tuple[str, str, str]]:
    return [
        (each.unit.kind, str(verdict(each).label), str(verdict(each).error)) for each in outcomes
    ]


GOOD, BAD = "explicitly-supported", "fabricated"


def test_link_is_to_blame_where_the_claims_are_found_and_the_sentence_is_not() -> None:
    found = weighed("They left because it rained.", 0.2, They_left=0.9, It_rained=0.8)
    assert labels(found) == [
        ("sentence", BAD, "fabricated-link"),
        ("claim", GOOD, "None"),
        ("claim", GOOD, "None"),
        ("relation", BAD, "fabricated-link"),
    ]
    assert verdict(found[0]).score == 0.2
    assert "The model finds its claims" in verdict(found[0]).note


def test_claim_is_to_blame_where_it_is_not_found() -> None:
    found = weighed("They left because it rained.", 0.2, They_left=0.9, It_rained=0.1)
    assert labels(found)[0] == ("sentence", BAD, "None")
    assert "The claim “It rained.”" in verdict(found[0]).note


def test_part_of_what_is_entailed_is_entailed() -> None:
    found = weighed("They left because it rained.", 0.7, They_left=0.1, It_rained=0.2)
    assert {label for _, label, _ in labels(found)} == {GOOD}
    assert [verdict(each).score for each in found] == [0.7] * 4


def test_of_several_links_the_one_that_is_not_found_is_to_blame() -> None:
    found = weighed(
        "They left because it rained, but Ben slept.",
        0.3,
        They_left=0.9,
        It_rained=0.9,
        Ben_slept=0.9,
        They_left_because_it_rained=0.8,
    )
    relations = [each for each in labels(found) if each[0] == "relation"]
    assert relations == [("relation", GOOD, "None"), ("relation", BAD, "fabricated-link")]
    assert "contrast:" in verdict(found[0]).note


def test_link_whose_words_may_say_something_else_has_no_kind_of_error() -> None:
    found = weighed("They left while it rained.", 0.2, They_left=0.9, It_rained=0.9)
    assert labels(found)[-1] == ("relation", BAD, "None")


def test_word_that_judges_is_to_blame_where_the_rest_is_found_without_it() -> None:
    found = weighed("The brave Ben slept.", 0.1, The_Ben_slept=0.9)
    assert labels(found)[0] == ("sentence", BAD, "semantic-reframing")
    assert labels(weighed("The brave Ben slept.", 0.1, The_Ben_slept=0.2))[0][2] == "None"


def test_statements_that_were_not_asked_about_follow_their_sentence() -> None:
    found = weighed("They left because it rained.", 0.9)
    assert {label for _, label, _ in labels(found)} == {GOOD}
