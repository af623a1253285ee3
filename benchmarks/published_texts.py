"""Speed of published detectors beside their references, on the same small checkpoint and texts.

Both are measured in turn, round after round, and ratios are taken within a round. Networks are
small, so that much of the time goes to what stands around them.

Run: python benchmarks/published_texts.py METHOD [--code FOLDER] [--rounds 5] [--texts 48]
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

import torch  # noqa: E402
from published_texts_reference import DATA, choice_of  # noqa: E402
from safetensors.torch import load_file  # noqa: E402

from assay.detectors.local import NO_OPTIONS  # noqa: E402
from assay.detectors.published.hhem import open_hhem  # noqa: E402
from assay.detectors.published.lettuce import open_lettuce  # noqa: E402
from assay.detectors.published.scores import Claim  # noqa: E402
from assay.detectors.published.trueteacher import open_t5  # noqa: E402
from tests.detectors.published import checkpoints  # noqa: E402
from tests.detectors.published.pairs import first_sentences, ragtruth_claims  # noqa: E402

Sides = tuple[Callable[[], object], Callable[[], object]]


def hhem(folder: Path, claims: Sequence[Claim]) -> Sides:
    """Ours, and the released code with eight pairs at a time in the order given."""
    code = import_module("modeling_hhem_v2")
    small = checkpoints.hhem(folder)
    config = code.HHEMv2Config()
    config.foundation = str(small / "foundation")
    model = code.HHEMv2ForSequenceClassification(config)
    model.load_state_dict(load_file(small / "model.safetensors"), strict=False)
    own, claims = open_hhem(choice_of("hhem", small), NO_OPTIONS), first_sentences(claims)
    pairs = [(claim.source, claim.text) for claim in claims]

    def theirs() -> None:
        for start in range(0, len(pairs), 8):
            model.predict(pairs[start : start + 8])

    return lambda: own.score(claims), theirs


def lettuce(folder: Path, claims: Sequence[Claim]) -> Sides:
    """Ours, and the package, which takes one text at a time."""
    package: Any = import_module("lettucedetect.detectors.transformer")
    small = checkpoints.modernbert(folder)
    detector = package.TransformerDetector(str(small), device="cpu")
    own = open_lettuce(choice_of("lettuce", small), NO_OPTIONS)

    def theirs() -> None:
        for claim in claims:
            places = claim.passages or ((0, len(claim.source)),)
            context = [claim.source[start:end] for start, end in places]
            detector.predict(context, claim.text, claim.question or None, "spans")

    return lambda: own.score(claims), theirs


def trueteacher(folder: Path, claims: Sequence[Claim]) -> Sides:
    """Ours, and a pass over each text alone, as the page of the model shows it."""
    small, claims = checkpoints.answering_t5(folder), first_sentences(claims)
    own = open_t5(choice_of("trueteacher", small), NO_OPTIONS)
    model, tokenizer = own.network.model, own.network.tokenizer

    def theirs() -> None:
        for claim in claims:
            text = f"premise: {claim.source} hypothesis: {claim.text}"
            ids = tokenizer(text, truncation=True, max_length=2048, return_tensors="pt").input_ids
            with torch.no_grad():
                logits = model(input_ids=ids, decoder_input_ids=torch.tensor([[0]])).logits
            float(torch.softmax(logits[0], dim=-1)[0, own.one])

    return lambda: own.score(claims), theirs


METHODS = {"hhem": hhem, "lettuce": lettuce, "trueteacher": trueteacher}


def _seconds(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def main() -> None:
    """Measures one method."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("method", choices=METHODS)
    parser.add_argument("--code", type=Path, help="folder of a reference that is not installed")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--texts", type=int, default=48)
    given = parser.parse_args()
    if given.code:
        sys.path.insert(0, str(given.code))
    torch.set_num_threads(1)
    with TemporaryDirectory() as folder:
        claims = ragtruth_claims(DATA, given.texts)
        ours, theirs = METHODS[given.method](Path(folder), claims)
        rounds = [(_seconds(ours), _seconds(theirs)) for _ in range(given.rounds + 1)][1:]
    print(f"{given.method}, {given.texts} texts, median of {given.rounds} rounds, CPU seconds:")
    print(f"  ours      {median(own for own, _ in rounds):.2f}")
    print(f"  reference {median(other for _, other in rounds):.2f}")
    print(f"  ratio     {median(other / own for own, other in rounds):.2f} (above 1: ours faster)")


if __name__ == "__main__":
    main()
