"""What people said of a peer, as the text that a prompt shows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from assay.core.examples import Annotated
from assay.core.judgements import GOLD, Author, Finding
from assay.core.labels import Taxonomy
from assay.core.taxonomies import taxonomy
from assay.core.texts import Source
from assay.core.units import Unit
from assay.detectors.judges.json_quotes import as_models_read
from assay.detectors.judges.judging import one_line

# RAGTruth's flags, in plain words.
_FLAGS = {
    "implicit_true": "(It is true of the world, but the source does not say it.)",
    "due_to_null": "(The source has no value for this.)",
}


def is_annotated(peer: Annotated) -> bool:
    """Whether people gave it a label, even if only that nothing is wrong with it."""
    return any(True for _ in _labelled(peer))


def number_annotators(peers: Iterable[Annotated]) -> dict[Author, int]:
    """A number for each annotator, the same in all peers; names of people are not sent."""
    authors = dict.fromkeys(author for peer in peers for author, _ in _labelled(peer))
    named = (author for author in authors if author != GOLD)
    return {author: number for number, author in enumerate(named, start=1)}


def annotation_text(peer: Annotated, numbers: Mapping[Author, int]) -> str:
    """What each annotator marked, then what they marked together; each text is on one line."""
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
    """What is shown of each annotator, and at last of what was settled on, if that has marks.

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
    """Whether it is about a part; a note on the whole response is shown like a mark as well."""
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
    """What people said of it; of a described error that is the description."""
    if finding.kind == "inconsistency" or not finding.verdict:
        return finding.text
    known = finding.verdict.attributes
    flags = [words for name, words in _FLAGS.items() if getattr(known, name)]
    return " ".join((finding.note, *flags))


def _label(finding: Finding) -> str:
    """The label, or all that were given together."""
    given = finding.verdict.interpretations if finding.verdict else ()
    return ", ".join(str(each.label) for each in given) or str(finding.label)
