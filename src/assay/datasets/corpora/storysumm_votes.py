"""What each of StorySumm's crowd workers said, from the file of raw annotations."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.core.labels import Label
from assay.core.units import Unit
from assay.core.verdicts import Attributes
from assay.datasets.corpora.building import FAITHFUL, UNFAITHFUL, Opinion, opinion, person
from assay.datasets.corpora.reading import items, need, need_texts, pick, read_json, some
from assay.datasets.corpus import Repairs

VOTES = "annotations/upwork_annotations_storysumm.json"
_COMMENTARY = "N/A, just commentary"
_ANSWERS: dict[str, Label | None] = {"Yes": FAITHFUL, "No": UNFAITHFUL, _COMMENTARY: None}
_SENTENCE = re.compile(r"consistent_(\d+)")


@dataclass(frozen=True, slots=True)
class Vote:
    """What one worker says of a summary: a label for each sentence, None for commentary."""

    worker: str
    sentences: tuple[Label | None, ...]
    whole: Label | None
    explanations: dict[str, str]  # by sentence number from 0, or 'full'


Votes = dict[str, list[Vote]]  # by the id of the summary


def read_votes(path: Path, repairs: Repairs) -> Votes:
    """The votes on each summary; of a worker who judged one twice, the last."""
    votes: dict[str, dict[str, Vote]] = {}
    for row in some(items(read_json(path), path), path):
        need(need_texts(row, ("id", "username"), path), ("annotation",), path)
        vote = _vote(row["username"], need(row["annotation"], (), path), path)
        workers = votes.setdefault(row["id"], {})
        if vote.worker in workers:
            repairs.note("judged-twice", "a worker judged a summary twice: the last one counts")
        workers[vote.worker] = vote
    return {summary: list(workers.values()) for summary, workers in votes.items()}


def _vote(worker: str, said: dict[str, Any], path: Path) -> Vote:
    numbers = sorted(int(found[1]) for key in said if (found := _SENTENCE.fullmatch(key)))
    answers = tuple(pick(_ANSWERS, said[f"consistent_{number}"], path) for number in numbers)
    whole = said.get("consistent_full")
    words = {
        key.removeprefix("explanation_"): value
        for key, value in said.items()
        if key.startswith("explanation_") and isinstance(value, str)
    }
    return Vote(worker, answers, None if whole is None else pick(_ANSWERS, whole, path), words)


def that_fit(votes: list[Vote], sentences: int, repairs: Repairs) -> list[Vote]:
    """The votes that have an answer for each sentence of a summary."""
    fitting = [vote for vote in votes if len(vote.sentences) == sentences]
    if len(fitting) < len(votes):
        repairs.note(
            "votes-do-not-fit",
            "a worker has not as many answers as there are sentences: dropped",
            len(votes) - len(fitting),
        )
    return fitting


def commentary(votes: list[Vote]) -> set[int]:
    """The sentences, from 0, that at least one worker called commentary."""
    return {place for vote in votes for place, label in enumerate(vote.sentences) if label is None}


def opinions(
    votes: list[Vote], units: tuple[Unit, ...], response: Unit, left_out: set[int]
) -> Iterator[Opinion]:
    """What the workers say of the summary and its sentences; commentary is no label."""
    for vote in votes:
        by = person(vote.worker)
        if vote.whole:
            why = vote.explanations.get("full", "")
            yield opinion(response, vote.whole, by=by, note=why)
        for place, (unit, label) in enumerate(zip(units, vote.sentences, strict=True)):
            if label and place not in left_out:
                why = vote.explanations.get(str(place), "")
                about = Attributes(explanation=why)
                yield opinion(unit, label, by=by, note=why, attributes=about)
