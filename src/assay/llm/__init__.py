"""Language models: one client, wrappers around it, prompts, and the reading of replies."""

from typing import TYPE_CHECKING

__all__ = ["Options", "Scripted", "connect"]

if TYPE_CHECKING:
    from assay.llm.connection import connect
    from assay.llm.options import Options
    from assay.llm.scripted import Scripted

_HOMES = {
    "Options": "assay.llm.options",
    "Scripted": "assay.llm.scripted",
    "connect": "assay.llm.connection",
}


def __getattr__(name: str) -> object:
    """Imports a public name on first use, so that reading a prompt needs no client."""
    if name not in _HOMES:
        raise AttributeError(f"module 'assay.llm' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
