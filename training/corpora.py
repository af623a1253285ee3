"""Training items from the released corpora whose licences allow it."""

import gzip
import json
import random
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from assay.core.examples import Annotated
from assay.core.units import Unit
from assay.datasets.corpora.ragtruth import load
from assay.datasets.corpus import Repairs, load_corpus
from assay.evaluation.gold import gold_labels
from assay.text.sentences import split_sentences
from training.items import CONTRADICTED, ENTAILED, NEUTRAL, NOT_ENTAILED, UNKNOWN, Item, Sentence
from training.wording import Spans

_CLAIMS = 6  # the most claims of one source in a row
_NLI = {
    "entailment": ENTAILED,
    "neutral": NEUTRAL,
    "contradiction": CONTRADICTED,
    "not_entailment": NOT_ENTAILED,
}


def ragtruth(annotated: Iterable[Annotated]) -> Iterator[Item]:
    """Responses with their sentences as people marked them."""
    for each in annotated:
        example = each.example
        sentences = tuple(
            Sentence(unit.text, _ragtruth_target(label.name), wrong_places(each, unit))
            for unit, label in gold_labels(each, "sentence", "corpus")
        )
        yield Item(f"ragtruth-{example.task}", example.source.text, sentences, example.question)


def wrong_places(annotated: Annotated, unit: Unit) -> Spans:
    """The characters of a sentence that people marked as errors."""
    start, end = unit.start or 0, unit.end or 0
    marked = (
        (span.start, span.end)
        for judgement in annotated.gold
        for finding in judgement.findings
        if finding.kind == "span" and finding.label and finding.label.coarse == "unfaithful"
        for span in finding.unit.spans
    )
    return tuple(
        (max(first - start, 0), min(last, end) - start)
        for first, last in marked
        if first < end and last > start
    )


def _ragtruth_target(name: str) -> int:
    """The target of one of RAGTruth's kinds of error, or of `faithful`."""
    if name.endswith("conflict"):
        return CONTRADICTED
    return NEUTRAL if name.endswith("baseless") else ENTAILED


def by_source(annotated: Iterable[Annotated]) -> dict[str, list[Annotated]]:
    """The examples of each source."""
    found: dict[str, list[Annotated]] = {}
    for each in annotated:
        found.setdefault(each.example.source.text, []).append(each)
    return found


def is_faithful(annotated: Annotated) -> bool:
    """What people said of the whole response."""
    return gold_labels(annotated, "response", "corpus")[0][1].coarse == "faithful"


def sentence_texts(annotated: Annotated) -> list[str]:
    """The sentences of the response."""
    return [sentence.text for sentence in split_sentences(annotated.example.response.text)]


def edited(group: str, annotated: Iterable[Annotated], rng: random.Random) -> Iterator[Item]:
    """Corpora of edited summaries: what an unfaithful one shares with a faithful one is true.

    Where several of its sentences are its own, it is not known which of them are false.
    """
    for source, given in by_source(annotated).items():
        true = {text for each in given if is_faithful(each) for text in sentence_texts(each)}
        false: set[str] = set()
        for each in given:
            if is_faithful(each):
                continue
            texts = sentence_texts(each)
            changed = [text for text in texts if text not in true]
            if len(changed) == 1:
                false.add(changed[0])
            elif changed:
                targets = [ENTAILED if text in true else UNKNOWN for text in texts]
                yield Item(group, source, tuple(map(Sentence, texts, targets)))
        claims = [Sentence(text, ENTAILED) for text in sorted(true)]
        claims += [Sentence(text, NOT_ENTAILED) for text in sorted(false)]
        yield from in_rows(group, source, claims, rng)


def in_rows(group: str, source: str, claims: list[Sentence], rng: random.Random) -> Iterator[Item]:
    """Claims about one source in random order, a few in each row."""
    rng.shuffle(claims)
    for start in range(0, len(claims), _CLAIMS):
        yield Item(group, source, tuple(claims[start : start + _CLAIMS]))


def whole_responses(
    group: str, annotated: Iterable[Annotated], rng: random.Random
) -> Iterator[Item]:
    """Responses with one label each; short ones about the same source share a row."""
    for source, given in by_source(annotated).items():
        single: list[Sentence] = []
        for each in given:
            texts = sentence_texts(each)
            is_single = len(texts) == 1
            unfaithful = NOT_ENTAILED if is_single else UNKNOWN
            target = ENTAILED if is_faithful(each) else unfaithful
            if is_single:
                single.append(Sentence(texts[0], target))
            else:
                yield Item(group, source, tuple(Sentence(t, target) for t in texts))
        yield from in_rows(group, source, list(dict.fromkeys(single)), rng)


def defacto(root: Path, rng: random.Random) -> Iterator[Item]:
    """Summaries with what people corrected in them."""
    with (root / "defacto" / "train.jsonl").open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            claims = [Sentence(row["candidate"], _defacto_target(row))]
            corrected = (row["feedback"] or {}).get("summary") or ""
            if corrected and corrected != row["candidate"]:
                claims.append(Sentence(corrected, ENTAILED))
            rng.shuffle(claims)
            yield Item("defacto", row["article"], tuple(claims))


def _defacto_target(row: dict[str, Any]) -> int:
    """Contradicted for errors against the article alone, neutral for additions alone."""
    if not row["has_error"]:
        return ENTAILED
    intrinsic, extrinsic = bool(row["intrinsic_error"]), bool(row["extrinsic_error"])
    if intrinsic == extrinsic:
        return NOT_ENTAILED
    return CONTRADICTED if intrinsic else NEUTRAL


def sentence_labelled(group: str, annotated: Iterable[Annotated]) -> Iterator[Item]:
    """Responses whose sentences people labelled faithful or not."""
    for each in annotated:
        sentences = tuple(
            Sentence(unit.text, ENTAILED if label.coarse == "faithful" else NOT_ENTAILED)
            for unit, label in gold_labels(each, "sentence", "majority")
        )
        if sentences:
            yield Item(group, each.example.source.text, sentences, each.example.question)


def factcg(root: Path) -> Iterator[Item]:
    """Claims that were made for their document."""
    claims: dict[str, list[Sentence]] = {}
    with (root / "factcg" / "CG2C_doc.json").open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            target = ENTAILED if row["orig_label"] == 1 else NOT_ENTAILED
            claims.setdefault(row["text_a"], []).append(Sentence(row["text_b"][0], target))
    for source, given in claims.items():
        yield Item("factcg", source, tuple(given[:_CLAIMS]))


def read_pairs(root: Path, name: str) -> list[dict[str, Any]]:
    """The premise and hypothesis pairs of a file, as they would be written by hand."""
    with gzip.open(root / "nli" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    for row in rows:
        row["hypothesis"] = untokenized(row["hypothesis"])
        row["premise"] = untokenized(row.get("premise") or "")
    return rows


def untokenized(text: str) -> str:
    """`a word , ( spaced ) like 's this .` as people write it."""
    text = re.sub(r"``|''", '"', text.replace("\ufffd", " "))
    text = re.sub(r"\s+([,.;:!?)\]%]|'s\b|n't\b|'re\b|'ve\b|'ll\b|'d\b|'m\b)", r"\1", text)
    return re.sub(r"([(\[$])\s+", r"\1", text).strip()


def pairs(group: str, rows: Iterable[dict[str, Any]], rng: random.Random) -> Iterator[Item]:
    """Several premises as the passages of one source, with the claims about all of them.

    Now and then a premise is left out, and what was said about it is neutral.
    """
    premises: dict[str, list[Sentence]] = {}
    for row in rows:
        if row["premise"]:
            claim = Sentence(row["hypothesis"], _NLI[row["label"]])
            premises.setdefault(row["premise"], []).append(claim)
    entries = [(premise, list(dict.fromkeys(claims))) for premise, claims in premises.items()]
    rng.shuffle(entries)
    position = 0
    while position < len(entries):
        count = rng.choice((1, 1, 2, 3, 4, 5))
        part = entries[position : position + count]
        position += count
        left_out = rng.randrange(len(part)) if len(part) > 2 and rng.random() < 0.3 else None
        claims: list[Sentence] = []
        for number, (_, given) in enumerate(part):
            chosen = rng.sample(given, min(3, len(given)))
            known = number != left_out
            claims += [Sentence(s.text, s.target if known else NEUTRAL) for s in chosen]
        texts = [premise for number, (premise, _) in enumerate(part) if number != left_out]
        rng.shuffle(texts)
        rng.shuffle(claims)
        glue = rng.choice((" ", "\n", "\n\n"))
        yield Item(group, glue.join(texts), tuple(claims[: 2 * _CLAIMS]))


def labelled_ragtruth(root: Path) -> list[Annotated]:
    """The responses to all sources of RAGTruth that may be trained on: two parts of its release."""
    return [*corpus("ragtruth", root), *load(root / "ragtruth_more", Repairs())]


def corpus(name: str, root: Path) -> list[Annotated]:
    """All examples of a corpus, with what people said of them."""
    return list(load_corpus(name, root))
