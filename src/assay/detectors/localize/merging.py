"""Descriptions of the same error, merged: one of each is kept as it is, and none is rewritten."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Any

from assay.core.examples import Example
from assay.detectors.judges.judging import PromptTexts, ReplyFormat
from assay.detectors.localize.entries import lettered_example
from assay.detectors.localize.findings import FoundInconsistency
from assay.llm.client import CallError, Client
from assay.llm.fences import Fences
from assay.llm.prompts import Prompt
from assay.llm.replies.forms import read_letters
from assay.llm.replies.schemas import array_of, object_of, object_with, read_json, whole_number
from assay.llm.replies.texts import UnreadableError

MOST = 500  # descriptions of one response
ALIKE = 0.9  # of a description that a reply repeats, though not quite letter by letter
_DUPLICATES = object_of(duplicates=array_of(array_of(whole_number())))
_LEAST = object_with(duplicates=array_of(array_of({})))

Numbered = Mapping[int, FoundInconsistency]
Groups = list[list[int]]  # the number of the description to keep comes first


@dataclass(frozen=True, slots=True)
class Merged:
    """The entries left after merging, and a remark where the reply could not be followed."""

    inconsistencies: tuple[FoundInconsistency, ...]
    note: str = ""


async def merge_duplicates(
    client: Client, prompt: Prompt, example: Example, found: Sequence[FoundInconsistency]
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
        given: list[list[Any]] = read_json(reply, _LEAST, fences)["duplicates"]
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
