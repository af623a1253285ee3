"""True but unsupported words of a response replaced by false ones; all other words stay."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from assay.core.examples import Example
from assay.core.spans import Span
from assay.core.verdicts import Failure
from assay.detectors.judges.judging import PromptTexts, ReplyFormat, failed
from assay.detectors.judges.opinions import wanting
from assay.detectors.judges.options import load_prompt
from assay.detectors.judges.quoting import plain_text
from assay.detectors.localize.findings import one_line
from assay.evaluation.errors.explanations import PROMPTS
from assay.evaluation.localization.inconsistencies import Inconsistency
from assay.llm.client import CallError, Client
from assay.llm.prompts import Fences, Prompt
from assay.llm.replies import UnreadableError
from assay.llm.schemas import array_of, object_of, object_with, read_json, text

_SCHEMA = object_of(reason=text(), alternatives=array_of(text()))
_LEAST = object_with(alternatives=array_of(text()))


@dataclass(frozen=True, slots=True)
class Alternative:
    """The words for each place, and why they are false according to the model."""

    words: tuple[str, ...]
    reason: str = ""


async def propose_words(
    client: Client, example: Example, error: Inconsistency
) -> Alternative | Failure:
    """False words for each place of an error; a second unusable proposal is a failure."""
    spans = error.unit.spans
    words = "\n".join(f"{n}. {one_line(span.text)}" for n, span in enumerate(spans, 1))
    texts = PromptTexts(example, error=error.description, words=words)
    try:
        return (await texts.ask(client, prompt(), _Words(spans).reply_format)).value
    except CallError as problem:
        return failed(error.unit, problem)


@cache
def prompt() -> Prompt:
    """The prompt that asks for false words."""
    return load_prompt("propose-alternative", needs=("words",), folder=PROMPTS)


def replace_words(
    response: str, spans: Sequence[Span], words: Sequence[str]
) -> tuple[str, tuple[Span, ...]]:
    """The response with new words at some places, and where these are; the rest is unchanged.

    >>> spans = [Span.cut("In Rome in May.", 3, 7, "response")]
    >>> text, places = replace_words("In Rome in May.", spans, ["Pisa"])
    >>> text, places[0].text
    ('In Pisa in May.', 'Pisa')
    """
    pieces: list[str] = []
    places: list[tuple[int, int]] = []
    at = length = 0
    for span, new in sorted(zip(spans, words, strict=True), key=lambda pair: pair[0]):
        span.verify(response)
        kept = response[at : span.start]
        places.append((length + len(kept), length + len(kept) + len(new)))
        pieces += [kept, new]
        length, at = places[-1][1], span.end
    text = "".join((*pieces, response[at:]))
    return text, tuple(Span.cut(text, start, end, "response") for start, end in places)


def moved(span: Span, spans: Sequence[Span], words: Sequence[str], text: str) -> Span | None:
    """Where a span stands after words were replaced; None if they lie in it."""
    if any(span.overlaps(each) for each in spans):
        return None
    pairs = zip(spans, words, strict=True)
    shift = sum(len(new) - len(old.text) for old, new in pairs if old.end <= span.start)
    return Span.cut(text, span.start + shift, span.end + shift, "response")


def _fitted(span: Span, new: str) -> str:
    """The new words between the blanks of the old ones, so that no words grow together."""
    before, old, after = span.text.partition(span.text.strip())
    return f"{before}{new}{after}" if old else new


@dataclass(frozen=True, slots=True)
class _Words:
    """The places to fill: each gets words of its own that differ from those that are there."""

    spans: tuple[Span, ...]

    @property
    def reply_format(self) -> ReplyFormat[Alternative]:
        """Words for each place."""
        words = [f"other than {one_line(span.text)}" for span in self.spans]
        reply = {"reason": "The world is not like this.", "alternatives": words}
        return ReplyFormat(self._read, json.dumps(reply), _SCHEMA)

    def _read(self, reply: str, fences: Fences) -> Alternative:
        try:
            value: dict[str, Any] = read_json(reply, _LEAST, fences)
            words = tuple(one_line(each) for each in value["alternatives"])
            self._check(words)
        except UnreadableError as problem:
            raise wanting(_SCHEMA, problem) from None
        places = zip(self.spans, words, strict=True)
        return Alternative(tuple(_fitted(*each) for each in places), one_line(value.get("reason")))

    def _check(self, words: tuple[str, ...]) -> None:
        if len(words) != len(self.spans):
            raise UnreadableError(f"the pieces are {len(self.spans)} in number, not {len(words)}")
        for span, new in zip(self.spans, words, strict=True):
            if not new:
                raise UnreadableError(f"there are no words in the place of '{one_line(span.text)}'")
            if plain_text(new)[0].strip() == plain_text(span.text)[0].strip():
                raise UnreadableError(f"'{new}' is what stands there already")
