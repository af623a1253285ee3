"""Published detectors beside the code of their authors: seconds on the same checkpoint and pairs.

    python benchmarks/published.py [METHOD ...]

needs Assay and the reference in one environment. Checkpoints have 4 layers of 256; both sides run
with one thread, in turns, and the medians of some rounds are compared.
"""

import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch
import transformers
from published_reference import reference
from shared_data import shared_data

from assay.detectors.local import LocalOptions
from assay.detectors.published.kinds import ModelChoice
from assay.detectors.published.scores import Claim, Scorer
from tests.detectors.published import checkpoints, pair_checkpoints
from tests.detectors.published.text_pairs import Pair, text_pairs

ROUNDS = 3
ROWS = slice(28, 40)  # of RAGTruth: 3 sources, with three sentences and the whole response each
LONGEST = 1000  # characters of a source
Score = Callable[[Sequence[Pair]], Sequence[float]]
CPU = LocalOptions()


def enlarge(folder: Path, kind: str) -> Path:
    """Writes a larger network of the same architecture into the folder of a small one."""
    config = transformers.AutoConfig.from_pretrained(folder)
    sizes = {"hidden_size": 256, "num_hidden_layers": 4, "intermediate_size": 1024}
    if config.model_type == "t5":
        sizes = {"d_model": 256, "d_kv": 64, "d_ff": 1024, "num_layers": 4}
    if hasattr(config, "pooler_hidden_size"):
        sizes["pooler_hidden_size"] = 256
    for name, size in sizes.items():
        setattr(config, name, size)
    checkpoints.save(getattr(transformers, kind)(config), folder)
    return folder


def chosen(folder: Path, **settings: str) -> ModelChoice:
    """A choice of a folder."""
    return ModelChoice("here", str(folder), None, "sentence", settings)


def ours(scorer: Scorer) -> Score:
    """A scorer as a function of pairs."""
    return lambda pairs: [
        float(each.score or 0) for each in scorer.score([Claim(*p) for p in pairs])
    ]


def minicheck(folder: Path, model: str = "roberta-large") -> tuple[Score, Score]:
    """MiniCheck with RoBERTa or DeBERTa."""
    from assay.detectors.published.minicheck import open_minicheck

    if model == "roberta-large":
        path = enlarge(checkpoints.roberta(folder), "RobertaForSequenceClassification")
    elif model == "flan-t5-large":
        path = enlarge(checkpoints.t5(folder), "T5ForConditionalGeneration")
    else:
        path = enlarge(pair_checkpoints.deberta(folder), "DebertaV2ForSequenceClassification")
    inference = reference("minicheck.inference", "github.com/Liyan06/MiniCheck")
    inference.CKPT = str(path)
    theirs = inference.Inferencer(model, None, 16, None)
    theirs.chunk_size = 500 if model == "flan-t5-large" else 400
    return (
        lambda pairs: theirs.fact_check([a for a, _ in pairs], [b for _, b in pairs])[0],
        ours(open_minicheck(chosen(path), CPU)),
    )


def nli(folder: Path) -> tuple[Score, Score]:
    """A pipeline of transformers, in batches of 16, on sources that fit."""
    from assay.detectors.published.nli import open_nli

    path = enlarge(pair_checkpoints.albert(folder), "AlbertForSequenceClassification")
    run = transformers.pipeline("text-classification", model=str(path), top_k=None, batch_size=16)

    def theirs(pairs: Sequence[Pair]) -> list[float]:
        rows = [{"text": source[:400], "text_pair": claim[:200]} for source, claim in pairs]
        said = run(rows, truncation=True)
        return [next(e["score"] for e in each if e["label"] == "SUPPORTS") for each in said]

    score = ours(open_nli(chosen(path), CPU))
    return theirs, lambda pairs: score([(a[:400], b[:200]) for a, b in pairs])


def alignscore(folder: Path) -> tuple[Score, Score]:
    """AlignScore in its usual mode."""
    from assay.detectors.published.alignscore import open_alignscore

    sys.modules.setdefault("spacy", SimpleNamespace(load=lambda name: None))  # type: ignore[arg-type]
    package = reference("alignscore.alignscore", "pip install alignscore-SpeedOfMagic")
    checkpoints.roberta(folder)
    path = pair_checkpoints.heads(enlarge(folder, "RobertaModel"))
    file = str(path / "AlignScore-small.ckpt")
    theirs = package.AlignScore(str(path), 32, "cpu", file, verbose=False)
    return (
        lambda pairs: theirs.score([a for a, _ in pairs], [b for _, b in pairs]),
        ours(open_alignscore(chosen(path), CPU)),
    )


def summac(folder: Path, conv: bool = False) -> tuple[Score, Score]:
    """SummaC zero-shot, or with its convolution."""
    from assay.detectors.published.summac import open_summac

    package = reference("summac.model_summac", "pip install summac")
    transformers.PreTrainedTokenizerBase.batch_encode_plus = (
        lambda self, given, truncation_strategy=None, **more: self(
            [a for a, _ in given], [b for _, b in given], **more
        )
    )
    path = enlarge(pair_checkpoints.albert(folder), "AlbertForSequenceClassification")
    package.model_map["vitc"]["model_card"] = str(path)
    own: dict[str, Any] = {"granularity": "sentence", "device": "cpu", "imager_load_cache": False}
    layer = str(pair_checkpoints.convolution(folder / "conv.bin"))

    def theirs(pairs: Sequence[Pair]) -> list[float]:
        if conv:  # a new one each time, because it keeps what it has seen
            model = package.SummaCConv(["vitc"], "percentile", start_file=layer, **own)
        else:
            model = package.SummaCZS(model_name="vitc", **own)
        found = model.score([a for a, _ in pairs], [b for _, b in pairs])["scores"]
        return list(found if conv else [(each + 1) / 2 for each in found])

    choice = chosen(path, conv=layer) if conv else chosen(path)
    return theirs, ours(open_summac(choice, CPU))


def infuse(folder: Path) -> tuple[Score, Score]:
    """InFusE with both directions."""
    from assay.detectors.published.infuse import open_infuse

    split = reference("nltk.tokenize", "pip install nltk").sent_tokenize
    path = enlarge(pair_checkpoints.albert(folder), "AlbertForSequenceClassification")
    model = reference("infuse", "github.com/HJZnlp/Infuse").INFUSE(str(path))

    def theirs(pairs: Sequence[Pair]) -> list[float]:
        sides = [[split(pair[side]) for pair in pairs] for side in (0, 1)]
        found = model.process_document_summary(*sides, True)
        return [sum(each) / len(each) for each in found]

    return theirs, ours(open_infuse(chosen(path), CPU))


METHODS: dict[str, Callable[[Path], tuple[Score, Score]]] = {
    "minicheck:roberta-large": minicheck,
    "minicheck:deberta-v3-large": lambda folder: minicheck(folder, "deberta-v3-large"),
    "minicheck:flan-t5-large": lambda folder: minicheck(folder, "flan-t5-large"),
    "nli": nli,
    "alignscore": alignscore,
    "summac": summac,
    "summac,conv": lambda folder: summac(folder, conv=True),
    "infuse": infuse,
}


def main(names: Sequence[str]) -> None:
    """Prints seconds of both, their ratio, and how far the scores are apart."""
    torch.set_num_threads(1)
    pairs = text_pairs(shared_data("ragtruth").parent, LONGEST)[ROWS]
    for name in names:
        with TemporaryDirectory() as folder:
            sides = METHODS[name](Path(folder) / "roberta")
            for side in sides:
                side(pairs[:2])  # warm
            seconds: list[list[float]] = [[], []]
            found: list[Sequence[float]] = [[], []]
            for _ in range(ROUNDS):
                for number, side in enumerate(sides):
                    start = time.process_time()
                    found[number] = side(pairs)
                    seconds[number].append(time.process_time() - start)
            theirs, own = map(median, seconds)
            apart = max(abs(a - b) for a, b in zip(*found, strict=True))
        said = {"reference_s": round(theirs, 2), "ours_s": round(own, 2), "apart": f"{apart:.1e}"}
        print(f"{name:28} {theirs / own:5.2f} times as fast", json.dumps(said), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or list(METHODS))
