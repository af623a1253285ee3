"""The large network in PyTorch: a frozen base with a low-rank adapter on every matrix, and a head.

The base is of the Qwen2 family: like the small network's, with biases on queries, keys and values.
Trained are the adapter, the norms and the head; only they are stored.
"""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from assay.detectors.embedded.packing import BITS, GROUP, pack
from training.arrays import Arrays, load_arrays, name_packed, read_packed, save_arrays
from training.network import Network, Shape, turn
from training.qwen import unpacked

EPSILON = 1e-6
STRENGTH = 2.0  # by which the adapter's answer counts while it is trained
WORD_HEAD = ("words", "words_bias")
PART_BYTES = 15 << 20  # the most that one stored file holds


class Adapted(nn.Module):
    """A frozen matrix, and the two narrow ones whose product is added to it."""

    weight: Tensor

    def __init__(self, weight: Tensor, rank: int) -> None:
        super().__init__()
        outputs, inputs = weight.shape
        self.register_buffer("weight", weight, persistent=False)
        self.narrow = nn.Parameter(torch.randn(rank, inputs) / (3 * inputs) ** 0.5)
        self.wide = nn.Parameter(torch.zeros(outputs, rank))

    def forward(self, x: Tensor) -> Tensor:
        """The product with the sum of both."""
        added = functional.linear(functional.linear(x, self.narrow) * STRENGTH, self.wide)
        return functional.linear(x, self.weight) + added


class LayerWeights(NamedTuple):
    """The base's weights of one layer."""

    attention_norm: Tensor
    inner_norm: Tensor
    qkv: Tensor
    qkv_bias: Tensor
    out: Tensor
    gate_up: Tensor
    down: Tensor


class AdaptedLayer(nn.Module):
    """Attention and the gated part behind it, with the small network's interface."""

    qkv_bias: Tensor

    def __init__(self, shape: Shape, weights: LayerWeights, rank: int) -> None:
        super().__init__()
        self.shape = shape
        self.attention_norm = nn.Parameter(weights.attention_norm)
        self.inner_norm = nn.Parameter(weights.inner_norm)
        self.register_buffer("qkv_bias", weights.qkv_bias, persistent=False)
        self.qkv = Adapted(weights.qkv, rank)
        self.out = Adapted(weights.out, rank)
        self.gate_up = Adapted(weights.gate_up, rank)
        self.down = Adapted(weights.down, rank)

    def before(self, x: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values of flat tokens, turned by their positions."""
        shape = self.shape
        qkv = self.qkv(norm(x, self.attention_norm)) + self.qkv_bias
        keys = shape.key_heads * shape.head
        q, k, v = torch.split(qkv, [shape.width, keys, keys], dim=-1)
        return (
            turn(q.contiguous(), cos, sin, shape.head),
            turn(k.contiguous(), cos, sin, shape.head),
            v.contiguous(),
        )

    def after(self, x: Tensor, heard: Tensor) -> Tensor:
        """What comes after attention."""
        x = x + self.out(heard)
        gate, up = self.gate_up(norm(x, self.inner_norm)).chunk(2, dim=-1)
        return x + cast(Tensor, self.down(functional.silu(gate) * up))


def norm(x: Tensor, weight: Tensor) -> Tensor:
    """Root-mean-square normalisation with the base's epsilon."""
    wide = x.float()
    return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + EPSILON) * weight).to(x.dtype)


class LargeNetwork(Network):
    """Three logits at each mark, as the small network gives them, from the large base."""

    def __init__(self, shape: Shape, embedding: Tensor, layers: list[AdaptedLayer]) -> None:
        super().__init__(replace(shape, layers=0), 0)
        self.shape = shape
        del self.embedding
        self.register_buffer("embedding", embedding, persistent=False)
        self.layers = nn.ModuleList(layers)
        self.before = cast(Any, AdaptedLayer.before)
        self.after = cast(Any, AdaptedLayer.after)

    def compile_layers(self) -> None:
        """One compiled form for all layers."""
        self.before = torch.compile(cast(Any, AdaptedLayer.before), dynamic=False)
        self.after = torch.compile(cast(Any, AdaptedLayer.after), dynamic=False)


def load_large(prepared: Path, rank: int, device: torch.device) -> LargeNetwork:
    """The base of a prepared folder with a new adapter; on a GPU it is kept in 16 bits."""
    shape = read_shape(prepared)
    kept = torch.bfloat16 if device.type == "cuda" else torch.float32
    weights = unpacked(load_arrays(prepared / "base.npz"))

    def tensor(*names: str) -> Tensor:
        joined = torch.cat([torch.from_numpy(weights.pop(name)) for name in names])
        is_norm = names[0].endswith("_norm.weight")
        return joined.to(device, torch.float32 if is_norm else kept)

    layers = []
    for number in range(shape.layers):
        place = f"blk.{number}"
        attention = [f"{place}.attn_{name}" for name in "qkv"]
        base = LayerWeights(
            tensor(f"{place}.attn_norm.weight"),
            tensor(f"{place}.ffn_norm.weight"),
            tensor(*(f"{name}.weight" for name in attention)),
            tensor(*(f"{name}.bias" for name in attention)),
            tensor(f"{place}.attn_output.weight"),
            tensor(f"{place}.ffn_gate.weight", f"{place}.ffn_up.weight"),
            tensor(f"{place}.ffn_down.weight"),
        )
        layers.append(AdaptedLayer(shape, base, rank))
    network = LargeNetwork(shape, tensor("token_embd.weight"), layers)
    last_norm = tensor("output_norm.weight")
    network.last_norm.data = last_norm / last_norm.mean()  # the head is new and learns its own size
    return network.to(device)


def read_shape(prepared: Path) -> Shape:
    """The size of the base."""
    return Shape(**json.loads((prepared / "shape.json").read_text(encoding="utf-8")))


def save_adapter(network: LargeNetwork, out: Path) -> None:
    """What was trained, in 16 bits, in files that are small enough to travel.

    The adapter's strength is already in its wide matrices.
    """
    arrays: Arrays = {}
    for name, parameter in network.named_parameters():
        strength = STRENGTH if name.endswith(".wide") else 1.0
        arrays[name] = (parameter.detach().float() * strength).cpu().numpy().astype(np.float16)
    save_parts(arrays, out)


def save_parts(arrays: Arrays, out: Path) -> None:
    """Writes the arrays of an adapter in as many files as they need."""
    parts: list[Arrays] = [{}]
    size = 0
    for name, array in arrays.items():
        if size + array.nbytes > PART_BYTES:
            parts.append({})
            size = 0
        parts[-1][name] = array
        size += array.nbytes
    for number, part in enumerate(parts):
        save_arrays(out / f"adapter-{number}.npz", part)


def read_adapter(folder: Path) -> Arrays:
    """A stored adapter in 32 bits; its narrow and wide matrices may be packed in fewer."""
    stored: Arrays = {}
    for path in sorted(folder.glob("adapter-*.npz")):
        stored |= load_arrays(path)
    names = dict.fromkeys(name.removesuffix(".codes") for name in stored if name != "bits")
    found = {}
    for name in (each for each in names if not each.endswith((".scale", ".low"))):
        if name in stored:
            found[name] = stored[name].astype(np.float32)
        else:
            matrix = read_packed(stored, name).unpack()
            found[name] = matrix.T.copy() if name.endswith(".wide") else matrix
    return found


def packed_adapter(arrays: Arrays, bits: int = BITS) -> Arrays:
    """An adapter with its narrow and wide matrices in few bits, which are named where not four.

    Groups of weights run along the inputs of narrow matrices and the outputs of wide ones.
    """
    found: Arrays = {} if bits == BITS else {"bits": np.array([bits], dtype=np.uint8)}
    for name, array in arrays.items():
        if name.endswith((".narrow", ".wide")):
            matrix = np.ascontiguousarray(array.T if name.endswith(".wide") else array)
            found |= name_packed(name, pack(matrix, math.gcd(matrix.shape[1], GROUP), bits))
        else:
            found[name] = array.astype(np.float16)
    return found


def load_adapter(network: LargeNetwork, folder: Path) -> None:
    """Puts a stored adapter of the same rank in place of the network's.

    One that was stored before there was a word head gets a new one.
    """
    stored = read_adapter(folder)
    for name, parameter in network.named_parameters():
        strength = STRENGTH if name.endswith(".wide") else 1.0
        if name in stored:
            parameter.data = (torch.from_numpy(stored[name]) / strength).to(parameter.device)
        elif name in WORD_HEAD:
            parameter.data = torch.zeros_like(parameter)
        else:
            raise KeyError(name)
