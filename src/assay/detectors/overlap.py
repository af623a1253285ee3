"""`overlap`: the lexical floor. It counts words, understands nothing, and says what it counted.

A sentence's score is a logistic function of three counts: the share of its content words that are
in the three source passages nearest to it, and how many of its numbers and dates, and of its
names, the source does not have at all. `benchmarks/overlap.py` fits the weights and measures them.
It leaves open whether the source contradicts a sentence: on real data, word counts cannot tell.
"""

import math
from collections.abc import AsyncIterator, Iterable, Mapping

from assay import __version__
from assay.core.decision import Answers, Decision, decide
from assay.core.examples import Example
from assay.core.judgements import Author, Finding, Judgement
from assay.core.taxonomies import GRAY7
from assay.core.units import Unit
from assay.core.verdicts import Verdict
from assay.detectors.protocol import Capabilities, in_batches, judgement_of, no_fact
from assay.detectors.registry import DetectorType
from assay.text.evidence import RankedPassage, SourceIndex
from assay.text.sentences import sentence_units
from assay.text.statements import Alignment, align, states_nothing, why_nothing

# Fitted on half of the sources of RAGTruth, with faithful and unfaithful sentences weighted alike.
INTERCEPT, COVERAGE, MISSING_FIGURE, MISSING_NAME = -1.290, 2.608, -0.766, -0.605
ENTAILED_FROM = 0.5
PASSAGES = 3
MOST_SURE = 0.8  # confidence: a count of words is no proof, however many are missing


class OverlapDetector:
    """Judges sentences by the words they share with the source."""

    author = Author("overlap", version=__version__)
    capabilities = Capabilities("sentence", GRAY7, consults=True)
    prompt_digests: Mapping[str, str] = {}

    def judge(self, examples: Iterable[Example]) -> AsyncIterator[Judgement]:
        """Judges each example as it comes."""
        return in_batches(examples, lambda batch: map(self._judge, batch))

    def _judge(self, example: Example) -> Judgement:
        index = SourceIndex(example.source, example.language)
        findings = (Finding(unit, _judge(unit, index)) for unit in sentence_units(example))
        return judgement_of(example, self.author, findings)


OVERLAP = DetectorType(
    "the lexical floor: it counts shared words and understands nothing",
    OverlapDetector.capabilities,
    lambda parts: OverlapDetector(),
    takes_argument=False,
)


def compare(sentence: str, ranked: list[RankedPassage], index: SourceIndex) -> Alignment:
    """Compare a sentence's words with the nearest passages, and its figures with the source."""
    nearby = {term for each in ranked for term in each.terms}
    return align(sentence, nearby, index.mentions, index.language)


def score(found: Alignment) -> float:
    """The probability of being faithful, were both kinds of sentence equally frequent."""
    weight = (
        INTERCEPT
        + COVERAGE * found.coverage
        + MISSING_FIGURE * len(found.missing_figures)
        + MISSING_NAME * len(found.missing_names)
    )
    return (1 + math.tanh(weight / 2)) / 2  # the logistic function, without its overflow


def _judge(unit: Unit, index: SourceIndex) -> Verdict:
    if states_nothing(unit.text, index.language):
        return no_fact(unit.id, note=why_nothing(unit.text))
    ranked = index.rank(unit.text, PASSAGES)
    found = compare(unit.text, ranked, index)
    chance = score(found)
    entailed = chance >= ENTAILED_FROM
    explicit = not found.missing if entailed else None
    answers = Answers(states_fact=True, entailed=entailed, explicit=explicit)
    decision = decide(answers)
    return Verdict(
        unit.id,
        decision.label,
        score=round(chance, 4),
        confidence=round(min(max(chance, 1 - chance), MOST_SURE), 4),
        note=_note(found, decision),
        evidence=tuple(each.passage for each in ranked),
        answers=answers,
    )


def _note(found: Alignment, decision: Decision) -> str:
    have = len(found.words) - len(found.missing_words)
    parts = [f"{have} of {len(found.words)} content words are in the nearest passages"]
    if found.missing_words:
        parts.append(f"missing: {_listing(found.missing_words)}")
    if found.missing_figures:
        parts.append(f"not in the source: {_listing(found.missing_figures)}")
    if decision.label.coarse != "faithful":
        parts.append("word counts cannot tell a contradiction")
    return "; ".join(parts) + "."


def _listing(words: tuple[str, ...], most: int = 5) -> str:
    shown = ", ".join(dict.fromkeys(words[:most]))
    return f"{shown} and {len(words) - most} more" if len(words) > most else shown
