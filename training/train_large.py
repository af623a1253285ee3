"""Step 2 for the large model: train an adapter and a head on its frozen base; needs one GPU.

    python -m training.train_large --prepared prepared-large --seconds 400 --out out/large
        [--rank 16] [--fold 0] [--rate 2e-4] [--mix ragtruth=3 ...] [--from out/large]
        [--trunk | --replay 0.3] [--labelled 0.5]

Writes `adapter-N.npz` (adapter, norms and heads in 16 bits), the three logits of every sentence
that is measured on (`development.npz`, here and in a folder for each set; of `folds/` also the
logit of every word) and `log.json`.
The learning rate rises for a short while and then falls in a line, by the clock; the time that the
compiler takes does not count. `--from` takes up a stored adapter and, with `--seconds 0`, only
measures it.

`--trunk` trains on the sources of no fold only, and the rate stays high: what comes out is not
measured but taken up by several runs `--from` it, one for each fold and one for all, which so share
the time that it took. They meet the sources of no fold less often, by the share `--replay`.
`--labelled` takes a share of RAGTruth's sources only, for the learning curve over their number.
"""

import argparse
import json
import math
import time
from collections.abc import Iterator, Sequence
from copy import deepcopy
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from training.adapter import WORD_HEAD, LargeNetwork, load_adapter, load_large, save_adapter
from training.arrays import load_arrays, rows_of_marks, save_arrays
from training.folds import FOLDS, allowed_rows, labelled_rows, row_shares
from training.items import ENTAILED, UNKNOWN
from training.measures import summary
from training.rows import Ints, Rows
from training.train import WORDS, label, loss_of, word_loss

BATCH = 13_440
TOGETHER = 2  # batches in a step
WARM_UP = 0.04  # the share of the time in which the rate rises
HEAD_RATE = 2.0  # of the adapter's
UNFAITHFUL = 2.0  # how much an unfaithful sentence of RAGTruth counts
HEAD = ("query", "head", "bias", *WORD_HEAD)
SETS = ("", "folds", "looks", "everyday", "withstand", "variants")  # that are measured on
JUMP = 1.5  # times the lowest mean loss so far: more is too high to go on from
EVERY = 50  # steps between two lines of progress


def rate_share(done: float, *, falls: bool = True) -> float:
    """The share of the highest rate when a share of the work is done.

    >>> [round(rate_share(done), 3) for done in (0.0, 0.02, 0.04, 0.52, 1.0)]
    [0.0, 0.5, 1.0, 0.5, 0.0]
    >>> rate_share(0.52, falls=False)
    1.0
    """
    return min(done / WARM_UP, (1 - done) / (1 - WARM_UP) if falls else 1.0)


class Lesson:
    """The rows that may be trained on, their targets, and how much each counts."""

    def __init__(self, options: argparse.Namespace, device: torch.device) -> None:
        self._rows = Rows(options.prepared / "train.npz")
        self._batch, self._device = options.batch, device
        mix = {name: float(weight) for name, weight in map(_pair, options.mix)}
        self._rng = np.random.default_rng(options.seed)
        self._wanted = self._rows.wanted(mix) * allowed_shares(options)
        arrays = self._rows.arrays
        targets = arrays["targets"].astype(np.int64)
        weights = mark_weights(self._rows, targets)
        self._targets = torch.from_numpy(targets).to(device)
        self._weights = torch.from_numpy(weights).to(device)
        self._words = torch.from_numpy(arrays["words"]).to(device)
        self._word_share: float = options.words

    def batches(self) -> Iterator[Ints]:
        """The batches of one pass after another, without end."""
        while True:
            chosen = self._rows.chosen(self._wanted, self._rng)
            yield from self._rows.batches(chosen, self._batch, self._rng)

    def pass_size(self) -> tuple[int, int]:
        """Rows and tokens in one pass, by the mix."""
        chosen = self._rows.chosen(self._wanted, np.random.default_rng(0))
        return len(chosen), int((self._rows.ends - self._rows.starts)[chosen].sum())

    def loss(self, network: LargeNetwork, chosen: Ints) -> Tensor:
        """The loss on some rows of one length."""
        device = self._device
        batch = self._rows.batch(chosen, self._batch)
        marks = torch.from_numpy(batch.numbers).to(device)
        with torch.autocast("cuda", torch.bfloat16, enabled=device.type == "cuda"):
            logits, words = network(*batch.inputs(device))
        loss = loss_of(
            logits.float(),
            self._targets[marks],
            batch.lines(device),
            weights=self._weights[marks],
        )
        known = self._words[torch.from_numpy(batch.word_numbers).to(device)]
        return loss + self._word_share * word_loss(words, known)


def allowed_shares(options: argparse.Namespace) -> NDArray[np.float64]:
    """How often each row may be met, as a share of what the mix says."""
    folds = load_arrays(options.prepared / "train-folds.npz")
    shares = row_shares(folds["mask"], options.fold, trunk=options.trunk, replay=options.replay)
    return shares * labelled_rows(folds["lot"], options.labelled)


def _pair(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name, value


def mark_weights(rows: Rows, targets: NDArray[np.int64]) -> NDArray[np.float32]:
    """How much each mark counts: more where people found a sentence of RAGTruth unfaithful."""
    group = rows.arrays["group"][rows_of_marks(rows.mark_ends)]
    marked = np.array([name.startswith("ragtruth") for name in rows.groups])[group]
    wrong = (targets != ENTAILED) & (targets < UNKNOWN)
    return np.where(marked & wrong, UNFAITHFUL, 1.0).astype(np.float32)


def make_optimizer(network: LargeNetwork, rate: float) -> torch.optim.Optimizer:
    """AdamW for what is trained; `highest` is the rate that a group rises to."""
    head = [p for name, p in network.named_parameters() if name in HEAD]
    others = [p for name, p in network.named_parameters() if name not in HEAD]
    groups = [{"params": others, "highest": rate}, {"params": head, "highest": HEAD_RATE * rate}]
    fused = network.embedding.is_cuda
    return torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.98), weight_decay=0.0, fused=fused)


class Rewind:
    """Goes back to where the loss was still low when it jumps, and from there on at half the rate.

    A run of ours that did not have this was lost: its loss rose from 0.15 to 0.79 within fifty
    steps, and what it had learnt did not come back.
    """

    def __init__(self, network: LargeNetwork, optimizer: torch.optim.Optimizer) -> None:
        self._network, self._optimizer = network, optimizer
        self._lowest = math.inf
        self.times = 0
        self._keep()

    def _keep(self) -> None:
        self._weights = [p.detach().clone() for p in self._network.parameters()]
        self._state = deepcopy(self._optimizer.state_dict())

    def check(self, loss: float) -> bool:
        """Takes in the mean loss since the last time; whether it was too high to go on from."""
        if math.isfinite(loss) and loss <= JUMP * self._lowest:
            self._lowest = min(self._lowest, loss)
            self._keep()
            return False
        self.times += 1
        rates = [0.5 * group["highest"] for group in self._optimizer.param_groups]
        with torch.no_grad():
            for parameter, kept in zip(self._network.parameters(), self._weights, strict=True):
                parameter.copy_(kept)
        self._optimizer.load_state_dict(deepcopy(self._state))
        for group, rate in zip(self._optimizer.param_groups, rates, strict=True):
            group["highest"] = rate
        return True


def train(network: LargeNetwork, options: argparse.Namespace) -> dict[str, float]:
    """Trains until the time is over, or for a number of steps; says how much was done."""
    lesson = Lesson(options, network.embedding.device)
    print("one pass: {:,} rows, {:,} tokens".format(*lesson.pass_size()), flush=True)
    batches = lesson.batches()
    optimizer = make_optimizer(network, options.rate)
    torch.autograd.backward(lesson.loss(network, next(batches)))  # compiles
    optimizer.zero_grad(set_to_none=True)
    rewind = Rewind(network, optimizer)
    began = time.time()
    step, tokens = 0, 0
    losses: list[Tensor] = []
    while (done := progress(step, time.time() - began, options)) < 1:
        for group in optimizer.param_groups:
            group["lr"] = group["highest"] * rate_share(done, falls=not options.trunk)
        for chosen in islice(batches, TOGETHER):
            loss = lesson.loss(network, chosen) / TOGETHER
            torch.autograd.backward(loss)
            losses.append(loss.detach() * TOGETHER)
            tokens += options.batch
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        step += 1
        if step % EVERY == 0:
            mean, spent = torch.stack(losses).mean().item(), time.time() - began
            speed = tokens / spent
            print(f"step {step}, {spent:.0f} s, loss {mean:.4f}, {speed:,.0f} tokens/s", flush=True)
            losses.clear()
            if rewind.check(mean):
                print("the loss jumped: back to the last good weights, half the rate", flush=True)
    work = {"steps": step, "tokens": tokens, "seconds": round(time.time() - began, 1)}
    return work | {"rewinds": rewind.times}


def progress(step: int, spent: float, options: argparse.Namespace) -> float:
    """The share of the work that is done."""
    if options.steps:
        return step / float(options.steps)
    return spent / options.seconds if options.seconds else 1.0


def measure(network: LargeNetwork, options: argparse.Namespace) -> dict[str, dict[str, float]]:
    """Writes the logits of all sentences that are measured on; quick figures of most sets."""
    figures = {}
    for folder in SETS:
        if not (options.prepared / folder / "development.npz").exists():
            continue
        rows = Rows(options.prepared / folder / "development.npz")
        own = None
        if folder == "folds" and options.fold >= 0:
            masks = load_arrays(options.prepared / folder / "masks.npz")["mask"]
            own = np.flatnonzero(~allowed_rows(masks, options.fold))
        logits, words = label(network, rows, options.batch, exact=False, numbers=own)
        (options.out / folder).mkdir(parents=True, exist_ok=True)
        said = {"logits": logits} | ({"words": words} if folder == "folds" else {})
        save_arrays(options.out / folder / "development.npz", said)
        if not folder:
            figures = summary(rows.arrays, logits)
    return figures


def read_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command's options."""
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--prepared", type=Path, required=True)
    add("--out", type=Path, required=True)
    add("--rank", type=int, default=16)
    add("--seconds", type=float, default=400.0)
    add("--steps", type=int, default=0, help="instead of the clock")
    add("--batch", type=int, default=BATCH, help="tokens in a batch; a step takes two")
    add("--rate", type=float, default=2e-4)
    add("--mix", nargs="*", default=[], help="GROUP=WEIGHT")
    add("--fold", type=int, default=0, choices=range(-1, FOLDS), help="kept apart; -1: none")
    add("--trunk", action="store_true", help="only sources of no fold; the rate stays high")
    add("--replay", type=float, default=1.0, help="how often sources of no fold are met")
    add("--labelled", type=float, default=1.0, help="the share of RAGTruth's sources trained on")
    add("--words", type=float, default=WORDS, help="how much the word head's loss counts")
    add("--from", dest="start", type=Path, help="the folder of a stored adapter")
    add("--seed", type=int, default=1)
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    options = read_options(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(options.seed)
    began = time.time()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    network = load_large(options.prepared, options.rank, device)
    if options.start:
        load_adapter(network, options.start)
    if device.type == "cuda":
        network.compile_layers()
    print(f"loaded in {time.time() - began:.0f} s", flush=True)
    work = train(network, options) if options.seconds or options.steps else {}
    print(json.dumps(work), flush=True)
    save_adapter(network, options.out)
    figures = {} if options.trunk else measure(network.eval(), options)
    print(json.dumps(figures), flush=True)
    log = {"options": {k: str(v) for k, v in vars(options).items()}, "fold": options.fold}
    (options.out / "log.json").write_text(
        json.dumps(log | {"work": work, "figures": figures}, indent=1), encoding="utf-8"
    )
    print(f"all done in {time.time() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
