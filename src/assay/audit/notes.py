"""Notes on the lines of an audit: who flagged, who was only asked for reasons, whose labels count.

Votes and rankings by those who flagged are to be told from those of others, and labels of several
annotators are pooled as they were when they were flagged, also when the lines come back from
people. A note is a judgement without units, by an author whose name says what it is about; it is
the same on every line, and says nothing of single units.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.judgements import (
    CONTROLLED,
    FLAGGED_BY,
    POOLED,
    REASONS_OF,
    Author,
    Judgement,
    Judgements,
)
from assay.core.pooling import Pool, find_pool

_NOTES = (FLAGGED_BY, REASONS_OF, CONTROLLED, POOLED)
_BETWEEN = ", "  # the models of a manifest


@dataclass(frozen=True, slots=True)
class Flagger:
    """A detector by the name of its author, and the models that it asks."""

    name: str
    models: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Involved:
    """A voter who flagged, or a model that a detector asked that flagged."""

    voter: str
    flagger: str

    def __str__(self) -> str:
        return self.voter if self.voter == self.flagger else f"{self.voter} (as {self.flagger})"


@dataclass(frozen=True, slots=True)
class SearchNotes:
    """Detectors that flagged, those asked for reasons only, and if there is a control sample.

    Without flaggers nothing is known: the lines are of a version that did not note them. `pool` is
    how labels of several annotators became the gold that was flagged.
    """

    flaggers: tuple[Flagger, ...] = ()
    rationale: tuple[str, ...] = ()
    has_controls: bool = False
    pool: Pool = "corpus"

    def involved(
        self, voters: Iterable[str], authors: Mapping[str, str] | None = None
    ) -> tuple[Involved, ...]:
        """The voters who took part in flagging; `authors` says whose work a run is."""
        found: list[Involved] = []
        for voter in voters:
            author = (authors or {}).get(voter, voter)
            same = [e.name for e in self.flaggers if author == e.name or voter in e.models]
            found += [Involved(voter, name) for name in same[:1]]
        return tuple(found)


def flaggers_of(predictions: Iterable[Judgements]) -> tuple[Flagger, ...]:
    """The detectors whose verdicts are compared with labels, each once."""
    found = (
        Flagger(each.manifest.author.name, tuple(filter(None, each.manifest.model.split(_BETWEEN))))
        for each in predictions
    )
    return tuple(dict.fromkeys(found))


def with_notes(line: Annotated, notes: SearchNotes) -> Annotated:
    """The line with the notes in place of any that it has."""
    plain = without_notes(line)
    return plain.with_judgements(*(Judgement(line.id, each, (), ()) for each in _authors(notes)))


def without_notes(line: Annotated) -> Annotated:
    """The line without notes."""
    kept = tuple(each for each in line.judgements if not _is_note(each))
    return replace(line, judgements=kept)


def notes_on(lines: Iterable[Annotated]) -> SearchNotes:
    """The notes on some lines together; lines whose gold was pooled differently raise."""
    noted = [[each.author for each in line.judgements if _is_note(each)] for line in lines]
    authors = dict.fromkeys(each for some in noted for each in some)
    named = [(*each.name.partition(" ")[::2], each.version) for each in authors]
    return SearchNotes(
        tuple(
            Flagger(name, tuple(filter(None, models.split(_BETWEEN))))
            for kind, name, models in named
            if kind == FLAGGED_BY
        ),
        tuple(name for kind, name, _ in named if kind == REASONS_OF),
        any(kind == CONTROLLED for kind, _, _ in named),
        _one_pool(map(_pool_of, noted)),
    )


def notes_together(several: Iterable[SearchNotes]) -> SearchNotes:
    """Some notes together."""
    given = tuple(several)
    return SearchNotes(
        tuple(dict.fromkeys(each for notes in given for each in notes.flaggers)),
        tuple(dict.fromkeys(each for notes in given for each in notes.rationale)),
        any(notes.has_controls for notes in given),
        _one_pool(notes.pool for notes in given if notes.flaggers),
    )


def _pool_of(authors: Iterable[Author]) -> Pool:
    """The pool of the gold; lines of a version that did not note it have the corpus's."""
    return next((find_pool(e.version) for e in authors if e.name == POOLED), "corpus")


def _one_pool(pools: Iterable[Pool]) -> Pool:
    found = sorted(set(pools))
    if len(found) > 1:
        raise InputError(
            f"the gold of these flags was pooled in several ways, {' and '.join(found)}; go on "
            "with those of one flagging at a time",
            field="flags",
        )
    return found[0] if found else "corpus"


def _authors(notes: SearchNotes) -> Iterator[Author]:
    for each in notes.flaggers:
        yield Author(f"{FLAGGED_BY} {each.name}", version=_BETWEEN.join(each.models))
    for name in notes.rationale:
        yield Author(f"{REASONS_OF} {name}")
    if notes.has_controls:
        yield Author(CONTROLLED)
    if notes.pool != "corpus":
        yield Author(POOLED, version=notes.pool)


def _is_note(judgement: Judgement) -> bool:
    author = judgement.author
    return author.kind == "detector" and author.name.partition(" ")[0] in _NOTES
