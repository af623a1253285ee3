"""Items that are made from texts: written pairs, business records, and edits of true sentences."""

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from assay.core.rendering import read_source
from assay.text.sentences import split_sentences
from training.edits import broken, kept
from training.items import ENTAILED, NEUTRAL, TARGETS, Item, Sentence
from training.records import make_records
from training.splits import is_everyday
from training.wording import changed_words

WRITTEN = Path(__file__).parent / "written"
MOST = 7  # sentences in a row of edited ones


class Written(NamedTuple):
    """A response written for Assay: its file, its source, and both versions of its sentences."""

    file: str
    name: str
    source: str
    question: str
    said: Sequence[Mapping[str, str]]


def read_written(documents: Mapping[str, str]) -> Iterator[Written]:
    """All that was written; `documents` are the articles that it may be about, by their hash."""
    for path in sorted(WRITTEN.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            place = record["source"]
            text = place.get("text") or documents.get(place["h80"], "")[: place["characters"]]
            if text:
                text = read_source(as_record(text)).text
                asked = record.get("question") or ""
                yield Written(path.stem, record.get("id", ""), text, asked, record["sentences"])


def written(documents: Mapping[str, str], rng: random.Random) -> Iterator[Item]:
    """Responses written for Assay, six times each with true and false versions dealt out."""
    for each in read_written(documents):
        if is_everyday(each.file, each.source):
            continue
        for deal in deals(len(each.said), rng):
            yield dealt(each, deal, "written")
        for deal in nearly_whole(len(each.said), rng):
            yield dealt(each, deal, "whole")


def dealt(each: Written, deal: Sequence[bool], family: str) -> Item:
    """The true versions of some sentences and the false ones of the others."""
    return Item(f"{family}-{each.file}", each.source, _dealt(each.said, deal), each.question)


def _dealt(said: Sequence[Mapping[str, str]], deal: Sequence[bool]) -> tuple[Sentence, ...]:
    """The true versions of some sentences and the false ones of the others."""
    sentences = []
    for each, truth in zip(said, deal, strict=True):
        right, wrong = each["faithful"], each["unfaithful"]
        made = Sentence(wrong, TARGETS[each["label"]], changed_words(right, wrong))
        sentences.append(Sentence(right, ENTAILED) if truth else made)
    return tuple(sentences)


def as_record(text: str) -> object:
    """The record that a text is in JSON, otherwise the text."""
    try:
        return json.loads(text) if text.lstrip().startswith("{") else text
    except ValueError:
        return text


def deals(count: int, rng: random.Random) -> Iterator[list[bool]]:
    """Which sentences are true: dealt twice at random, and each time also the other way round."""
    for _ in range(2):
        deal = [rng.random() < 0.5 for _ in range(count)]
        yield deal
        yield [not truth for truth in deal]


def nearly_whole(count: int, rng: random.Random) -> Iterator[list[bool]]:
    """A response that is faithful as a whole, and one with a single false sentence."""
    yield [True] * count
    wrong = rng.randrange(count)
    yield [number != wrong for number in range(count)]


def records(count: int, seed: int) -> Iterator[Item]:
    """Made business records with their descriptions."""
    for record in make_records(count, seed):
        sentences = tuple(Sentence(each.text, TARGETS[each.label]) for each in record.sentences)
        yield Item("records", read_source(record.source).text, sentences)


def copied(source: str, rng: random.Random) -> Item | None:
    """Sentences of a source: as they are, edited, or with the source no longer having them."""
    spans = [span for span in split_sentences(source, "source") if 30 < len(span.text) < 320]
    if len(spans) < 5:
        return None
    texts, whole = [span.text for span in spans], source
    picked = rng.sample(range(len(spans)), min(MOST, len(spans) - 2))
    sentences: list[Sentence] = []
    gone = []
    for number in picked:
        chance = rng.random()
        made: Sentence | None = Sentence(texts[number], ENTAILED)
        if chance < 0.12:
            gone.append(spans[number])
            made = Sentence(texts[number], NEUTRAL)
        elif chance < 0.58:
            made = broken(texts[number], texts, rng)
        elif chance < 0.8:
            made = kept(texts[number], texts, rng)
        sentences += [made] if made else []
    for span in sorted(gone, key=lambda span: span.start, reverse=True):
        source = source[: span.start] + source[span.end :]
    return Item("copied", source, tuple(sentences), origin=whole) if sentences else None


def altered(
    source: str, truths: Sequence[str], rng: random.Random, question: str = ""
) -> Item | None:
    """True sentences about a source, some of them edited."""
    texts = [span.text for span in split_sentences(source, "source")]
    sentences: list[Sentence] = []
    for truth in truths[:MOST]:
        chance = rng.random()
        made = None
        if chance < 0.5:
            made = broken(truth, texts, rng)
        elif chance < 0.7:
            made = kept(truth, texts, rng)
        sentences.append(made or Sentence(truth, ENTAILED))
    return Item("altered", source, tuple(sentences), question) if sentences else None


def unmarked(text: str) -> str:
    """Without the `<t>` that some corpora put around sentences."""
    return re.sub(r"\s*</?t>\s*", " ", text).strip()
