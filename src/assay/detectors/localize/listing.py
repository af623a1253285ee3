"""One question, one list: the ways to localize inconsistencies end to end."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.core.examples import Example
from assay.core.judgements import Finding
from assay.detectors.judges.judging import PromptTexts, ReplyFormat, failed
from assay.detectors.judges.opinions import wanting
from assay.detectors.localize.findings import (
    CAPABILITIES,
    ENTRIES,
    LEAST,
    Entry,
    Texts,
    conclude,
    example_entry,
    one_line,
    read_entries,
)
from assay.detectors.protocol import Capabilities
from assay.llm.client import CallError, Client
from assay.llm.prompts import Fences, Prompt
from assay.llm.replies import UnreadableError
from assay.llm.schemas import Schema, object_of, object_with, read_json, text
from assay.text.units import response_unit

# Made once: a cache of replies knows a schema by its identity.
_LIST = object_of(inconsistencies=ENTRIES)
_REASONED = object_of(reasoning=text(), inconsistencies=ENTRIES)
_WANTED = object_with(inconsistencies=LEAST)


@dataclass(frozen=True, slots=True)
class Listed:
    """What a reply lists, and the reasoning before it."""

    entries: tuple[Entry, ...]
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """Asks once for all inconsistencies of a response, with or without reasoning before them."""

    name: str
    prompt: Prompt
    reasons: bool = False
    capabilities: Capabilities = CAPABILITIES

    @property
    def prompts(self) -> tuple[Prompt]:
        """Its only prompt."""
        return (self.prompt,)

    async def findings(self, client: Client, example: Example) -> list[Finding]:
        """The response, then its inconsistencies."""
        try:
            answer = await PromptTexts(example).ask(client, self.prompt, self._format(example))
        except CallError as error:
            unit = response_unit(example)
            return [Finding(unit, failed(unit, error))]
        texts, listed = Texts(example), answer.value
        found = [texts.look_up(entry) for entry in listed.entries]
        return conclude(example, found, listed.reasoning)

    def _format(self, example: Example) -> ReplyFormat[Listed]:
        reply: dict[str, Any] = {"inconsistencies": [example_entry(example.response.text)]}
        if self.reasons:
            reply = {"reasoning": "The source does not have one of the details.", **reply}
        return ReplyFormat(self._read, json.dumps(reply), self._schema)

    @property
    def _schema(self) -> Schema:
        return _REASONED if self.reasons else _LIST

    def _read(self, reply: str, fences: Fences) -> Listed:
        try:
            value: Mapping[str, Any] = read_json(reply, _WANTED, fences)
            entries = read_entries(value["inconsistencies"])
        except UnreadableError as problem:
            raise wanting(self._schema, problem) from None
        return Listed(entries, one_line(value.get("reasoning")))
