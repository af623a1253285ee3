"""The large model: the public base from the user's folder of model files, and our adapter."""

from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import ClassVar

from assay.detectors.embedded.entailment import EntailmentModel
from assay.detectors.embedded.folders import CARD, OWN_LICENCE, ModelFolder
from assay.detectors.embedded.head import Head
from assay.detectors.embedded.large.adapter import Adapter
from assay.detectors.embedded.large.base import BaseModel, read_base
from assay.detectors.embedded.large.expanding import ExpandingLayers
from assay.detectors.embedded.network import Network
from assay.models.cache import base_file, look
from assay.models.catalogue import amount, find_model

SHIPPED = Path(__file__).parent / "model"
BASE = "large"  # its name in the catalogue
ADAPTER = "adapter.npz"
WINDOW = 4_000  # source tokens, as in training
BATCH = 8  # examples; more would save little and keep verdicts waiting


@dataclass(frozen=True)
class LargeModel(ModelFolder):
    """A folder with a card and an adapter, and the file of the base."""

    file: Path
    detector: ClassVar[str] = "embedded-large"
    weights: ClassVar[str] = ADAPTER
    remedy: ClassVar[str] = "install assay again, or use another detector, such as embedded"

    @property
    def digest_of_base(self) -> str:
        """The sha256 of the base that the adapter was trained on."""
        try:
            return str(self.card["base"]["sha256"])
        except (KeyError, TypeError):
            raise self.damaged(CARD) from None

    @cached_property
    def base(self) -> BaseModel:
        """The base, which stays in its file."""
        return read_base(self.file)

    @cached_property
    def adapter(self) -> Adapter:
        """What is added to the base."""
        return Adapter(self.arrays(ADAPTER))

    @cached_property
    def network(self) -> Network:
        """The network, whose layers are expanded one at a time."""
        base, adapter = self.base, self.adapter
        embedding = base.embedding
        try:
            layers = ExpandingLayers(base, adapter)
            head = Head.from_arrays(adapter.arrays)
        except (KeyError, ValueError):
            raise self.damaged(ADAPTER) from None
        return Network(base.shape, layers, head, embedding, together=True)

    @cached_property
    def ready(self) -> EntailmentModel:
        """All that its detector needs, loaded and checked."""
        return self.assembled(
            self.settings, self.base.tokenizer, self.network, window=WINDOW, batch=BATCH
        )


@cache
def _keep(folder: Path, file: Path, changed: tuple[int, int]) -> LargeModel:
    return LargeModel(folder, file)


def load_model(folder: Path = SHIPPED) -> LargeModel:
    """The model of a folder; it is loaded once, and again only if its card or base has changed.

    Without the base it raises with the command that fetches it.
    """
    file = base_file(BASE)
    model = LargeModel(folder, file)
    if model.digest_of_base != find_model(BASE).sha256:
        raise model.damaged(CARD)
    return _keep(folder, file, (model.changed, file.stat().st_mtime_ns))


def facts(folder: str = "") -> dict[str, str]:
    """The facts of the shipped adapter or that of a folder; neither it nor the base is loaded."""
    public = find_model(BASE)
    kept = look(public)
    model = LargeModel(Path(folder).resolve() if folder else SHIPPED, kept.path)
    model.require("name", "parameters")
    own = sum(path.stat().st_size for path in model.folder.iterdir())
    size = (
        f"{model.card['name']}: an adapter of {model.card['parameters'] / 1e6:.1f} million weights"
        f" in four bits, {own / 1e6:.1f} MB, on {public.title}"
    )
    own_licence = OWN_LICENCE if folder else "Apache-2.0"
    licence = f"{own_licence}; the base is {public.licence}, of {public.holder}"
    states = {
        "ready": f"at {kept.path}",
        "absent": f"not here; 'assay models pull {BASE}' fetches it",
        "differs": f"another file; run 'assay models remove {BASE}', then 'assay models pull "
        f"{BASE}'",
    }
    other = f"{kept.state}; 'assay models pull {BASE}' puts it right"
    return {
        "base": f"{public.file}, {amount(public.size)}: {states.get(kept.state, other)}",
        **model.facts(size, licence, WINDOW),
    }
