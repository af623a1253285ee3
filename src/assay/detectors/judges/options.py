"""What a user writes after the colon of a judge's name: `judge-gray7:batch,prompt=FILE`."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from assay.core.errors import InputError, UnknownNameError


@dataclass(frozen=True, slots=True)
class Chosen:
    """The options that were given: switches by name, and settings with their values."""

    judge: str
    switches: frozenset[str] = frozenset()
    settings: Mapping[str, str] = field(default_factory=dict)

    def __contains__(self, switch: str) -> bool:
        return switch in self.switches

    def __getitem__(self, setting: str) -> str:
        """The value of a setting; empty if it was not given."""
        return self.settings.get(setting, "")

    def count(self, setting: str, default: int) -> int:
        """The value of a setting that is a whole number from 0 upwards."""
        value = self[setting] or str(default)
        if not (value.isascii() and value.isdigit()):
            raise InputError(f"{self.judge}: {setting} is a whole number, not '{value}'")
        return int(value)


def read_options(
    judge: str, argument: str, *, switches: Collection[str] = (), settings: Mapping[str, str]
) -> Chosen:
    """The options in `argument`; `settings` maps each name to what stands for its value.

    >>> chosen = read_options("judge", "batch", switches=["batch"], settings={"prompt": "FILE"})
    >>> "batch" in chosen, chosen["prompt"]
    (True, '')
    """
    menu = (*switches, *(f"{name}={value}" for name, value in settings.items()))
    chosen: dict[str, str] = {}
    for part in filter(None, map(str.strip, argument.split(","))):
        name, equals, value = (each.strip() for each in part.partition("="))
        if name not in (settings if equals else switches):
            raise UnknownNameError(f"option of {judge}", part, menu)
        if equals and not value:
            raise InputError(f"{judge}: '{name}=' needs a value; write {name}={settings[name]}")
        if name in chosen:
            raise InputError(f"{judge}: the option '{name}' is given twice")
        chosen[name] = value
    return Chosen(
        judge,
        frozenset(name for name in chosen if name in switches),
        {name: value for name, value in chosen.items() if name in settings},
    )
