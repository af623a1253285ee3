"""The form of a reply that a prompt file names in its header, and how such replies are read.

A prompt whose header names no form asks for the JSON that its method wants. Any other form, such as
those of the prompts in papers, is said in the header: see `docs/prompts.md`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from assay.core.errors import InputError
from assay.core.labels import Taxonomy
from assay.llm.fences import Fences
from assay.llm.replies.final_choices import find_final_choice
from assay.llm.replies.json_values import find_values
from assay.llm.replies.lettered import LetteredEntry, find_lettered
from assay.llm.replies.menus import Menu, choice_of
from assay.llm.replies.schemas import array_of, object_with, read_json
from assay.llm.replies.texts import UnreadableError
from assay.llm.replies.verdict_lines import VerdictLine, find_verdict_line

Kind = Literal["own", "json", "choice", "line", "letters", "map"]
Texts = Literal["fenced", "plain"]
Record = dict[str, Any]

# What an entry of a JSON list may say, by our names for it.
ENTRY_FIELDS = (
    "number",
    "sentence",
    "label",
    "reason",
    "evidence",
    "description",
    "quotes",
    "category",
)
HEADER_FIELDS = ("reply", "key", "tag", "choices", "marker", "texts", *ENTRY_FIELDS)
_KINDS = get_args(Kind)[1:]
_FITTING = {  # the header fields that make sense for each form
    "json": ("key", "tag", "choices", *ENTRY_FIELDS),
    "choice": ("tag", "choices", "marker"),
    "line": ("tag", "choices", "marker"),
    "letters": ("tag", "choices", "marker"),
    "map": ("tag", "key"),
}


@dataclass(frozen=True, slots=True)
class ReplyForm:
    """The form of a reply, as the header of a prompt file names it.

    `key` is that of the list in a JSON reply: None if it is the method's own, and empty if the list
    is the reply itself. `fields` maps our names of an entry's fields to theirs, `choices` the words
    or letters that the reply uses to labels. `texts` says how texts are filled into the prompt.
    """

    kind: Kind = "own"
    key: str | None = None
    tag: str = ""
    marker: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    choices: Mapping[str, str] = field(default_factory=dict)
    texts: Texts = "fenced"

    def menu(self, taxonomy: Taxonomy) -> Menu:
        """The labels that a reply may state, in the words of this form, by name or by alias."""
        aliases = {alias: label.name for label in taxonomy for alias in label.aliases}
        return Menu.of(taxonomy.names, {**aliases, **self.choices}, told=self.choices)

    def entry(self, value: Mapping[str, Any]) -> Record:
        """An entry by our names, with its label as our choice; what has no name of ours stays."""
        usual = (name for name in ENTRY_FIELDS if name not in self.fields)
        renamed = {self._theirs(ours, value): ours for ours in (*usual, *self.fields)}
        entry = {renamed.get(name, name): each for name, each in value.items()}
        label = entry.get("label")
        if self.choices and isinstance(label, str | int):  # a verdict may be 1 or 0
            stated = Menu.of((), self.choices).stated(str(label))
            entry["label"] = stated.choice if stated else label
        return entry

    def said_label(self, value: Mapping[str, Any]) -> str:
        """The label of an entry as the reply has it."""
        return str(value.get(self._theirs("label", value), ""))

    def write(self, entries: Sequence[Mapping[str, Any]], key: str = "") -> str:
        """Entries by our names as a reply in this form, with the first word for each label."""
        words = {label: word for word, label in reversed(list(self.choices.items()))}
        written = [
            {
                self.fields.get(name, name): words.get(value, value) if name == "label" else value
                for name, value in entry.items()
            }
            for entry in entries
        ]
        wanted = key if self.key is None else self.key
        return self.tagged(json.dumps({wanted: written} if wanted else written))

    def tagged(self, body: str) -> str:
        """The text of a reply, or that between its tags if it has some."""
        return f"<{self.tag}>{body}</{self.tag}>" if self.tag else body

    def _theirs(self, ours: str, value: Mapping[str, Any]) -> str:
        """The key by which a value has one of our fields, in whichever case it is written."""
        name = self.fields.get(ours, ours)
        if name in value:
            return name
        return next((key for key in value if choice_of(str(key), (name,))), name)

    def own_part(self, reply: str) -> str:
        """The text between the last pair of tags; the whole reply if they are missing or empty.

        Empty tags are only mentioned, as in "I put the list between <TAG></TAG>".
        """
        if not self.tag:
            return reply
        name = re.escape(self.tag)
        _, *parts = re.split(rf"<\s{{0,9}}{name}\s{{0,9}}>", reply, flags=re.IGNORECASE)
        closing = re.compile(rf"<\s{{0,9}}/\s{{0,9}}{name}\s{{0,9}}>", re.IGNORECASE)
        between = (closing.split(part)[0] for part in reversed(parts))
        return next(filter(str.strip, between), reply)


OWN_FORM = ReplyForm()


def read_form(header: Mapping[str, str], path: object) -> ReplyForm:
    """The form that the header of a prompt file names; raises if its fields make no sense."""
    kind, texts = header.get("reply", "own"), header.get("texts", "fenced")
    given = [name for name in HEADER_FIELDS if name in header and name not in ("reply", "texts")]
    if kind not in _KINDS and "reply" in header:
        raise InputError(f"{path}: reply must be one of {', '.join(_KINDS)}, not '{kind}'")
    if texts not in get_args(Texts):
        raise InputError(f"{path}: texts must be fenced or plain, not '{texts}'")
    if kind == "own" and given:
        raise InputError(f"{path}: '{given[0]}' needs a form: add 'reply: {_form_for(given[0])}'")
    for name in given:
        if name not in _FITTING.get(kind, ()):
            raise InputError(f"{path}: '{name}' makes no sense for 'reply: {kind}'")
        if not header[name]:
            raise InputError(f"{path}: the header has no value for '{name}'")
    if kind == "line" and "marker" not in header:
        raise InputError(f"{path}: 'reply: line' needs a marker, the words before the verdict")
    tag, marker = header.get("tag", "").strip("<>/ "), header.get("marker", "").rstrip(": ")
    for name, word in (("tag", tag), ("marker", marker)):
        if name in header and not re.search(r"\w", word):
            raise InputError(f"{path}: '{name}' must be a word, not '{header[name]}'")
    fields = {name: header[name] for name in ENTRY_FIELDS if name in header}
    for name, theirs in fields.items():
        same = next(each for each in fields if choice_of(fields[each], (theirs,)))
        if same != name:
            raise InputError(f"{path}: '{same}' and '{name}' cannot both be called '{theirs}'")
    return ReplyForm(
        kind,  # type: ignore[arg-type]
        {"-": ""}.get(header["key"], header["key"]) if "key" in header else None,
        tag,
        marker,
        fields,
        _choices(header.get("choices", ""), path),
        texts,  # type: ignore[arg-type]
    )


def _form_for(name: str) -> str:
    return next(kind for kind, names in _FITTING.items() if name in names)


def _choices(text: str, path: object) -> dict[str, str]:
    """`A = explicitly-supported, yes = faithful`, by what the reply says."""
    choices: dict[str, str] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        word, equals, label = (each.strip() for each in part.partition("="))
        if not (word and equals and label):
            raise InputError(f"{path}: choices are written 'A = label, B = label', not '{part}'")
        if choice_of(word, tuple(choices)):
            raise InputError(f"{path}: choices has '{word}' twice; upper and lower case are one")
        choices[word] = label
    return choices


def check_choices(form: ReplyForm, labels: Sequence[str], path: object) -> None:
    """Raises if `choices` names a label that the method does not have."""
    for word, label in form.choices.items():
        if label not in labels:
            menu = ", ".join(labels)
            raise InputError(f"{path}: choices has '{word} = {label}'; the labels are {menu}")


def read_choice(
    reply: str, form: ReplyForm, menu: Menu, fences: Fences | None = None
) -> VerdictLine:
    """The verdict of a reply in the form `choice` or `line`, and the prose around it."""
    own = form.own_part(reply)
    if form.kind == "line":
        return find_verdict_line(own, form.marker, menu, fences)
    return find_final_choice(own, form.marker, menu, fences)


def read_records(
    reply: str, form: ReplyForm, fences: Fences | None = None, key: str = ""
) -> list[Record]:
    """The entries of a JSON reply by our names; `key` is that of the list unless the form has one.

    The last list of objects counts; objects without a list are taken for one. What is quoted from
    the texts is never the answer.
    """
    wanted = key if form.key is None else form.key
    entries = array_of(object_with())
    schema = object_with(**{wanted: entries}) if wanted else entries
    try:
        found = read_json(form.own_part(reply), schema, fences)
    except UnreadableError as problem:
        again = "Reply with JSON in the form that was asked for."
        raise UnreadableError(str(problem), wanted=again, reason=problem.reason) from None
    return [form.entry(value) for value in (found[wanted] if wanted else found)]


def read_letters(
    reply: str, form: ReplyForm, fences: Fences | None = None
) -> tuple[LetteredEntry, ...]:
    """The entries of a lettered list (`A. ...`, or bullets); none if the reply says None.

    A choice before the list, such as no, is passed over. One that stands for `faithful` says that
    there is nothing to list, and raises if something is listed all the same.
    """
    return find_lettered(form.own_part(reply), form.marker, form.choices, fences)


def read_map(
    reply: str, form: ReplyForm, keys: Sequence[str], fences: Fences | None = None
) -> dict[str, str | None]:
    """The value of each key in a reply such as `{"A": "C", "B": null}`; none may be missing.

    Keys may be spelt out, as in `"Predicted A"`, and the map may be the only value of an object.
    """
    reply = form.own_part(reply)
    problem = UnreadableError("there is no JSON object in the reply")
    for each in reversed(find_values(reply)):
        if not isinstance(each.value, dict) or (
            fences and fences.quotes(reply[each.start : each.end])
        ):
            continue
        value = each.value
        if form.key and isinstance(value.get(form.key), dict):
            value = value[form.key]
        elif len(value) == 1 and isinstance(only := next(iter(value.values())), dict):
            value = only
        given = {entry_of(str(key), keys): each for key, each in value.items()}
        missing = [key for key in keys if key not in given]
        if not missing:
            return {key: _target(given[key], key) for key in keys}
        if len(missing) < len(keys) or not keys:
            problem = UnreadableError(f"the JSON object has no key '{missing[0]}'")
    wanted = ", ".join(f'"{key}": ...' for key in keys)
    raise UnreadableError(str(problem), wanted=f"End with the JSON object {{{wanted}}}.")


def entry_of(text: str, letters: Sequence[str]) -> str | None:
    """The letter that a text gives, alone, with its entry or with a title: `C. The name`, `Gold C`.

    >>> entry_of("Gold C", ("A", "B", "C")), entry_of("A name", ("A", "B", "C"))
    ('C', None)
    """
    found = _LETTERED.match(text)
    return choice_of(text, letters) or (choice_of(found[1], letters) if found else None)


_LETTERED = re.compile(
    r"[\W_]*(?:(?:gold|predicted|prediction|error|entry|item|inconsistency)[\W_]+){0,2}"
    r"([A-Z]{1,3})(?:[.):]\s|\s[-–—]\s|[\W_]*\Z)",
    re.IGNORECASE,
)


def _target(value: Any, key: str) -> str | None:
    if isinstance(value, list) and len(value) <= 1:
        value = value[0] if value else None
    if value is None or (isinstance(value, str) and value.strip().casefold() in _NOTHING):
        return None
    if isinstance(value, str | int) and not isinstance(value, bool):
        return str(value).strip(" .()\"'")
    raise UnreadableError(f"the value of '{key}' is neither one entry nor null")


_NOTHING = frozenset({"", "null", "none", "no match", "n/a", "-"})
