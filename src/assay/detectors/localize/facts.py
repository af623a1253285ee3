"""A response taken apart into facts, each held against the response before it is used."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay.core.examples import Example
from assay.core.units import Unit
from assay.core.verdicts import Failure
from assay.detectors.judges.batches import numbered_lines
from assay.detectors.judges.judging import Form, Material, together
from assay.detectors.localize.findings import one_line
from assay.detectors.localize.wording import Wording
from assay.detectors.units import sentence_units
from assay.llm.asking import Answer
from assay.llm.client import CallError, Client
from assay.llm.prompts import Fences, Prompt
from assay.llm.schemas import array_of, object_of, read_json, text, whole_number
from assay.text.statements import states_nothing

SENTENCES = 15  # in one call, so that the reply stays short enough to be complete
MOST = 500  # facts of one response, and sentences; a response with more is not checked
LIST = object_of(facts=array_of(object_of(sentence=whole_number(), fact=text())))

Entry = Mapping[str, Any]
Numbered = Mapping[int, Unit]


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts to check, those that the model made up, and how many sentences stand as they are.

    A sentence is a fact of its own where the model's facts leave out all of it, or one of its
    names and figures: nothing that the response says goes unchecked.
    """

    units: tuple[Unit, ...]
    invented: tuple[Failure, ...] = ()
    added: int = 0

    @property
    def note(self) -> str:
        """What a reader must know about the facts."""
        parts = []
        if self.added:
            parts.append(f"{_count(self.added, 'sentence')} checked as a whole.")
        if self.invented:
            parts.append(f"{_count(len(self.invented), 'fact')} left out: not in the response.")
        return " ".join(parts)


async def find_facts(client: Client, prompt: Prompt, example: Example) -> Facts:
    """The facts of a response; raises `CallError` where the model gives none that can be used."""
    sentences = dict(enumerate(sentence_units(replace(example, units=())), 1))
    stated = sum(not states_nothing(unit.text, example.language) for unit in sentences.values())
    if not stated:
        return Facts(())
    _require_few(stated, f"the response has {stated:,} sentences")
    numbers = list(sentences)
    groups = [numbers[at : at + SENTENCES] for at in range(0, len(numbers), SENTENCES)]
    answers = await together(
        _ask(client, prompt, example, {n: sentences[n] for n in group}) for group in groups
    )
    pairs = (_pair(each) for answer in answers for each in answer.value)
    entries = list(dict.fromkeys(pair for pair in pairs if pair[1]))
    made = f"the model makes {len(entries):,} facts of the response"
    _require_few(len(entries), made, answers[0].reply.text)
    facts = _held_against(example, sentences, entries)
    left = f"{made} and leaves out {facts.added:,} sentences"
    _require_few(len(facts.units), left, answers[0].reply.text)
    return facts


def _require_few(facts: int, found: str, raw: str = "") -> None:
    """Raises if there is more to check than is checked of one response."""
    if facts > MOST:
        raise CallError("too_long", f"{found}; at most {MOST} facts are checked", raw=raw)


async def _ask(
    client: Client, prompt: Prompt, example: Example, sentences: Numbered
) -> Answer[list[Entry]]:
    reply = {"facts": [{"sentence": n, "fact": unit.text} for n, unit in sentences.items()]}
    form = Form(_read, json.dumps(reply), LIST, units=len(sentences))
    material = Material(example, sentences=numbered_lines(sentences))
    return await material.ask(client, prompt, form)


def _read(reply: str, fences: Fences) -> list[Entry]:
    entries: list[Entry] = read_json(reply, LIST, fences)["facts"]
    return entries


def _pair(entry: Entry) -> tuple[int, str]:
    return entry["sentence"], one_line(entry["fact"])


def _held_against(
    example: Example, sentences: Numbered, entries: Sequence[tuple[int, str]]
) -> Facts:
    whole = Wording((example.response.text, example.question), example.language)
    kept: dict[int, list[Unit]] = {}
    invented: dict[Unit, Failure] = {}
    for number, fact in entries:
        unit = Unit("claim", fact, sentences[number].spans if number in sentences else ())
        problem = _problem(number, fact, sentences, whole)
        if problem:
            invented[unit] = Failure(unit, "parse", problem)
        else:
            kept.setdefault(number, []).append(unit)
    lost = set(_lost(sentences, kept, example.language))
    for number in lost:
        kept.setdefault(number, []).append(replace(sentences[number], kind="claim"))
    units = tuple(unit for number in sentences for unit in kept.get(number, ()))
    return Facts(units, tuple(invented.values()), len(lost))


def _problem(number: int, fact: str, sentences: Numbered, whole: Wording) -> str:
    """Why a fact cannot be used; empty if it can."""
    if number not in sentences:
        return f"this fact names sentence {number}, and the response has {len(sentences)}"
    strange = whole.lacks(fact)
    return f"this fact is not in the response, which does not have {strange}" if strange else ""


def _lost(sentences: Numbered, kept: Mapping[int, list[Unit]], language: str) -> Iterator[int]:
    """The sentences that have no fact, or a name or figure that is in none of their facts."""
    for number, sentence in sentences.items():
        if number in kept:
            told = Wording([unit.text for unit in kept[number]], language)
            is_lost = bool(told.lacks_figures(sentence.text))
        else:
            is_lost = not states_nothing(sentence.text, language)
        if is_lost:
            yield number


def _count(number: int, noun: str) -> str:
    return f"{number} {noun} is" if number == 1 else f"{number} {noun}s are"
