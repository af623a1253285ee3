"""Rules of thumb about stance: hedges that are dropped, and words of another speaker.

They look at words alone: `may protect` becomes `protects`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assay.core.texts import Span
from assay.detectors.discourse.ground import Fault, Ground, GroundPassage, share
from assay.text.discourse.clauses import subject_of
from assay.text.discourse.lexicon import find_hedges, firm_kinds, plain, relations_shown
from assay.text.discourse.speakers import find_speaker
from assay.text.mentions import find_mentions
from assay.text.words import content_words, terms

LEAST_STATED = 0.75  # of a claim's words that a passage must have to state it
FEWEST_WORDS = 3  # of a claim
LEAST_SAID = 0.7  # of what somebody says that a passage must have
BACK = 2  # sentences that are searched for whom `he` refers to
NEAR = 3  # words at most between two names of one person
_STOP = re.compile(r"[,;:.()—–]")
_PRONOUNS = frozenset("he she they it we i who".split())
_OF = re.compile(r"\s(?:of|at|for|from|in)\s")
_WORD = re.compile(r"[\w'-]+")


def check_hedge(ground: Ground, sentence: str, claim: str) -> Fault | None:
    """The fault of a claim that the sentence states plainly and every passage only with a hedge."""
    words, speaker = frozenset(terms(claim)), find_speaker(sentence)
    if len(words) < FEWEST_WORDS or (speaker and speaker.leaves_open):
        return None
    holding = list(_stating(ground, words, claim))
    kept = {(each.word, each.term) for each in _hedged(sentence)}
    is_conditional = "condition" in relations_shown(sentence)
    hedges = [
        _hedge_on(each, words, kept)
        or (None if is_conditional or kept else _condition_on(each, words))
        for each in holding
    ]
    if not hedges or None in hedges:
        return None
    hedge = hedges[0]
    assert hedge is not None
    return Fault(
        "fabricated",
        "hedging-removal",
        f"the source qualifies it with “{hedge.text}”, and the sentence does not",
        (holding[0].span,),
    )


def _stating(ground: Ground, words: frozenset[str], claim: str) -> Iterator[GroundPassage]:
    """The passages with a claim's words; its subject may be in the passage before a `they`."""
    subject = frozenset(terms(subject_of(claim, 0, len(claim))))
    before: frozenset[str] = frozenset()
    for passage in ground.passages:
        is_meant = passage.is_about_another and not subject.isdisjoint(before)
        rest = words - subject if is_meant else words
        if len(rest) >= FEWEST_WORDS - is_meant and share(rest, passage.terms) >= LEAST_STATED:
            yield passage
        before = passage.terms


@dataclass(frozen=True, slots=True)
class _Hedge:
    """A hedge, its place, and the next content word before any comma, if there is one."""

    start: int
    end: int
    word: str
    term: str


def _hedged(text: str, kinds: frozenset[str] | None = None) -> Iterator[_Hedge]:
    for start, end in find_hedges(text, kinds):
        reach = _STOP.search(text, end)
        _, term = next(content_words(text[end : reach.start() if reach else None]), ("", ""))
        yield _Hedge(start, end, plain(text[start:end]), term)


def _hedge_on(
    passage: GroundPassage, words: frozenset[str], kept: set[tuple[str, str]]
) -> Span | None:
    """A hedge before one of the claim's words that the sentence drops.

    What the sentence keeps of the passage, it keeps; any other hedge of its own may stand for one
    of the passage.
    """
    text = passage.span.text
    if kept - {(each.word, each.term) for each in _hedged(text)}:
        return None
    for each in _hedged(text, firm_kinds()):
        if each.term in words and (each.word, each.term) not in kept:
            return Span.cut(text, each.start, each.end, "source")
    return None


def _condition_on(passage: GroundPassage, words: frozenset[str]) -> Span | None:
    """The `if` or `unless` on which a passage states the claim; `subject to` is too loose."""
    for joint in passage.cut.joints:
        is_if = joint.use.relation == "condition" and joint.use.is_firm
        holds = share(words, passage.pieces[joint.second]) >= LEAST_STATED
        if is_if and joint.use.form == "clause" and holds:
            return Span.cut(passage.span.text, joint.cue.start, joint.cue.end, "source")
    return None


def check_speaker(ground: Ground, who: str, said: str) -> Fault | None:
    """The fault of a speaker if the source names another one for the same words."""
    place = _best(ground, frozenset(terms(said)) - frozenset(terms(who)))
    if place is None:
        return None
    other = _speaker_at(ground, place)
    own, named = _head(ground, who), _head(ground, other)
    overlap = frozenset(terms(who)) & frozenset(terms(other))
    if not own or not named or overlap or not _are_two(ground, own, named):
        return None
    return Fault(
        "contradicting",
        "scope-attachment",
        f"the source attributes these words to {other}, not to {who}",
        (ground.passages[place].span,),
    )


def _head(ground: Ground, who: str) -> frozenset[str]:
    """The distinctive part of a speaker: the last part of a name, or all words up to `of`."""
    found = terms(_OF.split(who, maxsplit=1)[0])
    return frozenset(found[-1:] if found and found[-1] in ground.names else found)


def _best(ground: Ground, words: frozenset[str]) -> int | None:
    """The first passage with most of the words, if it says who speaks."""
    shares = [share(words, each.terms) for each in ground.passages]
    most = max(shares, default=0.0)
    if most < LEAST_SAID or len(words) < 2:
        return None
    place = shares.index(most)
    return place if ground.passages[place].speaker else None


def _speaker_at(ground: Ground, place: int) -> str:
    """The speaker of a passage; for a pronoun, the name that the sentences before are about."""
    passage = ground.passages[place]
    assert passage.speaker is not None
    who = passage.span.text[slice(*passage.speaker.who)]
    if who.lower() not in _PRONOUNS:
        return who
    for back in range(place - 1, max(place - 1 - BACK, -1), -1):
        text = ground.passages[back].span.text
        subject = subject_of(text, 0, len(text))
        if any(each.kind == "name" for each in find_mentions(f"x {subject}")):
            return subject if subject.lower() not in _PRONOUNS else ""
    return ""


def _are_two(ground: Ground, own: frozenset[str], other: frozenset[str]) -> bool:
    """True if two descriptions are of different people: both named, or apart in one sentence."""
    names = ground.names
    both_named = bool(own & names) and bool(other & names)
    told_apart = False
    for passage in ground.passages:
        if own & passage.terms and other & passage.terms:
            if _stand_near(passage.span.text, own, other):
                return False
            told_apart = True
    return both_named or told_apart


def _stand_near(text: str, own: frozenset[str], other: frozenset[str]) -> bool:
    found = [terms(word) for word in _WORD.findall(text)]
    ours = [place for place, each in enumerate(found) if own.intersection(each)]
    theirs = [place for place, each in enumerate(found) if other.intersection(each)]
    return any(abs(a - b) <= NEAR for a in ours for b in theirs)
