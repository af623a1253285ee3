"""What the story is about: three items, a row that cannot be read, and two exercises."""

import json
from pathlib import Path
from typing import Any

LIGHTHOUSE = {
    "id": "lighthouse",
    "source": "The lighthouse at Cape Morn was built in 1884 by Ines Dahl. It is 41 metres tall. "
    "Its lamp was electrified in 1921, and the last keeper left in 1979.",
    "response": "Ines Dahl built the lighthouse in 1884. The last keeper left in 1980. "
    "The lamp burned oil in its first years. I hope this helps!",
}
FERRY = {
    "id": "ferry",
    "source": "The ferry to Norholm runs twice a day in winter and every hour in summer.",
    "response": "The ferry runs twice a day in winter. A ticket costs nine crowns.",
}
RACE = {
    "id": "race",
    "source": "Mara Lindqvist won the race in Oslo on 3 May.",
    "response": "Mara Lindqvist won the race.",
}
BROKEN = {"schema": "urn:assay:example:1", "id": "broken", "source": "Nobody answered this."}


def judged(example: dict[str, str], author: str, kind: str, *labels: str) -> dict[str, Any]:
    """An example in our own form with what one author says of its sentences."""
    units, start = [], 0
    for number, text in enumerate(sentences(example["response"]), start=1):
        start = example["response"].index(text, start)
        end = start + len(text)
        place = {"id": f"s{number}", "kind": "sentence", "text": text, "start": start, "end": end}
        label = labels[number - 1]
        units.append({**place, "verdict": {"label": label, "note": f"{author}: {label}"}})
    said = {
        "example": example["id"],
        "author": {"name": author, "kind": kind},
        "taxonomy": "gray7",
        "units": units,
    }
    bare = [{key: unit[key] for key in unit if key != "verdict"} for unit in units]
    return {
        "schema": "urn:assay:example:1",
        **example,
        "units": bare,
        "judgements": [said],
    }


def sentences(text: str) -> list[str]:
    """The sentences of the responses above."""
    parts = text.replace("! ", "!|").replace(". ", ".|").split("|")
    return [part for part in parts if part]


def write(path: Path, *rows: dict[str, Any]) -> str:
    """Writes lines of JSON."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def write_story(folder: Path) -> dict[str, str]:
    """The files of the story, by what they are for."""
    probe = ("probe", "detector")
    good, no = "explicitly-supported", "no-fact"
    lesson = {"id": "lesson", "source": "The shop opens at nine.", "response": "It opens at nine."}
    question = {"id": "question", "source": "Ida is ten.", "response": "Ida is twelve."}
    return {
        "real": write(
            folder / "items.jsonl",
            judged(LIGHTHOUSE, *probe, good, "contradicting", "fabricated", no),
            BROKEN,
            judged(FERRY, *probe, good, good),
            judged(RACE, *probe, good),
        ),
        "training": write(folder / "training.jsonl", judged(lesson, "gold", "person", good)),
        "quiz": write(folder / "quiz.jsonl", judged(question, "gold", "person", "contradicting")),
    }
