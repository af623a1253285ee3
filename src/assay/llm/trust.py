"""What a working folder may decide, and what only with the user's word.

A folder that somebody else made may name a model of a known service, and limits. It may not choose
where texts and keys go: the address of a service, a new service, or the variable that holds a key.
The user's word is an option, or ASSAY_TRUST_FOLDER in the environment with the full paths of
folders, as in PATH. Arguments, the environment and the user's own file need no such word.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.core.errors import InputError
from assay.llm.options import Options
from assay.llm.providers import OPENAI_ADDRESS, Provider, add_providers, find_provider
from assay.llm.sources import Sources

TRUST = "ASSAY_TRUST_FOLDER"
_NEEDS_TRUST = ("base_url", "key_env")
_NEEDS_TRUST_OF_A_SERVICE = ("base_url", "key_env", "free")  # what is free no budget can limit


@dataclass(frozen=True, slots=True)
class Choice:
    """A setting of a working folder that decides where texts and keys go."""

    file: str
    setting: str
    value: object

    def refused(self) -> InputError:
        """The error where the user has not given their word for it."""
        return InputError(
            f"{self.file} sets {self.setting} to {self.value!r}, and a working folder may not "
            "choose where texts and keys go, or what is free, without your word: add the folder's "
            f"full path to {TRUST} in the environment, or move the setting to "
            "~/.config/assay/config.toml",
            code="folder-not-trusted",
            subject=self.file,
        )


@dataclass(frozen=True, slots=True)
class Followed:
    """The services and the environment that count; `chosen_in` is the folder's file that chose."""

    providers: Mapping[str, Provider]
    environ: Mapping[str, str]
    chosen_in: str = ""


def is_trusted(options: Options, sources: Sources) -> bool:
    """Whether the user has given their word for the working folder."""
    listed = sources.environ.get(TRUST, "").split(os.pathsep)
    folders = [Path(each.strip()).expanduser() for each in listed if each.strip()]
    for each in folders:
        if not each.is_absolute():
            raise InputError(f"{TRUST} must name folders by their full paths, not '{each}'")
    here = sources.folder.resolve()
    return options.trust_folder or any(each.resolve() == here for each in folders)


def follow(options: Options, model: str, sources: Sources) -> Followed:
    """What counts for a model: all of it in a trusted folder, else what needs no trust.

    Raises where the folder would decide about this model what it may not.
    """
    own = add_providers(sources.own.providers, f"{sources.own.path} [llm.providers]")
    where, tables = f"{sources.file.path} [llm.providers]", sources.file.providers
    everything = add_providers(tables, where, own)
    choice = next(_choices(options, model, sources, everything), None)
    if is_trusted(options, sources):
        merged = {**sources.dotenv, **sources.environ}
        return Followed(everything, merged, choice.file if choice else "")
    if choice:
        raise choice.refused()
    harmless = {name: each for name, each in tables.items() if not _sensitive(each)}
    addresses = {OPENAI_ADDRESS, *(each.address_variable for each in everything.values())}
    keys = {name: value for name, value in sources.dotenv.items() if name not in addresses}
    return Followed(add_providers(harmless, where, own), {**keys, **sources.environ})


def _choices(
    options: Options, model: str, sources: Sources, providers: Mapping[str, Provider]
) -> Iterator[Choice]:
    """What the folder decides about this model that it may not decide alone."""
    file = sources.file
    for name in _NEEDS_TRUST:
        if file.options.get(name) and not getattr(options, name):
            yield Choice(file.path, name, file.options[name])
    if options.base_url or sources.own.options.get("base_url"):
        return
    known = find_provider(model, providers)
    service = known.name if known else "openai"
    for name, table in file.providers.items():
        if name.casefold() == service:
            for setting in _sensitive(table):
                yield Choice(file.path, f"{setting} of the provider {service}", table[setting])
    variable = known.address_variable if known and service != "openai" else OPENAI_ADDRESS
    value = sources.dotenv.get(variable, "").strip()
    if variable and value and variable not in sources.environ:
        yield Choice(str(sources.dotenv_path), variable, value)


def _sensitive(table: Mapping[str, Any]) -> list[str]:
    return [name for name in _NEEDS_TRUST_OF_A_SERVICE if name in table]
