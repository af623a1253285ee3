"""Records what the published code says of small checkpoints, for the tests of our detectors.

    python benchmarks/published_reference.py METHOD [METHOD ...]

runs where the reference is installed (it need not be where Assay is), and writes
`tests/detectors/published/reference/METHOD.json`. Repositories that are no packages are looked for
in the folders of PYTHONPATH. Punkt's data has to be where NLTK finds it.
"""

import json
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any
from zlib import crc32

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from shared_data import shared_data

from tests.detectors.published import checkpoints, pair_checkpoints
from tests.detectors.published.text_pairs import CHOICE, Pair, text_pairs

FOLDER = Path(__file__).resolve().parents[1] / "tests" / "detectors" / "published" / "reference"
Scores = dict[str, list[float | None]]


def minicheck(pairs: Sequence[Pair], folder: Path) -> Scores:
    """Liyan06/MiniCheck, commit e9fd26e, with a folder instead of its names on the hub."""
    inference = reference("minicheck.inference", "github.com/Liyan06/MiniCheck")
    made = {
        "roberta-large": checkpoints.roberta(folder / "roberta"),
        "deberta-v3-large": pair_checkpoints.deberta(folder / "deberta"),
        "flan-t5-large": checkpoints.t5(folder / "t5"),
    }
    found: Scores = {}
    for name, path in made.items():
        inference.CKPT = str(path)
        model = inference.Inferencer(name, None, 16, None)
        model.chunk_size = 500 if name == "flan-t5-large" else 400
        found[name] = [
            model.fact_check([source], [claim])[0][0] if source.strip() else None
            for source, claim in pairs
        ]
    return found


def nli(pairs: Sequence[Pair], folder: Path) -> Scores:
    """The text-classification pipeline of transformers, on sources that fit."""
    pipeline = reference("transformers").pipeline
    labels = {"roberta": ("contradiction", "neutral", "entailment"), "albert": None}
    found: Scores = {}
    for name, own in labels.items():
        if own:
            path = checkpoints.roberta(folder / name, 3, **pair_checkpoints.names_of(own))
        else:
            path = pair_checkpoints.albert(folder / name)
        run = pipeline("text-classification", model=str(path), top_k=None)
        size = run.tokenizer
        found[name] = [
            _entailed(run({"text": source, "text_pair": claim}))
            if len(size(source, claim)["input_ids"]) <= 512
            else None
            for source, claim in pairs
        ]
    return found


def _entailed(said: list[dict[str, Any]]) -> float:
    wanted = ("entailment", "SUPPORTS")
    return float(next(each["score"] for each in said if each["label"] in wanted))


def alignscore(pairs: Sequence[Pair], folder: Path) -> Scores:
    """Package alignscore-SpeedOfMagic, the released repository; spaCy is not needed for these."""
    sys.modules.setdefault("spacy", SimpleNamespace(load=lambda name: None))  # type: ignore[arg-type]
    aligner = reference("alignscore.alignscore", "pip install alignscore-SpeedOfMagic").AlignScore
    path = pair_checkpoints.alignscore(folder / "roberta")
    model = aligner(
        model=str(path),
        batch_size=32,
        device="cpu",
        ckpt_path=str(path / "AlignScore-small.ckpt"),
        verbose=False,
    )
    found: Scores = {}
    for mode in ("nli_sp", "nli", "bin_sp", "bin", "reg_sp", "reg"):
        model.model.nlg_eval_mode = mode
        found[mode] = [model.score([source], [claim])[0] for source, claim in pairs]
    return found


def summac(pairs: Sequence[Pair], folder: Path) -> Scores:
    """Package summac; transformers 5 has no `batch_encode_plus`, so that it is given one."""
    package = reference("summac.model_summac", "pip install summac")
    base = reference("transformers").PreTrainedTokenizerBase
    base.batch_encode_plus = lambda self, given, truncation_strategy=None, **more: self(
        [a for a, _ in given], [b for _, b in given], **more
    )
    albert = str(pair_checkpoints.albert(folder / "albert"))
    roberta = str(checkpoints.roberta(folder / "roberta", 3))
    package.model_map["vitc"]["model_card"] = albert
    package.model_map["mnli"]["model_card"] = roberta
    own: dict[str, Any] = {"granularity": "sentence", "device": "cpu", "imager_load_cache": False}
    start = str(pair_checkpoints.convolution(folder / "conv.bin"))
    even = str(pair_checkpoints.convolution(folder / "even.bin", 50))
    models = {
        "zs vitc": package.SummaCZS(model_name="vitc", **own),
        "zs mnli": package.SummaCZS(model_name="mnli", **own),
        "conv vitc": package.SummaCConv(["vitc"], "percentile", start_file=start, **own),
        "conv even50": package.SummaCConv(["vitc"], "even50", start_file=even, **own),
    }
    sources, claims = ([pair[side] for pair in pairs] for side in (0, 1))
    return {name: model.score(sources, claims)["scores"] for name, model in models.items()}


def infuse(pairs: Sequence[Pair], folder: Path) -> Scores:
    """HJZnlp/Infuse, commit ce564ee, in single precision, with sentences of Punkt."""
    model = reference("infuse", "github.com/HJZnlp/Infuse").INFUSE(
        str(pair_checkpoints.albert(folder / "albert"))
    )
    split = reference("nltk.tokenize", "pip install nltk").sent_tokenize
    found: Scores = {"reversed": [], "forward": []}
    for source, claim in pairs:
        sentences, claims = split(source), split(claim)
        for name, each in found.items():
            scores = model.process_document_summary([sentences], [claims], name == "reversed")[0]
            each.append(sum(scores) / len(scores) if sentences else None)
    return found


def sentences(pairs: Sequence[Pair], _: Path) -> dict[str, list[int]]:
    """Sentences by NLTK's Punkt model, of texts and of the lines of sources, by their checksums."""
    tokenizer = reference("nltk.tokenize", "pip install nltk").PunktTokenizer("english")
    texts = {text for pair in pairs for text in pair}
    texts |= {line for source, _ in pairs for line in source.split("\n")}
    texts |= {source[:longest] for source, _ in pairs for longest in CUT.values()}
    return {
        f"{crc32(text.encode()):08x}": [
            place for span in tokenizer.span_tokenize(text) for place in span
        ]
        for text in sorted(texts)
    }


def reference(module: str, origin: str = "") -> Any:
    """A module of a reference; ends with a message where it is not here."""
    try:
        return import_module(module)
    except ImportError as error:
        sys.exit(
            f"{module} cannot be imported: {error}{f'; it comes from {origin}' if origin else ''}"
        )


METHODS: dict[str, tuple[Callable[[Sequence[Pair], Path], Any], str]] = {
    "minicheck": (minicheck, "Liyan06/MiniCheck, commit e9fd26e"),
    "nli": (nli, "transformers.pipeline('text-classification')"),
    "alignscore": (alignscore, "alignscore-SpeedOfMagic 0.1.4"),
    "summac": (summac, "summac 0.0.4"),
    "infuse": (infuse, "HJZnlp/Infuse, commit ce564ee"),
    "sentences": (sentences, "nltk PunktTokenizer('english')"),
}
# Characters after which sources are cut, so that they fit or that a reference comes to an end.
CUT = {"nli": 400, "summac": 2000, "infuse": 1200}


def main(names: Sequence[str]) -> None:
    """Writes a record for each method."""
    for name in names:
        if name not in METHODS:
            sys.exit(f"there is no method {name}; there are {', '.join(METHODS)}")
        method, origin = METHODS[name]
        pairs = text_pairs(shared_data("ragtruth").parent, CUT.get(name))
        with TemporaryDirectory() as folder:
            found = method(pairs, Path(folder))
        packages = ("torch", "transformers", "tokenizers", "nltk")
        record = {
            "reference": origin,
            "versions": {each: version(each) for each in packages},
            "pairs": CHOICE,
            "cut": CUT.get(name),
            "found": _rounded(found),
        }
        FOLDER.mkdir(exist_ok=True)
        text = json.dumps(record, indent=1)
        (FOLDER / f"{name}.json").write_text(_joined(text) + "\n", encoding="utf-8")
        print(f"{name}: {len(pairs)} pairs")


def _rounded(found: dict[str, Any]) -> dict[str, Any]:
    return {
        name: [
            each if each is None or isinstance(each, int) else round(float(each), 6) for each in own
        ]
        for name, own in found.items()
    }


def _joined(text: str) -> str:
    """JSON with each list on one line."""
    lines: list[str] = []
    is_list = False
    for line in text.splitlines():
        if is_list:
            lines[-1] += line.strip()
            is_list = not line.strip().startswith("]")
        else:
            lines.append(line)
            is_list = line.endswith("[")
    return "\n".join(lines)


if __name__ == "__main__":
    main(sys.argv[1:] or list(METHODS))
