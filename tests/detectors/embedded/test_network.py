"""The network against a slow one written from the formulas, and against its twin in PyTorch."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from assay.detectors.embedded.cores import allowed_threads
from assay.detectors.embedded.network import Network, NetworkOutput
from assay.detectors.embedded.packing import Packed, pack
from assay.detectors.embedded.tokens import TokenRow, Tokens, lay_out

LAYERS, WIDTH, INNER, HEADS, KEYS = 2, 64, 128, 4, 2
HEAD = WIDTH // HEADS
WORDS = 50
SHAPES = {
    "qkv": (WIDTH + 2 * KEYS * HEAD, WIDTH),
    "out": (WIDTH, WIDTH),
    "gate_up": (2 * INNER, WIDTH),
    "down": (WIDTH, INNER),
}

Floats = NDArray[np.float64]
Arrays = dict[str, NDArray[np.generic]]


def _weights(seed: int = 0) -> Arrays:
    rng = np.random.default_rng(seed)
    arrays: Arrays = {}
    for layer in range(LAYERS):
        for name, shape in SHAPES.items():
            packed = pack(rng.normal(0, 0.3, shape).astype(np.float32))
            arrays |= {f"{layer}.{name}.{field}": a for field, a in packed._asdict().items()}
        for name in ("attention_norm", "inner_norm"):
            arrays[f"{layer}.{name}"] = rng.normal(1, 0.3, WIDTH).astype(np.float32)
    arrays["last_norm"] = rng.normal(1, 0.3, WIDTH).astype(np.float32)
    arrays["query"] = rng.normal(0, 0.5, WIDTH).astype(np.float32)
    arrays["head"] = rng.normal(0, 0.3, (3, 2 * WIDTH)).astype(np.float32)
    arrays["bias"] = rng.normal(0, 1, 3).astype(np.float32)
    arrays["words"] = rng.normal(0, 0.3, (3, WIDTH)).astype(np.float32)
    arrays["words_bias"] = rng.normal(0, 1, 1).astype(np.float32)
    return arrays


ARRAYS = _weights()
EMBEDDING = pack(np.random.default_rng(1).normal(0, 1, (WORDS, WIDTH)).astype(np.float32))
NETWORK = Network.from_arrays(ARRAYS, EMBEDDING, HEAD)


def _tokens(count: int, seed: int = 2) -> Tokens:
    return np.random.default_rng(seed).integers(4, WORDS, count).astype(np.int32)


def _row(question: int = 3, source: int = 150, sentences: tuple[int, ...] = (7, 0, 12)) -> TokenRow:
    return lay_out(_tokens(question), _tokens(source), [_tokens(n, seed=n) for n in sentences])


def _matrix(name: str) -> Floats:
    codes, scale, low = (ARRAYS[f"{name}.{field}"] for field in Packed._fields)
    packed = Packed(codes.view(np.uint8), scale.view(np.float16), low.view(np.float16))
    return packed.unpack().astype(np.float64)


def _normal(x: Floats, name: str) -> Floats:
    scaled: Floats = x / np.sqrt((x**2).mean() + 1e-5) * ARRAYS[name]
    return scaled


def _softmax(scores: Floats) -> Floats:
    powers = np.exp(scores - scores.max())
    shares: Floats = powers / powers.sum()
    return shares


def _turned(x: Floats, position: int) -> Floats:
    """Halves of a head, turned: (a, b) becomes (a cos - b sin, b cos + a sin)."""
    half = HEAD // 2
    angles = position * 100_000.0 ** (-np.arange(half) / half)
    a, b = x[:half], x[half:]
    parts = (a * np.cos(angles) - b * np.sin(angles), b * np.cos(angles) + a * np.sin(angles))
    return np.concatenate(parts)


def _attended(layer: int, xs: list[Floats]) -> tuple[list[Floats], list[list[Floats]]]:
    """What every position hears, and how every head of it attends, one position at a time."""
    qkv = [_matrix(f"{layer}.qkv") @ _normal(x, f"{layer}.attention_norm") for x in xs]
    parts = [each.reshape(-1, HEAD) for each in qkv]
    heard, shares = [], []
    for now, part in enumerate(parts):
        found, seen = [], []
        for head in range(HEADS):
            key = HEADS + head // (HEADS // KEYS)
            q = _turned(part[head], now)
            scores = [q @ _turned(parts[past][key], past) for past in range(now + 1)]
            share = _softmax(np.array(scores) / np.sqrt(HEAD))
            seen.append(share)
            found.append(sum(share[past] * parts[past][key + KEYS] for past in range(now + 1)))
        heard.append(np.concatenate(found))
        shares.append(seen)
    return heard, shares


def _slow(row: TokenRow) -> tuple[Floats, Floats, Floats]:
    """Logits, attention and the logits of words by the formulas alone."""
    xs = list(EMBEDDING.unpack().astype(np.float64)[row.tokens])
    attention = []
    for layer in range(LAYERS):
        heard, shares = _attended(layer, xs)
        xs = [x + _matrix(f"{layer}.out") @ h for x, h in zip(xs, heard, strict=True)]
        for place, x in enumerate(xs):
            wide = _matrix(f"{layer}.gate_up") @ _normal(x, f"{layer}.inner_norm")
            gate, up = wide[:INNER], wide[INNER:]
            xs[place] = x + _matrix(f"{layer}.down") @ (gate / (1 + np.exp(-gate)) * up)
        attention.append(
            [
                [
                    np.mean([shares[place][head][row.source] for place in range(a, b + 1)], axis=0)
                    for a, b in _parts(row, row.marks if row.pieces is None else row.pieces)
                ]
                for head in range(HEADS)
            ]
        )
    xs = [_normal(x, "last_norm") for x in xs]
    logits = np.array([_judged(xs, *ends) for ends in _parts(row, row.marks)])
    words = [each for ends in _parts(row, row.marks) for each in _marked(xs, *ends)]
    return logits, np.array(attention), np.array(words)


def _parts(row: TokenRow, lasts: NDArray[np.intp]) -> Iterator[tuple[int, int]]:
    """Where each part of the response starts, and its last token: a sentence's is its mark."""
    start = row.source.stop + 1
    for last in lasts.tolist():
        yield start, last
        start = last + 1


def _judged(xs: list[Floats], start: int, mark: int) -> Floats:
    words = np.array(xs[start : mark + 1])
    query, head, bias = (ARRAYS[name].astype(np.float64) for name in ("query", "head", "bias"))
    pooled = _softmax(words @ query) @ words
    logits: Floats = head @ np.concatenate((xs[mark], pooled)) + bias
    return logits


def _marked(xs: list[Floats], start: int, mark: int) -> Iterator[float]:
    """The logit of each token of a sentence, with its mark as the last."""
    token, marked, both = ARRAYS["words"].astype(np.float64)
    for place in range(start, mark + 1):
        x, m = xs[place], xs[mark]
        yield token @ x + marked @ m + both @ (x * m) + ARRAYS["words_bias"][0]


def _attention(result: NetworkOutput) -> NDArray[np.float32]:
    return np.stack([result.attention[layer] for layer in range(LAYERS)])


@pytest.mark.parametrize(
    "row",
    [_row(), _row(question=0), _row(question=0, source=1, sentences=(1,)), _row(source=0)],
    ids=["longer than a block", "no question", "one token of source", "no source"],
)
def test_it_agrees_with_the_formulas(row: TokenRow) -> None:
    result = NETWORK.forward(row, range(LAYERS))
    logits, attention, words = _slow(row)
    np.testing.assert_allclose(result.logits, logits, atol=1e-4)
    assert result.words is not None
    np.testing.assert_allclose(result.words, words, atol=1e-4)
    np.testing.assert_allclose(_attention(result), attention, atol=2e-5)


def test_attention_of_pieces_agrees_with_the_formulas_and_changes_no_logit() -> None:
    row = _row()
    first, second, third = row.marks.tolist()
    pieces = np.array([first - 3, first, second, third - 1, third])
    result = NETWORK.forward(replace(row, pieces=pieces), range(LAYERS))
    assert _attention(result).shape[2] == len(pieces)
    np.testing.assert_allclose(_attention(result), _slow(replace(row, pieces=pieces))[1], atol=2e-5)
    np.testing.assert_array_equal(result.logits, NETWORK.forward(row).logits)


def test_it_agrees_with_its_twin_in_pytorch() -> None:
    torch = pytest.importorskip("torch")
    twin_module = pytest.importorskip("training.network")
    twin = twin_module.Network(twin_module.Shape(LAYERS, WIDTH, INNER, HEADS, KEYS), WORDS)
    twin.embedding = torch.from_numpy(EMBEDDING.unpack())
    for name, parameter in twin.named_parameters():
        key = name.removeprefix("layers.")
        values = ARRAYS[key] if key in ARRAYS else _matrix(key).astype(np.float32)
        parameter.data = torch.from_numpy(values)
    row = _row()
    response = row.source.stop
    owners = np.repeat(np.arange(len(row.marks)), np.diff(row.marks, prepend=response))
    words = np.arange(response + 1, row.marks[-1] + 1)
    inputs = (row.tokens.astype(np.int64)[None], row.marks, words, owners)
    with torch.no_grad():
        read = twin(*map(torch.from_numpy, inputs))
    result = NETWORK.forward(row)
    np.testing.assert_allclose(result.logits, read.logits.numpy(), atol=1e-3)
    assert result.words is not None
    np.testing.assert_allclose(result.words, read.words.numpy(), atol=1e-3)


def test_without_a_word_head_words_have_no_logits() -> None:
    arrays = {name: values for name, values in ARRAYS.items() if not name.startswith("words")}
    result = Network.from_arrays(arrays, EMBEDDING, HEAD).forward(_row())
    assert result.words is None
    np.testing.assert_array_equal(result.logits, NETWORK.forward(_row()).logits)


def test_a_sentence_does_not_see_what_comes_after_it() -> None:
    short, long = _row(sentences=(7, 12)), _row(sentences=(7, 12, 30))
    np.testing.assert_allclose(
        NETWORK.forward(short).logits, NETWORK.forward(long).logits[:2], atol=2e-5
    )


def test_a_sentence_sees_what_comes_before_it() -> None:
    one, other = _row(), _row()
    other.tokens[other.source.start] = other.tokens[other.source.start] % (WORDS - 5) + 5
    assert np.abs(NETWORK.forward(one).logits - NETWORK.forward(other).logits).min() > 1e-6


def test_attention_to_the_source_is_at_most_all_of_it() -> None:
    attention = _attention(NETWORK.forward(_row(), range(LAYERS)))
    assert attention.shape == (LAYERS, HEADS, 3, 150)
    assert attention.min() >= 0
    assert attention.sum(axis=3).max() <= 1 + 1e-5


def test_attention_is_not_computed_unasked_and_changes_nothing() -> None:
    asked, unasked = NETWORK.forward(_row(), range(LAYERS)), NETWORK.forward(_row())
    assert unasked.attention == {}
    np.testing.assert_array_equal(asked.logits, unasked.logits)


@pytest.mark.parametrize("count", [0, 1, 2, 30])
def test_many_rows_come_back_in_their_order(count: int) -> None:
    rows = [_row(source=5 + number) for number in range(count)]
    results = NETWORK.forward_all(rows, range(LAYERS))
    assert [_attention(result).shape[3] for result in results] == [5 + n for n in range(count)]
    for row, result in zip(rows, results, strict=True):
        np.testing.assert_allclose(result.logits, NETWORK.forward(row).logits, atol=2e-5)


def test_what_rows_begin_with_is_read_once_and_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one, two = _row(source=40), _row()
    rows = [_row(), one, *(_row(sentences=(count, 9)) for count in (1, 140, 30)), two]
    alone = [NETWORK.forward(row, range(LAYERS)) for row in rows]
    real, read = Packed.rows, []

    def counted(packed: Packed, numbers: Tokens) -> NDArray[np.float32]:
        read.append(len(numbers))
        return real(packed, numbers)

    monkeypatch.setattr(Packed, "rows", counted)
    results = NETWORK.forward_all(rows, range(LAYERS))
    # The first two are read whole; of the others the response only, with a mark each sentence.
    assert read == [len(rows[0].tokens), len(one.tokens), 12, 151, 41, 22]
    for result, expected in zip(results, alone, strict=True):
        np.testing.assert_allclose(result.logits, expected.logits, atol=2e-5)
        np.testing.assert_allclose(_attention(result), _attention(expected), atol=2e-5)


def test_cutting_a_row_for_the_cores_changes_nothing() -> None:
    row = _row(source=400)
    cut, whole = (
        NETWORK.forward(row, range(LAYERS)),
        NETWORK.forward_all([row, _row(source=401)], range(LAYERS))[0],
    )
    np.testing.assert_allclose(cut.logits, whole.logits, atol=2e-5)
    np.testing.assert_allclose(_attention(cut), _attention(whole), atol=2e-5)


def test_without_a_query_the_head_reads_the_mark_alone() -> None:
    arrays = {name: values for name, values in ARRAYS.items() if name != "query"}
    arrays["head"] = ARRAYS["head"][:, :WIDTH]
    both = dict(ARRAYS)
    both["head"] = np.concatenate((arrays["head"], np.zeros((3, WIDTH))), axis=1, dtype=np.float32)
    row = _row()
    np.testing.assert_allclose(
        Network.from_arrays(arrays, EMBEDDING, HEAD).forward(row).logits,
        Network.from_arrays(both, EMBEDDING, HEAD).forward(row).logits,
        atol=2e-5,
    )


def test_layers_are_the_same_one_at_a_time_and_all_at_once() -> None:
    network = Network.from_arrays(ARRAYS, EMBEDDING, HEAD)
    first, second = network.forward(_row(), range(LAYERS)), network.forward(_row(), range(LAYERS))
    np.testing.assert_array_equal(first.logits, second.logits)
    np.testing.assert_array_equal(_attention(first), _attention(second))


def test_layers_are_kept_from_the_second_reading_on() -> None:
    network = Network.from_arrays(ARRAYS, EMBEDDING, HEAD)
    apart, kept, again = (list(network.layers) for _ in range(3))
    assert all(one is other for one, other in zip(kept, again, strict=True))
    assert apart[0] is not kept[0]


def test_a_settled_source_goes_through_the_first_layers_only() -> None:
    """From a layer on, the source is to that layer what it was to the one before."""
    settled = Network.from_arrays(ARRAYS, EMBEDDING, HEAD, source_layers=0)
    changed = dict(ARRAYS)
    for name in ("out", "down"):  # what a layer adds to its tokens
        for field in ("scale", "low"):
            changed[f"0.{name}.{field}"] = np.zeros_like(ARRAYS[f"0.{name}.{field}"])
    unchanged = Network.from_arrays(changed, EMBEDDING, HEAD)
    row = _row()
    np.testing.assert_allclose(
        settled.forward(row, range(LAYERS)).attention[0],
        unchanged.forward(row, range(LAYERS)).attention[0],
        atol=2e-5,
    )
    assert np.abs(settled.forward(row).logits - NETWORK.forward(row).logits).max() > 1e-3


@pytest.mark.parametrize("response", [9, 90])
def test_a_settled_source_is_the_same_alone_and_among_others(response: int) -> None:
    network = Network.from_arrays(ARRAYS, EMBEDDING, HEAD, source_layers=1)
    rows = [_row(sentences=(response, count)) for count in (5, 12, 70)]
    for row, result in zip(rows, network.forward_all(rows, range(LAYERS)), strict=True):
        alone = network.forward(row, range(LAYERS))
        np.testing.assert_allclose(result.logits, alone.logits, atol=2e-5)
        np.testing.assert_allclose(_attention(result), _attention(alone), atol=2e-5)
    np.testing.assert_allclose(
        network.forward(rows[0]).logits, NETWORK.forward(rows[0]).logits, atol=2e-5
    )  # the last layer of two is read of the response alone in any case


def test_a_layer_that_does_not_fit_the_others_is_refused() -> None:
    arrays = {**ARRAYS, "1.down.codes": ARRAYS["1.down.codes"][:-1]}
    with pytest.raises(ValueError, match="do not fit 63 x"):
        Network.from_arrays(arrays, EMBEDDING, HEAD)
    arrays = {**ARRAYS, "1.inner_norm": ARRAYS["1.inner_norm"][:-1]}
    with pytest.raises(ValueError, match="layer 1"):
        Network.from_arrays(arrays, EMBEDDING, HEAD)


@pytest.mark.parametrize(
    ("given", "threads"), [("1", 1), ("2", 2), ("99", 4), ("", 4), ("0", 4), ("2,1", 4), ("-1", 4)]
)
def test_no_more_threads_than_this_process_may_have(
    monkeypatch: pytest.MonkeyPatch, given: str, threads: int
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    monkeypatch.setenv("OMP_NUM_THREADS", given)
    assert allowed_threads() == threads
