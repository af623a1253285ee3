"""Attention in numpy: rotary positions, queries, keys and values, and what attention brings.

Rotary pairs lie side by side, so that turning them is one complex product. Attention goes through
blocks of queries, so that little is computed above the diagonal.
"""

import numpy as np
from numpy.typing import NDArray

from assay.detectors.embedded.packing import Matrix
from assay.detectors.embedded.tokens import TokenRow

BLOCK = 64  # queries at once; fewer waste less above the diagonal, more make larger products

Turns = NDArray[np.complex64]


def pair_rows(qkv: Matrix, turned: int, head: int) -> Matrix:
    """The same with the two numbers side by side that are turned together.

    The first heads are turned, so many: those of queries and keys; values are not.
    """
    width = qkv.shape[1]
    rows = turned * head
    halves = qkv[:rows].reshape(turned, 2, head // 2, width)
    return np.concatenate((halves.swapaxes(1, 2).reshape(rows, width), qkv[rows:]))


def find_turns(length: int, head: int, base: float) -> Turns:
    """By what the positions turn the pairs of a head."""
    half = head // 2
    speeds = np.float32(base) ** (-np.arange(half, dtype=np.float32) / np.float32(half))
    angles = np.arange(length, dtype=np.float32)[:, None] * speeds
    turns = np.empty((length, half), dtype=np.complex64)
    turns.real, turns.imag = np.cos(angles), np.sin(angles)
    return turns


def split_heads(qkv: Matrix, turns: Turns, heads: int, keys: int) -> tuple[Matrix, Matrix, Matrix]:
    """Queries (key head, token, query head, .), keys (key head, ., token), values (., token, .)."""
    size, half = turns.shape
    group = heads // keys
    turned = 2 * half * (heads + keys)
    pairs = qkv[:, :turned].view(np.complex64).reshape(size, -1, half)
    q = np.empty((keys, size, group, half), dtype=np.complex64)
    queries = pairs[:, :heads].reshape(size, keys, group, half).swapaxes(0, 1)
    np.multiply(queries, turns[:, None], out=q)
    k = (pairs[:, heads:] * turns[:, None]).view(np.float32).transpose(1, 2, 0)
    v = qkv[:, turned:].reshape(size, keys, -1).swapaxes(0, 1)
    return q.view(np.float32), k, v


def look_at_source(q: Matrix, k: Matrix, row: TokenRow, response: int) -> Matrix:
    """Attention (head, piece, source token), the mean over the queries of each piece."""
    keys, count, group, head = q.shape
    products: Matrix = q.swapaxes(1, 2).reshape(keys, group * count, head) @ k
    scores = products.reshape(keys * group, count, -1)
    places = response + np.arange(count)
    scores[:, np.arange(k.shape[2]) > places[:, None]] = -np.inf
    scores -= scores.max(axis=2, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=2, keepdims=True)
    ends = row.marks if row.pieces is None else row.pieces
    starts = np.concatenate(([0], ends[:-1] + 1 - response))
    found: Matrix = np.add.reduceat(scores[:, :, row.source], starts, axis=1)
    found /= np.diff(starts, append=count).astype(np.float32)[:, None]
    return found


def attend(q: Matrix, k: Matrix, v: Matrix) -> Matrix:
    """The output of causal attention for the last tokens, those with queries."""
    keys, size, group, head = q.shape
    heard = np.empty((size, keys, group, head), dtype=np.float32)
    space = np.empty(BLOCK * group * k.shape[2], dtype=np.float32)
    ones = np.ones(k.shape[2], dtype=np.float32)
    before = k.shape[2] - size
    hidden = np.triu(np.full((BLOCK, BLOCK), -np.inf, dtype=np.float32), 1)[:, None]
    for start in range(0, size, BLOCK):
        end = min(start + BLOCK, size)
        count = end - start
        seen = before + end
        scores = space[: count * group * seen].reshape(count * group, seen)
        for key in range(keys):
            np.matmul(q[key, start:end].reshape(-1, head), k[key, :, :seen], out=scores)
            diagonal = scores.reshape(count, group, seen)[:, :, before + start :]
            diagonal += hidden[:count, :, :count]
            scores -= scores.max(axis=1, keepdims=True)
            np.exp(scores, out=scores)
            found = scores @ v[key, :seen]
            found /= (scores @ ones[:seen])[:, None]
            heard[start:end, key] = found.reshape(count, group, head)
    return heard.reshape(size, keys * group * head)
