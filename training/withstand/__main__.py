"""Prints how many sentences the suite has of each kind."""

from collections import Counter

from training.withstand.reading import Judged, records


def main() -> None:
    """Counts the cases by kind, and the whole answers."""
    written = list(records())
    counts: dict[str, Counter[str]] = {}
    for record in written:
        for case in record.cases:
            counts.setdefault(case.kind, Counter())[case.label] += 1
    answers = [answer.sentences for record in written for answer in record.answers]
    wrong = sum(any(map(_is_wrong, answer)) for answer in answers)
    everyday = Counter(said.label for answer in answers for said in answer)
    print("| kind | entailed | neutral | contradicted | all |")
    print("|---|---|---|---|---|")
    for kind in sorted(counts):
        print(_row(kind, counts[kind]))
    print(_row("sentences of whole answers", everyday))
    print(_row("all", sum(counts.values(), everyday)))
    print(f"\n{len(written)} sources; {len(answers) - wrong} whole answers that are faithful,")
    print(f"and {wrong} with one sentence that is not.")


def _is_wrong(said: Judged) -> bool:
    return said.label != "entailed"


def _row(name: str, counts: Counter[str]) -> str:
    cells = [name, *(counts[label] for label in ("entailed", "neutral", "contradicted"))]
    return "| " + " | ".join(map(str, [*cells, counts.total()])) + " |"


if __name__ == "__main__":
    main()
