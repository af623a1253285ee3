"""What the shipped model withstands, and what it must notice, as shares of small texts of our own.

Verdicts may not change with what says nothing: a question, the order of passages, Markdown. They
must change with a value, a binding, a role or a hedge. The bounds are what the model reaches, less
the noise of so few sentences; the model card has the same on many more texts. The texts were
written for this test and are nowhere else.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

import pytest

from assay.core.examples import Example
from assay.core.rendering import read_source
from assay.core.texts import Response
from assay.core.units import Unit
from assay.core.verdicts import Verdict
from assay.detectors.combinators.viewing import ExampleView
from assay.detectors.registry import DetectorSpec, open_detector
from tests.judging import judge_all


@dataclass(frozen=True)
class Text:
    """Two passages, a question about them, and sentences: what they say, and what goes wrong."""

    passages: tuple[str, str]
    question: str
    pairs: tuple[tuple[str, str, str], ...]  # the kind of error, the right sentence, the wrong one


TEXTS = (
    Text(
        (
            "Take one tablet of Relvan in the morning and two before bed.",
            "Adults over 70 start with half of that dose. Relvan may cause dizziness; do not drive"
            " until you know how it affects you.",
        ),
        "How should Relvan be taken?",
        (
            (
                "binding",
                "Two tablets are taken before going to bed.",
                "Two tablets are taken in the morning.",
            ),
            ("number", "People above 70 begin with half the dose.", "People above 70 take double."),
            ("hedge", "Relvan can make some people dizzy.", "Relvan makes everybody dizzy."),
        ),
    ),
    Text(
        (
            "The tenant, Ms Oduya, pays Mr Lindqvist 940 euros on the third working day of each"
            " month.",
            "Mr Lindqvist repairs the boiler within five days. Pets are not allowed, except for"
            " fish.",
        ),
        "What did the two agree on?",
        (
            (
                "role",
                "Ms Oduya pays the rent to Mr Lindqvist.",
                "Mr Lindqvist pays the rent to Ms Oduya.",
            ),
            ("number", "The rent is 940 euros a month.", "The rent is 490 euros a month."),
            ("negation", "A dog is not allowed.", "A dog is allowed."),
        ),
    ),
    Text(
        (
            "Sales of Norden Foods rose to 48.2 million in the second quarter, from 45.9 million in"
            " the first.",
            "The board expects, but does not promise, a dividend. Costs in Poland fell; those in"
            " Spain were unchanged.",
        ),
        "How did Norden Foods do?",
        (
            (
                "binding",
                "In the first quarter sales were 45.9 million.",
                "In the first quarter sales were 48.2 million.",
            ),
            ("hedge", "A dividend is expected.", "The board has guaranteed a dividend."),
            ("name", "Costs went down in Poland.", "Costs went down in Spain."),
        ),
    ),
    Text(
        (
            "At Thursday's meeting Priya asked Tom to send the drawings to the city by 9 June.",
            "Ines said that the budget was too small. The next meeting is at 14:30 in room 4.",
        ),
        "What was decided at the meeting?",
        (
            (
                "role",
                "Tom is to send the drawings at Priya's request.",
                "Priya is to send the drawings at Tom's request.",
            ),
            (
                "attribution",
                "Ines finds the budget too small.",
                "Tom finds the budget too small.",
            ),
            (
                "time",
                "The next meeting is at half past two.",
                "The next meeting is at half past four.",
            ),
        ),
    ),
    Text(
        (
            "To reset the router, hold the button for ten seconds until the light turns orange.",
            "A reset deletes the Wi-Fi password, but keeps the list of blocked sites. Version 3"
            " cannot be reset by app.",
        ),
        "How is the router reset?",
        (
            (
                "value",
                "The light becomes orange when the reset is done.",
                "The light becomes green when the reset is done.",
            ),
            (
                "binding",
                "After a reset the Wi-Fi password is gone.",
                "After a reset the list of blocked sites is gone.",
            ),
            (
                "negation",
                "Version 3 can't be reset with the app.",
                "Version 3 can be reset by app.",
            ),
        ),
    ),
    Text(
        (
            "The old lighthouse keeper, Bram, taught Sanne to mend nets in the winter of 1961.",
            "Sanne left the island two years later and became a surgeon in Utrecht. Bram never"
            " left.",
        ),
        "What is the story about?",
        (
            ("role", "Sanne learned from Bram how to mend nets.", "Bram learned it from Sanne."),
            ("date", "Sanne left the island in 1963.", "Sanne left the island in 1961."),
            ("name", "Bram stayed on the island.", "Bram moved to Utrecht."),
        ),
    ),
)
ANSWERS = (
    (
        "The pool closes at 21:00 and opens at 7:00.",
        "Is the pool open at eight in the evening?",
        "Yes.",
    ),
    ("Parking is free for guests of the hotel.", "Do hotel guests pay for parking?", "No."),
    ("Vera was elected; Karl came second.", "Who was elected?", "Vera."),
    ("The warranty lasts three years.", "How many years does the warranty last?", "Three."),
)
OPPOSITES = {"Yes.": "No.", "No.": "Yes.", "Vera.": "Karl.", "Three.": "Two."}

# The most sentences, of 18, whose verdict may go from one side to the other. Measured of
# assay-embedded-2: one each with a question that restates the response and with passages in
# another order, else none. On all 36, right and wrong sentences of each text, it was 5 and 2, 1
# among distractors, none in lower case or Markdown; that with a question was not kept. The bounds
# allow one more of 18, and two more for a question that restates.
MOST_FLIPS = {
    "question": 0.06,
    "restating question": 0.17,
    "lower case": 0.06,
    "distractors": 0.06,
    "order": 0.12,
    "Markdown": 0.06,
}
# Measured: 12 of 18 wrong sentences noticed, 4 false alarms in 18, 14 of 18 pairs told apart. The
# bounds allow one more mistake.
LEAST_NOTICED = 0.61  # of the wrong sentences
MOST_ALARMS = 0.28  # of the right ones
LEAST_TOLD_APART = 0.72  # of the pairs: the wrong one scores less
# Measured: 2 of 4, no better than chance. That is what the model can do; it may not get worse.
LEAST_ANSWERS = 0.50  # of the short answers: the wrong one scores less


def sentences(text: Text, wrong: bool) -> tuple[str, ...]:
    return tuple(pair[2 if wrong else 1] for pair in text.pairs)


def example(text: Text, wrong: bool) -> Example:
    said = " ".join(sentences(text, wrong))
    return Example("1", read_source(" ".join(text.passages)), Response(said))


def with_source(source: str) -> Callable[[Example], Example]:
    return lambda given: replace(given, source=read_source(source))


def marked_up(text: Text) -> str:
    points = "\n".join(f"- {each}" for passage in text.passages for each in passage.split(". "))
    return f"## {text.question}\n\n{points}\n"


def changes(text: Text, other: Text) -> dict[str, Callable[[Example], Example]]:
    first, second = text.passages
    return {
        "plain": lambda given: given,
        "question": lambda given: replace(given, question=text.question),
        "restating question": lambda given: replace(
            given, question=f"Is it true that {given.response.text}"
        ),
        "lower case": with_source(f"{first} {second}".lower()),
        "distractors": with_source("\n\n".join((*other.passages, first, second))),
        "order": with_source(f"{second}\n\n{first}"),
        "Markdown": with_source(marked_up(text)),
    }


def is_changed(number: int, wrong: bool) -> bool:
    """Of every other text the wrong sentences are read again with changes, else the right ones."""
    return wrong is (number % 2 == 1)


@cache
def scores() -> dict[str, list[tuple[float, bool | None]]]:
    """The scores of all sentences under each change, right ones before wrong ones, by one reading.

    Beside each, whether it is faithful; None where the model is not sure.
    """
    given: list[tuple[str, Example]] = []
    for wrong in (False, True):
        for number, (text, other) in enumerate(zip(TEXTS, (*TEXTS[1:], TEXTS[0]), strict=True)):
            for name, change in changes(text, other).items():
                if name == "plain" or is_changed(number, wrong):
                    made = change(replace(example(text, wrong), units=units(text, wrong)))
                    given.append((name, replace(made, id=str(len(given)))))
    found: dict[str, list[tuple[float, bool | None]]] = {}
    detector = open_detector(DetectorSpec("embedded"))
    for (name, _), judgement in zip(
        given, judge_all(detector, [each for _, each in given]), strict=True
    ):
        found.setdefault(name, []).extend(map(read, judgement.verdicts))
    return found


def units(text: Text, wrong: bool) -> tuple[Unit, ...]:
    named = enumerate(sentences(text, wrong), 1)
    return tuple(Unit(f"s{number}", "sentence", each) for number, each in named)


def read(verdict: Verdict) -> tuple[float, bool | None]:
    assert verdict.score is not None
    sides = {"faithful": True, "unfaithful": False}
    return verdict.score, sides.get(verdict.coarse)


def share(values: Iterator[bool] | Sequence[bool]) -> float:
    given = list(values)
    return sum(given) / len(given)


def flips(change: str) -> float:
    """The share of sentences whose verdict goes from one side to the other."""
    size = len(TEXTS[0].pairs)
    plain = [
        scores()["plain"][(wrong * len(TEXTS) + number) * size + each]
        for wrong in (False, True)
        for number in range(len(TEXTS))
        if is_changed(number, wrong)
        for each in range(size)
    ]
    pairs = zip(plain, scores()[change], strict=True)
    return share({one, other} == {True, False} for (_, one), (_, other) in pairs)


@pytest.mark.soak
@pytest.mark.parametrize("change", MOST_FLIPS)
def test_verdicts_do_not_change_with_what_says_nothing(change: str) -> None:
    assert flips(change) <= MOST_FLIPS[change]


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text + "\n",
        lambda text: text.replace(" ", "\n", 8),
        lambda text: text.replace(". ", ".\n"),
        lambda text: text.replace(" ", "  "),
    ],
)
def test_white_space_is_not_even_read(change: Callable[[str], str]) -> None:
    for text in TEXTS:
        plain = " ".join(text.passages)
        given = replace(example(text, wrong=False), source=read_source(change(plain)))
        assert " ".join(ExampleView.of(given).shown.source.text.split("\n")) == plain


def noticed() -> dict[str, float]:
    """The shares that the bounds of wrong and right sentences are about."""
    right, wrong = sides("plain")
    return {
        "noticed": share(faithful is not True for _, faithful in wrong),
        "false alarms": share(faithful is False for _, faithful in right),
        "told apart": share(bad[0] < good[0] for good, bad in zip(right, wrong, strict=True)),
    }


def short_answers() -> float:
    """The share of short answers of which the right one scores more."""
    examples = [
        Example(f"{number}{answer}", read_source(source), Response(answer), question)
        for number, (source, question, right) in enumerate(ANSWERS)
        for answer in (right, OPPOSITES[right])
    ]
    judged = judge_all(open_detector(DetectorSpec("embedded")), examples)
    found = [read(each.verdicts[0])[0] for each in judged]
    return share(a > b for a, b in zip(found[::2], found[1::2], strict=True))


def test_wrong_values_bindings_roles_and_hedges_are_noticed() -> None:
    found = noticed()
    assert found["noticed"] >= LEAST_NOTICED
    assert found["false alarms"] <= MOST_ALARMS
    assert found["told apart"] >= LEAST_TOLD_APART


def test_short_answers_are_read_with_their_question() -> None:
    assert short_answers() >= LEAST_ANSWERS


def sides(change: str) -> tuple[list[tuple[float, bool | None]], list[tuple[float, bool | None]]]:
    """The right sentences, then the wrong ones."""
    found = scores()[change]
    return found[: len(found) // 2], found[len(found) // 2 :]


if __name__ == "__main__":  # what the bounds could be
    for each in MOST_FLIPS:
        print(f"{each}: {flips(each):.3f} of {len(scores()[each])} flip")  # noqa: T201
    print({name: round(value, 3) for name, value in noticed().items()}, short_answers())  # noqa: T201
