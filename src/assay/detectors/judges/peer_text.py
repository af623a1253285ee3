"""What people said of an annotated response, as lines of text for a prompt."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from assay.core.examples import Example
from assay.core.labels import Taxonomy
from assay.core.taxonomies import TAXONOMIES
from assay.core.units import Unit
from assay.core.verdicts import Verdict
from assay.detectors.judges.judging import squeeze

# What RAGTruth writes below an annotator's words, in plain ones.
_FLAGS = {
    "implicit_true": "(It is true of the world, but the source does not say it.)",
    "due_to_null": "(The source has no value for this.)",
}


def number_annotators(peers: Iterable[Example]) -> dict[str, int]:
    """A number for each annotator, the same in all peers; names of people stay at home."""
    names = dict.fromkeys(verdict.judge for peer in peers for verdict in _labelled(peer))
    return {name: number for number, name in enumerate(filter(None, names), start=1)}


def annotation_text(peer: Example, numbers: Mapping[str, int]) -> str:
    """What each annotator marked, then what is said without a name; a text is on one line."""
    opinions: dict[str, list[Verdict]] = {}
    for verdict in _labelled(peer):
        opinions.setdefault(verdict.judge, []).append(verdict)
    nameless = opinions.pop("", [])
    lines = [
        line
        for name, verdicts in opinions.items()
        for line in _opinion(f"Annotator {numbers[name]}", verdicts)
    ]
    if nameless:
        heading = "The annotators together" if opinions else "The annotation"
        lines += _opinion(heading, nameless, joint=bool(opinions))
    return "\n".join(lines)


def taxonomies_of(peers: Iterable[Example]) -> tuple[Taxonomy, ...]:
    """The menus of all labels in the peers' annotations."""
    names = dict.fromkeys(
        verdict.label.taxonomy for peer in peers for verdict in _labelled(peer) if verdict.label
    )
    return tuple(TAXONOMIES[name] for name in names)


def _labelled(peer: Example) -> Iterator[Verdict]:
    return (verdict for verdict in peer.gold if verdict.label)


def _opinion(heading: str, verdicts: Sequence[Verdict], *, joint: bool = False) -> Iterator[str]:
    """A verdict on the whole, and the marks; who only sums up has not failed to mark anything."""
    whole = ", ".join(dict.fromkeys(_label(each) for each in verdicts if not _is_mark(each)))
    marks = list(filter(_is_mark, verdicts))
    said = [f"whole response {whole}"] if whole else []
    if marks or not joint:
        said.append("marked:" if marks else "marked nothing")
    yield f"{heading}: {', '.join(said)}"
    for mark in marks:
        yield from _mark(mark)


def _is_mark(verdict: Verdict) -> bool:
    """Whether it is about a part; a note on the whole response is shown like a mark as well."""
    return verdict.unit.kind != "response" or bool(verdict.note)


def _mark(verdict: Verdict) -> Iterator[str]:
    passage = _passage(verdict.unit)
    yield f"- passage: {squeeze(passage)}" if passage else "- the whole response"
    yield f"  label: {_label(verdict)}"
    note = _note(verdict)
    if note:
        yield f"  note: {squeeze(note)}"
    for span in verdict.evidence:
        yield f"  in the source: {squeeze(span.text)}"


def _passage(unit: Unit) -> str:
    """The words that a mark is about; none if it is about the whole response."""
    if unit.kind == "inconsistency":
        return " ... ".join(span.text for span in unit.spans)
    return "" if unit.kind == "response" else unit.text


def _note(verdict: Verdict) -> str:
    """What people said of it; of a described error that is the description."""
    if verdict.unit.kind == "inconsistency":
        return verdict.unit.text
    return "\n".join(_FLAGS.get(line.strip(), line) for line in verdict.note.splitlines())


def _label(verdict: Verdict) -> str:
    """The label, or all that were given together."""
    together = ", ".join(str(each.label) for each in verdict.interpretations)
    return together or str(verdict.label)
