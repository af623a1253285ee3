"""How many tokens a request has: a rough estimate, and a number that it cannot pass.

No tokenizer is asked: every model has its own, and most are not public. The estimate takes four
bytes of UTF-8 for a token, which is four letters of English, two of Cyrillic and one to two
characters of Chinese. The bound takes every byte for a token of its own, since no tokenizer in
use makes more of a text than that, and adds what servers put around the messages.
"""

import json
import unicodedata
from collections.abc import Mapping
from typing import Any

from assay.llm.requests import Request

BYTES_A_TOKEN = 4
# Role names and separators of a message; instructions that a server adds of its own, for example
# those for replies after a schema. Chosen far above what chat templates are known to add.
AROUND_A_MESSAGE = 16
AROUND_A_CALL = 512


def estimate_tokens(text: str, bytes_a_token: float = BYTES_A_TOKEN) -> int:
    """About how many tokens a text has."""
    return round(_bytes(text) / bytes_a_token)


def estimate_prompt(request: Request, bytes_a_token: float = BYTES_A_TOKEN) -> int:
    """About how many tokens a request has."""
    texts = sum(_bytes(message.content) for message in request.messages)
    size = texts + len(schema_text(request.schema))
    return round(size / bytes_a_token) + 4 * len(request.messages)


def most_prompt_tokens(request: Request) -> int:
    """More tokens than a request can have."""
    texts = sum(_most_bytes(message.content) for message in request.messages)
    around = AROUND_A_CALL + AROUND_A_MESSAGE * len(request.messages)
    return texts + len(schema_text(request.schema)) + around


def schema_text(schema: Mapping[str, Any] | None) -> str:
    """A schema as it is sent; the order of its properties matters, so it is kept."""
    return json.dumps(schema) if schema else ""


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _most_bytes(text: str) -> int:
    """The size of a text, also for a tokenizer that writes out its compatibility characters."""
    if text.isascii():
        return len(text)
    return max(_bytes(text), _bytes(unicodedata.normalize("NFKC", text)))
