"""`lettuce`: LettuceDetect's token classifiers, which mark words that a source does not bear out.

The whole response is read with its source and question. The score is 1 less the probability of the
worst token of a unit; marks are runs of tokens with a probability above one half, as in the package
lettucedetect 0.2.3. Passages that do not fit together are read in groups, of which the worst
counts. A single passage that does not fit is cut off, and the result says how much was read.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import torch
from torch import Tensor

from assay.core.errors import InputError, UnknownNameError
from assay.core.verdicts import Failure
from assay.detectors.local import LocalOptions
from assay.detectors.published.chunks import pack
from assay.detectors.published.kinds import ModelChoice
from assay.detectors.published.lettuce_prompts import (
    FilledPrompt,
    PromptTemplate,
    prompts_name,
    templates,
)
from assay.detectors.published.networks import TextNetwork, load_network
from assay.detectors.published.pairs import window_of
from assay.detectors.published.scores import Claim, Place, Scored

_WINDOW = 4096  # tokens, as in the package
_SPECIAL = 3  # tokens around prompt and answer
_CODES = {
    "Chinese": "zh",
    "English": "en",
    "French": "fr",
    "German": "de",
    "Italian": "it",
    "Polish": "pl",
    "Spanish": "es",
}
_TOO_LONG = Failure("", "too_long", "The response alone is longer than the model reads.")


@dataclass(frozen=True, slots=True)
class _Answer:
    """A text that is read at once, with all that it is read with."""

    text: str
    passages: tuple[str, ...]
    question: str
    language: str


@dataclass(frozen=True, slots=True)
class _Row:
    """A prompt and an answer in tokens: which are the answer's, and what was left out."""

    row: Mapping[str, list[int]]
    numbers: list[int]
    places: list[Place]
    unread: int


@dataclass(frozen=True, slots=True)
class MarkedAnswer:
    """The tokens of an answer with their probabilities of not being borne out.

    `parts` is in how many parts the source was read, and `unread` how many characters were not.
    """

    places: list[Place]
    chances: list[float]
    parts: int
    unread: int

    def between(self, start: int, end: int) -> "MarkedAnswer":
        """The tokens that stand in a part of the answer, with places in that part."""
        tokens = zip(self.places, self.chances, strict=True)
        own = [(place, chance) for place, chance in tokens if place[0] < end and place[1] > start]
        places = [(max(first, start) - start, min(last, end) - start) for (first, last), _ in own]
        return replace(self, places=places, chances=[chance for _, chance in own])

    def spans(self) -> Iterator[Place]:
        """Runs of tokens that are more probably not borne out than borne out."""
        tokens = zip(self.places, self.chances, strict=True)
        for is_marked, run in groupby(tokens, key=lambda token: token[1] > 0.5):
            if is_marked:
                places = [place for place, _ in run]
                yield places[0][0], places[-1][1]


@dataclass(frozen=True, slots=True, eq=False)
class WordMarker:
    """The method with one of its networks; without a language, that of the example counts."""

    name: str
    version: str
    network: TextNetwork
    window: int = _WINDOW
    language: str = ""
    threshold: float = 0.5

    def score(self, claims: Sequence[Claim]) -> list[Scored | Failure]:
        """The scores and marks of some claims; a response is read once for all of its sentences."""
        return [
            _scored(claim, marked) if marked else _TOO_LONG
            for claim, marked in zip(claims, self.marked(claims), strict=True)
        ]

    def marked(self, claims: Sequence[Claim]) -> list[MarkedAnswer | None]:
        """The responses of some claims with their probabilities; None for one that is too long."""
        answers = [self._answer(claim) for claim in claims]
        rows = {answer: list(self._rows(answer)) for answer in dict.fromkeys(answers)}
        flat = [each for own in rows.values() for each in own]
        chances = iter(self.network.run([each.row for each in flat], _chances))
        found = {answer: _merge(own, [next(chances) for _ in own]) for answer, own in rows.items()}
        return [found[answer] for answer in answers]

    def _answer(self, claim: Claim) -> _Answer:
        places = claim.passages or ((0, len(claim.source)),)
        language = self.language or (claim.language if claim.language in templates() else "en")
        return _Answer(
            claim.text if claim.place is None else claim.response,
            tuple(claim.source[start:end] for start, end in places),
            claim.question,
            language,
        )

    def _rows(self, answer: _Answer) -> Iterator[_Row]:
        """The source in as few parts as the network needs; none if the answer alone is too long."""
        template = templates()[answer.language]
        whole = template.fill(answer.passages, answer.question)
        row = self._row(whole, answer)
        own = sum(each == 1 for each in row.sequence_ids())
        room = self.window - own - _SPECIAL
        if sum(each == 0 for each in row.sequence_ids()) <= room:
            yield _read(row, whole)
        elif room > 0:
            for passages in self._groups(template, answer, room):
                prompt = template.fill(passages, answer.question)
                yield _read(self._row(prompt, answer, self.window), prompt)

    def _groups(
        self, template: PromptTemplate, answer: _Answer, room: int
    ) -> Iterator[Sequence[str]]:
        """Neighbouring passages that fit together; all of them if none fits."""
        room -= self._length(template.fill([""], answer.question).text)
        if room <= 0:
            return iter([answer.passages])
        lines = [template.line(n, each) for n, each in enumerate(answer.passages, start=1)]
        lengths = [self._length(line) + 1 for line in lines]  # with the line break before it
        numbers = [(n, n + 1) for n in range(len(lines))]
        groups = pack(numbers, lengths, room + 1)  # no line break before the first
        return (answer.passages[group[0][0] : group[-1][1]] for group in groups)

    def _length(self, text: str) -> int:
        return len(self.network.tokenizer(text, add_special_tokens=False)["input_ids"])

    def _row(self, prompt: FilledPrompt, answer: _Answer, window: int | None = None) -> Any:
        cut = {"truncation": "only_first", "max_length": window} if window else {}
        return self.network.tokenizer(prompt.text, answer.text, return_offsets_mapping=True, **cut)


def _read(row: Any, prompt: FilledPrompt) -> _Row:
    """The tokens of the answer that stand for something, and what of the passages is missing."""
    sides, places = row.sequence_ids(), row["offset_mapping"]
    numbers = [n for n, side in enumerate(sides) if side == 1 and places[n][0] < places[n][1]]
    end = max((places[n][1] for n, side in enumerate(sides) if side == 0), default=0)
    return _Row(
        {name: row[name] for name in ("input_ids", "attention_mask")},
        numbers,
        [places[n] for n in numbers],
        prompt.unread(end),
    )


def _chances(model: Any, batch: Mapping[str, Tensor]) -> Tensor:
    """The probability of each token of not being borne out."""
    return torch.softmax(model(**batch).logits.float(), dim=-1)[..., 1]


def _merge(rows: Sequence[_Row], chances: Sequence[Tensor]) -> MarkedAnswer | None:
    """The tokens of an answer; of several readings, the worst counts."""
    if not rows:
        return None
    own = [found[row.numbers].tolist() for row, found in zip(rows, chances, strict=True)]
    worst = [max(each) for each in zip(*own, strict=True)]
    return MarkedAnswer(rows[0].places, worst, len(rows), sum(row.unread for row in rows))


def _scored(claim: Claim, answer: MarkedAnswer) -> Scored:
    own = answer.between(*(claim.place or (0, len(claim.text))))
    worst = max(own.chances, default=0.0)
    parts = f" The source was read in {answer.parts} parts." if answer.parts > 1 else ""
    return Scored(
        1 - worst,
        marks=tuple(own.spans()),
        note=f"The worst word is not borne out with a probability of {worst:.2f}.{parts}",
        read=len(claim.source) - answer.unread if answer.unread else None,
    )


def open_lettuce(choice: ModelChoice, local: LocalOptions) -> WordMarker:
    """The method with a token classifier of two classes."""
    language = choice["language"] or (
        _CODES.get(choice.known.languages, "") if choice.known else ""
    )
    if language and language not in templates():
        raise UnknownNameError("language of lettuce", language, templates(), field="detector")
    network = load_network(choice.folder(), "tokens", local)
    if network.model.config.num_labels != 2:
        raise InputError(
            f"{choice.name} has {network.model.config.num_labels} classes; LettuceDetect has 2",
            field="detector",
            code="checkpoint",
        )
    network.tokenizer.padding_side = "right"  # places are counted from the left
    window = _window(choice["length"], window_of(network))
    parts = (choice.folder().digest, str(window), language, prompts_name())
    version = " ".join(filter(None, parts))
    return WordMarker(choice.name, version, network, window, language)


def _window(given: str, most: int) -> int:
    if not given:
        return min(_WINDOW, most)
    if not (given.isascii() and given.isdigit() and 1 <= int(given[:9]) <= most):
        raise InputError(
            f"lettuce: length is a number of tokens up to {most:,}, not '{given}'",
            field="detector",
        )
    return int(given)
