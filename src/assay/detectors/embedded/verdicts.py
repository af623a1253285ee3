"""From the probabilities that an entailment model gives a sentence to a verdict with its reason."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.core.decision import Answers, decide
from assay.core.examples import Example
from assay.core.texts import Span
from assay.core.units import Unit
from assay.core.verdicts import NO_ATTRIBUTES, NOT_SURE, Attributes, Verdict
from assay.detectors.embedded.calculating import Reckoned, reckon
from assay.detectors.embedded.calibration import Calibration
from assay.text.answers import answers_only, is_fragment
from assay.text.conflicts import find_conflict
from assay.text.differences import align_with
from assay.text.identification import Languages
from assay.text.languages import ENGLISH
from assay.text.words import words

MOST_WHERE_UNSURE = 0.5  # confidence
MOST_MARKS = 3  # in a note
MOST_MARKED = 0.8  # of a sentence, for its marks to single something out
GUESS = "Not sure: this model judges bare answers little better than by chance."
LONGEST = 40  # characters of a word, or of marked ones, in a note
_APOSTROPHE = re.compile("['’]")


@dataclass(frozen=True, slots=True)
class Assessment:
    """The model's opinion of one sentence: probabilities, evidence, and the share it read.

    `marks` are the words of the response that it would mark if the sentence is not faithful, and
    `conversions` says which of its values were read in the forms of the source.
    """

    entailed: float
    neutral: float
    contradicted: float
    evidence: tuple[Span, ...]
    characters_read: int
    marks: tuple[Span, ...] = ()
    conversions: str = ""
    is_doubted: bool = False  # whether something else than the model speaks against it


def verdict_on(
    unit: Unit,
    found: Assessment,
    example: Example,
    calibration: Calibration,
    *,
    languages: Languages,
    reads_answers: bool = True,
) -> Verdict:
    """The verdict that the model's probabilities lead to.

    Between different languages no words can be compared.

    What is supported is so explicitly only if the model is sure of it, it is a whole sentence, and
    one passage has every word of it as well: words alone prove nothing. A model that reads bare
    answers no better than by chance is never sure of one.
    """
    language, crosses = languages.units[unit], languages.differ(unit)
    reckoned = None if crosses else reckon(unit, example, found.entailed, calibration, language)
    if reckoned:
        found = _with_reckoned(found, reckoned)
    entailed = calibration.is_faithful(found.entailed)
    is_short = answers_only(unit.text, example.question, language)
    is_guess = is_short and not reads_answers
    unsure = is_guess or found.is_doubted or calibration.is_unsure(found.entailed)
    unsure = unsure or (reckoned is not None and not reckoned.is_sure)
    passages = [span.text for span in found.evidence]
    compares = not (is_short or crosses)
    missing = align_with(unit.text, passages, language).missing if compares else ()
    is_doubtful = crosses or missing or unsure or reckoned or is_fragment(unit.text, language)
    is_stated = not is_doubtful and any(
        not align_with(unit.text, [passage], language).missing for passage in passages
    )
    answers = Answers(
        states_fact=True,
        entailed=entailed,
        explicit=is_stated if entailed else None,
        contradicted=None if entailed else found.contradicted > found.neutral,
    )
    names_conflicts = language == ENGLISH and not crosses
    reason = LabelReason(
        unit, found, example, answers, missing, is_short, unsure, names_conflicts, reckoned
    )
    return Verdict(
        unit.id,
        decide(answers).label,
        score=round(found.entailed, 4),
        confidence=round(_confidence(reason), 4),
        note=f"{_doubt(is_guess, reckoned)} {reason}" if unsure else str(reason),
        evidence=found.evidence,
        answers=answers,
        attributes=Attributes(unsure=True) if unsure else NO_ATTRIBUTES,
        marks=found.marks if unsure or not entailed else (),
    )


@dataclass(frozen=True, slots=True)
class LabelReason:
    """The reason for a label, in words a reader can check."""

    unit: Unit
    found: Assessment
    example: Example
    answers: Answers
    missing: Sequence[str]  # from the evidence
    is_short: bool  # it says something only together with its question
    unsure: bool
    names_conflicts: bool  # whether both are English, whose opposites and negations are known
    reckoned: Reckoned | None = None

    def __str__(self) -> str:
        read, total = self.found.characters_read, len(self.example.source.text)
        part = f" Read {read:,} of {total:,} characters, those nearest to it."
        said = self._reckoned() or (self._short() if self.is_short else self._said())
        if self.found.conversions:
            said += f" {self.found.conversions}"
        return said + part if read < total else said

    def _reckoned(self) -> str:
        """The calculation, if the label follows from it."""
        reckoned = self.reckoned
        if reckoned is None or not reckoned.is_settled or reckoned.calculation.is_same:
            return ""
        is_right = reckoned.calculation.outcome == "right"
        return str(reckoned) if is_right == bool(self.answers.entailed) else ""

    def _short(self) -> str:
        if self.answers.entailed:
            return f"The source {self._seems('bears', 'bear')} out this answer to the question."
        if self.answers.contradicted:
            return "The source seems to answer the question otherwise; compare the evidence."
        return f"The source does not {self._seems('answer', 'answer')} the question so."

    def _said(self) -> str:
        if self.answers.explicit:
            return (
                "The source entails it, and one passage has every content word, name and number of"
                " it."
            )
        if self.answers.entailed:
            missing = _listing(self.missing)
            not_there = f" in other words; not in the evidence as such: {missing}"
            entails = self._seems("entails", "entail")
            return f"The source {entails} it{not_there if missing else ''}." + self._doubts()
        if self.answers.contradicted:
            return self._conflict()
        return self._unsaid()

    def _unsaid(self) -> str:
        if self._is_marked_whole or not self._marked:
            missing = _listing(self.missing)
            said = f"The source does not {self._seems('say', 'say')} so."
            return said + (f" Not in the evidence: {missing}." if missing else "")
        marked = _parts(" ".join(span.text for span in self.found.marks))
        missing = _listing([each for each in self.missing if not _parts(each) <= marked])
        said = f"The source does not {self._seems('bear', 'bear')} out {_quoted(self._marked)}."
        return said + (f" Also not in the evidence: {missing}." if missing else "")

    def _conflict(self) -> str:
        passages = [span.text for span in self.found.evidence]
        conflict = find_conflict(self.unit.text, passages) if self.names_conflicts else None
        if conflict:
            said = str(conflict)
            said = f"Perhaps a conflict: {said[0].lower()}{said[1:]}" if self.unsure else said
            return said + self._doubts(said)
        about = f" about {_quoted(self._marked)}" if self._marked else ""
        return f"The source seems to say otherwise{about}; compare the evidence."

    @property
    def _is_marked_whole(self) -> bool:
        """True if the marks single out nothing, since nearly all of the sentence is marked."""
        return sum(len(each.text) for each in self.found.marks) > MOST_MARKED * len(self.unit.text)

    @property
    def _marked(self) -> list[str]:
        """The first of the words that the verdict marks, as a reader sees them."""
        if self.answers.entailed and not self.unsure:
            return []
        marked = (_cut(" ".join(span.text.split())) for span in self.found.marks)
        return list(dict.fromkeys(marked))[:MOST_MARKS]

    def _doubts(self, said: str = "") -> str:
        """The marked words that a reason does not speak of, so that the two never disagree."""
        unsaid = [each for each in self._marked if each not in said]
        return f" In doubt: {_quoted(unsaid)}." if unsaid and not self._is_marked_whole else ""

    def _seems(self, sure: str, plain: str) -> str:
        """A verb, or that it only seems so."""
        return f"seem{'s' if sure != plain else ''} to {plain}" if self.unsure else sure


def _with_reckoned(found: Assessment, reckoned: Reckoned) -> Assessment:
    """The opinion with the score of a calculation, its operands and the figure it refutes."""
    left = 1 - reckoned.entailed
    others = found.neutral + found.contradicted
    neutral = left * (found.neutral / others if others else 0.5)
    if reckoned.calculation.outcome == "wrong":
        neutral = min(neutral, left / 3)
    return replace(
        found,
        entailed=reckoned.entailed,
        neutral=neutral,
        contradicted=left - neutral,
        evidence=tuple(dict.fromkeys((*reckoned.evidence, *found.evidence))),
        marks=reckoned.marks(found.marks),
    )


def _doubt(is_guess: bool, reckoned: Reckoned | None) -> str:
    """The reason for not being sure."""
    if is_guess:
        return GUESS
    if reckoned is None or reckoned.calculation.is_same:
        return NOT_SURE
    return reckoned.doubt or NOT_SURE


def _parts(text: str) -> set[str]:
    """The words of a text, also as they are without an ending such as `'s`."""
    found = words(text.casefold())
    return {part for word in found for part in (word, *_APOSTROPHE.split(word))}


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(f"“{each}”" for each in words)


def _confidence(reason: LabelReason) -> float:
    """The chance of the label's class.

    It is at most one half where the score is unsure, of a single word, which says too little, and
    of what was not found in a source that was read in part.
    """
    answers, found = reason.answers, reason.found
    if answers.entailed:
        chance = found.entailed
    else:
        chance = found.contradicted if answers.contradicted else found.neutral
    not_found = not answers.entailed and not answers.contradicted
    read_all = found.characters_read == len(reason.example.source.text)
    is_little = len(words(reason.unit.text)) < 2 and not reason.is_short
    doubtful = reason.unsure or is_little or (not_found and not read_all)
    return min(chance, MOST_WHERE_UNSURE) if doubtful else chance


def _listing(missing: Sequence[str], most: int = 5) -> str:
    """The first few words, without those that are part of another one (`4` of `4 million`)."""
    said = [word for word in missing if len(word) > 1 or word.isascii()]  # 的 says nothing
    kept = [w for w in said if not any(w != other and w in other.split() for other in said)]
    shown = ", ".join(dict.fromkeys(map(_cut, kept[:most])))
    return f"{shown} and {len(kept) - most} more" if len(kept) > most else shown


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1].rstrip()}…"
