"""`localize-pipeline`: finds the facts of a response, checks each, and merges duplicates."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from assay.core.examples import Example
from assay.core.judgements import Finding
from assay.core.verdicts import Failure
from assay.detectors.judges.judging import PromptTexts, ReplyFormat, failed
from assay.detectors.judges.opinions import wanting
from assay.detectors.localize.checks import check_facts
from assay.detectors.localize.facts import find_facts
from assay.detectors.localize.findings import (
    CAPABILITIES,
    Inconsistency,
    conclude,
    conclude_in_part,
    count_of,
)
from assay.detectors.protocol import Capabilities
from assay.llm.client import CallError, Client
from assay.llm.prompts import Fences, Prompt
from assay.llm.replies import UnreadableError
from assay.llm.schemas import array_of, object_of, read_json, whole_number
from assay.text.units import response_unit

MOST = 500  # descriptions of one response
_SCHEMA = object_of(duplicates=array_of(array_of(whole_number())))

Groups = list[list[int]]


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
        unit = response_unit(example)
        try:
            facts = await find_facts(client, self.split, example)
        except CallError as error:
            return [Finding(unit, failed(unit, error))]
        if not facts.units:
            return [*conclude(example, (), "It states nothing to check."), *facts.invented]
        checked = await check_facts(client, self.check, example, facts.units)
        try:
            found = await merge_duplicates(client, self.merge, example, checked.inconsistencies)
        except CallError as error:
            counted = count_of(len(checked.inconsistencies))
            detail = f"{counted} Which of them are the same is not known: {error.detail}"
            # Without the groups, the list would count errors twice.
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
    answer = await texts.ask(client, prompt, _Numbers(tuple(numbered)).reply_format)
    return _merged(numbered, answer.value)


def _merged(numbered: Mapping[int, Inconsistency], groups: Groups) -> list[Inconsistency]:
    kept = dict(numbered)
    for group in groups:
        found = [kept.pop(number) for number in sorted(group)]
        kept[min(group)] = _remarked(_best(found), len(found))
    return [kept[number] for number in sorted(kept)]


def _best(same: Sequence[Inconsistency]) -> Inconsistency:
    """The first description of an error that says where it is, or else the first."""
    return next((each for each in same if each.spans), same[0])


def _remarked(found: Inconsistency, descriptions: int) -> Inconsistency:
    if descriptions == 1:
        return found
    return replace(found, note=f"One of {descriptions} descriptions of it. {found.note}".strip())


@dataclass(frozen=True, slots=True)
class _Numbers:
    """The numbers that a reply may group, each at most once."""

    numbers: tuple[int, ...]

    @property
    def reply_format(self) -> ReplyFormat[Groups]:
        return ReplyFormat(self._read, json.dumps({"duplicates": []}), _SCHEMA)

    def _read(self, reply: str, fences: Fences) -> Groups:
        try:
            groups: Groups = read_json(reply, _SCHEMA, fences)["duplicates"]
            self._check(Counter(number for group in groups for number in group))
        except UnreadableError as problem:
            raise wanting(_SCHEMA, problem) from None
        return [group for group in groups if group]

    def _check(self, given: Counter[int]) -> None:
        for number, times in given.items():
            if number not in self.numbers:
                raise UnreadableError(f"there is no description {number}")
            if times > 1:
                raise UnreadableError(f"description {number} is named {times} times")
