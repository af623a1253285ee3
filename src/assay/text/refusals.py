"""Responses that are none: empty ones, those of a few words, and those that decline the task.

The rule of five words is that of the hallucination leaderboard (docs/papers.md); the answer to a
question may be shorter. The explicit test
looks only at how a response begins: a writer who declines says so first, and what is declined
further on, or between quotation marks, is what the text is about. A response that declines and
goes on with what was asked for is a response.
"""

import re
from dataclasses import dataclass
from typing import Literal

from assay.text.words import count_words

RefusalKind = Literal["empty", "short", "explicit"]

FEWEST = 6  # words of a response
LONGEST = 150  # words of a refusal with its reasons; whoever writes more has done something else
_BEGIN = 300  # characters in which a refusal shows
_ENOUGH = 80  # characters that have six words nearly always
_REST = 4_000  # characters in which a summary that follows is announced

_LEAD = (
    r"(?:<(?:bos|pad|s)>|[\s#*_'>-]){0,20}"
    r"(?:(?:(?:i'm|i am|we're|we are) )?(?:so |very |really |truly |terribly )?sorry"
    r"|i (?:do )?apologi[sz]e(?: for (?:the|any) [a-z]{1,20})?|(?:my )?apologies|unfortunately"
    r"|as an ai\b[^,.]{0,40}|(?:based|relying) (?:solely |only )?on the [a-z]{1,12}[^,.]{0,30})"
    r"?(?:[,.:;!] | [—–-] | )?(?:(?:but|however|so|therefore),? )?"
)
_THING = r"(?:passages?|texts?|articles?|documents?|contents?|paragraphs?|sources?|contexts?|data)"
_WORK = (
    r"(?:summar(?:y|ies|i[sz]e)|answers?|overviews?|descriptions?|responses?|replies|reply"
    r"|information|assistance|help|content|analysis|requests?|questions?|tasks?|prompts?)"
)
_CANNOT = (
    r"(?:(?:i|we|this model) (?:really |simply |also )?(?:can't|can ?not|won't|will not"
    r"|do not feel able to|decline to|refuse to|must decline to|am unable to|are unable to"
    r"|is unable to|am not (?:able|allowed|permitted|willing) to)"
    r"|(?:i'm|we're) (?:unable|not (?:able|allowed|permitted|willing)) to"
    r"|unable to|(?:it is|it's) (?:not possible|impossible) (?:for me )?to)"
)
_DEED = (
    rf"(?:assist|help(?! but\b)|comply|(?:properly |accurately )?summari[sz]e|respond to|answer"
    rf"|(?:provide|give|offer|produce|generate|create|write|fulfil|fulfill|complete|process)"
    rf"(?: [a-z'-]{{1,20}}){{0,4}}? {_WORK})\b"
)
_NOTHING = (
    rf"(?:there is no (?:[a-z]{{1,12}} )?{_THING} (?:provided|given|here|present|included"
    rf"|to (?:summari[sz]e|provide|answer|work))"
    rf"|(?:no (?:[a-z]{{1,12}} )?{_THING}|you(?:'ve| have)? (?:did not|didn't|not)"
    rf"|you haven't) (?:was |were |has been |actually )?provided?\b"
    rf"|(?:sure[,!.]? |certainly[,!.]? |of course[,!.]? )?(?:please|could you(?: please)?|kindly) "
    rf"(?:provide|share|supply|send|paste)(?: me)?(?: with)? the {_THING}"
    rf"|i (?:do not|don't) have (?:enough |sufficient |access to |any )(?:[a-z-]{{1,15}} ){{0,3}}?"
    rf"(?:context|information|{_THING})\b)"
)
_DECLINED = (
    r"(?:i (?:must|have to|respectfully) (?:decline|refuse)(?! to\b)|i(?:'m| am) not comfortable"
    r"|(?:this|that|your) (?:request|prompt) (?:violates|goes against|is against))\b"
)
_REFUSAL = re.compile(rf"{_LEAD}(?:{_CANNOT} {_DEED}|{_NOTHING}|{_DECLINED})")
_GOES_ON = re.compile(
    r"\bhere(?:'s| is| are) (?:a|an|the|my) (?:[a-z]{1,15} ){0,3}(?:summary|answer|overview)\b"
    r"|\b(?:in summary|to summari[sz]e),|\bsummary:"
    r"|\b(?:however|that said|nevertheless|instead), (?:if i|i can (?!not)|here|based on)"
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason why a text is no response: it is empty, too short, or declines the task."""

    kind: RefusalKind
    detail: str


def refusal_of(text: str, question: str = "") -> Refusal | None:
    """The kind of refusal; None for a real response. Thoughts must be taken out before.

    One word may be the answer to a question.

    >>> refusal_of("I'm sorry, but I can't summarize this text.").kind
    'explicit'
    >>> refusal_of("The bridge was closed.").kind
    'short'
    >>> refusal_of("The mayor said: \\"I'm sorry, I cannot answer that,\\" and left the hall.")
    """
    if not text.strip():
        return Refusal("empty", "the reply is empty")
    if not question and count_words(text[:_ENOUGH]) < FEWEST:
        count = count_words(text[:_REST])
        if count < FEWEST:
            return Refusal("short", f"the reply has only {count} word{'' if count == 1 else 's'}")
    if _declines(text) and count_words(text[:_REST]) <= LONGEST:
        return Refusal("explicit", f'the reply declines: "{_quoted(text)}"')
    return None


def _declines(text: str) -> bool:
    begin = re.sub(r"[*_#]", "", text[:_BEGIN].casefold().replace("’", "'"))
    found = _REFUSAL.match(" ".join(begin.split()))
    if not found:
        return False
    return not _GOES_ON.search(text[:_REST].casefold().replace("’", "'"))


def _quoted(text: str) -> str:
    line = " ".join(text[:_BEGIN].split())
    return line if len(line) <= 80 else line[:79].rstrip() + "…"
