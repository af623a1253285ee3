"""For the large model: where its heads look, and the heads that point at evidence best.

    python -m training.point_large --prepared prepared-large --trained out/large [--rank 16]

Looks at the sentences of `pointing.npz` with a stored adapter, on a GPU if there is one. Heads are
chosen as `training.point` chooses them; they and the hit rates are written to `heads.json` beside
the adapter.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from training.adapter import AdaptedLayer, LargeNetwork, load_adapter, load_large
from training.network import angles
from training.point import Looked, choose, table
from training.pointing import FIT, MarkedRow, looked_at, read_marked


@torch.no_grad()
def attention_to_source(network: LargeNetwork, row: MarkedRow) -> NDArray[np.float32]:
    """Layers x heads x source tokens: the mean over the tokens of the sentence and its mark."""
    shape, device = network.shape, network.embedding.device
    tokens = torch.from_numpy(row.row.tokens.astype(np.int64)).to(device)
    size, begin = len(tokens), row.row.source.stop + 1
    cos, sin = angles(size, shape, device)
    x = functional.embedding(tokens, network.embedding)
    hidden = torch.full((size, size), -torch.inf, device=device).triu(1)[begin:]
    found = []
    for each in network.layers:
        layer = cast(AdaptedLayer, each)
        q, k, v = (
            part.view(size, -1, shape.head).transpose(0, 1)
            for part in AdaptedLayer.before(layer, x, cos, sin)
        )
        shared = shape.heads // shape.key_heads
        scores = q[:, begin:].float() @ k.repeat_interleave(shared, 0).float().transpose(1, 2)
        weights = (scores * shape.head**-0.5 + hidden).softmax(-1).mean(1)
        found.append(weights[:, row.row.source].cpu().numpy())
        heard: Tensor = functional.scaled_dot_product_attention(
            q[None], k[None], v[None], is_causal=True, enable_gqa=True
        )
        x = AdaptedLayer.after(layer, x, heard[0].transpose(0, 1).reshape(size, shape.width))
    return np.stack(found)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prepared", type=Path, required=True)
    parser.add_argument("--trained", type=Path, required=True)
    parser.add_argument("--rank", type=int, default=16)
    parser.add_argument("--most", type=int, default=0, help="rows of each set; 0: all")
    options = parser.parse_args(arguments)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    network = load_large(options.prepared, options.rank, device)
    load_adapter(network, options.trained)
    looked: dict[str, list[Looked]] = {}
    with torch.autocast("cuda", torch.bfloat16, enabled=device.type == "cuda"):
        for row in read_marked(options.prepared / "pointing.npz"):
            own = looked.setdefault(row.group, [])
            if not options.most or len(own) < options.most:
                own.append(looked_at(row, attention_to_source(network.eval(), row)))
    heads = choose(looked[FIT])
    lines = [line for name, own in looked.items() for line in table(name, own, heads)]
    found = {"heads": [[layer, head, 1.0] for layer, head in heads], "hits": lines}
    path = options.trained / "heads.json"
    path.write_text(json.dumps(found, indent=1), encoding="utf-8")
    print("\n".join([f"heads {heads}", *lines]), flush=True)


if __name__ == "__main__":
    main()
