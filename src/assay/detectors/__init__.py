"""Detectors: one protocol, a registry of methods, and combinators around them."""

from assay.detectors.cascade import cascade
from assay.detectors.fold import fold
from assay.detectors.protocol import Detector
from assay.detectors.registry import DEFAULT, DETECTORS, load_detector
from assay.detectors.two_step import two_step
from assay.detectors.vote import vote, vote_samples

__all__ = [
    "DEFAULT",
    "DETECTORS",
    "Detector",
    "cascade",
    "fold",
    "load_detector",
    "two_step",
    "vote",
    "vote_samples",
]
