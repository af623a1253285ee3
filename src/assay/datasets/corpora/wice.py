"""WiCE: claims of Wikipedia against the web pages they cite."""

from collections.abc import Iterator
from itertools import count, groupby
from pathlib import Path

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import GOLD, Finding
from assay.core.texts import Response, Source, Span
from assay.core.units import RESPONSE, Unit
from assay.core.verdicts import Verdict
from assay.datasets.corpora.annotations import (
    FAITHFUL,
    UNFAITHFUL,
    Opinion,
    annotate,
    join,
    opinion,
    place_unit,
)
from assay.datasets.corpora.raw_files import RawRow, items_of, locate, read_rows
from assay.datasets.corpus import Card, File, Repairs, released

_CLAIM_PINS = {
    "dev": "67531ca79bde4c81d3752fb69d9cb0d3d6763de5c3028f548b83ef053a6f8042",
    "test": "4c91b9e9590cfcd8f8a0f7288b5ff315af8ade946d7bf26f50fbd671bb86dbe8",
}
_TOKEN_PINS = {
    "train": "04591c07fdeead5a3962579084bc319b3292fdb9e8704ccd7daf842c2e026be7",
    "dev": "1210abca2f258281e49e98fe2546f0db9037dabca392fc4fb63eb067021eb39e",
    "test": "e79239d8c49985447b48eefd27a01f4c3ba92e3df5c5ac3fae5b2ebaaaff7461",
}


def _files(part: str, pins: dict[str, str]) -> tuple[File, ...]:
    return released({f"{part}/{split}.jsonl": pin for split, pin in pins.items()}, "data/")


_CLAIMS = _files("entailment_retrieval/claim", _CLAIM_PINS)
_TOKENS = _files("non_supported_tokens", _TOKEN_PINS)
_LABELS = {
    "supported": FAITHFUL,
    "partially_supported": UNFAITHFUL,
    "not_supported": UNFAITHFUL,
}


def _card(name: str, title: str, files: tuple[File, ...], loader: str, labels: str) -> Card:
    return Card(
        name=name,
        title=title,
        origin="https://github.com/ryokamoi/wice",
        revision="ddeb6c183665e2a20c5f03c5aa07f03888b9870f",
        licence="ODC-BY (annotations), CC-BY-SA (text)",
        taxonomy="binary",
        unit_kind="response",
        splits=tuple(Path(file.path).stem for file in files),
        folder="wice",
        files=files,
        loader=f"assay.datasets.corpora.wice:{loader}",
        paper="WiCE: Real-World Entailment for Claims in Wikipedia (EMNLP 2023)",
        labels="supported is faithful; partially_supported and not_supported are unfaithful, and "
        "the word stays in the note. " + labels,
        defects=(
            "whole web pages with their menus: long sources",
            "of the claims no train part, of the sub-claims only those with judged tokens",
        ),
        may_train=True,
    )


_SETS = (
    "The evidence is every sentence of any set that an annotator found to support the claim; the "
    "note lists the sets, counting sentences from 0."
)
CARD = _card("wice", "WiCE: claims of Wikipedia and the pages they cite", _CLAIMS, "load", _SETS)
TOKENS = _card(
    "wice-tokens",
    "WiCE: unsupported words of partially supported sub-claims",
    _TOKENS,
    "load_tokens",
    _SETS + " Each run of unsupported tokens is an unfaithful span.",
)


def load(folder: Path, repairs: Repairs) -> Iterator[Annotated]:
    """The claims; each is a response of its own."""
    for file in _CLAIMS:
        for row in read_rows(folder / file.path):
            yield _example(row, "claim", repairs)


def load_tokens(folder: Path, repairs: Repairs) -> Iterator[Annotated]:
    """The sub-claims of which single tokens were judged."""
    for file in _TOKENS:
        for row in read_rows(folder / file.path):
            yield _example(row, "sub-claim", repairs)


def _example(row: RawRow, task: str, repairs: Repairs) -> Annotated:
    claim, label = row.text("claim"), row.text("label")
    source = join(row.items_of(str, "evidence"), "sentence")
    sets = [items_of(int, each, row.path) for each in row.items_of(list, "supporting_sentences")]
    note = label + "".join(f"; {' '.join(map(str, each))}" for each in sets if each)
    evidence = _evidence(source, sets, row.path)
    verdict = Verdict(RESPONSE, row.pick(_LABELS, label), note=note, evidence=evidence)
    example = Example(
        id=row.row("meta").text("id"),
        source=source,
        response=Response(claim),
        split=row.path.stem,
        task=task,
    )
    spans = _unsupported(row, claim, repairs) if task == "sub-claim" else ()
    return annotate(example, ((GOLD, Finding(Unit.response(claim), verdict)), *spans))


def _evidence(source: Source, sets: list[list[int]], path: Path) -> tuple[Span, ...]:
    numbers = sorted({number for each in sets for number in each})
    if numbers and not 0 <= numbers[0] <= numbers[-1] < len(source.passages):
        raise InputError(f"{path}: there is no sentence {numbers[-1]} among the evidence")
    passages = [source.passages[number] for number in numbers]
    return tuple(Span.cut(source.text, each.start, each.end, "source") for each in passages)


def _unsupported(row: RawRow, claim: str, repairs: Repairs) -> Iterator[Opinion]:
    """An opinion of each run of unsupported tokens."""
    tokens, flags = row.items_of(str, "claim_tokens"), row.items_of(bool, "non_supported_spans")
    if len(tokens) != len(flags):
        raise InputError(f"{row.path}: {len(tokens)} tokens have {len(flags)} judgements")
    spans = list(_spans(claim, tokens))
    numbers = count(1)
    for flag, run in groupby(zip(flags, spans, strict=True), key=lambda pair: pair[0]):
        found = [span for _, span in run if span]
        if flag and found:
            run_span = Span.cut(claim, found[0].start, found[-1].end, "response")
            yield opinion(place_unit("span", next(numbers), run_span), UNFAITHFUL)
    if missing := spans.count(None):
        repairs.note("token-unlocated", "a token not in the claim is passed over", missing)


def _spans(claim: str, tokens: list[str]) -> Iterator[Span | None]:
    position = 0
    for token in tokens:
        start = locate(claim, token, position)
        if start is None:
            yield None
            continue
        position = start + len(token)
        yield Span.cut(claim, start, position, "response")
