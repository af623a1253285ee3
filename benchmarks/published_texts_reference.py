"""Records what the references of published detectors say of small checkpoints and real texts.

Each reference reads the checkpoint that tests/detectors/published/checkpoints.py makes. Its figures
go to tests/detectors/published/reference, where the tests read them; the greatest difference from
ours is printed.

Run: python benchmarks/published_texts_reference.py METHOD [--code FOLDER]
    hhem      FOLDER has modeling_hhem_v2.py of vectara/hallucination_evaluation_model
    lettuce   the package lettucedetect must be installed, or lie in FOLDER
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from datetime import date
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zlib import crc32

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

import torch  # noqa: E402
from safetensors.torch import load_file  # noqa: E402
from shared_data import shared_data  # noqa: E402

from assay.detectors.local import NO_OPTIONS  # noqa: E402
from assay.detectors.published.hhem import open_hhem  # noqa: E402
from assay.detectors.published.kinds import ModelChoice  # noqa: E402
from assay.detectors.published.lettuce import open_lettuce  # noqa: E402
from assay.detectors.published.scores import Claim, Scored  # noqa: E402
from tests.detectors.published import checkpoints  # noqa: E402
from tests.detectors.published.pairs import (  # noqa: E402
    first_sentences,
    odd_claims,
    ragtruth_claims,
)

DATA = shared_data()
RECORDS = ROOT / "tests" / "detectors" / "published" / "reference"
COUNT = 190  # responses of RAGTruth, beside ten texts of our own
LENGTH, SHORT_COUNT = 900, 40  # the window in which long sources of `lettuce` are cut or grouped


def hhem(folder: Path) -> dict[str, Any]:
    """The scores of the released model code."""
    code = import_module("modeling_hhem_v2")
    small = checkpoints.hhem(folder)
    config = code.HHEMv2Config()
    config.foundation = str(small / "foundation")
    model = code.HHEMv2ForSequenceClassification(config)
    model.load_state_dict(load_file(small / "model.safetensors"), strict=False)
    claims = first_sentences(ragtruth_claims(DATA, COUNT)) + odd_claims()
    said = [float(model.predict([(claim.source, claim.text)])[0]) for claim in claims]
    found = open_hhem(choice_of("hhem", small), NO_OPTIONS).score(claims)
<<<<<<< HEAD
    ours = [each.score for each in found if isinstance(each, Scored)]
    _compare(said, ours)
=======
    _compare(said, [each.score for each in found if each.score is not None])
>>>>>>> main
    return {
        "reference": "modeling_hhem_v2.py of vectara/hallucination_evaluation_model, 2.1-open",
        "texts": f"first_sentences(ragtruth_claims(folder, {COUNT})) + odd_claims()",
        "scores": [round(each, 6) for each in said],
    }


def lettuce(folder: Path) -> dict[str, Any]:
    """The spans and the probabilities of the package, in a wide and in a narrow window."""
    small = checkpoints.modernbert(folder)
    claims = ragtruth_claims(DATA, COUNT) + odd_claims()
    return {
        "reference": f"lettucedetect {_version('lettucedetect')}",
        "texts": f"ragtruth_claims(folder, {COUNT}) + odd_claims(); window {LENGTH}:"
        f" the first {SHORT_COUNT} with whole sources",
        "columns": "tokens, sum of probabilities, highest, spans, CRC-32 of the spans",
        "whole": _lettuce_rows(small, claims, 4096),
        "cut": _lettuce_rows(small, ragtruth_claims(DATA, SHORT_COUNT, 10_000), LENGTH),
    }


def _lettuce_rows(small: Path, claims: Sequence[Claim], window: int) -> list[Any]:
    package = import_module("lettucedetect.detectors.transformer")
    theirs = package.TransformerDetector(str(small), max_length=window, device="cpu")
    own = open_lettuce(choice_of("lettuce", small, {"length": str(window)}), NO_OPTIONS)
    differences, different, rows = [0.0], 0, list[Any]()
    for claim, ours in zip(claims, own.marked(claims), strict=True):
        places = claim.passages or ((0, len(claim.source)),)
        context = [claim.source[start:end] for start, end in places]
        try:
            tokens = theirs.predict(context, claim.text, claim.question or None, "tokens")[:-1]
            found = theirs.predict(context, claim.text, claim.question or None, "spans")
        except Exception:  # noqa: BLE001
            different += ours is not None
            rows.append(None)
            continue
        if ours is None:
            different += 1
            continue
        chances = [token["prob"] for token in tokens]
        spans = [(span["start"], span["end"]) for span in found]
        differences += [abs(a - b) for a, b in zip(chances, ours.chances, strict=True)]
        different += spans != list(ours.spans())
        rows.append(lettuce_row(chances, spans))
    print(f"window {window}: {len(rows)} texts, {len(differences) - 1:,} tokens, greatest", end=" ")
    print(f"difference {max(differences):.2e}, {different} texts with other spans")
    return rows


def lettuce_row(chances: Sequence[float], spans: Sequence[tuple[int, int]]) -> list[float]:
    """A text of a record: enough to tell other probabilities or spans from these."""
    check = crc32(json.dumps(spans).encode())
    worst = max(chances, default=0.0)
    return [len(chances), round(sum(chances), 4), round(worst, 6), len(spans), check]


def choice_of(detector: str, folder: Path, settings: dict[str, str] | None = None) -> ModelChoice:
    """A folder as the model of a detector."""
    return ModelChoice(detector, str(folder), None, "response", settings or {})


def _compare(theirs: Sequence[float], ours: Sequence[float]) -> None:
    worst = max(abs(a - b) for a, b in zip(theirs, ours, strict=True))
    print(f"{len(theirs)} texts, greatest difference {worst:.2e}")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "of the folder given"


METHODS: dict[str, Callable[[Path], dict[str, Any]]] = {"hhem": hhem, "lettuce": lettuce}


def main() -> None:
    """Records one method."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("method", choices=METHODS)
    parser.add_argument("--code", type=Path, help="folder of a reference that is not installed")
    given = parser.parse_args()
    if given.code:
        sys.path.insert(0, str(given.code))
    torch.set_num_threads(1)
    with TemporaryDirectory() as folder:
        try:
            record = METHODS[given.method](Path(folder))
        except ModuleNotFoundError as error:
            sys.exit(f"the reference of {given.method} is missing: {error}")
    versions = {name: _version(name) for name in ("torch", "transformers")}
    RECORDS.mkdir(exist_ok=True)
    path = RECORDS / f"{given.method}.json"
    made = {"made": date.today().isoformat(), **versions}
    path.write_text(json.dumps({**record, **made}, separators=(",", ":")) + "\n")
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
