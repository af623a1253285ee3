"""How fast `llm-check` and `ccp` are beside the computation of their references, in one run.

    python benchmarks/published_causal.py [FOLDER|FILE.gguf]

LLM-Check's code may not be copied; its way is to give out the attention and the hidden states of
all layers, here for each sentence. CCP is measured beside lm-polygraph, which has to be installed.
Without a model, small ones of the tests are used. Times of the CPU are medians of alternating
rounds, on one core.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from published_causal_reference import Reference
from shared_data import shared_data

from assay.detectors.local import LocalOptions
from assay.detectors.published.causal import CausalReader
from assay.detectors.published.ccp import open_ccp
from assay.detectors.published.kinds import ModelChoice
from assay.detectors.published.llm_check import open_llm_check
from assay.detectors.published.scores import Claim
from assay.models.checkpoints import open_folder
from tests.detectors.published import causal_checkpoints
from tests.detectors.published.causal_texts import response_texts

RESPONSES = 6
ROUNDS = 3


def all_layers(reader: CausalReader, model: Any, claims: list[Claim]) -> None:
    """A pass for each sentence that gives out everything, as the released code of LLM-Check."""
    for claim in claims:
        for passage in reader.passages([claim])[0]:
            with torch.inference_mode():
                out = model(
                    torch.tensor([passage.ids]), output_attentions=True, output_hidden_states=True
                )
            start, end = passage.slices[0]
            weights = out.attentions[len(out.attentions) // 2][0, :, start:end, start:end]
            torch.log(torch.diagonal(weights, dim1=-2, dim2=-1)).mean(dim=1).sum().item()


def medians(*runs: Callable[[], object]) -> list[float]:
    """The median seconds of each, taken in turns."""
    times: list[list[float]] = [[] for _ in runs]
    for _ in range(ROUNDS):
        for own, run in zip(times, runs, strict=True):
            before = time.process_time()
            run()
            own.append(time.process_time() - before)
    return [median(own) for own in times]


def main(given: str) -> None:
    """Prints the times and their ratios."""
    import transformers

    torch.set_num_threads(1)
    texts = response_texts(shared_data("ragtruth").parent)[1 : RESPONSES + 1]
    claims = [
        Claim(text.source, text.response[a:b], text.question, "en", text.response, (a, b))
        for text in texts
        for a, b in text.places
    ]
    with TemporaryDirectory() as folder:
        path = given or str(causal_checkpoints.llama(Path(folder) / "llama"))
        nli = causal_checkpoints.relations(Path(folder) / "nli")
        choice = ModelChoice("llm-check", path, None, "sentence", {})
        ours = open_llm_check(choice, LocalOptions())
        found = open_folder(path)
        model = transformers.AutoModelForCausalLM.from_pretrained(
            found.path,
            attn_implementation="eager",
            dtype=torch.float32,
            **({"gguf_file": found.gguf} if found.gguf else {}),
        )
        whole = [Claim(text.source, text.response, text.question) for text in texts]
        fast, slow, once = medians(
            lambda: ours.score(claims),
            lambda: all_layers(ours.reader, model, claims),
            lambda: all_layers(ours.reader, model, whole),
        )
        print(f"llm-check: {len(claims)} sentences, {fast:.2f} s; {slow:.2f} s: {slow / fast:.1f}x")
        print(f"llm-check: {len(whole)} responses read once, {once:.2f} s: {once / fast:.1f}x")
        if given:
            return
        ccp = open_ccp(
            ModelChoice("ccp", path, None, "sentence", {"nli": str(nli)}), LocalOptions()
        )
        reference = Reference(Path(path), nli)
        fast, slow = medians(
            lambda: _fresh(ccp, claims),
            lambda: [reference.scores("no_context", *reference.forced(text)) for text in texts],
        )
        print(f"ccp: {len(claims)} sentences, {fast:.2f} s; {slow:.2f} s: {slow / fast:.1f}x")


def _fresh(ccp: Any, claims: list[Claim]) -> None:
    ccp.nli.known.clear()
    ccp.score(claims)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
