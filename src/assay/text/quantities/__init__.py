"""Numbers, amounts, shares, times and dates of a text, by value: two forms of one value are one."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.text.quantities.finding import find_quantities
    from assay.text.quantities.quantity import Quantity, same_value

__all__ = ["Quantity", "find_quantities", "same_value"]

_ON_FIRST_USE = {
    "Quantity": "assay.text.quantities.quantity",
    "find_quantities": "assay.text.quantities.finding",
    "same_value": "assay.text.quantities.quantity",
}


def __getattr__(name: str) -> object:
    """Imports what reads quantities on first use: the word lists alone are needed at the start."""
    if name not in _ON_FIRST_USE:
        raise AttributeError(f"module 'assay.text.quantities' has no attribute '{name}'")
    return getattr(import_module(_ON_FIRST_USE[name]), name)
