"""Words that the source gives to somebody else: `Ada said so` where it was Ben."""

import re

from assay.detectors.discourse.ground import Ground, share
from assay.detectors.discourse.rules.faults import Fault
from assay.text.discourse.clauses import subject_of
from assay.text.mentions import find_mentions
from assay.text.words import terms

LEAST_SHARE = 0.7  # of what is said that a passage must hold
BACK = 2  # sentences in which the one that `he` stands for is looked for
NEAR = 3  # words between two names of one person
_PRONOUNS = frozenset("he she they it we i who".split())
_OF = re.compile(r"\s(?:of|at|for|from|in)\s")
_WORD = re.compile(r"[\w'-]+")


def check_speaker(ground: Ground, who: str, said: str) -> Fault | None:
    """The fault of a speaker where the source names another one for the same words."""
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
        f"the source gives these words to {other}, not to {who}",
        (ground.passages[place].span,),
    )


def _head(ground: Ground, who: str) -> frozenset[str]:
    """What tells a speaker from others: the last of a name, or all words up to `of`."""
    found = terms(_OF.split(who, maxsplit=1)[0])
    return frozenset(found[-1:] if found and found[-1] in ground.names else found)


def _best(ground: Ground, words: frozenset[str]) -> int | None:
    """The first passage that someone says and that holds most of the words."""
    shares = [share(words, each.terms) for each in ground.passages]
    most = max(shares, default=0.0)
    if most < LEAST_SHARE or len(words) < 2:
        return None
    place = shares.index(most)
    return place if ground.passages[place].speaker else None


def _speaker_at(ground: Ground, place: int) -> str:
    """Who speaks in a passage; of a pronoun the name that the sentences before it are about."""
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
    """Whether two descriptions are of different ones: both named, or told apart in one sentence."""
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
