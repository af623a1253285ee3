"""Records what lm-polygraph says of small checkpoints, for the tests of `ccp`.

    python benchmarks/published_causal_reference.py

runs where lm-polygraph is installed (it need not be where Assay is; packages that it imports but
does not need for this may be absent), and writes `tests/detectors/published/reference/ccp.json`.
The code of LLM-Check may not be copied by its licence: its formulas are computed in its tests.
"""

import json
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from shared_data import shared_data

from tests.detectors.published import causal_checkpoints
from tests.detectors.published.causal_texts import CHOICE, ResponseText, response_texts

FOLDER = Path(__file__).resolve().parents[1] / "tests" / "detectors" / "published" / "reference"
ALTERNATIVES = 10
WITH_CLAIM = 60  # claims that are also compared after what comes before each word
GREEDY = 8  # prompts that the model continues itself
# Packages that lm-polygraph imports for other methods.
UNUSED = ("absl", "bert_score", "boostedprob", "omegaconf", "rouge_score", "sacrebleu", "spacy")


class _Unused(MetaPathFinder, Loader):
    """Finds stand-ins for packages that are imported and not used."""

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        known = name.partition(".")[0] in UNUSED
        return ModuleSpec(name, self, is_package=True) if known else None

    def create_module(self, spec: ModuleSpec) -> Any:
        made = MagicMock(__path__=[], __spec__=spec)
        made.__name__ = spec.name
        return made

    def exec_module(self, module: ModuleType) -> None:
        pass


class Reference:
    """The estimator and the calculators of lm-polygraph, with a causal and an NLI model."""

    def __init__(self, causal: Path, nli: Path) -> None:
        sys.meta_path.append(_Unused())
        try:
            calculators: Any = import_module(
                "lm_polygraph.stat_calculators.greedy_alternatives_nli"
            )
            greedy: Any = import_module("lm_polygraph.stat_calculators.greedy_probs")
            estimator: Any = import_module("lm_polygraph.estimators")
        except ImportError as error:
            sys.exit(f"{error}: pip install lm-polygraph==0.7.0")
        import torch

        transformers: Any = import_module("transformers")
        self.torch = torch
        self.model = transformers.AutoModelForCausalLM.from_pretrained(causal).eval()
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(causal)
        classifier = SimpleNamespace(
            deberta=transformers.AutoModelForSequenceClassification.from_pretrained(nli).eval(),
            deberta_tokenizer=transformers.AutoTokenizer.from_pretrained(nli),
            batch_size=10,
            device="cpu",
        )
        self.calculators = {
            "no_context": calculators.GreedyAlternativesNLICalculator(classifier),
            "fact_pref": calculators.GreedyAlternativesFactPrefNLICalculator(classifier),
        }
        never = {"is_stopword": lambda word: False}  # so it says of every number of a token
        kind = estimator.ClaimConditionedProbabilityClaim
        self.estimators = {name: kind(name, **never) for name in self.calculators}
        self.greedy = greedy.GreedyProbsCalculator(output_attentions=False)

    def forced(self, text: ResponseText) -> tuple[dict[str, Any], list[list[int]]]:
        """The alternatives at the tokens of a response, and the tokens of its sentences."""
        words = (
            f"{text.source}\n\nAnswer the following question. Use only the text above.\n\n"
            f"{text.question}"
            if text.question
            else f"Summarize the following text. Use only what it says.\n\n{text.source}"
        )
        before = f"<|user|> {words.strip()}</s>\n<|assistant|> "
        whole = before + text.response.strip()
        encoded = self.tokenizer(whole, return_offsets_mapping=True, add_special_tokens=False)
        ids, offsets = encoded["input_ids"], encoded["offset_mapping"]
        first = next(number for number, place in enumerate(offsets) if place[1] > len(before))
        with self.torch.no_grad():
            logits = self.model(self.torch.tensor([ids])).logits[0].numpy()
        alternatives = []
        for place in range(first, len(ids)):
            here = logits[place - 1]
            best = [int(each) for each in (-here).argsort()[:ALTERNATIVES]]
            others = [each for each in best if each != ids[place]][: ALTERNATIVES - 1]
            alternatives.append([(each, float(here[each])) for each in (ids[place], *others)])
        shift = len(before) - (len(text.response) - len(text.response.lstrip()))
        sentences = [
            [
                number - first
                for number, place in enumerate(offsets)
                if place[0] < end + shift and place[1] > start + shift
            ]
            for start, end in text.places
        ]
        found = {"greedy_tokens": [ids[first:]], "greedy_tokens_alternatives": [alternatives]}
        return found, sentences

    def generated(self, prompt: str) -> tuple[list[int], dict[str, Any]]:
        """The tokens of a prompt, and what lm-polygraph says of the model's own continuation."""
        encoded = self.tokenizer([prompt], return_tensors="pt", add_special_tokens=False)
        model = SimpleNamespace(
            tokenize=lambda _: dict(encoded),
            device=lambda: "cpu",
            generate=lambda **given: self.model.generate(**given, do_sample=False, pad_token_id=0),
            generation_parameters=SimpleNamespace(allow_newlines=True),
            tokenizer=self.tokenizer,
            model_type="CausalLM",
            model=self.model,
        )
        return encoded["input_ids"][0].tolist(), self.greedy({}, [prompt], model, 30)

    def scores(self, kind: str, found: dict[str, Any], claims: Sequence[list[int]]) -> list[float]:
        """The claim-conditioned probability of claims, by the numbers of their tokens."""
        own = {"claims": [[SimpleNamespace(aligned_token_ids=each) for each in claims]]}
        model = SimpleNamespace(tokenizer=self.tokenizer)
        stats = {**found, **own}
        stats |= self.calculators[kind](stats, None, model)
        return [-float(each) for each in self.estimators[kind](stats)[0]]


def main() -> None:
    """Writes the record."""
    texts = response_texts(shared_data("ragtruth").parent)
    with TemporaryDirectory() as folder:
        causal = causal_checkpoints.llama(Path(folder) / "llama")
        model = Reference(causal, causal_checkpoints.relations(Path(folder) / "nli"))
        found: dict[str, list[float]] = {"word": [], "claim": []}
        for text in texts:
            stats, claims = model.forced(text)
            found["word"] += model.scores("no_context", stats, claims)
            if len(found["claim"]) < WITH_CLAIM:
                found["claim"] += model.scores("fact_pref", stats, claims)
        greedy = []
        for text in texts[:GREEDY]:
            prompt, stats = model.generated(f"<|user|> {text.source[:300]}</s>\n<|assistant|> ")
            tokens = stats["greedy_tokens"][0]
            score = model.scores("no_context", stats, [list(range(len(tokens)))])[0]
            greedy.append({"prompt": prompt, "tokens": tokens, "score": score})
    record = {
        "reference": f"lm-polygraph {version('lm-polygraph')}",
        "versions": {each: version(each) for each in ("torch", "transformers", "tokenizers")},
        "texts": CHOICE,
        "found": {name: [float(f"{each:.6g}") for each in own] for name, own in found.items()},
        "greedy": greedy,
    }
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "ccp.json").write_text(json.dumps(record) + "\n", encoding="utf-8")
    print({name: len(own) for name, own in found.items()}, len(greedy))


if __name__ == "__main__":
    main()
