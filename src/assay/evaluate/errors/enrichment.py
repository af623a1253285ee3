"""What a run found, compared with the gold: the rest are proposals for people."""

from collections.abc import Sequence
from dataclasses import replace

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.detectors.localize.making import STYLES
from assay.detectors.registry import find_entry
from assay.evaluate.errors.levels import level_of
from assay.evaluate.errors.tasks import Proposed, origin_of, propose
from assay.evaluate.localization.matching import Matcher
from assay.evaluate.predictions import refuse_unknown
from assay.evaluate.runs.summary import replay_run
from assay.store.folder import RunsFolder

RECALL = "localize-recall"


def require_localizer(detector: str) -> None:
    """Raises if a detector of that name does not say what is wrong, so before it is asked."""
    name = detector.partition(":")[0]
    find_entry(name)
    if name not in STYLES:
        raise InputError(f"{name} does not say what is wrong; a localizer does, such as {RECALL}")


def proposals_of(
    name: str, folder: RunsFolder, examples: Sequence[Example], matcher: Matcher
) -> Proposed:
    """What the run of that name found and the gold of the examples does not have."""
    replay, summary = replay_run(folder, name)
    if level_of(replay, summary.run.detector) != "error":
        raise InputError(
            f"the run '{name}' is by {summary.run.detector}, which does not say what is wrong; "
            f"run {RECALL}"
        )
    refuse_unknown(f"run:{name}", replay.ids, examples)
    judged = set(replay.ids)
    chosen = (replace(example, units=()) for example in examples if example.id in judged)
    origin = origin_of(name, summary.run, matcher.name)
    return propose(list(replay.detect(chosen)), matcher, origin)
