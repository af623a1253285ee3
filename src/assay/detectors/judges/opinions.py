"""Opinions of a model on a unit: the JSON fields it is asked for, and how they are read."""

import json
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from typing import Any

from assay.core.decision import Answers, Interpretation
from assay.core.labels import Label, Taxonomy
from assay.core.taxonomies import GRAY7
from assay.core.units import Unit
from assay.core.verdicts import Verdict
from assay.detectors.judges.judging import PromptTexts, ReplyFormat, one_line
from assay.detectors.judges.quoting import Quotable
from assay.detectors.judges.settling import (
    ANSWERS,
    NO,
    SAMPLE,
    SHORT_LABELS,
    SKIP,
    YES,
    Settled,
    open_answers,
    read_answers,
    settle,
)
from assay.llm.client import ModelClient, Reply
from assay.llm.fences import Fences
from assay.llm.prompts import Prompt
from assay.llm.replies.forms import Kind, ReplyForm, read_choice, read_records
from assay.llm.replies.menus import probability_of
from assay.llm.replies.schemas import (
    Schema,
    array_of,
    object_of,
    object_with,
    one_of,
    read_json,
    read_value,
    text,
)
from assay.llm.replies.texts import UnreadableError, final_text
from assay.llm.replies.verdict_lines import VerdictLine

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Opinion:
    """A model's opinion of a unit; its quotes are not looked up yet.

    `remark` tells a reader what was made of the reply, `problem` what contradicts itself in it.
    The label is `overruled` where the model states another one than follows from what it says.
    """

    label: Label
    reason: str
    evidence: tuple[str, ...] = ()
    interpretations: tuple[Interpretation, ...] = ()
    _: KW_ONLY
    answers: Answers | None = None
    remark: str = ""
    problem: str = ""
    overruled: bool = False

    def verdict(self, unit: Unit, source: Quotable, confidence: float | None) -> Verdict:
        """The verdict on the unit; the note counts quotes that are not in the source."""
        quoted = source.find(self.evidence)
        said = (self.reason, self.remark, self._doubt, quoted.note)
        return Verdict(
            unit.id,
            self.label,
            confidence=None if self.overruled else confidence,
            note=" ".join(filter(None, said)),
            evidence=quoted.spans,
            answers=self.answers or open_answers(self.label),
            interpretations=self.interpretations,
        )

    @property
    def _doubt(self) -> str:
        differ = len({each.label for each in self.interpretations}) > 1
        if self.label.name != "ambiguous" or differ:
            return ""
        return "The model names no two readings with different labels."


@dataclass(frozen=True)
class Fields:
    """A reason, then quotes, readings and answers where they are wanted, and at last a label.

    With `label_first` the model answers at once, and explains itself afterwards. With `as_stated`
    its label counts whatever else it says; otherwise readings and answers have to go with it.
    """

    taxonomy: Taxonomy
    quotes: bool = False
    readings: bool = False
    answers: bool = False  # to the questions of the decision tree
    label_first: bool = False
    as_stated: bool = False

    @property
    def parts(self) -> dict[str, Schema]:
        """The schema of each field, in the order in which they are asked for."""
        parts = {"reason": text()}
        if self.quotes:
            parts["evidence"] = array_of(text())
        if self.readings:
            single = [name for name in self.taxonomy.names if name != "ambiguous"]
            parts["interpretations"] = array_of(object_of(meaning=text(), label=one_of(single)))
        if self.answers:
            parts |= dict.fromkeys(ANSWERS, one_of((YES, NO, SKIP)))
        label = {"label": one_of(self.taxonomy.names)}
        return {**label, **parts} if self.label_first else {**parts, **label}

    @property
    def example(self) -> dict[str, Any]:
        """An opinion in the wanted format."""
        own = {
            "reason": "The source says so.",
            **(SAMPLE if self.answers else {}),
            "label": self.taxonomy.labels[-1].name,
        }
        return {name: own.get(name, []) for name in self.parts}

    @cached_property
    def reply_format(self) -> ReplyFormat[Opinion]:
        """A reply that is one opinion."""
        return ReplyFormat(self.read_reply, json.dumps(self.example), object_of(**self.parts))

    def read_reply(self, reply: str, fences: Fences) -> Opinion:
        """The opinion in a reply; only its label must be there, and must be on the menu.

        A reply that contradicts itself raises, with the opinion that is left as its fallback.
        """
        opinion = self._opinion(read_json(reply, self._least, fences))
        if opinion.problem:
            raise UnreadableError(opinion.problem, fallback=opinion)
        return opinion

    def read(self, record: Record) -> Opinion:
        """The opinion in a record; it may have a problem."""
        return self._opinion(read_value(record, self._least))

    def _opinion(self, record: Record) -> Opinion:
        """The opinion in a record that has been read."""
        label = self._label(record)
        listed = _list(record, "interpretations") if self.readings else []
        readings = tuple(filter(None, map(self._reading, listed)))
        is_told = self.readings and "interpretations" in record
        settled = Settled(label)
        if label.taxonomy == GRAY7.name and not self.as_stated:
            answers = read_answers(record) if self.answers else None
            settled = settle(label, readings if is_told else None, answers)
        return Opinion(
            settled.label,
            _reason(record.get("reason")),
            tuple(each for each in _list(record, "evidence") if isinstance(each, str)),
            readings,
            answers=settled.answers,
            remark=f"{settled.remark} {_left_out(len(listed) - len(readings))}".strip(),
            problem=settled.problem,
            overruled=settled.label != label,
        )

    @cached_property
    def _least(self) -> Schema:
        """The least that a reply must have; other words for a label are accepted."""
        return object_with(label=one_of(self.taxonomy.names, self._others))

    @cached_property
    def _others(self) -> dict[str, str]:
        """Words that stand for a label of the menu."""
        names = self.taxonomy.names
        known = {each: label.name for label in self.taxonomy for each in label.aliases}
        if self.taxonomy.labels[0].taxonomy == GRAY7.name:
            known |= {word: name for word, name in SHORT_LABELS.items() if name in names}
        return known

    def _label(self, record: Record) -> Label:
        """The label of a record that has been read."""
        said: str = record["label"]
        return self.taxonomy[self._others.get(said, said)]

    def _reading(self, record: Any) -> Interpretation | None:
        """A way to understand the unit; without a label of its own it is none."""
        try:
            label = self._label(read_value(record, self._least))
        except UnreadableError:
            return None
        if label == "ambiguous":
            return None
        return Interpretation(label, one_line(record.get("meaning")))


def _reason(said: object) -> str:
    """The reason on one line; models that give several, give a list."""
    several = said if isinstance(said, list) else [said]
    return " ".join(filter(None, map(one_line, several)))


def _left_out(count: int) -> str:
    if not count:
        return ""
    if count == 1:
        return "1 reading has no label of the menu and is left out."
    return f"{count} readings have no label of the menu and are left out."


def _list(record: Record, name: str) -> list[Any]:
    """A list of the record; models also give a single thing, or null, instead."""
    value = record.get(name)
    if isinstance(value, list):
        return value
    return [value] if value else []


# What a prompt about one unit, or about numbered units, may ask for.
ONE: tuple[Kind, ...] = ("json", "choice", "line")
NUMBERED: tuple[Kind, ...] = ("json",)


async def ask_opinion(
    client: ModelClient,
    prompt: Prompt,
    texts: PromptTexts,
    unit: Unit,
    fields: Fields,
    bare: ReplyForm | None = None,
    **more: str,
) -> Verdict:
    """The verdict on a unit by a model's opinion, in the form that the prompt names.

    `bare` is another form for replies that are not JSON. Raises `CallError` without an opinion.
    """
    form = prompt.form
    wanted = _opinion_format(fields, form)
    if bare:
        wanted = _or_bare(wanted, fields, bare)
    answer = await texts.ask(client, prompt, wanted, marker=form.marker, **more)
    used = bare if bare and _is_bare(final_text(answer.reply.text)) else form
    confidence = _confidence_in(answer.value, answer.reply, fields, used)
    return answer.value.verdict(unit, texts.quotable, confidence)


def _opinion_format(fields: Fields, form: ReplyForm) -> ReplyFormat[Opinion]:
    """A reply that is one opinion, in the form that the prompt names."""
    if form.kind == "own":
        return fields.reply_format
    return ReplyFormat(
        lambda reply, fences: _read(reply, fields, form, fences), _example(fields, form)
    )


def has_quotes(fields: Fields, form: ReplyForm) -> bool:
    """True if replies in this form have a place for quotes from the source."""
    return fields.quotes if form.kind == "own" else "evidence" in form.fields


def _or_bare(wanted: ReplyFormat[Opinion], fields: Fields, bare: ReplyForm) -> ReplyFormat[Opinion]:
    """The same replies, and those without any JSON that state a choice of `bare` instead."""

    def read(reply: str, fences: Fences) -> Opinion:
        try:
            return wanted.read(reply, fences)
        except UnreadableError as problem:
            try:
                if _is_bare(reply):
                    return _read(reply, fields, bare, fences)
            except UnreadableError:
                pass
            raise problem from None

    return replace(wanted, read=read)


def _is_bare(reply: str) -> bool:
    """True if a reply has no object in it, not even a part of one."""
    return "{" not in reply


def _confidence_in(opinion: Opinion, reply: Reply, fields: Fields, form: ReplyForm) -> float | None:
    """The probability of the words that state the opinion's label; None without probabilities."""
    if not reply.tokens:
        return None
    if form.kind in ("choice", "line"):
        line = _line(final_text(reply.text), fields, form)
        return line.probability(reply) if line else None
    words = [word for word, label in form.choices.items() if label == opinion.label.name]
    found = (probability_of(reply, word) for word in (*words, opinion.label.name))
    return next((each for each in found if each is not None), None)


def _read(reply: str, fields: Fields, form: ReplyForm, fences: Fences) -> Opinion:
    if form.kind == "json":
        return _recorded(reply, fields, form, fences)
    try:
        line = read_choice(reply, form, form.menu(fields.taxonomy), fences)
    except UnreadableError as problem:
        try:  # models that are used to JSON reply with it unasked
            return _recorded(reply, fields, form, fences)
        except UnreadableError:
            raise problem from None
    return Opinion(fields.taxonomy[line.choice], one_line(line.rest))


def _recorded(reply: str, fields: Fields, form: ReplyForm, fences: Fences) -> Opinion:
    """The opinion in the last object of a reply."""
    records = read_records(reply, form, fences)
    if not records:
        raise UnreadableError("the list is empty", wanted="Reply in the form that was asked for.")
    opinion = fields.read(records[-1])
    if opinion.problem:
        raise UnreadableError(opinion.problem, fallback=opinion)
    return opinion


def _line(text: str, fields: Fields, form: ReplyForm) -> VerdictLine | None:
    try:
        return read_choice(text, form, form.menu(fields.taxonomy))
    except UnreadableError:
        return None


def _example(fields: Fields, form: ReplyForm) -> str:
    label = fields.taxonomy.labels[-1].name
    if form.kind == "json":
        return form.write([{"reason": "The source says so.", "label": label}])
    word = next((each for each, name in form.choices.items() if name == label), label)
    if form.kind == "line":
        return f"The source says so.\n{form.tagged(f'{form.marker}: {word}')}"
    return form.tagged(word)
