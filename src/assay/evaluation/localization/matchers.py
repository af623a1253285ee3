"""Matchers of predicted and gold errors.

`OfflineMatcher` goes by the words that they mark and use; `LlmMatcher` asks a model which gold
error each prediction is about.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, islice, product
from pathlib import Path
from string import ascii_uppercase

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.units import RESPONSE, Unit
from assay.core.verdicts import Failure
from assay.detectors.judges.judging import PromptTexts, ReplyFormat
from assay.detectors.judges.options import load_prompt
from assay.evaluation.localization.changes import Wordings
from assay.evaluation.localization.inconsistencies import Inconsistency, shared_characters
from assay.evaluation.localization.matching import Matches
from assay.llm.client import CallError, ModelClient
from assay.llm.fences import Fences
from assay.llm.prompts import Prompt
from assay.llm.replies.forms import ReplyForm, entry_of, read_map
from assay.llm.replies.texts import UnreadableError

SAME_PLACE = 0.5  # shared characters / characters of either, from which the place alone decides
WORDING = 0.12  # similarity of wording; fitted, see docs/localization.md
APART = 0.45  # the same for what is known to be about other words of the response; fitted as well


@dataclass(frozen=True, slots=True)
class OfflineMatcher:
    """Compares every account of a gold error with the prediction; needs no model and no key.

    Both mark words: the same words are the same error; if they share some, or none, the wording
    must agree as well, for none far more. One marks nothing: its description is compared with the
    description and the marked words of the other. A prediction without a description of its own,
    such as an unfaithful sentence, is too vague for anything but the same words.
    """

    wording: float = WORDING
    apart: float = APART
    name: str = "offline"
    concurrency: int = 1

    async def match(
        self,
        gold: Sequence[Inconsistency],
        predicted: Sequence[Inconsistency],
        example: Example,
    ) -> Matches:
        """An entry for each prediction; greedily, the most alike are paired first, one to one.

        A prediction left over that is like a gold error already taken repeats it, and is matched
        with it too. Of equals the earlier prediction, then the earlier gold error, comes first.
        """
        wordings = Wordings(example.response.text, example.language)
        pairs = sorted(  # the most alike first
            (-likeness, place, number)
            for place, one in enumerate(predicted)
            for number, error in enumerate(gold)
            if (likeness := max(self._likeness(one, each, wordings) for each in error.accounts))
        )
        matches: dict[int, int] = {}
        for _, place, number in pairs:
            if place not in matches and number not in matches.values():
                matches[place] = number
        for _, place, number in pairs:
            matches.setdefault(place, number)
        return tuple(matches.get(place) for place in range(len(predicted)))

    def _likeness(self, predicted: Inconsistency, other: Unit, wordings: Wordings) -> float:
        """The likeness of a prediction and an account of a gold error; 0 if they differ."""
        one = predicted.unit
        shared, own, theirs = (
            shared_characters(*pair) for pair in ((one, other), (one, one), (other, other))
        )
        place = shared / (own + theirs - shared or 1)
        if place >= SAME_PLACE:
            return place + wordings.similarity(one.text, other.text)
        if predicted.is_made:
            return 0.0
        if not (one.spans and other.spans):
            alike = wordings.similarity(_with_words(one), _with_words(other))
            return alike if alike >= self.wording else 0.0
        shorter, longer = (other, one) if theirs < own else (one, other)
        alike = wordings.similarity(_with_words(shorter) if place else shorter.text, longer.text)
        return place + alike if alike >= (self.wording if place else self.apart) else 0.0


def _with_words(unit: Unit) -> str:
    """The description, and the marked words if there are any."""
    return " ; ".join((unit.text, *(span.text for span in unit.spans)))


_FOLDER = Path(__file__).parent / "prompts"


def matcher_prompt(file: str = "") -> Prompt:
    """Our prompt, or the user's in its place; its reply ends in a map of letters."""
    needs = ("gold", "predicted")
    prompt = load_prompt("match-inconsistencies", file, needs=needs, folder=_FOLDER, forms=None)
    if prompt.form.kind != "map":
        raise InputError(
            f"{file}: a matcher replies with the letter of a gold error for each prediction; the "
            "header needs 'reply: map'",
            field="matcher_prompt",
        )
    return prompt


@dataclass(frozen=True, slots=True)
class LlmMatcher:
    """Asks once about all predictions of a response, unless there is nothing to match."""

    client: ModelClient
    prompt: Prompt = field(default_factory=matcher_prompt)

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
        one, other = (tuple(letters_for(len(each))) for each in (gold, predicted))
        wanted = _matches_format(one, other, self.prompt.form)
        try:
            letters = {"gold_letters": ", ".join(one), "predicted_letters": ", ".join(other)}
            return (await texts.ask(self.client, self.prompt, wanted, **letters)).value
        except CallError as error:
            return Failure(RESPONSE, error.reason, error.detail, error.raw)


def _matches_format(
    gold: Sequence[str], predicted: Sequence[str], form: ReplyForm
) -> ReplyFormat[Matches]:
    """A reply that ends in a map: for each letter of the predictions one of the gold, or null."""

    def read(reply: str, fences: Fences) -> Matches:
        found = read_map(reply, form, predicted, fences)
        return tuple(_place(found[letter], gold) for letter in predicted)

    example = json.dumps(dict.fromkeys(predicted))
    return ReplyFormat(
        read, f"None of them is about the same detail.\n{example}", units=len(predicted)
    )


def _place(letter: str | None, gold: Sequence[str]) -> int | None:
    if letter is None:
        return None
    spelt = entry_of(letter, gold)
    if spelt is None:
        raise UnreadableError(
            f"GOLD has no entry {letter!r}",
            wanted="End with the JSON object; its values are letters of GOLD, or null.",
            reason="off_menu",
        )
    return gold.index(spelt)


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
