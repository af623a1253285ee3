"""`granite-guardian`: IBM's Granite Guardian behind a server, for the risk of groundedness.

Its chat template writes the prompt: the source and the risk are arguments of the template, or turns
of their own, which differs from version to version. It answers whether the risk is there, so that
yes means unfaithful. The score is the share of no in the probability of both words.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.core.errors import InputError, UnknownNameError
from assay.core.examples import Example
from assay.core.judgements import Finding
from assay.core.taxonomies import BINARY
from assay.core.units import Unit
from assay.core.verdicts import Outcome, Verdict
from assay.detectors.judges.judging import failed, judge_type, one_line
from assay.detectors.judges.options import Chosen, load_prompt, read_options
from assay.detectors.judges.yes_no import NO_SCORE, Word, ask_once, first_word, mass
from assay.detectors.protocol import Capabilities, gather_or_cancel
from assay.llm.client import CallError, Message, ModelClient, Reply, Request, Token
from assay.llm.costs.estimates import as_text
from assay.llm.fences import Fences
from assay.llm.prompts import Prompt
from assay.llm.replies.texts import separated
from assay.text.sentences import response_unit, sentence_units

NAME = "granite-guardian"
RISK = "groundedness"
VERSIONS = ("3.0", "3.1", "3.2", "3.3", "4.1")
_USUAL = "3.3"
_WITH_CONTEXT = frozenset(VERSIONS[:3])  # the source is a turn of the conversation
_ALTERNATIVES = 20  # tokens among which the authors look for yes and no
_SCORE = re.compile(r"<score>([^<]{0,99})</score>", re.IGNORECASE)
_CONFIDENCE = re.compile(r"<confidence>\s*(\w{1,20})\s*</confidence>", re.IGNORECASE)
_LABELS = {"yes": "unfaithful", "no": "faithful"}

Conversation = tuple[tuple[Message, ...], Mapping[str, Any] | None]
Asking = Callable[[str, str], Conversation]  # from source and text to messages and template


@dataclass(frozen=True, slots=True)
class GraniteGuardian:
    """Asks about the response, or about each sentence, as a message of an assistant."""

    name: str
    capabilities: Capabilities
    prompts: tuple[Prompt, ...]
    asking: Asking
    reply_tokens: int = 8
    example: str = "No"

    async def findings(self, client: ModelClient, example: Example) -> list[Finding]:
        """The units of the example, all asked about at the same time."""
        whole = self.capabilities.unit_kind == "response"
        units = (response_unit(example),) if whole else sentence_units(example)
        source = example.source.prompt_text
        outcomes = await gather_or_cancel(self._outcome(client, source, unit) for unit in units)
        return [Finding(*pair) for pair in zip(units, outcomes, strict=True)]

    async def _outcome(self, client: ModelClient, source: str, unit: Unit) -> Outcome:
        messages, template = self.asking(source, unit.text)
        request = Request(
            messages,
            example=self.example,
            reply_tokens=self.reply_tokens,
            alternatives=_ALTERNATIVES,
            probabilities=True,
            template=template,
        )
        try:
            reply = await ask_once(client, request)
            _refuse_echo(unit, reply)
            return _verdict(unit, reply)
        except CallError as error:
            return failed(unit, error)


def _refuse_echo(unit: Unit, reply: Reply) -> None:
    """Raises if the server went on with the message instead of judging it."""
    message = unit.text.strip()
    if message.strip("'\".").casefold() not in _LABELS and reply.text.strip().startswith(message):
        detail = (
            "the server takes the message to be judged for the beginning of its reply;"
            " llama-server must be started with prefilling switched off (no-prefill-assistant)"
        )
        raise CallError("parse", detail, raw=reply.text)


def _verdict(unit: Unit, reply: Reply) -> Verdict:
    said, thoughts = separated(reply.text)
    tagged = _SCORE.findall(said)
    word = first_word(reply, tagged[-1] if tagged else said)
    score = _score(reply, word)
    sure = _CONFIDENCE.search(said)
    notes = (
        one_line(thoughts or reply.thoughts),
        f"The model's own confidence: {sure[1].casefold()}." if sure else "",
        NO_SCORE if score is None else "",
    )
    return Verdict(unit.id, BINARY[_LABELS[word]], score=score, note=" ".join(filter(None, notes)))


def _score(reply: Reply, word: Word) -> float | None:
    """The probability that there is no risk; None if the server did not give any."""
    tokens = _after_thoughts(reply.tokens)
    yes, no = mass(tokens, "yes"), mass(tokens, "no")
    if yes + no <= 0:
        return None
    if not any(token.alternatives for token in tokens):  # only that of the word itself is known
        return round(min(no, 1.0) if word == "no" else 1 - min(yes, 1.0), 6)
    return round(no / (yes + no), 6)


def _after_thoughts(tokens: Sequence[Token]) -> Sequence[Token]:
    spelt = "".join(token.text for token in tokens)
    end, at = spelt.rfind("</think>"), 0
    for number, token in enumerate(tokens):
        if at > end:
            return tokens[number:]
        at += len(token.text)
    return ()


def _as_template(version: str, block: Prompt | None, *, think: bool) -> Asking:
    """As the chat templates of vLLM and llama.cpp take it."""

    def ask(source: str, text: str) -> Conversation:
        message = Message("assistant", text)
        if version in _WITH_CONTEXT:
            turns = (Message("context", source), message)
            return turns, {"guardian_config": {"risk_name": RISK}}
        documents = {"documents": [{"doc_id": "0", "text": source}]}
        if block is not None:
            return (message, *block.render()), documents
        return (message,), {"guardian_config": {"criteria_id": RISK}, **documents, "think": think}

    return ask


def _as_turns(version: str) -> Asking:
    """As Ollama's templates take it: the risk is the system's turn, the source one of its own."""

    def ask(source: str, text: str) -> Conversation:
        role = Message("context" if version in _WITH_CONTEXT else "document 0", source)
        return (Message("system", RISK), role, Message("assistant", text)), None

    return ask


def _as_prompt(prompt: Prompt) -> Asking:
    """As a prompt in words, for a server that has no template of Granite Guardian."""

    def ask(source: str, text: str) -> Conversation:
        texts = {"source": source, "response": text}
        fences = Fences(texts)
        plain = prompt.form.texts == "plain"
        shown = {name: texts[name] if plain else fences[name] for name in texts}
        return prompt.render(**{name: shown[name] for name in prompt.inputs}), None

    return ask


def _options(argument: str) -> Chosen:
    switches = (*VERSIONS, "think", "ollama", "plain")
    settings = {"unit": "response|sentence", "prompt": "FILE"}
    return read_options(NAME, argument, switches=switches, settings=settings)


def _capabilities(argument: str) -> Capabilities:
    unit = _options(argument)["unit"] or "response"
    if unit == "response":
        return Capabilities("response", BINARY, asks_model=True, quotes=False)
    if unit == "sentence":
        return Capabilities("sentence", BINARY, asks_model=True, one_by_one=True, quotes=False)
    raise UnknownNameError(f"unit of {NAME}", unit, ("response", "sentence"))


def _method(argument: str) -> GraniteGuardian:
    """`plain` asks in words of ours, `prompt` in those of a file; for 4.1 that is the last turn."""
    chosen, can = _options(argument), _capabilities(argument)
    version, way = _version(chosen), _way(chosen)
    think, file = "think" in chosen, chosen["prompt"]
    name = ":".join(filter(None, (NAME, ",".join(sorted(chosen.switches)))))
    if version == "4.1" and not way:
        block = load_prompt(f"{NAME}-4.1{'-think' if think else ''}", file, needs=())
        asking = _as_template(version, block, think=think)
        return GraniteGuardian(name, can, (block,), asking, block.reply_tokens, _EXAMPLE)
    if way == "ollama":
        asking = _as_turns(version)
        return GraniteGuardian(name, can, (_form(f"{NAME}-ollama", asking),), asking)
    if way == "plain" or file:
        prompt = load_prompt(NAME, file, needs=("source", "response"))
        return GraniteGuardian(name, can, (prompt,), _as_prompt(prompt), prompt.reply_tokens)
    asking, tokens = _as_template(version, None, think=think), 300 if think else 8
    form = _form(f"{NAME}-template", asking)
    example = "No" if version in _WITH_CONTEXT else _EXAMPLE
    return GraniteGuardian(name, can, (form,), asking, tokens, example)


def _form(name: str, asking: Asking) -> Prompt:
    """Everything that a server with the prompt itself is sent, for the record of a run."""
    messages, template = asking("$source", "$response")
    sections = tuple((message.role, message.content) for message in messages)
    return Prompt(name, "1", frozenset(), sections, fixed={"template": as_text(template)})


_EXAMPLE = "<score> no </score>"


def _version(chosen: Chosen) -> str:
    given = [version for version in VERSIONS if version in chosen]
    if len(given) > 1:
        raise InputError(f"{NAME}: one version is wanted, not {given[0]} and {given[1]}")
    version = given[0] if given else _USUAL
    if "think" in chosen and (version in _WITH_CONTEXT or _way(chosen)):
        raise InputError(f"{NAME}: 'think' is for versions 3.3 and 4.1 with their chat template")
    return version


def _way(chosen: Chosen) -> str:
    """The way to ask in place of the chat template, if one was chosen."""
    ways = [way for way in ("ollama", "plain") if way in chosen]
    if len(ways) > 1 or (ways and chosen["prompt"]):
        raise InputError(f"{NAME}: choose one of 'ollama', 'plain' and 'prompt='")
    return ways[0] if ways else ""


GRANITE_GUARDIAN = judge_type(
    "Granite Guardian (Padhi et al. 2024) behind a server: whether a message is ungrounded",
    _capabilities,
    _method,
    {
        "model": "ibm-granite/granite-guardian-3.3-8b (about 16 GB), -4.1-8b, -3.2-5b,"
        " -3.2-3b-a800m, -3.1-8b, -3.1-2b and others",
        "licence": "Apache-2.0",
        "languages": "English",
    },
)
