"""`LlmMatcher`: a model says which gold error each prediction is about."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, islice, product
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from assay.core.examples import Example
from assay.core.units import RESPONSE
from assay.core.verdicts import Failure
from assay.detectors.judges.judging import PromptTexts, ReplyFormat
from assay.detectors.judges.opinions import wanting
from assay.evaluation.localization.inconsistencies import Inconsistency
from assay.evaluation.localization.matching import Matches
from assay.llm.client import CallError, Client
from assay.llm.prompts import Fences, Prompt, read_prompt
from assay.llm.replies import UnreadableError
from assay.llm.schemas import Schema, array_of, object_of, object_with, one_of, read_json, text

_PROMPT = Path(__file__).parent / "prompts" / "match-inconsistencies.md"
NOTHING = "none"


@dataclass(frozen=True, slots=True)
class LlmMatcher:
    """Asks once about all predictions of a response; where there is nothing to match, nobody."""

    client: Client
    prompt: Prompt = field(default_factory=lambda: read_prompt(_PROMPT))

    @property
    def name(self) -> str:
        """The model that matches."""
        return f"llm {self.client.model}"

    @property
    def concurrency(self) -> int:
        """As many as the client answers calls."""
        return self.client.concurrency

    async def match(
        self,
        gold: Sequence[Inconsistency],
        predicted: Sequence[Inconsistency],
        example: Example,
    ) -> Matches | Failure:
        """An entry for each prediction; a second reply that cannot be used is a failure."""
        if not gold or not predicted:
            return (None,) * len(predicted)
        lists = {"gold": _lines(map(_with_words, gold)), "predicted": _lines(map(_said, predicted))}
        letters = _Letters(tuple(letters_for(len(gold))), tuple(letters_for(len(predicted))))
        try:
            answer = await PromptTexts(example, **lists).ask(
                self.client, self.prompt, letters.reply_format
            )
        except CallError as error:
            return Failure(RESPONSE, error.reason, error.detail, error.raw)
        return answer.value


@dataclass(frozen=True, slots=True)
class _Letters:
    """The letters of both lists; a reply names each of the second once, with one of the first."""

    gold: tuple[str, ...]
    predicted: tuple[str, ...]

    @property
    def reply_format(self) -> ReplyFormat[Matches]:
        """An entry for each prediction."""
        entries = [{"predicted": each, "detail": "", "gold": NOTHING} for each in self.predicted]
        example = json.dumps({"matches": entries})
        return ReplyFormat(self._read, example, self._schema, units=len(self.predicted))

    @property
    def _schema(self) -> Schema:
        gold = one_of((*self.gold, NOTHING))
        entry = object_of(predicted=one_of(self.predicted), detail=text(), gold=gold)
        return object_of(matches=array_of(entry))

    def _read(self, reply: str, fences: Fences) -> Matches:
        try:
            least = object_with(predicted=one_of(self.predicted), gold={})
            wanted = object_with(matches=array_of(least))
            entries: list[Mapping[str, Any]] = read_json(reply, wanted, fences)["matches"]
            return self._matches(entries)
        except UnreadableError as problem:
            raise wanting(self._schema, problem) from None

    def _matches(self, entries: Sequence[Mapping[str, Any]]) -> Matches:
        times = Counter(entry["predicted"] for entry in entries)
        for letter in self.predicted:
            if times[letter] != 1:
                raise UnreadableError(f"PREDICTED {letter} has {times[letter]} entries, not one")
        found = {entry["predicted"]: self._place(entry["gold"]) for entry in entries}
        return tuple(found[letter] for letter in self.predicted)

    def _place(self, letter: object) -> int | None:
        given = letter.strip() if isinstance(letter, str) else letter
        if given is None or str(given).casefold() in (NOTHING, "null", ""):
            return None
        if given not in self.gold:
            raise UnreadableError(f"GOLD has no entry {given!r}", reason="off_menu")
        return self.gold.index(str(given))


def letters_for(entries: int) -> Iterator[str]:
    """A, B, ..., Z, AA, AB and so on.

    >>> list(letters_for(28))[-3:]
    ['Z', 'AA', 'AB']
    """
    words = (word for size in count(1) for word in product(ascii_uppercase, repeat=size))
    return islice(map("".join, words), entries)


def _lines(entries: Iterator[str]) -> str:
    """Entries as the model sees them: each on a line of its own, whatever it contains."""
    given = [" ".join(entry.split()) for entry in entries]
    pairs = zip(letters_for(len(given)), given, strict=True)
    return "\n".join(f"{letter}. {entry}" for letter, entry in pairs)


def _with_words(error: Inconsistency) -> str:
    """A gold error: annotators' notes often make sense only beside the words that they marked."""
    if error.is_made or not error.unit.spans:
        return error.description
    words = " ... ".join(span.text for span in error.unit.spans)
    return f'About "{words}": {error.description}'


def _said(prediction: Inconsistency) -> str:
    return prediction.description
