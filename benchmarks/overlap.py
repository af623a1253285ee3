"""Fits the three weights of the `overlap` detector on RAGTruth and measures what it can do.

The sources are split in two halves at random (fixed seed): the weights are fitted on one half, the
figures come from the other. Faithful and unfaithful sentences weigh alike in the fit. The data is
part of RAGTruth's published test split. A sentence is unfaithful if a marked span touches it.

Run: python benchmarks/overlap.py [--limit N]
"""

import argparse
import random

import numpy as np
from intervals import Array, show
from numpy.typing import NDArray
from shared_data import read_lines

from assay.core.rendering import read_source
from assay.detectors import overlap
from assay.metrics import auroc, balanced_accuracy
from assay.text.evidence import SourceIndex
from assay.text.sentences import split_sentences

Row = tuple[str, int, str, bool, list[float]]


def rows(limit: int | None) -> list[Row]:
    """Task, source, response, whether faithful, and the counts, for every sentence."""
    sources = {row["source_id"]: row for row in read_lines("ragtruth", "source_info.jsonl")}
    indexes: dict[str, SourceIndex] = {}
    found: list[Row] = []
    responses = read_lines("ragtruth", "response.jsonl")
    for response in random.Random(0).sample(responses, limit) if limit else responses:
        key = response["source_id"]
        info = sources[key]["source_info"]
        if sources[key]["task_type"] == "QA":
            info = info["passages"]
        index = indexes.setdefault(key, SourceIndex(read_source(info)))
        for span in split_sentences(response["response"]):
            bad = any(
                label["start"] < span.end and span.start < label["end"]
                for label in response["labels"]
            )
            counts = overlap.compare(span.text, index.rank(span.text, overlap.PASSAGES), index)
            if counts.words:
                features = [
                    1.0,
                    counts.coverage,
                    len(counts.missing_figures),
                    len(counts.missing_names),
                ]
                task = sources[key]["task_type"]
                found.append((task, int(key), response["id"], not bad, features))
    return found


def fit(features: Array, faithful: NDArray[np.bool_]) -> Array:
    """Logistic regression by Newton's method, both classes weighted alike."""
    share = faithful.mean()
    weight = np.where(faithful, 0.5 / share, 0.5 / (1 - share))
    beta = np.zeros(features.shape[1])
    for _ in range(25):
        p = 1 / (1 + np.exp(-features @ beta))
        gradient = features.T @ (weight * (faithful - p))
        hessian = (features * (weight * p * (1 - p))[:, None]).T @ features
        beta += np.linalg.solve(hessian, gradient)
    return beta


def report(title: str, score: Array, faithful: NDArray[np.bool_], groups: NDArray[np.intp]) -> None:
    """Prints AUROC and balanced accuracy at 0.5 with intervals by source."""
    area = show(lambda rows: auroc(faithful[rows], score[rows]), groups)
    said = score >= 0.5
    balance = show(lambda rows: balanced_accuracy(faithful[rows], said[rows]), groups)
    print(
        f"  {title:24} n {len(score):5}  unfaithful {int((~faithful).sum()):4}  "
        f"AUROC {area}  balanced accuracy {balance}"
    )


def main() -> None:
    """Prints the weights and the figures on the other half of the sources."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--limit", type=int, help="a sample of so many responses")
    data = rows(parser.parse_args().limit)
    task = np.array([row[0] for row in data])
    source = np.array([row[1] for row in data])
    faithful = np.array([row[3] for row in data])
    features = np.array([row[4] for row in data])
    names = np.unique(source)
    half = np.random.default_rng(0).permutation(names)[: len(names) // 2]
    fitted = np.isin(source, half)
    beta = fit(features[fitted], faithful[fitted])
    shipped = [
        overlap.INTERCEPT,
        overlap.COVERAGE,
        overlap.MISSING_FIGURE,
        overlap.MISSING_NAME,
    ]
    print(f"overlap: fitted weights {beta.round(3).tolist()}, shipped {shipped}")
    score = 1 / (1 + np.exp(-features @ np.array(shipped)))
    response = np.array([row[2] for row in data])
    for name in ("Summary", "QA", "Data2txt"):
        part = ~fitted & (task == name)
        report(f"{name} sentences", score[part], faithful[part], source[part])
        keys, numbers = np.unique(response[part], return_inverse=True)
        worst = np.full(len(keys), 1.0)
        np.minimum.at(worst, numbers, score[part])
        good = np.full(len(keys), True)
        np.logical_and.at(good, numbers, faithful[part])
        first = np.unique(numbers, return_index=True)[1]
        report(f"{name} responses (worst)", worst, good, source[part][first])


if __name__ == "__main__":
    main()
