"""An entailment model that is ready to be used: what the detectors of every size are made from."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from assay.detectors.embedded.calibration import Calibration
from assay.detectors.embedded.marking import Marker
from assay.detectors.embedded.network import NetworkOutput
from assay.detectors.embedded.pointing import Pointer
from assay.detectors.embedded.tokens import Tokenizer, TokenRow


class EntailmentNetwork(Protocol):
    """Reads rows of tokens: three logits at each mark, and where it looks in the source."""

    def forward_all(
        self, rows: Sequence[TokenRow], attention: Collection[int] = ()
    ) -> list[NetworkOutput]:
        """The results of the rows, in their order, with the attention of some layers."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class EntailmentModel:
    """Tokenizer, network and what the model's card says; `digest` tells which weights these are."""

    name: str  # of its detector
    digest: str
    tokenizer: Tokenizer
    network: EntailmentNetwork
    calibration: Calibration
    pointer: Pointer
    marker: Marker | None  # without one, or without a word head, no words are marked
    window: int  # tokens of the source that are read at once
    batch: int  # examples that are read together
    reads_answers: bool = True  # whether it can tell a right bare answer from a wrong one


@dataclass(frozen=True, slots=True)
class CardSettings:
    """Settings from a model's card for scores, evidence and marks."""

    calibration: Calibration
    pointer: Pointer
    marker: Marker | None
    reads_answers: bool = True


def read_card(card: dict[str, Any]) -> CardSettings:
    """Read the settings in a model's card; a damaged one raises."""
    heads = [(int(a), int(b), float(c)) for a, b, c in card["evidence"]["heads"]]
    return CardSettings(
        Calibration.read(card["calibration"]),
        Pointer(tuple(heads)),
        Marker.read(card["marks"]) if "marks" in card else None,
        bool(card.get("bare_answers", True)),
    )
