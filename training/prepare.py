"""Step 1: rows for training and for development, in tokens.

    python -m training.prepare --base BASE.gguf --data DATA --out prepared

Writes `vocabulary.txt`, `base-*.npz` (the base model's weights in four bits), `train.npz` with the
keys of its marks (`training.soft`) in `train-keys.npz`, and `development.npz` with its gold in
`development.jsonl`. The same seed gives the same files.
"""

import argparse
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.core.examples import Annotated
from assay.core.texts import Source
from assay.datasets.overlaps import h80
from assay.detectors.embedded.packing import pack
from assay.detectors.embedded.reading import SOURCE_TOKENS, SourceReader
from assay.detectors.embedded.tokens import Tokenizer
from training import corpora, looks, made
from training.arrays import Arrays, name_packed, save_arrays
from training.base import BORROWED, Base, read_base
from training.composed import composed
from training.formats import formatted
from training.items import ENTAILED, NOT_ENTAILED, Item, Sentence
from training.measured import Measured, measured_examples, write_gold
from training.soft import Keys, mark_keys
from training.splits import MEASURED, Kept, is_development
from training.tables import tables
from training.vocabulary import COMMONEST, SEEN, choose_words, rows_of, write_words
from training.wording import row_starts, row_words

SEED = 20_261_115
LONGEST = 848  # tokens in a row beside those of the source
RECORDS = 4_000
COMPOSED = 30  # times that each schema is filled
FORMATS = 4_000  # sources whose sentences get their values in other forms
PREMISES = 0.5  # the share of premises whose claims are edited as well
LAYERS_IN_PART = 10
WHOLE = "tables-"  # groups whose sources must be read whole: a row left out may be the highest
ASKED = {
    "ragtruth": 1.0,
    "written": 0.15,
    "whole": 0.15,
    "summedits": 0.5,
}  # that get a restating question
LOOKS = {  # the share of each group's items that are met in another look as well
    "ragtruth": 1.0,
    "written": 0.25,
    "whole": 0.3,
    "summedits": 1.0,
    "defacto": 0.5,
    "bump": 1.0,
    "records": 0.12,
    "diasumfact": 1.0,
    "faceval": 0.5,
    "factcg": 0.5,
}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    items = list(training_items(options.data, random.Random(SEED)))
    prepare(read_base(options.base), items, list(measured_examples(options.data)), options.out)


def prepare(base: Base, items: list[Item], examples: list[Measured], out: Path) -> None:
    """Writes everything that training reads."""
    tokenizer, _ = prepare_training(base, items, out)
    write_gold(examples, out / "development.jsonl")
    save_rows(development_rows(examples, tokenizer), out / "development.npz")


def prepare_training(
    base: Base, items: list[Item], out: Path
) -> tuple[Tokenizer, list["TrainingRow"]]:
    """Writes the vocabulary, the base and the rows of the items."""
    out.mkdir(parents=True, exist_ok=True)
    texts = {item.source for item in items} | {s.text for item in items for s in item.sentences}
    words = choose_words(base.words, sorted(texts), COMMONEST, SEEN)
    write_words(words, out / "vocabulary.txt")
    save_base(base, [*BORROWED, *rows_of(words, base.words)], out)
    tokenizer = Tokenizer(words)
    rows = list(training_rows(items, tokenizer))
    save_rows(rows, out / "train.npz")
    save_arrays(out / "train-keys.npz", {"keys": row_keys(rows, items)})
    return tokenizer, rows


def save_base(base: Base, rows: list[int], out: Path) -> None:
    """The base model's weights in four bits, its layers in parts that can travel one by one."""
    arrays = name_packed("embedding", pack(base.weights["token_embd.weight"][rows]))
    arrays["last_norm"] = base.weights["output_norm.weight"]
    save_arrays(out / "base-embedding.npz", arrays)
    for first in range(0, base.layers, LAYERS_IN_PART):
        part: Arrays = {}
        for number in range(first, min(first + LAYERS_IN_PART, base.layers)):
            for name, weight in layer_weights(base.weights, number).items():
                key = f"{number}.{name}"
                # 32 is the group of the base model's own four bits.
                part |= {key: weight} if weight.ndim == 1 else name_packed(key, pack(weight, 32))
        save_arrays(out / f"base-{first:02}.npz", part)


def layer_weights(
    weights: dict[str, NDArray[np.float32]], number: int
) -> dict[str, NDArray[np.float32]]:
    """The weights of one layer under our names."""

    def named(*names: str) -> NDArray[np.float32]:
        return np.concatenate([weights[f"blk.{number}.{name}.weight"] for name in names])

    return {
        "attention_norm": named("attn_norm"),
        "inner_norm": named("ffn_norm"),
        "qkv": named("attn_q", "attn_k", "attn_v"),
        "out": named("attn_output"),
        "gate_up": named("ffn_gate", "ffn_up"),
        "down": named("ffn_down"),
    }


def training_items(root: Path, rng: random.Random) -> Iterator[Item]:
    """All items for training, from licensed and own text, none from a source we measure on."""
    kept = Kept()
    for name in MEASURED:
        kept.keep(
            each.example.source.text
            for each in corpora.corpus(name, root)
            if name != "faithjudge-judged" or not each.example.task.startswith("ragtruth")
        )
    ragtruth = corpora.labelled_ragtruth(root)
    summedits = corpora.corpus("summedits", root)
    defacto = corpora.corpus("defacto", root)
    for given in (ragtruth, summedits, defacto):
        kept.keep(e.example.source.text for e in given if is_development(e.example))
    own = [item for item in _own_items(root, ragtruth, summedits, rng) if item.sentences]
    allowed = [item for item in own if not kept.has(item.source)]
    print(f"dropped {len(own) - len(allowed)} items whose sources are measured on")
    yield from allowed
    described = list(made.records(RECORDS, SEED))
    yield from described
    yield from _edited_items(allowed, rng)
    premises = list(_premises(root, kept, rng))
    yield from premises
    yield from _edited_premises(premises, random.Random(SEED))
    yield from (item for item in tables(root, SEED) if not kept.has(item.source))
    yield from composed(COMPOSED, SEED)
    yield from formatted(_truths(allowed), FORMATS, random.Random(SEED))
    yield from in_other_looks([*allowed, *described])


def in_other_looks(items: Sequence[Item]) -> Iterator[Item]:
    """Some of the items again, with another question or a source that only looks different."""
    rng = random.Random(SEED)
    passages = [item.source for item in composed(1, SEED) if not item.origin]
    yield from looks.looks_of(items, passages, LOOKS, rng)
    yield from looks.questioned(items, ASKED, rng)


def _own_items(
    root: Path, ragtruth: list[Annotated], summedits: list[Annotated], rng: random.Random
) -> list[Item]:
    """Items of the corpora and written ones, before those are dropped that may not be used."""
    own: list[Item] = list(corpora.ragtruth(e for e in ragtruth if not is_development(e.example)))
    for domain in ("ectsum", "samsum", "scitldr"):
        annotated = [e for e in summedits if e.example.task == domain]
        own += corpora.edited(f"summedits-{domain}", annotated, rng)
    bump = corpora.corpus("bump", root)
    fib = [_unmarked(e) for e in corpora.corpus("fib", root)]
    own += corpora.edited("bump", bump, rng)
    own += corpora.whole_responses("fib", fib, rng)
    own += corpora.defacto(root, rng)
    own += corpora.sentence_labelled("diasumfact", corpora.corpus("diasumfact", root))
    own += corpora.whole_responses("faceval", corpora.corpus("faceval", root), rng)
    own += corpora.factcg(root)
    documents = {h80(item.source) or "": item.source for item in own}
    own += made.written(documents, rng)
    return own


def _unmarked(annotated: Annotated) -> Annotated:
    response = annotated.example.response
    plain = replace(response, text=made.unmarked(response.text))
    return replace(annotated, example=replace(annotated.example, response=plain))


def _edited_items(items: Sequence[Item], rng: random.Random) -> Iterator[Item]:
    """Sources and true sentences of the other items, edited."""
    sources = dict.fromkeys(item.source for item in items)
    prose = [text for text in sources if "\n" * 9 not in text and text.count(" > ") < 5]
    for _ in range(3):
        yield from filter(None, (made.copied(source[:4_500], rng) for source in prose))
    truths = _truths(items)
    for _ in range(2):
        for (source, question), given in truths.items():
            texts = sorted(set(given))
            chosen = rng.sample(texts, min(made.MOST, len(texts)))
            if altered := made.altered(source, chosen, rng, question):
                yield altered


def _truths(items: Sequence[Item]) -> dict[tuple[str, str], list[str]]:
    """The true sentences about each source and question."""
    truths: dict[tuple[str, str], list[str]] = {}
    for item in items:
        known = truths.setdefault((item.source, item.question), [])
        known += [s.text for s in item.sentences if s.target == ENTAILED]
    return truths


def _premises(root: Path, kept: Kept, rng: random.Random) -> Iterator[Item]:
    """Premises with claims about them; entailed ones of FEVER are thinned out."""
    for name in ("fever", "vitaminc_test", "mnli_subsets", "snli_dev_test", "contractnli"):
        rows = [row for row in corpora.read_pairs(root, name) if not kept.has(row["premise"])]
        if name == "contractnli":
            rows = [row for row in rows if row["split"] == "train"]
        if name == "fever":
            rows = [row for row in rows if row["label"] != "entailment" or rng.random() < 0.6]
        yield from corpora.pairs(name, rows, rng)


def _edited_premises(items: Sequence[Item], rng: random.Random) -> Iterator[Item]:
    """Some premises with what they entail, edited: many short sources, of many kinds."""
    for item in items:
        truths = [sentence.text for sentence in item.sentences if sentence.target == ENTAILED]
        drawn = truths if rng.random() < PREMISES else []
        if edited := made.altered(item.source, drawn, rng):
            yield replace(edited, group="premises")


@dataclass(frozen=True, slots=True)
class TrainingRow:
    """The tokens of a row, its marks with their targets, and whose they are.

    `example` counts items or examples, `sentences` says whose the marks are; `words` says of each
    token of the response what is known of it, marks included. Only development rows know a response
    and where in its sentence each token starts.
    """

    group: str
    tokens: NDArray[np.int32]
    marks: NDArray[np.intp]
    targets: list[int]
    response: int
    example: int
    sentences: tuple[int, ...]
    words: NDArray[np.int8]
    starts: NDArray[np.int16] | None = None


def training_rows(
    items: Iterable[Item], tokenizer: Tokenizer, window: int = SOURCE_TOKENS
) -> Iterator[TrainingRow]:
    """Every item as the detector would read it; of long responses only what is read at once.

    A table that does not fit the window is left out.
    """
    for number, item in enumerate(items):
        reader = SourceReader(Source(item.source), tokenizer, window=window)
        if item.group.startswith(WHOLE) and len(reader.tokens) > window:
            continue
        words = [iter(pieces) for pieces in row_words(item.sentences, tokenizer)]
        for reading in reader.read(item.question, [s.text for s in item.sentences]):
            targets = [item.sentences[place].target for place in reading.sentences]
            row, own = reading.row, reading.sentences
            said = np.concatenate([next(words[place]) for place in own])
            if len(row.tokens) <= window + LONGEST:
                # Training reads no label of a response; the last target stands in its place.
                yield TrainingRow(
                    item.group, row.tokens, row.marks, targets, targets[-1], number, own, said
                )


def row_keys(rows: Iterable[TrainingRow], items: Sequence[Item]) -> Keys:
    """The keys under which what a teacher says of each mark is found."""
    places = [(row.example, place) for row in rows for place in row.sentences]
    return mark_keys(items, [number for number, _ in places], [place for _, place in places])


def development_rows(
    examples: Sequence[Measured], tokenizer: Tokenizer, window: int = SOURCE_TOKENS
) -> Iterator[TrainingRow]:
    """The rows of the examples."""
    for number, example in enumerate(examples):
        reader = SourceReader(example.source, tokenizer, window=window)
        wrong = example.wrong or (None,) * len(example.sentences)
        said = list(map(Sentence, example.sentences, map(_target, example.faithful), wrong))
        words = [iter(pieces) for pieces in row_words(said, tokenizer)]
        starts = [iter(pieces) for pieces in row_starts(example.sentences, tokenizer)]
        for reading in reader.read(example.question, example.sentences):
            own = reading.sentences
            yield TrainingRow(
                example.group,
                reading.row.tokens,
                reading.row.marks,
                [example.faithful[sentence] for sentence in own],
                example.response,
                number,
                own,
                np.concatenate([next(words[place]) for place in own]),
                np.concatenate([next(starts[place]) for place in own]),
            )


def _target(faithful: int) -> int:
    return ENTAILED if faithful == 1 else NOT_ENTAILED


def save_rows(rows: Iterable[TrainingRow], path: Path) -> None:
    """Rows end to end; `*_ends` say where each ends."""
    rows = list(rows)
    groups = sorted({row.group for row in rows})
    arrays: Arrays = {
        "tokens": np.concatenate([row.tokens for row in rows]).astype(np.uint16),
        "token_ends": np.cumsum([len(row.tokens) for row in rows]),
        "marks": np.concatenate([row.marks for row in rows]).astype(np.int32),
        "mark_ends": np.cumsum([len(row.marks) for row in rows]),
        "targets": np.concatenate([row.targets for row in rows]).astype(np.int8),
        "responses": np.array([row.response for row in rows], dtype=np.int8),
        "groups": np.array(groups),
        "group": np.array([groups.index(row.group) for row in rows], dtype=np.int16),
        "example": np.array([row.example for row in rows], dtype=np.int32),
        "sentences": np.concatenate([np.array(row.sentences, dtype=np.int16) for row in rows]),
        "words": np.concatenate([row.words for row in rows]),
    }
    if rows[0].starts is not None:
        starts = [row.starts for row in rows if row.starts is not None]
        arrays["word_starts"] = np.concatenate(starts)
    save_arrays(path, arrays, compressed=True)
    _print_sizes(rows, path.stem)


def _print_sizes(rows: Sequence[TrainingRow], name: str) -> None:
    for group in sorted({row.group for row in rows}):
        own = [row for row in rows if row.group == group]
        print(f"{name} {group}: {_size(own)}")
    print(f"{name}: {_size(rows)}, longest {max(len(row.tokens) for row in rows)}")


def _size(rows: Sequence[TrainingRow]) -> str:
    marks, tokens = sum(len(row.marks) for row in rows), sum(len(row.tokens) for row in rows)
    return f"{len(rows)} rows, {marks} sentences, {tokens:,} tokens"


if __name__ == "__main__":
    main()
