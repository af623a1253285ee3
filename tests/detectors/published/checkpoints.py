"""Small checkpoints of the published architectures, the same on every machine and in every version.

Vocabularies are counted from the text of our licence, and weights come from NumPy's old generator,
whose stream never changes, seeded by the name of each. So figures of a reference that were recorded
once hold for the networks that a test makes.
"""

import json
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import torch
import transformers
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors

ROOT = Path(__file__).parents[3]
MERGES = 400
WORDS = 500


@cache
def words() -> Counter[str]:
    """The words of the licence, and how often each occurs."""
    return Counter((ROOT / "LICENSE").read_text(encoding="utf-8").split())


@cache
def byte_merges() -> tuple[tuple[str, str], ...]:
    """The pairs that a byte-level vocabulary joins, most frequent first, ties by the alphabet."""
    spelled = {tuple(f"Ġ{word}" if word.isascii() else ""): n for word, n in words().items()}
    found = []
    for _ in range(MERGES):
        pairs = Counter[tuple[str, str]]()
        for pieces, count in spelled.items():
            for pair in pairwise(pieces):
                pairs[pair] += count
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        found.append(best)
        spelled = {_joined(pieces, best): count for pieces, count in spelled.items()}
    return tuple(found)


def _joined(pieces: tuple[str, ...], pair: tuple[str, str]) -> tuple[str, ...]:
    out: list[str] = []
    for piece in pieces:
        if out and (out[-1], piece) == pair:
            out[-1] += piece
        else:
            out.append(piece)
    return tuple(out)


def byte_tokenizer(specials: Sequence[str]) -> Any:
    """A byte-level tokenizer, as RoBERTa, ModernBERT and most causal models have one."""
    merges = byte_merges()
    pieces = [*specials, *sorted(pre_tokenizers.ByteLevel.alphabet()), *map("".join, merges)]
    vocabulary = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
    tokenizer = Tokenizer(models.BPE(vocabulary, list(merges)))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(list(specials))
    return tokenizer


def unigram_tokenizer(specials: Sequence[str]) -> Any:
    """A tokenizer of pieces with log-probabilities, as T5, DeBERTa and ALBERT have one."""
    counted = words()
    letters = Counter(letter for word in counted.elements() for letter in f"▁{word}")
    total = sum(counted.values()) + sum(letters.values())
    frequent = sorted(counted, key=lambda word: (-counted[word], word))[:WORDS]
    pieces = [(special, 0.0) for special in specials]
    pieces += [(f"▁{word}", float(np.log(counted[word] / total))) for word in frequent]
    pieces += [(each, float(np.log(letters[each] / total)) - 5) for each in sorted(letters)]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=list(specials).index("<unk>")))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.add_special_tokens(list(specials))
    return tokenizer


def roberta_tokenizer(folder: Path) -> Any:
    """Writes a tokenizer of RoBERTa's form."""
    tokenizer = byte_tokenizer(("<s>", "<pad>", "</s>", "<unk>", "<mask>"))
    tokenizer.post_processor = processors.RobertaProcessing(
        ("</s>", 2), ("<s>", 0), add_prefix_space=False
    )
    names = {"bos": "<s>", "eos": "</s>", "sep": "</s>", "cls": "<s>", "unk": "<unk>"}
    names |= {"pad": "<pad>", "mask": "<mask>"}
    return _write(tokenizer, folder, 512, names)


def roberta(folder: Path, labels: int = 2, **more: Any) -> Path:
    """A small RoBERTa with a head for pairs."""
    tokenizer = roberta_tokenizer(folder)
    config = transformers.RobertaConfig(
        **{**_SMALL, "vocab_size": len(tokenizer), "max_position_embeddings": 514},
        type_vocab_size=1,
        num_labels=labels,
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
        **more,
    )
    save(transformers.RobertaForSequenceClassification(config), folder)
    return folder


def t5_tokenizer(folder: Path) -> Any:
    """Writes a tokenizer of T5's form."""
    tokenizer = unigram_tokenizer(("<pad>", "</s>", "<unk>"))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)]
    )
    return _write(tokenizer, folder, 2048, {"eos": "</s>", "unk": "<unk>", "pad": "<pad>"})


def t5(folder: Path) -> Path:
    """A small T5 that writes."""
    tokenizer = t5_tokenizer(folder)
    config = transformers.T5Config(
        vocab_size=len(tokenizer),
        d_model=32,
        d_kv=8,
        d_ff=64,
        num_layers=2,
        num_heads=4,
        feed_forward_proj="gated-gelu",
        tie_word_embeddings=False,
        decoder_start_token_id=0,
    )
    save(transformers.T5ForConditionalGeneration(config), folder)
    return folder


_SMALL: dict[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
}


def _write(tokenizer: Any, folder: Path, window: int, names: dict[str, str]) -> Any:
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=window,
        **{f"{name}_token": token for name, token in names.items()},
    )
    fast.save_pretrained(folder)
    return fast


def save(model: Any, folder: Path) -> None:
    """Writes a network whose weights follow from their names and shapes alone."""
    with torch.no_grad():
        for name, weight in model.named_parameters():
            drawn = np.random.RandomState(crc32(name.encode())).standard_normal(weight.shape)
            is_scale = weight.dim() == 1 and name.endswith("weight")  # that of a norm
            value = 1 + 0.1 * drawn if is_scale else 0.5 * drawn
            weight.copy_(torch.from_numpy(np.asarray(value, dtype=np.float32)))
    model.save_pretrained(folder)


def hhem(folder: Path) -> Path:
    """A small HHEM: weights under the released names, and in `foundation` the T5 it is made of."""
    foundation = folder / "foundation"
    tokenizer = t5_tokenizer(foundation)
    config = transformers.T5Config(
        vocab_size=len(tokenizer),
        d_model=32,
        d_kv=8,
        d_ff=64,
        num_layers=2,
        num_heads=4,
        feed_forward_proj="gated-gelu",
        num_labels=2,
    )
    save(transformers.T5ForTokenClassification(config), foundation)
    weights = load_file(foundation / "model.safetensors")
    renamed = {f"t5.{name}": weight for name, weight in weights.items()}
    save_file(renamed, folder / "model.safetensors")
    said = {"architectures": ["HHEMv2ForSequenceClassification"], "model_type": "HHEMv2Config"}
    (folder / "config.json").write_text(json.dumps({**said, "foundation": str(foundation)}))
    return folder


def answering_t5(folder: Path) -> Path:
    """A small T5 that often answers 1."""
    tokenizer = t5_tokenizer(folder)
    config = transformers.T5Config(
        vocab_size=len(tokenizer),
        d_model=32,
        d_kv=8,
        d_ff=64,
        num_layers=2,
        num_heads=4,
        tie_word_embeddings=False,
        decoder_start_token_id=0,
    )
    save(transformers.T5ForConditionalGeneration(config), folder)
    weights = load_file(folder / "model.safetensors")
    weights["lm_head.weight"] = 0.2 * weights["shared.weight"]
    weights["lm_head.weight"][tokenizer("1")["input_ids"][0]] *= 14
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    said = json.loads((folder / "config.json").read_text())
    said = {**said, "tie_word_embeddings": False, "scale_decoder_outputs": False}
    (folder / "config.json").write_text(json.dumps(said))
    return folder


def modernbert_tokenizer(folder: Path, window: int = 8192) -> Any:
    """Writes a tokenizer of ModernBERT's form."""
    tokenizer = byte_tokenizer(("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B [SEP]",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    names = {"cls": "[CLS]", "sep": "[SEP]", "unk": "[UNK]", "pad": "[PAD]", "mask": "[MASK]"}
    return _write(tokenizer, folder, window, names)


def modernbert(folder: Path, labels: int = 2) -> Path:
    """A small ModernBERT with a head for tokens."""
    tokenizer = modernbert_tokenizer(folder)
    config = transformers.ModernBertConfig(
        **_SMALL,
        vocab_size=len(tokenizer),
        max_position_embeddings=8192,
        num_labels=labels,
        pad_token_id=0,
        cls_token_id=2,
        sep_token_id=3,
        bos_token_id=2,
        eos_token_id=3,
    )
    save(transformers.ModernBertForTokenClassification(config), folder)
    return folder


def eurobert(folder: Path) -> Path:
    """A small EuroBERT with a head for tokens, whose configuration names code as the released."""
    tokenizer = modernbert_tokenizer(folder)
    config = transformers.EuroBertConfig(
        **_SMALL,
        num_key_value_heads=4,
        head_dim=8,
        vocab_size=len(tokenizer),
        max_position_embeddings=8192,
        num_labels=2,
        pad_token_id=0,
        bos_token_id=2,
        eos_token_id=3,
    )
    save(transformers.EuroBertForTokenClassification(config), folder)
    said = json.loads((folder / "config.json").read_text())
    said["auto_map"] = {"AutoModelForTokenClassification": "code.EuroBertForTokenClassification"}
    (folder / "config.json").write_text(json.dumps(said))
    return folder
