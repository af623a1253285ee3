"""What the files of FaithBench's sentence level say of each sample."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.core.errors import InputError
from assay.datasets.corpora.building import items, items_of, need_texts, some
from assay.datasets.corpora.reading import need, read_csv, read_json_lines
from assay.datasets.corpora.recordings import Column

FOLDER = "faithbench_sentence_level"

_TEXTS = ("source", "summary", "model")


@dataclass(frozen=True, slots=True)
class SentenceFiles:
    """What the files say of each sample, by the number of the sample."""

    texts: dict[str, dict[str, str]]
    places: dict[str, list[tuple[str, int, int]]]
    columns: tuple[Column, ...]
    claims: dict[str, dict[str, dict[str, Any]]]
    reasons: dict[str, dict[str, str]]


def read_files(folder: Path, columns: tuple[Column, ...]) -> SentenceFiles:
    """All but the detectors' file, whose columns of predictions are given."""
    pool = folder / "examples_to_annotate.csv"
    lists = folder / FOLDER / "summary_sent_list.jsonl"
    reasons = folder / FOLDER / "ragas_claim_level_preds.jsonl"
    listed = (
        need(row, ("meta_id", "sent_list"), lists) for row in some(read_json_lines(lists), lists)
    )
    return SentenceFiles(
        texts={
            str(number): need(row, _TEXTS, pool)
            for number, row in enumerate(some(read_csv(pool), pool))
        },
        places={str(row["meta_id"]): _places(row["sent_list"], lists) for row in listed},
        columns=columns,
        claims={name: _read_claims(folder, name) for name in ("ragas", "trulens")},
        reasons={
            str(number): {
                claim["statement"]: claim["reason"]
                for claim in items(row, reasons)
                if need_texts(claim, ("statement", "reason"), reasons)
            }
            for number, row in enumerate(read_json_lines(reasons))
        },
    )


def _places(rows: Any, path: Path) -> list[tuple[str, int, int]]:
    try:
        return [(str(sentence), int(start), int(end)) for sentence, start, end in rows]
    except (TypeError, ValueError):
        raise InputError(f"{path}: a sentence needs a text, a start and an end") from None


def _read_claims(folder: Path, name: str) -> dict[str, dict[str, Any]]:
    path = folder / FOLDER / f"processed_{name}_claim_level_preds.jsonl"
    rows = [need(row, ("meta_id", "results"), path) for row in read_json_lines(path)]
    for row in rows:
        for sentence in need(row["results"], (), path).values():
            claims = items_of(str, need(sentence, ("claims", "claim_preds"), path)["claims"], path)
            if len(items(sentence["claim_preds"], path)) > len(claims):
                raise InputError(f"{path}: a sentence has more predictions than claims")
    return {str(row["meta_id"]): row["results"] for row in rows}
