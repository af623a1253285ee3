"""`embedded`: the model that comes with the package. It needs no key, no network and no GPU.

A small entailment model reads the source and all sentences of a response in one pass and says of
each whether the source entails it, contradicts it or neither. The decision tree turns that into a
label: what every word of the evidence bears out is explicit. Whether a sentence has several
readings, and whether outside knowledge would support it, is not asked and stays open.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from assay.core.decision import NOT_CONSULTED, Answers, decide
from assay.core.examples import Example, Judgement
from assay.core.labels import Taxonomy
from assay.core.spans import Span
from assay.core.taxonomies import GRAY7
from assay.core.units import Unit, UnitKind
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.detectors.embedded.evidence import Pointer, strongest
from assay.detectors.embedded.network import Result
from assay.detectors.embedded.packing import Matrix
from assay.detectors.embedded.reading import Reading, SourceReader
from assay.detectors.embedded.weights import CARD, SHIPPED, load_model
from assay.detectors.units import sentence_units
from assay.text.languages import is_english, other_language
from assay.text.mentions import find_mentions
from assay.text.statements import Alignment, align, states_nothing
from assay.text.words import terms, words

BATCH = 8  # examples
ENTAILED_FROM = 0.5
PASSAGES = 3
MOST_WHERE_UNSURE = 0.5  # confidence
LONGEST_WORD = 40  # in a note
LEAST_SHARE = 0.15  # of the first passage's weight, for a further one to be evidence


@dataclass(frozen=True, slots=True)
class Finding:
    """What the model found for one sentence: probabilities, evidence, and how much it read."""

    entailed: float
    neutral: float
    contradicted: float
    evidence: tuple[Span, ...]
    characters_read: int


class EmbeddedDetector:
    """Judges sentences with the embedded model; `folder` is another model of the same form."""

    name = "embedded"
    unit_kind: UnitKind = "sentence"
    taxonomy: Taxonomy = GRAY7

    def __init__(self, folder: str = "") -> None:
        model = load_model(Path(folder).resolve() if folder else SHIPPED)
        try:
            self._calibration = Calibration(**model.card["calibration"])
            heads = [(int(a), int(b), float(c)) for a, b, c in model.card["evidence"]["heads"]]
        except (KeyError, TypeError, ValueError):
            raise model.damaged(CARD) from None
        self._pointer = Pointer(tuple(heads))
        self._tokenizer, self._network = model.tokenizer, model.network

    def detect(self, examples: Iterable[Example]) -> Iterator[Judgement]:
        """Judges one example first, then more at a time, so that every core has one to read."""
        stream, size = iter(examples), 1
        while batch := [self._plan(example) for example in islice(stream, size)]:
            size = min(2 * size, BATCH)
            rows = [reading.row for plan in batch for reading in plan.readings]
            results = iter(self._network.forward_all(rows, self._pointer.layers))
            for plan in batch:
                yield self._judge(plan, results)

    def _plan(self, example: Example) -> "Plan":
        units = sentence_units(example)
        foreign = _foreign(example, units)
        facts = [
            unit
            for unit in units
            if unit not in foreign and not states_nothing(unit.text, example.language)
        ]
        if not facts:
            return Plan(example, units, foreign)
        reader = SourceReader(example.source, self._tokenizer, example.language)
        readings = list(reader.read(example.question, [unit.text for unit in facts]))
        return Plan(example, units, foreign, facts, reader, readings)

    def _judge(self, plan: "Plan", results: Iterator[Result]) -> Judgement:
        found = self._findings(plan, results)
        outcomes = tuple(_outcome(unit, plan, found.get(unit)) for unit in plan.units)
        read = [finding.characters_read for finding in found.values()]
        nothing = 0 if plan.foreign else len(plan.example.source.text)
        return Judgement(plan.example, outcomes, min(read, default=nothing))

    def _findings(self, plan: "Plan", results: Iterator[Result]) -> dict[Unit, Finding]:
        """What the model finds for each unit; of one read in pieces, for the worst of them."""
        found: dict[Unit, Finding] = {}
        for reading, result in zip(plan.readings, results, strict=False):
            units = [plan.facts[number] for number in reading.sentences]
            for unit, piece in zip(units, self._read(plan, reading, result), strict=True):
                if unit not in found or piece.entailed < found[unit].entailed:
                    found[unit] = piece
        return found

    def _read(self, plan: "Plan", reading: Reading, result: Result) -> Iterator[Finding]:
        """What the model finds at each mark."""
        assert plan.reader is not None
        passages, parts = plan.reader.passages_in(reading)
        weights = self._pointer.weigh(result.attention, parts)
        read = plan.reader.characters_in(reading)
        for logits, weight in zip(result.logits, weights, strict=True):
            chosen = strongest(weight, PASSAGES, LEAST_SHARE)
            evidence = tuple(passages[number] for number in chosen)
            yield Finding(*self._calibration.chances(logits), evidence, read)


@dataclass(frozen=True, slots=True)
class Plan:
    """An example, its units, and the rows in which those that state facts are read."""

    example: Example
    units: tuple[Unit, ...]
    foreign: Mapping[Unit, str]  # units in languages that the model was not trained on
    facts: Sequence[Unit] = ()
    reader: SourceReader | None = None
    readings: Sequence[Reading] = ()


@dataclass(frozen=True, slots=True)
class Calibration:
    """How the logit of being entailed becomes a probability."""

    scale: float
    shift: float

    def chances(self, logits: Matrix) -> tuple[float, float, float]:
        """The probabilities of entailed, neutral and contradicted."""
        entailed, neutral, contradicted = map(float, logits)
        rest = float(np.logaddexp(neutral, contradicted))
        chance = _logistic(self.scale * (entailed - rest) + self.shift)
        against = _logistic(contradicted - neutral)
        return chance, (1 - chance) * (1 - against), (1 - chance) * against


def _logistic(value: float) -> float:
    return float((1 + np.tanh(value / 2)) / 2)


def _foreign(example: Example, units: Sequence[Unit]) -> dict[Unit, str]:
    """The units that are not in English, or whose source is not, with the language."""
    if example.language != "en":
        return dict.fromkeys(units, f"language '{example.language}'")
    if (language := other_language(example.source.text[:5_000])) is not None:
        return dict.fromkeys(units, language)
    whole = other_language(example.response.text)
    found = {}
    for unit in units:
        own = other_language(unit.text)
        if own is None and not is_english(unit.text):
            own = whole  # too short to tell: as the response
        if own is not None:
            found[unit] = own
    return found


def _outcome(unit: Unit, plan: "Plan", found: Finding | None) -> Outcome:
    if unit in plan.foreign:
        return _untrained(unit, plan.foreign[unit])
    return _no_fact(unit) if found is None else _verdict(unit, found, plan.example)


def _untrained(unit: Unit, language: str) -> Failure:
    return Failure(
        unit,
        "language",
        f"the text is in {language}, and the embedded model was trained on English only;"
        " --detector overlap can look at it",
    )


def _no_fact(unit: Unit) -> Verdict:
    answers = Answers(states_fact=False)
    return Verdict(unit, decide(answers).label, note="It states nothing to check.", answers=answers)


def _verdict(unit: Unit, found: Finding, example: Example) -> Verdict:
    entailed = found.entailed >= ENTAILED_FROM
    contradicted = found.contradicted > found.neutral
    aligned = _align(unit.text, found.evidence, example.language)
    answers = Answers(
        states_fact=True,
        entailed=entailed,
        explicit=not aligned.missing if entailed else None,
        contradicted=None if entailed else contradicted,
    )
    return Verdict(
        unit,
        decide(answers).label,
        score=round(found.entailed, 4),
        confidence=round(_confidence(unit, found, answers, example), 4),
        note=_note(answers, aligned, found, example),
        evidence=found.evidence,
        answers=answers,
    )


def _confidence(unit: Unit, found: Finding, answers: Answers, example: Example) -> float:
    """The chance of the label's class.

    It is at most one half of a single word, which says too little, and of what was not found in a
    source that was read in part.
    """
    if answers.entailed:
        chance = found.entailed
    else:
        chance = found.contradicted if answers.contradicted else found.neutral
    not_found = not answers.entailed and not answers.contradicted
    read_all = found.characters_read == len(example.source.text)
    is_unsure = len(words(unit.text)) < 2 or (not_found and not read_all)
    return min(chance, MOST_WHERE_UNSURE) if is_unsure else chance


def _align(sentence: str, evidence: Sequence[Span], language: str) -> Alignment:
    """What the evidence has of a sentence's words, names and figures."""
    nearby = {term for span in evidence for term in terms(span.text, language)}
    mentions = {key for span in evidence for each in find_mentions(span.text) for key in each.parts}
    return align(sentence, nearby, mentions, language)


def _note(answers: Answers, aligned: Alignment, found: Finding, example: Example) -> str:
    """The reason in words a reader can check."""
    missing = _listing(aligned.missing)
    if answers.explicit:
        said = "Every content word, name and number of it is in the evidence."
    elif answers.entailed:
        said = f"The source entails it in other words; not in the evidence as such: {missing}."
    elif answers.contradicted:
        said = "The source seems to say otherwise; compare the evidence."
    else:
        said = "The source does not say so."
        said += f" Not in the evidence: {missing}." if missing else ""
        said += f" {NOT_CONSULTED}"
    total = len(example.source.text)
    if found.characters_read < total:
        said += f" Read {found.characters_read:,} of {total:,} characters, those nearest to it."
    return said


def _listing(missing: Sequence[str], most: int = 5) -> str:
    """The first few words, without those that are part of another one (`4` of `4 million`)."""
    kept = [w for w in missing if not any(w != other and w in other.split() for other in missing)]
    shown = ", ".join(dict.fromkeys(word[:LONGEST_WORD] for word in kept[:most]))
    return f"{shown} and {len(kept) - most} more" if len(kept) > most else shown
