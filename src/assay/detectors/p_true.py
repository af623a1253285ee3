"""`p-true`: how likely a model finds claims by itself, without being shown any source.

A claim is asked about with two options, correct and incorrect, in both orders and several times
each: a model that prefers a letter does so in both orders, and that cancels out.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from assay.core.errors import InputError
from assay.core.examples import Example, Judgement
from assay.core.labels import Taxonomy
from assay.core.taxonomies import BINARY
from assay.core.units import Unit, UnitKind
from assay.core.verdicts import Outcome, Verdict
from assay.detectors.judges.claims import Claims
from assay.detectors.judges.judging import failed, together
from assay.detectors.judges.options import read_options
from assay.detectors.judges.protocol import detect_in_order
from assay.detectors.judges.templates import load_prompt
from assay.detectors.units import response_unit
from assay.llm.asking import ask
from assay.llm.choices import probability_of
from assay.llm.client import CallError, Client, Numbered, Request
from assay.llm.prompts import Fences, Prompt
from assay.llm.replies import UnreadableError, final_text

NAME = "p-true"
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
class Said:
    """One answer as the probability of "correct"; 0 or 1 where the server tells no probability."""

    correct: float
    is_measured: bool


@dataclass(frozen=True, slots=True)
class Belief:
    """The answers in both orders: with "correct" as the first option, and as the second."""

    first: tuple[Said, ...]
    second: tuple[Said, ...]
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

    client: Client
    prompt: Prompt
    claims: Claims
    repeat: int = REPEAT
    unit_kind: UnitKind = "claim"
    taxonomy: Taxonomy = BINARY

    @property
    def name(self) -> str:
        """The method and the model."""
        return f"{NAME} {self.client.model}"

    @property
    def prompt_digests(self) -> Mapping[str, str]:
        """The prompt that asks about claims, and the one that finds them."""
        return {each.name: each.digest for each in (self.prompt, self.claims.split)}

    async def judge(self, example: Example) -> Judgement:
        """A score for each claim; nothing of the source is read."""
        try:
            units = await self._units(example)
        except CallError as error:
            return Judgement(example, (failed(response_unit(example), error),), 0)
        outcomes = await together(self._outcome(unit) for unit in units)
        return Judgement(example, tuple(outcomes), characters_read=0)

    def detect(self, examples: Iterable[Example]) -> Iterator[Judgement]:
        """Many examples at a time, in their order."""
        return detect_in_order(self, examples)

    async def believe(self, claim: str) -> Belief:
        """What the model says of a claim; raises `CallError` where an order has no answer."""
        first, second = await together(
            self._ask_all(claim, order) for order in (_OPTIONS, _OPTIONS[::-1])
        )
        for answers in (first, second):
            errors = [each for each in answers if isinstance(each, CallError)]
            if len(errors) == self.repeat:
                raise errors[0]
        kept = [tuple(each for each in one if isinstance(each, Said)) for one in (first, second)]
        return Belief(kept[0], kept[1], 2 * self.repeat - sum(map(len, kept)))

    async def _units(self, example: Example) -> Sequence[Unit]:
        """The claims that are named, else whatever is named, else those of the response."""
        named = [unit for unit in example.units if unit.kind == "claim"]
        if named or example.units:
            return named or example.units
        return [claim.unit for claim in await self.claims.find(self.client, example)]

    async def _outcome(self, unit: Unit) -> Outcome:
        try:
            belief = await self.believe(unit.text)
        except CallError as error:
            return failed(unit, error)
        return Verdict(unit, score=belief.probability, note=belief.note)

    async def _ask_all(self, claim: str, order: tuple[str, ...]) -> list[Said | CallError]:
        return await together(self._ask(claim, order, number) for number in range(self.repeat))

    async def _ask(self, claim: str, order: tuple[str, ...], number: int) -> Said | CallError:
        fences = Fences({"claim": claim})
        first, second = order
        request = Request(
            self.prompt.render(claim=fences["claim"], first=first, second=second),
            example=LETTERS[0],
            reply_tokens=self.prompt.reply_tokens,
        )
        try:
            answer = await ask(Numbered(self.client, sample=number), request, read_letter)
        except CallError as error:
            return error
        letter, reply = answer.value, answer.reply
        # After reasons in front of it, a letter is as good as certain.
        has_reasons = "\n" in final_text(reply.text).strip()
        found = None if has_reasons else probability_of(reply, letter)
        chosen = 1.0 if found is None else found
        is_correct = order[LETTERS.index(letter)] == _OPTIONS[0]
        return Said(chosen if is_correct else 1 - chosen, found is not None)


def make_p_true(client: Client, argument: str) -> PTrue:
    """The judge; `repeat` is how often each order is asked, `prompt` and `split` are files."""
    settings = {"repeat": "N", "prompt": "FILE", "split": "FILE"}
    chosen = read_options(NAME, argument, settings=settings)
    repeat = chosen.count("repeat", REPEAT)
    if repeat < 1:
        raise InputError(f"{NAME}: repeat is how often each order is asked: 1 or more")
    described = client.describe()
    if repeat > 1 and described.get("temperature") == 0 and not described.get("logprobs"):
        raise InputError(
            f"{NAME}: at temperature 0 a model gives the same letter each time; add "
            f"--temperature 1 or --logprobs, or ask once with {NAME}:repeat=1"
        )
    needs = ("claim", "first", "second")
    return PTrue(
        client, load_prompt(NAME, chosen["prompt"], needs=needs), _claims(chosen["split"]), repeat
    )


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


def _claims(file: str) -> Claims:
    """How claims are found; nothing is verified, since there is no source."""
    split = load_prompt("judge-claims-split", file, needs=("sentences",))
    return Claims(split, verify=split)
