"""The questions that llm_server.py knows, told apart by bytes of their bodies, and its replies."""

import json
from functools import cache

CLAIMS = ("The ferry was repaired.", "The town paid for it.", "It was cheap.")
_LABEL = "faithful"
_REASON = "The source says so in its second sentence."
_FOUND = [
    {
        "quotes": ["million euros"],
        "evidence": ["million euros for its repair"],
        "description": "The sum that was paid is not the one in the source.",
        "category": "intrinsic-alteration",
    }
]
_AGAIN = [{**_FOUND[0], "description": "The source has another sum."}]

# The first form of which a body has all marks is answered.
FORMS: tuple[tuple[tuple[bytes, ...], object], ...] = (
    # Assay: judge-claims asks for claims, then about them; judge-simple for one label
    (
        (b'"sentence":{', b'"claim":{'),
        {"claims": [{"sentence": n, "claim": c} for n, c in zip((1, 2, 2), CLAIMS, strict=True)]},
    ),
    (
        (b'"number":{', b'"label":{'),
        {
            "claims": [
                {"number": n, "reason": _REASON, "evidence": ["It opened again"], "label": _LABEL}
                for n, _ in enumerate(CLAIMS, 1)
            ]
        },
    ),
    ((b'"reason":{', b'"label":{'), {"reason": _REASON, "label": _LABEL}),
    # localize-pipeline: one fact, which leaves out what both sentences name, so that they are
    # checked as well; the same found in two of the three, and merged
    ((b'"sentence":{', b'"fact":{'), {"facts": [{"sentence": 2, "fact": "It was closed."}]}),
    (
        (b'"number":{', b'"inconsistencies":{'),
        {
            "facts": [
                {"number": n, "inconsistencies": found}
                for n, found in enumerate((_FOUND, [], _AGAIN), 1)
            ]
        },
    ),
    ((b'"duplicates":{',), {"duplicates": [[1, 2]]}),
    # localize-cot, which sends no schema
    (
        (b"Final Output:",),
        {"reasoning": _REASON, "inconsistencies": _FOUND},
    ),
    # ragas
    (
        (b"NLIStatementOutput",),
        {"statements": [{"statement": c, "reason": _REASON, "verdict": 1} for c in CLAIMS]},
    ),
    ((b"StatementGeneratorOutput",), {"statements": CLAIMS}),
    # DeepEval
    ((b'"name":"Truths"',), {"truths": CLAIMS}),
    ((b'"name":"Claims"',), {"claims": CLAIMS}),
    ((b'"name":"Verdicts"',), {"verdicts": [{"verdict": "yes", "reason": None} for _ in CLAIMS]}),
    ((b'"name":"FaithfulnessScoreReason"',), {"reason": _REASON}),
)


def reply_to(body: bytes) -> bytes:
    """The whole HTTP answer to a call."""
    for number, (marks, _) in enumerate(FORMS):
        if all(mark in body for mark in marks):
            return _answer(number)
    return _UNKNOWN


def http(status: str, body: bytes) -> bytes:
    """A whole HTTP answer."""
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    return head.encode() + b"\r\n\r\n" + body


@cache
def _answer(number: int) -> bytes:
    message = {"role": "assistant", "content": json.dumps(FORMS[number][1])}
    reply = {
        "id": "reply",
        "object": "chat.completion",
        "created": 1,
        "model": "loopback",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": 400, "completion_tokens": 40, "total_tokens": 440},
    }
    return http("200 OK", json.dumps(reply).encode())


_UNKNOWN = http("400 Bad Request", b'{"error": {"message": "this question is not in llm_forms"}}')
