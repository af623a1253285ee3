"""Assay tells whether a text is faithful to its source, sentence by sentence.

>>> from assay import check
>>> report = check(source="Ada was born in 1815.", response="Ada was born in 1852.")
>>> report.sentences[0].label.name
'contradicting'
"""

from typing import TYPE_CHECKING

__version__ = "0.1.0"
__all__ = ["Columns", "__version__", "acheck", "check", "check_each", "load_detector"]

if TYPE_CHECKING:
    from assay.checking import acheck, check, check_each
    from assay.datasets import Columns
    from assay.detectors import load_detector

_HOMES = {
    "Columns": "assay.datasets",
    "acheck": "assay.checking",
    "check": "assay.checking",
    "check_each": "assay.checking",
    "load_detector": "assay.detectors",
}


def __getattr__(name: str) -> object:
    """Imports a public name on first use, so that `import assay` costs nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'assay' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
