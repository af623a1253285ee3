"""`overlap`: the lexical floor. It counts words, understands nothing, and says what it counted.

A sentence's score is a logistic function of three counts: the share of its content words that are
in the three source passages nearest to it, and how many of its numbers and dates, and of its
names, the source does not have at all. `benchmarks/overlap.py` fits the weights and measures them.
It leaves open whether the source contradicts a sentence: on real data, word counts cannot tell.
"""

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from assay.core.decision import Answers, Decision, decide
from assay.core.examples import Example, Judgement
from assay.core.labels import Taxonomy
from assay.core.spans import Span
from assay.core.taxonomies import GRAY7
from assay.core.units import Unit, UnitKind
from assay.core.verdicts import Verdict
from assay.detectors.units import sentence_units
from assay.text.evidence import SourceIndex
from assay.text.mentions import find_mentions
from assay.text.words import content_words, terms

# Fitted on half of the sources of RAGTruth, with faithful and unfaithful sentences weighted alike.
INTERCEPT, COVERAGE, MISSING_FIGURE, MISSING_NAME = -1.290, 2.608, -0.766, -0.605
ENTAILED_FROM = 0.5
PASSAGES = 3

_INTERJECTION = re.compile(
    r"^\W*(?:(?:sure|certainly|of course|okay|thanks|thank you|hello|hi|yes|no)\b"
    r"(?! enough| to|-)\W*)+",
    re.IGNORECASE,
)
# What talks to the reader and states nothing, unless there is a figure in it: offers, refusals,
# lead-ins with nothing behind them, whatever ends in a colon, and questions.
_TALK = re.compile(
    r"^\W*(?:(?:please )?(?:let me know|feel free)\b"
    r"|i hope (?:this|that|it) (?:helps?|answers|is|was)\b"
    r"|(?:i ?['’]?a?m )?sorry\b"
    r"|i (?:can ?not|can['’]t|could not|couldn['’]t|am unable to|do not know|don['’]t know)\b"
    r"|(?:here|below|the following)(?: is| are|['’]s)\b[^:]*"
    r"\b(?:answer|breakdown|description|details|explanation|information|key|list|overview|points"
    r"|response|summary|version)\b[^:]*[:.!]?\W*$)"
    r"|[:?]\W*$",
    re.IGNORECASE,
)
# A heading: marked as one, all in bold, or one of the usual words alone.
_HEADING = re.compile(
    r"^\s*(?:#{1,6}\s.*|(\*\*|__).*\1"
    r"|(?:key |main |final )?(?:answer|background|conclusions?|details|highlights|introduction"
    r"|notes?|overview|points|response|summary|takeaways))\s*$",
    re.IGNORECASE,
)
_ENDS = re.compile(r"[.!?…。！？][\"”’»)\]*_]*\s*$")
# Languages that write every noun with a capital, so that a capital does not make a name.
_CAPITAL_NOUNS = ("de", "lb")


@dataclass(frozen=True, slots=True)
class Overlap:
    """What a sentence shares with its source."""

    words: tuple[str, ...]
    figures: int
    missing_words: tuple[str, ...]
    missing_figures: tuple[str, ...]
    missing_names: tuple[str, ...]
    evidence: tuple[Span, ...]

    @property
    def missing(self) -> tuple[str, ...]:
        """Everything that was looked for and not found."""
        return (*self.missing_words, *self.missing_figures, *self.missing_names)

    @property
    def coverage(self) -> float:
        """The share of the content words that the nearest passages have."""
        return 1 - len(self.missing_words) / len(self.words) if self.words else 0.0

    @property
    def score(self) -> float:
        """The probability of being faithful, were both kinds of sentence equally frequent."""
        weight = (
            INTERCEPT
            + COVERAGE * self.coverage
            + MISSING_FIGURE * len(self.missing_figures)
            + MISSING_NAME * len(self.missing_names)
        )
        return (1 + math.tanh(weight / 2)) / 2  # the logistic function, without its overflow


class OverlapDetector:
    """Judges sentences by the words they share with the source."""

    name = "overlap"
    unit_kind: UnitKind = "sentence"
    taxonomy: Taxonomy = GRAY7

    def detect(self, examples: Iterable[Example]) -> Iterator[Judgement]:
        """Judges each example as it comes."""
        for example in examples:
            index = SourceIndex(example.source, example.language)
            outcomes = tuple(self._judge(unit, index) for unit in sentence_units(example))
            yield Judgement(example, outcomes, characters_read=len(example.source.text))

    def _judge(self, unit: Unit, index: SourceIndex) -> Verdict:
        found = compare(unit.text, index)
        answers = _answers(unit.text, found)
        decision = decide(answers)
        states_fact = answers.states_fact is True
        return Verdict(
            unit,
            decision.label,
            score=round(found.score, 4) if states_fact else None,
            confidence=round(max(found.score, 1 - found.score), 4) if states_fact else None,
            note=_note(found, decision) if states_fact else "It states nothing to check.",
            evidence=found.evidence if states_fact else (),
            answers=answers,
        )


def compare(sentence: str, index: SourceIndex) -> Overlap:
    """Counts what a sentence shares with its source."""
    ranked = index.rank(sentence, PASSAGES)
    nearby = {term for each in ranked for term in each.terms}
    words = tuple(content_words(sentence, index.language))
    mentions = find_mentions(sentence)
    absent = [mention for mention in mentions if mention.key not in index.mentions]
    # A figure that the source writes in another way (`five`, `5`) is not a missing word.
    known = {
        word
        for mention in mentions
        if mention.kind != "name" and mention.key in index.mentions
        for word, _ in content_words(sentence[mention.start : mention.end], index.language)
    }
    names = [m for m in absent if m.kind == "name" and index.language not in _CAPITAL_NOUNS]
    return Overlap(
        words=tuple(word for word, _ in words),
        figures=sum(mention.kind != "name" for mention in mentions),
        missing_words=tuple(w for w, term in words if term not in nearby and w not in known),
        missing_figures=tuple(sentence[m.start : m.end] for m in absent if m.kind != "name"),
        missing_names=tuple(sentence[m.start : m.end] for m in names),
        evidence=tuple(each.passage for each in ranked),
    )


def _answers(sentence: str, found: Overlap) -> Answers:
    if _states_nothing(sentence, found):
        return Answers(states_fact=False)
    entailed = found.score >= ENTAILED_FROM
    return Answers(
        states_fact=True,
        entailed=entailed,
        explicit=not found.missing if entailed else None,
    )


def _states_nothing(sentence: str, found: Overlap) -> bool:
    rest = _INTERJECTION.sub("", sentence)
    if not found.words or not terms(rest):
        return True
    is_heading = bool(_HEADING.match(sentence)) and not _ENDS.search(sentence)
    return not found.figures and (is_heading or bool(_TALK.search(rest)))


def _note(found: Overlap, decision: Decision) -> str:
    have = len(found.words) - len(found.missing_words)
    parts = [f"{have} of {len(found.words)} content words are in the nearest passages"]
    if found.missing_words:
        parts.append(f"missing: {_listing(found.missing_words)}")
    if found.missing_figures:
        parts.append(f"not in the source: {_listing(found.missing_figures)}")
    if decision.label.coarse != "faithful":
        parts.append("word counts cannot tell a contradiction, and outside knowledge was not asked")
    return "; ".join(parts) + "."


def _listing(words: tuple[str, ...], most: int = 5) -> str:
    shown = ", ".join(dict.fromkeys(words[:most]))
    return f"{shown} and {len(words) - most} more" if len(words) > most else shown
