"""One question, one list: the ways to localize inconsistencies end to end."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.core.examples import Example
from assay.core.labels import Taxonomy
from assay.core.taxonomies import BINARY
from assay.core.units import UnitKind
from assay.core.verdicts import Outcome
from assay.detectors.judges.judging import Form, Material, failed
from assay.detectors.judges.opinions import wanting
from assay.detectors.localize.conclusions import conclude
from assay.detectors.localize.findings import (
    ENTRIES,
    LEAST,
    Finding,
    Texts,
    example_finding,
    one_line,
    read_findings,
)
from assay.detectors.units import response_unit
from assay.llm.client import CallError, Client
from assay.llm.prompts import Fences, Prompt
from assay.llm.replies import UnreadableError
from assay.llm.schemas import Schema, object_of, object_with, read_json, text

# Made once: a cache of replies knows a schema by its identity.
_LIST = object_of(inconsistencies=ENTRIES)
_REASONED = object_of(reasoning=text(), inconsistencies=ENTRIES)
_WANTED = object_with(inconsistencies=LEAST)


@dataclass(frozen=True, slots=True)
class Listed:
    """What a reply lists, and the reasoning before it."""

    findings: tuple[Finding, ...]
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """Asks once for all inconsistencies of a response, with or without reasoning before them."""

    name: str
    prompt: Prompt
    reasons: bool = False
    unit_kind: UnitKind = "response"
    taxonomy: Taxonomy = BINARY

    @property
    def prompts(self) -> tuple[Prompt]:
        """Its only prompt."""
        return (self.prompt,)

    async def outcomes(self, client: Client, example: Example) -> list[Outcome]:
        """The verdict on the response, then its inconsistencies."""
        try:
            answer = await Material(example).ask(client, self.prompt, self._form(example))
        except CallError as error:
            return [failed(response_unit(example), error)]
        texts, listed = Texts(example), answer.value
        found = [texts.verdict(finding) for finding in listed.findings]
        return conclude(example, found, listed.reasoning)

    def _form(self, example: Example) -> Form[Listed]:
        reply: dict[str, Any] = {"inconsistencies": [example_finding(example.response.text)]}
        if self.reasons:
            reply = {"reasoning": "The source does not have one of the details.", **reply}
        return Form(self._read, json.dumps(reply), self._schema)

    @property
    def _schema(self) -> Schema:
        return _REASONED if self.reasons else _LIST

    def _read(self, reply: str, fences: Fences) -> Listed:
        try:
            value: Mapping[str, Any] = read_json(reply, _WANTED, fences)
            findings = read_findings(value["inconsistencies"])
        except UnreadableError as problem:
            raise wanting(self._schema, problem) from None
        return Listed(findings, one_line(value.get("reasoning")))
