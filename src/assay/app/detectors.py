"""The detectors and the facts about each, and the public model files that they build on."""

from dataclasses import asdict, dataclass
from typing import Any

from assay.core.errors import InputError
from assay.core.results import plural_of
from assay.detectors.registry import DetectorSpec, detector_facts, detector_names
from assay.models.cache import Kept, Watch, look, look_at_all, models_folder
from assay.models.cache import remove as remove_kept
from assay.models.catalogue import amount, find_model
from assay.models.pulling import Pulled, pull, take

__all__ = ["amount", "detector_facts"]


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
    return DetectorLine(spec.name, plural_of(can.unit_kind), can.taxonomy.name, spec.type.summary)


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A model file: what it is, where it comes from, and what of it is here."""

    kept: Kept

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
            ("from", model.address),
            ("path", str(self.kept.path)),
            ("state", self.state),
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        model = self.kept.model
        return {
            **asdict(model),
            "address": model.address,
            "path": str(self.kept.path),
            "state": self.kept.state,
            "bytes_here": self.kept.size,
        }


def list_models() -> tuple[str, list[ModelFile]]:
    """The folder of model files, and each that a detector builds on."""
    return str(models_folder()), [ModelFile(kept) for kept in look_at_all()]


def show_model(name: str) -> ModelFile:
    """A model file, and what of it is here."""
    return ModelFile(look(find_model(name)))


def pull_model(name: str, from_file: str | None, watch: Watch) -> Pulled:
    """Brings a model here, from its official address or from a file; `watch` sees it come."""
    model = find_model(name)
    return take(model, from_file, watch) if from_file is not None else pull(model, watch)


def remove_model(name: str) -> ModelFile:
    """Removes what is here of a model, and returns what that was."""
    return ModelFile(remove_kept(find_model(name)))
