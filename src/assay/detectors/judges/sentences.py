"""`judge-gray7`, `judge-fewshot`, `judge-finesure`: a label for each sentence.

Each sentence is asked about in a call of its own, or all sentences of a response in one. Each judge
has a second prompt of ours, with the definitions of the paper and nothing else.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.judgements import Finding
from assay.core.labels import Taxonomy
from assay.core.taxonomies import FINESURE9, GRAY7, NLI
from assay.core.units import Unit
from assay.core.verdicts import Outcome
from assay.detectors.judges.batches import judge_numbered
from assay.detectors.judges.judging import (
    PromptTexts,
    failed,
    judge_type,
)
from assay.detectors.judges.opinions import (
    NUMBERED,
    ONE,
    Fields,
    ask_opinion,
    has_quotes,
)
from assay.detectors.judges.options import Chosen, load_prompt, read_options
from assay.detectors.protocol import Capabilities, gather_or_cancel
from assay.llm.client import CallError, ModelClient
from assay.llm.prompts import Prompt
from assay.text.sentences import sentence_units

_PLAIN = "definitions"
GRAY7_FIELDS = Fields(GRAY7, quotes=True, readings=True, answers=True)
_DEFINED_FIELDS = Fields(GRAY7, readings=True, as_stated=True)
# The papers' prompts ask for no more of an ambiguous sentence, though VeriGray's guideline does.
_AMBIGUOUS = "The sentence or the source can be understood in several ways."


@dataclass(frozen=True, slots=True)
class _Sentences:
    """The parts that both ways share."""

    name: str
    prompts: tuple[Prompt]
    fields: Fields
    one_by_one: ClassVar[bool] = False

    @property
    def capabilities(self) -> Capabilities:
        """Sentences, in the taxonomy that the model chooses from."""
        quotes = has_quotes(self.fields, self.prompts[0].form)
        return replace(_capabilities(self.fields, one_by_one=self.one_by_one), quotes=quotes)


class OneByOne(_Sentences):
    """Asks about each sentence in a call of its own, all at the same time."""

    __slots__ = ()
    one_by_one = True

    async def findings(self, client: ModelClient, example: Example) -> list[Finding]:
        """The sentences that the example names, or those of its response."""
        units = {f"sentence_{n}": unit for n, unit in enumerate(sentence_units(example), 1)}
        # One code for all sentences: what stands before the sentence stays the same for each, and
        # a server that remembers the beginnings of prompts reads the source once.
        texts = PromptTexts(example, **{name: unit.text for name, unit in units.items()})
        outcomes = await gather_or_cancel(
            self._outcome(client, unit, texts, texts.show(name, self.prompts[0]))
            for name, unit in units.items()
        )
        return [Finding(*pair) for pair in zip(units.values(), outcomes, strict=True)]

    async def _outcome(
        self, client: ModelClient, unit: Unit, texts: PromptTexts, sentence: str
    ) -> Outcome:
        prompt = self.prompts[0]
        try:
            return await ask_opinion(client, prompt, texts, unit, self.fields, sentence=sentence)
        except CallError as error:
            return failed(unit, error)


class AllAtOnce(_Sentences):
    """Asks about all sentences of an example in one call, or in a few if there are many."""

    __slots__ = ()

    async def findings(self, client: ModelClient, example: Example) -> list[Finding]:
        """The sentences that the example names, or those of its response."""
        units = sentence_units(example)
        return await judge_numbered(client, self.prompts[0], example, units, self.fields)


def _capabilities(fields: Fields, *, one_by_one: bool) -> Capabilities:
    consults = fields.taxonomy == GRAY7
    return Capabilities(
        "sentence",
        fields.taxonomy,
        scores=False,
        asks_model=True,
        one_by_one=one_by_one,
        consults=consults,
        quotes=fields.quotes,
    )


def _gray7_capabilities(argument: str) -> Capabilities:
    chosen = _chosen("judge-gray7", argument, "batch")
    return _capabilities(GRAY7_FIELDS, one_by_one="batch" not in chosen)


def _gray7(argument: str) -> OneByOne | AllAtOnce:
    """`batch` asks about all sentences of a response in one call."""
    chosen = _chosen("judge-gray7", argument, "batch")
    fields = _DEFINED_FIELDS if _PLAIN in chosen else GRAY7_FIELDS
    if "batch" in chosen:
        return AllAtOnce(_name(chosen), _prompts(chosen, fields, "judge-gray7-batch"), fields)
    return OneByOne(_name(chosen), _prompts(chosen, fields), fields)


def _fewshot(argument: str) -> OneByOne:
    """The worked examples are in its prompt."""
    chosen, fields = _chosen("judge-fewshot", argument), Fields(NLI)
    return OneByOne(_name(chosen), _prompts(chosen, fields), fields)


def _finesure(argument: str) -> AllAtOnce:
    chosen, fields = _chosen("judge-finesure", argument), Fields(FINESURE9)
    return AllAtOnce(_name(chosen), _prompts(chosen, fields, "judge-finesure"), fields)


def _chosen(judge: str, argument: str, *switches: str) -> Chosen:
    """`definitions` asks with the paper's definitions alone, without our guidance."""
    settings = {"prompt": "FILE"}
    chosen = read_options(judge, argument, switches=(*switches, _PLAIN), settings=settings)
    if _PLAIN in chosen and chosen["prompt"]:
        raise InputError(f"{judge}: '{_PLAIN}' is a prompt of ours; leave it out or 'prompt='")
    return chosen


def _prompts(chosen: Chosen, fields: Fields, at_once: str = "") -> tuple[Prompt]:
    """The prompt about one sentence, or that of the name `at_once`, which is about all of them."""
    name = at_once or chosen.judge
    prompt = load_prompt(
        f"{name}-{_PLAIN}" if _PLAIN in chosen else name,
        chosen["prompt"],
        needs=("source", "sentences" if at_once else "sentence"),
        labels=_menu(fields),
        forms=NUMBERED if at_once else ONE,
    )
    return (prompt,)


def _menu(fields: Fields) -> Taxonomy:
    """The labels as the prompt explains them."""
    if fields != _DEFINED_FIELDS:
        return fields.taxonomy
    labels = (
        replace(each, meaning=_AMBIGUOUS) if each.name == "ambiguous" else each for each in GRAY7
    )
    return replace(GRAY7, labels=tuple(labels))


def _name(chosen: Chosen) -> str:
    """The name of the detector, with its switches."""
    return ":".join(filter(None, (chosen.judge, ",".join(sorted(chosen.switches)))))


GRAY7_JUDGE = judge_type(
    "asks a model about each sentence, or about all at once: judge-gray7:batch",
    _gray7_capabilities,
    _gray7,
)
FEWSHOT = judge_type(
    "asks a model about each sentence, after worked examples",
    _capabilities(Fields(NLI), one_by_one=True),
    _fewshot,
)
FINESURE = judge_type(
    "asks a model for the kind of error in each sentence, all at once",
    _capabilities(Fields(FINESURE9), one_by_one=False),
    _finesure,
)
