"""Sets of judgements opened from one reference, and laid beside the examples they are about.

    run:NAME                    a run
    FILE.json                   a document that a check or an export of a run wrote
    FILE.parquet, FILE.arrow    the same judgements in columns
    DIR/                        a folder of parts that an export of a run wrote
    gold:DATASET                what people said of the examples of a corpus or file
    gold:AUTHOR@DATASET         what one of them said
    recorded:DETECTOR@DATASET   what a detector said when the corpus was made
    studio:PROJECT/NAME         what an annotator or a detector said in a project of the studio, or
                                with the name `final` what settled each item

Whatever a set was opened from, it is used in the same way.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Literal

from assay import __version__
from assay.core.codec import verify
from assay.core.errors import InputError, SpanError, UnknownNameError
from assay.core.examples import Annotated, Example
from assay.core.judgements import GOLD, Author, Judgement, Judgements, Manifest
from assay.core.units import Unit
from assay.core.verdicts import Failure, Outcome
from assay.datasets.columnar import is_columnar
from assay.datasets.fields import Columns
from assay.datasets.repeats import SeenIds
from assay.datasets.selection import DataChoice
from assay.detectors.registry import detector_names
from assay.evaluation.judgement_files import (
    open_document,
    open_judgement_columns,
    open_judgement_parts,
)
from assay.evaluation.set_aside import SetAside
from assay.text.sentences import response_unit, sentence_units

JudgementKind = Literal["gold", "recorded"]


def corpus_judgements(
    kind: JudgementKind,
    dataset: str,
    author: str = "",
    folder: str | None = None,
    columns: Columns | None = None,
) -> Judgements:
    """The judgements of people (gold) or detectors (recorded) on a corpus or file.

    Without an author everybody's judgements count. An author who says nothing raises at once.
    """
    choice = DataChoice(dataset, folder, columns or Columns())
    return judgements_among(choice.examples, kind, dataset, author)


def judgements_among(
    rows: Callable[[], Iterable[Annotated]],
    kind: JudgementKind,
    dataset: str,
    author: str = "",
    examples: int = 0,
) -> Judgements:
    """The same of examples that `rows` reads, from the beginning each time it is called."""
    who: Literal["person", "detector"] = "person" if kind == "gold" else "detector"

    def read() -> Iterator[Judgement]:
        for each in rows():
            for said in each.gold if kind == "gold" else each.detected:
                if author in ("", said.author.name):
                    yield said

    first = next((said for said in read() if said.findings), None)
    if first is None and author:
        first = next(read(), None)
    if first is None:
        raise _unknown_author(rows(), kind, dataset, author)
    labels = [verdict.label for verdict in first.verdicts if verdict.label]
    manifest = Manifest(
        author=first.author if author else Author(GOLD.name if kind == "gold" else kind, who),
        version=__version__,
        detector=author if kind == "recorded" else "",
        unit_kind=first.findings[0].kind if first.findings else "response",
        taxonomy=labels[0].taxonomy if labels else "",
        dataset=dataset,
        examples=examples,
    )
    name = f"{kind}:{author}@{dataset}" if author else f"{kind}:{dataset}"
    return Judgements(name, manifest, read)


def _unknown_author(
    rows: Iterable[Annotated], kind: JudgementKind, dataset: str, author: str
) -> InputError:
    said = (each.gold if kind == "gold" else each.detected for each in rows)
    names = {judgement.author.name for some in said for judgement in some}
    if author and names:
        what = "annotator" if kind == "gold" else "recorded detector"
        return UnknownNameError(f"{what} of {dataset}", author, names)
    what = "gold labels" if kind == "gold" else "recorded detectors"
    return InputError(f"{dataset} has no {what}")


FORMS = (
    "run:NAME, FILE.json, FILE.parquet, DIR/, gold:DATASET, recorded:DETECTOR@DATASET or "
    "studio:PROJECT/NAME"
)
_KINDS = ("run", "gold", "recorded", "studio")


def is_reference(name: str) -> bool:
    """True if a name has the form of a reference, whether or not there is something by it."""
    kind, colon, _ = name.partition(":")
    return (bool(colon) and kind in _KINDS) or is_in_files(name)


def is_in_files(name: str) -> bool:
    """True for a reference that says where files of judgements lie, and not who made them."""
    return name.endswith((".json", "/")) or is_columnar(name)


def open_judgements(
    reference: str, *, data: str | None = None, runs: str | None = None
) -> Judgements:
    """The judgements that a reference names; `data` holds the corpora, `runs` the runs."""
    kind, _, rest = reference.partition(":")
    if kind == "run" and rest:
        from assay.store.runs import open_run_judgements

        return open_run_judgements(rest, runs)
    if kind == "studio" and rest:
        from assay.store.annotation.judgement_sets import open_studio_judgements

        return open_studio_judgements(rest)
    author, _, dataset = rest.rpartition("@")
    labelled = Columns(label="label")  # what a file calls its labels; a corpus has its own
    if kind == "gold" and dataset:
        return corpus_judgements("gold", dataset, author, data, labelled)
    if kind == "recorded" and author and dataset:
        return corpus_judgements("recorded", dataset, author, data)
    if reference.endswith(".json"):
        return open_document(reference)
    if is_columnar(reference):
        return open_judgement_columns(reference)
    if reference.endswith("/"):
        return open_judgement_parts(reference)
    raise InputError(f"'{reference}' names no judgements; give {FORMS}", code="no-judgements")


def recorded_detectors(annotated: Iterable[Annotated]) -> list[str]:
    """The detectors whose judgements a corpus carries, in the order they are met."""
    return list(dict.fromkeys(said.author.name for each in annotated for said in each.detected))


def recorded_judgements(
    detector: str, dataset: str, annotated: Collection[Annotated]
) -> Judgements:
    """The judgements of a detector on examples that are read already; see `recorded:` above."""
    return judgements_among(lambda: annotated, "recorded", dataset, detector, len(annotated))


def unknown_detector(name: str, recorded: Iterable[str]) -> UnknownNameError:
    """The error about a name that stands for no judgements and for no detector to run."""
    what = f"detector, recorded detector or reference ({FORMS})"
    return UnknownNameError(what, name, (*recorded, *detector_names()))


def align(
    judgements: Judgements, examples: Iterable[Example], known: Collection[str] | None = None
) -> Iterator[Judgement]:
    """The judgement of each example, in their order; what was not judged is a `missing` failure.

    An example that names units of a kind that was judged gets exactly these, and their parts.
    Judgements in the order of the examples are read along with them; others are set aside on disk.
    A second one of an example raises at the end and, with `known`, the ids of all that there is,
    so does one of any other example.
    """
    with closing(SetAside()) as aside, closing(SeenIds()) as seen:
        unknown = list[str]()

        def noted() -> Iterator[Judgement]:
            for number, judgement in enumerate(judgements):
                seen.add(number, judgement.example)
                if known is not None and judgement.example not in known:
                    unknown.append(judgement.example)
                yield judgement

        remaining = noted()
        for example in examples:
            found = aside.take(example.id)
            while found is None and (judgement := next(remaining, None)):
                if judgement.example == example.id:
                    found = judgement
                else:
                    aside.add(judgement)
            yield _about(example, found, judgements)
        for _ in remaining:
            pass
        for repeat in seen.repeats()[:1]:
            raise _two_of_one(judgements, repeat.id)
    if known is not None:
        refuse_unknown(judgements.reference, unknown, known)


def _two_of_one(judgements: Judgements, example: str) -> InputError:
    first, second, *_ = (each.author.name for each in judgements if each.example == example)
    return InputError(
        f"{judgements.reference} has two judgements of the example '{example}', by {first} and "
        f"{second}; name one author, as in gold:AUTHOR@DATASET"
    )


def _about(example: Example, judgement: Judgement | None, judgements: Judgements) -> Judgement:
    name = judgements.reference
    if judgement is None:
        return _nothing(example, judgements, f"{name} has no example '{example.id}'")
    try:
        verify(judgement, example)
    except SpanError as error:
        return _nothing(example, judgements, f"{name} is about another text: {error}")
    if not example.units:
        return judgement
    kinds = {judgements.manifest.unit_kind, *(each.kind for each in judgement.findings)}
    if not any(unit.kind in kinds for unit in example.units):
        return judgement
    return _only_named(example.units, judgement, name)


def _only_named(named: Sequence[Unit], judgement: Judgement, name: str) -> Judgement:
    """The judgement of the named units and their parts; those not judged are failures."""
    parts = _parts_of(named, judgement)
    units: list[Unit] = []
    outcomes: list[Outcome] = []
    for unit in named:
        units.append(unit)
        said, below = judgement.finding(unit.id), parts[unit.id]
        same = judgement.by_id.get(unit.id, unit)
        if same.text != unit.text:
            detail = f"{name} is about another text: its {unit.id} reads {same.text[:60]!r}"
            outcomes.append(Failure(unit.id, "missing", detail))
            continue
        judged = [found.outcome for each in below if (found := judgement.finding(each.id))]
        if said:
            outcomes.append(said.outcome)
        elif not judged:
            detail = f"{name} has no verdict on this {unit.kind}"
            outcomes.append(Failure(unit.id, "missing", detail))
        units += below
        outcomes += judged
    return replace(judgement, units=tuple(units), outcomes=tuple(outcomes))


def _parts_of(named: Sequence[Unit], judgement: Judgement) -> dict[str, list[Unit]]:
    """The units below each of the named ones, each under the nearest."""
    parts: dict[str, list[Unit]] = {unit.id: [] for unit in named}
    for unit in judgement.units:
        parent = "" if unit.id in parts else unit.parent
        while parent and parent not in parts:
            owner = judgement.by_id.get(parent)
            parent = owner.parent if owner else ""
        if parent:
            parts[parent].append(unit)
    return parts


def _nothing(example: Example, judgements: Judgements, detail: str) -> Judgement:
    kind = judgements.manifest.unit_kind
    units = tuple(unit for unit in example.units if unit.kind == kind)
    if kind == "sentence":
        units = sentence_units(example)
    units = units or (response_unit(example),)
    failures = tuple(Failure(unit.id, "missing", detail) for unit in units)
    return Judgement(example.id, judgements.manifest.author, units, failures)


def refuse_unknown(name: str, ids: Iterable[str], known: Collection[str]) -> None:
    """Raises if judgements are about examples that there are not."""
    unknown = [each for each in ids if each not in known]
    if unknown:
        raise InputError(
            f"{name}: {len(unknown):,} examples are not in the corpus, first '{unknown[0]}'"
        )


def refuse_repeated(name: str, ids: Iterable[str]) -> None:
    """Raises if an example appears twice, since its judgements could not be told apart."""
    twice = [key for key, count in Counter(ids).items() if count > 1]
    if twice:
        raise InputError(f"{name}: {len(twice):,} ids appear twice, the first is '{twice[0]}'")
