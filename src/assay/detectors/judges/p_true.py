"""`p-true`: how likely a model finds an answer to a question correct, without any source.

The model is shown question and answer and chooses between correct and incorrect, in both orders of
the options and several times each: a preference for a letter shows in both orders and cancels out.
"""

import re
from dataclasses import dataclass
from math import exp
from statistics import fmean

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.judgements import Finding
from assay.core.taxonomies import BINARY
from assay.core.verdicts import Verdict
from assay.detectors.judges.judging import ModelJudge, failed
from assay.detectors.judges.options import load_prompt, read_options
from assay.detectors.protocol import Capabilities, gather_or_cancel
from assay.detectors.registry import DetectorType, Ingredients
from assay.llm.asking import ask
from assay.llm.client import CallError, ModelClient, Numbered, Reply, Request
from assay.llm.fences import Fences
from assay.llm.prompts import Prompt
from assay.llm.replies.texts import UnreadableError, final_text
from assay.text.sentences import response_unit

NAME = "p-true"
CAPABILITIES = Capabilities("response", BINARY, asks_model=True)
REPEAT = 10  # answers in each order
LETTERS = ("A", "B")
_ALTERNATIVES = 5  # tokens at the place of the letter: both letters, with and without a space
_OPTIONS = ("CORRECT", "INCORRECT")
# A letter that says what it is: "Answer: B", "A. Correct", "(B)"; the article in "A claim" is none.
_LETTER = re.compile(
    r"(?:(?:the )?(?:correct |final |best )?(?:answer|option|choice)(?: is)?\s*+(?::\s*+)?)?"
    r"[*(\[\"'`]*+(?P<letter>[AB])(?>(?:[*\]\"'`]|\)(?![*\s]*+(?:in)?correct\b))*)"
    r"(?:[:.)][*\s]*+(?:in)?correct\b)?[.*]*+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class BeliefAnswer:
    """One answer as the probability of "correct"; 0 or 1 where the server reports none."""

    correct: float
    is_measured: bool


@dataclass(frozen=True, slots=True)
class Belief:
    """The answers in both orders: with "correct" as the first option, and as the second."""

    first: tuple[BeliefAnswer, ...]
    second: tuple[BeliefAnswer, ...]
    lost: int = 0  # requests without an answer

    @property
    def probability(self) -> float:
        """The mean of both orders, so that lost answers do not favour one of them."""
        return fmean(self._means)

    @property
    def spread(self) -> float:
        """The distance between the results of the two orders."""
        one, other = self._means
        return abs(one - other)

    @property
    def note(self) -> str:
        answers = (*self.first, *self.second)
        measured = sum(said.is_measured for said in answers)
        how = {0: "the share of answers", len(answers): "token probabilities"}.get(
            measured, f"token probabilities of {measured} answers, the share of the others"
        )
        one, other = self._means
        noun = "request" if self.lost == 1 else "requests"
        lost = f" {self.lost} {noun} got no answer." if self.lost else ""
        return (
            f"What the model itself believes, without a source: {how}, {len(answers)} in all; "
            f"{one:.3f} with 'correct' first, {other:.3f} with 'correct' second "
            f"({self.spread:.3f} apart).{lost}"
        )

    @property
    def _means(self) -> tuple[float, float]:
        first, second = (fmean(said.correct for said in each) for each in (self.first, self.second))
        return first, second


@dataclass(frozen=True, slots=True)
class PTrue:
    """Asks whether the response of an example is the correct answer to its question."""

    prompt: Prompt
    repeat: int = REPEAT
    name: str = NAME
    capabilities: Capabilities = CAPABILITIES

    @property
    def prompts(self) -> tuple[Prompt]:
        """The prompt that asks about an answer."""
        return (self.prompt,)

    async def findings(self, client: ModelClient, example: Example) -> list[Finding]:
        """A score for the response; nothing of the source is read.

        An example without a question is a failure, and nobody is asked.
        """
        if not example.question.strip():
            raise CallError("missing", "the example has no question that its response answers")
        unit = response_unit(example)
        try:
            belief = await self.believe(client, example.question, example.response.text)
        except CallError as error:
            return [Finding(unit, failed(unit, error))]
        return [Finding(unit, Verdict(unit.id, score=belief.probability, note=belief.note))]

    async def believe(self, client: ModelClient, question: str, answer: str) -> Belief:
        """P(True | question, answer); raises `CallError` where an order has no answer at all."""
        fences = Fences({"question": question, "answer": answer})
        first, second = await gather_or_cancel(
            self._ask_all(client, fences, order) for order in (_OPTIONS, _OPTIONS[::-1])
        )
        for answers in (first, second):
            errors = [each for each in answers if isinstance(each, CallError)]
            if len(errors) == self.repeat:
                raise errors[0]
        kept = [
            tuple(each for each in one if isinstance(each, BeliefAnswer)) for one in (first, second)
        ]
        return Belief(kept[0], kept[1], 2 * self.repeat - sum(map(len, kept)))

    async def _ask_all(
        self, client: ModelClient, fences: Fences, order: tuple[str, ...]
    ) -> list[BeliefAnswer | CallError]:
        return await gather_or_cancel(
            self._ask(client, fences, order, number) for number in range(self.repeat)
        )

    async def _ask(
        self, client: ModelClient, fences: Fences, order: tuple[str, ...], number: int
    ) -> BeliefAnswer | CallError:
        first, second = order
        shown = fences.texts if self.prompt.form.texts == "plain" else fences
        texts = {name: shown[name] for name in ("question", "answer")}
        request = Request(
            self.prompt.render(**texts, first=first, second=second),
            example=LETTERS[0],
            reply_tokens=self.prompt.reply_tokens,
            alternatives=_ALTERNATIVES,
        )
        try:
            answer = await ask(Numbered(client, sample=number), request, read_letter)
        except CallError as error:
            return error
        correct = LETTERS[order.index(_OPTIONS[0])]
        measured = letter_probability(answer.reply, correct)
        if measured is not None:
            return BeliefAnswer(measured, is_measured=True)
        return BeliefAnswer(float(answer.value == correct), is_measured=False)


def make_p_true(parts: Ingredients) -> ModelJudge:
    """The judge; `repeat` is how often each order is asked, `prompt` is a file."""
    chosen = read_options(NAME, parts.argument, settings={"repeat": "N", "prompt": "FILE"})
    repeat = chosen.count("repeat", REPEAT)
    if repeat < 1:
        raise InputError(f"{NAME}: repeat is how often each order is asked, at least 1")
    described = parts.model.describe()
    if repeat > 1 and described.get("temperature") == 0 and not described.get("logprobs"):
        raise InputError(
            f"{NAME}: at temperature 0 a model gives the same letter each time; ask at "
            f"temperature 1 or with log probabilities, or only once: {NAME}:repeat=1",
            field="temperature",
        )
    prompt = belief_prompt(chosen["prompt"])
    return ModelJudge(parts.model, PTrue(prompt, repeat), reads_source=False)


def belief_prompt(file: str = "") -> Prompt:
    """Our prompt, or that of the user in its place; raises if it cannot be used."""
    needs = ("question", "answer", "first", "second")
    prompt = load_prompt(NAME, file, needs=needs, forms=None)
    form = prompt.form
    if form.kind not in ("own", "choice"):
        raise InputError(
            f"{NAME}: the reply is one letter; the form '{form.kind}' of {prompt.name} is not read"
        )
    if form.choices or form.marker or form.tag:
        raise InputError(
            f"{NAME}: the reply is one letter, A or B; leave out choices, marker and tag in the "
            f"header of {prompt.name}"
        )
    return prompt


def read_letter(reply: str) -> str:
    """The letter that a reply chooses; anything else raises.

    >>> read_letter("(b)"), read_letter("The answer is A.")
    ('B', 'A')
    """
    lines = [line.strip() for line in reply.splitlines() if line.strip()]
    found = _LETTER.fullmatch(lines[-1]) if lines else None
    if found is None:
        problem = "it is not one of the letters A and B" if lines else "the reply is empty"
        raise UnreadableError(problem, wanted="Reply with the letter, A or B, and nothing else.")
    return found["letter"].upper()


def letter_probability(reply: Reply, letter: str) -> float | None:
    """The probability of a letter where the reply names one, as a share of that of both letters.

    The likeliest tokens at that place are added up by letter, whether a space goes before it or
    not. None if the server did not report them, or if the model reasons before it answers, after
    which the letter is as good as certain.
    """
    if "\n" in final_text(reply.text).strip():
        return None
    named = [each for each in reply.tokens if each.text.strip() in LETTERS and each.alternatives]
    if not named:
        return None
    mass = dict.fromkeys(LETTERS, 0.0)
    for text, logprob in named[-1].alternatives:
        if text.strip() in mass:
            mass[text.strip()] += exp(min(logprob, 0.0))
    total = sum(mass.values())
    return mass[letter] / total if total > 0 else None


P_TRUE = DetectorType(
    "asks a model whether it believes the answer to a question itself, without any source",
    CAPABILITIES,
    make_p_true,
)
