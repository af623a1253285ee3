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

from assay.core.errors import UndecidedError
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

AMBIGUOUS = GRAY7["ambiguous"]

# Said of a label that leaves the last question open: nobody looked, which is not a no.
NOT_CONSULTED = "No outside source was consulted."

STATEMENTS: dict[Question, tuple[str, str]] = {
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
        """True if it was found to have several readings, listed or not."""
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
        said = "; ".join(STATEMENTS[question][answer] for question, answer in self.steps)
        names = ", ".join(question.replace("_", " ") for question in self.open)
        return f"{said}: {self.label}" + (f" (not asked: {names})" if names else "")


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
    label = labels.pop() if len(labels) == 1 else AMBIGUOUS
    left_open = tuple(dict.fromkeys(chain.from_iterable(each.open for each in decisions)))
    return Decision(label, steps, left_open, interpretations)


def implied_answers(label: Label) -> Answers:
    """The answers on the way to the label of a single reading.

    That outside knowledge does not support a fabricated sentence is for somebody to look up: the
    question stays open, and leads to the same label.
    """
    known = dict(path_to(label))
    return Answers(
        known.get("states_fact"),
        entailed=known.get("entailed"),
        explicit=known.get("explicit"),
        contradicted=known.get("contradicted"),
        entailed_with_knowledge=known.get("entailed_with_knowledge") or None,
    )


def path_to(label: Label) -> tuple[Step, ...]:
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
