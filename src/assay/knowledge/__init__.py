"""Outside knowledge: passages that support or deny what the source text does not cover.

Each place to search is a `KnowledgeSource`: a local corpus, a wiki, a web-search service. What a
search finds can be kept as snapshots, so that a verdict can cite it and a run can be repeated
offline.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from assay.knowledge.opening import KnowledgeChoice, SourceOptions, open_source
from assay.knowledge.sources import FetchError, KnowledgePassage, KnowledgeSource

if TYPE_CHECKING:
    from assay.knowledge.corpora.corpus import LocalCorpus
    from assay.knowledge.corpora.indexing import index_corpus

__all__ = [
    "FetchError",
    "KnowledgeChoice",
    "KnowledgePassage",
    "KnowledgeSource",
    "LocalCorpus",
    "SourceOptions",
    "index_corpus",
    "open_source",
]

_ON_FIRST_USE = {
    "LocalCorpus": "assay.knowledge.corpora.corpus",
    "index_corpus": "assay.knowledge.corpora.indexing",
}


def __getattr__(name: str) -> object:
    """Imports local corpora, which need numpy, on first use."""
    if name not in _ON_FIRST_USE:
        raise AttributeError(f"module 'assay.knowledge' has no attribute '{name}'")
    return getattr(import_module(_ON_FIRST_USE[name]), name)
