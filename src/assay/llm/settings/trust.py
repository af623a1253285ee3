"""Decisions that a working folder may make, and those that need the user's word.

A folder that somebody else made may name a model of a known service or hold the key of one, and set
limits. It may not choose where texts and keys go: the address of a service, a new service, the
variable that holds a key, or the model and its key both, which is to say the account. Its budgets
only tighten those of the user's own file, its prices only raise known ones, so that a budget holds,
and its cache lies inside it.
The user's word is an option, or ASSAY_TRUST_FOLDER in the environment with the full paths of
folders, as in PATH. Arguments, the environment and the user's own file need no such word.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assay.core.errors import InputError
from assay.core.system.urls import is_url, shown
from assay.llm.settings.files import BUDGETS, Sources
from assay.llm.settings.options import Options
from assay.llm.settings.providers import OPENAI_ADDRESS, Provider, add_providers, find_provider

TRUST = "ASSAY_TRUST_FOLDER"
_NEEDS_TRUST = ("base_url", "key_env")
_NEEDS_TRUST_OF_A_SERVICE = ("base_url", "key_env", "free")  # what is free no budget can limit


@dataclass(frozen=True, slots=True)
class FolderDecision:
    """Something that a file of a working folder may do only with the user's word."""

    file: str
    does: str
    may_not: str = "choose where texts and keys go, or what is free,"

    def refused(self) -> InputError:
        """The error where the user has not given their word for it."""
        return InputError(
            f"{self.file} {self.does}, and a working folder may not {self.may_not} without your "
            f"word: add the folder's full path to {TRUST} in the environment, or move the setting "
            "to ~/.config/assay/config.toml",
            code="folder-not-trusted",
            subject=self.file,
        )


@dataclass(frozen=True, slots=True)
class Followed:
    """The services and the folder's variables that count.

    `chosen_in` is the folder's file that chose a server or a key, if one did.
    """

    providers: Mapping[str, Provider]
    variables: Mapping[str, str]
    chosen_in: str = ""
    trusted: bool = False


def is_trusted(options: Options, sources: Sources) -> bool:
    """True if the user has given their word for the working folder."""
    listed = sources.environ.get(TRUST, "").split(os.pathsep)
    folders = [Path(each.strip()).expanduser() for each in listed if each.strip()]
    for each in folders:
        if not each.is_absolute():
            raise InputError(f"{TRUST} must name folders by their full paths, not '{each}'")
    here = sources.folder.resolve()
    return options.trust_folder or any(each.resolve() == here for each in folders)


def follow(options: Options, model: str, sources: Sources) -> Followed:
    """The settings that count for a model: all in a trusted folder, else those that need no trust.

    Raises where the folder would decide about this model what it may not.
    """
    own = add_providers(sources.own.providers, f"{sources.own.path} [llm.providers]")
    where, tables = f"{sources.file.path} [llm.providers]", sources.file.providers
    everything = add_providers(tables, where, own)
    choice = next(_choices(options, model, sources, everything), None)
    if is_trusted(options, sources):
        return Followed(everything, sources.dotenv, choice.file if choice else "", trusted=True)
    if choice := choice or _cache_elsewhere(options, sources):
        raise choice.refused()
    harmless = {name: each for name, each in tables.items() if not _sensitive(each)}
    addresses = {OPENAI_ADDRESS, *(each.address_variable for each in everything.values())}
    keys = {name: value for name, value in sources.dotenv.items() if name not in addresses}
    return Followed(add_providers(harmless, where, own), keys)


def folder_options(options: Options, sources: Sources) -> Mapping[str, Any]:
    """The options in the folder's file, whose budgets count where they are not above the user's."""
    theirs, own = sources.file.options, sources.own.options
    if is_trusted(options, sources):
        return theirs
    both = BUDGETS & theirs.keys() & own.keys()
    return {**theirs, **{name: min(theirs[name], own[name]) for name in both}}


def model_and_key(model: str, model_file: str, variable: str, key_file: str) -> FolderDecision:
    """The decision of a folder that names a model and holds its key: it chooses the account."""
    does = f"names the model {model}, whose key is in {variable} of {key_file}"
    return FolderDecision(model_file, does, "choose both the model and the key")


def _choices(
    options: Options, model: str, sources: Sources, providers: Mapping[str, Provider]
) -> Iterator[FolderDecision]:
    """The folder's decisions about this model that it may not make alone."""
    file = sources.file
    for name in _NEEDS_TRUST:
        if file.options.get(name) and not getattr(options, name):
            yield _set(file.path, name, file.options[name])
    if options.base_url or sources.own.options.get("base_url"):
        return
    known = find_provider(model, providers)
    service = known.name if known else "openai"
    for name, table in file.providers.items():
        if name.casefold() == service:
            for setting in _sensitive(table):
                yield _set(file.path, f"{setting} of the provider {service}", table[setting])
    variable = known.address_variable if known and service != "openai" else OPENAI_ADDRESS
    value = sources.dotenv.get(variable, "").strip()
    if variable and value and variable not in sources.environ:
        yield _set(str(sources.dotenv_path), variable, value)


def _cache_elsewhere(options: Options, sources: Sources) -> FolderDecision | None:
    """The folder's word for a cache that is not inside the folder, once links are followed."""
    named = sources.file.options.get("cache")
    if not named or options.cache:
        return None
    is_inside = Path(named).resolve().is_relative_to(sources.folder.resolve())
    if is_inside and not is_url(named):
        return None
    place = shown(named) if is_url(named) else named
    return replace(_set(sources.file.path, "cache", place), may_not="keep replies outside itself")


def _set(file: str, setting: str, value: object) -> FolderDecision:
    return FolderDecision(file, f"sets {setting} to {value!r}")


def _sensitive(table: Mapping[str, Any]) -> list[str]:
    return [name for name in _NEEDS_TRUST_OF_A_SERVICE if name in table]
