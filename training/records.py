"""Made-up business records with descriptions whose sentences carry known labels."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from training.record_business import make_business
from training.record_facts import Draft
from training.record_sentences import MAKERS
from training.record_stock import Clause, Label

FAITHFUL_SHARE = 0.7

# How often each topic comes up between the opening and the closing, in the order of telling.
_MIDDLE = {
    "location": 0.4,
    "categories": 0.7,
    "rating": 1.0,
    "hours": 2.2,
    "hours_pattern": 1.0,
    "attribute": 2.6,
    "parking": 0.9,
    "ambience": 0.9,
    "combination": 1.8,
    "amenities": 1.6,
    "compound": 2.0,
    "invented": 1.8,
    "tone": 0.7,
    "review": 4.0,
    "two_reviews": 0.9,
    "review_stars": 0.4,
}
_REPEATABLE = ("attribute", "combination", "compound", "review", "hours_pattern")
_PREFIXES = (
    "According to the listing, ",
    "Based on the provided data, ",
    "Additionally, ",
    "In addition, ",
    "However, ",
    "Furthermore, ",
)
_LOWERABLE = (
    "It ", "There ", "Customers ", "Guests ", "Visitors ", "Patrons ", "The business ",
    "Parking ", "Outdoor ", "Takeout ", "Reservations ",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class MadeSentence:
    text: str
    label: Label


@dataclass(frozen=True, slots=True)
class MadeRecord:
    """A source in the shape of RAGTruth's business objects, and a description of it."""

    source: dict[str, object]
    sentences: tuple[MadeSentence, ...]


def make_records(count: int, seed: int) -> Iterator[MadeRecord]:
    """The same seed gives the same records, however many are asked for."""
    for index in range(count):
        yield _make_record(Random(f"{seed}:{index}"))


def _make_record(rng: Random) -> MadeRecord:
    draft = Draft(rng, make_business(rng))
    clauses = [clause for topic in _plan(rng) if (clause := _make_clause(draft, topic))]
    sentences = tuple(MadeSentence(_prefix(rng, c.text), c.label) for c in clauses)
    return MadeRecord(draft.business.to_source(), sentences)


def _plan(rng: Random) -> list[str]:
    """Topics in order: an opening, a middle, and mostly a closing."""
    topics = list(_MIDDLE)
    count = rng.randint(5, 7)
    middle: list[str] = []
    while len(middle) < count:
        topic = rng.choices(topics, list(_MIDDLE.values()))[0]
        if topic not in middle or topic in _REPEATABLE:
            middle.append(topic)
    if rng.random() < 0.8:
        middle.sort(key=topics.index)
    return ["opening", *middle, *(["closing"] if rng.random() < 0.75 else [])]


def _make_clause(draft: Draft, topic: str) -> Clause | None:
    """Tries the topic, then others in its place, keeping to the drawn faithfulness."""
    faithful = draft.rng.random() < FAITHFUL_SHARE
    fallback = ("review", "attribute", "combination", "rating", "hours")
    spares = draft.rng.sample(fallback, len(fallback))
    for name in [*[topic] * 12, *[spare for spare in spares for _ in range(6)]]:
        before = set(draft.used)
        if topic == "invented" and faithful:
            continue
        once = name not in _REPEATABLE
        if once and name in draft.used:
            continue
        clause = MAKERS[name](draft, faithful=faithful)
        if clause is not None:
            draft.used.add(name)
            return clause
        draft.used.clear()
        draft.used.update(before)
    return None


def _prefix(rng: Random, text: str) -> str:
    if rng.random() < 0.15 and text.startswith(_LOWERABLE):
        return rng.choice(_PREFIXES) + text[0].lower() + text[1:]
    return text
