"""Claims under attribution, condition or aim are checked within their scope, not as facts."""

import pytest

from assay.core.judgements import Judgement
from assay.llm.client import Scripted
from tests.detectors.discourse.literal import Literal
from tests.detectors.discourse.scripts import (
    Claim,
    Link,
    example,
    failure,
    of_kind,
    open_discourse,
    taken_apart,
    verdict,
)
from tests.judging import judge_one

LANE = "Dr Lane said the vaccine is safe for children."
LEVY = "If the levy passes, the library will open on Sundays."
MAYOR = "The mayor said that if it rains the fair will move."
TRAM = "The city raised the fare in order to repair the tram."
SAFE: Claim = (1, "The vaccine is safe for children.", "the vaccine is safe for children")
SAFE_SAID: Claim = (*SAFE, "Dr Lane said")
IF: Link = (1, 2, "condition", "if")


def judged(
    source: str, response: str, claims: tuple[Claim, ...], links: tuple[Link, ...] = ()
) -> tuple[Judgement, Literal]:
    """A response judged by a model that takes the prompts at their word."""
    model = Literal(taken_apart(claims, links))
    return judge_one(open_discourse(Scripted(model)), example(source, response)), model


def labels(judgement: Judgement) -> list[str]:
    return [str(each.label) for each in of_kind(judgement, "sentence")]


def test_attributed_and_conditional_sentences_of_the_source_are_supported() -> None:
    text = f"{LANE} {LEVY}"
    claims: tuple[Claim, ...] = (
        SAFE_SAID,
        (2, "The levy passes.", "the levy passes", "If"),
        (2, "The library will open on Sundays.", "the library ... Sundays", "If the levy passes"),
    )
    judgement, model = judged(text, text, claims, ((2, 3, "condition", "If"),))
    assert labels(judgement) == ["explicitly-supported"] * 2
    assert model.asked["claims"].splitlines() == [
        "1. The vaccine is safe for children. [within: “Dr Lane said”]",
        "2. The levy passes. [within: “If”]",
        "3. The library will open on Sundays. [within: “If the levy passes”]",
    ]
    assert {str(verdict(each).label) for each in judgement.findings} == {"explicitly-supported"}


@pytest.mark.parametrize(
    ("response", "claims", "links"),
    [
        (
            MAYOR,
            (
                (1, "It rains.", "it rains", "The mayor said that if"),
                (1, "The fair will move.", "the fair will move", "The mayor said that if it rains"),
            ),
            (IF,),
        ),
        (  # the condition is left to the relation
            MAYOR,
            (
                (1, "It rains.", "it rains", "The mayor said that"),
                (1, "The fair will move.", "the fair will move", "The mayor said that"),
            ),
            (IF,),
        ),
        (  # so is the speaker
            MAYOR,
            (
                (1, "It rains.", "it rains"),
                (1, "The fair will move.", "the fair will move"),
                (1, "The mayor said so.", "The mayor said"),
            ),
            (IF, (3, 2, "attribution", "said that")),
        ),
        (
            TRAM,
            (
                (1, "The city raised the fare.", "The city raised the fare"),
                (1, "The city repairs the tram.", "repair the tram", "in order to"),
            ),
            ((1, 2, "purpose", "in order to"),),
        ),
        (
            TRAM,
            (
                (1, "The city raised the fare.", "The city raised the fare"),
                (1, "The city repairs the tram.", "repair the tram"),
            ),
            ((1, 2, "purpose", "in order to"),),
        ),
        (
            "The board planned to close the mill.",
            ((1, "The board closed the mill.", "The board ... close the mill", "planned to"),),
            (),
        ),
        (
            "The board denied that the mill will close.",
            ((1, "The mill will close.", "the mill will close", "The board denied that"),),
            (),
        ),
        (
            "Ana said the fair moved because it rained.",
            (
                (1, "The fair moved.", "the fair moved", "Ana said"),
                (1, "It rained.", "it rained", "Ana said"),
            ),
            ((2, 1, "cause", "because"),),
        ),
    ],
)
def test_sentence_of_the_source_is_supported_whatever_its_claims_stand_under(
    response: str, claims: tuple[Claim, ...], links: tuple[Link, ...]
) -> None:
    judgement, model = judged(response, response, claims, links)
    assert labels(judgement) == ["explicitly-supported"], model.asked


def test_condition_that_somebody_names_is_said_by_them_too() -> None:
    claims: tuple[Claim, ...] = (
        (1, "It rains.", "it rains"),
        (1, "The fair will move.", "the fair will move"),
        (1, "The mayor spoke.", "The mayor said"),
    )
    _, model = judged(MAYOR, MAYOR, claims, (IF, (3, 2, "attribution", "said that")))
    assert model.asked["claims"].splitlines()[:2] == [
        "1. It rains. [within: as a condition for: The fair will move; said: The mayor spoke]",
        "2. The fair will move. [within: if: It rains; said: The mayor spoke]",
    ]


def test_relation_is_sent_with_the_scope_of_its_claims() -> None:
    claims: tuple[Claim, ...] = (
        (1, "It rains.", "it rains", "The mayor said that if"),
        (1, "The fair will move.", "the fair will move", "The mayor said that if it rains"),
    )
    _, model = judged(MAYOR, MAYOR, claims, (IF,))
    assert model.asked["relations"] == (
        "1. condition: It rains → The fair will move (“if”) [within: “The mayor said that”]"
    )
    one = "Ana said the fair moved, but it rained."
    _, model = judged(
        one,
        one,
        ((1, "The fair moved.", "the fair moved", "Ana said"), (1, "It rained.", "it rained")),
        ((1, 2, "contrast", "but"),),
    )
    assert "(“but”) [within: the first: “Ana said”]" in model.asked["relations"]


def test_dropped_attribution_is_hedging_removal() -> None:
    text = "The vaccine is safe for children."
    judgement, _ = judged(LANE, text, ((1, text, text),))
    sentence = verdict(judgement.findings[0])
    assert (str(sentence.label), str(sentence.error)) == ("fabricated", "hedging-removal")


def test_dropped_condition_is_hedging_removal() -> None:
    text = "The library will open on Sundays."
    judgement, _ = judged(LEVY, text, ((1, text, text),))
    assert str(verdict(judgement.findings[0]).error) == "hedging-removal"


def test_another_speaker_is_the_wrong_scope() -> None:
    text = "Dr Moore said the vaccine is safe for children."
    claims = (
        (1, "The vaccine is safe for children.", "the vaccine ... children", "Dr Moore said"),
    )
    judgement, _ = judged(f"{LANE} Dr Moore was ill.", text, claims)
    sentence = verdict(judgement.findings[0])
    assert (str(sentence.label), str(sentence.error)) == ("contradicting", "scope-attachment")


def test_words_of_a_scope_are_not_lost_and_cover_a_condition_but_no_cause() -> None:
    claims = (
        (1, "The library will open on Sundays.", "the library ... Sundays", "If the levy passes"),
    )
    judgement, _ = judged(LEVY, LEVY, claims)
    assert labels(judgement) == ["explicitly-supported"]
    text = "The fair moved because it rained."
    hidden = ((1, "The fair moved.", "The fair moved", "because it rained"),)
    judgement, _ = judged(text, text, hidden)
    assert "No relation covers: “because”." in failure(judgement.findings[0]).detail


@pytest.mark.parametrize(
    ("scope", "is_usable"),
    [
        ("said by Dr Lane", True),
        ("Dr Lane ... said", True),
        ("rumours in Paris", False),
        ("none", True),
    ],
)
def test_scope_in_other_words_is_taken_if_they_are_the_responses(
    scope: str, is_usable: bool
) -> None:
    judgement, _ = judged(LANE, LANE, ((*SAFE, scope),))
    [claim] = of_kind(judgement, "claim")
    assert (claim.verdict is not None) == is_usable
    if not is_usable:
        assert "its scope “rumours in Paris” says what the response does not" in claim.note


@pytest.mark.parametrize(
    ("text", "scope", "shown"),
    [
        (LANE, "Dr Lane said the vaccine is safe for children.", " [within: “Dr Lane said”]"),
        (f"So {SAFE[2]}.", "the vaccine is safe for children", ""),
        (f"So {SAFE[2]}.", "None", ""),
    ],
)
def test_words_of_the_claim_itself_are_no_scope(text: str, scope: str, shown: str) -> None:
    _, model = judged(text, text, ((*SAFE, scope),))
    assert model.asked["claims"] == f"1. {SAFE[1]}{shown}"


@pytest.mark.parametrize(
    ("text", "claims", "within"),
    [
        (LANE, (SAFE,), ["“Dr Lane said”"]),
        (
            "The vaccine is safe, Dr Lane said.",
            ((1, "The vaccine is safe.", "The vaccine is safe"),),
            ["“Dr Lane said”"],
        ),
        (
            LEVY,
            (
                (1, "The levy passes.", "the levy passes"),
                (1, "The library will open on Sundays.", "the library will open on Sundays"),
            ),
            ["“If”", "“If the levy passes”"],
        ),
        (
            "The library will open if the levy passes.",
            (
                (1, "The library will open.", "The library will open"),
                (1, "The levy passes.", "the levy passes"),
            ),
            ["“if the levy passes”", "“if”"],
        ),
        (
            MAYOR,
            (
                (1, "It rains.", "it rains"),
                (1, "The fair will move.", "the fair will move", "The mayor said that if it rains"),
            ),
            ["“The mayor said ... if”", "“The mayor said that if it rains”"],
        ),
    ],
)
def test_speaker_and_condition_that_the_model_names_nowhere_are_the_scope_all_the_same(
    text: str, claims: tuple[Claim, ...], within: list[str]
) -> None:
    judgement, model = judged(text, text, claims)
    assert labels(judgement) == ["explicitly-supported"]
    assert "covers" not in verdict(judgement.findings[0]).note
    assert model.asked["claims"].splitlines() == [
        f"{n}. {claim[1]} [within: {words}]"
        for n, (claim, words) in enumerate(zip(claims, within, strict=True), 1)
    ]


@pytest.mark.parametrize(
    ("text", "claims", "links"),
    [
        (LANE, ((1, LANE, LANE),), ()),
        (
            LEVY,
            ((1, "The levy passes.", "the levy passes"), (1, "It opens.", "library will open")),
            ((1, 2, "condition", ""),),
        ),
        ("It rained, and Ann said so.", ((1, "It rained.", "It rained"),), ()),
        (  # whom the model lets speak for one claim does not speak for the other
            "Ann said the fair moved, but it rained.",
            ((1, "The fair moved.", "the fair moved", "Ann said"), (1, "It rained.", "it rained")),
            ((1, 2, "contrast", "but"),),
        ),
    ],
)
def test_words_that_a_claim_or_relation_covers_or_that_limit_no_claim_are_no_scope(
    text: str, claims: tuple[Claim, ...], links: tuple[Link, ...]
) -> None:
    _, model = judged(text, text, claims, links)
    assert "[within: “" not in model.asked["claims"].splitlines()[-1]


def test_another_speaker_that_the_model_does_not_name_is_the_wrong_scope_all_the_same() -> None:
    judgement, _ = judged(f"{LANE} Dr Moore was ill.", LANE.replace("Lane", "Moore"), (SAFE,))
    assert str(verdict(judgement.findings[0]).error) == "scope-attachment"
