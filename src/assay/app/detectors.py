"""The detectors and the facts about each, and the public model files that they build on."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from assay.core.errors import InputError, MissingExtraError, UnknownNameError
from assay.core.results import plural_of
from assay.detectors.combinators.auto import BASE, is_for_one_model
from assay.detectors.combinators.auto import NAME as AUTO
from assay.detectors.registry import DetectorSpec, detector_facts, detector_names, find_type
from assay.engine.kept_checks import state_folder
from assay.models.cache import Kept, Watch, look, look_at_all, models_folder
from assay.models.cache import remove as remove_kept
from assay.models.catalogue import MODELS, PublicModel, amount, find_model, shown_address
from assay.models.checkpoints import (
    HUB_MODELS,
    HubModel,
    cached,
    find_hub_model,
    pull_checkpoint,
    remove_checkpoint,
)
from assay.models.pulling import Pulled, pull, take

__all__ = ["amount", "detector_facts"]

_MISSED = "large-mentioned"  # an empty file: the user knows of it


@dataclass(frozen=True, slots=True)
class DetectorLine:
    """A detector in a list: what it judges, the menu of its labels, and what it is."""

    name: str
    judges: str
    labels: str
    summary: str


def list_detectors() -> list[DetectorLine]:
    """Every detector, ours and those that installed packages bring."""
    return [_line(name) for name in detector_names()]


def _line(name: str) -> DetectorLine:
    try:
        spec = DetectorSpec(name)
    except InputError as error:  # a plugin that cannot be loaded does not hide the others
        return DetectorLine(name, "", "", str(error))
    can = spec.capabilities
    return DetectorLine(name, plural_of(can.unit_kind), can.taxonomy.name, find_type(name).summary)


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A model file: what it is, where it comes from, and what of it is here."""

    kept: Kept

    @property
    def name(self) -> str:
        return self.kept.model.name

    @property
    def title(self) -> str:
        return self.kept.model.title

    @property
    def used_by(self) -> str:
        return self.kept.model.used_by

    @property
    def licence(self) -> str:
        return self.kept.model.licence

    @property
    def size(self) -> int:
        """Bytes of the whole file."""
        return self.kept.model.size

    def address_at(self, mirror: str) -> str:
        """The address of the file on a mirror as it is shown; raises for what is none."""
        return shown_address(self.kept.model.address_at(mirror))

    @property
    def state(self) -> str:
        """The state of the file here, in words."""
        model, here = self.kept.model, self.kept.size
        return {
            "ready": "here, checked",
            "unchecked": "here, not checked",
            "differs": "here, but ANOTHER FILE",
            "in part": f"{amount(here)} of {amount(model.size)} fetched",
            "absent": "not here",
        }[self.kept.state]

    def facts(self) -> list[tuple[str, str]]:
        """Everything there is to say, in words."""
        model = self.kept.model
        return [
            ("name", model.name),
            ("model", model.title),
            ("used by", model.used_by),
            ("file", model.file),
            ("size", f"{model.size:,} bytes ({amount(model.size)})"),
            ("sha256", model.sha256),
            ("licence", f"{model.licence}, {model.holder}"),
            ("from", shown_address(model.address)),
            ("path", str(self.kept.path)),
            ("state", self.state),
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        model = self.kept.model
        return {
            **asdict(model),
            "address": shown_address(model.address),
            "path": str(self.kept.path),
            "state": self.kept.state,
            "bytes_here": self.kept.size,
        }


@dataclass(frozen=True, slots=True)
class ModelCheckpoint:
    """The checkpoint of a published detector: whose it is, and its folder if it is here."""

    model: HubModel
    folder: Path | None

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def title(self) -> str:
        return f"{self.model.repository}, {self.model.parameters} parameters"

    @property
    def used_by(self) -> str:
        return self.model.used_by

    @property
    def licence(self) -> str:
        return self.model.licence

    @property
    def size(self) -> int:
        """Bytes that are fetched, about."""
        return self.model.size

    @property
    def state(self) -> str:
        return "here" if self.folder else "not here"

    def facts(self) -> list[tuple[str, str]]:
        """Everything there is to say, in words."""
        model = self.model
        place = [("path", str(self.folder))] if self.folder else []
        return [
            ("name", model.name),
            ("model", self.title),
            ("used by", model.used_by),
            ("size", f"about {amount(model.size)}; no digest of it is known here"),
            ("licence", model.licence),
            ("languages", model.languages),
            ("reads", f"{model.context:,} tokens at once" if model.context else "any length"),
            ("from", model.address),
            *place,
            ("state", self.state),
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        return {
            **asdict(self.model),
            "patterns": list(self.model.patterns),
            "title": self.title,
            "address": self.model.address,
            "path": str(self.folder) if self.folder else None,
            "state": "ready" if self.folder else "absent",
        }


def list_models() -> tuple[str, list[ModelFile], list[ModelCheckpoint]]:
    """The folder of model files, each that a detector builds on, and published checkpoints."""
    files = [ModelFile(kept) for kept in look_at_all()]
    return str(models_folder()), files, [_checkpoint(each) for each in HUB_MODELS.values()]


def show_model(name: str) -> ModelFile | ModelCheckpoint:
    """A model file or checkpoint, and what of it is here."""
    if name in HUB_MODELS:
        return _checkpoint(find_hub_model(name))
    if name not in MODELS:
        raise UnknownNameError("model", name, (*MODELS, *HUB_MODELS), field="name")
    return ModelFile(look(find_model(name)))


def missed_model(spec: DetectorSpec) -> PublicModel | None:
    """The model file that `auto` goes without, the first time that a user does; None ever after.

    Where that cannot be noted, every time is the first.
    """
    model = find_model(BASE)
    if spec.asked != AUTO or is_for_one_model(spec.local) or look(model).state == "ready":
        return None
    try:
        with (state_folder() / _MISSED).open("x"):
            return model
    except FileExistsError:
        return None
    except (OSError, InputError):
        return model


def pull_model(
    name: str, watch: Watch, *, from_file: str | None = None, mirror: str | None = None
) -> Pulled:
    """Brings a model here: from its official address, a mirror or a file; `watch` sees it come."""
    model = find_model(name)
    if from_file is None:
        return pull(model, watch, mirror)
    if mirror is not None:
        raise InputError("give a file that is here or a mirror, not both", field="mirror")
    return take(model, from_file, watch)


def pull_published(name: str, *, quiet: bool) -> ModelCheckpoint:
    """Brings the checkpoint of a published detector here, from the hub."""
    model = find_hub_model(name)
    return ModelCheckpoint(model, pull_checkpoint(model, quiet=quiet))


def remove_model(name: str) -> tuple[str, int]:
    """Removes what is here of a model, and gives its place and its size."""
    found = show_model(name)
    if isinstance(found, ModelCheckpoint):
        return str(found.folder or ""), remove_checkpoint(found.model)
    kept = remove_kept(find_model(name))
    return str(kept.path), kept.size


def _checkpoint(model: HubModel) -> ModelCheckpoint:
    try:
        return ModelCheckpoint(model, cached(model.repository, model.patterns))
    except MissingExtraError:  # then nothing has fetched it for us
        return ModelCheckpoint(model, None)
