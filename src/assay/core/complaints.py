"""Complaints: what a rule finds fault with, known before or not, and the name it keeps."""

from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal
from unicodedata import normalize

from assay.core.examples import Example
from assay.core.judgements import Finding
from assay.core.wire import EndState

Standing = Literal["new", "noted", "known", "accepted"]

_BYTES = 6  # of a fingerprint, which has two digits for each


@dataclass(frozen=True, slots=True)
class AcceptedFinding:
    """The note of a person who looked at a finding and lets it pass."""

    fingerprint: str
    who: str
    why: str
    when: str = ""

    def __str__(self) -> str:
        return f"accepted by {self.who}{f' on {self.when}' if self.when else ''}: {self.why}"


@dataclass(frozen=True, slots=True)
class Complaint:
    """A finding that breaks a rule about sentences, and what is known of it from before.

    Only a new one makes a check fail; one that is `noted` is new, and for the next state of a
    baseline. `rule` is the label, a coarse reading or `low-score`, and
    `said` is the same in words.
    """

    finding: Finding
    rule: str
    said: str
    fingerprint: str
    standing: Standing = "new"
    acceptance: AcceptedFinding | None = None


@dataclass(frozen=True, slots=True)
class CheckEnd:
    """The end of a check: what ended it, and what its rules say of all of it.

    `share` is about the rule on the share of unfaithful responses, if there is one, and
    `share_state` says whether it is kept; with nothing judged, nobody knows. `unscored` tells of
    responses that a rule about scores could not look at.
    """

    state: EndState = "complete"
    message: str = ""
    told: str = ""
    failed: bool = False
    share: str = ""
    share_state: Literal["kept", "broken", "unknown"] = "kept"
    unscored: str = ""

    @property
    def cut_off(self) -> str:
        """The reason why not all was judged, in words; empty where it was."""
        if self.state == "complete":
            return ""
        return f"it did not go on to its end: {self.message or self.state}"


def fingerprint(example: Example, text: str) -> str:
    """The name of a finding that stays the same from check to check: 12 hexadecimal digits.

    It is made of the example's id and the text of the sentence, white space aside, and the form of
    its accents. Neither the label counts nor the place: they change with the detector, and with
    what stands before.
    """
    words = " ".join(normalize("NFC", text).split())
    return _digest(f"{key_of(example)}\n{words}")


def key_of(example: Example) -> str:
    """The example's id; for a row without one, a digest of its source and question."""
    if example.place is None or not example.place.names_example:
        return example.id
    said = f"{example.source.own_text}\n{example.question}"
    return f"source {_digest(said)}"


def _digest(text: str) -> str:
    return blake2b(text.encode(errors="surrogatepass"), digest_size=_BYTES).hexdigest()
