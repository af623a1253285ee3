"""What is needed to repeat a run, and what must be the same for it to go on."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from assay.core.errors import InputError
from assay.core.records import Record
from assay.core.units import UnitKind

Parameter = str | int | float | bool | None

# What may differ when a run goes on: the same data may have another name, and has a digest.
_KNOWN_BY_DIGEST = ("dataset", "peers")


@dataclass(frozen=True, slots=True)
class Run:
    """A detector over a data set, described so that it can be run again and compared.

    `detector` is the name that the user gave, `judge` what the detector calls itself. `examples`
    counts the data, and `sample` says how many of them were chosen, by `seed`; None means all.
    """

    detector: str
    version: str
    judge: str = ""
    unit_kind: UnitKind = "sentence"
    taxonomy: str = ""
    dataset: str = ""
    dataset_digest: str = ""
    split: str = ""
    examples: int = 0
    sample: int | None = None
    seed: int | None = None
    model: str = ""
    votes: int = 1
    peers: str = ""
    knowledge: str = ""  # where was looked up what the source does not support
    knowledge_digest: str = ""  # of all that is there, if it does not change by itself
    parameters: dict[str, Parameter] = field(default_factory=dict)
    prompt_digests: dict[str, str] = field(default_factory=dict)

    @property
    def chosen(self) -> int:
        """How many examples are to be judged."""
        return self.examples if self.sample is None else min(self.sample, self.examples)

    def to_dict(self) -> Record:
        """Itself as plain JSON values."""
        return asdict(self)


def read_run(record: Mapping[str, Any]) -> Run:
    """The run that `to_dict` wrote; fields of later versions are not lost in silence."""
    names = {each.name for each in fields(Run)}
    unknown = sorted(set(record) - names)
    if unknown:
        raise InputError(f"the run has a field that this version does not know: {unknown[0]}")
    try:
        return Run(**record)
    except TypeError as error:
        raise InputError(f"the run's description is damaged: {error}") from None


def differences(old: Run, new: Run) -> list[str]:
    """What changed from one run to another, a line for each: `temperature: 0.0 -> 0.7`."""
    return list(_differences(old, new))


def _differences(old: Run, new: Run) -> Iterator[str]:
    for each in fields(Run):
        before, after = getattr(old, each.name), getattr(new, each.name)
        if each.name in _KNOWN_BY_DIGEST or before == after:
            continue
        name = each.name.replace("_", " ")
        if isinstance(before, dict):
            yield from _changed_entries(name, before, after)
        else:
            yield f"{name}: {_word(before)} -> {_word(after)}"


def _changed_entries(
    name: str, before: Mapping[str, Parameter], after: Mapping[str, Parameter]
) -> Iterator[str]:
    prefix = "prompt " if name == "prompt digests" else ""
    for key in dict.fromkeys((*before, *after)):
        if before.get(key) != after.get(key):
            yield f"{prefix}{key}: {_word(before.get(key))} -> {_word(after.get(key))}"


def _word(value: Parameter) -> str:
    return "none" if value is None or value == "" else str(value)
