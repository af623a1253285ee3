"""A local corpus of a million short passages: how fast it is made and searched, how large it is.

Passages are the sentences of the released corpora where these lie beside the checkout (see
shared_data.py), and pairs of neighbouring sentences until there are enough; and text made here, of
words as frequent as those of a language. Queries are whole sentences that were not indexed.

  index   passages a second, bytes a passage, peak memory of `assay knowledge index`
  search  milliseconds a query, beside plain FTS5: the whole sentence OR-ed, ORDER BY rank
  slice   100,000 of the passages, beside bm25s, which keeps all in memory

Agreement is with plain FTS5: how often its best passage is among our ten, and how many of its ten.

Run: python benchmarks/knowledge.py [--passages N] [real] [made]
"""

import argparse
import json
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from knowledge_texts import made_passages, real_passages, real_sentences

from assay.knowledge import LocalCorpus

WANTED = 20  # milliseconds for the median query
QUERIES, SLOW_QUERIES = 300, 25
SLICE = 100_000
# A process that is forked from a large one starts with its peak, so a small one starts the command.
_LAUNCH = """
import resource, subprocess, sys, time
began = time.perf_counter()
code = subprocess.run(sys.argv[1:], stdout=sys.stderr).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(code, time.perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
"""
_PLAIN = (
    "CREATE VIRTUAL TABLE plain USING fts5 (text, tokenize='porter unicode61 remove_diacritics 2')"
)


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds of each query, on the clock and of CPU, and what was found."""

    clock: list[float]
    cpu: list[float]
    found: list[Any]

    def __str__(self) -> str:
        parts = (
            f"median {statistics.median(self.clock):.1f} ms",
            f"p95 {_share(self.clock, 0.95):.1f}",
            f"max {max(self.clock):.1f}",
            f"CPU median {statistics.median(self.cpu):.1f}",
        )
        return ", ".join(parts)


def _share(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(int(len(values) * share), len(values) - 1)]


def clock(search: Callable[[str], Any], queries: Sequence[str]) -> Times:
    """How long each query takes, and what it finds."""
    times = Times([], [], [])
    for query in queries:
        began, cpu = time.perf_counter(), time.process_time()
        times.found.append(search(query))
        times.clock.append((time.perf_counter() - began) * 1000)
        times.cpu.append((time.process_time() - cpu) * 1000)
    return times


def index(passages: Sequence[str], folder: Path, name: str) -> Path:
    """Makes a corpus by the command, in a process of its own, and prints what that took."""
    rows, corpus = folder / f"{name}.jsonl", folder / f"{name}.sqlite"
    with rows.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps({"text": text}) + "\n" for text in passages)
    seconds, cpu, megabytes = _run_index(rows, corpus)
    size, text = corpus.stat().st_size, sum(len(each.encode()) for each in passages)
    rate = f"{len(passages) / seconds:,.0f} passages/s ({len(passages) / cpu:,.0f} a CPU second)"
    print(f"  index   {rate}, {seconds:.0f} s, peak memory {megabytes:.0f} MB")
    each = f"{size / len(passages):.0f} bytes a passage"
    print(f"          {size / 1e6:.0f} MB = {each}, {size / text:.2f} x its text")
    print(f"          again, unchanged: {_run_index(rows, corpus)[0]:.1f} s", flush=True)
    return corpus


def _run_index(rows: Path, corpus: Path) -> tuple[float, float, float]:
    command = [sys.executable, "-m", "assay", "knowledge", "index", str(rows), "--out", str(corpus)]
    launch = [sys.executable, "-S", "-c", _LAUNCH, *command]
    done = subprocess.run(launch, capture_output=True, text=True, check=True)
    code, seconds, cpu, megabytes = map(float, done.stdout.split())
    if code:
        sys.exit(f"indexing ended with {code:.0f}:\n{done.stderr}")
    return seconds, cpu, megabytes


def plain_fts5(passages: Sequence[str], folder: Path) -> sqlite3.Connection:
    """The same passages in an FTS5 table as one would make it by hand."""
    connection = sqlite3.connect(folder / "plain.sqlite")
    connection.execute(_PLAIN)
    connection.executemany("INSERT INTO plain (text) VALUES (?)", ((text,) for text in passages))
    connection.commit()
    connection.execute("INSERT INTO plain (plain) VALUES ('optimize')")
    connection.commit()
    return connection


def search(corpus: Path, passages: Sequence[str], queries: Sequence[str], folder: Path) -> None:
    """Ours and plain FTS5, and how far they agree."""
    ours = LocalCorpus(corpus)
    plain = plain_fts5(passages, folder)

    def by_rank(query: str) -> list[str]:
        words = dict.fromkeys(re.findall(r"[^\W_]+", query.casefold()))
        match = " OR ".join(f'"{word}"' for word in words)
        select = "SELECT text FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT 10"
        return [text for (text,) in plain.execute(select, (match,))]

    def found(query: str) -> list[str]:
        return [each.text for each in ours.find(query, 10)]

    first = clock(found, queries[:1])
    times = clock(found, queries)
    print(f"  search  {times}; wanted median < {WANTED} ms")
    print(f"          {len(queries)} queries; the first one of all {first.clock[0]:.0f} ms")
    slow = clock(by_rank, queries[:SLOW_QUERIES])
    print(f"          plain FTS5, {len(slow.clock)} of the queries: {slow}")
    pairs = list(zip(times.found, slow.found, strict=False))
    best = statistics.mean(theirs[0] in mine for mine, theirs in pairs)
    ten = statistics.mean(len(set(mine) & set(theirs)) / len(theirs) for mine, theirs in pairs)
    print(f"          agreement: its best among our ten {best:.0%}, of its ten {ten:.0%}")
    common = clock(found, ["to be or not to be", "the", "it was not the first of them"])
    print(f"          common words alone: {common}", flush=True)
    ours.close()
    plain.close()


def beside_bm25s(passages: Sequence[str], queries: Sequence[str], folder: Path) -> None:
    """A slice of the passages in our corpus, and in the memory of bm25s."""
    import bm25s
    import Stemmer

    print(f"  slice of {len(passages):,} passages")
    corpus = LocalCorpus(index(passages, folder, "slice"))
    print(f"          {clock(lambda query: corpus.find(query, 10), queries)}")
    corpus.close()
    stemmer = Stemmer.Stemmer("english")
    began = time.perf_counter()
    retriever = bm25s.BM25()
    tokens = bm25s.tokenize(list(passages), stopwords=None, stemmer=stemmer, show_progress=False)
    retriever.index(tokens, show_progress=False)
    rate = len(passages) / (time.perf_counter() - began)

    def retrieve(query: str) -> object:
        asked = bm25s.tokenize([query], stopwords=None, stemmer=stemmer, show_progress=False)
        return retriever.retrieve(asked, k=10, show_progress=False)

    print(f"          bm25s: {rate:,.0f} passages/s; {clock(retrieve, queries)}", flush=True)


def measure(passages: list[str], queries: Sequence[str]) -> None:
    """All sections over some passages."""
    words = statistics.mean(len(text.split()) for text in passages[:10_000])
    print(f"  {len(passages):,} passages of {words:.0f} words on average")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        search(index(passages, folder, "corpus"), passages, queries, folder)
        beside_bm25s(passages[:SLICE], queries, folder)


def main() -> None:
    """Measures over the texts that are named, or over both."""
    parser = argparse.ArgumentParser(description="Making and searching a local corpus.")
    parser.add_argument("texts", nargs="*", metavar="TEXT", help="real, made; both if none")
    parser.add_argument("--passages", type=int, default=1_000_000)
    given = parser.parse_args()
    texts = given.texts or ["real", "made"]
    if "real" in texts:
        if sentences := real_sentences():
            pairs = max(given.passages - len(sentences), 0)
            print(f"real text: {len(sentences):,} sentences, and {pairs:,} pairs of neighbours")
            passages, queries = real_passages(sentences, given.passages)
            measure(passages, queries[:QUERIES])
        else:
            print("real text: skipped, the corpora are not here")
    if "made" in texts:
        print("made text: 300,000 words with the frequencies of a language")
        measure(list(made_passages(given.passages, 0)), list(made_passages(QUERIES, 1)))


if __name__ == "__main__":
    main()
