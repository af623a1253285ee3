"""`localize-pipeline`: finds the facts of a response, checks each, and merges duplicates.

Of several descriptions of the same error one is kept as it is, and none is rewritten.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
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
    lettered_example,
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
from assay.detectors.protocol import Capabilities, gather_or_cancel
from assay.llm.client import CallError, ModelClient
from assay.llm.fences import Fences
from assay.llm.prompts import Prompt
from assay.llm.replies.forms import read_letters
from assay.llm.replies.schemas import array_of, object_of, object_with, read_json, whole_number
from assay.llm.replies.texts import UnreadableError

MOST = 500  # descriptions of one response
ALIKE = 0.9  # of a description that a reply repeats, though not quite letter by letter
_DUPLICATES = object_of(duplicates=array_of(array_of(whole_number())))
_LEAST_DUPLICATES = object_with(duplicates=array_of(array_of({})))

Numbered = Mapping[int, FoundInconsistency]
Groups = list[list[int]]  # the number of the description to keep comes first


@dataclass(frozen=True, slots=True)
class Merged:
    """The entries left after merging, and a remark where the reply could not be followed."""

    inconsistencies: tuple[FoundInconsistency, ...]
    note: str = ""


async def merge_duplicates(
    client: ModelClient, prompt: Prompt, example: Example, found: Sequence[FoundInconsistency]
) -> Merged:
    """One of each group that the model names, and all that are in none, as they are.

    Equal descriptions are duplicates without asking. Where the model cannot say which others are,
    all stay.
    """
    first: dict[str, FoundInconsistency] = {}
    for each in found:
        first[each.description] = _joined((first.get(each.description, each), each))
    numbered = dict(enumerate(first.values(), 1))
    unmerged = tuple(numbered.values())
    if len(numbered) < 2:
        return Merged(unmerged)
    if len(numbered) > MOST:
        why = f"at most {MOST} descriptions can be compared with each other"
        return Merged(unmerged, f"Duplicates were not merged: {why}.")
    is_own = prompt.form.kind == "own"
    reply = _numbers_format(numbered) if is_own else _repeated_format(prompt, numbered)
    lines = "\n".join(f"{number}. {each.description}" for number, each in numbered.items())
    try:
        answer = await PromptTexts(example, descriptions=lines).ask(client, prompt, reply)
    except CallError as error:
        return Merged(unmerged, f"Duplicates were not merged ({error.reason}): {error.detail}.")
    return answer.value


def _kept(numbered: Numbered, groups: Groups) -> list[FoundInconsistency]:
    kept = dict(numbered)
    for group in groups:
        best, count = _joined([kept.pop(number) for number in group]), len(group)
        note = f"One of {count} descriptions of it. {best.note}".strip() if count > 1 else best.note
        kept[min(group)] = replace(best, note=note)
    return [kept[number] for number in sorted(kept)]


def _joined(same: Sequence[FoundInconsistency]) -> FoundInconsistency:
    """The first description; if it has no place in the response, that of the next that has one."""
    placed = next((each for each in same if each.spans), same[0])
    return same[0] if same[0].spans else replace(placed, description=same[0].description)


def united(groups: Iterable[Sequence[int]]) -> Groups:
    """Groups of which no two have a member in common, each in the order of the first mention.

    >>> united([[1, 2], [4, 5], [2, 3]])
    [[1, 2, 3], [4, 5]]
    """
    whole: list[dict[int, None]] = []
    for group in groups:
        new = dict.fromkeys(group)
        touched = [each for each in whole if each.keys() & new.keys()]
        if touched:
            for each in (*touched[1:], new):
                touched[0].update(each)
            whole = [each for each in whole if each not in touched[1:]]
        elif new:
            whole.append(new)
    return [list(each) for each in whole]


def _numbers_format(numbered: Numbered) -> ReplyFormat[Merged]:
    """Groups of some of the numbers; those that overlap are united, and unknown ones ignored."""

    def read(reply: str, fences: Fences) -> Merged:
        given: list[list[Any]] = read_json(reply, _LEAST_DUPLICATES, fences)["duplicates"]
        strange = [each for group in given for each in group if _number(each) not in numbered]
        known = ([n for each in group if (n := _number(each)) in numbered] for group in given)
        note = f"The merge names {len(strange)} unknown descriptions." if strange else ""
        return Merged(tuple(_kept(numbered, united(known))), note)

    return ReplyFormat(read, json.dumps({"duplicates": []}), _DUPLICATES)


def _number(given: object) -> int:
    if isinstance(given, str) and given.strip().isdecimal():
        return int(given)
    return given if isinstance(given, int) and not isinstance(given, bool) else 0


def _repeated_format(prompt: Prompt, numbered: Numbered) -> ReplyFormat[Merged]:
    """A list that repeats the descriptions to keep; which of them the others equal, it leaves open.

    A description that is not repeated counts as merged, so each that is must be one of ours.
    """
    words = [each.description for each in numbered.values()]

    def read(reply: str, fences: Fences) -> Merged:
        kept = {_repeated(each.description, words) for each in read_letters(reply, prompt.form)}
        if not kept:
            raise UnreadableError("the list is empty, though one of each group must be kept")
        gone = len(numbered) - len(kept)
        noun = "description is" if gone == 1 else "descriptions are"
        note = f"{gone} {noun} merged with others." if gone else ""
        return Merged(tuple(numbered[number] for number in sorted(kept)), note)

    return ReplyFormat(read, lettered_example(words, prompt.form))


def _repeated(given: str, words: Sequence[str]) -> int:
    """The number of the description that a reply repeats; raises if it is none of them."""
    plain = _plain(given)
    for number, each in enumerate(words, 1):
        if _plain(each) == plain:
            return number
    ratios = [_likeness(plain, _plain(each)) for each in words]
    best = max(ratios)
    if best < ALIKE:
        raise UnreadableError(
            f"'{given[:60]}' is none of the descriptions; repeat them as they are"
        )
    return ratios.index(best) + 1


def _likeness(one: str, other: str) -> float:
    """The similarity of two texts, letter by letter; 0 where a quick look rules it out."""
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    if matcher.real_quick_ratio() < ALIKE or matcher.quick_ratio() < ALIKE:
        return 0.0
    return matcher.ratio()


def _plain(words: str) -> str:
    return " ".join(words.casefold().split()).strip(" .\"'“”")


_CHECKED = object_of(facts=array_of(object_of(number=whole_number(), inconsistencies=ENTRIES)))
_LEAST_CHECKED = object_with(facts=array_of(object_with(number=whole_number(), inconsistencies={})))

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

    async def findings(self, client: ModelClient, example: Example) -> list[Finding]:
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
    client: ModelClient, prompt: Prompt, example: Example, facts: Facts, group: int = 1
) -> Checked:
    """Check some facts; those of a call without an answer stay unchecked."""
    texts = Texts(example)
    parts = await gather_or_cancel(
        _check(client, prompt, example, some, texts) for some in in_groups(facts.units, group)
    )
    return Checked(
        tuple(
            replace(each, note=f"{facts.doubts.get(unit.id, '')} {each.note}".strip())
            for part in parts
            for unit, each in part[0]
        ),
        tuple(each for part in parts for each in part[1]),
        sum(part[2] for part in parts),
    )


Found = list[tuple[Unit, FoundInconsistency]]


async def _check(
    client: ModelClient, prompt: Prompt, example: Example, facts: Mapping[int, Unit], texts: Texts
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
    entries: list[Mapping[str, Any]] = read_json(reply, _LEAST_CHECKED, fences)["facts"]
    times = Counter(entry["number"] for entry in entries)
    for number in times:
        if number not in facts:
            raise UnreadableError(f"there is no fact {number}")
    for number in facts:
        if times[number] != 1:
            raise UnreadableError(f"fact {number} has {times[number]} entries, not one")
    return {each["number"]: as_listed(each["inconsistencies"], fences) for each in entries}
