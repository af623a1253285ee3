"""`localize-pipeline`: finds the facts of a response, checks each, and merges duplicates."""

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay.core.examples import Example
from assay.core.judgements import Finding
from assay.core.units import Unit
from assay.core.verdicts import Failure
from assay.detectors.judges.batches import in_groups, numbered_lines
from assay.detectors.judges.judging import PromptTexts, ReplyFormat, failed
from assay.detectors.localize.facts import find_facts
from assay.detectors.localize.findings import (
    CAPABILITIES,
    ENTRIES,
    LEAST,
    Entry,
    Inconsistency,
    Texts,
    conclude,
    conclude_in_part,
    count_of,
    example_entry,
    read_entries,
)
from assay.detectors.protocol import Capabilities, gather_or_cancel
from assay.llm.client import CallError, Client
from assay.llm.fences import Fences
from assay.llm.prompts import Prompt
from assay.llm.replies import UnreadableError
from assay.llm.schemas import array_of, object_of, object_with, read_json, whole_number
from assay.text.units import response_unit

MOST = 500  # descriptions of one response
GROUP = 10  # facts that are checked in one call
_DUPLICATES = object_of(duplicates=array_of(array_of(whole_number())))
_CHECKED = object_of(facts=array_of(object_of(number=whole_number(), inconsistencies=ENTRIES)))
_LEAST_CHECKED = object_with(
    facts=array_of(object_with(number=whole_number(), inconsistencies=LEAST))
)

Entries = Mapping[int, tuple[Entry, ...]]
Groups = list[list[int]]


@dataclass(frozen=True, slots=True)
class Checked:
    """The inconsistencies in the order of the facts, and the facts that were not checked."""

    inconsistencies: tuple[Inconsistency, ...] = ()
    unchecked: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Takes the response apart, checks its facts in groups, and merges what was found twice."""

    name: str
    split: Prompt
    check: Prompt
    merge: Prompt
    capabilities: Capabilities = CAPABILITIES

    @property
    def prompts(self) -> tuple[Prompt, Prompt, Prompt]:
        """Those of its three steps."""
        return self.split, self.check, self.merge

    async def findings(self, client: Client, example: Example) -> list[Finding]:
        """The response, its inconsistencies, and the facts that could not be used or checked."""
        facts = await find_facts(client, self.split, example)
        if not facts.units:
            return [*conclude(example, (), "It states nothing to check."), *facts.invented]
        checked = await check_facts(client, self.check, example, facts.units)
        try:
            found = await merge_duplicates(client, self.merge, example, checked.inconsistencies)
        except CallError as error:
            counted = count_of(len(checked.inconsistencies))
            detail = f"{counted} Which of them are the same is not known: {error.detail}"
            # Without the groups, the list would count errors twice.
            unit = response_unit(example)
            unmerged = Failure(unit.id, error.reason, detail, error.raw)
            return [Finding(unit, unmerged), *facts.invented]
        said = conclude_in_part(example, found, facts.note, checked.unchecked)
        return [*said, *facts.invented]


async def merge_duplicates(
    client: Client, prompt: Prompt, example: Example, found: Sequence[Inconsistency]
) -> list[Inconsistency]:
    """One of each group that the model names, and all that are in none, as they are.

    Of a group that is the first with a place in the response, or else the first. Equal
    descriptions are duplicates without asking. Raises `CallError` where there are too many, or
    where the model names no groups that can be used.
    """
    first: dict[str, Inconsistency] = {}
    for each in found:
        first[each.description] = _best((first.get(each.description, each), each))
    numbered = dict(enumerate(first.values(), 1))
    if len(numbered) < 2:
        return list(numbered.values())
    if len(numbered) > MOST:
        raise CallError("too_long", f"at most {MOST} descriptions can be compared with each other")
    lines = "\n".join(f"{number}. {each.description}" for number, each in numbered.items())
    texts = PromptTexts(example, descriptions=lines)
    answer = await texts.ask(client, prompt, _duplicates_format(numbered))
    return _merged(numbered, answer.value)


def _merged(numbered: Mapping[int, Inconsistency], groups: Groups) -> list[Inconsistency]:
    kept = dict(numbered)
    for group in groups:
        found = [kept.pop(number) for number in sorted(group)]
        best, count = _best(found), len(found)
        note = f"One of {count} descriptions of it. {best.note}".strip() if count > 1 else best.note
        kept[min(group)] = replace(best, note=note)
    return [kept[number] for number in sorted(kept)]


def _best(same: Sequence[Inconsistency]) -> Inconsistency:
    """The first description of an error that says where it is, or else the first."""
    return next((each for each in same if each.spans), same[0])


async def check_facts(
    client: Client, prompt: Prompt, example: Example, facts: Sequence[Unit]
) -> Checked:
    """What is inconsistent in some facts; those of a call without an answer are not checked."""
    texts = Texts(example)
    parts = await gather_or_cancel(
        _check(client, prompt, example, group, texts) for group in in_groups(facts, GROUP)
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
        answer = await shown.ask(client, prompt, _checks_format(facts, example))
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


def _checks_format(facts: Collection[int], example: Example) -> ReplyFormat[Entries]:
    """Exactly one entry for each fact, by its number."""

    def read(reply: str, fences: Fences) -> Entries:
        entries: list[Mapping[str, Any]] = read_json(reply, _LEAST_CHECKED, fences)["facts"]
        times = Counter(entry["number"] for entry in entries)
        for number in times:
            if number not in facts:
                raise UnreadableError(f"there is no fact {number}")
        for number in facts:
            if times[number] != 1:
                raise UnreadableError(f"fact {number} has {times[number]} entries, not one")
        return {entry["number"]: read_entries(entry["inconsistencies"]) for entry in entries}

    entry = example_entry(example.response.text)
    reply = [
        {"number": n, "inconsistencies": [{**entry, "description": f"Fact {n} is not there."}]}
        for n in facts
    ]
    return ReplyFormat(read, json.dumps({"facts": reply}), _CHECKED, units=len(facts))


def _duplicates_format(numbers: Collection[int]) -> ReplyFormat[Groups]:
    """Groups of some of the numbers, each of which is in one group at most."""

    def read(reply: str, fences: Fences) -> Groups:
        groups: Groups = read_json(reply, _DUPLICATES, fences)["duplicates"]
        for number, times in Counter(number for group in groups for number in group).items():
            if number not in numbers:
                raise UnreadableError(f"there is no description {number}")
            if times > 1:
                raise UnreadableError(f"description {number} is named {times} times")
        return [group for group in groups if group]

    return ReplyFormat(read, json.dumps({"duplicates": []}), _DUPLICATES)
