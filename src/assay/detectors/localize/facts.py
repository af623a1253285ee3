"""A response taken apart into facts, each compared with the response before it is used."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from assay.core.examples import Example
from assay.core.judgements import Finding
from assay.core.units import Unit, unit_id
from assay.core.verdicts import Failure
from assay.detectors.judges.batches import in_groups, numbered_lines
from assay.detectors.judges.judging import PromptTexts, ReplyFormat, one_line
from assay.detectors.protocol import gather_or_cancel
from assay.llm.asking import Answer
from assay.llm.client import CallError, Client
from assay.llm.fences import Fences
from assay.llm.prompts import Prompt
from assay.llm.schemas import array_of, object_of, read_json, text, whole_number
from assay.text.mentions import find_mentions
from assay.text.statements import align, states_nothing
from assay.text.units import find_sentences
from assay.text.words import content_words, terms

SENTENCES = 15  # in one call, so that the reply stays short enough to be complete
MOST = 500  # facts of one response, and sentences; a response with more is not checked
LEAST_KNOWN = 0.5  # of a fact's content words; links and pronouns are put into words
LIST = object_of(facts=array_of(object_of(sentence=whole_number(), fact=text())))

Record = Mapping[str, Any]
Numbered = Mapping[int, Unit]


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts to check, those that the model made up, and how many sentences are facts as such.

    A sentence is a fact of its own where the model's facts leave out all of it, or one of its
    names and figures: nothing that the response says goes unchecked.
    """

    units: tuple[Unit, ...]
    invented: tuple[Finding, ...] = ()
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


class Vocabulary:
    """The content words, names and figures of some texts, ready to be looked up."""

    def __init__(self, texts: Iterable[str], language: str = "en") -> None:
        self._texts = list(texts)
        self._language = language
        self._terms = {term for text in self._texts for term in terms(text, language)}

    def lacks(self, fact: str) -> str:
        """What of a fact is not in the texts; empty if it comes from them.

        >>> Vocabulary(["Ada Lovelace was born in London."]).lacks("Ada was born in 1852.")
        "'1852'"
        """
        words = list(content_words(fact, self._language))
        missing = [word for word, term in words if term not in self._terms]
        if words and not missing:
            return ""
        strange = self.lacks_figures(fact)
        if strange or len(missing) <= (1 - LEAST_KNOWN) * len(words) > 0:
            return strange
        return ", ".join(map(repr, missing[:5])) or "any content word of it"

    def lacks_figures(self, fact: str) -> str:
        """The first name, number or date of a fact that is not in the texts; empty if all are."""
        if self._has_words_of(fact):
            return ""
        found = align(fact, self._terms, self._mentions, self._language)
        for figure in (*found.missing_figures, *found.missing_names):
            keys = {mention.key for mention in find_mentions(figure)}
            if not (self._has_words_of(figure) or (keys and keys <= self._terms)):
                return repr(figure)
        return ""

    def _has_words_of(self, text: str) -> bool:
        """Whether all content words are there, together or apart."""
        return self._terms.issuperset(terms(text, self._language))

    @cached_property
    def _mentions(self) -> set[str]:
        return {key for text in self._texts for found in find_mentions(text) for key in found.parts}


async def find_facts(client: Client, prompt: Prompt, example: Example) -> Facts:
    """The facts of a response; raises `CallError` where the model gives none that can be used."""
    sentences = dict(enumerate(find_sentences(example.response.text, example.language), 1))
    stated = sum(not states_nothing(unit.text, example.language) for unit in sentences.values())
    if not stated:
        return Facts(())
    _require_few(stated, f"the response has {stated:,} sentences")
    groups = in_groups(tuple(sentences.values()), SENTENCES)
    answers = await gather_or_cancel(_ask(client, prompt, example, group) for group in groups)
    said = (each for answer in answers for each in answer.value)
    pairs = ((each["sentence"], one_line(each["fact"])) for each in said)
    entries = list(dict.fromkeys(pair for pair in pairs if pair[1]))
    made = f"the model makes {len(entries):,} facts of the response"
    _require_few(len(entries), made, answers[0].reply.text)
    facts = _compared(example, sentences, entries)
    left = f"{made} and leaves out {facts.added:,} sentences"
    _require_few(len(facts.units), left, answers[0].reply.text)
    return facts


def _require_few(facts: int, found: str, raw: str = "") -> None:
    """Raises if there is more to check than is checked of one response."""
    if facts > MOST:
        raise CallError("too_long", f"{found}; at most {MOST} facts are checked", raw=raw)


async def _ask(
    client: Client, prompt: Prompt, example: Example, sentences: Numbered
) -> Answer[list[Record]]:
    reply = {"facts": [{"sentence": n, "fact": unit.text} for n, unit in sentences.items()]}
    reply_format = ReplyFormat(_read, json.dumps(reply), LIST, units=len(sentences))
    texts = PromptTexts(example, sentences=numbered_lines(sentences))
    return await texts.ask(client, prompt, reply_format)


def _read(reply: str, fences: Fences) -> list[Record]:
    entries: list[Record] = read_json(reply, LIST, fences)["facts"]
    return entries


def _compared(example: Example, sentences: Numbered, entries: Sequence[tuple[int, str]]) -> Facts:
    """The facts that the response states, those it does not, and sentences that have none."""
    whole = Vocabulary((example.response.text, example.question), example.language)
    kept: dict[int, list[str]] = {}
    invented: dict[tuple[int, str], str] = {}
    for number, fact in entries:
        problem = _problem(number, fact, sentences, whole)
        if problem:
            invented[number, fact] = problem
        else:
            kept.setdefault(number, []).append(fact)
    lost = set(_lost(sentences, kept, example.language))
    for number in lost:
        kept.setdefault(number, []).append(sentences[number].text)
    stated = [(number, fact) for number in sentences for fact in kept.get(number, ())]
    units = [_unit(n, *fact, sentences) for n, fact in enumerate([*stated, *invented], 1)]
    checked, refused = units[: len(stated)], units[len(stated) :]
    failures = [
        Finding(unit, Failure(unit.id, "parse", problem))
        for unit, problem in zip(refused, invented.values(), strict=True)
    ]
    return Facts(tuple(checked), tuple(failures), len(lost))


def _unit(place: int, number: int, fact: str, sentences: Numbered) -> Unit:
    """A fact as a claim, at the place of its sentence."""
    spans = sentences[number].spans if number in sentences else ()
    return Unit(unit_id("claim", place), "claim", fact, spans)


def _problem(number: int, fact: str, sentences: Numbered, whole: Vocabulary) -> str:
    """Why a fact cannot be used; empty if it can."""
    if number not in sentences:
        return f"this fact names sentence {number}, and the response has {len(sentences)}"
    strange = whole.lacks(fact)
    return f"this fact is not in the response, which does not have {strange}" if strange else ""


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
