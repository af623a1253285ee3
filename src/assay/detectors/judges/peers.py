"""The annotated responses that a judge may learn from, by the source that they are about."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from assay.core.examples import Example
from assay.detectors.judges.judging import squeeze


@dataclass(frozen=True, slots=True)
class PeerPool:
    """Annotated responses by source, each group in the order of the data; made once by `of`.

    Two sources, or two responses, are the same if they differ in nothing but white space.
    """

    groups: Mapping[str, tuple[Example, ...]] = field(repr=False)
    digest: str

    @classmethod
    def of(cls, examples: Iterable[Example]) -> "PeerPool":
        """The pool of those examples that people annotated."""
        groups: dict[str, list[Example]] = {}
        digest = hashlib.sha256()
        for example in filter(is_annotated, examples):
            key = _key(example.source.text)
            groups.setdefault(key, []).append(example)
            shown = (example.question, example.response.text, example.gold)
            digest.update(repr((key, example.id, *shown)).encode())
        frozen = {key: tuple(group) for key, group in groups.items()}
        return cls(MappingProxyType(frozen), digest.hexdigest()[:16])

    def __bool__(self) -> bool:
        """Whether it holds any response."""
        return bool(self.groups)

    def peers_for(self, example: Example) -> tuple[Example, ...]:
        """The other annotated responses to the same source; never the response itself.

        Left out are the response with the same id and each one with the same text.
        """
        said = squeeze(example.response.text)
        return tuple(
            peer
            for peer in self.groups.get(_key(example.source.text), ())
            if peer.id != example.id and squeeze(peer.response.text) != said
        )


def is_annotated(example: Example) -> bool:
    """Whether people gave it a label, be it only that nothing is wrong with it."""
    return any(verdict.label for verdict in example.gold)


def _key(source: str) -> str:
    return hashlib.sha256(squeeze(source).encode(errors="surrogatepass")).hexdigest()
