"""The scores of a sentence and its parts, set against each other."""

from assay.core.decision import Answers, decide
from assay.core.judgements import Finding
from assay.core.texts import Source
from assay.core.units import Unit, unit_id
from assay.core.verdicts import Outcome, Verdict
from assay.detectors.discourse.ground import Ground
from assay.detectors.discourse.offline import weigh
from assay.text.discourse.outline import outline
from tests.detectors.discourse.scripts import verdict

GROUND = Ground(Source("It rained. They left. Ben slept."))


def scored(score: float) -> Verdict:
    """What the model says of a statement with this score."""
    entailed = score >= 0.5
    answers = Answers(states_fact=True, entailed=entailed, explicit=True if entailed else None)
    return Verdict("s1", decide(answers).label, score, answers=answers, note="N.")


def sentences(*texts: str) -> list[Unit]:
    return [Unit(unit_id("sentence", n), "sentence", text) for n, text in enumerate(texts, 1)]


def weighed(sentence: str, score: float, **parts: float) -> list[Finding]:
    """What is said of a sentence with this score; the keywords are statements with theirs."""
    [found] = outline(sentences(sentence))
    statements = {text.replace("_", " "): value for text, value in parts.items()}
    said: dict[str, Outcome] = {f"{text}.": scored(value) for text, value in statements.items()}
    return weigh(found, scored(score), said, GROUND)


def labels(findings: list[Finding]) -> list[tuple[str, str, str]]:
    return [(each.kind, str(each.label), str(verdict(each).error)) for each in findings]


GOOD, BAD = "explicitly-supported", "fabricated"
LINKED = "implicitly-supported"  # words of both claims do not make a link explicit


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


def test_link_to_a_claim_that_follows_its_sentence_is_not_said_to_have_found_claims() -> None:
    found = weighed("They left because it rained.", 0.2, They_left=0.9)
    assert "The model finds its claims" not in " ".join(verdict(each).note for each in found)
    assert verdict(found[0]).error is None


def test_part_of_what_is_entailed_is_entailed() -> None:
    found = weighed("They left because it rained.", 0.7, They_left=0.1, It_rained=0.2)
    assert [label for _, label, _ in labels(found)] == [GOOD, GOOD, GOOD, LINKED]
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
    assert relations == [("relation", LINKED, "None"), ("relation", BAD, "fabricated-link")]
    assert "The contrast relation" in verdict(found[0]).note


def test_link_whose_words_may_say_something_else_has_no_kind_of_error() -> None:
    found = weighed("They left while it rained.", 0.2, They_left=0.9, It_rained=0.9)
    assert labels(found)[-1] == ("relation", BAD, "None")


def test_word_that_judges_is_to_blame_where_the_rest_is_found_without_it() -> None:
    found = weighed("The brave Ben slept.", 0.1, The_Ben_slept=0.9)
    assert labels(found)[0] == ("sentence", BAD, "semantic-reframing")
    assert labels(weighed("The brave Ben slept.", 0.1, The_Ben_slept=0.2))[0][2] == "None"


def test_statements_that_were_not_asked_about_follow_their_sentence() -> None:
    found = weighed("They left because it rained.", 0.9)
    assert [label for _, label, _ in labels(found)] == [GOOD, GOOD, GOOD, LINKED]


def test_label_and_evidence_are_those_of_the_part_to_blame_where_it_is_worse() -> None:
    ground = Ground(Source("The boiler failed. Ben slept. The school shut because drains leaked."))
    text = "The boiler failed because drains leaked."
    [found] = outline(sentences(text))
    said: dict[str, Outcome] = {
        each: scored(0.9) for each in ("The boiler failed.", "Drains leaked.")
    }
    sentence = verdict(weigh(found, scored(0.1), said, ground)[0])
    assert (str(sentence.label), str(sentence.error)) == ("contradicting", "scope-attachment")
    assert sentence.evidence[0].text == "The school shut because drains leaked."
    assert sentence.score == 0.1


def test_link_to_a_claim_that_is_not_found_leaves_its_sentence_as_it_is() -> None:
    _, this = outline(sentences("A dragon came.", "Therefore, they left."))
    said: dict[str, Outcome] = {"A dragon came.": scored(0.1)}
    found = weigh(this, scored(0.9), said, GROUND)
    assert labels(found) == [
        ("sentence", GOOD, "None"),
        ("claim", GOOD, "None"),
        ("relation", BAD, "None"),
    ]
    assert "a claim of an earlier sentence" in verdict(found[-1]).note


def test_link_across_sentences_says_that_the_model_was_not_asked() -> None:
    _, this = outline(sentences("It rained.", "Therefore, they left."))
    relation = verdict(weigh(this, scored(0.9), {}, GROUND)[-1])
    assert (str(relation.label), "was not asked" in relation.note) == (LINKED, True)


def test_fabricated_sentence_leaves_open_what_outside_knowledge_says() -> None:
    found = weighed("They left because it rained.", 0.2, They_left=0.9, It_rained=0.8)
    answers = verdict(found[0]).answers
    assert answers is not None
    assert (answers.contradicted, answers.entailed_with_knowledge) == (False, None)
