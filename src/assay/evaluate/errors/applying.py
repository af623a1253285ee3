"""Tasks that people accepted, taken into the gold with who proposed and who accepted them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from assay.core.examples import Example
from assay.core.labels import Label, Taxonomy
from assay.core.taxonomies import BINARY, taxonomy
from assay.core.verdicts import Verdict
from assay.detectors.localize.oracle import gold_label
from assay.detectors.units import response_unit
from assay.evaluate.errors.tasks import Task
from assay.evaluate.items import Reading
from assay.evaluate.localization.gold import gold_inconsistencies
from assay.evaluate.localization.inconsistencies import Inconsistency
from assay.metrics import Estimate, proportion

UNFAITHFUL = BINARY["unfaithful"]


@dataclass(frozen=True, slots=True)
class Enriched:
    """The examples with what was accepted, and what became of the tasks.

    `newly_unfaithful` counts responses in which people had found nothing before.
    """

    examples: tuple[Example, ...]
    states: Counter[str]
    errors_before: int
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
    by_example: dict[str, list[Task]] = {}
    states: Counter[str] = Counter()
    for task in tasks:
        states[task.state] += 1
        by_example.setdefault(task.example.id, []).append(task)
    unsure = {key for key, given in by_example.items() if any(t.state == "unsure" for t in given)}
    left_out = unsure if drop_unsure else set()
    kept = [example for example in examples if example.id not in left_out]
    accepted = {
        key: [task for task in given if task.state == "accepted"]
        for key, given in by_example.items()
    }
    return Enriched(
        tuple(enriched(example, accepted.get(example.id, ())) for example in kept),
        states,
        sum(len(gold_inconsistencies(example) or ()) for example in kept),
        sum(bool(accepted.get(example.id)) and not _is_unfaithful(example) for example in kept),
        len(examples) - len(kept),
    )


def enriched(example: Example, tasks: Sequence[Task]) -> Example:
    """The example with more gold errors; without tasks it stays as it is.

    Errors that were marked or explained in another form are described as well, since described
    ones come before all others. A response that counted as faithful does so no more.
    """
    if not tasks:
        return example
    known = gold_inconsistencies(example) or ()
    is_described = any(verdict.unit.kind == "inconsistency" for verdict in example.gold)
    described = () if is_described else tuple(map(_described, known))
    gold = example.gold if _is_unfaithful(example) else _revised(example)
    return replace(example, gold=(*gold, *described, *map(_accepted, tasks)))


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


def _described(error: Inconsistency) -> Verdict:
    note = f"As the data had it before: {error.kind or 'an error'}."
    return Verdict(error.unit, UNFAITHFUL, note=note, evidence=error.evidence, error=error.category)


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
    told = f"{note} Before: {label.name}. {verdict.note}".strip()
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
