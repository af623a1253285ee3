"""Yes or no by a model that was trained to answer so, and how likely it found each of the two.

Nobody is asked again: a second turn is nothing that these models were trained on. The probability
of a word is the sum over the tokens that spell it, in whichever case.
"""

import re
from collections.abc import Iterable
from math import exp
from typing import Literal

from assay.detectors.judges.judging import one_line
from assay.llm.client import CallError, ModelClient, Reply, Request, Token
from assay.llm.replies.texts import is_refusal

Word = Literal["yes", "no"]

NO_SCORE = "No score: the server gave no token probabilities."
_FIRST = re.compile(r"\W{0,9}(yes|no)(?!\w)", re.IGNORECASE)
_SHOWN = 60  # characters of a reply that could not be read


async def ask_once(client: ModelClient, request: Request) -> Reply:
    """The reply to a question that is asked only once; a refusal raises `CallError`."""
    reply = await client.ask(request)
    if reply.refusal or reply.finish == "filter":
        detail = reply.refusal or "the server's content filter stopped the reply"
        raise CallError("refused", detail, raw=reply.text)
    return reply


def first_word(reply: Reply, text: str) -> Word:
    """The yes or no that a text begins with; anything else raises `CallError`."""
    found = _FIRST.match(text)
    if not found:
        raise unread(reply, text, "yes nor no")
    return "yes" if found[1].casefold() == "yes" else "no"


def unread(reply: Reply, text: str, wanted: str) -> CallError:
    """The error of a reply that is neither of the wanted words."""
    if reply.finish == "length":
        detail = f"the reply was cut off at {reply.usage.completion:,} tokens"
        return CallError("truncated", detail, raw=reply.text)
    if is_refusal(text):
        return CallError("refused", "the model declined to judge", raw=reply.text)
    said = one_line(text)
    shown = f"'{said[:_SHOWN]}'" if said else "empty"
    return CallError("parse", f"the reply is neither {wanted}: {shown}", raw=reply.text)


def first_token(reply: Reply) -> Token | None:
    """The first token that is not only space; None if the server sent no tokens."""
    return next((token for token in reply.tokens if token.text.strip()), None)


def mass(tokens: Iterable[Token], word: Word) -> float:
    """The probability of a word among the likeliest tokens, summed over the places of a reply."""
    likeliest = (token.alternatives or ((token.text, token.logprob),) for token in tokens)
    spelt = (piece for some in likeliest for piece in some if piece[0].strip().casefold() == word)
    return sum(exp(min(logprob, 0.0)) for _, logprob in spelt)
