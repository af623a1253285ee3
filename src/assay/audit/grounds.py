"""Grounds of a revised label: passages that the source contains word for word."""

from dataclasses import dataclass

from assay.core.decision import AMBIGUOUS
from assay.core.labels import Label
from assay.core.taxonomies import GRAY7
from assay.core.texts import Span
from assay.core.verdicts import Verdict
from assay.text.words import FUNCTION_WORDS, find_words, words

_ENOUGH_WORDS = 3


@dataclass(frozen=True, slots=True)
class Grounds:
    """Grounds given for a label: passages, something outside the source, or its silence."""

    source: bool = False
    external: bool = False
    nothing_found: bool = False


@dataclass(frozen=True, slots=True)
class Missing:
    """Something that a label needs and does not have; `field` is where to give it."""

    field: str
    message: str


def missing_grounds(label: Label, given: Grounds) -> Missing | None:
    """The grounds that a revised label needs and does not have, if any.

    It needs a passage of the source, or unless it is faithful, the statement that the source has
    nothing on it; an out-dependent unit needs something outside the source, one without a fact
    needs nothing.
    """
    if label == GRAY7["out-dependent"]:
        if given.external:
            return None
        message = "out-dependent needs something outside the source that supports it"
        return Missing("external", message)
    if label == GRAY7["no-fact"] or given.source:
        return None
    if label.coarse == "faithful":
        more = "; that the source has nothing on it is no support" if given.nothing_found else ""
        return Missing("evidence", f"{label} needs a passage of the source{more}")
    if given.nothing_found:
        return None
    message = f"{label} needs a passage of the source, or that the source has nothing on it"
    return Missing("evidence", message)


def missing_readings(verdict: Verdict) -> Missing | None:
    """The readings that an ambiguous unit needs and does not have, if so."""
    if verdict.label != AMBIGUOUS or len({each.label for each in verdict.interpretations}) > 1:
        return None
    message = "ambiguous needs at least two readings with different labels"
    return Missing("interpretations", message)


def says_something(quote: str) -> bool:
    """True if a quote is enough to be evidence: three words, or a number, a name or a term.

    >>> [says_something(each) for each in ("a", "of the", "48", "Rome", "it has sailed")]
    [False, False, True, True, True]
    """
    found = words(quote)
    if len(found) >= _ENOUGH_WORDS:
        return True
    return any(
        each.casefold() not in FUNCTION_WORDS and (len(each) > 1 or each.isdigit())
        for each in found
        if any(map(str.isdigit, each)) or not each.islower()
    )


def locate(source: str, quote: str) -> Span | None:
    """The place of a quote in the source as whole words; only white space may differ.

    >>> locate("It rained.  All\\nday.", "rained. All day").text
    'rained.  All\\nday'
    """
    wanted = quote.strip()
    if not wanted:
        return None
    start = find_words(source, wanted)
    if start >= 0:
        return Span.cut(source, start, start + len(wanted), "source")
    text, places = _collapsed(source)
    words = " ".join(wanted.split())
    start = find_words(text, words)
    if start < 0:
        return None
    return Span.cut(source, places[start], places[start + len(words) - 1] + 1, "source")


def locate_cited(source: str, cited: str) -> tuple[tuple[Span, ...], tuple[str, ...]]:
    """The places of what a person cites, and those quotes that have none.

    It is one quote, or where it is none as a whole, a quote on each line.
    """
    whole = locate(source, cited)
    if whole:
        return (whole,), ()
    quotes = [each for each in cited.splitlines() if each.strip()]
    found = [(each, locate(source, each)) for each in quotes]
    spans = tuple(dict.fromkeys(span for _, span in found if span))
    return spans, tuple(each.strip() for each, span in found if span is None)


def _collapsed(text: str) -> tuple[str, list[int]]:
    """A text with single spaces, and where each of its characters comes from."""
    characters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        if not character.isspace():
            characters.append(character)
        elif characters and characters[-1] != " ":
            characters.append(" ")
        else:
            continue
        places.append(place)
    return "".join(characters), places
