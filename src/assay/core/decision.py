"""VeriGray's decision tree: from answers about a sentence to its gray7 label, and back.

    states_fact ── no ─► no-fact
        │ yes
    several_readings ── yes ─► each reading goes down the tree; different labels: ambiguous
        │ no
    entailed ── yes ─► explicit ── yes ─► explicitly-supported
        │ no                └─── no ──► implicitly-supported
    contradicted ── yes ─► contradicting
        │ no
    entailed_with_knowledge ── yes ─► out-dependent
        └──── no ─────► fabricated

An answer of None is an open question. Whether a sentence states a fact and whether the source
entails it must be answered; every other open question is read as "no" and reported as open.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from assay.core.errors import InputError, UndecidedError
from assay.core.labels import Label
from assay.core.taxonomies import GRAY7

Question = Literal[
    "states_fact",
    "several_readings",
    "entailed",
    "explicit",
    "contradicted",
    "entailed_with_knowledge",
]

Step = tuple[Question, bool]

QUESTIONS: dict[Question, str] = {
    "states_fact": "Does the sentence state a fact?",
    "several_readings": "Does it have several readings that lead to different labels?",
    "entailed": "Does the source entail it?",
    "explicit": "Does the source state every part of it in equivalent words?",
    "contradicted": "Does the source contradict it?",
    "entailed_with_knowledge": "Do the source and outside knowledge together entail it?",
}

_AMBIGUOUS = GRAY7["ambiguous"]

# Said of a label that leaves the last question open: nobody looked, which is not a no.
NOT_CONSULTED = "No outside source was consulted."

_STATEMENTS: dict[Question, tuple[str, str]] = {
    "states_fact": ("it states nothing to check", "it states a fact"),
    "several_readings": ("it has one reading", "it has several readings"),
    "entailed": ("the source does not entail it", "the source entails it"),
    "explicit": ("parts of it are inferred", "the source states every part of it"),
    "contradicted": ("the source does not contradict it", "the source contradicts it"),
    "entailed_with_knowledge": (
        "outside knowledge does not support it",
        "the source and outside knowledge together entail it",
    ),
}


@dataclass(frozen=True, slots=True)
class Branch:
    """A question of the tree; each answer leads to another question or to a label."""

    question: Question
    yes: "Branch | str"
    no: "Branch | str"


TREE = Branch(
    "states_fact",
    no="no-fact",
    yes=Branch(
        "entailed",
        yes=Branch("explicit", yes="explicitly-supported", no="implicitly-supported"),
        no=Branch(
            "contradicted",
            yes="contradicting",
            no=Branch("entailed_with_knowledge", yes="out-dependent", no="fabricated"),
        ),
    ),
)

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


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers to the tree's questions; None is open. `senses` are the interpretations found."""

    states_fact: bool | None = None
    several_readings: bool | None = None
    entailed: bool | None = None
    explicit: bool | None = None
    contradicted: bool | None = None
    entailed_with_knowledge: bool | None = None
    senses: tuple["Sense", ...] = ()

    @property
    def has_senses(self) -> bool:
        """Whether it was found to have several readings, listed or not."""
        return bool(self.several_readings or self.senses)

    def __getitem__(self, question: Question) -> bool | None:
        answer: bool | None = getattr(self, question)
        return answer


@dataclass(frozen=True, slots=True)
class Sense:
    """One interpretation of a sentence, in words, with the answers that hold for it."""

    meaning: str
    answers: Answers


@dataclass(frozen=True, slots=True)
class Interpretation:
    """One interpretation of an ambiguous sentence and the label that it has."""

    label: Label
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """The label that the answers lead to, the way there, and what was left open."""

    label: Label
    steps: tuple[Step, ...]
    open: tuple[Question, ...] = ()
    interpretations: tuple[Interpretation, ...] = ()

    @property
    def explanation(self) -> str:
        """The way to the label in one sentence, and the questions that nobody answered.

        >>> decide(Answers(True, False, entailed=True, explicit=False)).explanation
        'it states a fact; the source entails it; parts of it are inferred: implicitly-supported'
        """
        said = "; ".join(_STATEMENTS[question][answer] for question, answer in self.steps)
        names = ", ".join(question.replace("_", " ") for question in self.open)
        return f"{said}: {self.label}" + (f" (not asked: {names})" if names else "")


Ground = Literal["source", "external", "reason"]


@dataclass(frozen=True, slots=True)
class Cited:
    """What was given for a label: passages of the source, something outside it, a reason."""

    source: bool = False
    external: bool = False
    reason: bool = False


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Something that does not go with the label: answers, or evidence that is `missing`."""

    questions: tuple[Question, ...]
    message: str
    missing: Ground | None = None


def decide(answers: Answers) -> Decision:
    """The label that the answers lead to."""
    if answers.states_fact and answers.has_senses:
        return _decide_readings(answers)
    steps: list[Step] = []
    left_open: list[Question] = []
    node: Branch | str = TREE
    while isinstance(node, Branch):
        answer = answers[node.question]
        if answer is None:
            _may_stay_open(node.question)
            left_open.append(node.question)
        else:
            steps.append((node.question, answer))
        node = node.yes if answer else node.no
    if answers.states_fact and answers.several_readings is None:
        left_open.append("several_readings")
    return Decision(GRAY7[node], tuple(steps), tuple(left_open))


def _may_stay_open(question: Question) -> None:
    if question in ("states_fact", "entailed"):
        raise UndecidedError(f"no label without an answer to: {QUESTIONS[question]}")


def _decide_readings(answers: Answers) -> Decision:
    """Ambiguous, unless all readings that were listed lead to the same label."""
    steps: tuple[Step, ...] = (("states_fact", True), ("several_readings", True))
    decisions = [decide(reading.answers) for reading in answers.senses]
    interpretations = tuple(
        Interpretation(decision.label, reading.meaning)
        for decision, reading in zip(decisions, answers.senses, strict=True)
    )
    labels = {decision.label for decision in decisions}
    label = labels.pop() if len(labels) == 1 else _AMBIGUOUS
    left_open = tuple(dict.fromkeys(chain.from_iterable(each.open for each in decisions)))
    return Decision(label, steps, left_open, interpretations)


def implied_answers(label: Label) -> Answers:
    """What the label of a single reading says of the questions on the way to it.

    That outside knowledge does not support a fabricated sentence is for somebody to look up: the
    question stays open, and leads to the same label.
    """
    known = dict(_path(label))
    return Answers(
        known.get("states_fact"),
        entailed=known.get("entailed"),
        explicit=known.get("explicit"),
        contradicted=known.get("contradicted"),
        entailed_with_knowledge=known.get("entailed_with_knowledge") or None,
    )


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
            said = f"{_STATEMENTS[first][first_answer]}, yet {_STATEMENTS[second][second_answer]}"
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
    elif answers.several_readings is False and label == _AMBIGUOUS:
        yield Contradiction(asked, "ambiguous needs several readings, but it has one reading")
    elif label == _AMBIGUOUS and len(answers.senses) < 2:
        listed = "one is" if answers.senses else "none is"
        need = "ambiguous needs at least two readings with different labels"
        yield Contradiction(asked, f"{need}, but {listed} listed")
    elif answers.has_senses and (found := _label_of_readings(answers)) not in (None, label):
        yield Contradiction(asked, f"its readings make it {found}, not {label}")


def _label_of_readings(answers: Answers) -> Label | None:
    try:
        return _decide_readings(answers).label
    except UndecidedError:
        return None


def _off_path(answers: Answers, label: Label) -> Iterator[Contradiction]:
    for question, needed in _path(label):
        given = answers[question]
        if given is not None and given is not needed:
            wanted, said = _STATEMENTS[question][needed], _STATEMENTS[question][given]
            yield Contradiction((question,), f"{label} needs that {wanted}, but {said}")


def _left_open(answers: Answers, label: Label, strict: bool) -> Iterator[Contradiction]:
    """Questions on the way to the label that nobody answered, though the label rests on them."""
    for question, needed in _way(answers, label):
        rests_on_it = question == "entailed_with_knowledge" and needed
        if answers[question] is None and (strict or rests_on_it):
            wanted = _STATEMENTS[question][needed]
            yield Contradiction((question,), f"{label} needs that {wanted}, but that is open")
    for reading in answers.senses if strict else ():
        try:
            found = decide(reading.answers).label
        except UndecidedError as error:
            yield Contradiction(("several_readings",), f"'{reading.meaning}' has {error}")
        else:
            for each in _left_open(reading.answers, found, strict):
                message = f"in the reading '{reading.meaning}', {each.message}"
                yield Contradiction(each.questions, message)


def _way(answers: Answers, label: Label) -> tuple[Step, ...]:
    """The steps to a label; where there are readings, each of them goes the rest of the way."""
    if answers.has_senses:
        return (("states_fact", True),)
    is_single = label not in (_AMBIGUOUS, GRAY7["no-fact"])
    return (*_path(label), ("several_readings", False)) if is_single else _path(label)


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


def _path(label: Label) -> tuple[Step, ...]:
    """The way to a label; to ambiguous, no single reading leads."""
    return dict(_paths(TREE)).get(label.name, (("states_fact", True),))


def _paths(
    node: Branch | str, steps: tuple[Step, ...] = ()
) -> Iterator[tuple[str, tuple[Step, ...]]]:
    """Each label that a single reading can have, with the way to it."""
    if isinstance(node, str):
        yield node, steps
    else:
        yield from _paths(node.yes, (*steps, (node.question, True)))
        yield from _paths(node.no, (*steps, (node.question, False)))
