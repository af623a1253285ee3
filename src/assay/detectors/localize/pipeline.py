"""`localize-pipeline`: finds the facts of a response, checks each, and merges duplicates."""

import json
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from assay.core.examples import Example
from assay.core.judgements import Finding
from assay.core.units import Unit
from assay.detectors.judges.batches import in_groups, numbered_lines
from assay.detectors.judges.judging import PromptTexts, ReplyFormat, failed
from assay.detectors.localize.entries import (
    ENTRIES,
    EXAMPLE,
    Listed,
    as_listed,
    example_entry,
    list_format,
    read_list,
)
from assay.detectors.localize.facts import Facts, find_facts
from assay.detectors.localize.findings import (
    CAPABILITIES,
    FoundInconsistency,
    Texts,
    conclude,
    conclude_in_part,
)
from assay.detectors.localize.merging import merge_duplicates
from assay.detectors.protocol import Capabilities, gather_or_cancel
from assay.llm.client import CallError, Client
from assay.llm.fences import Fences
from assay.llm.prompts import Prompt
from assay.llm.replies.schemas import array_of, object_of, object_with, read_json, whole_number
from assay.llm.replies.texts import UnreadableError

_CHECKED = object_of(facts=array_of(object_of(number=whole_number(), inconsistencies=ENTRIES)))
_LEAST = object_with(facts=array_of(object_with(number=whole_number(), inconsistencies={})))

Lists = Mapping[int, Listed]


@dataclass(frozen=True, slots=True)
class Checked:
    """The inconsistencies in the order of the facts, and the facts that were not checked.

    Some entries of the replies could not be read and are `dropped`.
    """

    inconsistencies: tuple[FoundInconsistency, ...] = ()
    unchecked: tuple[Finding, ...] = ()
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Takes the response apart, checks its facts, and merges what was found twice.

    `group` facts share a call; in the paper each is checked on its own. If it is `strict`, the
    facts of the model are all that is checked, as in the paper, and not what they leave out.
    """

    name: str
    split: Prompt
    check: Prompt
    merge: Prompt
    group: int = 1
    strict: bool = False
    capabilities: Capabilities = CAPABILITIES

    @property
    def prompts(self) -> tuple[Prompt, Prompt, Prompt]:
        """Those of its three steps."""
        return self.split, self.check, self.merge

    async def findings(self, client: Client, example: Example) -> list[Finding]:
        """The response, its inconsistencies, and the facts that could not be checked."""
        facts = await find_facts(client, self.split, example, strict=self.strict)
        if not facts.units:
            return conclude(example, (), "It states nothing to check.")
        checked = await check_facts(client, self.check, example, facts, self.group)
        merged = await merge_duplicates(client, self.merge, example, checked.inconsistencies)
        lost = Listed(dropped=checked.dropped).note
        note = " ".join(filter(None, (facts.note, lost, merged.note)))
        return conclude_in_part(example, merged.inconsistencies, note, checked.unchecked)


async def check_facts(
    client: Client, prompt: Prompt, example: Example, facts: Facts, group: int = 1
) -> Checked:
    """Check some facts; those of a call without an answer stay unchecked."""
    texts = Texts(example)
    parts = await gather_or_cancel(
        _check(client, prompt, example, some, texts) for some in in_groups(facts.units, group)
    )
    found = ((unit, each) for part in parts for unit, each in part[0])
    return Checked(
        tuple(_doubted(each, facts.doubts.get(unit.id, "")) for unit, each in found),
        tuple(each for part in parts for each in part[1]),
        sum(part[2] for part in parts),
    )


Found = list[tuple[Unit, FoundInconsistency]]


async def _check(
    client: Client, prompt: Prompt, example: Example, facts: Mapping[int, Unit], texts: Texts
) -> tuple[Found, list[Finding], int]:
    """The inconsistencies by fact, the facts without an answer, and the unreadable entries."""
    is_own = prompt.form.kind == "own"
    shown = numbered_lines(facts) if is_own else "\n".join(each.text for each in facts.values())
    try:
        answer = await PromptTexts(example, facts=shown).ask(
            client, prompt, _checks_format(facts, example, prompt)
        )
    except CallError as error:
        return [], [Finding(unit, failed(unit, error)) for unit in facts.values()], 0
    found = [
        (unit, texts.look_up(entry, near=unit.spans))
        for number, unit in facts.items()
        for entry in answer.value[number].entries
    ]
    return found, [], sum(each.dropped for each in answer.value.values())


def _doubted(found: FoundInconsistency, doubt: str) -> FoundInconsistency:
    return replace(found, note=f"{doubt} {found.note}".strip()) if doubt else found


def _checks_format(facts: Collection[int], example: Example, prompt: Prompt) -> ReplyFormat[Lists]:
    """Exactly one list for each fact, by its number; a fact alone may have a list without one."""
    text = example.response.text
    if prompt.form.kind != "own":
        (number,) = facts
        alone = list_format(prompt, text)
        shown = alone.example.replace(EXAMPLE, _missing(number))
        return ReplyFormat(lambda reply, fences: {number: alone.read(reply, fences)}, shown)

    def read(reply: str, fences: Fences) -> Lists:
        try:
            return _numbered(reply, facts, fences)
        except UnreadableError as problem:
            if len(facts) > 1:
                raise
            try:
                return dict.fromkeys(facts, read_list(reply, fences))
            except UnreadableError:
                raise problem from None

    entry = example_entry(text)
    reply = [
        {"number": n, "inconsistencies": [{**entry, "description": _missing(n)}]} for n in facts
    ]
    return ReplyFormat(read, json.dumps({"facts": reply}), _CHECKED, units=len(facts))


def _missing(fact: int) -> str:
    """A description in an example: each fact has its own, so that a dry run merges, too."""
    return f"Fact {fact} is not there."


def _numbered(reply: str, facts: Collection[int], fences: Fences) -> Lists:
    entries: list[Mapping[str, Any]] = read_json(reply, _LEAST, fences)["facts"]
    times = Counter(entry["number"] for entry in entries)
    for number in times:
        if number not in facts:
            raise UnreadableError(f"there is no fact {number}")
    for number in facts:
        if times[number] != 1:
            raise UnreadableError(f"fact {number} has {times[number]} entries, not one")
    return {each["number"]: as_listed(each["inconsistencies"], fences) for each in entries}
