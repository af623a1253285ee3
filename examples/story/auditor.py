"""The auditor of the story: fills in the form that `assay audit flag` writes.

A form is a judgement without a name on each line of the file, with a verdict on every flagged
sentence. Whoever decides writes their name there and, for each sentence, a decision and a reason;
a label that is incorrect also needs another one and the words of the source that show it. In a
text editor this is the same work. The decisions stand in `decisions.toml`.
"""

import json
import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def load_decisions() -> dict[tuple[str, str], dict[str, Any]]:
    """What the auditor decides, by the response and the text of the sentence."""
    with (HERE / "decisions.toml").open("rb") as file:
        decided = tomllib.load(file)["decision"]
    return {(each["response"], each["text"]): each for each in decided}


def fill_in(path: Path, name: str) -> dict[str, int]:
    """Decides about all flags of a file that there is a decision about; how often each was made."""
    known = load_decisions()
    counts: dict[str, int] = {}
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for row in rows:
        for form in row["judgements"]:
            if form["author"]["name"]:
                continue  # somebody else's judgement
            form["author"]["name"] = name
            for unit in form["units"]:
                made = known.get((row["id"], unit["text"]), {"decision": "open"})
                _decide(unit["verdict"], made)
                counts[made["decision"]] = counts.get(made["decision"], 0) + 1
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text("".join(lines), "utf-8")
    return counts


def _decide(verdict: dict[str, Any], made: dict[str, Any]) -> None:
    """Writes one decision into the form."""
    attributes = {**verdict["attributes"], "decision": made["decision"]}
    if "reason" in made:
        verdict["note"] = made["reason"]
    if made["decision"] == "incorrect":
        verdict["label"] = made["label"]
        verdict["error"] = {"taxonomy": "error5", "label": made["error"]}
        attributes["cited"] = made["evidence"]
    verdict["attributes"] = attributes
