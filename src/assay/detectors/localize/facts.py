"""A response taken apart into facts: all are checked, and remarks say which may not be its own."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.core.examples import Example
from assay.core.units import Unit, unit_id
from assay.detectors.judges.batches import in_groups, numbered_lines
from assay.detectors.judges.judging import PromptTexts, ReplyFormat, one_line
from assay.detectors.localize.entries import lettered_example
from assay.detectors.protocol import gather_or_cancel
from assay.llm.asking import Answer
from assay.llm.client import CallError, ModelClient
from assay.llm.fences import Fences
from assay.llm.prompts import Prompt
from assay.llm.replies.forms import read_letters
from assay.llm.replies.schemas import (
    array_of,
    object_of,
    object_with,
    read_json,
    text,
    whole_number,
)
from assay.llm.replies.texts import UnreadableError
from assay.text.differences import Vocabulary
from assay.text.sentences import find_sentences
from assay.text.statements import states_nothing

SENTENCES = 15  # in one call, so that the reply stays short enough to be complete
MOST = 500  # facts of one response, and sentences; a response with more is not checked
LIST = object_of(facts=array_of(object_of(sentence=whole_number(), fact=text())))
_LEAST = object_with(facts=array_of({}))

Numbered = Mapping[int, Unit]
Told = tuple[int, str]  # a fact, after the number of the sentence that it is from; 0 if none


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts to check, and how many sentences are facts as such.

    A sentence is a fact of its own where the model's facts leave out all of it, or one of its
    names and figures: nothing that the response says goes unchecked. FactScore is strict: there the
    model's facts are all, and `left_out` counts the sentences that have none. `doubts` says, by the
    id of a fact, why it may not come from the response; it is checked like the others.
    """

    units: tuple[Unit, ...]
    doubts: Mapping[str, str] = field(default_factory=dict)
    added: int = 0
    left_out: int = 0

    @property
    def note(self) -> str:
        """Remarks on the facts."""
        parts = []
        if self.added:
            parts.append(f"{_count(self.added, 'sentence')} checked as a whole.")
        if self.left_out:
            parts.append(f"{_count(self.left_out, 'sentence')} not checked, having no fact.")
        if self.doubts:
            count = len(self.doubts)
            noun = "fact" if count == 1 else "facts"
            parts.append(f"{count} {noun} may not come from the response.")
        return " ".join(parts)


async def find_facts(
    client: ModelClient, prompt: Prompt, example: Example, *, strict: bool = False
) -> Facts:
    """The facts of a response; raises `CallError` where the model gives none that can be used."""
    sentences = dict(enumerate(find_sentences(example.response.text, example.language), 1))
    stated = sum(not states_nothing(unit.text, example.language) for unit in sentences.values())
    if not stated:
        return Facts(())
    _require_few(stated, f"the response has {stated:,} sentences")
    is_own = prompt.form.kind == "own"
    groups = in_groups(tuple(sentences.values()), SENTENCES if is_own and not strict else 1)
    answers = await gather_or_cancel(_ask(client, prompt, example, group) for group in groups)
    entries = list(dict.fromkeys(fact for answer in answers for fact in answer.value))
    made = f"the model makes {len(entries):,} facts of the response"
    _require_few(len(entries), made, answers[0].reply.text)
    if strict and not entries:
        raise CallError("missing", "the model finds no fact in it", raw=answers[0].reply.text)
    facts = _compared(example, sentences, entries, strict)
    left = f"{made} and leaves out {facts.added:,} sentences"
    _require_few(len(facts.units), left, answers[0].reply.text)
    return facts


def _require_few(facts: int, found: str, raw: str = "") -> None:
    """Raises if there is more to check than is checked of one response."""
    if facts > MOST:
        raise CallError("too_long", f"{found}; at most {MOST} facts are checked", raw=raw)


async def _ask(
    client: ModelClient, prompt: Prompt, example: Example, sentences: Numbered
) -> Answer[list[Told]]:
    if prompt.form.kind == "own":
        reply = {"facts": [{"sentence": n, "fact": unit.text} for n, unit in sentences.items()]}
        reply_format = ReplyFormat(
            lambda reply, fences: _read(reply, fences, sentences),
            json.dumps(reply),
            LIST,
            units=len(sentences),
        )
        texts = PromptTexts(example, sentences=numbered_lines(sentences))
        return await texts.ask(client, prompt, reply_format)
    ((number, unit),) = sentences.items()

    def read_listed(reply: str, fences: Fences) -> list[Told]:
        return [(number, each.description) for each in read_letters(reply, prompt.form, fences)]

    texts = PromptTexts(example, sentences=unit.text)
    listed = ReplyFormat(read_listed, lettered_example([unit.text], prompt.form))
    return await texts.ask(client, prompt, listed)


def _read(reply: str, fences: Fences, sentences: Numbered) -> list[Told]:
    entries: list[Any] = read_json(reply, _LEAST, fences)["facts"]
    told = [(_number(each, sentences), _fact(each)) for each in entries]
    kept = [each for each in told if each[1]]
    if entries and not kept:
        raise UnreadableError("no entry of the list has a fact")
    return kept


def _fact(entry: object) -> str:
    return one_line(entry.get("fact") if isinstance(entry, dict) else entry)


def _number(entry: object, sentences: Numbered) -> int:
    """The number of a fact's sentence; where only one was asked about, it is that one."""
    given = entry.get("sentence") if isinstance(entry, dict) else None
    if isinstance(given, str) and given.strip().isdecimal():
        given = int(given)
    if isinstance(given, int):
        return given
    return next(iter(sentences)) if len(sentences) == 1 else 0


def _compared(
    example: Example, sentences: Numbered, entries: Sequence[Told], strict: bool
) -> Facts:
    """The facts in the order of their sentences, then those without one, and what is doubtful."""
    whole = Vocabulary((example.response.text, example.question), example.language)
    kept: dict[int, list[str]] = {}
    for number, fact in entries:
        kept.setdefault(number if number in sentences else 0, []).append(fact)
    lost = set(_lost(sentences, kept, example.language))
    added = frozenset[int]() if strict else lost
    for number in added:
        kept.setdefault(number, []).append(sentences[number].text)
    stated = [(number, fact) for number in (*sentences, 0) for fact in kept.get(number, ())]
    units = tuple(_unit(place, *fact, sentences) for place, fact in enumerate(stated, 1))
    doubts = {unit.id: _doubt(unit, whole) for unit in units}
    told = {id: doubt for id, doubt in doubts.items() if doubt}
    return Facts(units, told, len(added), len(lost - kept.keys()))


def _unit(place: int, number: int, fact: str, sentences: Numbered) -> Unit:
    """A fact as a claim, at the place of its sentence."""
    spans = sentences[number].spans if number in sentences else ()
    return Unit(unit_id("claim", place), "claim", fact, spans)


def _doubt(fact: Unit, whole: Vocabulary) -> str:
    """The reason to doubt that a fact is the response's own; empty if there is none."""
    strange = whole.lacks(fact.text)
    if strange:
        return f"The fact it is from may not be in the response, which does not have {strange}."
    return "" if fact.spans else "The fact it is from names no sentence of the response."


def _lost(sentences: Numbered, kept: Mapping[int, list[str]], language: str) -> Iterator[int]:
    """The sentences that have no fact, or a name or figure that is in none of their facts."""
    for number, sentence in sentences.items():
        if number in kept:
            is_lost = bool(Vocabulary(kept[number], language).lacks_figures(sentence.text))
        else:
            is_lost = not states_nothing(sentence.text, language)
        if is_lost:
            yield number


def _count(number: int, noun: str) -> str:
    return f"{number} {noun} is" if number == 1 else f"{number} {noun}s are"
