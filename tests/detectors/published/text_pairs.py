"""Two hundred pairs of a source and a claim: real texts of the released corpora, and odd ones.

Nothing of the package is imported, so that references run on the same pairs elsewhere.
"""

import csv
import json
import re
from pathlib import Path

Pair = tuple[str, str]

CHOICE = (
    "RAGTruth: every 8th source in the file's order and the 6 longest, with the first response of"
    " each: its first, middle and last sentence and all of it; FaithBench.csv: rows 0, 90, 180 and"
    " so on, with two sentences and the whole summary; then pairs of our own"
)
_END = re.compile(r"(?<=[.!?])\s+")
_LONGEST = 6
_RAGTRUTH = 148
_FAITHBENCH = 27

HARBOUR = (
    "The harbour of Lund-on-Sea was dredged in 1954. Two ferries leave it each hour, except on"
    " Sundays. Mrs. Ito, who has run the ticket office since 1987, says that winters are quiet."
)
OWN: tuple[Pair, ...] = (
    (HARBOUR, "Two ferries leave each hour."),
    (HARBOUR, "Mrs. Ito has run the office since 1987. Ferries also leave on Sundays."),
    (HARBOUR, HARBOUR),
    (HARBOUR, "Yes."),
    (HARBOUR, "  The harbour was dredged.\n\nIt is quiet!  "),
    ("", "The harbour was dredged in 1954."),
    (" \n\t ", "The harbour was dredged in 1954."),
    ("No.", "There is nothing to see here."),
    ("港は1954年に浚渫された。フェリーは毎時二便出る。", "フェリーは毎時二便出る。"),
    ("صدر التقرير في عام 2019. لم يكتب أحد عنه شيئا.", "صدر التقرير في عام 2020."),
    ("Die Fähre fährt um 8.30 Uhr ab, z. B. im Winter.\r\nSie ist voll.", "Die Fähre ist leer."),
    ("Line one\n\n\nLine two\n- item 1\n- item 2\n\n", "Line two has item 2."),
    (
        "🚢🚢 <b>Ferry</b> &amp; ﬁsh — “naïve” \u200b zero\u00a0width… [SEP] </s> end.",
        "A ferry 🚢.",
    ),
    ("word " * 700, "The word occurs often."),
    ("The same sentence comes again. " * 40, "The same sentence comes again."),
    ("x" * 3000, "x" * 30),
    (HARBOUR * 12, "Mrs. Ito " * 120 + "works."),
    ("A short source with one claim and no more.", "word " * 700),
    ('{"name": "Café", "hours": {"Mon": "8:0-22:0"}, "WiFi": null}', "The café has no WiFi."),
    ("Is it? It is! Is it?! It is... It is.", "It is what it is, they say."),
    ("Fig. 3 shows 4.5 vs. 5.4 (p. 7). See sec. 2.", "Fig. 3 shows 4.5."),
    ("a\n" * 60, "There are many lines in it."),
    ("Dr. Wu paid $3.5 million to J. P. Morgan et al. in the U.S. in Jan. 2020.", "Dr. Wu paid."),
    ("The report was late. " + "It said, and I quote, " * 90 + "nothing.", "The report was late."),
    ("Zero-width\u200djoiner and combining e\u0301 differ.", "They differ by é, not e\u0301."),
)


def text_pairs(shared: Path, longest: int | None = None) -> list[Pair]:
    """The pairs, in an order that every machine finds; sources may be cut after some characters."""
    pairs = _ragtruth(shared / "ragtruth")[:_RAGTRUTH]
    pairs += _faithbench(shared / "faithbench")[:_FAITHBENCH]
    return [(source[:longest], claim) for source, claim in (*pairs, *OWN)]


def _ragtruth(folder: Path) -> list[Pair]:
    texts = {}
    for row in _lines(folder / "source_info.jsonl"):
        found = row["source_info"]
        texts[row["source_id"]] = found if isinstance(found, str) else json.dumps(found)
    responses: dict[str, str] = {}
    for row in _lines(folder / "response.jsonl"):
        responses.setdefault(row["source_id"], row["response"])
    ids = [each for each in texts if each in responses]
    longest = sorted(ids, key=lambda each: (-len(texts[each]), each))[:_LONGEST]
    chosen = [*longest, *(each for each in ids[::8] if each not in longest)]
    return [pair for each in chosen for pair in _claims(texts[each], responses[each])]


def _faithbench(folder: Path) -> list[Pair]:
    with (folder / "FaithBench.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))[::90]
    return [pair for row in rows for pair in _claims(row["source"], row["summary"])[1:]]


def _claims(source: str, response: str) -> list[Pair]:
    sentences = _END.split(response.strip())
    picked = (sentences[0], sentences[len(sentences) // 2], sentences[-1], response)
    return [(source, claim) for claim in picked]


def _lines(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]
