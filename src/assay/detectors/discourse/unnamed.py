"""Speakers, conditions and connectives that the model did not name."""

from collections.abc import Iterator, Sequence

from assay.detectors.discourse.aligning import Place, blank
from assay.detectors.discourse.rules import FAMILIES
from assay.text.discourse.lexicon import find_cues, find_evaluation
from assay.text.discourse.speakers import find_speaker


def find_unnamed_scope(text: str, claim: Sequence[Place], taken: Sequence[Place]) -> list[Place]:
    """The place of words in an English sentence that limit a claim, unless taken.

    >>> text = "If the levy passes, the library opens."
    >>> [text[a:b] for a, b in find_unnamed_scope(text, [(20, 37)], [(3, 18), (20, 37)])]
    ['If the levy passes, ']
    """
    return [*_speech(text, claim, taken), *_conditions(text, claim, taken)]


def find_unnamed_cue(
    text: str, relation: str, taken: Sequence[Place], is_across: bool
) -> Place | None:
    """The place of the words for a relation in an English sentence.

    That is a connective that is not taken: between sentences one that can open a sentence, inside
    one any. Who speaks and what judges are words of claims, and may be taken.

    >>> find_unnamed_cue("They left because it rained.", "cause", [(0, 9), (18, 27)], False)
    (10, 17)
    """
    if relation == "attribution":
        speaker = find_speaker(text)
        return _trimmed(text, *speaker.cue) if speaker else None
    if relation == "evaluation":
        return find_evaluation(text)
    family = FAMILIES.get(relation, frozenset((relation,)))
    for cue in find_cues(blank(text, taken)):
        uses = (use for use in cue.uses if use.form == "opening" or not is_across)
        if any(use.relation in family for use in uses):
            return cue.start, cue.end
    return None


def _speech(text: str, claim: Sequence[Place], taken: Sequence[Place]) -> Iterator[Place]:
    """The words that report the claim, such as `Dr Lane said`."""
    speaker = find_speaker(text)
    if speaker is None:
        return
    (first, last), (start, end) = speaker.content, _trimmed(text, *speaker.cue)
    is_said = first <= claim[0][0] and claim[-1][1] <= last
    if is_said and text[start:end] == blank(text, taken)[start:end]:
        yield start, end


def _trimmed(text: str, start: int, end: int) -> Place:
    """A place without the punctuation around its words."""
    words = text[start:end].strip(" ,.")
    start = text.index(words, start)
    return start, start + len(words)


def _conditions(text: str, claim: Sequence[Place], taken: Sequence[Place]) -> Iterator[Place]:
    """From each `if` or `unless` to the claim, or to the end if the claim stands before it."""
    for cue in find_cues(blank(text, taken)):
        use = cue.use("clause")
        if use and use.relation == "condition" and use.is_firm:
            after = (start for start, _ in claim if start >= cue.end)
            yield cue.start, min(after, default=len(text))
