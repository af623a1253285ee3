"""`anah`: the annotator ANAH-v2 behind a server, which asks three questions about each sentence.

Does it state a fact? What does the source say on it? Does it agree with that? The questions are
turns of one conversation; a sentence without facts, or one on which the source has nothing, is not
asked further. The replies are words in angle brackets, in English or in Chinese.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from assay.core.examples import Example
from assay.core.judgements import Finding
from assay.core.taxonomies import GROUNDING4
from assay.core.texts import Span
from assay.core.units import Unit
from assay.core.verdicts import Outcome, Verdict
from assay.detectors.judges.judging import PromptTexts, failed, judge_type, one_line
from assay.detectors.judges.options import load_prompt, read_options
from assay.detectors.protocol import Capabilities, gather_or_cancel
from assay.llm.asking import ask
from assay.llm.client import CallError, Message, ModelClient, Request
from assay.llm.prompts import Prompt
from assay.llm.replies.texts import UnreadableError, final_text
from assay.text.sentences import sentence_units

NAME = "anah"
CAPABILITIES = Capabilities("sentence", GROUNDING4, scores=False, asks_model=True, one_by_one=True)
Words = Mapping[str, str]

_FACTS: Words = {
    "No Facts": "none",
    "Facts Present": "some",
    "无事实": "none",
    "有事实": "some",
}
_NOTHING: Words = {"No Reference Information": "none", "无参考信息": "none"}
_TYPES: Words = {
    "No Hallucination": "supported",
    "Contradictory": "contradictory",
    "Unverifiable": "unsupported",
    "无幻觉": "supported",
    "矛盾": "contradictory",
    "无法验证": "unsupported",
}
_TAG = re.compile(r"<([^<>]{1,40})>")
_SEPARATOR = re.compile(r"<\s{0,9}SEP\s{0,9}>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Anah:
    """Asks the three questions about each sentence, all sentences at the same time."""

    facts: Prompt
    reference: Prompt
    kind: Prompt
    name: str = NAME
    capabilities: Capabilities = CAPABILITIES

    @property
    def prompts(self) -> tuple[Prompt, Prompt, Prompt]:
        """Those of the three questions."""
        return self.facts, self.reference, self.kind

    async def findings(self, client: ModelClient, example: Example) -> list[Finding]:
        """The sentences that the example names, or those of its response."""
        units = sentence_units(example)
        outcomes = await gather_or_cancel(self._outcome(client, example, unit) for unit in units)
        return [Finding(*pair) for pair in zip(units, outcomes, strict=True)]

    async def _outcome(self, client: ModelClient, example: Example, unit: Unit) -> Outcome:
        try:
            return await self._judge(_Conversation(client), example, unit)
        except CallError as error:
            return failed(unit, error)

    async def _judge(self, talk: "_Conversation", example: Example, unit: Unit) -> Verdict:
        texts = PromptTexts(example, sentence=unit.text)
        said = await talk.ask(self.facts, texts, lambda reply: _choice(reply, _FACTS), _SAMPLES[0])
        if said == "none":
            return _verdict(unit, "nothing-to-check", "It states nothing that could be checked.")
        points = await talk.ask(self.reference, texts, _points, _SAMPLES[1])
        if not points:
            return _verdict(unit, "unsupported", "The source has nothing on it.")
        texts = PromptTexts(example, sentence=unit.text, points=points)
        label = await talk.ask(self.kind, texts, lambda reply: _choice(reply, _TYPES), _SAMPLES[2])
        quotes = tuple(piece.strip() for piece in _SEPARATOR.split(points))
        evidence = texts.quotable.find(quotes).spans
        return _verdict(unit, label, one_line(_SEPARATOR.sub(" … ", points)), evidence)


_SAMPLES = ("<Facts Present>", "The source says so.", "<No Hallucination>")


class _Conversation:
    """The turns so far; a reply that had to be asked for twice is one turn."""

    def __init__(self, client: ModelClient) -> None:
        self._client = client
        self._turns: tuple[Message, ...] = ()

    async def ask(
        self, prompt: Prompt, texts: PromptTexts, read: Callable[[str], str], example: str
    ) -> str:
        """The next reply as it is read; raises `CallError` where it cannot be."""
        shown = {name: texts.show(name, prompt) for name in prompt.inputs}
        turns = (*self._turns, *prompt.render(**shown))
        request = Request(turns, example=example, reply_tokens=prompt.reply_tokens)
        answer = await ask(self._client, request, read)
        self._turns = (*turns, Message("assistant", final_text(answer.reply.text)))
        return answer.value


def _choice(reply: str, words: Words) -> str:
    """The only choice in angle brackets, or else the only one in the whole reply."""
    for said in (" ".join(_TAG.findall(reply)), reply):
        found = _named(said, words)
        if len(found) == 1:
            return found.pop()
    menu = " or ".join(f"<{word}>" for word in words if word.isascii())
    problem = "the reply is empty" if not reply.strip() else "it names none of them, or several"
    raise UnreadableError(f"{problem}: {menu}", wanted=f"Reply with {menu}, and nothing else.")


def _points(reply: str) -> str:
    """The pieces of the source on it; empty if it says nothing."""
    if not reply.strip():
        raise UnreadableError(
            "the reply is empty",
            wanted="Reply with what the document says, or with <No Reference Information>.",
        )
    return "" if _named(reply, _NOTHING) else reply.strip()


def _named(text: str, words: Words) -> set[str]:
    """The meanings of the words that a text has, whatever their case and spaces."""
    folded = "".join(text.split()).casefold()
    return {meaning for word, meaning in words.items() if _fold(word) in folded}


def _fold(word: str) -> str:
    return "".join(word.split()).casefold()


def _verdict(unit: Unit, label: str, note: str, evidence: tuple[Span, ...] = ()) -> Verdict:
    return Verdict(unit.id, GROUNDING4[label], note=note, evidence=evidence)


def _method(argument: str) -> Anah:
    """Each of the three questions can be asked with a file."""
    chosen = read_options(NAME, argument, settings=dict.fromkeys(_NEEDS, "FILE"))
    facts, reference, kind = (
        load_prompt(f"{NAME}-{step}", chosen[step], needs=needs) for step, needs in _NEEDS.items()
    )
    return Anah(facts, reference, kind)


_NEEDS = {
    "facts": ("sentence",),
    "reference": ("source", "sentence"),
    "type": ("points", "sentence"),
}

ANAH = judge_type(
    "ANAH-v2 (Gu et al. 2024) behind a server: three questions about each sentence",
    CAPABILITIES,
    _method,
    {
        "model": "opencompass/anah-v2, 7.7 billion parameters, about 15.5 GB",
        "licence": "Apache-2.0",
        "languages": "English and Chinese",
    },
)
