"""The same item in another look: what matters stays, so that its verdicts must stay too.

A source is lower-cased, wrapped, padded, turned into a list, joined by passages about something
else, or gets its passages in another order; a question comes, goes, or restates a sentence of the
response, be it true or false. An item remembers the source it was made from as its `origin`.
"""

import random
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from training.items import ENTAILED, UNKNOWN, Item

_PASSAGE = re.compile(r"\n\n+")
_STATED = re.compile(r"[A-Z][^\n?!:]{15,260}[.]")
_FIRST = frozenset(
    "The A An This That These Those It He She They There In On At For From With By After Before "
    "When While If As To Its His Her Their Some Most All Many Both Each Every No Only Customers "
    "According Sales Shares Children Adults Visitors People".split()
)
RESTATED = (
    "Can you confirm that {}?",
    "Is it right that {}?",
    "Is it correct that {}?",
    "Would you agree that {}?",
    "I was told that {}. Is that so?",
    "Somebody said that {}. Please explain.",
    "Does the text say that {}?",
    "How come {}?",
    "Given that {}, what follows?",
    "What is known about the fact that {}?",
    "Since {}, what should I do?",
    "{}, right?",
    "{}?",
    "True or false: {}.",
    "Explain why {}.",
    "A colleague claims that {}. What do you think?",
    "It is said that {}. Where does it say so?",
    "Who found out that {}?",
    "Please check: {}.",
)
_OPEN = (
    "What does the text say?",
    "Summarize this.",
    "What are the main points?",
    "Tell me what matters here.",
    "Can you explain this to me?",
    "What happened?",
    "Give me the facts.",
    "What should I know about this?",
    "Answer briefly.",
    "tl;dr",
)

Look = Callable[[str, random.Random], str]


def lowered(text: str, rng: random.Random) -> str:
    """Without capitals."""
    return text.lower()


def wrapped(text: str, rng: random.Random) -> str:
    """With lines of one width."""
    width = rng.randint(44, 96)
    lines = (line if not line.strip() else textwrap.fill(line, width) for line in text.split("\n"))
    return "\n".join(lines)


def padded(text: str, rng: random.Random) -> str:
    """With white space at the ends, at line ends or after sentences."""
    kind = rng.randrange(4)
    if kind == 0:
        return text + rng.choice(("\n", "\n\n", " ", "  \n", "\r\n", "\t"))
    if kind == 1:
        return rng.choice(("\n", "\n\n", "  ", "\t")) + text + "\n\n\n"
    if kind == 2:
        return text.replace(". ", ".  ")
    return text.replace("\n", "  \n")


def unwrapped(text: str, rng: random.Random) -> str:
    """All in one line."""
    is_record = "|" in text or " > " in text or ": " in text[:400]
    return text if is_record else " ".join(text.split())


def as_list(text: str, rng: random.Random) -> str:
    """One sentence an entry."""
    if "\n" in text.strip() or len(text) > 2_500:
        return text
    sentences = re.split(r"(?<=[a-z0-9)][.!?]) (?=[A-Z])", text.strip())
    sign = rng.choice(("- ", "* ", "• ", "{}. "))
    return "\n".join(sign.format(n) + each for n, each in enumerate(sentences, 1))


def marked_down(text: str, rng: random.Random) -> str:
    """With a heading, or some bold words."""
    if rng.random() < 0.5:
        return f"{'#' * rng.randint(1, 3)} {rng.choice(_HEADINGS)}\n\n{text}"
    words = list(re.finditer(r"\b[A-Za-z]{4,}\b", text[:3_000]))
    if "|" in text or len(words) < 8:
        return text
    chosen = sorted(rng.sample(words, min(6, len(words) // 3)), key=lambda m: -m.start())
    for word in chosen:
        text = f"{text[: word.start()]}**{word[0]}**{text[word.end() :]}"
    return text


def reordered(text: str, rng: random.Random) -> str:
    """Passages in another order; only of texts that number their passages."""
    parts = _PASSAGE.split(text)
    if len(parts) < 2 or not all(part.startswith("passage ") for part in parts if part.strip()):
        return text
    rng.shuffle(parts)
    return "\n\n".join(parts)


_HEADINGS = ("Notes", "Summary", "Details", "Background", "Information", "Update", "Document")
LOOKS: tuple[Look, ...] = (lowered, wrapped, padded, unwrapped, as_list, marked_down, reordered)


def distracted(text: str, others: Sequence[str], rng: random.Random) -> str:
    """With passages about something else before or behind it."""
    parts = rng.sample(list(others), rng.randint(1, min(3, len(others))))
    parts.insert(rng.randint(0, len(parts)), text)
    if rng.random() < 0.3:
        parts = [f"[{number}] {part}" for number, part in enumerate(parts, 1)]
    return rng.choice(("\n\n", "\n\n", "\n\n---\n\n")).join(parts)


def restated(sentence: str, rng: random.Random) -> str:
    """A question that takes a sentence up, whether or not it is true; "" where it cannot be.

    >>> restated("The gate opens at nine.", random.Random(1))
    'I was told that the gate opens at nine. Is that so?'
    """
    if not _STATED.fullmatch(sentence):
        return ""
    asked = rng.choice(RESTATED).format(as_clause(sentence))
    return asked[0].upper() + asked[1:]


def as_clause(sentence: str) -> str:
    """A sentence as it stands inside another one; names keep their capital.

    >>> as_clause("The gate opens at nine.")
    'the gate opens at nine'
    """
    inside = sentence.removesuffix(".")
    is_lowered = sentence.split(maxsplit=1)[0] in _FIRST
    return inside[0].lower() + inside[1:] if is_lowered else inside


def asked(item: Item, rng: random.Random) -> Item:
    """The item with another question, or without the one it has."""
    chance = rng.random()
    if item.question and chance < 0.45:
        return replace(item, question="")
    if chance < 0.85:
        choices = [each.text for each in item.sentences]
        return replace(item, question=restated(rng.choice(choices), rng) or rng.choice(_OPEN))
    return replace(item, question=rng.choice(_OPEN))


def varied(item: Item, others: Sequence[str], rng: random.Random, group: str) -> Item:
    """An item in another look, with another question, or both."""
    source, origin = item.source, item.origin or item.source
    made = asked(item, rng) if rng.random() < 0.6 else item
    if rng.random() < 0.65:
        for look in rng.sample(LOOKS, 2):
            source = look(source, rng)
    if others and rng.random() < 0.35 and len(source) < 4_000:
        source = distracted(source, others, rng)
    if made.question == item.question and source == item.source:
        made = asked(item, rng)
    return replace(made, group=group, source=source, origin=origin)


def questioned(
    items: Sequence[Item], share: dict[str, float], rng: random.Random
) -> Iterator[Item]:
    """Some items with a question that restates a sentence: as often a false one as a true one."""
    for item in items:
        family = item.group.split("-")[0]
        if rng.random() >= share.get(family, 0.0):
            continue
        true = [s.text for s in item.sentences if s.target == ENTAILED]
        false = [s.text for s in item.sentences if s.target not in (ENTAILED, UNKNOWN)]
        chosen = rng.choice([part for part in (true, false) if part] or [[""]])
        if question := restated(rng.choice(chosen), rng):
            origin = item.origin or item.source
            yield replace(item, group=f"asked-{family}", question=question, origin=origin)


def looks_of(
    items: Sequence[Item], others: Sequence[str], share: dict[str, float], rng: random.Random
) -> Iterator[Item]:
    """Some items of each named group in other looks."""
    for item in items:
        family = item.group.split("-")[0]
        if rng.random() < share.get(item.group, share.get(family, 0.0)):
            yield varied(item, others, rng, f"looks-{family}")
