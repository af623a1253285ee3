"""Answers that say something only together with their question: yes, no, and what stands for them.

The patterns are English; `talk` knows the plainest answers of other languages.
"""

import re

from assay.text import talk
from assay.text.discourse.clauses import first_verb, words_of
from assay.text.words import words

_WORD = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)?")
_OTHER = re.compile(r"[^\W_A-Za-z]")
_MOST_WORDS = 8
_FEWEST_WORDS = 3  # of a sentence
_FEWEST_WITHOUT_VERB = 9  # of one whose verb is in no list
_FEWEST_ELSEWHERE = 5  # of one in another language; each character of Chinese is one

_AUXILIARY = (
    r"(?:am|are|aren't|be|can|can't|cannot|could|couldn't|did|didn't|do|does|doesn't|don't|had"
    r"|hadn't|has|hasn't|have|haven't|is|isn't|may|might|must|mustn't|shall|should|shouldn't|was"
    r"|wasn't|were|weren't|will|won't|would|wouldn't)"
)
_PRONOUN = r"(?:he|i|it|she|that|there|these|they|this|those|we|you)"
_TRUTH = r"(?:correct|false|incorrect|right|true|untrue|wrong)"
_AGREEING = (
    rf"(?:absolutely|certainly|definitely|exactly|indeed|nah|no|nope|of course|yeah|yep|yes"
    rf"|{_TRUTH})(?: not)?"
)
_OF_THEM = r"(?: of (?:it|them|these|those|us|you))?"
# What answers more than yes or no do: how many, who, what, when.
_COUNTING = rf"(?:(?:all|both|neither|none){_OF_THEM}|no one|nobody|nothing|never)"
_TAIL = rf"(?: (?:all|also|any|at all|both|either|indeed|none|not|so|still|then|too|{_TRUTH}))"
# `it does not`, `that's right`, `none of them have been`, `neither did they`: who and what was
# asked is repeated, and nothing is added.
_CLAUSE = (
    rf"(?:(?:{_PRONOUN}|{_COUNTING}) {_AUXILIARY}(?: not)?(?: (?:be|been|have|have been))?{_TAIL}?"
    rf"|(?:it|that|there|he|she)'s(?: not)?{_TAIL}|(?:they|we|you)'re(?: not)?{_TAIL}"
    rf"|(?:neither|nor|so) {_AUXILIARY} {_PRONOUN}"
    r"|not(?: (?:always|any|at all|necessarily|really|so|yet))?)"
)
_COUNTED = re.compile(rf"(?:{_AGREEING} )?{_COUNTING}(?: {_AUXILIARY}(?: not)?)?")
_ANSWER = re.compile(
    rf"(?:{_AGREEING}(?: {_AGREEING})?(?: (?:{_CLAUSE}|{_COUNTING}))?|{_CLAUSE}|{_COUNTING})"
)
# Words that a question begins with which yes or no answers, wherever one of its clauses begins.
_ASKING = re.compile(
    r"(?:^|[.,;:!?)\]\n]\s{0,9}|\b(?:and|but|so|or|then) )(?:(?:please|well) )?"
    r"(?:am|are|aren['’]t|can|can['’]t|could|couldn['’]t|did|didn['’]t|do|does|doesn['’]t|don['’]t"
    r"|had|has|hasn['’]t|have|haven['’]t|is|isn['’]t|may|might|must|shall|should|shouldn['’]t|was"
    r"|wasn['’]t|were|weren['’]t|will|won['’]t|would|wouldn['’]t)\b",
    re.IGNORECASE,
)
_INDIRECT = re.compile(
    r"\b(?:whether|(?:ask|asked|check|clear|confirm|find out|know|me|out|say|see|state|sure|tell"
    r"|verify|wonder|wondering) if)\b",
    re.IGNORECASE,
)
_TAGGED = re.compile(
    r"\b(?:right|correct|or not) ?\?|\b(?:true ?(?:or|/) ?false|yes ?(?:or|/) ?no)\b", re.IGNORECASE
)
_OPEN = re.compile(r"\b(?:how|what|when|where|which|who|whom|whose|why)\b", re.IGNORECASE)


def is_bare_answer(sentence: str, language: str = "en") -> bool:
    """True if a sentence says nothing without the question that it answers.

    >>> is_bare_answer("No, they are not."), is_bare_answer("No one was there.")
    (True, False)
    """
    is_english = bool(_ANSWER.fullmatch(_plain(sentence)))
    return is_english or talk.is_bare_answer(sentence, language)


def answers_only(sentence: str, question: str, language: str = "en") -> bool:
    """True if a sentence is a bare answer to a question that it can answer.

    >>> answers_only("No, they are not.", "Are gift cards refundable?")
    True
    >>> answers_only("No, they expire.", "Are gift cards refundable?")
    False
    """
    if not question or not is_bare_answer(sentence, language):
        return False
    is_english = bool(_ANSWER.fullmatch(_plain(sentence)))  # else questions are not told apart
    return not is_english or is_polar(question) or bool(_COUNTED.fullmatch(_plain(sentence)))


def is_polar(question: str) -> bool:
    """True if yes or no can answer a question.

    >>> is_polar("If I leave, do I get a refund?"), is_polar("When does the shop open?")
    (True, False)
    """
    if _ASKING.search(question) or _INDIRECT.search(question) or _TAGGED.search(question):
        return True
    return question.rstrip().endswith("?") and not _OPEN.search(question)


def is_fragment(sentence: str, language: str = "en") -> bool:
    """True if a sentence is none: a name, a date or a few words without a verb.

    Verbs are known in English only; in other languages, few words are none.

    >>> is_fragment("In 1987."), is_fragment("The museum opened in 1987.")
    (True, False)
    """
    if language != "en":
        return len(words(sentence)) < _FEWEST_ELSEWHERE
    own = words_of(sentence)
    fewest = _FEWEST_WORDS if first_verb(own) else _FEWEST_WITHOUT_VERB
    return len(own) < fewest


def _plain(sentence: str) -> str:
    """The words of a short English sentence; nothing of any other."""
    if _OTHER.search(sentence):
        return ""
    found = _WORD.findall(sentence)
    return " ".join(found).lower().replace("’", "'") if len(found) <= _MOST_WORDS else ""
