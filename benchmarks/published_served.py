"""Records what the published code makes of the replies of models behind a server.

    python benchmarks/published_served.py

writes `tests/detectors/published/reference/served.json`. The references are modules that are looked
for in PYTHONPATH, cut out of their repositories: `minicheck_llm` (LLMCheck of Liyan06/MiniCheck,
without vLLM), `granite_guardian` (the groundedness of ibm-granite/granite-guardian's evaluation)
and `anah_v2` (process_question of open-compass/ANAH). Punkt's data has to be where NLTK finds it.
The model is `tests/detectors/published/scripted_model.py`.
"""

import json
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zlib import crc32

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from shared_data import shared_data

from assay.detectors.judges.options import FOLDER as PROMPTS
from assay.detectors.published.chunks import sentence_places, splitter_name
from assay.llm.costs.estimates import estimate_tokens
from assay.llm.prompts import read_prompt
from tests.detectors.published.scripted_model import (
    CHOICE,
    STAGES,
    Pair,
    Step,
    choose,
    served_pairs,
    yes_or_no,
)

FOLDER = Path(__file__).resolve().parents[1] / "tests" / "detectors" / "published" / "reference"
WINDOW = 800  # tokens; small, so that many sources are cut into chunks


def reference(name: str) -> Any:
    """A module of a reference; the script ends with a message where it is missing."""
    try:
        return import_module(name)
    except ImportError as error:
        sys.exit(f"{name} is missing ({error}): cut it out of its repository into PYTHONPATH")


def output(step: Step, text: str = "") -> Any:
    """A reply as vLLM gives it."""
    pieces = {
        n: SimpleNamespace(decoded_token=token, logprob=logprob)
        for n, (token, logprob) in enumerate(step.items())
    }
    return SimpleNamespace(
        outputs=[SimpleNamespace(text=text or next(iter(step)), logprobs=[pieces])]
    )


def minicheck(pairs: Sequence[Pair]) -> list[float]:
    """The scores of MiniCheck's LLMCheck, with our words for its instruction."""

    class Tokenizer:
        def __call__(self, text: str, **_: Any) -> dict[str, list[int]]:
            return {"input_ids": [0] * estimate_tokens(text)}

        def apply_chat_template(self, messages: list[dict[str, str]], **_: Any) -> str:
            return messages[-1]["content"]

    class Model:
        def generate(self, prompts: list[str], _: Any) -> list[Any]:
            return [output(yes_or_no(prompt)) for prompt in prompts]

    system = read_prompt(PROMPTS / "minicheck-bespoke.md").sections[0][1]
    user = "Document: [DOCUMENT]\nClaim: [CLAIM]"
    llm_check = reference("minicheck_llm").LLMCheck
    check = llm_check(Model(), Tokenizer(), system, user, max_model_len=WINDOW)
    return [check.score([source], [claim])[1][0] for source, claim in pairs]


def granite(pairs: Sequence[Pair], form: str) -> list[list[float]]:
    """The digest of what is sent, the label, and the probability of the risk."""
    package = reference("granite_guardian")

    class Tokenizer:
        def apply_chat_template(self, messages: Any, **more: Any) -> list[Any]:
            kept = ("guardian_config", "documents", "think")
            return [messages, {name: more[name] for name in kept if name in more}]

    found = []
    for source, claim in pairs:
        sent = getattr(package, f"format_{form}")(source, claim, Tokenizer())
        step = yes_or_no(f"{source}|{claim}")
        word = next(iter(step))
        text = word if form == "3" else f"<score> {word.lower()} </score>"
        label, chance = getattr(package, f"parse_{form}")(output(step, text))
        found.append([crc32(json.dumps(sent).encode()), label, round(chance, 6)])
    return found


def anah(pairs: Sequence[Pair]) -> list[str]:
    """The annotation of each claim."""
    process = reference("anah_v2").process_question

    def annotate(claim: str) -> str:
        def pipe(messages: list[dict[str, str]]) -> Any:
            stage = messages[-1]["content"]
            return SimpleNamespace(text=choose(f"{stage}|{claim}", STAGES[stage]))

        return str(process(pipe, "", claim, "", "en"))

    return [annotate(claim) for _, claim in pairs]


def main() -> None:
    """Writes the record."""
    if splitter_name() != "punkt":
        sys.exit("NLTK's Punkt is not here: set NLTK_DATA to the folder with tokenizers/punkt_tab")
    pairs = served_pairs(shared_data())
    lines = {line for source, _ in pairs for line in source.split("\n")}
    places = {line: sentence_places(line) for line in sorted(lines)}
    record = {
        "references": {
            "minicheck": "Liyan06/MiniCheck 00a1ed4, minicheck/inference.py, LLMCheck",
            "granite": "ibm-granite/granite-guardian 1d6a7ea, evaluation/models",
            "anah": "open-compass/ANAH 51b4a3a, eval/anah_v2/eval.py",
            "torch": version("torch"),
            "nltk": version("nltk"),
        },
        "pairs": CHOICE,
        "window": WINDOW,
        # Punkt's places by the line's checksum, where they are not simply the stripped line.
        "places": {
            str(crc32(line.encode("utf-8", "surrogatepass"))): [list(each) for each in found]
            for line, found in places.items()
            if [line[a:b] for a, b in found] != [line.strip()][: bool(line.strip())]
        },
        "minicheck": [round(score, 6) for score in minicheck(pairs)],
        "granite 3.2": granite(pairs, "3"),
        "granite 3.3": granite(pairs, "3_3"),
        "anah": anah(pairs),
    }
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / "served.json"
    path.write_text(json.dumps(record, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"{path.name}: {len(pairs)} pairs, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
