"""Batches for annotators: planned from any data, written as a plain file, or given in the studio.

What the studio gives out is planned by the same rule (`bench/batches`).
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

from assay import __version__
from assay.app import targets
from assay.bench.batches import (
    BatchRule,
    Plan,
    known_by,
    plan_batches,
    require_form,
    write_key,
    write_plan,
)
from assay.core.errors import InputError
from assay.core.options import Option, Takes
from assay.datasets.conversion import convert
from assay.datasets.selection import DATA_ARGUMENT, DataChoice
from assay.evaluation.corpora.label_counts import response_label

if TYPE_CHECKING:
    from assay.annotation.settings import Mode
    from assay.annotation.studio import Person, Studio
    from assay.annotation.team.batches import ItemBatch

SIZE = 50


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """The data, its annotators, how many of them each item has, and how large a batch is.

    With `per_batch` the same annotators have all of a batch.
    """

    data: Annotated[
        DataChoice,
        Takes("language sample seed label_field label_taxonomy", dataset=DATA_ARGUMENT),
    ]
    annotators: Annotated[
        tuple[str, ...],
        Option("The people who annotate.", "NAME,...", commas=True, default=()),
    ]
    k: Annotated[int, Option("Annotators of each item.", "K")] = 2
    size: Annotated[int, Option("Items of a batch; a source is never split between two.", "N")] = (
        SIZE
    )
    seed: Annotated[int, Option("Seed; the same one gives the same plan.", "S")] = 0
    per_batch: Annotated[
        bool, Option("The same K annotators for all of a batch, not for each source.")
    ] = False

    def __post_init__(self) -> None:
        if not self.annotators:
            raise InputError(
                "nobody annotates; name the people, as in ann,bo,cy", field="annotators"
            )


@dataclass(frozen=True, slots=True)
class Given:
    """A project of the studio after batches were given out."""

    project: str
    added: int
    known: int
    refused: tuple[str, ...]
    joined: tuple[str, ...]  # who became a member
    new: int  # batches
    batches: tuple["ItemBatch", ...]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        return asdict(self)


def plan(request: PlanRequest) -> Plan:
    """The plan of who annotates what; nothing is written."""
    examples = (each.example for each in request.data.examples())
    rule = BatchRule(request.size, request.k, request.seed, request.per_batch)
    return plan_batches(examples, request.annotators, rule)


def require_targets(request: PlanRequest, out: str, key: str) -> None:
    """Raises if a file of a plan cannot be written, before anything is read for it."""
    if out:
        require_form(out)
    if key and not key.endswith(".csv"):
        raise InputError(f"the key is a table: end {key} in .csv", field="key")
    targets.require_targets({"out": out, "key": key}, request.data.target)


def write(made: Plan, out: str, key: str = "", *, models: bool = False) -> int:
    """Writes a plan, and which of its ids is which example; gives the number of rows."""
    if key:
        write_key(made, key)
    return write_plan(made, out, models=models) if out else 0


def plan_document(made: Plan, written: int, out: str) -> dict[str, Any]:
    """A plan as plain JSON values."""
    return {
        "assay": __version__,
        "items": len(made.placed),
        "sources": len({known_by(each) for each in made.examples}),
        **asdict(made.rule),
        "annotators": made.loads,
        "batches": [
            {"batch": number, "items": items, "sources": sources, "annotators": list(names)}
            for number, (items, sources, names) in made.batches().items()
        ],
        "out": out or None,
        "rows": written,
    }


def give_in_studio(
    studio: "Studio", who: "Person", request: PlanRequest, name: str, mode: "Mode"
) -> Given:
    """Brings the data into a project, which is made if need be, and gives it out.

    Everybody must have an account, and becomes a member of the project. What the project has
    already stays as it is: the same request again adds nothing.
    """
    from assay.annotation.exchange.imports import import_file, project_for_file
    from assay.annotation.exchange.new_items import ImportOptions
    from assay.annotation.settings import ProjectSettings
    from assay.annotation.team import batches

    if len(request.annotators) < request.k:  # before anything is imported
        plan(request)
    _require_accounts(studio, who, request.annotators)
    settings = ProjectSettings(mode=mode, k=request.k, show_detectors=False)
    with TemporaryDirectory(prefix="assay-batch-") as folder:
        path = str(Path(folder) / "items.jsonl")
        convert(request.data.examples(), path, response_label)
        slug = project_for_file(studio, who, path, name, settings)
        called = Path(request.data.target).name
        imported = import_file(studio, who, slug, path, ImportOptions(called))
    joined = _join(studio, who, slug, request.annotators)
    before = {each.number for each in batches.list_batches(studio, who, slug)}
    wish = batches.BatchRequest(
        request.size, request.k, request.annotators, request.seed, request.per_batch
    )
    try:
        found = batches.give_out(studio, who, slug, wish)
    except InputError as error:
        if error.code != "no-items" or not imported.known:
            raise
        found = batches.list_batches(studio, who, slug)  # all were given out before
    return Given(
        project=slug,
        added=imported.added,
        known=imported.known,
        refused=tuple(f"{each.where}: {each.message}" for each in imported.problems),
        joined=joined,
        new=sum(each.number not in before for each in found),
        batches=found,
    )


def _require_accounts(studio: "Studio", who: "Person", names: Sequence[str]) -> None:
    from assay.annotation.people.accounts import has_accounts, list_people
    from assay.annotation.people.names import fold

    known = {fold(each.name): each for each in list_people(studio, who)}
    for name in names:
        if fold(name) not in known:
            is_begun = has_accounts(studio)  # the first account is an administrator's
            raise InputError(
                f"the studio has no account '{name}'",
                field="annotators",
                code="no-account" if is_begun else "no-administrator",
                subject=name if is_begun else "",
            )
        if not known[fold(name)].is_active:
            raise InputError(f"the account of '{name}' is closed", field="annotators")


def _join(studio: "Studio", who: "Person", slug: str, names: Sequence[str]) -> tuple[str, ...]:
    from assay.annotation.people.members import add_member, list_members
    from assay.annotation.people.names import fold

    inside = {fold(each.name) for each in list_members(studio, who, slug)}
    missing = tuple(name for name in names if fold(name) not in inside)
    for name in missing:
        add_member(studio, who, slug, name)
    return missing
