"""The settings of a project."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import msgspec

from assay.core.codec import encode
from assay.core.errors import InputError

Mode = Literal["sentences", "spans", "both"]
MOST_ANNOTATORS = 9


@dataclass(frozen=True, slots=True)
class ProjectSettings:
    """Sentences by the decision tree, spans by FaithBench's classes, or both; and how they go.

    `k` people annotate an item without seeing each other's work. Where they differ they discuss it,
    somebody else reviews it, and an adjudicator settles what is left, as the project wants.
    """

    mode: Mode = "sentences"
    k: int = 1
    discussion: bool = False
    review: bool = False
    show_detectors: bool = True
    show_model: bool = False
    quiz_pass: float = 0.8  # the share of the quiz that has to be right
    guidelines: str = ""

    def __post_init__(self) -> None:
        if not 1 <= self.k <= MOST_ANNOTATORS:
            message = f"an item has 1 to {MOST_ANNOTATORS} annotators, not {self.k}"
            raise InputError(message, field="k")
        if not 0 <= self.quiz_pass <= 1:
            message = f"the share to pass lies between 0 and 1, not at {self.quiz_pass}"
            raise InputError(message, field="quiz_pass")

    @property
    def has_sentences(self) -> bool:
        """True if sentences are judged."""
        return self.mode in ("sentences", "both")

    @property
    def has_spans(self) -> bool:
        """True if spans are marked."""
        return self.mode in ("spans", "both")

    def shown_id(self, id: str, model: str) -> str:
        """The id of an example as annotators see it: without the model's name where it is hidden.

        >>> ProjectSettings().shown_id("ferries/openai/gpt-4o", "openai/gpt-4o")
        'ferries/…'
        """
        if self.show_model:
            return id
        for name in filter(None, (model, model.rpartition("/")[2])):
            id = id.replace(name, "…")
        return id


def write_settings(settings: ProjectSettings) -> str:
    """The settings as the database keeps them."""
    return encode(settings).decode()


@lru_cache(maxsize=256)
def read_settings(text: str) -> ProjectSettings:
    """The settings that the database keeps."""
    try:
        return msgspec.json.decode(text, type=ProjectSettings)
    except msgspec.MsgspecError as error:
        raise InputError(
            f"the settings of the project are damaged: {error}", code="damaged"
        ) from None
