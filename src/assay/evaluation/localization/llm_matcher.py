"""`LlmMatcher`: a model says which gold error each prediction is about."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, islice, product
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from assay.core.examples import Example
from assay.core.units import RESPONSE
from assay.core.verdicts import Failure
from assay.detectors.judges.judging import PromptTexts, ReplyFormat
from assay.evaluation.localization.inconsistencies import Inconsistency
from assay.evaluation.localization.matching import Matches
from assay.llm.client import CallError, Client
from assay.llm.fences import Fences
from assay.llm.prompts import Prompt, read_prompt
from assay.llm.replies import UnreadableError
from assay.llm.schemas import array_of, object_of, object_with, one_of, read_json, text

_PROMPT = Path(__file__).parent / "prompts" / "match-inconsistencies.md"
NOTHING = "none"


@dataclass(frozen=True, slots=True)
class LlmMatcher:
    """Asks once about all predictions of a response, unless there is nothing to match."""

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
        texts = PromptTexts(
            example,
            gold=_lines(map(_shown, gold)),
            predicted=_lines(each.description for each in predicted),
        )
        wanted = _matches_format(*(tuple(letters_for(len(each))) for each in (gold, predicted)))
        try:
            return (await texts.ask(self.client, self.prompt, wanted)).value
        except CallError as error:
            return Failure(RESPONSE, error.reason, error.detail, error.raw)


def _matches_format(gold: Sequence[str], predicted: Sequence[str]) -> ReplyFormat[Matches]:
    """A reply that names each letter of the predictions once, with a letter of the gold or none."""
    entry = object_of(predicted=one_of(predicted), detail=text(), gold=one_of((*gold, NOTHING)))
    schema = object_of(matches=array_of(entry))
    least = object_with(predicted=one_of(predicted), gold={})

    def read(reply: str, fences: Fences) -> Matches:
        entries: list[dict[str, Any]]
        entries = read_json(reply, object_with(matches=array_of(least)), fences)["matches"]
        times = Counter(entry["predicted"] for entry in entries)
        for letter in predicted:
            if times[letter] != 1:
                raise UnreadableError(f"PREDICTED {letter} has {times[letter]} entries, not one")
        found = {entry["predicted"]: _place(entry["gold"], gold) for entry in entries}
        return tuple(found[letter] for letter in predicted)

    example = [{"predicted": each, "detail": "", "gold": NOTHING} for each in predicted]
    return ReplyFormat(read, json.dumps({"matches": example}), schema, units=len(predicted))


def _place(letter: object, gold: Sequence[str]) -> int | None:
    given = letter.strip() if isinstance(letter, str) else letter
    if given is None or str(given).casefold() in (NOTHING, "null", ""):
        return None
    if given not in gold:
        raise UnreadableError(f"GOLD has no entry {given!r}", reason="off_menu")
    return gold.index(str(given))


def letters_for(entries: int) -> Iterator[str]:
    """A, B, ..., Z, AA, AB and so on.

    >>> list(letters_for(28))[-3:]
    ['Z', 'AA', 'AB']
    """
    words = (word for size in count(1) for word in product(ascii_uppercase, repeat=size))
    return islice(map("".join, words), entries)


def _lines(entries: Iterable[str]) -> str:
    """Entries as the model sees them: each on a line of its own, whatever it contains."""
    given = [" ".join(entry.split()) for entry in entries]
    pairs = zip(letters_for(len(given)), given, strict=True)
    return "\n".join(f"{letter}. {entry}" for letter, entry in pairs)


def _shown(error: Inconsistency) -> str:
    """A gold error: annotators' notes often make sense only beside the words that they marked."""
    if error.is_made or not error.unit.spans:
        return error.description
    words = " ... ".join(span.text for span in error.unit.spans)
    return f'About "{words}": {error.description}'
