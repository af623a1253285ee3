"""`trulens`: each sentence gets a number for how far the source supports it, as in TruLens.

Each sentence is asked about in a call of its own. The number, from 0 to 3, or to 10 as in earlier
versions, is normalized to a score from 0 to 1; that of the response is the mean. Replies are JSON,
or lines that begin with `Supporting Evidence:` and `Score:`.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

from assay.core.errors import UnknownNameError
from assay.core.examples import Example
from assay.core.folding import fold_outcomes
from assay.core.judgements import Finding
from assay.core.taxonomies import BINARY
from assay.core.units import RESPONSE, Unit
from assay.core.verdicts import Outcome, Verdict
from assay.detectors.judges.judging import (
    PromptTexts,
    ReplyFormat,
    failed,
    judge_type,
    one_line,
)
from assay.detectors.judges.options import Chosen, load_prompt, read_options
from assay.detectors.protocol import Capabilities, gather_or_cancel
from assay.llm.client import CallError, ModelClient
from assay.llm.fences import Fences
from assay.llm.prompts import Prompt
from assay.llm.replies.schemas import (
    array_of,
    object_of,
    object_with,
    read_json,
    read_value,
    text,
    whole_number,
)
from assay.llm.replies.texts import UnreadableError
from assay.text.sentences import response_unit, sentence_units

NAME = "trulens"
SCALES = (3, 10)
_NOTHING = re.compile(r"\W{0,9}(?:nothing found|abstention|none)\W{0,9}", re.IGNORECASE)
_SCORE = re.compile(r"^[ \t*]{0,9}Score[ \t*]{0,9}:[ \t*]{0,9}(\S{1,20})", re.IGNORECASE | re.M)
_EVIDENCE = re.compile(r"^[ \t*]{0,9}Supporting Evidence[ \t*]{0,9}:(.{0,9999})", re.I | re.M)


@dataclass(frozen=True, slots=True)
class SupportRating:
    """The number that a reply gives to a sentence, and the passages that it names."""

    number: int
    passages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TruLens:
    """Asks for a number for each sentence, all at the same time."""

    prompts: tuple[Prompt]
    capabilities: Capabilities
    scale: int = SCALES[0]
    name: str = NAME

    async def findings(self, client: ModelClient, example: Example) -> list[Finding]:
        """The sentences; and before them the response, unless only these are wanted."""
        units = {f"sentence_{n}": unit for n, unit in enumerate(sentence_units(example), 1)}
        texts = PromptTexts(example, **{name: unit.text for name, unit in units.items()})
        outcomes = await gather_or_cancel(
            self._outcome(client, unit, texts, texts.show(name, self.prompts[0]))
            for name, unit in units.items()
        )
        found = [Finding(*pair) for pair in zip(units.values(), outcomes, strict=True)]
        if self.capabilities.unit_kind == "sentence":
            return found
        whole = fold_outcomes(RESPONSE, outcomes, "mean")
        return [Finding(response_unit(example), whole), *found]

    async def _outcome(
        self, client: ModelClient, unit: Unit, texts: PromptTexts, sentence: str
    ) -> Outcome:
        most = self.scale
        sample = json.dumps({"supporting_evidence": [], "score": most})
        schema = object_of(supporting_evidence=array_of(text()), score=whole_number(0, most))
        wanted = ReplyFormat(lambda reply, fences: _read(reply, most, fences), sample, schema)
        try:
            answer = await texts.ask(
                client, self.prompts[0], wanted, sentence=sentence, most=str(most)
            )
        except CallError as error:
            return failed(unit, error)
        rating = answer.value
        quoted = texts.quotable.find(rating.passages)
        note = f"{rating.number} of {most} for its support. {quoted.note}".strip()
        score = rating.number / most
        return Verdict(unit.id, score=score, note=note, evidence=quoted.spans)


def _read(reply: str, most: int, fences: Fences) -> SupportRating:
    """The number in JSON or on a line of its own; anything but one number of the scale raises."""
    scale = whole_number(0, most)
    try:
        record = read_json(reply, object_with(score=scale), fences)
    except UnreadableError:
        lines = _SCORE.findall(reply)
        if len(lines) != 1:
            raise
        evidence = _EVIDENCE.search(reply)
        number = read_value(lines[0].rstrip(".,;*"), scale, "score")
        return SupportRating(number, _passages(evidence and evidence[1]))
    return SupportRating(record["score"], _passages(record.get("supporting_evidence")))


def _passages(said: Any) -> tuple[str, ...]:
    """The passages that are named; what says that there is none is no passage."""
    several = said if isinstance(said, list) else [said]
    texts = (one_line(each) for each in several)
    return tuple(each for each in texts if each and not _NOTHING.fullmatch(each))


def _options(argument: str) -> Chosen:
    settings = {"unit": "response|sentence", "scale": "3|10", "prompt": "FILE"}
    return read_options(NAME, argument, settings=settings)


def _capabilities(argument: str) -> Capabilities:
    unit = _options(argument)["unit"] or "response"
    if unit == "response":
        return Capabilities("response", BINARY, asks_model=True)
    if unit == "sentence":
        return Capabilities("sentence", BINARY, asks_model=True, one_by_one=True)
    raise UnknownNameError(f"unit of {NAME}", unit, ("response", "sentence"))


def _method(argument: str) -> TruLens:
    chosen, can = _options(argument), _capabilities(argument)
    scale = chosen.count("scale", SCALES[0])
    if scale not in SCALES:
        raise UnknownNameError(f"scale of {NAME}", str(scale), [str(each) for each in SCALES])
    prompt = load_prompt(NAME, chosen["prompt"], needs=("source", "sentence"))
    of = "" if can.unit_kind == "response" else ":unit=sentence"
    return TruLens((prompt,), can, scale, f"{NAME}{of}")


TRULENS = judge_type(
    "TruLens's groundedness: how far the source supports each sentence, and the mean",
    _capabilities,
    _method,
)
