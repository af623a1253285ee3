"""`judge-gray7`, `judge-fewshot`, `judge-finesure`: a label for each sentence.

Each sentence is asked about in a call of its own, or all sentences of a response in one.
"""

from dataclasses import dataclass

from assay.core.examples import Example
from assay.core.judgements import Finding
from assay.core.taxonomies import FINESURE9, GRAY7, NLI
from assay.core.units import Unit
from assay.core.verdicts import Outcome
from assay.detectors.judges.batches import judge_numbered
from assay.detectors.judges.judging import (
    ModelJudge,
    PromptTexts,
    failed,
)
from assay.detectors.judges.opinions import Fields
from assay.detectors.judges.options import load_prompt, only_prompt, read_options
from assay.detectors.judges.quoting import Quotable
from assay.detectors.protocol import Capabilities, gather_or_cancel
from assay.detectors.registry import DetectorType, Ingredients
from assay.llm.choices import probability_of
from assay.llm.client import CallError, Client
from assay.llm.prompts import Prompt
from assay.text.units import sentence_units

GRAY7_FIELDS = Fields(GRAY7, quotes=True, readings=True, answers=True)


@dataclass(frozen=True, slots=True)
class _Sentences:
    """What both ways are made of."""

    name: str
    prompts: tuple[Prompt]
    fields: Fields

    @property
    def capabilities(self) -> Capabilities:
        """Sentences, in the taxonomy that the model chooses from."""
        return _capabilities(self.fields)


class OneByOne(_Sentences):
    """Asks about each sentence in a call of its own, all at the same time."""

    __slots__ = ()

    async def findings(self, client: Client, example: Example) -> list[Finding]:
        """The sentences that the example names, or those of its response."""
        units = {f"sentence_{n}": unit for n, unit in enumerate(sentence_units(example), 1)}
        # One code for all sentences: what stands before the sentence stays the same for each, and
        # a server that remembers the beginnings of prompts reads the source once.
        texts = PromptTexts(example, **{name: unit.text for name, unit in units.items()})
        source = Quotable(example.source.text)
        outcomes = await gather_or_cancel(
            self._outcome(client, unit, texts, texts.shown[name], source)
            for name, unit in units.items()
        )
        return [Finding(*pair) for pair in zip(units.values(), outcomes, strict=True)]

    async def _outcome(
        self, client: Client, unit: Unit, texts: PromptTexts, sentence: str, source: Quotable
    ) -> Outcome:
        reply_format = self.fields.reply_format
        try:
            answer = await texts.ask(client, self.prompts[0], reply_format, sentence=sentence)
        except CallError as error:
            return failed(unit, error)
        opinion = answer.value
        return opinion.verdict(unit, source, probability_of(answer.reply, opinion.label.name))


class AllAtOnce(_Sentences):
    """Asks about all sentences of an example in one call, or in a few if there are many."""

    __slots__ = ()

    async def findings(self, client: Client, example: Example) -> list[Finding]:
        """The sentences that the example names, or those of its response."""
        units = sentence_units(example)
        return await judge_numbered(client, self.prompts[0], example, units, self.fields)


def _capabilities(fields: Fields) -> Capabilities:
    consults = fields.taxonomy == GRAY7
    return Capabilities(
        "sentence", fields.taxonomy, scores=False, asks_model=True, consults=consults
    )


def _make_gray7(parts: Ingredients) -> ModelJudge:
    """`batch` asks about all sentences of a response in one call."""
    settings = {"prompt": "FILE"}
    chosen = read_options("judge-gray7", parts.argument, switches=("batch",), settings=settings)
    if "batch" in chosen:
        needs = ("source", "sentences")
        prompt = load_prompt("judge-gray7-batch", chosen["prompt"], needs=needs, labels=GRAY7)
        return ModelJudge(parts.model, AllAtOnce("judge-gray7:batch", (prompt,), GRAY7_FIELDS))
    needs = ("source", "sentence")
    prompt = load_prompt("judge-gray7", chosen["prompt"], needs=needs, labels=GRAY7)
    return ModelJudge(parts.model, OneByOne("judge-gray7", (prompt,), GRAY7_FIELDS))


def _make_fewshot(parts: Ingredients) -> ModelJudge:
    """The worked examples are in its prompt."""
    prompt = only_prompt("judge-fewshot", parts.argument, ("source", "sentence"), NLI)
    return ModelJudge(parts.model, OneByOne("judge-fewshot", (prompt,), Fields(NLI)))


def _make_finesure(parts: Ingredients) -> ModelJudge:
    prompt = only_prompt("judge-finesure", parts.argument, ("source", "sentences"), FINESURE9)
    return ModelJudge(parts.model, AllAtOnce("judge-finesure", (prompt,), Fields(FINESURE9)))


GRAY7_JUDGE = DetectorType(
    "asks a model about each sentence, or about all at once: judge-gray7:batch",
    _capabilities(GRAY7_FIELDS),
    _make_gray7,
)
FEWSHOT = DetectorType(
    "asks a model about each sentence, after worked examples",
    _capabilities(Fields(NLI)),
    _make_fewshot,
)
FINESURE = DetectorType(
    "asks a model for the kind of error in each sentence, all at once",
    _capabilities(Fields(FINESURE9)),
    _make_finesure,
)
