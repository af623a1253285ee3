"""Who speaks and on what condition, where the model that took a sentence apart names neither."""

from collections.abc import Iterator, Sequence

from assay.detectors.discourse.aligning import Place, blank
from assay.text.discourse.lexicon import find_cues
from assay.text.discourse.speakers import find_speaker


def find_unnamed_scope(text: str, claim: Sequence[Place], taken: Sequence[Place]) -> list[Place]:
    """Where in an English sentence the words are that limit a claim, if they are not taken.

    >>> text = "If the levy passes, the library opens."
    >>> [text[a:b] for a, b in find_unnamed_scope(text, [(20, 37)], [(3, 18), (20, 37)])]
    ['If the levy passes, ']
    """
    return [*_speech(text, claim, taken), *_conditions(text, claim, taken)]


def _speech(text: str, claim: Sequence[Place], taken: Sequence[Place]) -> Iterator[Place]:
    """The words that report the claim, such as `Dr Lane said`."""
    speaker = find_speaker(text)
    if speaker is None:
        return
    (first, last), (start, end) = speaker.content, speaker.cue
    words = text[start:end].strip(" ,.")
    start = text.index(words, start)
    is_said = first <= claim[0][0] and claim[-1][1] <= last
    if is_said and words in blank(text, taken)[start : start + len(words)]:
        yield start, start + len(words)


def _conditions(text: str, claim: Sequence[Place], taken: Sequence[Place]) -> Iterator[Place]:
    """From each `if` or `unless` to the claim, or to the end if the claim stands before it."""
    for cue in find_cues(blank(text, taken)):
        use = cue.use("clause")
        if use and use.relation == "condition" and use.is_firm:
            after = (start for start, _ in claim if start >= cue.end)
            yield cue.start, min(after, default=len(text))
