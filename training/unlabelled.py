"""Responses that nobody judged, for a large network to label: sentences of several ones, mixed.

RAGTruth has few sources and many sentences about each. A new response takes some of them, of any
response to the same source and question, in a new order and some of them edited.
"""

import random
from collections.abc import Iterable, Iterator

from assay.text.sentences import split_sentences
from training.edits import broken, kept
from training.items import UNJUDGED, Item, Sentence

GROUP = "mixed"
FEWEST, MOST = 3, 7  # sentences in a response
LONGEST = 1_000  # characters in a sentence
BROKEN, KEPT = 0.3, 0.15  # the shares of sentences that are edited


def mixed(items: Iterable[Item], times: int, seed: int) -> Iterator[Item]:
    """So many new responses for each source of RAGTruth's items; they depend on no other source."""
    pools: dict[tuple[str, str], dict[str, None]] = {}
    for item in items:
        if item.group.startswith("ragtruth"):
            pool = pools.setdefault((item.source, item.question), {})
            pool |= dict.fromkeys(s.text for s in item.sentences if len(s.text) < LONGEST)
    for (source, question), pool in pools.items():
        if len(pool) < MOST:
            continue
        rng = random.Random(f"{seed} {question} {source}")
        texts = [span.text for span in split_sentences(source, "source")]
        for _ in range(times):
            chosen = rng.sample(list(pool), rng.randint(FEWEST, MOST))
            said = tuple(Sentence(_edited(text, texts, rng), UNJUDGED) for text in chosen)
            yield Item(GROUP, source, said, question)


def _edited(text: str, texts: list[str], rng: random.Random) -> str:
    """A sentence as it is, or edited so that it means something else or the same."""
    chance = rng.random()
    if chance >= BROKEN + KEPT:
        return text
    made = (broken if chance < BROKEN else kept)(text, texts, rng)
    return made.text if made else text
