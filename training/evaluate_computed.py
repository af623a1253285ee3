"""Measures how well figures that a response computes are checked.

    python -m training.evaluate_computed [computed] [tabfact] [withstand] [ragtruth] [--network]

`computed`: the sentences of `training/computed/dev.jsonl`. `tabfact`: pairs of statements about
tables, after the first 3,000 tables, on which rules were tried (`--first` shows those, `--every 10`
one table of ten).
`withstand`: the sentences of the kind `arithmetic`, in sum only. `ragtruth`: responses in which
hardly anything is computed. Each line has counts and a rate with its Wilson interval. With
`--network`, verdicts of the detector are counted as well, with and without the calculator.
"""

import argparse
import gzip
import json
import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from assay.core.examples import Example
from assay.core.rendering import read_source
from assay.core.texts import Response, Source
from assay.core.verdicts import Verdict
from assay.metrics import wilson_interval
from assay.text.calculations.checking import Calculation, check_figures
from assay.text.sentences import split_sentences
from training.withstand.reading import records

BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
DATA = Path(os.environ.get("ASSAY_DATA", BESIDE))  # the released corpora
COMPUTED = Path(__file__).parent / "computed"
TRIED = 3_000  # tables of TabFact
RESPONSES = 300
ENTAILED = "entailed"


@dataclass(frozen=True, slots=True)
class Case:
    """A sentence about a source, whether it is right, and what it tests."""

    source: Source
    sentence: str
    is_right: bool
    kind: str
    question: str = ""


def read_lines(path: Path) -> list[Any]:
    """The values of a JSON-lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def rate(title: str, hits: int, n: int) -> str:
    """A share with its interval."""
    interval = wilson_interval(hits, n)
    if interval is None:
        return f"- {title}: none"
    low, high = interval
    return f"- {title}: {hits} of {n}, {100 * hits / n:.1f} % [{100 * low:.1f}, {100 * high:.1f}]"


def computed(name: str) -> Iterator[Case]:
    """The sentences of a file of computed ones."""
    for line in (COMPUTED / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        source = read_source(row["source"])
        for each in row["cases"]:
            is_right = each["label"] == ENTAILED
            yield Case(source, each["sentence"], is_right, each["kind"], each.get("question", ""))


def withstand() -> Iterator[Case]:
    """The sentences of the kind `arithmetic`."""
    for record in records():
        source = read_source(record.source)
        for each in record.cases:
            if each.kind == "arithmetic":
                is_right = each.label == ENTAILED
                yield Case(source, each.sentence, is_right, each.kind, each.question)


def tabfact(*, first: bool, every: int = 1) -> Iterator[Case]:
    """Statements about tables in Markdown, about one table of so many."""
    with gzip.open(DATA / "nli" / "tabfact_pairs.jsonl.gz", "rt", encoding="utf-8") as file:
        for number, line in enumerate(file):
            if (number < TRIED) != first or number % every:
                continue
            row = json.loads(line)
            source = Source(as_markdown(row["title"], row["header"], row["rows"]))
            for pair in row["pairs"]:
                if pair["true"] != pair["false"]:
                    yield Case(source, pair["true"], True, "tabfact")
                    yield Case(source, pair["false"], False, "tabfact")


def as_markdown(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with its title."""
    lines = [heads, ["---"] * len(heads), *rows]
    table = ("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
    return f"{title}\n\n" + "\n".join(table)


def settle(cases: Iterable[Case]) -> Iterator[tuple[Case, Calculation | None]]:
    """The outcome of the calculator for each."""
    for each in cases:
        yield each, check_figures(each.sentence, each.source, each.question)


def report(title: str, cases: Iterable[Case], *, detailed: bool) -> None:
    """Counts of what the calculator settles, and how often it is right."""
    begun = time.process_time()
    found = list(settle(cases))
    taken = 1_000 * (time.process_time() - begun) / max(1, len(found))
    print(f"{title}: {len(found)} sentences, {taken:.2f} ms each")
    for firm in (True, False):
        name = "firmly" if firm else "loosely"
        own = [(c, r) for c, r in found if r and r.outcome != "open" and r.is_firm == firm]
        good = sum((r.outcome == "right") == c.is_right for c, r in own)
        print(rate(f"settled {name}", len(own), len(found)))
        print(rate(f"of these right, settled {name}", good, len(own)))
        for outcome in ("right", "wrong"):
            hits = [c.is_right == (outcome == "right") for c, r in own if r.outcome == outcome]
            print(rate(f"  called {outcome}", sum(hits), len(hits)))
    held = Counter((c.is_right, r.outcome if r else "none") for c, r in found)
    for is_right in (True, False):
        n = sum(count for (own, _), count in held.items() if own == is_right)
        parts = ", ".join(f"{o} {held[is_right, o]}" for o in ("right", "wrong", "open", "none"))
        print(f"- {'right' if is_right else 'wrong'} sentences ({n}): {parts}")
    if detailed:
        for c, r in found:
            print(
                "+" if c.is_right else "-",
                c.kind,
                "|",
                c.sentence,
                "|",
                r and (r.outcome, r.is_firm, r.reason),
            )


def with_network(title: str, cases: Sequence[Case], name: str) -> None:
    """Verdicts of a detector with the calculator and without, from one reading."""
    import assay.detectors.embedded.calculating as calculating
    from assay.detectors.embedded.detector import EmbeddedDetector, EntailmentDetector
    from assay.detectors.embedded.large.detector import load_model

    is_large = name == "embedded-large"
    detector = EntailmentDetector(load_model().ready) if is_large else EmbeddedDetector()
    found: dict[bool, list[tuple[Case, list[Verdict]]]] = {False: [], True: []}
    for number, case in enumerate(cases):
        example = Example(
            f"case-{number}", case.source, Response(case.sentence), question=case.question
        )
        plan = detector._plan(example)
        model = detector._model
        rows = [each.row for each in plan.rows]
        outputs = list(model.network.forward_all(rows, model.settings.pointer.layers))
        for on in (False, True):
            with nullcontext() if on else patch.object(calculating, "check_figures", _nothing):
                judgement = detector._judge(plan, iter(outputs))
            verdicts = [each.outcome for each in judgement.findings]
            found[on].append((case, [each for each in verdicts if isinstance(each, Verdict)]))
    for on, judged in found.items():
        print(f"{title}, {name} {'with' if on else 'without'} the calculator:")
        for is_right, words in ((True, "right ones flagged"), (False, "wrong ones noticed")):
            own = [outcomes for case, outcomes in judged if case.is_right == is_right]
            flagged = [any(o.leaning == "unfaithful" for o in each) for each in own]
            sure = [any(o.coarse == "unfaithful" for o in each) for each in own]
            print(rate(words, sum(flagged), len(own)))
            print(rate(f"{words} for sure", sum(sure), len(own)))


def _nothing(*_: object) -> None:
    """Stands for the calculator where it is left out."""


def ragtruth() -> None:
    """The share of figures called wrong in responses with labels, and of those rightly."""
    folder = DATA / "ragtruth_more"
    sources = {each["source_id"]: each for each in read_lines(folder / "source_info.jsonl")}
    sentences = wrong = firm = hits = opened = right = 0
    begun = time.process_time()
    for row in read_lines(folder / "response.jsonl")[:RESPONSES]:
        info = sources[row["source_id"]]["source_info"]
        source = _ragtruth_source(info)
        for unit in split_sentences(row["response"], "response"):
            sentences += 1
            found = check_figures(unit.text, source)
            if not found:
                continue
            opened += found.outcome == "open" and found.is_cued
            right += found.outcome == "right"
            if found.outcome == "wrong":
                wrong += 1
                firm += found.is_firm
                start, end = unit.start, unit.end
                hits += any(e["start"] < end and start < e["end"] for e in row["labels"])
    taken = 1_000 * (time.process_time() - begun) / max(1, sentences)
    print(f"RAGTruth: {sentences} sentences of {RESPONSES} responses, {taken:.2f} ms each")
    print(rate("called wrong", wrong, sentences))
    print(rate("called wrong firmly", firm, sentences))
    print(rate("of those called wrong, labelled as hallucinated", hits, wrong))
    print(rate("confirmed", right, sentences))
    print(rate("left open, so never sure", opened, sentences))


def _ragtruth_source(info: object) -> Source:
    if isinstance(info, dict) and "passages" in info:
        return read_source(info["passages"])
    return read_source(info)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "parts", nargs="*", default=["computed", "tabfact", "withstand", "ragtruth"]
    )
    parser.add_argument("--file", default="dev", help="of training/computed")
    parser.add_argument("--first", action="store_true", help="TabFact's first tables")
    parser.add_argument("--every", type=int, default=1, help="one table of TabFact of so many")
    parser.add_argument("--network", default="", help="embedded or embedded-large")
    parser.add_argument("--detailed", action="store_true", help="each sentence of `computed`")
    options = parser.parse_args(arguments)
    if "computed" in options.parts:
        report("computed", computed(options.file), detailed=options.detailed)
        if options.network:
            with_network("computed", list(computed(options.file)), options.network)
    if "tabfact" in options.parts:
        cases = tabfact(first=options.first, every=options.every)
        report("TabFact", cases, detailed=options.detailed and options.first)
    if "withstand" in options.parts:
        report("withstand, arithmetic", withstand(), detailed=False)
        if options.network:
            with_network("withstand, arithmetic", list(withstand()), options.network)
    if "ragtruth" in options.parts:
        ragtruth()


if __name__ == "__main__":
    main()
