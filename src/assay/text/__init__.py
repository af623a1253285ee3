"""Sentences with exact offsets, and the passages of a source that matter for them."""

from assay.text.evidence import Ranked, SourceIndex, split_passages
from assay.text.sentences import split_sentences

__all__ = ["Ranked", "SourceIndex", "split_passages", "split_sentences"]
