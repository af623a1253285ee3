"""Outside knowledge: where passages are looked up that a source does not hold.

Each place to search is a `KnowledgeSource`: a local corpus, a wiki, a web-search service. What was
found can be kept as snapshots, so that a verdict can cite it and a run can be repeated offline.
"""

from typing import TYPE_CHECKING

from assay.knowledge.opening import KnowledgeChoice, SourceOptions, open_source
from assay.knowledge.sources import FetchError, KnowledgePassage, KnowledgeSource

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

if TYPE_CHECKING:
    from assay.knowledge.corpora.corpus import LocalCorpus
    from assay.knowledge.corpora.indexing import index_corpus

_HOMES = {
    "LocalCorpus": "assay.knowledge.corpora.corpus",
    "index_corpus": "assay.knowledge.corpora.indexing",
}


def __getattr__(name: str) -> object:
    """Imports what corpora need, numpy among it, on first use."""
    if name not in _HOMES:
        raise AttributeError(f"module 'assay.knowledge' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
