"""What of a sentence some passages have: its content words, names, numbers and dates."""

from collections.abc import Collection, Container
from dataclasses import dataclass

from assay.text.mentions import find_mentions
from assay.text.words import content_words

# Languages that write every noun with a capital, so that a capital does not make a name.
_CAPITAL_NOUNS = ("de", "lb")


@dataclass(frozen=True, slots=True)
class Alignment:
    """The words and figures of a sentence, and what of them was not found."""

    words: tuple[str, ...]
    figures: int
    missing_words: tuple[str, ...]
    missing_figures: tuple[str, ...]
    missing_names: tuple[str, ...]

    @property
    def missing(self) -> tuple[str, ...]:
        """Everything that was looked for and not found."""
        return (*self.missing_words, *self.missing_figures, *self.missing_names)

    @property
    def coverage(self) -> float:
        """The share of the content words that were found."""
        return 1 - len(self.missing_words) / len(self.words) if self.words else 0.0


def align(
    sentence: str, nearby: Collection[str], mentions: Container[str], language: str = "en"
) -> Alignment:
    """Looks for a sentence's content words among `nearby` stems, and for its names and figures.

    >>> align("Ada paid 12 euros.", {"paid", "euro"}, {"12"}).missing
    ('Ada',)
    """
    words = tuple(content_words(sentence, language))
    found = find_mentions(sentence)
    absent = [mention for mention in found if mention.key not in mentions]
    # A figure that the source writes in another way (`five`, `5`) is not a missing word.
    known = {
        word
        for mention in found
        if mention.kind != "name" and mention.key in mentions
        for word, _ in content_words(sentence[mention.start : mention.end], language)
    }
    names = [m for m in absent if m.kind == "name" and language not in _CAPITAL_NOUNS]
    return Alignment(
        words=tuple(word for word, _ in words),
        figures=sum(mention.kind != "name" for mention in found),
        missing_words=tuple(w for w, term in words if term not in nearby and w not in known),
        missing_figures=tuple(sentence[m.start : m.end] for m in absent if m.kind != "name"),
        missing_names=tuple(sentence[m.start : m.end] for m in names),
    )
