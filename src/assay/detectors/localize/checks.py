"""Facts checked against the source, several in one call; each may have several inconsistencies."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.core.examples import Example
from assay.core.judgements import Finding
from assay.core.units import Unit
from assay.detectors.judges.batches import numbered_lines
from assay.detectors.judges.judging import PromptTexts, ReplyFormat, failed
from assay.detectors.judges.opinions import wanting
from assay.detectors.localize.findings import (
    ENTRIES,
    LEAST,
    Entry,
    Inconsistency,
    Texts,
    example_entry,
    read_entries,
)
from assay.detectors.protocol import gather_or_cancel
from assay.llm.client import CallError, Client
from assay.llm.prompts import Fences, Prompt
from assay.llm.replies import UnreadableError
from assay.llm.schemas import array_of, object_of, object_with, read_json, whole_number

GROUP = 10  # facts in one call

_SCHEMA = object_of(facts=array_of(object_of(number=whole_number(), inconsistencies=ENTRIES)))
_WANTED = object_with(facts=array_of(object_with(number=whole_number(), inconsistencies=LEAST)))

Entries = Mapping[int, tuple[Entry, ...]]


@dataclass(frozen=True, slots=True)
class Checked:
    """The inconsistencies in the order of the facts, and the facts that were not checked."""

    inconsistencies: tuple[Inconsistency, ...] = ()
    unchecked: tuple[Finding, ...] = ()


async def check_facts(
    client: Client, prompt: Prompt, example: Example, facts: Sequence[Unit]
) -> Checked:
    """What is inconsistent in some facts; those of a call without an answer are not checked."""
    numbered = dict(enumerate(facts, 1))
    numbers = list(numbered)
    groups = [numbers[at : at + GROUP] for at in range(0, len(numbers), GROUP)]
    texts = Texts(example)
    parts = await gather_or_cancel(
        _check(client, prompt, example, {n: numbered[n] for n in group}, texts) for group in groups
    )
    return Checked(
        tuple(each for part in parts for each in part.inconsistencies),
        tuple(each for part in parts for each in part.unchecked),
    )


async def _check(
    client: Client, prompt: Prompt, example: Example, facts: Mapping[int, Unit], texts: Texts
) -> Checked:
    shown = PromptTexts(example, facts=numbered_lines(facts))
    try:
        answer = await shown.ask(client, prompt, _Group(tuple(facts)).reply_format(example))
    except CallError as error:
        lost = (Finding(unit, failed(unit, error)) for unit in facts.values())
        return Checked(unchecked=tuple(lost))
    return Checked(
        tuple(
            texts.look_up(entry, near=unit.spans)
            for number, unit in facts.items()
            for entry in answer.value[number]
        )
    )


@dataclass(frozen=True, slots=True)
class _Group:
    """The numbers of the facts of one call; a reply has exactly one entry for each."""

    numbers: tuple[int, ...]

    def reply_format(self, example: Example) -> ReplyFormat[Entries]:
        entry = example_entry(example.response.text)
        reply = [
            {"number": n, "inconsistencies": [{**entry, "description": f"Fact {n} is not there."}]}
            for n in self.numbers
        ]
        units = len(self.numbers)
        return ReplyFormat(self._read, json.dumps({"facts": reply}), _SCHEMA, units=units)

    def _read(self, reply: str, fences: Fences) -> Entries:
        try:
            facts: list[Mapping[str, Any]] = read_json(reply, _WANTED, fences)["facts"]
            self._require_each_once([fact["number"] for fact in facts])
            return {fact["number"]: read_entries(fact["inconsistencies"]) for fact in facts}
        except UnreadableError as problem:
            raise wanting(_SCHEMA, problem) from None

    def _require_each_once(self, given: list[int]) -> None:
        for number in given:
            if number not in self.numbers:
                raise UnreadableError(f"there is no fact {number}")
        for number in self.numbers:
            if given.count(number) != 1:
                raise UnreadableError(f"fact {number} has {given.count(number)} entries, not one")
