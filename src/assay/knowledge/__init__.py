"""Outside knowledge: where passages are looked up that a source does not hold.

Each place to search is a `KnowledgeSource`: a local corpus, a wiki, a web-search service. What was
found can be kept as snapshots, so that a verdict can cite it and a run can be repeated offline.
"""

from assay.knowledge.opening import KnowledgeChoice, SourceOptions, open_source
from assay.knowledge.passages import KnowledgePassage
from assay.knowledge.sources import FetchError, KnowledgeSource

__all__ = [
    "FetchError",
    "KnowledgeChoice",
    "KnowledgePassage",
    "KnowledgeSource",
    "SourceOptions",
    "open_source",
]
