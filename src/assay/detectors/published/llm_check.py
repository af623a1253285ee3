"""`llm-check`: scores of a causal model's inside while it reads a response (LLM-Check, 2024).

The attention score is the sum over the heads of one layer of the mean log of the weight that each
token of the response gives to itself. The hidden score is the mean log eigenvalue of the tokens'
covariance in one layer, each token's vector centred, with 0.001 added to the diagonal. Perplexity
and two entropies look at the distribution of the next token.

These have no bounds and no common scale. Raw scores become scores between 0 and 1 by maps that keep
their order; half stands where the authors of VeriGray put the threshold for Llama-2-7B.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import log
from typing import Any, Literal, get_args

import torch
from torch import Tensor, nn

from assay.core.errors import InputError, UnknownNameError
from assay.core.verdicts import Failure
from assay.detectors.local import LocalOptions
from assay.detectors.published.causal import CausalReader, open_causal, response_logits
from assay.detectors.published.kinds import ModelChoice
from assay.detectors.published.networks import Forward, TextNetwork
from assay.detectors.published.scores import Claim, Scored

ScoreKind = Literal["attention", "hidden", "perplexity", "window-entropy", "logit-entropy"]

ALPHA = 0.001
TOP = 50
# The layers and thresholds of VeriGray, appendix D, for Llama-2-7B: 32 layers of 32 heads.
_DEPTHS = {"attention": 21 / 32, "hidden": 20 / 32}
_ATTENTION = -174.0 / 32  # for a head
_HIDDEN = 6.3
_LEAST = torch.finfo(torch.float32).tiny  # a weight that is zero in float32 has no log


@dataclass(frozen=True, slots=True, eq=False)
class LlmCheck:
    """One of the scores, of one model.

    `low` says that low raw scores are those of faithful texts.
    """

    name: str
    version: str
    reader: CausalReader
    kind: ScoreKind
    forward: Forward
    layer: int | None
    low: bool = True
    threshold: float = 0.5

    def score(self, claims: Sequence[Claim]) -> list[Scored | Failure]:
        """The score of each claim; each response is read once."""
        passages, failed = self.reader.passages(claims)
        found: dict[int, Scored | Failure] = dict(failed)
        rows = self.reader.network.run([passage.row for passage in passages], self.forward)
        for passage, row in zip(passages, rows, strict=True):
            first = passage.first
            values = _prepared(self.kind, row[first : len(passage.ids)])
            for number, (start, end) in passage.slices.items():
                found[number] = self._scored(values, start - first, end - first)
        return [found[number] for number in range(len(claims))]

    def _scored(self, values: Tensor, start: int, end: int) -> Scored:
        raw = raw_score(self.kind, values, start, end)
        config = self.reader.network.model.config
        low = _unit_score(self.kind, raw, config)
        name = self.kind.replace("-", " ").capitalize()
        where = "" if self.layer is None else f" at layer {self.layer}"
        score = " score" if self.layer is not None else ""
        return Scored(low if self.low else 1 - low, note=f"{name}{score} {raw:.6g}{where}.")


def _prepared(kind: ScoreKind, values: Tensor) -> Tensor:
    """The values of a response's tokens, once for all of its slices."""
    if kind != "hidden":
        return values.double()
    states = values.double()
    states = states - states.mean(dim=1, keepdim=True)
    return states @ states.T


def raw_score(kind: ScoreKind, values: Tensor, start: int, end: int) -> float:
    """The score of a slice of tokens as the paper has it, without bounds.

    `values` are, for each token, the logs of its weights for itself by head; its products with all
    tokens; its log-probability; or its entropy.
    """
    if kind == "hidden":
        own = values[start:end, start:end] + ALPHA * torch.eye(end - start, dtype=torch.float64)
        return float(torch.linalg.slogdet(own).logabsdet) / (end - start)
    own = values[start:end]
    if kind == "attention":
        return float(own.mean(dim=0).sum())
    if kind == "perplexity":
        return float(torch.exp(-own.mean()))
    return float(own.max() if kind == "window-entropy" else own.mean())


def _unit_score(kind: ScoreKind, raw: float, config: Any) -> float:
    """A raw score on a scale from 0 to 1, on which a low one is near 1."""
    if kind == "perplexity":
        return 1 / (1 + max(0.0, log(raw)))  # half at e
    if kind in ("window-entropy", "logit-entropy"):
        size = int(config.vocab_size)
        size = size if kind == "window-entropy" else min(TOP, size)
        most = log(size) / size  # that of an even distribution
        return min(1.0, max(0.0, 1 - raw / most))
    if kind == "attention":
        return falling(raw / int(config.num_attention_heads) - _ATTENTION)
    return falling(raw - _HIDDEN)


def falling(distance: float) -> float:
    """A number on a scale from 0 to 1, falling; 0 is half. Far from it, numbers still differ.

    >>> falling(0.0), falling(1.0), falling(-1.0), falling(99.0)
    (0.5, 0.25, 0.75, 0.005)
    """
    half = 0.5 / (1 + abs(distance))
    return half if distance > 0 else 1 - half


def _attention_logs(tap: nn.Module, model: Any, batch: Mapping[str, Tensor]) -> Tensor:
    """The log of the weight of each token for itself, by head."""

    def logs(output: Any) -> Tensor:
        weights: Tensor = output[1].diagonal(dim1=-2, dim2=-1).float()
        return weights.clamp_min(_LEAST).log().transpose(1, 2)

    return _tapped(tap, logs, model, batch)


def _hidden_states(tap: nn.Module, model: Any, batch: Mapping[str, Tensor]) -> Tensor:
    """The vectors of the tokens after a layer."""
    return _tapped(tap, lambda out: out[0] if isinstance(out, tuple) else out, model, batch)


def _tapped(
    tap: nn.Module, pick: Callable[[Any], Tensor], model: Any, batch: Mapping[str, Tensor]
) -> Tensor:
    """A part of a module's output, picked while a model reads a batch."""
    kept: list[Tensor] = []
    handle = tap.register_forward_hook(lambda _, __, output: kept.append(pick(output)))
    try:
        model.base_model(
            input_ids=batch["input_ids"], attention_mask=batch["attention_mask"], use_cache=False
        )
    finally:
        handle.remove()
    return kept[0]


def _token_values(kind: ScoreKind, model: Any, batch: Mapping[str, Tensor]) -> Tensor:
    """The log-probability of each token, or the entropy of what may follow it.

    The entropies are means over the entries of a distribution, as in the released code.
    """
    logits, first = response_logits(model, batch)
    ids = batch["input_ids"]
    if kind == "perplexity":
        logs = torch.log_softmax(logits[:, :-1], dim=-1)
        values = logs.gather(2, ids[:, first + 1 :, None])[:, :, 0]
        return nn.functional.pad(values, (first + 1, 0))
    if kind == "logit-entropy":
        logits = logits.topk(min(TOP, logits.shape[-1]), dim=-1).values
    logs = torch.log_softmax(logits, dim=-1)
    return nn.functional.pad(-(logs.exp() * logs).mean(dim=-1), (first, 0))


def _cut_layers(network: TextNetwork, keep: int, choice: ModelChoice) -> nn.Module:
    """The last of the layers that are needed; those after it are let go."""
    count = network.model.config.num_hidden_layers
    for module in network.model.base_model.modules():
        if isinstance(module, nn.ModuleList) and len(module) == count:
            del module[keep:]
            network.model.config.num_hidden_layers = keep
            return module[keep - 1]
    raise _no_layers(choice)


def _attention_of(layer: nn.Module, choice: ModelChoice) -> nn.Module:
    for module in layer.modules():
        if type(module).__name__.endswith("Attention"):
            return module
    raise _no_layers(choice)


def _no_layers(choice: ModelChoice) -> InputError:
    return InputError(
        f"{choice.name}: its layers of attention cannot be found; use score=perplexity,"
        " score=window-entropy or score=logit-entropy",
        field="detector",
        code="checkpoint",
    )


def open_llm_check(choice: ModelChoice, local: LocalOptions) -> LlmCheck:
    """The method with a model: `score`, `layer`, `faithful`, `alone`, `prompt` and `dtype`."""
    kind = _kind(choice)
    low = choice["faithful"] or "low"
    if low not in ("low", "high"):
        raise UnknownNameError(f"faithful of {choice.detector}", low, ("low", "high"))
    folder = choice.folder()
    eager = {"attn_implementation": "eager"} if kind == "attention" else {}
    reader = open_causal(folder, choice, local, **eager)
    layer = _layer(kind, choice, reader.network.model.config.num_hidden_layers)
    forward = _forward(kind, layer, reader.network, choice)
    said = [kind, *([f"layer {layer}"] if layer is not None else []), low]
    said += ["alone"] if reader.alone else []
    version = f"{folder.digest} {' '.join(said)} {reader.prompt.digest}"
    return LlmCheck(choice.name, version, reader, kind, forward, layer, low == "low")


def _kind(choice: ModelChoice) -> ScoreKind:
    given = choice["score"] or "attention"
    for kind in get_args(ScoreKind):
        if kind == given:
            return kind  # type: ignore[no-any-return]
    raise UnknownNameError(f"score of {choice.detector}", given, get_args(ScoreKind))


def _layer(kind: ScoreKind, choice: ModelChoice, count: int) -> int | None:
    """The layer by its number in transformers: attention from 0, hidden states from 1."""
    given = choice["layer"]
    if kind not in _DEPTHS:
        if given:
            raise InputError(f"{choice.detector}: score={kind} has no layer", field="detector")
        return None
    first = 0 if kind == "attention" else 1
    layer = int(given) if given.isdecimal() else None if given else round(_DEPTHS[kind] * count)
    if layer is None or not first <= layer < first + count:
        raise InputError(
            f"the layer of {choice.name} for score={kind} is {first} to {first + count - 1},"
            f" not {given}",
            field="detector",
        )
    return layer


def _forward(
    kind: ScoreKind, layer: int | None, network: TextNetwork, choice: ModelChoice
) -> Forward:
    """The function that reads a batch; layers that it does not need are dropped."""
    if layer is None:
        return partial(_token_values, kind)
    if kind == "attention":
        return partial(
            _attention_logs, _attention_of(_cut_layers(network, layer + 1, choice), choice)
        )
    if layer < network.model.config.num_hidden_layers:
        return partial(_hidden_states, _cut_layers(network, layer, choice))
    return lambda model, batch: (
        model.base_model(  # the last one is seen after the final norm
            input_ids=batch["input_ids"], attention_mask=batch["attention_mask"], use_cache=False
        ).last_hidden_state
    )
