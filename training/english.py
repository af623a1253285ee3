"""Train the model that tells English words from those of other languages by their letters.

    python -m training.english --data DATA

The English words are those of sets whose licences allow it (SummEdits, BUMP, DiaSumFact, FactCG,
ContractNLI, MultiNLI). The others come from packages that carry text in many languages: the
message catalogues of Django (BSD), the stop words and examples of spaCy (MIT), and the word lists
of Faker (MIT). Only counts of words are used. Their versions were django 5.2.19, spacy 3.8.18 and
faker 40.54.0, which `pip` can install without their dependencies.

The result is `src/assay/text/english.npz`: one byte for each of 65,536 buckets of letter
sequences, a scale and a bias.
"""

import argparse
import ast
import gettext
import gzip
import importlib.util
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp  # type: ignore[import-untyped]
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]

from assay.text.english import WEIGHTS, bucket, pieces

BUCKETS = 1 << 16
PENALTY = 10.0  # the inverse of the strength of the L2 term
FULL = 4_000  # words of a language from which it counts in full

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_LATIN = re.compile(r"[a-zà-ɏḀ-ỿ'’]+")
_FIELDS = re.compile(r"%\([^)]*\)\w|%\w|\{[^}]*\}|<[^>]*>|&\w+;|https?://\S+|\S+@\S+")
_CONSTRUCTED = {"ia", "io", "eo", "la", "lb", "xx", "grc"}  # or Latin, which English quotes
Counts = Mapping[str, Counter[str]]


def main(arguments: Sequence[str] | None = None) -> None:
    """Counts the words, fits the model and writes it beside the module that reads it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder of the corpora")
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    chosen = parser.parse_args(arguments)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for language, text in (*_catalogues(), *_word_lists(), *_corpora(chosen.data)):
        counts[language].update(_count(language, text))
    _write(chosen.out, *_fit(counts))
    print({language: sum(words.values()) for language, words in sorted(counts.items())})


def _count(language: str, text: str) -> Iterator[str]:
    """The words of a text in lower case; without names, as far as capitals tell."""
    for word in _WORD.findall(_FIELDS.sub(" ", text)):
        is_name = word[0].isupper() if language == "en" else word.isupper() and len(word) > 1
        if not is_name:
            yield word.lower().replace("’", "'")


def _package(name: str) -> Path:
    found = importlib.util.find_spec(name)
    if found is None or found.origin is None:
        raise SystemExit(f"the package {name} is not installed; see the top of this file")
    return Path(found.origin).parent


def _language(folder: str) -> str:
    """The language of a folder such as pt_BR; Norwegian is one."""
    code = folder.partition("_")[0]
    return {"nb": "no", "nn": "no"}.get(code, code)


def _catalogues() -> Iterator[tuple[str, str]]:
    """Django's messages and their translations."""
    for path in sorted(_package("django").rglob("LC_MESSAGES/*.mo")):
        language = _language(path.parents[1].name)
        if language in _CONSTRUCTED | {"en"}:
            continue
        with path.open("rb") as file:
            catalogue: Mapping[Any, str] = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
        for key, translated in catalogue.items():
            message = key[0] if isinstance(key, tuple) else key
            if message:
                yield "en", message
            if message and translated and translated != message:
                yield language, translated


def _word_lists() -> Iterator[tuple[str, str]]:
    """The texts in spaCy's and Faker's modules."""
    spacy = _package("spacy") / "lang"
    paths = [*spacy.glob("*/examples.py"), *spacy.glob("*/stop_words.py")]
    for kind in ("lorem", "job"):
        paths += (_package("faker") / "providers" / kind).glob("*_*/__init__.py")
    for path in sorted(paths):
        language = _language(path.parent.name)
        is_latin_filler = "faker" in path.parts and language == "en"
        if language in _CONSTRUCTED or is_latin_filler:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                is_about_code = any(mark in node.value for mark in (">>>", "http", "aker"))
                if not is_about_code:
                    yield language, node.value


def _corpora(data: Path) -> Iterator[tuple[str, str]]:
    """English texts, each once."""
    paths = [*(data / "summedits").glob("*.json"), *(data / "bump").glob("*.json")]
    paths += [data / "diasumfact" / "annotations.json", data / "factcg" / "CG2C_doc.json"]
    paths += [data / "nli" / f"{name}.jsonl.gz" for name in ("contractnli", "mnli_subsets")]
    for path in sorted(paths):
        stored = path.read_bytes()
        whole = (gzip.decompress(stored) if path.suffix == ".gz" else stored).decode()
        try:
            values = [json.loads(whole)]
        except json.JSONDecodeError:
            values = [json.loads(line) for line in whole.splitlines()]
        for text in sorted(set(_strings(values))):
            yield "en", text


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _strings(each)


def _fit(counts: Counts) -> tuple[np.ndarray[Any, np.dtype[np.float64]], float]:
    """The weights of the buckets and the bias; English and the rest weigh the same."""
    rows, english, weights = [], [], []
    for language, words in sorted(counts.items()):
        latin = {word: n for word, n in words.items() if _LATIN.fullmatch(word)}
        if sum(latin.values()) * 2 < sum(words.values()):
            continue
        if language == "en":
            latin = {word: n for word, n in latin.items() if n > 1}
        share = min(1.0, sum(latin.values()) / FULL) ** 0.5
        whole = sum(n**0.5 for n in latin.values())
        for word, n in sorted(latin.items()):
            rows.append(sorted({bucket(piece, BUCKETS) for piece in pieces(word)}))
            english.append(language == "en")
            weights.append(share * n**0.5 / whole)
    is_english, weight = np.array(english), np.array(weights)
    for side in (is_english, ~is_english):
        weight[side] *= len(rows) / 2 / weight[side].sum()
    fitted = LogisticRegression(C=PENALTY, max_iter=300)
    fitted.fit(_matrix(rows), is_english, sample_weight=weight)
    return fitted.coef_[0], float(fitted.intercept_[0])


def _matrix(rows: Iterable[list[int]]) -> sp.csr_matrix:
    lists = list(rows)
    starts = np.cumsum([0, *map(len, lists)])
    columns = np.concatenate(lists)
    return sp.csr_matrix((np.ones(len(columns)), columns, starts), shape=(len(lists), BUCKETS))


def _write(path: Path, weights: np.ndarray[Any, np.dtype[np.float64]], bias: float) -> None:
    scale = float(np.abs(weights).max()) / 127
    stored = np.round(weights / scale).astype(np.int8)
    np.savez_compressed(path, weights=stored, scale=np.float32(scale), bias=np.float32(bias))


if __name__ == "__main__":
    main()
