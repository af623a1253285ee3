"""The same network on torch, for a GPU: 16-bit products, and rows of like lengths side by side.

Weights, tokens and heads are those of the network in numpy, which it is a copy of. Between the
layers tokens stay in 32 bits, so that little is lost. Rows of a batch are filled up at their ends,
where causal attention does not see what they are filled with.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from assay.core.errors import InputError
from assay.core.system.threads import stop_if_left
from assay.detectors.embedded.folders import EntailmentModel
from assay.detectors.embedded.layers import Layer, Shape, find_turns
from assay.detectors.embedded.network import Network, NetworkOutput
from assay.detectors.embedded.packing import Matrix
from assay.detectors.embedded.tokens import TokenRow

MOST_TOGETHER = 32_768  # tokens of a batch, with what rows are filled up with
BATCH = 64  # examples that are read together


def on_device(model: EntailmentModel, device: str) -> EntailmentModel:
    """The same model with its network on a GPU; raises where there is no such GPU."""
    if not isinstance(model.network, Network):
        return model
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if not count:
        raise InputError(
            f"{device}: torch {torch.__version__} finds no GPU on this machine", field="device"
        )
    if (torch.device(device).index or 0) >= count:
        raise InputError(
            f"{device}: this machine has {count} GPU{'s' if count > 1 else ''}, counted from 0",
            field="device",
        )
    return replace(model, network=_copied(model.network, device), batch=BATCH)


@cache
def _copied(network: Network, device: str) -> "TorchNetwork":
    try:
        return TorchNetwork(network, torch.device(device), torch.bfloat16)
    except torch.OutOfMemoryError:
        raise _too_small(device) from None


class TorchNetwork:
    """A copy of a network in numpy: its layers on a device, its heads where they are."""

    def __init__(
        self,
        network: Network,
        device: torch.device,
        kept: torch.dtype | None = None,
    ) -> None:
        """`kept` is the type of the matrices and of what is multiplied with them."""
        self._network = network
        self._device = device
        self._kept = kept or torch.float32
        self._layers = [self._layer(layer) for layer in network.layers]

    def _layer(self, layer: Layer) -> "TorchLayer":
        """A layer in the form of torch; that in numpy may lie in memory that is used again."""
        qkv, out, gate_up, down = (
            self._moved(each).to(self._kept)
            for each in (layer.qkv.T, layer.out.T, layer.gate_up, layer.down.T)
        )
        gate_up[: len(gate_up) // 2] *= 2  # numpy's has half the gate
        bias = None if layer.bias is None else self._moved(layer.bias).to(self._kept)
        return TorchLayer(qkv, out, gate_up, down, bias)

    def _moved(self, array: Matrix) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self._device, copy=True)

    def forward_all(
        self, rows: Sequence[TokenRow], attention: Collection[int] = ()
    ) -> list[NetworkOutput]:
        """The results of the rows, in their order, with the attention of some layers."""
        found: dict[int, NetworkOutput] = {}
        with torch.inference_mode():
            for numbers in batches([len(row.tokens) for row in rows]):
                stop_if_left()
                outputs = self._forward([rows[number] for number in numbers], attention)
                found |= zip(numbers, outputs, strict=True)
        return [found[number] for number in range(len(rows))]

    def _forward(self, rows: Sequence[TokenRow], attention: Collection[int]) -> list[NetworkOutput]:
        """The results of a batch; in halves where the GPU has no memory for all of it."""
        try:
            return self._pass(rows, attention)
        except torch.OutOfMemoryError:
            if len(rows) == 1:
                raise _too_small(str(self._device)) from None
        torch.cuda.empty_cache()
        half = len(rows) // 2
        return self._forward(rows[:half], attention) + self._forward(rows[half:], attention)

    def _pass(self, rows: Sequence[TokenRow], attention: Collection[int]) -> list[NetworkOutput]:
        shape, length = self._network.shape, max(len(row.tokens) for row in rows)
        batch = RowBatch(rows, length, shape, self._device)
        x = self._embed(rows, length)
        seen: list[dict[int, Matrix]] = [{} for _ in rows]
        for number, layer in enumerate(self._layers):
            q, k, v = layer.ask(x, batch)
            if number in attention:
                for own, row, queries, keys in zip(seen, rows, q, k, strict=True):
                    own[number] = look_at_source(queries, keys, row)
            heard = functional.scaled_dot_product_attention(
                q, k, v, is_causal=True, scale=1.0, enable_gqa=True
            )
            heard = heard.transpose(1, 2).reshape(len(x), shape.queries)
            if number < self._network.source_layers:
                x = layer.answer(x, heard, shape.epsilon)
            else:  # question and source stay as they are
                moving = batch.responses
                x[moving] = layer.answer(x[moving], heard[moving], shape.epsilon)
        return self._read(x[batch.responses], rows, seen)

    def _embed(self, rows: Sequence[TokenRow], length: int) -> Tensor:
        tokens = np.zeros((len(rows), length), dtype=np.int32)
        for line, row in zip(tokens, rows, strict=True):
            line[: len(row.tokens)] = row.tokens
        numbers, places = np.unique(tokens, return_inverse=True)
        table = self._moved(self._network.embedding.rows(numbers))
        return table[torch.from_numpy(places.reshape(-1)).to(self._device)]

    def _read(
        self, x: Tensor, rows: Sequence[TokenRow], seen: Sequence[dict[int, Matrix]]
    ) -> list[NetworkOutput]:
        responses = [row.source.stop + 1 for row in rows]
        sizes = [len(row.tokens) - start for row, start in zip(rows, responses, strict=True)]
        parts = np.split(x.cpu().numpy(), np.cumsum(sizes)[:-1])
        found = []
        for row, start, part, own in zip(rows, responses, parts, seen, strict=True):
            logits, words = self._network.head.read(part, row.marks + 1 - start)
            found.append(NetworkOutput(logits, own, words))
        return found


class RowBatch:
    """Rows side by side: how their positions turn, and which tokens belong to responses."""

    def __init__(
        self, rows: Sequence[TokenRow], length: int, shape: Shape, device: torch.device
    ) -> None:
        turns = find_turns(length, shape.head, shape.turns)
        self.rows, self.length, self.shape = len(rows), length, shape
        self.cos = torch.from_numpy(turns.real.copy()).to(device)[:, None]
        self.sin = torch.from_numpy(turns.imag.copy()).to(device)[:, None]
        places = [
            number * length + np.arange(row.source.stop + 1, len(row.tokens))
            for number, row in enumerate(rows)
        ]
        self.responses = torch.from_numpy(np.concatenate(places)).to(device)

    def heads(self, x: Tensor, count: int) -> Tensor:
        """Flat tokens by heads: row, head, token, number."""
        return x.view(self.rows, self.length, count, self.shape.head).transpose(1, 2)

    def turned(self, x: Tensor, count: int) -> Tensor:
        """The same, where pairs that lie side by side are turned by their positions."""
        pairs = x.float().view(self.rows, self.length, count, self.shape.head // 2, 2)
        first, second = pairs.unbind(-1)
        turned = torch.stack(
            (
                first * self.cos - second * self.sin,
                first * self.sin + second * self.cos,
            ),
            dim=-1,
        )
        return self.heads(turned.to(x.dtype).reshape(x.shape), count)


class TorchLayer:
    """One layer; its matrices are multiplied from the right of tokens, across."""

    def __init__(
        self, qkv: Tensor, out: Tensor, gate_up: Tensor, down: Tensor, bias: Tensor | None
    ) -> None:
        self._qkv, self._out, self._gate_up, self._down = qkv, out, gate_up, down
        self._bias = bias

    def ask(self, x: Tensor, batch: RowBatch) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values by row, head and token."""
        shape = batch.shape
        normed = normal(x, shape.epsilon).to(self._qkv.dtype)
        qkv = functional.linear(normed, self._qkv, self._bias)
        keys = shape.key_heads * shape.head
        q, k, v = (
            part.contiguous() for part in torch.split(qkv, [shape.queries, keys, keys], dim=1)
        )
        return (
            batch.turned(q, shape.heads),
            batch.turned(k, shape.key_heads),
            batch.heads(v, shape.key_heads),
        )

    def answer(self, x: Tensor, heard: Tensor, epsilon: float) -> Tensor:
        """The sum of attention and the gated part."""
        x = x + functional.linear(heard, self._out)
        wide = functional.linear(normal(x, epsilon).to(self._gate_up.dtype), self._gate_up)
        gate, up = wide.chunk(2, dim=1)
        return x + functional.linear(functional.silu(gate) * up, self._down)


def normal(x: Tensor, epsilon: float) -> Tensor:
    """Each token divided by its root mean square."""
    return x * torch.rsqrt(x.square().mean(1, keepdim=True) + epsilon)


def look_at_source(q: Tensor, k: Tensor, row: TokenRow) -> Matrix:
    """Attention (head, piece, source token), the mean over the queries of each piece."""
    size, response = len(row.tokens), row.source.stop + 1
    group = len(q) // len(k)
    queries, keys = q[:, response:size].float(), k[:, :size].float()
    scores = queries @ keys.repeat_interleave(group, dim=0).transpose(1, 2)
    places = torch.arange(size, device=q.device)
    scores.masked_fill_(places > places[response:, None], -torch.inf)
    shares = scores.softmax(2)[:, :, row.source]
    ends = row.marks if row.pieces is None else row.pieces
    starts = np.concatenate(([0], ends[:-1] + 1 - response))
    lengths = np.diff(starts, append=size - response)
    owners = torch.from_numpy(np.repeat(np.arange(len(ends)), lengths)).to(q.device)
    found = shares.new_zeros(len(q), len(ends), shares.shape[2]).index_add_(1, owners, shares)
    found /= torch.from_numpy(lengths).to(found)[:, None]
    looks: Matrix = found.cpu().numpy()
    return looks


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """The numbers of rows that are read together: of like lengths, the longest first."""
    batch: list[int] = []
    for number in sorted(range(len(lengths)), key=lambda each: -lengths[each]):
        if batch and (len(batch) + 1) * lengths[batch[0]] > MOST_TOGETHER:
            yield batch
            batch = []
        batch.append(number)
    if batch:
        yield batch


def _too_small(device: str) -> InputError:
    return InputError(f"{device}: the memory of this GPU is not enough", field="device")
