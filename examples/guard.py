"""A guard around anything that answers: an unfaithful answer is written again, or not given.

Run it with `python examples/guard.py`. It needs no key and no network: the "model" below reads its
answers from a list, and the detector inside the package checks them.
"""

from collections.abc import Callable

from assay import Guard

DOCUMENTS = [
    "Ada Lovelace was born in London in 1815.",
    "In 1843 she published notes on Charles Babbage's Analytical Engine.",
]
QUESTION = "When was Ada Lovelace born, and what did she publish?"
WRONG = "Ada Lovelace was born in 1852. She published notes on the Analytical Engine in 1843."
RIGHT = "Ada Lovelace was born in 1815. She published notes on the Analytical Engine in 1843."


def model(*answers: str) -> Callable[[str, object, str], str]:
    """A model that gives these answers, one after the other; put the call of yours here."""
    left = list(answers)

    def answer(question: str, documents: object, feedback: str) -> str:
        if feedback:
            print("  the model is told:", feedback.replace("\n", "\n    "))
        said = left.pop(0)
        print("  the model answers:", said)
        return said

    return answer


def show(title: str, guard: Guard, *answers: str) -> None:
    """Asks the question once, and shows what comes of it."""
    print(title)
    result = guard.run(model(*answers), QUESTION, DOCUMENTS)
    outcome = f"abstained ({result.reason})" if result.abstained else "answered"
    print(f"  {outcome} after {result.attempts} of the model's answers: {result.answer}")
    if result.removed:
        print("  removed:", *result.removed)
    print()


if __name__ == "__main__":
    show("1. The second answer is right.", Guard(detector="embedded"), WRONG, RIGHT)
    show("2. None is right: the guard abstains.", Guard(detector="embedded"), WRONG, WRONG)
    show(
        "3. None is right: what is wrong is removed.",
        Guard(detector="embedded", attempts=1, otherwise="remove"),
        WRONG,
    )
    show(
        "4. An answer that cannot be judged does not pass: the detector reads English only.",
        Guard(detector="embedded"),
        "Ada Lovelace wurde 1815 in London geboren und schrieb über die Analytische Maschine.",
    )
