"""FaithBench by sentences: pooled labels and every detector that was run on the sentences."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, zip_longest
from pathlib import Path
from typing import Any

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import GOLD, Finding
from assay.core.texts import Response, Source, Span
from assay.core.units import Unit, unit_id
from assay.core.verdicts import Failure, Verdict
from assay.datasets.corpora.annotations import (
    Opinion,
    RecordedColumn,
    annotate,
    detector,
    find_columns,
    place_unit,
    read_decision,
    read_outcomes,
    read_score,
    text_id,
)
from assay.datasets.corpora.faithbench import CANDIDATES
from assay.datasets.corpora.faithbench_marks import interpretations, read_labels, worst_of
from assay.datasets.corpora.raw_files import (
    RawRow,
    items,
    locate,
    read_json,
    read_json_lines,
    read_rows,
    some,
)
from assay.datasets.corpus import Card, File, Protocol, Repairs

FOLDER = "faithbench_sentence_level"
UPSTREAM = "eval/sent_level_results"

CARD = Card(
    name="faithbench-sentences",
    title="FaithBench by sentences, with the predictions of 19 detectors",
    origin="https://github.com/forrestbao/FaithBench",
    revision="0497b6db9c3c52bc9aabb0cd046e8ac815edbd13",
    licence="none stated; treated as CC BY-NC-SA 4.0",
    taxonomy="faithbench",
    unit_kind="sentence",
    folder="faithbench",
    files=(
        *(
            File(f"{FOLDER}/{name}", sha256, upstream=f"{UPSTREAM}/{name}")
            for name, sha256 in (
                (
                    "detectors_sent_level_preds.json",
                    "43ee264b6fc06385a0f8f01cc1621afdae066660c53be7cb84e50da0c0e0c6ae",
                ),
                (
                    "processed_ragas_claim_level_preds.jsonl",
                    "1c71731e6183fce41fd946ba1df626c1b91679510b26615cab003469c3fb4435",
                ),
                (
                    "processed_trulens_claim_level_preds.jsonl",
                    "03e2913dca7790251321e468d2a0900b28df5163341b9ebf234b83e96617361f",
                ),
                (
                    "ragas_claim_level_preds.jsonl",
                    "7816919bacfdeb0210a29aa9a4d156f53dc62066500b3ed0c631455b21a4c11c",
                ),
                (
                    "summary_sent_list.jsonl",
                    "60b887e44fcd6c37790bc579050549d76be8da3afd0c470c19b6b242842c0176",
                ),
            )
        ),
        CANDIDATES,
    ),
    loader="assay.datasets.corpora.faithbench_sentences:load",
    paper="FaithBench: A Diverse Hallucination Benchmark for Summarization by Modern LLMs "
    "(NAACL 2025), Table 3",
    protocol=Protocol("sentence", "any", "faithbench-strict", "FaithBench, appendix A"),
    labels="A sentence carries every label that any annotator gave in it: the worst is its label, "
    "all are kept as interpretations. RAGAS and TruLens judged claims: each is an outcome on a "
    "claim at its sentence, and a sentence of which they made no claim is a failure.",
    defects=(
        "a sentence that a summary has twice is stored once",
        "the predictions of o3-mini are missing for 694 sentences, of true-nli for 22",
        "the two files of claims list the samples in another order than the detectors' file: "
        "they are joined by sample and sentence here, but by position in the paper",
        "the labels of one sentence differ in the file of TruLens: the detectors' file counts",
        "offsets of sentences have an inclusive end, and some do not fit",
    ),
    notes="An id is the row of the candidate pool (examples_to_annotate.csv) that has the texts.",
)


@dataclass(frozen=True, slots=True)
class _Files:
    """The contents of the files, by the number of the sample."""

    texts: dict[str, RawRow]
    places: dict[str, list[tuple[str, int, int]]]
    columns: tuple[RecordedColumn, ...]
    claims: dict[str, dict[str, dict[str, Any]]]
    reasons: dict[str, dict[str, str]]


def load(folder: Path, repairs: Repairs) -> Iterator[Annotated]:
    """The 800 samples in the order of the detectors' file."""
    path = folder / FOLDER / "detectors_sent_level_preds.json"
    samples = {
        number: {sentence: RawRow(row, path) for sentence, row in RawRow(each, path).items()}
        for number, each in RawRow(read_json(path), path).items()
    }
    names = dict.fromkeys(
        name for each in samples.values() for row in each.values() for name in row
    )
    files = _read_files(folder, find_columns(names))
    for number, sentences in some(samples.items(), path):
        if number not in files.places or number not in files.texts:
            raise InputError(f"{path}: sample '{number}' is not in the other files")
        yield _example(number, sentences, files, repairs)


def _example(
    number: str, sentences: dict[str, RawRow], files: _Files, repairs: Repairs
) -> Annotated:
    row = files.texts[number]
    found = dict(_find_places(row["summary"], files.places[number], repairs))
    units = {
        sentence: place_unit("sentence", place, found.get(sentence, sentence))
        for place, sentence in enumerate(sentences, start=1)
    }
    lost = len(sentences.keys() - found.keys())
    if lost:
        repairs.note("sentence-unlocated", "a sentence is not in the summary: no span", lost)
    example = Example(
        id=number,
        source=Source(row["source"], id=text_id(row["source"])),
        response=Response(row["summary"], row["model"]),
        units=tuple(units.values()),
        task="summary",
    )
    opinions = (
        said
        for sentence, unit in units.items()
        for said in (
            *_gold(unit, sentences[sentence], repairs),
            *read_outcomes(unit, sentences[sentence], files.columns),
            *_claims(number, sentence, unit, files),
        )
    )
    return annotate(example, opinions)


def _find_places(
    text: str, places: list[tuple[str, int, int]], repairs: Repairs
) -> Iterator[tuple[str, Span]]:
    """The sentences where they stand; of one that occurs twice, the first place."""
    position = 0
    seen: set[str] = set()
    for sentence, start, end in places:
        if sentence in seen:
            repairs.note("repeated-sentence", "a sentence occurs twice: only its first place")
            continue
        seen.add(sentence)
        if text[start : end + 1] == sentence:
            repairs.note("inclusive-end", "the end of a sentence was inclusive: one is added")
            span = Span.cut(text, start, end + 1, "response")
        else:
            found = locate(text, sentence.strip(), position)
            if found is None:
                continue
            repairs.note("sentence-moved", "the offsets of a sentence did not fit: it was searched")
            span = Span.cut(text, found, found + len(sentence.strip()), "response")
        position = span.end
        yield sentence, span


def _gold(unit: Unit, row: RawRow, repairs: Repairs) -> Iterator[Opinion]:
    labels = read_labels(row.items_of(str, "labels"), repairs)
    if not labels:
        repairs.note("sentence-without-label", "a sentence has no label: it gives no verdict")
        return
    verdict = Verdict(unit.id, worst_of(labels), interpretations=interpretations(labels))
    yield GOLD, Finding(unit, verdict)


def _claims(number: str, sentence: str, unit: Unit, files: _Files) -> Iterator[Opinion]:
    """The opinions of two detectors on their own claims of a sentence, numbered together."""
    numbers = count(1)
    for name, samples in files.claims.items():
        row = samples.get(number, {}).get(sentence, {})
        if not row.get("claims"):
            failure = Failure(unit.id, "missing", "no claim was made of this sentence")
            yield detector(name), Finding(unit, failure)
            continue
        for claim, value in zip_longest(row["claims"], row.get("claim_preds", ())):
            id = unit_id("claim", next(numbers), unit.id)
            part = Unit(id, "claim", claim, unit.spans, unit.id)
            if name == "ragas":
                reason = files.reasons.get(number, {}).get(claim, "")
                yield read_decision(part, value, name, note=reason)
            else:
                yield read_score(part, value, name)


def _read_files(folder: Path, columns: tuple[RecordedColumn, ...]) -> _Files:
    """All but the detectors' file, whose columns of predictions are given."""
    pool = read_rows(folder / CANDIDATES.path)
    lists = read_rows(folder / FOLDER / "summary_sent_list.jsonl")
    reasons = folder / FOLDER / "ragas_claim_level_preds.jsonl"
    return _Files(
        texts={str(number): row for number, row in enumerate(pool)},
        places={str(row["meta_id"]): _places(row) for row in lists},
        columns=columns,
        claims={name: _read_claims(folder, name) for name in ("ragas", "trulens")},
        reasons={
            str(number): {
                claim.text("statement"): claim.text("reason")
                for claim in (RawRow(each, reasons) for each in items(row, reasons))
            }
            for number, row in enumerate(read_json_lines(reasons))
        },
    )


def _places(row: RawRow) -> list[tuple[str, int, int]]:
    try:
        return [(str(sentence), int(start), int(end)) for sentence, start, end in row["sent_list"]]
    except (TypeError, ValueError):
        raise InputError(f"{row.path}: a sentence needs a text, a start and an end") from None


def _read_claims(folder: Path, name: str) -> dict[str, dict[str, Any]]:
    path = folder / FOLDER / f"processed_{name}_claim_level_preds.jsonl"
    rows = [RawRow(each, path) for each in read_json_lines(path)]
    for row in rows:
        sentences = row.row("results")
        for sentence in map(sentences.row, sentences):
            claims = sentence.items_of(str, "claims")
            if len(items(sentence["claim_preds"], path)) > len(claims):
                raise InputError(f"{path}: a sentence has more predictions than claims")
    return {str(row["meta_id"]): row["results"] for row in rows}
