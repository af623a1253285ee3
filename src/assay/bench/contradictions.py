"""Sources that contradict themselves: each sentence of a source, judged by the rest of it.

What is found is proposed and never dropped by itself: a person reads the proposals and hands back a
list of the sources to drop. Most sentences say something new, so only a detector that tells a
contradiction from what is merely not supported can be asked.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import Judgement
from assay.core.labels import Taxonomy
from assay.core.texts import Response, Source
from assay.datasets.sources import is_structured
from assay.text.sentences import split_sentences

# The labels that say so, by taxonomy.
CONTRADICTIONS: dict[str, frozenset[str]] = {
    "gray7": frozenset({"contradicting"}),
    "nli": frozenset({"contradiction"}),
}


def require_contradictions(detector: str, menu: Taxonomy) -> None:
    """Raises for a detector to which new information and a contradiction are the same."""
    if menu.name not in CONTRADICTIONS:
        known = " or ".join(CONTRADICTIONS)
        raise InputError(
            f"{detector} has the labels {menu.name}, in which what is new cannot be told from what "
            f"contradicts; choose a detector with the labels {known}",
            field="contradictions",
        )


def sentence_examples(sources: Iterable[Example]) -> Iterator[Example]:
    """An example for each sentence of each source: the rest is the source, the sentence responds.

    Records have no sentences, and a single sentence has no rest.
    """
    for each in sources:
        text = each.source.text
        if is_structured(each.source):
            continue
        sentences = split_sentences(text, "source", each.language)
        if len(sentences) < 2:
            continue
        for number, sentence in enumerate(sentences, start=1):
            rest = f"{text[: sentence.start]}{text[sentence.end :]}"
            yield replace(
                each,
                id=f"{each.id}#s{number}",
                source=Source(rest, id=each.id),
                response=Response(sentence.text),
                question="",
                units=(),
                task="",
                original="",
            )


def proposals(examples: Sequence[Example], said: Iterable[Judgement]) -> list[Annotated]:
    """The sentences that a detector takes for contradictions, with all that it says of them."""
    by_id = {each.example: each for each in said}
    return [
        Annotated(each, (by_id[each.id],))
        for each in examples
        if each.id in by_id and _contradicts(by_id[each.id])
    ]


def _contradicts(judgement: Judgement) -> bool:
    return any(
        verdict.label is not None
        and verdict.label.name in CONTRADICTIONS.get(verdict.label.taxonomy, ())
        for verdict in judgement.verdicts
    )


def read_source_ids(path: str) -> frozenset[str]:
    """Ids of sources: one a line, or those of the proposals that were left in their file."""
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise InputError(f"cannot read {path}: {reason}", field="drop_sources") from None
    return frozenset(
        _id(line.strip(), f"{path} line {number}")
        for number, line in enumerate(lines, start=1)
        if line.strip()
    )


def _id(line: str, where: str) -> str:
    if not line.startswith("{"):
        return line
    try:
        found = json.loads(line).get("source_id")
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, str) or not found:
        raise InputError(
            f"{where}: a line is the id of a source, or a proposal with its source_id",
            field="drop_sources",
        )
    return found
