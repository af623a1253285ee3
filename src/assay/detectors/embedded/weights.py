"""The small model, which comes with the package."""

from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import ClassVar

from assay.detectors.embedded.entailment import EntailmentModel
from assay.detectors.embedded.folders import OWN_LICENCE, ModelFolder
from assay.detectors.embedded.network import Network
from assay.detectors.embedded.packing import Packed
from assay.detectors.embedded.reading import SOURCE_TOKENS
from assay.detectors.embedded.tokens import Tokenizer

SHIPPED = Path(__file__).parent / "model"
WEIGHTS, VOCABULARY = "weights.npz", "vocabulary.txt"
BATCH = 8  # examples


@dataclass(frozen=True)
class Model(ModelFolder):
    """A folder with a card, a vocabulary and weights."""

    detector: ClassVar[str] = "embedded"
    weights: ClassVar[str] = WEIGHTS
    remedy: ClassVar[str] = "install assay again, or use another detector, such as overlap"

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """Cuts text into the model's tokens."""
        return Tokenizer.read(self.checked(VOCABULARY))

    @cached_property
    def network(self) -> Network:
        """The network with its weights in 32 bits."""
        arrays = dict(self.arrays(WEIGHTS))
        try:
            codes, scale, low = (arrays.pop(f"embedding.{field}") for field in Packed._fields)
            embedding = Packed(codes.view("u1"), scale.view("f2"), low.view("f2"))
            return Network.from_arrays(arrays, embedding)
        except (KeyError, ValueError):
            raise self.damaged(WEIGHTS) from None

    @cached_property
    def ready(self) -> EntailmentModel:
        """All that its detector needs, loaded and checked."""
        return self.assembled(
            self.settings, self.tokenizer, self.network, window=SOURCE_TOKENS, batch=BATCH
        )


@cache
def _keep(folder: Path, changed: int) -> Model:
    return Model(folder)


def load_model(folder: Path) -> Model:
    """The model of a folder; it is loaded once, and again only if its card has changed."""
    return _keep(folder, Model(folder).changed)


def facts(folder: str = "") -> dict[str, str]:
    """The facts of the shipped model or that of a folder, by heading; no weights are loaded."""
    model = Model(Path(folder).resolve() if folder else SHIPPED)
    model.require("name", "layers", "parameters")
    size = sum(path.stat().st_size for path in model.folder.iterdir())
    about = (
        f"{model.card['name']}: {model.card['layers']} layers,"
        f" {model.card['parameters'] / 1e6:.1f} million weights in four bits, {size / 1e6:.1f} MB"
    )
    licence = OWN_LICENCE if folder else "Apache-2.0; made from SmolLM2-135M-Instruct (Apache-2.0)"
    return model.facts(about, licence, SOURCE_TOKENS)
