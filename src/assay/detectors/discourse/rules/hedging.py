"""A hedge of the source that is gone: `may protect` told as `protects`."""

import re

from assay.core.spans import Span
from assay.detectors.discourse.ground import Ground, Passage, share
from assay.detectors.discourse.rules.faults import Fault
from assay.text.discourse.hedges import find_hedges, firm_kinds
from assay.text.discourse.speakers import find_speaker
from assay.text.words import content_words, terms

LEAST_SHARE = 0.75  # of the claim's words that a passage must hold to state the claim
FEWEST = 3  # words of a claim
_STOP = re.compile(r"[,;:.()—–]")


def check_hedge(ground: Ground, sentence: str, claim: str) -> Fault | None:
    """The fault of a claim that every passage that states it hedges, and the sentence does not."""
    words = frozenset(terms(claim))
    if len(words) < FEWEST or _is_hedged(sentence):
        return None
    holding = [each for each in ground.passages if share(words, each.terms) >= LEAST_SHARE]
    hedges = [_hedge_on(each, words) for each in holding]
    if not hedges or None in hedges:
        return None
    hedge = hedges[0]
    assert hedge is not None
    return Fault(
        "fabricated",
        "hedging-removal",
        f"the source says it with “{hedge.text}”, the sentence without",
        (holding[0].span,),
    )


def _is_hedged(sentence: str) -> bool:
    speaker = find_speaker(sentence)
    return bool(find_hedges(sentence)) or bool(speaker and speaker.leaves_open)


def _hedge_on(passage: Passage, words: frozenset[str]) -> Span | None:
    """A hedge whose next content word, before any comma, is one of the claim's."""
    text = passage.span.text
    for start, end in find_hedges(text, firm_kinds()):
        reach = _STOP.search(text, end)
        _, term = next(content_words(text[end : reach.start() if reach else None]), ("", ""))
        if term in words:
            return Span.cut(text, start, end, "source")
    return None
