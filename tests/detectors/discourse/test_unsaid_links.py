"""Links that no words express, and names of relations that are not ours."""

import json
from typing import Any

import pytest

from assay.detectors.discourse.cues import find_unnamed_cue
from assay.llm.client import Line, Request, Scripted
from assay.text.discourse.outline import outline
from assay.text.discourse.relations import ALIASES, KINDS
from assay.text.sentences import sentence_units
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
    open_discourse,
    taken_apart,
    verdict,
)
from tests.judging import judge_one

COPIED = "The mayor opened the bridge. The band played a march."
PARADE = example(f"It was a fine day. {COPIED} People cheered.", COPIED)
OPENED: Claim = (1, "The mayor opened the bridge.", "The mayor opened the bridge")
PLAYED: Claim = (2, "The band played a march.", "The band played a march")


def parade(label: str, name: str = "temporal", cue: str = "", error: str = "none") -> Any:
    """The second sentence, which is copied from the source, by the label of its link."""
    split = taken_apart((OPENED, PLAYED), ((1, 2, name, cue),))
    judgement = hear(Model(split, [GOOD] * 2, [entry(label, error)]), PARADE)
    return judgement, verdict(of_kind(judgement, "sentence")[1])


@pytest.mark.parametrize("name", ["temporal", "cause", "elaboration", "contrast"])
@pytest.mark.parametrize("label", ["implicitly-supported", "out-dependent", "fabricated"])
def test_link_that_nobody_wrote_neither_lowers_nor_condemns_a_copied_sentence(
    name: str, label: str
) -> None:
    """Definition 1 asks for the relations in the sentence, and this one is not in it."""
    judgement, sentence = parade(label, name)
    assert (str(sentence.label), sentence.error) == ("explicitly-supported", None)
    [relation] = of_kind(judgement, "relation")
    assert (str(verdict(relation).label), verdict(relation).error) == (label, None)
    assert "no words of the response say it" in relation.note
    assert ("does not count" in sentence.note) == (label != "implicitly-supported")


def test_error_named_for_a_link_that_nobody_wrote_is_none_of_the_sentence() -> None:
    _, sentence = parade("explicitly-supported", error="temporal-state")
    assert (str(sentence.label), sentence.error) == ("explicitly-supported", None)


def test_order_that_the_source_contradicts_counts_without_a_word_for_it() -> None:
    """Table 3 of the paper: a realization told after what it came before."""
    _, sentence = parade("contradicting")
    assert (str(sentence.label), str(sentence.error)) == ("contradicting", "temporal-state")


def test_link_that_nobody_wrote_and_nobody_could_judge_leaves_its_sentence_as_it_is() -> None:
    judgement, sentence = parade("no label of ours")
    assert failure(of_kind(judgement, "relation")[0])
    assert str(sentence.label) == "explicitly-supported"
    assert sentence.note.startswith("1 claim and 0 relations checked.")
    assert "does not count: no words of the response say it. It has no verdict:" in sentence.note


def test_written_link_that_nobody_could_judge_leaves_its_sentence_open() -> None:
    given = example(COPIED, "The mayor opened the bridge. Then the band played a march.")
    played: Claim = (2, "The band played a march.", "the band played a march")
    split = taken_apart((OPENED, played), ((1, 2, "temporal", "Then"),))
    judgement = hear(Model(split, [GOOD] * 2, [entry("no label of ours")]), given)
    assert failure(of_kind(judgement, "sentence")[1])


def test_words_that_are_a_whole_claim_say_no_link() -> None:
    judgement, sentence = parade("fabricated", "cause", "The band played a march.")
    assert str(sentence.label) == "explicitly-supported"
    assert of_kind(judgement, "relation")[0].text.endswith("→ The band played a march")


@pytest.mark.parametrize("cue", ["", "Then", "nowhere"])
def test_link_with_a_word_for_it_counts_also_where_the_model_does_not_quote_it(cue: str) -> None:
    given = example(COPIED, "The mayor opened the bridge. Then the band played a march.")
    played: Claim = (2, "The band played a march.", "the band played a march")
    split = taken_apart((OPENED, played), ((1, 2, "temporal order", cue),))
    judgement = hear(Model(split, [GOOD] * 2, [entry("fabricated")]), given)
    assert str(verdict(of_kind(judgement, "sentence")[1]).label) == "fabricated"
    link = of_kind(judgement, "relation")[0].unit.link
    assert link
    assert link.cue
    assert link.cue.text == "Then"


def test_connective_that_fits_another_relation_leaves_the_sentence_open() -> None:
    given = example("The quay was wet.", "The ferry closed because the quay was wet.")
    claims = (
        (1, "The ferry closed.", "The ferry closed"),
        (1, "The quay was wet.", "quay was wet"),
    )
    model = Model(taken_apart(claims, ((2, 1, "temporal", ""),)), [GOOD] * 2, [GOOD])
    assert "No relation covers: “because”" in failure(hear(model, given).findings[0]).detail


@pytest.mark.parametrize(
    ("text", "relation", "across", "cue"),
    [
        ("He left since it rained.", "cause", False, "since"),
        ("However, the band played.", "concession", True, "However"),
        ("The band played because it was late.", "cause", True, None),
        ("The band played.", "temporal", False, None),
        ("The band played, she said.", "attribution", False, "she said"),
        ("It was a remarkable march.", "evaluation", True, "remarkable"),
        ("The band played.", "evaluation", True, None),
    ],
)
def test_unnamed_connective_is_one_for_this_relation(
    text: str, relation: str, across: bool, cue: str | None
) -> None:
    place = find_unnamed_cue(text, relation, (), across)
    assert (text[slice(*place)] if place else None) == cue


MATCHES: Claim = (
    1,
    "The case matches the typical manifestations.",
    "it matches the typical manifestations",
)
NOTABLE: Claim = (1, "The case is notable.", "The case is notable")
FIGURE_1 = example(
    "The findings match the typical manifestations. How rare it is motivated this report.",
    "The case is notable because it matches the typical manifestations. It is rare.",
)
RARE: Claim = (2, "The case is rare.", "It is rare")
NAMES = (
    "Causal, cause, causality, cause-effect, CAUSE_EFFECT, Cause-Effect relation, contrastive,"
    " Contrast, Conditional, temporal order, Temporal Sequence, result, Explanation, elaboration,"
    " Elaborative, Concessive, Attributive, Purposive, Evaluative, Comparison.Contrast,"
    " Contingency.Cause, Temporal.Asynchronous, Background, Interpretation, Sequence, Narration,"
    " Antithesis, Enablement, Non-Volitional Cause, Instantiation, If-then"
).split(", ")


def figure_1(link: Link, *more: str) -> tuple[Any, list[Request]]:
    """The paper's first example with a relation, and what was asked."""
    replies = [taken_apart((NOTABLE, MATCHES, RARE), (link,)), *more]

    def say(request: Request) -> Line:
        if "The sentences to take apart" in request.messages[1].content:
            return replies[min(len(request.messages) // 2 - 1, len(replies) - 1)]
        return Model("", [GOOD] * 3, [entry("fabricated")]).answer(request.messages[1].content)

    client = Scripted(say)
    return judge_one(open_discourse(client), FIGURE_1), client.requests


@pytest.mark.parametrize("name", NAMES)
def test_usual_names_of_relations_are_read(name: str) -> None:
    judgement, requests = figure_1((2, 1, name, "because"))
    assert len(requests) == 3
    assert judgement.failures == ()
    labels = [str(verdict(each).label) for each in of_kind(judgement, "sentence")]
    assert labels == ["fabricated", "explicitly-supported"]


def test_causal_is_a_cause() -> None:
    judgement, _ = figure_1((2, 1, "Causal", "because"))
    sentence = verdict(judgement.findings[0])
    assert (str(sentence.label), str(sentence.error)) == ("fabricated", "fabricated-link")
    assert sentence.note.startswith("The cause relation “because” is fabricated")


def test_other_names_belong_to_one_relation_and_are_none_of_the_menu() -> None:
    assert set(ALIASES.values()) == set(KINDS)
    assert ALIASES.keys().isdisjoint(KINDS)


def test_relation_of_an_unknown_kind_is_asked_about_once() -> None:
    better = taken_apart((NOTABLE, MATCHES, RARE), ((2, 1, "cause", "because"),))
    judgement, requests = figure_1((2, 1, "dependency", "because"), better)
    assert len(requests) == 4
    said = requests[1].messages[-1].content
    assert "no relation is called 'dependency'. The names are cause, contrast," in said
    assert "leave out a relation that none fits" in said
    assert judgement.failures == ()


def test_other_names_are_read_and_not_sent() -> None:
    _, requests = figure_1((2, 1, "Causal", "because"))
    assert all("also" not in json.dumps(request.schema) for request in requests)


def test_relation_that_keeps_an_unknown_kind_fails_alone() -> None:
    judgement, requests = figure_1((2, 1, "dependency", "because"))
    first, second = of_kind(judgement, "sentence")
    assert len(requests) == 3  # the decomposition twice, and the claims
    assert failure(first).reason == "off_menu"
    assert str(verdict(second).label) == "explicitly-supported"


def test_relation_need_not_name_a_cue() -> None:
    for more in ({}, {"cue": None}):
        reply = json.loads(taken_apart((OPENED, PLAYED)))
        reply["relations"] = [{"first": 1, "second": 2, "name": "temporal", **more}]
        judgement = hear(Model(json.dumps(reply), [GOOD] * 2, [GOOD]), PARADE)
        assert judgement.failures == ()


def test_rules_find_no_link_that_nobody_wrote() -> None:
    assert [each.links for each in outline(sentence_units(PARADE))] == [(), ()]
