"""Tasks that people accepted, taken into the gold with who proposed and who accepted them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from assay.core.examples import Example
from assay.core.labels import Label, Taxonomy
from assay.core.taxonomies import BINARY, taxonomy
from assay.core.units import Unit
from assay.core.verdicts import Verdict
from assay.detectors.localize.oracle import gold_label
from assay.detectors.units import response_unit
from assay.evaluate.errors.tasks import Task
from assay.evaluate.items import Reading
from assay.evaluate.localization.gold import gold_inconsistencies
from assay.metrics import Estimate, proportion

UNFAITHFUL = BINARY["unfaithful"]


@dataclass(frozen=True, slots=True)
class Enriched:
    """The examples with what was accepted, and what became of the tasks.

    `added` counts the errors that are new in the gold, `known` the accepted ones that it has
    already; `newly_unfaithful` counts responses in which people had found nothing before.
    """

    examples: tuple[Example, ...]
    states: Counter[str]
    errors_before: int
    added: int
    known: int
    newly_unfaithful: int
    dropped: int

    @property
    def accepted(self) -> Estimate:
        """The share of the decided tasks that was accepted."""
        decided = sum(self.states[each] for each in ("accepted", "rejected", "unsure"))
        return proportion(self.states["accepted"], decided)


def apply_tasks(
    examples: Sequence[Example], tasks: Iterable[Task], *, drop_unsure: bool = False
) -> Enriched:
    """The examples with their accepted tasks; examples with an unsure one may be dropped."""
    given = list(tasks)
    unsure = {task.example.id for task in given if task.state == "unsure" and drop_unsure}
    kept = [example for example in examples if example.id not in unsure]
    accepted: dict[str, list[Task]] = {example.id: [] for example in kept}
    for task in given:
        if task.state == "accepted" and task.example.id in accepted:
            accepted[task.example.id].append(task)
    new = [(example, _new(example, accepted[example.id])) for example in kept]
    added = sum(len(chosen) for _, chosen in new)
    return Enriched(
        tuple(enriched(example, chosen) for example, chosen in new),
        Counter(task.state for task in given),
        sum(len(gold_inconsistencies(example) or ()) for example in kept),
        added,
        sum(map(len, accepted.values())) - added,
        sum(bool(chosen) and not _is_unfaithful(example) for example, chosen in new),
        len(examples) - len(kept),
    )


def enriched(example: Example, tasks: Sequence[Task]) -> Example:
    """The example with more gold errors; without tasks it stays as it is.

    What people said before is kept; only a response that counted as faithful does so no more.
    """
    if not tasks:
        return example
    gold = example.gold if _is_unfaithful(example) else _revised(example)
    return replace(example, gold=(*gold, *map(_accepted, tasks)))


def _new(example: Example, tasks: Sequence[Task]) -> list[Task]:
    """Those that the gold does not have, each once: the same file may be applied again."""
    known = {verdict.unit for verdict in example.gold}
    new: dict[Unit, Task] = {}
    for task in tasks:
        if task.unit not in known:
            new.setdefault(task.unit, task)
    return list(new.values())


def _accepted(task: Task) -> Verdict:
    origin = task.proposed_by
    prompts = origin.get("prompts") or {}
    digests = ", ".join(f"{name} {digest}" for name, digest in prompts.items())
    parts = {
        "by": origin.get("model") or origin.get("detector") or "an unknown model",
        "prompt": digests,
        "run": origin.get("run"),
        "on": origin.get("date"),
    }
    told = ", ".join(f"{name} {value}" for name, value in parts.items() if value)
    note = f"Proposed {told}; accepted by {task.by} (task {task.id}). {task.comment}".strip()
    return Verdict(
        task.unit,
        UNFAITHFUL,
        note=note,
        evidence=task.evidence,
        judge=task.by,
        error=task.category,
    )


def _revised(example: Example) -> tuple[Verdict, ...]:
    """The gold, in which the label of the response as such is now unfaithful."""
    menu = _menu(example)
    note = "Errors were found in it that people had not seen before."
    own = [v for v in example.gold if v.unit.kind == "response" and not v.judge and v.label]
    if not own:
        whole = Verdict(response_unit(example), _unfaithful(menu), note=note)
        return (whole, *example.gold)
    return tuple(_turned(verdict, note) if verdict in own else verdict for verdict in example.gold)


def _turned(verdict: Verdict, note: str) -> Verdict:
    label = verdict.label
    if label is None or label.coarse == "unfaithful":
        return verdict
    before = " ".join(verdict.note.split())  # on one line it is no explanation of an error
    told = f"{note} Before: {label.name}. {before}".strip()
    return replace(verdict, label=_unfaithful(taxonomy(label.taxonomy)), note=told)


def _unfaithful(menu: Taxonomy) -> Label:
    """The mildest label of a taxonomy that means unfaithful."""
    labels = [label for label in menu if label.coarse == "unfaithful"]
    return max(labels, key=lambda label: label.rank)


def _menu(example: Example) -> Taxonomy:
    label = gold_label(example)
    return taxonomy(label.taxonomy) if label else BINARY


def _is_unfaithful(example: Example) -> bool:
    label = gold_label(example)
    return label is not None and Reading().faithful(label) is False
