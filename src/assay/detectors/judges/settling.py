"""A model's gray7 opinion of a sentence, checked by the decision tree.

A label, readings and answers have to go together. Where readings decide, the tree's rule for them
makes the label: different ones are ambiguous, equal ones are that label. Where answers contradict
the label, the model is asked again; if it insists, the label stays and the answers are dropped.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from assay.core.consistency import contradictions
from assay.core.decision import (
    Answers,
    Interpretation,
    Question,
    Sense,
    implied_answers,
)
from assay.core.labels import Label
from assay.core.taxonomies import GRAY7

# The tree's questions under the names that a model is asked for, in the order of the tree. None of
# them could pass for a label: models write "explicit" or "contradicted" where a field is called so.
ANSWERS: dict[str, Question] = {
    "states_fact": "states_fact",
    "source_entails": "entailed",
    "source_states_all": "explicit",
    "source_denies": "contradicted",
    "knowledge_suffices": "entailed_with_knowledge",
}
# What models write for a label where its name is asked for. None of these words could mean another
# label, but all of them also occur in explanations, so they count only as the whole of a label.
SHORT_LABELS = {
    **dict.fromkeys(
        ("contradicted", "contradiction", "contradicts", "contradictory"), "contradicting"
    ),
    **dict.fromkeys(("fabrication", "fabricates"), "fabricated"),
    **dict.fromkeys(("ambiguity", "ambiguous reading", "ambiguous readings"), "ambiguous"),
    **dict.fromkeys(("no facts", "not a fact", "states no fact"), "no-fact"),
    **dict.fromkeys(("out dependence", "outside-dependent"), "out-dependent"),
    **dict.fromkeys(
        ("implicit", "implicitly", "implicit support", "implied"), "implicitly-supported"
    ),
    **dict.fromkeys(
        ("explicit", "explicitly", "explicit support", "explicitly stated"), "explicitly-supported"
    ),
}
YES, NO, SKIP = "yes", "no", "skip"
# How the answers of an explicitly supported sentence look.
SAMPLE = dict(zip(ANSWERS, (YES, YES, YES, SKIP, SKIP), strict=True))

_AMBIGUOUS = GRAY7["ambiguous"]
_DEPENDING = (GRAY7["fabricated"], GRAY7["out-dependent"])
_TRUTHS = {YES: True, "true": True, NO: False, "false": False}
_WORD = re.compile(r"\W{0,9}(\w{1,9})\b")


@dataclass(frozen=True, slots=True)
class Settled:
    """A label and the answers that go with it; `problem` is what the model is asked again about.

    `remark` tells a reader what was changed or dropped.
    """

    label: Label
    answers: Answers | None = None
    remark: str = ""
    problem: str = ""


def read_answers(record: Mapping[str, Any]) -> Answers | None:
    """The answers in a record; None if it has not one of them.

    What is said of outside knowledge counts only where the tree comes to that question.
    """
    said = {question: _truth(record.get(name)) for name, question in ANSWERS.items()}
    if all(answer is None for answer in said.values()):
        return None
    is_settled = said["states_fact"] is False or said["entailed"] or said["contradicted"]
    return Answers(
        said["states_fact"],
        entailed=said["entailed"],
        explicit=said["explicit"],
        contradicted=said["contradicted"],
        entailed_with_knowledge=None if is_settled else said["entailed_with_knowledge"],
    )


def settle(
    stated: Label, readings: tuple[Interpretation, ...] | None, answers: Answers | None
) -> Settled:
    """The label that the model states, or the one that its readings make; None was not said."""
    labels = {each.label for each in readings or ()}
    if readings and (len(labels) > 1 or (stated == _AMBIGUOUS and len(readings) > 1)):
        return _by_readings(stated, readings)
    if stated == _AMBIGUOUS:
        return Settled(stated, problem="" if readings is None else _problem(readings, stated))
    if readings and stated not in labels:
        problem = _problem(readings, stated)
        remark = f"The reading that it names contradicts this: {problem}."
        return Settled(stated, remark=remark, problem=problem)
    if answers is None:
        return Settled(stated)
    known = answers if readings is None else replace(answers, several_readings=False)
    problem = _told(known, stated)
    if problem:
        remark = f"Its answers to the tree's questions are left out: {problem}."
        return Settled(stated, remark=remark, problem=problem)
    return Settled(stated, known)


def open_answers(label: Label) -> Answers | None:
    """The answers that an out-dependent label implies; outside knowledge stays open."""
    if label not in _DEPENDING:
        return None
    return replace(implied_answers(label), entailed_with_knowledge=None)


def _by_readings(stated: Label, readings: tuple[Interpretation, ...]) -> Settled:
    """The tree's rule for a sentence with several readings: what they agree on is its label."""
    differ = len({each.label for each in readings}) > 1
    label = _AMBIGUOUS if differ else readings[0].label
    said = f"The model calls it {stated}, but the readings that it names make it {label}."
    agreed = replace(implied_answers(label), several_readings=False)
    answers = Answers(True, True, senses=_senses(readings)) if differ else agreed
    return Settled(label, answers, "" if label == stated else said)


def _senses(readings: tuple[Interpretation, ...]) -> tuple[Sense, ...]:
    return tuple(Sense(each.meaning, implied_answers(each.label)) for each in readings)


def _problem(readings: tuple[Interpretation, ...], label: Label) -> str:
    """The fault of a label for a sentence with these readings."""
    return _told(Answers(True, senses=_senses(readings)), label)


def _told(answers: Answers, label: Label) -> str:
    """The contradictions to a label, in words; empty if there are none."""
    return "; ".join(each.message for each in contradictions(answers, label))


def _truth(said: object) -> bool | None:
    """A yes or no, in whatever form; anything else leaves the question open."""
    if isinstance(said, str):
        word = _WORD.match(said)
        return _TRUTHS.get(word[1].casefold()) if word else None
    return said if isinstance(said, bool) else None
