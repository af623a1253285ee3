"""What a corpus or a file carries of judgements: people's (gold), and recorded detectors'."""

from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from assay import __version__
from assay.core.errors import InputError, UnknownNameError
from assay.core.examples import Annotated
from assay.core.judgements import GOLD, Author, Judgement, Judgements, Manifest
from assay.datasets.fields import Columns
from assay.datasets.selection import DataChoice

JudgementKind = Literal["gold", "recorded"]


def corpus_judgements(
    kind: JudgementKind,
    dataset: str,
    author: str = "",
    folder: str | None = None,
    columns: Columns | None = None,
) -> Judgements:
    """What people (gold) or detectors (recorded) said of the examples of a corpus or file.

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
