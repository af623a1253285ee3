"""Descriptions of the same inconsistency found among many; one of each stays, as it is worded."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from assay.core.examples import Example
from assay.core.verdicts import Verdict
from assay.detectors.judges.batches import numbered_lines
from assay.detectors.judges.judging import Form, Material
from assay.detectors.judges.opinions import wanting
from assay.llm.client import CallError, Client
from assay.llm.prompts import Fences, Prompt
from assay.llm.replies import UnreadableError
from assay.llm.schemas import array_of, object_of, read_json, whole_number

MOST = 500  # descriptions of one response
_SCHEMA = object_of(duplicates=array_of(array_of(whole_number())))

Groups = list[list[int]]


async def merge_duplicates(
    client: Client, prompt: Prompt, example: Example, found: Sequence[Verdict]
) -> list[Verdict]:
    """One of each group that the model names, and all that are in none, as they are.

    That is the first with a place in the response, or else the first. What is described in the
    same words is the same. Raises `CallError` where there are too many, or where the model names no
    groups that can be used.
    """
    first: dict[str, Verdict] = {}
    for verdict in found:
        text = verdict.unit.text
        first[text] = _best((first.get(text, verdict), verdict))
    numbered = dict(enumerate(first.values(), 1))
    if len(numbered) < 2:
        return list(numbered.values())
    if len(numbered) > MOST:
        raise CallError("too_long", f"at most {MOST} descriptions are compared with each other.")
    lines = numbered_lines({number: verdict.unit for number, verdict in numbered.items()})
    material = Material(example, descriptions=lines)
    answer = await material.ask(client, prompt, _Numbers(tuple(numbered)).form)
    return _merged(numbered, answer.value)


def _merged(numbered: Mapping[int, Verdict], groups: Groups) -> list[Verdict]:
    kept = dict(numbered)
    for group in groups:
        found = [kept.pop(number) for number in sorted(group)]
        kept[min(group)] = _told(_best(found), len(found))
    return [kept[number] for number in sorted(kept)]


def _best(same: Sequence[Verdict]) -> Verdict:
    """The first description of an error that says where it is, or else the first."""
    return next((verdict for verdict in same if verdict.unit.spans), same[0])


def _told(verdict: Verdict, descriptions: int) -> Verdict:
    if descriptions == 1:
        return verdict
    note = f"One of {descriptions} descriptions of it. {verdict.note}".strip()
    return replace(verdict, note=note)


@dataclass(frozen=True, slots=True)
class _Numbers:
    """The numbers that a reply may group, each at most once."""

    numbers: tuple[int, ...]

    @property
    def form(self) -> Form[Groups]:
        return Form(self._read, json.dumps({"duplicates": []}), _SCHEMA)

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
