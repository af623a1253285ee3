"""A hedge of the source that is gone: `may protect` told as `protects`."""

import re
from collections.abc import Iterator

from assay.core.spans import Span
from assay.detectors.discourse.ground import Ground, Passage, share
from assay.detectors.discourse.rules.faults import Fault
from assay.text.discourse.clauses import subject_of
from assay.text.discourse.lexicon import find_hedges, firm_kinds, relations_shown
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
    holding = list(_stating(ground, words, claim))
    is_conditional = "condition" in relations_shown(sentence)
    hedges = [
        _hedge_on(each, words) or (None if is_conditional else _condition_on(each, words))
        for each in holding
    ]
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


def _stating(ground: Ground, words: frozenset[str], claim: str) -> Iterator[Passage]:
    """The passages with a claim's words; those of its subject may stand before a `they`."""
    subject = frozenset(terms(subject_of(claim, 0, len(claim))))
    before: frozenset[str] = frozenset()
    for passage in ground.passages:
        is_meant = passage.is_about_another and not subject.isdisjoint(before)
        rest = words - subject if is_meant else words
        if len(rest) >= FEWEST - is_meant and share(rest, passage.terms) >= LEAST_SHARE:
            yield passage
        before = passage.terms


def _hedge_on(passage: Passage, words: frozenset[str]) -> Span | None:
    """A hedge whose next content word, before any comma, is one of the claim's."""
    text = passage.span.text
    for start, end in find_hedges(text, firm_kinds()):
        reach = _STOP.search(text, end)
        _, term = next(content_words(text[end : reach.start() if reach else None]), ("", ""))
        if term in words:
            return Span.cut(text, start, end, "source")
    return None


def _condition_on(passage: Passage, words: frozenset[str]) -> Span | None:
    """The `if` or `unless` on which the passage says the claim; `subject to` ties on looser."""
    for joint in passage.cut.joints:
        is_if = joint.use.relation == "condition" and joint.use.is_firm
        holds = share(words, passage.pieces[joint.second]) >= LEAST_SHARE
        if is_if and joint.use.form == "clause" and holds:
            return Span.cut(passage.span.text, joint.cue.start, joint.cue.end, "source")
    return None
