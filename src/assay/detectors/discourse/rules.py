"""Rules of thumb: links and orders that the source does not have, dropped hedges, other speakers.

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

LEAST_SHARE = 0.6  # of a claim's words that a passage must have to state it
APART = 2  # sentences, between which a reader sees no link unless it is stated
FEWEST = 2  # words of a claim
# The relations whose connectives may express a relation in the source; any one is enough.
FAMILIES = {
    "cause": frozenset({"cause", "purpose"}),
    "purpose": frozenset({"cause", "purpose"}),
    "condition": frozenset({"condition"}),
    "contrast": frozenset({"contrast", "concession"}),
    "concession": frozenset({"contrast", "concession"}),
}
_ONE_SIDED = ("cause", "purpose", "condition")

Words = frozenset[str]


def check_link(ground: Ground, name: str, first: str, second: str) -> Fault | None:
    """The fault of a relation whose claims the source states without this link."""
    a, b = frozenset(terms(first)), frozenset(terms(second))
    if name not in FAMILIES or min(len(a), len(b)) < FEWEST:
        return None
    if name in _ONE_SIDED and (turned := find_reversed(ground, FAMILIES[name], a, b)):
        why = f"the source states this {name} the other way round"
        return Fault("contradicting", "fabricated-link", why, (turned,))
    places = ground.locate_both(a, b, LEAST_SHARE)
    if places is None or places[0] == places[1]:
        return None
    other = _other_link(ground, name, a, b) if name in _ONE_SIDED else None
    if other:
        why = "the source links one of the two with something else"
        evidence = (other, *ground.spans(places))
        return Fault("contradicting", "scope-attachment", why, tuple(dict.fromkeys(evidence)))
    distance = abs(places[0] - places[1])
    if distance < APART or _is_shown(ground, name, *places):
        return None
    why = f"the source states both, {distance} sentences apart, and nothing links them"
    return Fault("fabricated", "fabricated-link", why, ground.spans(places))


def check_order(ground: Ground, earlier: str, later: str) -> Fault | None:
    """The fault of an order that the source gives the other way round.

    It mentions the later event first, and nothing there says that things happened otherwise.
    """
    a, b = frozenset(terms(earlier)), frozenset(terms(later))
    if min(len(a), len(b)) < FEWEST:
        return None
    if turned := find_reversed(ground, frozenset({"temporal"}), a, b):
        why = "the source states the opposite order of these events"
        return Fault("contradicting", "temporal-state", why, (turned,))
    places = ground.locate_both(a, b, LEAST_SHARE)
    if places is None or places[0] - places[1] < APART:
        return None
    if any("temporal" in ground.passages[place].relations for place in places):
        return None
    why = "the source mentions these events in the opposite order, and nothing there reverses it"
    return Fault("contradicting", "temporal-state", why, ground.spans(places[::-1]))


def find_reversed(ground: Ground, family: frozenset[str], a: Words, b: Words) -> Span | None:
    """The passage that links the two claims the other way round; None if any other agrees."""
    found: Span | None = None
    for passage, first, second in _joints(ground, family):
        if _same(a, first) and _same(b, second):
            return None
        if _same(a, second) and _same(b, first):
            found = found or passage.span
    return found


def _is_shown(ground: Ground, name: str, *places: int) -> bool:
    """True if a connective of the family is in either passage, or between near ones."""
    low, high = sorted(places)
    between = range(low, high + 1) if high - low <= APART else places
    return any(FAMILIES[name] & ground.passages[place].relations for place in between)


def _other_link(ground: Ground, name: str, a: Words, b: Words) -> Span | None:
    """The passage that links one of the two claims, in its own role, with something else."""
    joints = list(_joints(ground, FAMILIES[name]))
    if any(_same(a, first) and _same(b, second) for _, first, second in joints):
        return None
    for passage, first, second in joints:
        holds_both = share(a, passage.terms) >= LEAST_SHARE <= share(b, passage.terms)
        one_other = _same(a, first) and _differs(b, second)
        other_one = _same(b, second) and _differs(a, first)
        if (one_other or other_one) and not holds_both:
            return passage.span
    return None


def _joints(ground: Ground, family: frozenset[str]) -> Iterator[tuple[GroundPassage, Words, Words]]:
    """The links of a family in the source, with the words of their two parts."""
    for passage in ground.passages:
        if family & passage.relations:
            for joint in passage.cut.joints:
                if joint.use.relation in family and joint.use.is_firm:
                    yield passage, passage.pieces[joint.first], passage.pieces[joint.second]


def _same(claim: Words, clause: Words) -> bool:
    return share(claim, clause) >= LEAST_SHARE


def _differs(claim: Words, clause: Words) -> bool:
    """True if a clause is about something else: it shares no word with the claim."""
    return len(clause) >= FEWEST and claim.isdisjoint(clause)


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
