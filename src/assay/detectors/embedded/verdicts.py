"""From the probabilities that the embedded model gives a sentence to a verdict with its reason."""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.core.decision import Answers, decide
from assay.core.examples import Example
from assay.core.spans import Span
from assay.core.units import Unit
from assay.core.verdicts import Verdict
from assay.text.differences import align_with
from assay.text.statements import Alignment
from assay.text.words import words

ENTAILED_FROM = 0.5
MOST_WHERE_UNSURE = 0.5  # confidence
LONGEST_WORD = 40  # in a note


@dataclass(frozen=True, slots=True)
class Assessment:
    """What the model says of one sentence: probabilities, evidence, and how much it read."""

    entailed: float
    neutral: float
    contradicted: float
    evidence: tuple[Span, ...]
    characters_read: int


def verdict_on(unit: Unit, found: Assessment, example: Example) -> Verdict:
    """The verdict that the model's probabilities lead to."""
    entailed = found.entailed >= ENTAILED_FROM
    contradicted = found.contradicted > found.neutral
    passages = [span.text for span in found.evidence]
    aligned = align_with(unit.text, passages, example.language)
    answers = Answers(
        states_fact=True,
        entailed=entailed,
        explicit=not aligned.missing if entailed else None,
        contradicted=None if entailed else contradicted,
    )
    return Verdict(
        unit.id,
        decide(answers).label,
        score=round(found.entailed, 4),
        confidence=round(_confidence(unit, found, answers, example), 4),
        note=_note(answers, aligned, found, example),
        evidence=found.evidence,
        answers=answers,
    )


def _confidence(unit: Unit, found: Assessment, answers: Answers, example: Example) -> float:
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


def _note(answers: Answers, aligned: Alignment, found: Assessment, example: Example) -> str:
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
    total = len(example.source.text)
    if found.characters_read < total:
        said += f" Read {found.characters_read:,} of {total:,} characters, those nearest to it."
    return said


def _listing(missing: Sequence[str], most: int = 5) -> str:
    """The first few words, without those that are part of another one (`4` of `4 million`)."""
    kept = [w for w in missing if not any(w != other and w in other.split() for other in missing)]
    shown = ", ".join(dict.fromkeys(word[:LONGEST_WORD] for word in kept[:most]))
    return f"{shown} and {len(kept) - most} more" if len(kept) > most else shown
