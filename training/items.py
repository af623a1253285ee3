"""What the model is trained on: a source and sentences about it, each with what is known of it."""

from dataclasses import dataclass

ENTAILED, NEUTRAL, CONTRADICTED = range(3)
NOT_ENTAILED = 3  # neutral or contradicted, it is not known which
UNKNOWN = 4  # one of the sentences of a response that is unfaithful somewhere
UNJUDGED = 5  # only a teacher can say

FINE, WRONG, UNSAID = range(3)  # of a word; UNSAID: it is not known

TARGETS = {"entailed": ENTAILED, "neutral": NEUTRAL, "contradicted": CONTRADICTED}


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and its target; `wrong` are the characters that the source does not bear out.

    Without them it is not known which words are wrong, unless none is: in an entailed sentence.
    """

    text: str
    target: int
    wrong: tuple[tuple[int, int], ...] | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """One row of training: `group` names where it comes from.

    `origin` is the source that this one was made from, where it is another look of it.
    """

    group: str
    source: str
    sentences: tuple[Sentence, ...]
    question: str = ""
    origin: str = ""
