"""Decompositions that lose or invent text: typed failures, never a guess."""

import json
from dataclasses import replace
from typing import Any

import pytest

from assay.core.examples import Example
from assay.core.texts import Response
from assay.core.units import Unit
from assay.detectors.discourse.decomposition import MOST_PER_SENTENCE
from assay.llm.client import CallError, Line
from assay.text.sentences import find_sentences
from tests.detectors.discourse.scripts import (
    GOOD,
    Claim,
    Link,
    Model,
    entry,
    example,
    failure,
    hear,
    of_kind,
    taken_apart,
    verdict,
)

SOURCE = "The ferry was closed as the quay was wet. The mayor came at noon."
RESPONSE = "The ferry closed because the quay was wet. The mayor came at noon. Shall I go on?"
CLOSED: Claim = (1, "The ferry closed.", "The ferry closed")
WET: Claim = (1, "The quay was wet.", "the quay was wet")
MAYOR: Claim = (2, "The mayor came at noon.", "The mayor came at noon")
CAUSE: Link = (2, 1, "cause", "because")
FERRY = example(SOURCE, RESPONSE)


def taken(
    claims: tuple[Claim, ...] = (CLOSED, WET, MAYOR),
    links: tuple[Link, ...] = (CAUSE,),
    given: Example = FERRY,
) -> tuple[list[str], list[str], list[str]]:
    """Labels of the sentences, details of failed claims, and of failed relations."""
    judgement = hear(Model(taken_apart(claims, links, [3]), [GOOD] * 9, [GOOD] * 9), given)
    labels = [str(each.label) for each in of_kind(judgement, "sentence")]
    lost_claims, lost_links = (
        [each.note for each in of_kind(judgement, kind) if each.failure]
        for kind in ("claim", "relation")
    )
    return labels, lost_claims, lost_links


def test_good_decomposition_leaves_nothing_over() -> None:
    supported = "explicitly-supported"
    assert taken() == ([supported, supported, "no-fact"], [], [])


def test_sentence_may_be_named_by_its_text() -> None:
    first, second, _ = find_sentences(RESPONSE)
    named: Any = [(first.text, *CLOSED[1:]), (first.text, *WET[1:]), (second.text, *MAYOR[1:])]
    assert taken(tuple(named)) == taken()


@pytest.mark.parametrize(
    ("claim", "detail"),
    [
        ((1, "The ferry sank.", "The ferry sank"), "“The ferry sank” is not in sentence 1"),
        ((2, "The ferry closed.", "The ferry closed"), "is not in sentence 2"),
        ((9, "The ferry closed.", "The ferry closed"), "there is no sentence 9"),
        ((1, "The ferry closed in 1987.", "The ferry closed"), "it says 1987"),
        ((1, "Pirates robbed the old bank.", "The ferry closed"), "does not say: Pirates, robbed"),
        ((1, "The ferry closed.", " "), "it quotes no words"),
        ((1, " ", "The ferry closed"), "it says nothing"),
        (CLOSED, "it is listed twice"),
    ],
)
def test_claim_that_does_not_align_is_a_failure_of_that_claim(claim: Claim, detail: str) -> None:
    labels, claims, relations = taken((CLOSED, WET, MAYOR, claim))
    assert labels == ["explicitly-supported", "explicitly-supported", "no-fact"]
    assert len(claims) == 1
    assert detail in claims[0]
    assert relations == []


def test_failed_claim_keeps_what_the_model_said_and_has_no_place() -> None:
    claims = (CLOSED, WET, MAYOR, (1, "The ferry sank.", "The ferry sank"))
    judgement = hear(Model(taken_apart(claims, (CAUSE,)), [GOOD] * 3, [GOOD]), FERRY)
    failed = next(each for each in judgement.findings if each.failure)
    assert (failure(failed).reason, failed.unit.spans) == ("parse", ())
    assert json.loads(failure(failed).raw)["claim"] == "The ferry sank."
    assert (failed.id, failed.unit.parent) == ("s1.c3", "s1")
    assert failed.text in verdict(judgement.findings[0]).note


def test_sentence_of_which_much_is_lost_stays_open() -> None:
    judgement = hear(Model(taken_apart((CLOSED, MAYOR), (), [3]), [GOOD] * 2), FERRY)
    first, second, _ = of_kind(judgement, "sentence")
    assert failure(first).reason == "missing"
    assert "No claim covers: quay wet." in failure(first).detail
    assert "No claim covers" not in verdict(second).note


def test_sentence_of_which_much_is_lost_is_unfaithful_if_the_rest_is() -> None:
    model = Model(taken_apart((CLOSED, MAYOR), (), [3]), [entry("contradicting"), GOOD])
    first = verdict(hear(model, FERRY).findings[0])
    assert str(first.label) == "contradicting"
    assert "No claim covers: quay wet." in first.note


def test_single_word_that_is_lost_is_told_and_one_that_a_claim_says_elsewhere_is_not() -> None:
    given = example(SOURCE, "The old ferry closed at the wet quay of the harbour today.")
    claims = (
        (1, "The ferry closed at the harbour's wet quay today.", "ferry closed at the wet quay"),
    )
    sentence = verdict(hear(Model(taken_apart(claims), [GOOD]), given).findings[0])
    assert "No claim covers: old." in sentence.note


@pytest.mark.parametrize(
    ("links", "is_open"), [((), True), ((CAUSE,), False), (((2, 1, "cause", ""),), False)]
)
def test_connective_that_no_relation_names_leaves_its_sentence_open(
    links: tuple[Link, ...], is_open: bool
) -> None:
    judgement = hear(
        Model(taken_apart((CLOSED, WET, MAYOR), links, [3]), [GOOD] * 3, [GOOD] * len(links)), FERRY
    )
    first = judgement.findings[0]
    assert (first.failure is not None) == is_open
    if is_open:
        assert "No relation covers: “because”." in failure(first).detail


@pytest.mark.parametrize("words", ["Er ging", "Er ging, weil es den ganzen Tag regnete"])
def test_text_that_is_lost_in_another_language_leaves_its_sentence_open(words: str) -> None:
    given = replace(
        example("Es regnete.", "Er ging, weil es den ganzen Tag regnete."), language="de"
    )
    judgement = hear(Model(taken_apart(((1, "Er ging.", words),)), [GOOD]), given)
    assert (judgement.findings[0].failure is not None) == (words == "Er ging")


def test_sentence_without_a_claim_is_a_failure_unless_it_states_nothing() -> None:
    judgement = hear(Model(taken_apart((CLOSED, WET)), [GOOD] * 2), FERRY)
    _, forgotten, question = of_kind(judgement, "sentence")
    assert (failure(forgotten).reason, failure(forgotten).detail) == (
        "missing",
        "no claim covers it",
    )
    assert str(verdict(question).label) == "no-fact"


@pytest.mark.parametrize(
    ("links", "details"),
    [
        ([(2, 9, "cause", "because")], ["there is no usable claim 9"]),
        ([(1, 1, "contrast", "")], ["it links claim 1 to itself"]),
        ([CAUSE, CAUSE], ["it repeats relation 1"]),
        (
            [(1, 2, "contrast", ""), (2, 1, "contrast", "")],
            ["it repeats relation 1"],
        ),
        (
            [(1, 2, "cause", ""), (2, 3, "temporal", ""), (3, 1, "condition", "")],
            [
                f"it runs in a circle: claim {a} leads back to claim {b}"
                for a, b in ((2, 1), (3, 2), (1, 3))
            ],
        ),
        ([CAUSE, (2, 1, "magic", "because")], ["'name' is 'magic', not one of cause"]),
    ],
)
def test_relation_that_cannot_be_is_a_failure(links: list[Link], details: list[str]) -> None:
    _, claims, relations = taken(links=tuple(links))
    assert claims == []
    assert len(relations) == len(details)
    assert all(said.startswith(detail) for said, detail in zip(relations, details, strict=True))


def test_circles_of_mutual_relations_are_none() -> None:
    assert (
        taken(links=((1, 2, "contrast", ""), (2, 3, "contrast", ""), (3, 1, "contrast", "")))[2]
        == []
    )


@pytest.mark.parametrize(
    ("link", "reason", "detail"),
    [
        ((2, 9, "cause", ""), "parse", "there is no usable claim 9"),
        ((2, 1, "magic", ""), "off_menu", "'name' is 'magic'"),
        ((1, 1, "contrast", ""), "", ""),
        ((8, 9, "cause", ""), "", ""),
    ],
)
def test_sentence_is_left_open_only_where_a_link_may_have_gone_unchecked(
    link: Link, reason: str, detail: str
) -> None:
    reply = taken_apart((CLOSED, WET, MAYOR), (CAUSE, link), [3])
    first, second, *_ = of_kind(hear(Model(reply, [GOOD] * 3, [GOOD]), FERRY), "sentence")
    assert str(verdict(second).label) == "explicitly-supported"
    if reason:
        assert failure(first).reason == reason
        assert detail in failure(first).detail
    else:
        assert str(verdict(first).label) == "explicitly-supported"


def test_relation_without_readable_ends_leaves_all_sentences_open() -> None:
    reply = json.loads(taken_apart((CLOSED, WET, MAYOR), (CAUSE,), [3]))
    reply["relations"].append({"first": "the quay", "second": "the mayor", "name": "cause"})
    judgement = hear(Model(json.dumps(reply), [GOOD] * 3, [GOOD]), FERRY)
    first, second, question = of_kind(judgement, "sentence")
    assert failure(first).reason == failure(second).reason == "parse"
    assert str(verdict(question).label) == "no-fact"


def test_relation_to_a_claim_that_failed_leaves_the_sentence_of_that_claim_open() -> None:
    lost: Claim = (2, "The mayor sang in 1987.", "The mayor came at noon")
    links = (CAUSE, (4, 4, "cause", ""), (4, 9, "temporal", ""))
    judgement = hear(
        Model(taken_apart((CLOSED, WET, MAYOR, lost), links, [3]), [GOOD] * 3, [GOOD]), FERRY
    )
    assert failure(of_kind(judgement, "sentence")[1]).reason == "parse"


def test_two_claims_of_one_number_are_never_confused() -> None:
    reply = json.loads(taken_apart((CLOSED, WET, MAYOR), (CAUSE,), [3]))
    reply["claims"][1]["number"] = 1
    reply["relations"][0]["second"] = 1
    reply["relations"][0]["first"] = 3
    judgement = hear(Model(json.dumps(reply), [GOOD] * 2), FERRY)
    details = [each.detail for each in judgement.failures]
    assert "two claims have the number 1" in details
    assert "there is no usable claim 1" in details


@pytest.mark.parametrize(
    ("link", "cue"),
    [
        ((2, 1, "cause", "owing to"), "because"),  # the connective that no claim covers
        ((1, 3, "temporal", "afterwards"), ""),
    ],
)
def test_cue_that_is_not_there_is_told_and_the_relation_is_checked_without_it(
    link: Link, cue: str
) -> None:
    links = (link,) if cue else (CAUSE, link)
    model = Model(taken_apart((CLOSED, WET, MAYOR), links, [3]), [GOOD] * 3, [GOOD] * len(links))
    judgement = hear(model, FERRY)
    relation = of_kind(judgement, "relation")[-1]
    assert relation.unit.link is not None
    found = relation.unit.link.cue
    assert (found.text if found else "") == cue
    assert link[3] not in relation.text
    assert f"“{link[3]}”" in " ".join(each.note for each in of_kind(judgement, "sentence"))


@pytest.mark.parametrize(
    ("reply", "reason", "detail"),
    [
        ('{"claims": [], "relations": []}', "missing", "the list of claims is empty"),
        ('{"claims": []}', "parse", "'relations' is missing"),
        ("I found three claims.", "parse", "no whole JSON value"),
        (CallError("transport", "connection reset"), "transport", "connection reset"),
    ],
)
def test_reply_that_cannot_be_used_fails_every_sentence(
    reply: Line, reason: str, detail: str
) -> None:
    judgement = hear(Model(reply), FERRY)
    assert len(judgement.findings) == 3
    assert {failure(each).reason for each in judgement.findings} == {reason}
    assert all(detail in failure(each).detail for each in judgement.findings)


def test_thousands_of_claims_are_refused() -> None:
    model = Model(taken_apart([CLOSED] * 5_000))
    judgement = hear(model, FERRY)
    assert {failure(each).reason for each in judgement.findings} == {"parse"}
    assert (
        f"has 5000 items, but may have at most {3 * MOST_PER_SENTENCE}"
        in judgement.failures[0].detail
    )
    assert len(model.asked) == 2  # the question, and one repair


def test_named_sentences_alone_are_judged_and_may_lack_a_place() -> None:
    loose = Unit("x", "sentence", "The ferry closed because the quay was wet.")
    units = (loose, Unit("p1", "span", "ferry"))
    given = Example("1", FERRY.source, Response(RESPONSE), units=units)
    model = Model(taken_apart((CLOSED, WET), (CAUSE,)), [GOOD] * 2, [entry("fabricated")])
    judgement = hear(model, given)
    assert [each.id for each in judgement.findings] == ["x", "x.c1", "x.c2", "x.r1"]
    assert all(each.unit.spans == () for each in judgement.findings)
    assert str(verdict(judgement.findings[0]).error) == "fabricated-link"
    assert "1. The ferry closed because" in model.asked[0]
    assert "mayor" not in model.asked[0].split("The sentences to take apart")[1]


def test_long_responses_are_taken_apart_in_groups() -> None:
    text = " ".join(f"The ferry number {n} closed." for n in range(1, 61))
    model = Model('{"claims": [], "relations": [], "nothing": [1]}')
    hear(model, example(SOURCE, text))
    groups = [page.split("The sentences to take apart")[1] for page in model.asked]
    assert [group.count(". The ferry number") for group in groups] == [25, 25, 10]
    assert "\n26. The ferry number 26 closed." in groups[1]


def test_languages_without_spaces_are_aligned() -> None:
    given = example("港は開いた。", "港は開いた。")
    judgement = hear(Model(taken_apart(((1, "港は開いた。", "港は開いた"),)), [GOOD]), given)
    assert str(verdict(judgement.findings[0]).label) == "explicitly-supported"
