"""Sources whose findings are kept, and sources that are played back from what was kept."""

from typing import Self

from assay.core.errors import InputError
from assay.knowledge.passages import KnowledgePassage
from assay.knowledge.snapshots import Search, Snapshots
from assay.knowledge.sources import Around, KnowledgeSource


class Kept(Around):
    """A source around a source: what it finds is kept before it is used."""

    def __init__(self, source: KnowledgeSource, snapshots: Snapshots) -> None:
        super().__init__(source)
        self._source = source
        self._snapshots = snapshots

    @property
    def name(self) -> str:
        """The source inside."""
        return self._source.name

    @property
    def digest(self) -> str:
        """That of the source inside."""
        return self._source.digest

    async def search(self, query: str, most: int = 5) -> tuple[KnowledgePassage, ...]:
        """What the source inside finds."""
        passages = await self._source.search(query, most)
        self._snapshots.put([Search(self.name, query, most, passages)])
        return passages

    def close(self) -> None:
        """Frees the file."""
        self._snapshots.close()


class Replayed:
    """The searches of a source that were kept, without the source: nothing leaves the machine."""

    def __init__(self, name: str, snapshots: Snapshots) -> None:
        self.name = name
        self._snapshots = snapshots

    @property
    def digest(self) -> str:
        """That of the file that is played back."""
        return self._snapshots.digest()

    async def search(self, query: str, most: int = 5) -> tuple[KnowledgePassage, ...]:
        """What was found when the source was asked; a query that it was not asked raises."""
        kept = self._snapshots.get_search(self.name, query)
        if kept is None:
            raise InputError(
                f"{self._snapshots.path} holds no search of {self.name} for '{_shown(query)}': "
                "search once with the network"
            )
        if most > kept.most and len(kept.passages) >= kept.most:
            raise InputError(
                f"{self._snapshots.path} holds {kept.most} passages for '{_shown(query)}', and "
                f"{most} are wanted: search once with the network"
            )
        return kept.passages[:most]

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._snapshots.close()


def _shown(query: str) -> str:
    line = " ".join(query.split())
    return line if len(line) <= 80 else line[:80] + "…"
