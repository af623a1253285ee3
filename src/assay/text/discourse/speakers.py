"""Attributions: `Ada Rossi said that ...`, `According to the mayor, ...`."""

import re
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from assay.text.discourse.clauses import NOT_BEFORE_VERB, ClauseWord, first_verb, is_verb, words_of
from assay.text.discourse.lexicon import find_cues, pattern_of, plain, word_lists

_LONGEST = 8  # words that name a speaker
_ACCORDING = re.compile(r"\W*according to (?P<who>[^,;:]{2,80}), ")
_AT_THE_END = re.compile(r", according to (?P<who>[^,;:]{2,80}?)[.!?\"”’)\s]*$")
_OPENS_CONTENT = re.compile(r"[\s,:\"“]*+(?:that\b[\s,:\"“]*+)?")
_TOLD = re.compile(r"(?:tell|tells|told)\s(?:[\w'-]+\s){1,5}that\s")
_WHOM = ("tell", "tells", "told")
_AUXILIARIES = frozenset("has have had also later then did".split())
_PASSIVE = frozenset("is are was were be been being isn't aren't wasn't weren't".split())
_THINGS = frozenset("nothing something anything everything so that this it yes no little".split())


@dataclass(frozen=True, slots=True)
class Speaker:
    """The places of the speaker, of the words that report the speech, and of what is said."""

    who: tuple[int, int]
    cue: tuple[int, int]
    content: tuple[int, int]
    leaves_open: bool  # whether the verb does not vouch for the content: claims, believes


def find_speaker(sentence: str) -> Speaker | None:
    """The speaker to whom the sentence is attributed, if there is one.

    >>> sentence = "The mayor said that the bridge is safe."
    >>> speaker = find_speaker(sentence)
    >>> sentence[slice(*speaker.who)], sentence[slice(*speaker.content)]
    ('The mayor', 'the bridge is safe.')
    """
    low = plain(sentence)
    if found := _ACCORDING.match(low):
        return Speaker(found.span("who"), found.span(), (found.end(), len(low)), False)
    if found := _AT_THE_END.search(low):
        return Speaker(found.span("who"), found.span(), (0, found.start()), False)
    return _with_verb(sentence, low) or _behind(low)


def _with_verb(sentence: str, low: str) -> Speaker | None:
    """`X said that ...`: the reporting verb is the first verb of the sentence."""
    words = words_of(sentence)
    verb = _predicate(words)
    found = verb and _verbs().match(low, verb.start)
    if not verb or not found or _hangs(sentence, verb.start):
        return None
    before = [each for each in words if each.start < verb.start and each.text not in _AUXILIARIES]
    start = _content(low, found)
    if not before or len(before) > _LONGEST or not _is_clause(sentence, start):
        return None
    if before[-1].text in _PASSIVE:  # it was announced that
        return None
    who = (before[0].start, before[-1].end)
    return Speaker(who, (who[0], found.end()), (start, len(low)), _leaves_open(verb.text))


def _is_clause(sentence: str, start: int) -> bool:
    """True if what is said has a verb before its first comma, so that it is not merely a thing."""
    comma = sentence.find(",", start)
    return first_verb(words_of(sentence, start, comma if comma > 0 else None)) is not None


def _hangs(sentence: str, end: int) -> bool:
    """True if a subordinate clause begins before a position."""
    return any(cue.start < end and cue.use("clause", "phrase") for cue in find_cues(sentence))


def _content(low: str, verb: re.Match[str]) -> int:
    """The start of the reported words; after `told`, the person told comes first, up to `that`."""
    pattern, start = (_TOLD, verb.start()) if verb[0] in _WHOM else (_OPENS_CONTENT, verb.end())
    opened = pattern.match(low, start)
    return opened.end() if opened else len(low)


def _predicate(words: list[ClauseWord]) -> ClauseWord | None:
    """The first verb that is not the first word; of several in a row, the last."""
    found: ClauseWord | None = None
    for before, word in pairwise(words):
        if is_verb(word.text) and before.text not in NOT_BEFORE_VERB:
            found = word
        elif found and word.text not in _AUXILIARIES:
            break
    return found


def _behind(low: str) -> Speaker | None:
    """`..., X said.` or `..., said X.`"""
    for found in _tails().finditer(low):
        who = "who" if found["who"] else "other"
        verb = found["verb"] or found["verb_first"]
        is_somebody = found[who] not in _THINGS and len(found[who].split()) <= _LONGEST
        if is_somebody and found.start() > 0:
            return Speaker(found.span(who), found.span(), (0, found.start()), _leaves_open(verb))
    return None


def _leaves_open(verb: str) -> bool:
    return verb in word_lists("reporting")["firm"]


@cache
def _verbs() -> re.Pattern[str]:
    return pattern_of(word for words in word_lists("reporting").values() for word in words)


@cache
def _tails() -> re.Pattern[str]:
    verbs = _verbs().pattern
    return re.compile(
        rf",[\"”’]?\s++(?:(?P<who>[^,;:]{{1,59}}?[^,;:\s])\s++(?P<verb>{verbs})"
        rf"|(?P<verb_first>{verbs})\s++(?P<other>[^,;:]{{2,60}}?))[.!?\"”’)\s]*+$"
    )
