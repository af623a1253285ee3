"""Answers to the questions of VeriGray's decision tree, one by one and all of them."""

from collections.abc import Iterator
from itertools import product

from assay.core.decision import QUESTIONS, Answers, decide
from assay.core.errors import UndecidedError

SUPPORTED = Answers(True, False, entailed=True, explicit=True)
DENIED = Answers(True, False, entailed=False, contradicted=True)
INVENTED = Answers(True, False, False, False, False, False)
FULL = {
    "no-fact": Answers(states_fact=False),
    "explicitly-supported": Answers(True, False, True, True, False, True),
    "implicitly-supported": Answers(True, False, True, False, False, True),
    "contradicting": Answers(True, False, False, False, True, False),
    "out-dependent": Answers(True, False, False, False, False, True),
    "fabricated": INVENTED,
}


def all_answers(*choices: bool | None) -> Iterator[Answers]:
    six = product(choices, repeat=len(QUESTIONS))
    return (Answers(a, b, c, d, e, f) for a, b, c, d, e, f in six)


def is_possible(answers: Answers) -> bool:
    """Whether the answers can all hold, written down once more from the paper's definitions."""
    rest = [answers[question] for question in QUESTIONS if question != "states_fact"]
    return not (
        (answers.states_fact is False and any(rest))
        or (answers.entailed and answers.contradicted)
        or (answers.entailed is False and answers.explicit)
        or (answers.entailed and answers.entailed_with_knowledge is False)
        or (answers.contradicted and answers.entailed_with_knowledge)
    )


def is_undecided(answers: Answers) -> bool:
    try:
        decide(answers)
    except UndecidedError:
        return True
    return False
