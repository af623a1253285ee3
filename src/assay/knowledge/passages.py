"""A passage of outside knowledge, in the one form that every source gives."""

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from assay.core.errors import InputError
from assay.core.verdicts import ExternalEvidence

_HALVES = re.compile("[\ud800-\udfff]")
_TEXTS = ("text", "title", "address", "time", "retrieved")


@dataclass(frozen=True, slots=True)
class KnowledgePassage:
    """A short piece of a page or document, with where and when it was found.

    `time` is when the page was written or last changed, empty if that is not known; `retrieved` is
    when it was read. `start` is where the text begins in its document, where that is known. `score`
    says how well it fits the query: higher is better, and comparable within one answer only.
    """

    text: str
    title: str = ""
    address: str = ""
    time: str = ""
    retrieved: str = ""
    score: float | None = None
    start: int | None = None

    @property
    def digest(self) -> str:
        """The sha256 of the text: what a verdict names to say which words it rests on.

        >>> KnowledgePassage("The ferry sank in 1986.").digest[:12]
        '06a041287b63'
        """
        return sha256(whole(self.text).encode()).hexdigest()

    @property
    def evidence(self) -> ExternalEvidence:
        """The passage as a verdict cites it."""
        return ExternalEvidence(self.address, self.text, self.title, self.time, self.digest)

    def scored(self, score: float) -> "KnowledgePassage":
        """The same passage with another score."""
        return replace(self, score=score)


def passage_record(passage: KnowledgePassage) -> dict[str, Any]:
    """A passage as JSON, with its digest."""
    return {
        "digest": passage.digest,
        "title": passage.title,
        "address": passage.address,
        "time": passage.time,
        "retrieved": passage.retrieved,
        "score": passage.score,
        "start": passage.start,
        "text": passage.text,
    }


def read_passage(record: object) -> KnowledgePassage:
    """A passage from JSON; a text that does not fit its digest raises."""
    if not isinstance(record, dict) or not isinstance(record.get("text"), str):
        raise InputError("a snapshot is a JSON object with a 'text'")
    texts = {name: record.get(name) or "" for name in _TEXTS}
    if wrong := [name for name, value in texts.items() if not isinstance(value, str)]:
        raise InputError(f"the '{wrong[0]}' of a snapshot is text, not {texts[wrong[0]]!r}")
    score, start = record.get("score"), record.get("start")
    passage = KnowledgePassage(
        **texts,
        score=float(score) if isinstance(score, int | float) else None,
        start=start if isinstance(start, int) else None,
    )
    given = record.get("digest")
    if given is not None and given != passage.digest:
        raise InputError(f"the text does not fit its digest {given}: it was changed")
    return passage


def whole(text: str) -> str:
    """The text with a sign for each half of a character, which no file can hold; as long as before.

    >>> whole("a\\ud83d b")
    'a\\ufffd b'
    """
    return text if text.isascii() else _HALVES.sub("\ufffd", text)


def now() -> str:
    """The time as snapshots state it.

    >>> len(now())
    20
    """
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
