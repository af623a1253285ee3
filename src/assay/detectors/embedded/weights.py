"""The model's files, checked before they are used, and what its card says."""

import hashlib
import json
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, cast
from zipfile import BadZipFile

import numpy as np

from assay.core.errors import InputError
from assay.detectors.embedded.entailment import EntailmentModel, read_card
from assay.detectors.embedded.network import Network
from assay.detectors.embedded.packing import Packed
from assay.detectors.embedded.reading import SOURCE_TOKENS
from assay.detectors.embedded.tokens import Tokenizer

SHIPPED = Path(__file__).parent / "model"
CARD = "model.json"
BATCH = 8  # examples
_REMEDY = "install assay again, or use another detector, such as overlap"


@dataclass(frozen=True)
class Model:
    """A folder with a card, a vocabulary and weights."""

    folder: Path

    @cached_property
    def card(self) -> dict[str, Any]:
        """What the model is, how it was calibrated, and the checksums of its files."""
        try:
            card = json.loads(self._read(CARD))
            {**card["files"]}  # a card without checksums is none
        except (KeyError, TypeError, ValueError):
            raise self.damaged(CARD) from None
        return cast(dict[str, Any], card)

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """Cuts text into the model's tokens."""
        return Tokenizer.read(self._checked("vocabulary.txt"))

    @cached_property
    def network(self) -> Network:
        """The network with its weights in 32 bits."""
        path = self._checked("weights.npz")
        try:
            with np.load(path) as file:
                arrays = {name: file[name] for name in file.files}
            embedding = Packed(*(arrays.pop(f"embedding.{field}") for field in Packed._fields))
            return Network.from_arrays(arrays, embedding)
        except (BadZipFile, KeyError, OSError, ValueError):
            raise self.damaged(path.name) from None

    @cached_property
    def ready(self) -> EntailmentModel:
        """All that its detector needs, loaded and checked."""
        card = self.card
        try:
            settings = read_card(card)
        except (InputError, KeyError, TypeError, ValueError):
            raise self.damaged(CARD) from None
        return EntailmentModel(
            "embedded",
            self.digest,
            self.tokenizer,
            self.network,
            settings.calibration,
            settings.pointer,
            settings.marker,
            window=SOURCE_TOKENS,
            batch=BATCH,
        )

    def _checked(self, name: str) -> Path:
        """A file whose checksum is the card's."""
        if hashlib.sha256(self._read(name)).hexdigest() != self.card["files"].get(name):
            raise self.damaged(name)
        return self.folder / name

    def _read(self, name: str) -> bytes:
        try:
            return (self.folder / name).read_bytes()
        except OSError as error:
            raise InputError(
                f"the embedded model's file {self.folder / name} cannot be read"
                f" ({error.strerror}): {_REMEDY}"
            ) from None

    @property
    def digest(self) -> str:
        """Which weights these are."""
        return str(self.card["files"].get("weights.npz", ""))[:16]

    def damaged(self, name: str) -> InputError:
        """The error for a file that is not what it should be."""
        return InputError(f"the embedded model's file {self.folder / name} is damaged: {_REMEDY}")


@cache
def _keep(folder: Path, changed: int) -> Model:
    return Model(folder)


def load_model(folder: Path) -> Model:
    """The model of a folder; it is loaded once, and again only if its card has changed."""
    try:
        changed = (folder / CARD).stat().st_mtime_ns
    except OSError:
        changed = 0
    return _keep(folder, changed)


def facts() -> dict[str, str]:
    """The facts of the shipped model, by heading; its weights are not loaded."""
    card = Model(SHIPPED).card
    size = sum(path.stat().st_size for path in SHIPPED.iterdir())
    return {
        "model": f"{card['name']}: {card['layers']} layers,"
        f" {card['parameters'] / 1e6:.1f} million weights in four bits, {size / 1e6:.1f} MB",
        "licence": "Apache-2.0; made from SmolLM2-135M-Instruct (Apache-2.0)",
        "language": "English only; anything else is left without a verdict",
        "reads at once": f"up to {SOURCE_TOKENS:,} tokens of the source, about"
        f" {round(SOURCE_TOKENS * 0.75, -2):,.0f} words; of more, the passages nearest to the"
        " sentences",
        "not answered": "whether a sentence has several readings, and whether outside knowledge"
        " supports it",
        "measured on": "sources that were not trained on; value (95 % interval), n",
        **card.get("figures", {}),
        "must not be used": "as the only judge where an error harms somebody; docs/model-card.md"
        " says why, with known failures",
    }
