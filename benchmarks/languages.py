"""Which texts are taken for English: short texts in 42 languages, and the released corpora.

python benchmarks/languages.py [texts] [mixed] [named] [corpora] [speed]

`texts` reads `languages.jsonl`, written for this measurement: every second line was used to choose
the thresholds, the others only to measure. Each text is told alone, as a whole text would be, and
as the only sentence on an English source: its own, if it has one, or else one about something else.
`mixed` puts each between sentences of the other kind. `named` says how many of those that are not
English get the right name, and how many in other languages that of one of the twelve.
`corpora` counts what is refused of RAGTruth, FaithBench and StorySumm, which are English, and
shows it. `speed` is the share of the embedded model's time. Shares have 95 % Wilson intervals.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from shared_data import shared_data

from assay.core.examples import Example
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.datasets.corpus import load_corpus
from assay.detectors.embedded.detector import EmbeddedDetector
from assay.metrics.estimates import wilson_interval
from assay.text.identification import identify
from assay.text.languages import foreign_units, other_language
from assay.text.sentences import sentence_units

TEXTS = Path(__file__).with_suffix(".jsonl")
LENGTHS = ("words", "sentence", "two sentences")
CORPORA = ("ragtruth", "faithbench", "storysumm")
TWELVE = frozenset("de fr es it pt nl pl ru tr zh ja ar".split())
OTHER_SCRIPTS = frozenset("el ru uk bg ar fa he hi bn zh ja ko th ta".split())
ENGLISH = (
    "The harbour was rebuilt after the storm, and the ferries returned in spring. Visitors can buy"
    " their tickets at the pier. Most of them stay for two or three days."
)
GERMAN = (
    "Nach dem Sturm wurde der Hafen wieder aufgebaut, und im Frühjahr kehrten die Fähren zurück."
    " Die Karten gibt es an der Anlegestelle. Die meisten Gäste bleiben zwei oder drei Tage."
)
GROUPS = ("English", "English, source", "Latin script", "cognates", "another script")
SHOWN = 40
READ = 40  # examples that the model reads for `speed`


@dataclass(frozen=True)
class Text:
    """A short text in a known language."""

    language: str
    length: str
    kind: str
    text: str
    source: str = ENGLISH

    @property
    def group(self) -> str:
        """English, or another language by its script; texts with a source of their own apart."""
        if self.source is not ENGLISH:
            return "English, source" if self.language == "en" else "cognates"
        if self.language == "en":
            return "English"
        return "another script" if self.language in OTHER_SCRIPTS else "Latin script"


def main() -> None:
    """Runs the parts that are named, or all of them."""
    parts: dict[str, Callable[[], None]] = {
        "texts": measure_texts,
        "mixed": measure_mixed,
        "named": measure_named,
        "corpora": measure_corpora,
        "speed": measure_speed,
    }
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("parts", nargs="*", choices=[[], *parts], metavar="PART")
    for name in parser.parse_args().parts or parts:
        print(f"\n{name}")
        parts[name]()


def read_texts() -> tuple[list[Text], list[Text]]:
    """The texts for choosing thresholds, and those for measuring."""
    lines = TEXTS.read_text(encoding="utf-8").splitlines()
    texts = [Text(**json.loads(line)) for line in lines]
    return texts[::2], texts[1::2]


def share(refused: Sequence[bool]) -> str:
    """A share with its interval, in percent."""
    low, high = wilson_interval(sum(refused), len(refused)) or (0.0, 1.0)
    part = 100 * sum(refused) / max(len(refused), 1)
    return f"{part:5.1f} % [{100 * low:.1f}, {100 * high:.1f}] ({sum(refused)} of {len(refused)})"


def is_refused(response: str, source: str) -> bool:
    """Whether any sentence of a response gets no verdict because of its language."""
    example = Example("e", Source(source), Response(response))
    return bool(foreign_units(example, sentence_units(example)))


def measure_texts() -> None:
    """The share of texts that are refused, by language and length."""
    ways: dict[str, Callable[[Text], bool]] = {
        "alone": lambda each: other_language(each.text) is not None,
        "on an English source": lambda each: is_refused(each.text, each.source),
        "the response like the source": lambda each: is_refused(each.text, each.text),
    }
    for half, texts in zip(("chosen on", "held out"), read_texts(), strict=True):
        for way, tell in ways.items():
            for group in GROUPS:
                for length in LENGTHS:
                    some = [t for t in texts if (t.group, t.length) == (group, length)]
                    if some:
                        refused = [tell(each) for each in some]
                        print(f"  {half:10} {way:28} {group:15} {length:14} {share(refused)}")


def measure_mixed() -> None:
    """Single sentences between others: foreign ones in English, English ones in German."""
    for half, texts in zip(("chosen on", "held out"), read_texts(), strict=True):
        for group in ("Latin script", "another script", "English"):
            around = GERMAN if group == "English" else ENGLISH
            for length in LENGTHS[:2]:
                some = [t for t in texts if (t.group, t.length) == (group, length)]
                refused = [other_language(each.text, around) is not None for each in some]
                print(f"  {half:10} {group:15} among others   {length:10} {share(refused)}")


def measure_named() -> None:
    """The languages that are named: of the twelve, and wrongly of others."""
    for half, texts in zip(("chosen on", "held out"), read_texts(), strict=True):
        for length in LENGTHS:
            some = [t for t in texts if t.length == length and t.language != "en"]
            found = [(each.language, identify(each.text)) for each in some]
            own = [pair for pair in found if pair[0] in TWELVE]
            right = share([told == language for language, told in own])
            wrong = share([told not in (language, None) for language, told in own])
            taken = share([told in TWELVE for language, told in found if language not in TWELVE])
            print(f"  {half:10} {length:14} right {right}, wrong {wrong}; others taken {taken}")


def measure_corpora() -> None:
    """The sentences of English corpora that are refused."""
    for name in CORPORA:
        refused: list[Unit] = []
        count, sources = 0, set()
        for example in _examples(name):
            units = sentence_units(example)
            found = foreign_units(example, units)
            count += len(units)
            refused += found
            if units and other_language(example.source.text) is not None:
                sources.add(example.source.text)
        flags = [True] * len(refused) + [False] * (count - len(refused))
        print(f"  {name}: sentences refused {share(flags)}, sources {len(sources)}")
        for source in list(sources)[:SHOWN]:
            print(f"    source: {source[:100]!r}")
        for unit in refused[:SHOWN]:
            print(f"    {unit.text[:110]!r}")


def measure_speed() -> None:
    """Seconds for the language and for everything, on the same examples."""
    detector = EmbeddedDetector()
    examples = list(_examples("ragtruth"))[:: 1 + 2_000 // READ][:READ]
    list(detector.judge_batch(examples[:2]))
    began = time.perf_counter()
    for example in examples:
        foreign_units(example, sentence_units(example))
    told = time.perf_counter() - began
    began = time.perf_counter()
    list(detector.judge_batch(examples))
    whole = time.perf_counter() - began
    print(f"  {told:.3f} s of {whole:.1f} s: {100 * told / whole:.2f} %, splitting included")


def _examples(name: str) -> Iterable[Example]:
    return (each.example for each in load_corpus(name, shared_data()))


if __name__ == "__main__":
    main()
