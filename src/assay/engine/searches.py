"""The outside knowledge of a run: what each search found goes into its journal.

A run that goes on does not search again for what was found, which may have been paid for and would
perhaps be found otherwise now. A search that failed is not kept.
"""

import asyncio
from hashlib import sha256
from typing import Any

from assay.core.codec import Reader, encode
from assay.knowledge.sources import KnowledgePassage, KnowledgeSource, SourceWrapper
from assay.store.journal import Journal

_found = Reader(list[Any])


class KeptSearches(SourceWrapper):
    """A source that is asked once for each query; nothing is kept until there is a journal."""

    def __init__(self, source: KnowledgeSource) -> None:
        super().__init__(source)
        self.source = source
        self.journal: Journal | None = None

    @property
    def name(self) -> str:
        """The source inside."""
        return self.source.name

    @property
    def digest(self) -> str:
        """That of the source inside."""
        return self.source.digest

    async def search(self, query: str, most: int = 5) -> tuple[KnowledgePassage, ...]:
        """What was found when the run asked first, or what the source inside finds now."""
        journal = self.journal
        if journal is None:
            return await self.source.search(query, most)
        key = sha256(f"{most} {query}".encode(errors="surrogatepass")).hexdigest()
        kept = journal.find_search(key)
        if kept is not None:
            records = _found.read(kept, "a search of the run")
            return tuple(KnowledgePassage.from_dict(each) for each in records)
        found = await self.source.search(query, most)
        journal.add_search(key, encode([each.to_dict() for each in found]).decode())
        await asyncio.sleep(0)  # in the next turn of the loop it has been written
        return found
