"""The network in PyTorch: the first layers of a llama, and a head that reads the marks.

All but attention works on a flat list of tokens, so one compiled form serves rows of every length.
"""

from dataclasses import dataclass
from typing import NamedTuple, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from assay.detectors.embedded.packing import GROUP, LEVELS

EPSILON = 1e-5


@dataclass(frozen=True)
class Shape:
    """The size of a network."""

    layers: int
    width: int = 576
    inner: int = 1536
    heads: int = 9
    key_heads: int = 3
    turns: float = 100_000.0  # the base of the rotary embedding

    @property
    def head(self) -> int:
        """The width of one head."""
        return self.width // self.heads


def rounded(weight: Tensor) -> Tensor:
    """The weight as `assay.detectors.embedded.packing` will store it; gradients pass unchanged."""
    with torch.no_grad():
        grouped = weight.float().view(weight.shape[0], -1, GROUP)
        low = grouped.amin(2, keepdim=True).half().float()
        scale = ((grouped.amax(2, keepdim=True) - low) / LEVELS).half().float()
        step = torch.where(scale == 0, torch.ones_like(scale), scale)
        codes = ((grouped - low) / step).round().clamp(0, LEVELS)
        stored = (low + codes * scale).view_as(weight)
    return weight + (stored - weight).detach()


class Layer(nn.Module):
    """Attention and the gated part behind it; matrices are named as in the shipped file."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        keys = shape.key_heads * shape.head
        self.attention_norm = nn.Parameter(torch.ones(shape.width))
        self.inner_norm = nn.Parameter(torch.ones(shape.width))
        self.qkv = nn.Parameter(torch.randn(shape.width + 2 * keys, shape.width) * 0.02)
        self.out = nn.Parameter(torch.randn(shape.width, shape.width) * 0.02)
        self.gate_up = nn.Parameter(torch.randn(2 * shape.inner, shape.width) * 0.02)
        self.down = nn.Parameter(torch.randn(shape.width, shape.inner) * 0.02)
        self.rounding = False

    def _matrix(self, weight: Tensor) -> Tensor:
        return rounded(weight) if self.rounding else weight

    def before(self, x: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values of flat tokens, turned by their positions."""
        shape = self.shape
        qkv = functional.linear(norm(x, self.attention_norm), self._matrix(self.qkv))
        keys = shape.key_heads * shape.head
        q, k, v = torch.split(qkv, [shape.width, keys, keys], dim=-1)
        return turn(q, cos, sin, shape.head), turn(k, cos, sin, shape.head), v

    def after(self, x: Tensor, heard: Tensor) -> Tensor:
        """What comes after attention."""
        x = x + functional.linear(heard, self._matrix(self.out))
        gate, up = functional.linear(norm(x, self.inner_norm), self._matrix(self.gate_up)).chunk(
            2, dim=-1
        )
        return x + functional.linear(functional.silu(gate) * up, self._matrix(self.down))


def norm(x: Tensor, weight: Tensor) -> Tensor:
    """Root-mean-square normalisation."""
    wide = x.float()
    return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + EPSILON) * weight).to(x.dtype)


def turn(x: Tensor, cos: Tensor, sin: Tensor, head: int) -> Tensor:
    """Rotary embedding of the heads of flat tokens."""
    parts = x.view(x.shape[0], -1, head)
    first, second = parts.float().chunk(2, dim=-1)
    cos, sin = cos[:, None], sin[:, None]
    turned = torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)
    return turned.to(x.dtype).view_as(x)


class Read(NamedTuple):
    """What is read of some rows: three logits of each mark, and one of each word.

    A word's logit says that the source does not bear it out.
    """

    logits: Tensor
    words: Tensor


class Network(nn.Module):
    """Three logits (entailed, neutral, contradicted) at each mark."""

    embedding: Tensor

    def __init__(self, shape: Shape, vocabulary: int) -> None:
        super().__init__()
        self.shape = shape
        self.register_buffer("embedding", torch.randn(vocabulary, shape.width) * 0.02)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.last_norm = nn.Parameter(torch.ones(shape.width))
        self.query = nn.Parameter(torch.randn(shape.width) * 0.01)
        self.head = nn.Parameter(torch.randn(3, 2 * shape.width) * 0.01)
        self.bias = nn.Parameter(torch.zeros(3))
        self.words = nn.Parameter(torch.zeros(3, shape.width))
        self.words_bias = nn.Parameter(torch.zeros(1))
        self.before, self.after = Layer.before, Layer.after

    def each_layer(self) -> list[Layer]:
        """The layers from first to last."""
        return [cast(Layer, layer) for layer in self.layers]

    def compile_layers(self) -> None:
        """One compiled form for all layers; it rounds to 16 bits where `rounded` says so."""
        casts = {"emulate_precision_casts": True}
        self.before = torch.compile(Layer.before, dynamic=False, options={**casts})
        self.after = torch.compile(Layer.after, dynamic=False, options={**casts})

    def round_weights(self, on: bool) -> None:
        """Whether the matrices are rounded on their way into each product."""
        for layer in self.each_layer():
            layer.rounding = on

    def hidden(self, tokens: Tensor) -> Tensor:
        """The last layer's output for rows of tokens of one length."""
        rows, length = tokens.shape
        shape = self.shape
        cos, sin = angles(length, shape, tokens.device)
        cos, sin = cos.repeat(rows, 1), sin.repeat(rows, 1)
        x = functional.embedding(tokens.reshape(-1), self.embedding)
        if tokens.is_cuda and torch.is_autocast_enabled():
            x = x.to(torch.get_autocast_dtype("cuda"))
        for layer in self.each_layer():
            q, k, v = self.before(layer, x, cos, sin)
            q = q.view(rows, length, shape.heads, shape.head).transpose(1, 2)
            k = k.view(rows, length, shape.key_heads, shape.head).transpose(1, 2)
            v = v.view(rows, length, shape.key_heads, shape.head).transpose(1, 2)
            heard = functional.scaled_dot_product_attention(
                q, k, v, is_causal=True, enable_gqa=True
            )
            x = self.after(layer, x, heard.transpose(1, 2).reshape(rows * length, shape.width))
        return x

    def forward(self, tokens: Tensor, marks: Tensor, words: Tensor, owners: Tensor) -> Read:
        """Logits at flat positions of marks; `words` are the places of the sentences' tokens.

        The head reads the mark, and a mean of the sentence's tokens in which those weigh most
        that the network points at. `owners` says which mark's sentence each word belongs to.
        The word head reads a token, its sentence's mark, and their product.
        """
        x = self.hidden(tokens)
        with torch.autocast(x.device.type, enabled=False):
            return self._read(x, marks, words, owners)

    def _read(self, x: Tensor, marks: Tensor, words: Tensor, owners: Tensor) -> Read:
        """The head, in 32 bits."""
        mark = norm(x[marks].float(), self.last_norm)
        word = norm(x[words].float(), self.last_norm)
        pointed = word @ self.query
        highest = torch.full((len(marks),), -1e4, device=x.device).scatter_reduce(
            0, owners, pointed.detach(), "amax"
        )
        weight = (pointed - highest[owners]).exp()
        total = torch.zeros(len(marks), device=x.device).index_add(0, owners, weight)
        share = weight / total[owners]
        pooled = torch.zeros_like(mark).index_add(0, owners, word * share[:, None])
        logits = functional.linear(torch.cat([mark, pooled], dim=-1), self.head, self.bias)
        of_token, of_mark, of_both = self.words
        said = (word * (of_token + mark[owners] * of_both)).sum(-1)
        return Read(logits, said + (mark @ of_mark)[owners] + self.words_bias)


def angles(length: int, shape: Shape, device: torch.device) -> tuple[Tensor, Tensor]:
    """Cosines and sines by which positions turn the halves of a head."""
    half = shape.head // 2
    speeds = shape.turns ** (-torch.arange(half, device=device, dtype=torch.float32) / half)
    turned = torch.arange(length, device=device, dtype=torch.float32)[:, None] * speeds
    return turned.cos(), turned.sin()
