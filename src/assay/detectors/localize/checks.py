"""Facts checked against the source, several in one call; each may have several inconsistencies."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.core.examples import Example
from assay.core.units import Unit
from assay.core.verdicts import Failure, Verdict
from assay.detectors.judges.batches import numbered_lines
from assay.detectors.judges.judging import Form, Material, failed, together
from assay.detectors.judges.opinions import wanting
from assay.detectors.localize.findings import (
    ENTRIES,
    LEAST,
    Finding,
    Texts,
    example_finding,
    read_findings,
)
from assay.llm.client import CallError, Client
from assay.llm.prompts import Fences, Prompt
from assay.llm.replies import UnreadableError
from assay.llm.schemas import array_of, object_of, object_with, read_json, whole_number

GROUP = 10  # facts in one call

Found = Mapping[int, tuple[Finding, ...]]


@dataclass(frozen=True, slots=True)
class Checked:
    """The inconsistencies in the order of the facts, and the facts that were not checked."""

    inconsistencies: tuple[Verdict, ...] = ()
    unchecked: tuple[Failure, ...] = ()


async def check_facts(
    client: Client, prompt: Prompt, example: Example, facts: Sequence[Unit]
) -> Checked:
    """What is inconsistent in some facts; those of a call without an answer are not checked."""
    numbered = dict(enumerate(facts, 1))
    numbers = list(numbered)
    groups = [numbers[at : at + GROUP] for at in range(0, len(numbers), GROUP)]
    texts = Texts(example)
    parts = await together(
        _check(client, prompt, example, {n: numbered[n] for n in group}, texts) for group in groups
    )
    return Checked(
        tuple(each for part in parts for each in part.inconsistencies),
        tuple(each for part in parts for each in part.unchecked),
    )


async def _check(
    client: Client, prompt: Prompt, example: Example, facts: Mapping[int, Unit], texts: Texts
) -> Checked:
    material = Material(example, facts=numbered_lines(facts))
    try:
        answer = await material.ask(client, prompt, _Group(tuple(facts)).form(example))
    except CallError as error:
        return Checked(unchecked=tuple(failed(unit, error) for unit in facts.values()))
    return Checked(
        tuple(
            texts.verdict(finding, near=unit.spans)
            for number, unit in facts.items()
            for finding in answer.value[number]
        )
    )


@dataclass(frozen=True, slots=True)
class _Group:
    """The numbers of the facts of one call; a reply has exactly one entry for each."""

    numbers: tuple[int, ...]

    def form(self, example: Example) -> Form[Found]:
        found = example_finding(example.response.text)
        reply = [
            {"number": n, "inconsistencies": [{**found, "description": f"Fact {n} is not there."}]}
            for n in self.numbers
        ]
        units = len(self.numbers)
        return Form(self._read, json.dumps({"facts": reply}), _SCHEMA, units=units)

    def _read(self, reply: str, fences: Fences) -> Found:
        try:
            entries: list[Mapping[str, Any]] = read_json(reply, _WANTED, fences)["facts"]
            self._require_each_once([entry["number"] for entry in entries])
            return {each["number"]: read_findings(each["inconsistencies"]) for each in entries}
        except UnreadableError as problem:
            raise wanting(_SCHEMA, problem) from None

    def _require_each_once(self, given: list[int]) -> None:
        for number in given:
            if number not in self.numbers:
                raise UnreadableError(f"there is no fact {number}")
        for number in self.numbers:
            if given.count(number) != 1:
                raise UnreadableError(f"fact {number} has {given.count(number)} entries, not one")


_SCHEMA = object_of(facts=array_of(object_of(number=whole_number(), inconsistencies=ENTRIES)))
_WANTED = object_with(facts=array_of(object_with(number=whole_number(), inconsistencies=LEAST)))
