"""Annotated responses to the same source, and how a prompt shows them to a judge.

First their number is limited: N are drawn with a seed, for each source anew, and those drawn for a
smaller N are among those for a larger one. Then their characters: the longest, as they stand in the
prompt, are left out until the rest fits. Those that stay are shown in the order of the data.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from types import MappingProxyType

from assay.core.examples import Annotated, Example
from assay.core.judgements import GOLD, Author, Finding
from assay.core.labels import Taxonomy
from assay.core.taxonomies import taxonomy
from assay.core.texts import Source
from assay.core.units import Unit
from assay.detectors.judges.judging import one_line
from assay.detectors.judges.quoting import as_models_read
from assay.llm.fences import Fences
from assay.llm.replies.forms import Texts

# RAGTruth's flags, in plain words.
_FLAGS = {
    "implicit_true": "(It is true of the world, but the source does not say it.)",
    "due_to_null": "(The source has no value for this.)",
}


def is_annotated(peer: Annotated) -> bool:
    """True if people gave it a label, even if only that nothing is wrong with it."""
    return any(True for _ in _labelled(peer))


def number_annotators(peers: Iterable[Annotated]) -> dict[Author, int]:
    """A number for each annotator, the same in all peers; names of people are not sent."""
    authors = dict.fromkeys(author for peer in peers for author, _ in _labelled(peer))
    named = (author for author in authors if author != GOLD)
    return {author: number for number, author in enumerate(named, start=1)}


def annotation_text(peer: Annotated, numbers: Mapping[Author, int]) -> str:
    """The marks of each annotator, then the shared ones; each text is on one line."""
    opinions = _opinions(peer)
    together = "The annotators together" if len(opinions) > 1 else "The annotation"
    return "\n".join(
        line
        for author, findings in opinions.items()
        for line in _lines(
            f"Annotator {numbers[author]}" if author in numbers else together,
            findings,
            peer.example.source,
        )
    )


def taxonomies_of(peers: Sequence[Annotated]) -> tuple[Taxonomy, ...]:
    """The menus of the labels that the peers are shown with; if none is shown, of all of them."""
    shown = [each for peer in peers for said in _opinions(peer).values() for each in said]
    findings = shown or [finding for peer in peers for _, finding in _labelled(peer)]
    names = dict.fromkeys(finding.label.taxonomy for finding in findings if finding.label)
    return tuple(taxonomy(name) for name in names)


def _labelled(peer: Annotated) -> Iterator[tuple[Author, Finding]]:
    for judgement in peer.gold:
        for finding in judgement.findings:
            if finding.label:
                yield judgement.author, finding


def _opinions(peer: Annotated) -> dict[Author, list[Finding]]:
    """The shown marks of each annotator, and last the settled ones if there are any.

    A label for a whole response is not shown: it is pooled from the marks. Only where nothing is
    marked, and a person calls the response wrong all the same, it stands for them.
    """
    said: dict[Author, list[Finding]] = {}
    for author, finding in _labelled(peer):
        said.setdefault(author, []).append(finding)
    settled = said.pop(GOLD, [])
    if not said or any(map(_is_mark, settled)):
        said[GOLD] = settled
    return {
        author: list(filter(_is_mark, findings))
        or [each for each in findings if each.coarse != "faithful"]
        for author, findings in said.items()
    }


def _lines(heading: str, findings: Sequence[Finding], source: Source) -> Iterator[str]:
    yield f"{heading}:" if findings else f"{heading}: no hallucination was marked"
    for finding in findings:
        yield from _mark(finding, source)


def _is_mark(finding: Finding) -> bool:
    """True if it is about a part; a note on the whole response is shown like a mark as well."""
    return finding.kind != "response" or bool(finding.note)


def _mark(finding: Finding, source: Source) -> Iterator[str]:
    passage = _passage(finding.unit)
    yield f"- passage: {one_line(passage)}" if passage else "- the whole response"
    yield f"  label: {_label(finding)}"
    note = _note(finding)
    if note:
        yield f"  note: {one_line(note)}"
    for span in finding.evidence:
        yield f"  in the source: {one_line(as_models_read(span, source))}"


def _passage(unit: Unit) -> str:
    """The words that a mark is about; none if it is about the whole response."""
    if unit.kind == "inconsistency":
        return " ... ".join(span.text for span in unit.spans)
    return "" if unit.kind == "response" else unit.text


def _note(finding: Finding) -> str:
    """The annotators' note; for a described error, its description."""
    if finding.kind == "inconsistency" or not finding.verdict:
        return finding.text
    known = finding.verdict.attributes
    flags = [words for name, words in _FLAGS.items() if getattr(known, name)]
    return " ".join((finding.note, *flags))


def _label(finding: Finding) -> str:
    """The label, or all that were given together."""
    given = finding.verdict.interpretations if finding.verdict else ()
    return ", ".join(str(each.label) for each in given) or str(finding.label)


CHARACTERS = 40_000
SEPARATOR = "\n\n"


@dataclass(frozen=True, slots=True)
class PeerPool:
    """Annotated responses by source, each group in the order of the data; made once by `of`.

    Two sources, or two responses, are the same if they differ in nothing but white space: in
    how much there is, and in whether there is any.
    """

    groups: Mapping[str, tuple[Annotated, ...]] = field(repr=False)
    digest: str

    @classmethod
    def of(cls, annotated: Iterable[Annotated]) -> "PeerPool":
        """The pool of those examples that people annotated."""
        groups: dict[str, list[Annotated]] = {}
        digest = hashlib.sha256()
        for peer in filter(is_annotated, annotated):
            key = _key(peer.example.source.text)
            groups.setdefault(key, []).append(peer)
            gold = [(each.author.name, each.units, each.outcomes) for each in peer.gold]
            shown = (peer.id, peer.example.question, peer.example.response.text, gold)
            digest.update(repr((key, *shown)).encode())
        frozen = {key: tuple(group) for key, group in groups.items()}
        return cls(MappingProxyType(frozen), digest.hexdigest()[:16])

    def __bool__(self) -> bool:
        """True if it holds any response."""
        return bool(self.groups)

    def peers_for(self, example: Example) -> tuple[Annotated, ...]:
        """The other annotated responses to the same source; never the response itself.

        Left out are the response with the same id and each one with the same text.
        """
        said = _without_space(example.response.text)
        return tuple(
            peer
            for peer in self.groups.get(_key(example.source.text), ())
            if peer.id != example.id and _without_space(peer.example.response.text) != said
        )


@dataclass(frozen=True, slots=True)
class PeerLimits:
    """The most peers in a prompt (None: all), and the most characters for them.

    Where there are more, `seed` decides which are drawn.
    """

    peers: int | None = None
    characters: int = CHARACTERS
    seed: int = 0


@dataclass(frozen=True, slots=True)
class ShownPeers:
    """The peers that a prompt shows, and the texts of each by the names of their fences.

    `basis` says in words what the verdict rests on.
    """

    peers: tuple[Annotated, ...]
    blocks: tuple[dict[str, str], ...]
    basis: str

    @property
    def texts(self) -> dict[str, str]:
        """All texts of all peers, to be fenced with those of the response and the source."""
        return {name: text for block in self.blocks for name, text in block.items()}

    def render(self, fences: Fences, texts: Texts = "fenced") -> str:
        """The part of a prompt that shows them, between marks or plainly below their titles."""
        if texts == "plain":
            return SEPARATOR.join(map(_render_plainly, self.blocks))
        return SEPARATOR.join(_render(fences, block) for block in self.blocks)


def choose_peers(peers: Sequence[Annotated], limits: PeerLimits, question: str = "") -> ShownPeers:
    """Those of the peers that are within the limits; one with another question brings it along."""
    wanted = _drawn(peers, limits)
    numbers = number_annotators(wanted)
    blocks = _blocks(wanted, numbers, one_line(question))
    lengths = [len(_render(Fences(block), block)) for block in blocks]
    kept = tuple(wanted[place] for place in _that_fit(lengths, limits.characters))
    if len(kept) < len(wanted):
        blocks = _blocks(kept, numbers, one_line(question))  # the peers are counted anew
    return ShownPeers(kept, blocks, _basis(len(peers), len(wanted), len(kept), limits))


def _drawn(peers: Sequence[Annotated], limits: PeerLimits) -> tuple[Annotated, ...]:
    """As many as may be shown, in their order; which, depends on the seed and on the source."""
    if limits.peers is None or limits.peers >= len(peers):
        return tuple(peers)

    def lot(place: int) -> str:
        peer = peers[place]
        drawn = (limits.seed, _key(peer.example.source.text), peer.id, peer.example.response.text)
        return _digest(repr(drawn))

    places = sorted(range(len(peers)), key=lot)[: limits.peers]
    return tuple(peers[place] for place in sorted(places))


def _blocks(
    peers: tuple[Annotated, ...], numbers: Mapping[Author, int], asked: str
) -> tuple[dict[str, str], ...]:
    return tuple(_block(n, peer, numbers, asked) for n, peer in enumerate(peers, start=1))


def _block(
    number: int, peer: Annotated, numbers: Mapping[Author, int], asked: str
) -> dict[str, str]:
    name = f"peer_{number}"
    texts = {
        name: peer.example.response.text,
        f"{name}_annotations": annotation_text(peer, numbers),
    }
    other = one_line(peer.example.question)
    return texts if other in ("", asked) else {f"{name}_question": other, **texts}


def _render(fences: Fences, block: dict[str, str]) -> str:
    return "\n".join(fences[name] for name in block)


def _render_plainly(block: dict[str, str]) -> str:
    titles = (name.replace("_", " ").capitalize() for name in block)
    return "\n".join(
        f"{title}:\n{text}" for title, text in zip(titles, block.values(), strict=True)
    )


def _that_fit(lengths: list[int], characters: int) -> list[int]:
    """The places that stay, in order, when the longest go first and of equals the later one.

    The lengths are upper bounds: a peer's number can only get smaller when others are left out.
    """
    shortest = sorted(range(len(lengths)), key=lambda place: (lengths[place], place))
    totals = accumulate(lengths[place] + len(SEPARATOR) for place in shortest)
    most = characters + len(SEPARATOR)  # there is none after the last
    return sorted(place for place, total in zip(shortest, totals, strict=True) if total <= most)


def _basis(found: int, wanted: int, shown: int, limits: PeerLimits) -> str:
    if limits.peers == 0:
        return "Without annotated peers, as requested: judged zero-shot."
    if not found:
        return "No annotated peers for this source: judged zero-shot."
    if shown == found:
        return f"{found} annotated peer{'s' if found > 1 else ''}."
    drawn = f"drawn with seed {limits.seed}"
    said = f"{shown} of {found} annotated peers shown"
    if shown == wanted:
        return f"{said}: {drawn}."
    of = f"of {wanted} {drawn} " if wanted < found else ""
    reason = f"to stay within {limits.characters:,} characters"
    if shown:
        were = "were" if wanted - shown > 1 else "was"
        return f"{said}: {of}the longest {were} left out {reason}."
    return f"None of {found} annotated peers shown {reason}: judged zero-shot."


def _key(source: str) -> str:
    return _digest(_without_space(source))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def _without_space(text: str) -> str:
    return "".join(text.split())
