"""Where a corrected response differs from the response: the words that somebody took out."""

import re
from difflib import SequenceMatcher

from assay.core.spans import Span

_WORD = re.compile(r"\w+(?:[’'.,-]\w+)*")


def changed_spans(response: str, corrected: str) -> tuple[Span, ...]:
    """The spans of the response that the correction does not keep, compared word by word.

    >>> [span.text for span in changed_spans("Both were 39 then.", "They were 38 and 39 then.")]
    ['Both']
    """
    words = list(_WORD.finditer(response))
    before = [word[0].casefold() for word in words]
    after = [word.casefold() for word in _WORD.findall(corrected)]
    matcher = SequenceMatcher(a=before, b=after, autojunk=False)
    return tuple(
        Span.cut(response, words[start].start(), words[end - 1].end(), "response")
        for kind, start, end, _, _ in matcher.get_opcodes()
        if kind in ("replace", "delete")
    )
