"""Reading replies: thoughts are removed, refusals recognized, and unreadable replies reported."""

import json
import re
from collections import Counter

from assay.core.verdicts import FailureReason

_TAG = re.compile(
    r"<\s*+(?P<close>/?+)\s*+(?P<name>think|thinking|reasoning)\b[^<>]{0,100}+>", re.IGNORECASE
)
_QUOTES = "\"'`“”‘’«»"
_OPENING = 400  # characters in which a refusal shows


class UnreadableError(Exception):
    """A reply without a readable verdict; `wanted` tells the model what to do instead.

    A reply that can be read, but contradicts itself or is good only in part, brings a `fallback`:
    what is made of it if asking again does not help.
    """

    def __init__(
        self,
        problem: str,
        *,
        wanted: str = "Reply again.",
        reason: FailureReason = "parse",
        fallback: object = None,
    ) -> None:
        super().__init__(problem)
        self.wanted = wanted
        self.reason: FailureReason = reason
        self.fallback = fallback


def final_text(text: str) -> str:
    """The reply without `<think>` blocks; nothing is left of a reply whose thoughts never end.

    >>> final_text("<think>Is it? <think>Yes.</think></think> Consistent")
    'Consistent'
    """
    return separated(text)[0]


def separated(text: str) -> tuple[str, str]:
    """The reply without `<think>` blocks, and what the model thought in them.

    A closing tag without an opening one ends thoughts that began before the reply. Tags in
    quotation marks, or in a reply that is one JSON value, are only mentioned and do not count.

    >>> separated("<think>Is it?</think> Consistent")
    ('Consistent', 'Is it?')
    """
    if not _TAG.search(text) or _is_json(text):
        return text.strip(), ""
    said: list[str] = []
    thought: list[str] = []
    thoughts: list[str] = []  # the names of the open blocks
    depth = Counter[str]()  # how many of each name are open
    at = 0
    for tag in _TAG.finditer(text):
        name = tag["name"].casefold()
        if _is_mentioned(text, tag):
            continue
        if not tag["close"]:
            (thought if thoughts else said).append(text[at : tag.start()])
            at = tag.end()
            thoughts.append(name)
            depth[name] += 1
        elif depth[name]:
            depth[name] -= 1
            while (closed := thoughts.pop()) != name:
                depth[closed] -= 1
            thought.append(text[at : tag.start()])
            at = tag.end()
        elif not thoughts:
            thought += [*said, text[at : tag.start()]]
            said, at = [], tag.end()
    (thought if thoughts else said).append(text[at:])
    if thoughts:
        said = []
    return "".join(said).strip(), "\n".join(filter(None, map(str.strip, thought)))


def _is_json(text: str) -> bool:
    if not text.lstrip().startswith(("{", "[")):
        return False
    try:
        json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return False
    return True


def _is_mentioned(text: str, tag: re.Match[str]) -> bool:
    before, after = text[tag.start() - 1 : tag.start()], text[tag.end() : tag.end() + 1]
    return bool(before and after) and before in _QUOTES and after in _QUOTES


_APOLOGY = (
    r"(?:(?:(?:i'm |i am |we're |we are )?(?:so |very |really |truly )?sorry|i (?:do )?apologi[sz]e"
    r"|(?:my )?apologies|unfortunately|as an ai\b[^,.]{0,40})[,.:;!]* ?[—–-]? ?(?:(?:but|however)"
    r"\b,?)? ?){0,3}"
)
_CANNOT = (
    r"(?:(?:i|we) (?:really |simply )?(?:can't|can ?not|won't|will not|decline to|refuse to"
    r"|(?:must|have to) (?:decline|refuse) to)"
    r"|(?:i'm|i am|we're|we are) (?:unable|not (?:able|allowed|permitted|willing)) to) "
)
_DEEDS = (
    r"(?:assist|help(?! but\b)|comply|engage|participate|proceed|continue)\b",
    r"(?:fulfill?|complete|process|handle|perform|support|do|answer|respond to|discuss|judge"
    r"|evaluate|assess|review|analy[sz]e|rate|classify) (?:(?:this|that)(?=[.,;!]|$)"
    r"|(?:this|that|your|such|these|the) (?:[\w-]+ ){0,2}"
    r"(?:request|content|material|texts?|task|question|prompt|topic|kind|type)\b(?! as\b))",
    r"(?:provide|give|offer|produce|generate|create|write|share) (?:[\w-]+ ){0,4}"
    r"(?:verdict|judge?ment|assessment|evaluation|answer|response|classification|rating"
    r"|analysis|assistance|help|content|output)\b",
)
_PLAIN = (
    r"(?:i (?:must|have to|respectfully) (?:decline|refuse)(?! to\b)|i(?:'m| am) not comfortable"
    r"|(?:this|that|your|the) (?:request|prompt|content|material) (?:violates|goes against"
    r"|is against|(?:was|is|has been) (?:blocked|flagged|rejected|refused|declined)))\b"
)
_REFUSAL = re.compile(rf"{_APOLOGY}(?:{_CANNOT}(?:{'|'.join(_DEEDS)})|{_PLAIN})")


def is_refusal(text: str) -> bool:
    """True if a reply begins by declining to answer; meant for replies that could not be read.

    >>> is_refusal("I'm sorry, but I can't help with that.")
    True
    >>> is_refusal("I can't find any claim that the source does not support.")
    False
    """
    opening = re.sub(r"[*_#]", "", text[:_OPENING].casefold().replace("’", "'"))
    return bool(_REFUSAL.match(" ".join(opening.split())))
