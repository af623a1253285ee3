"""`lynx`: Patronus AI's Lynx behind a server, which passes or fails an answer with its reasons.

The reply is JSON with REASONING and SCORE. Lynx is not strict about JSON: lists have single quotes,
reasons are bullets. Where no object can be read, a SCORE that ends the reply is.
"""

import re
from dataclasses import dataclass, replace

from assay.core.examples import Example
from assay.core.judgements import Finding
from assay.core.taxonomies import BINARY
from assay.detectors.judges.judging import PromptTexts, ReplyFormat, judge_type, one_line
from assay.detectors.judges.opinions import Fields, Opinion
from assay.detectors.judges.options import load_prompt, read_options
from assay.detectors.protocol import Capabilities
from assay.llm.client import ModelClient, Reply, WithProbabilities
from assay.llm.fences import Fences
from assay.llm.prompts import Prompt
from assay.llm.replies.forms import Kind, ReplyForm, read_records
from assay.llm.replies.menus import probability_of
from assay.llm.replies.texts import UnreadableError
from assay.text.sentences import response_unit

NAME = "lynx"
CAPABILITIES = Capabilities("response", BINARY, asks_model=True, quotes=False)
_FIELDS = Fields(BINARY)
_WORDS = {"faithful": "PASS", "unfaithful": "FAIL"}
_FORM = ReplyForm(
    "json",
    fields={"reason": "REASONING", "label": "SCORE"},
    choices={word: label for label, word in _WORDS.items()},
)
_FORMS: tuple[Kind, ...] = ("json",)
_END = re.compile(r"\bSCORE\b[\"'*\s]{0,9}:[\"'*\s]{0,9}(PASS|FAIL)\b\W{0,20}\Z", re.IGNORECASE)
_START = re.compile(r"[\s{\"'*]{0,9}REASONING[\"'*\s]{0,9}:", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Lynx:
    """Asks once about the whole response."""

    prompts: tuple[Prompt]
    name: str = NAME
    capabilities: Capabilities = CAPABILITIES

    async def findings(self, client: ModelClient, example: Example) -> list[Finding]:
        """The response; its score is the probability of the word that is said, if it is known."""
        prompt, unit, texts = self.prompts[0], response_unit(example), PromptTexts(example)
        form = _FORM if prompt.form.kind == "own" else prompt.form
        wanted = ReplyFormat(lambda reply, fences: _read(reply, form, fences), _example(form))
        answer = await texts.ask(WithProbabilities(client), prompt, wanted)
        verdict = answer.value.verdict(unit, texts.quotable, None)
        return [Finding(unit, replace(verdict, score=_score(answer.value, answer.reply, form)))]


def _read(reply: str, form: ReplyForm, fences: Fences) -> Opinion:
    try:
        records = read_records(reply, form, fences)
        if records:
            return _FIELDS.read(records[-1])
        raise UnreadableError("the list is empty")
    except UnreadableError as problem:
        found = _END.search(reply)
        if form.fields.get("label") != "SCORE" or not found:
            raise problem from None
    begun = _START.match(reply)
    reasons = reply[begun.end() if begun else 0 : found.start()].strip(" \n\"'{,[]")
    return Opinion(BINARY[_FORM.choices[found[1].upper()]], one_line(reasons))


def _score(opinion: Opinion, reply: Reply, form: ReplyForm) -> float | None:
    """The probability of a pass by that of the word in the reply; None if it is not known."""
    label = opinion.label.name
    said = next((word for word, name in form.choices.items() if name == label), label)
    chance = probability_of(reply, said)
    if chance is None:
        return None
    return round(chance if label == "faithful" else 1 - chance, 6)


def _example(form: ReplyForm) -> str:
    return form.write([{"reason": ["The document says so."], "label": "faithful"}])


def _method(argument: str) -> Lynx:
    chosen = read_options(NAME, argument, settings={"prompt": "FILE"})
    needs = ("source", "response")
    return Lynx((load_prompt(NAME, chosen["prompt"], needs=needs, labels=BINARY, forms=_FORMS),))


LYNX = judge_type(
    "Lynx (Ravi et al. 2024) behind a server: an answer passes or fails, with reasons",
    CAPABILITIES,
    _method,
    {
        "model": "PatronusAI/Llama-3-Patronus-Lynx-8B-Instruct (8 billion parameters, about 16 GB)"
        " or -70B-Instruct (about 141 GB)",
        "licence": "CC BY-NC 4.0, and that of Llama 3",
        "languages": "mainly English",
        "reads": "8,000 tokens at once",
    },
)
