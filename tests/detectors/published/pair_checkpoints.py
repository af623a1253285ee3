"""Small checkpoints of the classifiers of pairs: DeBERTa, ALBERT, AlignScore, SummaC's layer."""

from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import torch
import transformers
from tokenizers import processors

from tests.detectors.published import checkpoints

_SMALL: dict[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
}
VITAMINC = ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")


def names_of(labels: tuple[str, ...]) -> dict[str, Any]:
    """Settings of a configuration that name its classes."""
    return {
        "id2label": dict(enumerate(labels)),
        "label2id": {label: number for number, label in enumerate(labels)},
    }


def bracketed_tokenizer(folder: Path, window: int) -> Any:
    """Writes a tokenizer of the form that DeBERTa-v3 and ALBERT have."""
    tokenizer = checkpoints.unigram_tokenizer(("[PAD]", "[CLS]", "[SEP]", "<unk>", "[MASK]"))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS]:0 $A:0 [SEP]:0",
        pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 1), ("[SEP]", 2)],
    )
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=window,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
        bos_token="[CLS]",
        cls_token="[CLS]",
        eos_token="[SEP]",
        sep_token="[SEP]",
        pad_token="[PAD]",
        unk_token="<unk>",
        mask_token="[MASK]",
    )
    fast.save_pretrained(folder)
    return fast


def deberta(folder: Path, labels: int = 2) -> Path:
    """A small DeBERTa-v3 with a head for pairs."""
    tokenizer = bracketed_tokenizer(folder, 2048)
    config = transformers.DebertaV2Config(
        **_SMALL,
        vocab_size=len(tokenizer),
        max_position_embeddings=512,
        type_vocab_size=0,
        relative_attention=True,
        position_buckets=32,
        norm_rel_ebd="layer_norm",
        share_att_key=True,
        pos_att_type=["p2c", "c2p"],
        position_biased_input=False,
        pooler_hidden_size=32,
        pad_token_id=0,
        num_labels=labels,
    )
    checkpoints.save(transformers.DebertaV2ForSequenceClassification(config), folder)
    return folder


def albert(folder: Path, labels: tuple[str, ...] = VITAMINC) -> Path:
    """A small ALBERT with three classes, in the order of those trained on VitaminC."""
    tokenizer = bracketed_tokenizer(folder, 512)
    config = transformers.AlbertConfig(
        **_SMALL,
        vocab_size=len(tokenizer),
        embedding_size=16,
        max_position_embeddings=512,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
        **names_of(labels),
    )
    checkpoints.save(transformers.AlbertForSequenceClassification(config), folder)
    return folder


def alignscore(folder: Path, **more: Any) -> Path:
    """A folder as AlignScore needs it: RoBERTa's tokenizer and configuration, and a `.ckpt`."""
    return heads(checkpoints.roberta(folder), **more)


def heads(folder: Path, **more: Any) -> Path:
    """Adds a `.ckpt` with the three heads to the folder of a RoBERTa."""
    config = transformers.RobertaConfig.from_pretrained(folder)
    parts: dict[str, Any] = {"base_model": transformers.RobertaModel(config)}
    sizes = {"bin_layer": 2, "tri_layer": 3, "reg_layer": 1}
    parts |= {name: torch.nn.Linear(config.hidden_size, size) for name, size in sizes.items()}
    state = {
        f"{part}.{name}": _drawn(f"{part}.{name}", value)
        for part, module in parts.items()
        for name, value in module.state_dict().items()
    }
    state["reg_layer.weight"] *= 0.05  # so that its numbers lie between 0 and 1, as after training
    state["reg_layer.bias"][:] = 0.5
    state["base_model.embeddings.position_ids"] = torch.arange(514)[None]  # of older versions
    saved = {"state_dict": state, "pytorch-lightning_version": "1.7.7", "epoch": 2, **more}
    torch.save(saved, folder / "AlignScore-small.ckpt")
    return folder


def convolution(path: Path, bins: int = 23) -> Path:
    """The two layers of SummaC's convolution, in a file."""
    shapes = {
        "mlp.weight": (1, bins),
        "mlp.bias": (1,),
        "layer_final.weight": (2, 3),
        "layer_final.bias": (2,),
    }
    torch.save({name: 0.2 * _drawn(name, torch.zeros(size)) for name, size in shapes.items()}, path)
    return path


def _drawn(name: str, like: torch.Tensor) -> torch.Tensor:
    """Weights that follow from their name and shape alone."""
    drawn = np.random.RandomState(crc32(name.encode())).standard_normal(like.shape)
    is_scale = like.dim() == 1 and name.endswith("LayerNorm.weight")
    value = 1 + 0.1 * drawn if is_scale else 0.5 * drawn
    return torch.from_numpy(np.asarray(value, dtype=np.float32))
