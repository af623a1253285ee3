"""Contradictions between a gray7 label, the answers to the tree's questions and the evidence."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from assay.core.decision import (
    AMBIGUOUS,
    QUESTIONS,
    STATEMENTS,
    Answers,
    Question,
    Step,
    decide,
    path_to,
)
from assay.core.errors import InputError, UndecidedError
from assay.core.labels import Label
from assay.core.taxonomies import GRAY7

# Pairs of answers that cannot both hold: (question, answer, question, answer, why).
_IMPOSSIBLE: tuple[tuple[Question, bool, Question, bool, str], ...] = (
    ("entailed", True, "contradicted", True, "a source cannot both entail and contradict it"),
    ("entailed", False, "explicit", True, "what is not entailed cannot be stated explicitly"),
    (
        "entailed",
        True,
        "entailed_with_knowledge",
        False,
        "what the source entails stays entailed when knowledge is added",
    ),
    (
        "contradicted",
        True,
        "entailed_with_knowledge",
        True,
        "knowledge is taken to agree with the source, so it cannot support what that denies",
    ),
    *(
        ("states_fact", False, question, True, "a sentence without a fact has nothing to compare")
        for question in QUESTIONS
        if question != "states_fact"
    ),
)


Missing = Literal["source", "external", "reason", "answer"]


@dataclass(frozen=True, slots=True)
class Cited:
    """The grounds of a label: passages of the source, something outside it, a reason."""

    source: bool = False
    external: bool = False
    reason: bool = False


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Something that does not go with the label: answers, or what is `missing` for it."""

    questions: tuple[Question, ...]
    message: str
    missing: Missing | None = None


def contradictions(
    answers: Answers, label: Label, *, cited: Cited | None = None, strict: bool = False
) -> list[Contradiction]:
    """Everything in the answers that does not go with the label or with another answer.

    An open question contradicts nothing, with two exceptions: out-dependent needs a yes to the
    last one, and ambiguous needs two readings with different labels. With `strict`, every question
    on the way to the label has to be answered.

    With `cited`, evidence is checked as well: out-dependent needs something outside the source, an
    unfaithful label a passage of the source or a reason, and both with `strict`, as VeriGray asks
    of its annotators. Only gray7 has this tree: a label of another menu raises.
    """
    if label.taxonomy != GRAY7.name:
        raise InputError(f"the decision tree is about gray7 labels, not {label.taxonomy}")
    return [
        *_impossible_pairs(answers),
        *_inside_readings(answers),
        *_against_readings(answers, label),
        *_off_path(answers, label),
        *_left_open(answers, label, strict),
        *(_uncited(label, cited, strict) if cited else ()),
    ]


def _impossible_pairs(answers: Answers) -> Iterator[Contradiction]:
    for first, first_answer, second, second_answer, why in _IMPOSSIBLE:
        if answers[first] is first_answer and answers[second] is second_answer:
            said = f"{STATEMENTS[first][first_answer]}, yet {STATEMENTS[second][second_answer]}"
            yield Contradiction((first, second), f"{said}: {why}")


def _inside_readings(answers: Answers) -> Iterator[Contradiction]:
    for reading in answers.senses:
        for each in (*_impossible_pairs(reading.answers), *_inside_readings(reading.answers)):
            yield Contradiction(
                each.questions, f"in the reading '{reading.meaning}', {each.message}"
            )


def _against_readings(answers: Answers, label: Label) -> Iterator[Contradiction]:
    asked: tuple[Question, ...] = ("several_readings",)
    if answers.several_readings is False and answers.senses:
        yield Contradiction(asked, "readings are listed, but it is said to have one")
    elif answers.several_readings is False and label == AMBIGUOUS:
        yield Contradiction(asked, "ambiguous needs several readings, but it has one reading")
    elif label == AMBIGUOUS and len(answers.senses) < 2:
        listed = "one is" if answers.senses else "none is"
        need = "ambiguous needs at least two readings with different labels"
        yield Contradiction(asked, f"{need}, but {listed} listed")
    elif answers.has_senses and (found := _label_of_readings(answers)) not in (None, label):
        yield Contradiction(asked, f"its readings make it {found}, not {label}")


def _label_of_readings(answers: Answers) -> Label | None:
    try:
        return decide(replace(answers, states_fact=True)).label
    except UndecidedError:
        return None


def _off_path(answers: Answers, label: Label) -> Iterator[Contradiction]:
    """Answers that lead elsewhere; of several readings, each says itself whether it states one."""
    of_readings = answers.has_senses and _label_of_readings(answers) == label
    for question, needed in path_to(label):
        given = answers[question]
        if of_readings and question == "states_fact":
            continue
        if given is not None and given is not needed:
            wanted, said = STATEMENTS[question][needed], STATEMENTS[question][given]
            message = f"{label} means that {wanted}, but the answer is that {said}"
            yield Contradiction((question,), message)


def _left_open(answers: Answers, label: Label, strict: bool) -> Iterator[Contradiction]:
    """Questions on the way to the label that nobody answered, though the label rests on them."""
    for question, needed in _way(answers, label):
        rests_on_it = question == "entailed_with_knowledge" and needed
        if answers[question] is None and (strict or rests_on_it):
            wanted = STATEMENTS[question][needed]
            message = f"{label} means that {wanted}, but that question is open"
            yield Contradiction((question,), message, "answer")
    for reading in answers.senses if strict else ():
        try:
            found = decide(reading.answers).label
        except UndecidedError as error:
            message = f"'{reading.meaning}' has {error}"
            yield Contradiction(("several_readings",), message, "answer")
        else:
            for each in _left_open(reading.answers, found, strict):
                message = f"in the reading '{reading.meaning}', {each.message}"
                yield Contradiction(each.questions, message, "answer")


def _way(answers: Answers, label: Label) -> tuple[Step, ...]:
    """The steps to a label; where there are readings, each of them goes the rest of the way."""
    if answers.has_senses:
        return (("states_fact", True),)
    is_single = label not in (AMBIGUOUS, GRAY7["no-fact"])
    return (*path_to(label), ("several_readings", False)) if is_single else path_to(label)


def _uncited(label: Label, cited: Cited, strict: bool) -> Iterator[Contradiction]:
    """Evidence that the label needs and does not have."""
    if label == GRAY7["out-dependent"] and not cited.external:
        question: Question = "entailed_with_knowledge"
        message = "out-dependent needs something outside the source that supports it"
        yield Contradiction((question,), message, "external")
    if label.coarse != "unfaithful" or ((cited.source or cited.reason) and not strict):
        return
    asked: tuple[Question, ...] = ("entailed", "contradicted")
    if not cited.source:
        other = "" if strict else " or a reason"
        message = f"{label} needs a passage of the source{other} that shows it"
        yield Contradiction(asked, message, "source")
    if strict and not cited.reason:
        yield Contradiction(asked, f"{label} needs a reason", "reason")
