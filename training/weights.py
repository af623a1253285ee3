"""Weights of the network: from the prepared base model, and into the shipped form."""

from collections.abc import Sequence
from pathlib import Path

import torch

from assay.detectors.embedded.packing import pack
from training.arrays import Arrays, load_arrays, name_packed, read_packed, save_arrays
from training.network import Network, Shape

HEAD = 64  # the width of a head
PARTS = 6  # files that the weights are written to, each small enough to travel


def load_network(prepared: Path, kept: Sequence[int]) -> Network:
    """The kept layers of the base model under a new head."""
    base = load_arrays(prepared / "base-embedding.npz")
    table = read_packed(base, "embedding").unpack()
    network = Network(read_shape(prepared, len(kept)), len(table))
    network.embedding = torch.from_numpy(table)
    network.last_norm.data = torch.from_numpy(base["last_norm"])
    for path in sorted(prepared.glob("base-[0-9]*.npz")):
        arrays = load_arrays(path)
        held = {int(name.split(".")[0]) for name in arrays}
        for place, number in enumerate(kept):
            if number in held:
                _load_layer(network.layers[place], number, arrays)
    return network


def read_shape(prepared: Path, layers: int) -> Shape:
    """The size of the base model, with another number of layers."""
    arrays = load_arrays(prepared / "base-00.npz")
    width, half = arrays["0.down.codes"].shape
    outputs = arrays["0.qkv.codes"].shape[0]
    heads = width // HEAD
    return Shape(layers, width, 2 * half, heads, (outputs // HEAD - heads) // 2)


def _load_layer(layer: torch.nn.Module, number: int, arrays: Arrays) -> None:
    for name, parameter in layer.named_parameters():
        key = f"{number}.{name}"
        values = arrays[key] if parameter.ndim == 1 else read_packed(arrays, key).unpack()
        parameter.data = torch.from_numpy(values)


def export(network: Network, out: Path) -> None:
    """The weights in their shipped form."""
    arrays: Arrays = {}
    for name, parameter in network.named_parameters():
        values = parameter.detach().float().cpu().numpy()
        key = name.removeprefix("layers.")
        if key in ("head", "words") or values.ndim == 1:
            arrays[key] = values
        else:
            arrays |= name_packed(key, pack(values))
    names = sorted(arrays, key=lambda name: arrays[name].nbytes, reverse=True)
    for part in range(PARTS):
        chosen = {name: arrays[name] for name in names[part::PARTS]}
        save_arrays(out / f"weights-{part}.npz", chosen)
