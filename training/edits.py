"""Hard negatives made from true sentences, and true variants made in the same ways.

Each edit gives a new sentence and its target, or None where it does not apply. Edits that keep the
meaning are as many as those that break it, so that an edited look alone tells nothing.
"""

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from assay.text.mentions import Mention, find_mentions
from training.items import CONTRADICTED, ENTAILED, NEUTRAL, Sentence
from training.sections import read_sections
from training.wording import changed_words

_AUXILIARIES = "is|are|was|were|will|would|could|should|has|have|had|did|does|do|may|might|must"
_AFFIRMED = re.compile(rf"\b({_AUXILIARIES}|can)\b(?! not|n't)")
_NEGATED = re.compile(rf"\b({_AUXILIARIES})(?: not|n't)\b|\bcannot\b|\bcan't\b")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_SPEECH = re.compile(
    r",? (?:he|she|they|[A-Z][\w.’'-]+(?: [A-Z][\w.’'-]+)*) "
    r"(?:said|says|added|told reporters|claimed|explained|believes|argued)\b[.,]?$"
    r"|^According to [^,]+, "
)
_LISTED = re.compile(r"\s*(?:,|and|or|,? and|/|-|to)\s*")
_CLAUSE = re.compile(r", (?:which|who|where|as|after|while|and|but) ")
_CAUSES = (
    "because",
    "as a result of which",
    "which led to the fact that",
    "since",
    "and as a consequence",
)
_LOWERED = frozenset("The A An It He She They This That In There We His Her".split())

Edit = Callable[[str, Sequence[str], random.Random], Sentence | None]


def _table(heading: str, *, both_ways: bool) -> dict[str, list[str]]:
    """What may stand in a word's place, from a section of `edit_words.txt`."""
    table: dict[str, list[str]] = {}
    for pair in " ".join(_WORDS[heading]).split():
        first, second = (word.replace("-", " ") for word in pair.split("/"))
        table.setdefault(first, []).append(second)
        if both_ways:
            table.setdefault(second, []).append(first)
    return table


_WORDS = read_sections("edit_words.txt")
_OPPOSITE = _table("opposites", both_ways=True)
_NEAR = _table("neighbours", both_ways=True)
_STRONG = _table("stronger", both_ways=False)
_SYNONYM = _table("synonyms", both_ways=False)


def _swap_word(sentence: str, table: dict[str, list[str]], rng: random.Random) -> str | None:
    """The sentence with one word replaced as the table says, in the same case."""
    spots = [m for m in re.finditer(r"[A-Za-z]+|\d+", sentence) if m[0].lower() in table]
    if not spots:
        return None
    spot = rng.choice(spots)
    new = rng.choice(table[spot[0].lower()])
    if spot[0][0].isupper():
        new = new[0].upper() + new[1:]
    return sentence[: spot.start()] + new + sentence[spot.end() :]


def _as(target: int, text: str | None) -> Sentence | None:
    """An edit's outcome; no text is none."""
    return None if text is None else Sentence(text, target)


def opposite(sentence: str, source: Sequence[str], rng: random.Random) -> Sentence | None:
    """A word is turned into its opposite."""
    return _as(CONTRADICTED, _swap_word(sentence, _OPPOSITE, rng))


def near(sentence: str, source: Sequence[str], rng: random.Random) -> Sentence | None:
    """A unit, day, month, small number or role becomes a neighbouring one."""
    return _as(CONTRADICTED, _swap_word(sentence, _NEAR, rng))


def stronger(sentence: str, source: Sequence[str], rng: random.Random) -> Sentence | None:
    """A hedge falls or a verb grows stronger."""
    return _as(NEUTRAL, _swap_word(sentence, _STRONG, rng))


def synonym(sentence: str, source: Sequence[str], rng: random.Random) -> Sentence | None:
    """A word becomes another word for the same."""
    return _as(ENTAILED, _swap_word(sentence, _SYNONYM, rng))


def negate(sentence: str, source: Sequence[str], rng: random.Random) -> Sentence | None:
    """`not` comes or goes."""
    gone = list(_NEGATED.finditer(sentence))
    if gone and rng.random() < 0.7:
        spot = rng.choice(gone)
        verb = spot[1] or "can"
        return Sentence(sentence[: spot.start()] + verb + sentence[spot.end() :], CONTRADICTED)
    spots = list(_AFFIRMED.finditer(sentence))
    if not spots:
        return None
    spot = rng.choice(spots)
    return Sentence(sentence[: spot.end()] + " not" + sentence[spot.end() :], CONTRADICTED)


def number(sentence: str, source: Sequence[str], rng: random.Random) -> Sentence | None:
    """A figure changes, now and then to another figure of the source."""
    spots = list(_NUMBER.finditer(sentence))
    if not spots:
        return None
    spot = rng.choice(spots)
    others = [m[0] for text in source for m in _NUMBER.finditer(text) if len(m[0]) == len(spot[0])]
    others = [each for each in others if each != spot[0]]
    new = rng.choice(others) if others and rng.random() < 0.4 else _other_figure(spot[0], rng)
    return Sentence(sentence[: spot.start()] + new + sentence[spot.end() :], CONTRADICTED)


def _other_figure(written: str, rng: random.Random) -> str:
    """The figure with one digit changed, in longer ones not the first."""
    places = [i for i, letter in enumerate(written) if letter.isdigit()]
    place = rng.choice(places if len(written) < 4 else places[1:])
    digits = [d for d in "123456789" if d != written[place]]
    return written[:place] + rng.choice(digits) + written[place + 1 :]


def _names(text: str) -> list[Mention]:
    return [mention for mention in find_mentions(text) if mention.kind == "name"]


def other_name(sentence: str, source: Sequence[str], rng: random.Random) -> Sentence | None:
    """A name becomes another name of the source."""
    here = _names(sentence)
    if not here:
        return None
    keys = {word for mention in here for word in mention.key.split()}
    sample = rng.sample(list(source), min(12, len(source)))
    others = [
        text[m.start : m.end]
        for text in sample
        for m in _names(text)
        if not keys & set(m.key.split())
    ]
    spot = rng.choice(here)
    length = spot.key.count(" ")
    alike = [name for name in others if name.count(" ") == length] or others
    if not alike:
        return None
    new = re.sub(r"[’']s$", "", rng.choice(alike))
    return Sentence(sentence[: spot.start] + new + sentence[spot.end :], CONTRADICTED)


def crossed(sentence: str, source: Sequence[str], rng: random.Random) -> Sentence | None:
    """Two names, or two figures, of the sentence change places."""
    mentions = find_mentions(sentence)
    kind = rng.choice(("name", "number"))
    same = [mention for mention in mentions if mention.kind == kind]
    if len(same) < 2:
        return None
    first, second = sorted(rng.sample(same, 2), key=lambda mention: mention.start)
    if first.key == second.key or {*first.key.split()} & {*second.key.split()}:
        return None
    between = sentence[first.end : second.start]
    if _LISTED.fullmatch(between):
        return None  # the order of a list says nothing
    return Sentence(
        sentence[: first.start]
        + sentence[second.start : second.end]
        + between
        + sentence[first.start : first.end]
        + sentence[second.end :],
        CONTRADICTED,
    )


def as_fact(sentence: str, source: Sequence[str], rng: random.Random) -> Sentence | None:
    """What somebody said is told without saying so."""
    spot = _SPEECH.search(sentence)
    if not spot or len(sentence) - len(spot[0]) < 30:
        return None
    rest = (sentence[: spot.start()] + sentence[spot.end() :]).strip(" ,'\"“”‘’")
    return Sentence(rest[0].upper() + rest[1:].rstrip(".") + ".", NEUTRAL)


def caused(sentence: str, source: Sequence[str], rng: random.Random) -> Sentence | None:
    """Two statements of the source, with a cause between them that it does not give."""
    second = _short(source, sentence, rng)
    if second is None or len(sentence) > 140:
        return None
    return Sentence(f"{sentence.rstrip('.!?')} {rng.choice(_CAUSES)} {_lower(second)}", NEUTRAL)


def joined(sentence: str, source: Sequence[str], rng: random.Random) -> Sentence | None:
    """Two statements of the source in one sentence."""
    second = _short(source, sentence, rng)
    if second is None or len(sentence) > 140:
        return None
    link = rng.choice((", and ", "; ", ", while "))
    return Sentence(sentence.rstrip(".!?") + link + _lower(second), ENTAILED)


def shortened(sentence: str, source: Sequence[str], rng: random.Random) -> Sentence | None:
    """The main clause alone."""
    spots = [spot.start() for spot in _CLAUSE.finditer(sentence) if spot.start() > 40]
    return Sentence(sentence[: spots[0]] + ".", ENTAILED) if spots else None


def _short(source: Sequence[str], sentence: str, rng: random.Random) -> str | None:
    """A short sentence of the source, other than this one."""
    fitting = [
        text for text in source if 25 < len(text) < 110 and text != sentence and text[-1:] == "."
    ]
    return rng.choice(fitting) if fitting else None


def _lower(sentence: str) -> str:
    """The sentence as it goes on after another; names keep their capital."""
    first = sentence.split(maxsplit=1)[0]
    return sentence[0].lower() + sentence[1:] if first in _LOWERED else sentence


BREAKING: tuple[tuple[Edit, float], ...] = (
    (number, 1.2),
    (other_name, 1.3),
    (opposite, 1.3),
    (near, 1.0),
    (stronger, 1.0),
    (negate, 0.8),
    (crossed, 1.0),
    (as_fact, 0.6),
    (caused, 0.5),
)
KEEPING: tuple[tuple[Edit, float], ...] = ((synonym, 2.0), (joined, 0.5), (shortened, 1.0))


def broken(sentence: str, source: Sequence[str], rng: random.Random) -> Sentence | None:
    """The sentence after an edit that breaks it; what changed is wrong."""
    made = _first_fitting(BREAKING, sentence, source, rng)
    return replace(made, wrong=changed_words(sentence, made.text)) if made else None


def kept(sentence: str, source: Sequence[str], rng: random.Random) -> Sentence | None:
    """The sentence after an edit that leaves it true."""
    return _first_fitting(KEEPING, sentence, source, rng)


def _first_fitting(
    edits: Sequence[tuple[Edit, float]], sentence: str, source: Sequence[str], rng: random.Random
) -> Sentence | None:
    """The outcome of the first edit that applies, in an order drawn by their weights."""
    order = sorted(edits, key=lambda pair: rng.random() ** (1 / pair[1]), reverse=True)
    for edit, _ in order:
        made = edit(sentence, source, rng)
        if made is not None and made.text != sentence:
            return made
    return None
