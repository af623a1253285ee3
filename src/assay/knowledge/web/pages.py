"""Reads the pages behind what a search found, and takes the passages that fit the query best."""

import asyncio
from dataclasses import replace

from assay.knowledge.cutting import cut
from assay.knowledge.html_text import Page, read_html
from assay.knowledge.passages import KnowledgePassage, whole
from assay.knowledge.ranking import Words, rank
from assay.knowledge.sources import Around, FetchError, KnowledgeSource
from assay.knowledge.web.fetching import Fetcher


async def read_page(fetcher: Fetcher, address: str) -> tuple[KnowledgePassage, ...]:
    """The passages of a page, if its site lets programs read it."""
    answer = await fetcher.page(address)
    page = read_html(answer.text) if answer.type == "text/html" else Page("", answer.text)
    text = whole(page.text)
    return tuple(
        KnowledgePassage(
            text[each.start : each.end],
            whole(page.title),
            answer.address,
            retrieved=answer.retrieved,
            start=each.start,
        )
        for each in cut(text)
    )


class WithPages(Around):
    """A source whose findings are looked up on the pages where they stand.

    Of a page that cannot be read, what the source itself says of it is left.
    """

    def __init__(self, source: KnowledgeSource, fetcher: Fetcher) -> None:
        super().__init__(source)
        self._source = source
        self._fetcher = fetcher
        self._words = Words()

    @property
    def name(self) -> str:
        """The source inside, and that pages are read."""
        return f"{self._source.name}+pages"

    async def search(self, query: str, most: int = 5) -> tuple[KnowledgePassage, ...]:
        """The best passages of the pages that the source inside finds."""
        found = await self._source.search(query, most)
        async with self._fetcher:
            read = await asyncio.gather(*map(self._read, found))
        passages = [passage for passages in read for passage in passages]
        return rank(query, passages, most, self._words)

    async def _read(self, found: KnowledgePassage) -> tuple[KnowledgePassage, ...]:
        try:
            passages = await read_page(self._fetcher, found.address)
        except FetchError:
            return (found,)
        return tuple(
            replace(each, title=each.title or found.title, time=found.time) for each in passages
        ) or (found,)

    def close(self) -> None:
        """Frees the memory of its ranking."""
        self._words.close()
