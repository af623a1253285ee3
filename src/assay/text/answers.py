"""Answers that say something only together with their question: yes, no, and what stands for them.

They are English, as the words of the lists are.
"""

import re

_ANSWERING = (
    "yes yeah yep correct right true absolutely certainly definitely indeed exactly no nope nah"
    " incorrect wrong false not never neither both none nothing nobody"
)
# The answer itself, then words that only repeat who and what was asked: `No, they did not.`
_FILLING = (
    "a all also always at actually an and any are aren't be been both but by can can't cannot could"
    " couldn't did didn't do does doesn't don't each either else exactly had hadn't has hasn't have"
    " haven't he her his i i'm in indeed is isn't it it's its may might must my no none nor not of"
    " on one or our shall she should shouldn't so some still such that that's the their them then"
    " there they they're this those to too was wasn't we were weren't will with won't would"
    " wouldn't yes you your"
)
_FIRST = frozenset(_ANSWERING.split())
_REST = _FIRST | frozenset(_FILLING.split())
# Words that a question begins with which yes or no answers, wherever one of its clauses begins.
_ASKING = re.compile(
    r"(?:^|[.,;:!?)\]\n]\s{0,9}|\b(?:and|but|so|or|then) )(?:(?:please|well) )?"
    r"(?:am|are|aren['’]t|can|can['’]t|could|couldn['’]t|did|didn['’]t|do|does|doesn['’]t|don['’]t"
    r"|had|has|hasn['’]t|have|haven['’]t|is|isn['’]t|may|might|must|shall|should|shouldn['’]t|was"
    r"|wasn['’]t|were|weren['’]t|will|won['’]t|would|wouldn['’]t)\b",
    re.IGNORECASE,
)
_TAGGED = re.compile(r"\b(?:right|correct|true|yes or no|or not) ?\?", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)?")
_OTHER = re.compile(r"[^\W_A-Za-z]")
_MOST_WORDS = 8


def answers_only(sentence: str, question: str) -> bool:
    """Whether a sentence is a bare answer to a question that yes or no can answer.

    >>> answers_only("No, they are not.", "Are gift cards refundable?")
    True
    >>> answers_only("No, they expire.", "Are gift cards refundable?")
    False
    """
    if not question or _OTHER.search(sentence):
        return False
    words = [word.lower().replace("’", "'") for word in _WORD.findall(sentence)]
    if not 0 < len(words) <= _MOST_WORDS or words[0] not in _FIRST:
        return False
    return all(word in _REST for word in words) and is_polar(question)


def is_polar(question: str) -> bool:
    """Whether yes or no can answer a question.

    >>> is_polar("If I leave, do I get a refund?"), is_polar("When does the shop open?")
    (True, False)
    """
    return bool(_ASKING.search(question) or _TAGGED.search(question))
