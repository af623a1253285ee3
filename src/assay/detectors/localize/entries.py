"""The list that a model makes of inconsistencies, in whichever of the usual forms it comes.

One bad entry never costs the others: it is dropped and counted. A list in which nothing can be read
is no answer, though, and an answer that is missing is never taken for "nothing is wrong".
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay.core.errors import InputError
from assay.core.labels import Label
from assay.core.taxonomies import FINAL4
from assay.detectors.judges.judging import ReplyFormat, one_line
from assay.llm.fences import Fences
from assay.llm.prompts import Prompt
from assay.llm.replies.forms import ReplyForm, read_letters, read_records
from assay.llm.replies.json_values import find_values
from assay.llm.replies.lettered import LetteredEntry, split_at_marker
from assay.llm.replies.menus import choice_of
from assay.llm.replies.schemas import (
    Schema,
    array_of,
    object_of,
    object_with,
    one_of,
    read_json,
    text,
)
from assay.llm.replies.texts import UnreadableError

MARKER = "Final Output"  # what our own prompts put between free reasoning and the list
LETTERS = ReplyForm("letters", marker=MARKER)
ENTRIES: Schema = array_of(
    object_of(
        quotes=array_of(text()),
        evidence=array_of(text()),
        description=text(),
        category=one_of(FINAL4.names),
    )
)
# Made once: a cache of replies knows a schema by its identity.
LIST = object_of(inconsistencies=ENTRIES)
_KEYED = object_with(inconsistencies={})
_DESCRIPTIONS = ("description", "inconsistency", "explanation", "error", "issue")
_WANTED = f"End with a line '{MARKER}:' and the JSON list below it."


@dataclass(frozen=True, slots=True)
class Entry:
    """One inconsistency in the model's words; its quotes have not been looked up yet."""

    description: str
    category: Label | None = None
    quotes: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Listed:
    """The list in a reply, the reasoning before it, and the number of unreadable entries."""

    entries: tuple[Entry, ...] = ()
    reasoning: str = ""
    dropped: int = 0

    @property
    def note(self) -> str:
        """Remarks on the list, and then the reasoning."""
        count = f"{self.dropped} {'entry' if self.dropped == 1 else 'entries'}"
        left_out = f"{count} of the reply could not be read." if self.dropped else ""
        return f"{left_out} {self.reasoning}".strip()


def list_format(prompt: Prompt, response: str, *, reasons: bool = False) -> ReplyFormat[Listed]:
    """The list that a prompt asks for: its own form, ours, or ours after free reasoning."""
    form = prompt.form
    if form.kind == "letters":
        return ReplyFormat(
            lambda reply, fences: _read_lettered(reply, form, fences),
            lettered_example([EXAMPLE], form),
        )
    entry = example_entry(response)
    if form.kind == "json":
        return ReplyFormat(
            lambda reply, fences: read_records_of(reply, form, fences),
            json.dumps({form.key: [entry]} if form.key else [entry]),
        )
    if form.kind != "own":
        raise InputError(
            f"the prompt '{prompt.name}' asks for a reply of the form {form.kind}; a list of "
            "inconsistencies has the form letters or json"
        )
    if reasons:
        example = f"One detail is not in the source.\n{MARKER}:\n{json.dumps([entry])}"
        return ReplyFormat(read_reasoned, example)
    return ReplyFormat(read_list, json.dumps({"inconsistencies": [entry]}), LIST)


def insisting(wanted: ReplyFormat[Listed], form: ReplyForm) -> ReplyFormat[Listed]:
    """The same, where a model that is asked again is not told that the list may be empty."""
    again = f"End with a line '{form.marker or MARKER}:' and the list below it."

    def read(reply: str, fences: Fences) -> Listed:
        try:
            return wanted.read(reply, fences)
        except UnreadableError as problem:
            raise UnreadableError(str(problem), wanted=again, reason=problem.reason) from None

    return replace(wanted, read=read)


def read_list(reply: str, fences: Fences) -> Listed:
    """The entries of a reply in our own form, or one that is near enough; raises if there are none.

    That is an object with the list, the list alone, its entries one after another, a lettered list
    below the marker, or words that say that nothing is inconsistent.
    """
    try:
        value: Mapping[str, Any] = read_json(reply, _KEYED, fences)
        listed = as_listed(value["inconsistencies"], fences)
        return replace(listed, reasoning=one_line(value.get("reasoning")))
    except UnreadableError as problem:
        found = _without_key(reply, fences)
        if found is None:
            raise
        return found if isinstance(found, Listed) else _listed(found, problem)


def read_reasoned(reply: str, fences: Fences) -> Listed:
    """The list at the end of a reply that reasons first, and the reasoning.

    An empty list right below the marker is the answer, whatever is said after it, unless another
    list follows.
    """
    found = split_at_marker(reply, MARKER, fences)
    before, below = found or ("", "")
    try:
        if below.strip():
            listed = _first_is_empty(below) or read_list(f"{MARKER}: {below}", fences)
            return replace(listed, reasoning=one_line(before))
        listed = read_list(reply, fences)
    except UnreadableError as problem:
        raise UnreadableError(str(problem), wanted=_WANTED, reason=problem.reason) from None
    values = find_values(reply)
    before = reply[: values[-1].start] if values else ""
    return replace(listed, reasoning=listed.reasoning or _prose(before))


def _first_is_empty(below: str) -> Listed | None:
    """An empty list, if that and no other JSON stands below the marker, before any words."""
    values = find_values(below)
    is_first = bool(values) and not _prose(below[: values[0].start]).strip(" :*_")
    return Listed() if is_first and [each.value for each in values] == [[]] else None


def _read_lettered(reply: str, form: ReplyForm, fences: Fences) -> Listed:
    """The entries of a lettered list, and what comes before the marker, if the form has one."""
    listed = of_letters(read_letters(reply, form, fences))
    own = form.own_part(reply)
    found = split_at_marker(own, form.marker, fences) if form.marker else None
    return replace(listed, reasoning=one_line(found[0])) if found else listed


def read_records_of(reply: str, form: ReplyForm, fences: Fences) -> Listed:
    """The entries of a JSON reply whose fields the header of a prompt names."""
    try:
        return _listed(read_records(reply, form, fences, key="inconsistencies"))
    except UnreadableError:
        if _says_none(reply, fences):
            return Listed()
        raise


def as_listed(value: object, fences: Fences) -> Listed:
    """The value in the place of a list: models also write null, None or a single entry."""
    if value is None or (isinstance(value, str) and _says_none(value, fences)):
        return Listed()
    if isinstance(value, dict):
        value = [value] if _has_description(value) else list(value.values())
    if not isinstance(value, list):
        raise UnreadableError("'inconsistencies' is not a list")
    return _listed(value)


def of_letters(lettered: Iterable[LetteredEntry]) -> Listed:
    """The entries of a lettered list, which names no categories."""
    return Listed(
        tuple(Entry(each.description, quotes=(each.fact,) * bool(each.fact)) for each in lettered)
    )


def lettered_example(descriptions: Sequence[str], form: ReplyForm) -> str:
    """A lettered list of some descriptions, for dry runs."""
    lines = [f"{chr(ord('A') + at % 26)}. {each}" for at, each in enumerate(descriptions)]
    return "\n".join([*([f"{form.marker}:"] if form.marker else []), *lines])


EXAMPLE = "The response says this, and the source does not have it."


def example_entry(response: str) -> dict[str, Any]:
    """An entry in the wanted format about a response, for dry runs."""
    return {
        "quotes": [response[:40]],
        "evidence": [],
        "description": EXAMPLE,
        "category": FINAL4.names[0],
    }


def _without_key(reply: str, fences: Fences) -> Listed | list[Any] | None:
    """A list without the object around it, in JSON or in letters; None if there is none."""
    values = [
        each for each in find_values(reply) if not fences.quotes(reply[each.start : each.end])
    ]
    for each in reversed(values):
        if not isinstance(each.value, list):
            continue
        # An empty list in the middle of prose may be about anything.
        is_last = not reply[each.end :].strip(" \t\n`.")
        if any(map(_has_description, each.value)) or (is_last and not each.value):
            return each.value
    loose = [each.value for each in values if _has_description(each.value)]
    if loose:
        return loose
    if _says_none(reply, fences):
        return Listed()
    if values or not split_at_marker(reply, MARKER, fences):
        return None
    try:
        return of_letters(read_letters(reply, LETTERS, fences))
    except UnreadableError:
        return None


def _has_description(value: object) -> bool:
    return isinstance(value, dict) and bool(_description(value))


def _says_none(reply: str, fences: Fences) -> bool:
    """True if a reply says in words, and in nothing else, that there are none."""
    lines = [line for line in reply.splitlines() if line.strip(" `\t")]
    if len(lines) > 2 or "{" in reply:
        return False
    try:
        return not read_letters(reply, LETTERS, fences)
    except UnreadableError:
        return False


def _listed(entries: Sequence[object], problem: UnreadableError | None = None) -> Listed:
    read = [_entry(each) for each in entries]
    kept = tuple(each for each in read if each)
    if entries and not kept:
        raise problem or UnreadableError("no entry of the list has a description")
    return Listed(kept, dropped=len(read) - len(kept))


def _entry(given: object) -> Entry | None:
    """An entry; one that is only words describes an error without a place or category."""
    if isinstance(given, str):
        return Entry(one_line(given)) if one_line(given) else None
    if not isinstance(given, dict) or not _description(given):
        return None
    category = _category(given.get("category"))
    note = "" if category else _remark(given.get("category"))
    quotes, evidence = _quotes(given, "quotes"), _quotes(given, "evidence")
    return Entry(_description(given), category, quotes, evidence, note)


def _description(given: Mapping[str, Any]) -> str:
    values = (one_line(given.get(name)) for name in _DESCRIPTIONS)
    return next(filter(None, values), "")


def _category(given: object) -> Label | None:
    name = choice_of(given, FINAL4.names) if isinstance(given, str) else None
    return FINAL4[name] if name else None


def _remark(given: object) -> str:
    if isinstance(given, str) and given.strip():
        return f"Its category is unknown: '{one_line(given)[:60]}'."
    return "It names no category."


def _quotes(given: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """The quotes of an entry; models also give a single text, or null, instead of a list."""
    value = given.get(name)
    return tuple(
        each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)
    )


def _prose(before: str) -> str:
    """The prose before a JSON value, without the mark of a code block that begins there."""
    return one_line(re.sub(r"```\w{0,9}\s{0,9}\Z", "", before))
