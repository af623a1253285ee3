"""StorySumm: LLM summaries of short stories, judged sentence by sentence and as a whole."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.labels import Label
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.core.verdicts import Attributes
from assay.datasets.corpora.annotations import (
    FAITHFUL,
    UNFAITHFUL,
    Opinion,
    annotate,
    find_sentences,
    opinion,
    person,
)
from assay.datasets.corpora.raw_files import RawRow, items, read_rows, read_text, some
from assay.datasets.corpus import Card, File, Protocol, Repairs, released

VOTES = "annotations/upwork_annotations_storysumm.json"
_COMMENTARY = "N/A, just commentary"
_ANSWERS: dict[str, Label | None] = {"Yes": FAITHFUL, "No": UNFAITHFUL, _COMMENTARY: None}
_SENTENCE = re.compile(r"consistent_(\d+)")


@dataclass(frozen=True, slots=True)
class StoryVote:
    """One worker's vote on a summary: a label for each sentence, None for commentary."""

    worker: str
    sentences: tuple[Label | None, ...]
    whole: Label | None
    explanations: dict[str, str]  # by sentence number from 0, or 'full'


Votes = dict[str, list[StoryVote]]  # by the id of the summary


def read_votes(path: Path, repairs: Repairs) -> Votes:
    """The votes on each summary; of a worker who judged one twice, the last."""
    votes: dict[str, dict[str, StoryVote]] = {}
    for row in read_rows(path):
        vote = _vote(row.text("username"), row.row("annotation"))
        workers = votes.setdefault(row.text("id"), {})
        if vote.worker in workers:
            repairs.note("judged-twice", "a worker judged a summary twice: the last one counts")
        workers[vote.worker] = vote
    return {summary: list(workers.values()) for summary, workers in votes.items()}


def _vote(worker: str, said: RawRow) -> StoryVote:
    numbers = sorted(int(found[1]) for key in said if (found := _SENTENCE.fullmatch(key)))
    answers = tuple(said.pick(_ANSWERS, said[f"consistent_{number}"]) for number in numbers)
    whole = said.get("consistent_full")
    words = {
        key.removeprefix("explanation_"): value
        for key, value in said.items()
        if key.startswith("explanation_") and isinstance(value, str)
    }
    return StoryVote(worker, answers, None if whole is None else said.pick(_ANSWERS, whole), words)


def that_fit(votes: list[StoryVote], sentences: int, repairs: Repairs) -> list[StoryVote]:
    """The votes that have an answer for each sentence of a summary."""
    fitting = [vote for vote in votes if len(vote.sentences) == sentences]
    if len(fitting) < len(votes):
        repairs.note(
            "votes-do-not-fit",
            "a worker has not as many answers as there are sentences: dropped",
            len(votes) - len(fitting),
        )
    return fitting


def commentary(votes: list[StoryVote]) -> set[int]:
    """The sentences, from 0, that at least one worker called commentary."""
    return {place for vote in votes for place, label in enumerate(vote.sentences) if label is None}


def opinions(
    votes: list[StoryVote], units: tuple[Unit, ...], response: Unit, left_out: set[int]
) -> Iterator[Opinion]:
    """The opinions of the workers on the summary and its sentences; commentary is no label."""
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


_SUBJECTIVE = "storysumm_w_subj.json"
_LATER = "41d3e3b12a9eda05b526108079c8865a97509c72"
_SUBJECTIVE_FILE = File(_SUBJECTIVE, upstream=_SUBJECTIVE, revision=_LATER)
_VOTES_FILE = File(VOTES, upstream=VOTES, revision="c1123880752235b2f1702edfe1b0a442eba92475")
_LABELLING = (
    "1 is faithful and 0 unfaithful, for a summary and for a sentence (the field is called "
    "'errors' all the same). An explanation is the note of its sentence, in order; the difficulty "
    "is in the note of the summary. The response is the sentences joined by a space. The votes of "
    f"the crowd workers are read where {VOTES} is there: 'best' of the annotators is their rule "
    "that all must call a sentence unfaithful, from which the released labels depart here and "
    "there. A worker who calls a sentence commentary gives it no label."
)


def _card(name: str, title: str, loader: str, *files: File, **more: Any) -> Card:
    return Card(
        name=name,
        title=title,
        origin="https://github.com/melaniesubbiah/storysumm",
        revision="22d47af2bfb2a6b2d443b44dbcc81dd01ac742cb",
        licence="MIT",
        taxonomy="binary",
        unit_kind="sentence",
        splits=("val", "test"),
        folder="storysumm",
        files=files,
        loader=f"assay.datasets.corpora.storysumm:{loader}",
        paper="STORYSUMM: Evaluating Faithfulness in Story Summarization (EMNLP 2024)",
        protocol=Protocol(
            "sentence", "corpus", stated_in="Revisiting Faithfulness Annotations, section 7"
        ),
        may_train=True,
        **more,
    )


CARD = _card(
    "storysumm",
    "StorySumm: subtle errors in summaries of short stories",
    "load",
    *released(
        {"storysumm.json": "a5d33036b5a77e344912ea8c28dc831358ba91412217d9cdff3049f80e307cab"}
    ),
    labels=_LABELLING,
    defects=(
        "the file is not valid JSON: a stray quote ends a line",
        "one summary has 7 sentences but 6 labels: its sentences get no verdict",
        "one unfaithful summary has no unfaithful sentence",
    ),
)
SUBJECTIVE = _card(
    "storysumm-w-subj",
    "StorySumm, its later file, which says what is a matter of interpretation",
    "load_subjective",
    _SUBJECTIVE_FILE,
    labels=f"{_LABELLING} A sentence that the authors call subjective has the number of the kind, "
    "from 1 to 5, as its category.",
    notes="The file that 'Revisiting Faithfulness Annotations' starts from. Not seen as a whole "
    "when this was written: counts of it are not known.",
)
PLOT = _card(
    "storysumm-plot",
    "StorySumm, its later file without the sentences that are commentary",
    "load_plot",
    _SUBJECTIVE_FILE,
    _VOTES_FILE,
    labels=f"{_LABELLING} A sentence that at least one worker calls commentary has no verdict at "
    "all; the note of the summary lists them, and the repair 'commentary' counts them.",
    notes="The exclusions of 'Revisiting Faithfulness Annotations' (19 sentences by its count), "
    "without its 28 revised labels, which are not released here. storysumm-w-subj keeps them.",
)

_STRAY_QUOTE = re.compile(r'(",) "$', re.MULTILINE)
_LABELS = {1: FAITHFUL, 0: UNFAITHFUL}


def load(folder: Path, repairs: Repairs) -> Iterator[Annotated]:
    """The summaries in the order of the file."""
    return _load(folder, "storysumm.json", repairs)


def load_subjective(folder: Path, repairs: Repairs) -> Iterator[Annotated]:
    """The summaries of the later file."""
    return _load(folder, _SUBJECTIVE, repairs)


def load_plot(folder: Path, repairs: Repairs) -> Iterator[Annotated]:
    """The summaries of the later file, without commentary."""
    return _load(folder, _SUBJECTIVE, repairs, without_commentary=True)


def _load(
    folder: Path, name: str, repairs: Repairs, *, without_commentary: bool = False
) -> Iterator[Annotated]:
    path = folder / name
    votes = read_votes(folder / VOTES, repairs) if (folder / VOTES).is_file() else {}
    rows = RawRow(_read(path, repairs), path)
    for identity in some(rows, path):
        row = rows.row(identity)
        sentences = row.items_of(str, "summary")
        text = " ".join(sentences)
        units = tuple(find_sentences(text, sentences, repairs))
        example = Example(
            id=identity,
            source=Source(row.text("story"), id=str(row["story-id"])),
            response=Response(text, row.text("model")),
            units=units,
            split=row.text("split"),
            task="summary",
        )
        said = that_fit(votes.pop(identity, []), len(units), repairs)
        left_out = commentary(said) if without_commentary else set()
        if left_out:
            repairs.note(
                "commentary", "a sentence that a worker calls commentary is excluded", len(left_out)
            )
        whole = Unit.response(text)
        gold = _opinions(row, units, left_out, repairs)
        yield annotate(example, (*gold, *opinions(said, units, whole, left_out)))
    if votes:
        repairs.note("votes-elsewhere", "votes on a summary that is not in this file", len(votes))


def _read(path: Path, repairs: Repairs) -> Any:
    """The file's value; the stray quote at the end of a line is taken out first."""
    text = read_text(path)
    try:
        return json.loads(text)
    except ValueError:
        corrected, count = _STRAY_QUOTE.subn(r"\1", text)
    try:
        value = json.loads(corrected)
    except ValueError as error:
        raise InputError(f"{path} is not JSON: {error}") from None
    repairs.note("stray-quote", "a stray quote at the end of a line was taken out", count)
    return value


def _opinions(
    row: RawRow, units: tuple[Unit, ...], left_out: set[int], repairs: Repairs
) -> Iterator[Opinion]:
    errors = [row.pick(_LABELS, error) for error in items(row["errors"], row.path)]
    notes = row.items_of(str, "explanations") if row.get("explanations") else []
    explained = errors.count(UNFAITHFUL) == len(notes)
    difficulty = f"difficulty: {row['difficulty']}" if row.get("difficulty") else ""
    if not explained:
        repairs.note("loose-explanation", "explanations do not fit the sentences: on the summary")
    excluded = ", ".join(units[place].id for place in sorted(left_out))
    excluded = excluded and f"commentary, excluded: {excluded}"
    about = [difficulty, excluded, *([] if explained else notes)]
    label = row.pick(_LABELS, row["label"])
    response = Unit.response(" ".join(unit.text for unit in units))
    yield opinion(response, label, note="\n".join(filter(None, about)))
    if len(errors) != len(units):
        repairs.note("labels-do-not-fit", "not as many labels as sentences: the labels are dropped")
        return
    explanations = iter(notes if explained else ())
    kinds = _kinds(row, len(units), repairs)
    for place, (unit, error) in enumerate(zip(units, errors, strict=True)):
        note = next(explanations, "") if error == UNFAITHFUL else ""
        about_it = Attributes(explanation=note, category=kinds[place])
        if place not in left_out:
            yield opinion(unit, error, note=note, attributes=about_it)


def _kinds(row: RawRow, sentences: int, repairs: Repairs) -> list[str]:
    """The kind of each subjective sentence; the earlier file says none."""
    numbers = items(row.get("subjective") or [0] * sentences, row.path)
    if len(numbers) != sentences:
        repairs.note("subjective-does-not-fit", "not as many marks as sentences: dropped")
        return [""] * sentences
    return [f"subjective {number}" if number else "" for number in numbers]
