"""`p-true`: how likely a model finds claims by itself, without being shown any source.

A claim is asked about with two options, correct and incorrect, in both orders and several times
each: a model that prefers a letter does so in both orders, and that cancels out.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.judgements import Finding
from assay.core.taxonomies import BINARY
from assay.core.units import Unit
from assay.core.verdicts import Outcome, Verdict
from assay.detectors.judges.claims import Claims
from assay.detectors.judges.judging import ModelJudge, failed
from assay.detectors.judges.options import load_prompt, read_options
from assay.detectors.protocol import Capabilities, gather_or_cancel
from assay.detectors.registry import DetectorType, Ingredients
from assay.llm.asking import ask
from assay.llm.choices import probability_of
from assay.llm.client import CallError, Client, Numbered, Request
from assay.llm.fences import Fences
from assay.llm.prompts import Prompt
from assay.llm.replies import UnreadableError, final_text

NAME = "p-true"
CAPABILITIES = Capabilities("claim", BINARY, asks_model=True, finds_units=True)
REPEAT = 10  # answers in each order
LETTERS = ("A", "B")
_OPTIONS = ("CORRECT", "INCORRECT")
# A letter that says what it is: "Answer: B", "A. Correct", "(B)"; the article in "A claim" is none.
_LETTER = re.compile(
    r"(?:(?:the )?(?:correct |final |best )?(?:answer|option|choice)(?: is)?\s*:?\s*)?"
    r"[*(\[\"'`]*(?P<letter>[AB])[*)\]\"'`]*(?:[:.)][*\s]*(?:in)?correct\b)?[.*]*",
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
    lost: int = 0  # questions without an answer

    @property
    def probability(self) -> float:
        """The mean of both orders, so that lost answers do not favour one of them."""
        return fmean(self._means)

    @property
    def spread(self) -> float:
        """How far the two orders lie apart."""
        one, other = self._means
        return abs(one - other)

    @property
    def note(self) -> str:
        """How the probability was found."""
        answers = (*self.first, *self.second)
        measured = sum(said.is_measured for said in answers)
        how = {0: "the share of answers", len(answers): "token probabilities"}.get(
            measured, f"token probabilities of {measured} answers, the share of the others"
        )
        one, other = self._means
        noun = "question" if self.lost == 1 else "questions"
        lost = f" {self.lost} {noun} had no answer." if self.lost else ""
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
    """Asks about the claims that an example names, or about those that its response makes."""

    prompt: Prompt
    claims: Claims
    repeat: int = REPEAT
    name: str = NAME
    capabilities: Capabilities = CAPABILITIES

    @property
    def prompts(self) -> tuple[Prompt, Prompt]:
        """The prompt that asks about claims, and the one that finds them."""
        return self.prompt, self.claims.split

    async def findings(self, client: Client, example: Example) -> list[Finding]:
        """A score for each claim that is named, else for whatever is named, else for its claims.

        Nothing of the source is read.
        """
        named = [unit for unit in example.units if unit.kind == "claim"]
        units: Sequence[Unit] = named or example.units
        if not units:
            units = [claim.unit for claim in await self.claims.find(client, example)]
        outcomes = await gather_or_cancel(self._outcome(client, unit) for unit in units)
        return [Finding(*pair) for pair in zip(units, outcomes, strict=True)]

    async def believe(self, client: Client, claim: str) -> Belief:
        """What the model says of a claim; raises `CallError` where an order has no answer."""
        first, second = await gather_or_cancel(
            self._ask_all(client, claim, order) for order in (_OPTIONS, _OPTIONS[::-1])
        )
        for answers in (first, second):
            errors = [each for each in answers if isinstance(each, CallError)]
            if len(errors) == self.repeat:
                raise errors[0]
        kept = [
            tuple(each for each in one if isinstance(each, BeliefAnswer)) for one in (first, second)
        ]
        return Belief(kept[0], kept[1], 2 * self.repeat - sum(map(len, kept)))

    async def _outcome(self, client: Client, unit: Unit) -> Outcome:
        try:
            belief = await self.believe(client, unit.text)
        except CallError as error:
            return failed(unit, error)
        return Verdict(unit.id, score=belief.probability, note=belief.note)

    async def _ask_all(
        self, client: Client, claim: str, order: tuple[str, ...]
    ) -> list[BeliefAnswer | CallError]:
        return await gather_or_cancel(
            self._ask(client, claim, order, number) for number in range(self.repeat)
        )

    async def _ask(
        self, client: Client, claim: str, order: tuple[str, ...], number: int
    ) -> BeliefAnswer | CallError:
        fences = Fences({"claim": claim})
        first, second = order
        request = Request(
            self.prompt.render(claim=fences["claim"], first=first, second=second),
            example=LETTERS[0],
            reply_tokens=self.prompt.reply_tokens,
        )
        try:
            answer = await ask(Numbered(client, sample=number), request, read_letter)
        except CallError as error:
            return error
        letter, reply = answer.value, answer.reply
        # After reasons in front of it, a letter is as good as certain.
        has_reasons = "\n" in final_text(reply.text).strip()
        found = None if has_reasons else probability_of(reply, letter)
        chosen = 1.0 if found is None else found
        is_correct = order[LETTERS.index(letter)] == _OPTIONS[0]
        return BeliefAnswer(chosen if is_correct else 1 - chosen, found is not None)


def make_p_true(parts: Ingredients) -> ModelJudge:
    """The judge; `repeat` is how often each order is asked, `prompt` and `split` are files."""
    settings = {"repeat": "N", "prompt": "FILE", "split": "FILE"}
    chosen = read_options(NAME, parts.argument, settings=settings)
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
    prompt = load_prompt(NAME, chosen["prompt"], needs=("claim", "first", "second"))
    # Nothing is verified, since there is no source: of judge-claims only the first call is made.
    split = load_prompt("judge-claims-split", chosen["split"], needs=("sentences",))
    method = PTrue(prompt, Claims(split, verify=split), repeat)
    return ModelJudge(parts.model, method, reads_source=False)


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


P_TRUE = DetectorType(
    "asks a model whether it believes the claims itself, without any source",
    CAPABILITIES,
    make_p_true,
)
