"""Step 2: train a network on prepared rows; needs one GPU for the full size.

    python -m training.train --prepared prepared --layers 16 --tokens 60e6 --out out/student
        [--teacher out/teacher/train-logits.npz ...] [--round-from 0.4] [--mix ragtruth-qa=4 ...]
        [--soft out/fold-0/soft-*.npz ...] [--fold 0] [--trunk | --from out/trunk --replay 0.5]

Writes `development.npz` (the three logits of every sentence that is measured on) and `log.json`;
with `--export` also `weights-N.npz` (the rounded matrices in the shipped form), and with `--label`
the logits of every training sentence, for a smaller network to learn from. A teacher that reads
other tokens gives its labels by `--soft`; sentences that it said nothing of keep their own.
`--fold` leaves out the rows of a fold of `training.prepare_student` and what teachers said that had
met its sources, and measures its responses.
`--trunk` trains on the sources of no fold only, at a rate that stays high, and writes `network.pt`,
which several runs take up `--from` there, one for each fold and one for all.
"""

import argparse
import json
import math
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from training.arrays import load_arrays, save_arrays
from training.folds import FOLDS, labelled_rows, row_shares
from training.items import NOT_ENTAILED, UNKNOWN, UNSAID, WRONG
from training.measures import summary
from training.network import Network
from training.rows import Rows
from training.soft import SoftLabels, teachers_of
from training.weights import export, load_network

NONE = -1e4  # stands below every logarithm of a probability that is met
LEAST = 1e-6  # stands for the number of losses where there are none
WARM_UP = 0.04  # the share of the steps in which the rate rises
LAST_RATE = 0.02  # of the highest
DECAY = 0.05
WORDS = 0.4  # how much the loss of the word head counts
WRONG_WORD = 2.0  # how much a wrong word counts in it


def loss_of(
    logits: Tensor,
    targets: Tensor,
    row_of: Tensor,
    teacher: Tensor | None = None,
    share: float = 0.0,
    weights: Tensor | None = None,
) -> Tensor:
    """Mean loss of the marks with a target and of the rows that are unfaithful somewhere.

    A mark's loss is its cross entropy; where only "not entailed" is known, of that. Of a row's
    unknown marks the most suspect one alone is to be not entailed. A teacher takes its share of
    the marks it has logits for, not those with NaN, and all of a mark that nobody judged; `weights`
    say how much each mark with a target counts.
    """
    logs = functional.log_softmax(logits, dim=-1)
    not_entailed = torch.logsumexp(logs[:, 1:], dim=-1)
    per_mark = -logs.gather(1, targets.clamp(max=2)[:, None])[:, 0]
    per_mark = torch.where(targets == NOT_ENTAILED, -not_entailed, per_mark)
    known, unknown = targets < UNKNOWN, targets == UNKNOWN
    rows = int(row_of.max()) + 1
    suspect = torch.full((rows,), NONE, device=logits.device).scatter_reduce(
        0, row_of[unknown], not_entailed[unknown].float(), "amax"
    )
    somewhere = suspect > NONE
    counted = known.float() if weights is None else weights * known
    if teacher is None:
        hard = (per_mark * counted).sum() - suspect[somewhere].sum()
        return hard / (counted.sum() + somewhere.sum()).clamp(min=LEAST)
    told = torch.where(targets > UNKNOWN, 1.0, share) * (~teacher[:, 0].isnan()).float()
    counted = counted * (1 - told)
    left = (1 - torch.zeros_like(suspect).scatter_reduce(0, row_of, told, "amax"))[somewhere]
    hard = (per_mark * counted).sum() - (suspect[somewhere] * left).sum()
    soft = -(teacher.nan_to_num().softmax(-1) * logs).sum(-1)
    total = counted.sum() + left.sum() + told.sum()
    return (hard + (soft * told).sum()) / total.clamp(min=LEAST)


def word_loss(words: Tensor, targets: Tensor) -> Tensor:
    """Mean loss of the words of which something is known; wrong ones, which are few, count more."""
    known, wrong = targets < UNSAID, (targets == WRONG).float()
    losses = functional.binary_cross_entropy_with_logits(words, wrong, reduction="none")
    weights = known * (1 + (WRONG_WORD - 1) * wrong)
    return (losses * weights).sum() / weights.sum().clamp(min=1)


def train(options: argparse.Namespace) -> Network:
    """Trains as the options say."""
    torch.manual_seed(options.seed)
    rng = np.random.default_rng(options.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    rows = Rows(options.prepared / "train.npz")
    mix = {name: float(weight) for name, weight in (pair.split("=") for pair in options.mix)}
    network = load_network(options.prepared, options.kept).to(device)
    if options.start:
        stored = torch.load(options.start / "network.pt", map_location=device, weights_only=True)
        network.load_state_dict(stored, strict=False)
    if device.type == "cuda":
        network.compile_layers()
    optimizer = make_optimizer(network, options.rate)
    lesson = Lesson(rows, options, device)
    steps = max(int(options.tokens // options.batch), 1)
    averaged: dict[str, Tensor] = {}
    progress = Progress(steps, options.batch)
    wanted = rows.wanted(mix) * _allowed(options)
    for step, chosen in enumerate(islice(rows.passes(wanted, options.batch, rng), steps)):
        done = step / steps
        for group in optimizer.param_groups:
            group["lr"] = rate_at(options.rate, step, steps, falls=not options.trunk)
        network.round_weights(done >= options.round_from)
        loss = lesson.loss(network, chosen)
        torch.autograd.backward(loss)
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        if options.average and done >= 1 - options.average:
            _average(network, averaged)
        progress.add(loss.detach())
    if averaged:
        network.load_state_dict(averaged, strict=False)
    network.round_weights(options.round_from < 1)
    return network


def _allowed(options: argparse.Namespace) -> NDArray[np.float64] | float:
    """How often each row may be met, as a share of what the mix says."""
    if options.fold is None:
        return 1.0
    folds = load_arrays(options.prepared / "train-folds.npz")
    shares = row_shares(folds["mask"], options.fold, trunk=options.trunk, replay=options.replay)
    return shares * labelled_rows(folds["lot"], options.labelled)


def make_optimizer(network: Network, rate: float) -> torch.optim.Optimizer:
    """AdamW; only matrices decay."""
    matrices = [p for p in network.parameters() if p.ndim == 2]
    others = [p for p in network.parameters() if p.ndim == 1]
    return torch.optim.AdamW(
        [{"params": matrices, "weight_decay": DECAY}, {"params": others, "weight_decay": 0.0}],
        lr=rate,
        betas=(0.9, 0.98),
        fused=network.embedding.is_cuda,
    )


def rate_at(highest: float, step: int, steps: int, *, falls: bool = True) -> float:
    """The learning rate: it rises in a line and falls in half a cosine, or stays."""
    risen = min(1, (step + 1) / (WARM_UP * steps))
    fallen = 0.5 * (1 + math.cos(math.pi * (step / steps))) if falls else 1.0
    return highest * risen * (LAST_RATE + (1 - LAST_RATE) * fallen)


class Lesson:
    """The targets of all marks, and what teachers said of them."""

    def __init__(self, rows: Rows, options: argparse.Namespace, device: torch.device) -> None:
        self._rows, self._options, self._device = rows, options, device
        self._targets = torch.from_numpy(rows.arrays["targets"].astype(np.int64)).to(device)
        self._teacher = None
        if options.teacher:
            logits = [np.load(path)["logits"].astype(np.float32) for path in options.teacher]
            self._teacher = torch.from_numpy(np.mean(logits, axis=0)).to(device)
        if options.soft:
            keys = load_arrays(options.prepared / "train-keys.npz")["keys"]
            files = teachers_of(options.soft, options.fold)
            chances = SoftLabels(files, options.softness).of(keys)
            share = np.isfinite(chances[:, 0]).mean()
            print(f"{share:.1%} of the sentences have soft labels, of {len(files)} files")
            self._teacher = torch.from_numpy(chances).log().to(device)
        self._words = torch.from_numpy(rows.arrays["words"]).to(device)

    def loss(self, network: Network, chosen: NDArray[np.int64]) -> Tensor:
        """The loss on some rows of one length."""
        device = self._device
        batch = self._rows.batch(chosen, self._options.batch)
        marks = torch.from_numpy(batch.numbers).to(device)
        with torch.autocast("cuda", torch.bfloat16, enabled=device.type == "cuda"):
            logits, words = network(*batch.inputs(device))
        teacher = None if self._teacher is None else self._teacher[marks]
        lines, targets = batch.lines(device), self._targets[marks]
        loss = loss_of(logits.float(), targets, lines, teacher, self._options.share)
        known = self._words[torch.from_numpy(batch.word_numbers).to(device)]
        share: float = self._options.words
        return loss + share * word_loss(words, known)


class Progress:
    """Prints the mean loss and the speed now and then."""

    def __init__(self, steps: int, tokens: int, every: int = 100) -> None:
        self._steps, self._tokens, self._every = steps, tokens, every
        self._began = time.time()
        self._done = 0
        self._losses: list[Tensor] = []

    def add(self, loss: Tensor) -> None:
        """Takes in the loss of one more step."""
        self._done += 1
        self._losses.append(loss)
        if self._done % self._every == 0:
            mean = torch.stack(self._losses).mean().item()
            speed = self._done * self._tokens / (time.time() - self._began)
            place = f"step {self._done} of {self._steps}"
            print(f"{place}, loss {mean:.4f}, {speed:,.0f} tokens/s", flush=True)
            self._losses.clear()


def _average(network: Network, averaged: dict[str, Tensor], keep: float = 0.98) -> None:
    """Takes the weights into a running mean of them."""
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            if name in averaged:
                averaged[name].lerp_(parameter, 1 - keep)
            else:
                averaged[name] = parameter.detach().clone()


class Said(NamedTuple):
    """The logits of all marks and of all words of some rows."""

    logits: NDArray[np.float32]
    words: NDArray[np.float16]


@torch.no_grad()
def label(
    network: Network,
    rows: Rows,
    batch: int,
    *,
    exact: bool,
    numbers: NDArray[np.int64] | None = None,
) -> Said:
    """The logits of everything, zeros in rows other than `numbers`; `exact` computes in 32 bits."""
    device = network.embedding.device
    logits = np.zeros((len(rows.arrays["marks"]), 3), dtype=np.float32)
    words = np.zeros(rows.word_ends[-1], dtype=np.float16)
    for chosen in rows.batches(np.arange(len(rows)) if numbers is None else numbers, batch, None):
        part = rows.batch(chosen, batch)
        with torch.autocast("cuda", torch.bfloat16, enabled=device.type == "cuda" and not exact):
            found = network(*part.inputs(device))
        logits[part.numbers] = found.logits.float().cpu().numpy()
        words[part.word_numbers] = found.words.half().cpu().numpy()
    return Said(logits, words)


def read_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command's options; `kept` holds the numbers of the layers that are taken over."""
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--prepared", type=Path, required=True)
    add("--out", type=Path, required=True)
    add("--layers", type=int, default=16)
    add("--kept", default="", help="layers by number, instead of the first ones")
    add("--tokens", type=float, default=60e6)
    add("--batch", type=int, default=53_760, help="tokens in a step")
    add("--rate", type=float, default=2e-4)
    add("--round-from", type=float, default=2.0, help="share of the steps before rounding")
    add("--average", type=float, default=0.0, help="share of the steps averaged at the end")
    add("--mix", nargs="*", default=[], help="GROUP=WEIGHT")
    add("--teacher", type=Path, nargs="*", default=[])
    add("--soft", type=Path, nargs="*", default=[], help="files of `training.label_large`")
    add("--softness", type=float, default=2.0, help="by which their logits are divided")
    add("--share", type=float, default=0.6, help="of the teacher in the loss")
    add("--label", action="store_true", help="write the logits of the training sentences")
    add("--export", action="store_true", help="write the weights in the shipped form")
    add("--quick", action="store_true", help="measure in 16 bits, whatever is exported")
    add("--fold", type=int, choices=range(-1, FOLDS), help="kept apart; -1: none")
    add("--trunk", action="store_true", help="only sources of no fold; the rate stays high")
    add("--replay", type=float, default=1.0, help="how often sources of no fold are met")
    add("--from", dest="start", type=Path, help="the folder of a trunk")
    add("--labelled", type=float, default=1.0, help="the share of RAGTruth's sources trained on")
    add("--words", type=float, default=WORDS, help="how much the word head's loss counts")
    add("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    named = [int(number) for number in options.kept.split(",")] if options.kept else None
    options.kept = named or range(options.layers)
    return options


def measure(network: Network, options: argparse.Namespace) -> None:
    """Writes the logits of what is measured on, and quick figures with the options."""
    figures: dict[str, dict[str, float]] = {}
    for folder in ("", "folds", "everyday", "withstand", "variants"):
        if folder and options.fold is None:
            continue
        rows = Rows(options.prepared / folder / "development.npz")
        exact = options.export and not options.quick
        logits, words = label(network, rows, options.batch, exact=exact)
        (options.out / folder).mkdir(exist_ok=True)
        said = {"logits": logits} | ({"words": words} if folder == "folds" else {})
        save_arrays(options.out / folder / "development.npz", said)
        figures = figures or summary(rows.arrays, logits)
    print(json.dumps(figures), flush=True)
    log = {"options": {k: str(v) for k, v in vars(options).items()}, "fold": options.fold}
    log |= {"figures": figures}
    (options.out / "log.json").write_text(json.dumps(log), encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    options = read_options(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    torch.set_float32_matmul_precision("highest")
    began = time.time()
    network = train(options).eval()
    print(f"trained in {time.time() - began:.0f} s", flush=True)
    if options.trunk:
        torch.save(network.state_dict(), options.out / "network.pt")
    else:
        measure(network, options)
    if options.label:
        rows = Rows(options.prepared / "train.npz")
        logits = label(network, rows, options.batch, exact=False).logits
        save_arrays(options.out / "train-logits.npz", {"logits": logits.astype(np.float16)})
    if options.export:
        export(network, options.out)
    print(f"all done in {time.time() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
