"""Step 6 for the large model: does the shipped form say what the trained network says?

    python -m training.agree_large --base QWEN.gguf [--model MODEL]
        [--source examples/article.txt] [--response examples/summary.txt]

Reads a text with the large network in numpy, as the package runs it, and with its twin in PyTorch,
in 32 bits on the CPU, and prints how far their logits lie apart. It takes about 10 GB of memory.
"""

import argparse
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch

from assay.core.texts import Source
from assay.detectors.embedded.large.detector import ADAPTER, SHIPPED, LargeModel
from assay.detectors.embedded.reading import SourceReader
from assay.detectors.embedded.tokens import FIRST_WORD, TokenRow
from training.adapter import load_adapter, load_large
from training.arrays import load_arrays, save_arrays
from training.network import Read
from training.qwen import packed_weights, read_file


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--model", type=Path, default=SHIPPED)
    parser.add_argument("--source", type=Path, default=Path("examples/article.txt"))
    parser.add_argument("--response", type=Path, default=Path("examples/summary.txt"))
    options = parser.parse_args(arguments)
    model = LargeModel(options.model, options.base)
    reader = SourceReader(Source(options.source.read_text("utf-8")), model.base.tokenizer)
    sentences = options.response.read_text("utf-8").split("\n")
    row = next(reader.read("", [each for each in sentences if each.strip()])).row
    expected = read_with_twin(model, row)
    found = model.network.forward(row)
    apart = {"marks": np.abs(found.logits - expected.logits.numpy())}
    if found.words is not None:
        apart["words"] = np.abs(found.words - expected.words.numpy())
    for name, values in apart.items():
        print(
            f"{len(row.tokens)} tokens, logits of {len(values)} {name}: at most {values.max():.2g}"
        )


def read_with_twin(model: LargeModel, row: TokenRow) -> Read:
    """What the network in PyTorch says of a row."""
    used = np.unique(row.tokens[row.tokens >= FIRST_WORD])
    table = np.arange(used.max() + 1)
    table[used] = FIRST_WORD + np.arange(len(used))
    adapter = model.folder / ADAPTER
    rank = len(load_arrays(adapter)["layers.0.qkv.narrow.codes"])
    with TemporaryDirectory() as name:
        prepared, file = Path(name), read_file(model.file)
        save_arrays(prepared / "base.npz", packed_weights(file, file.numbers(used.tolist())))
        (prepared / "shape.json").write_text(json.dumps(file.shape), encoding="utf-8")
        shutil.copyfile(adapter, prepared / "adapter-0.npz")
        twin = load_large(prepared, rank, torch.device("cpu"))
        load_adapter(twin, prepared)
    places = np.arange(row.source.stop + 1, len(row.tokens))
    owners = np.repeat(np.arange(len(row.marks)), np.diff(row.marks, prepend=row.source.stop))
    inputs = (table[row.tokens][None], row.marks, places, owners)
    with torch.no_grad():
        read: Read = twin(*map(torch.from_numpy, inputs))
    return read


if __name__ == "__main__":
    main()
