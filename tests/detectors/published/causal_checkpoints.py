"""Small causal models, with and without a form of chat."""

from pathlib import Path
from typing import Any

import transformers

from tests.detectors.published.checkpoints import byte_tokenizer, roberta, save

CHAT = (
    "{% for turn in messages %}{{ '<|' + turn['role'] + '|> ' + (turn['content'] | trim) }}"
    "{{ eos_token + '\n' }}{% endfor %}"
)


def causal_tokenizer(folder: Path, chat: str | None = CHAT) -> Any:
    """Writes a tokenizer of a causal model's form."""
    kind: Any = transformers.PreTrainedTokenizerFast
    fast = kind(
        tokenizer_object=byte_tokenizer(("<unk>", "<s>", "</s>")),
        model_max_length=1 << 20,
        unk_token="<unk>",
        bos_token="<s>",
        eos_token="</s>",
    )
    fast.chat_template = chat
    fast.save_pretrained(folder)
    return fast


def llama(folder: Path, chat: str | None = CHAT, **more: Any) -> Path:
    """A small Llama: four layers of four heads."""
    return _made(folder, chat, transformers.LlamaConfig, **more)


def qwen(folder: Path, chat: str | None = CHAT, **more: Any) -> Path:
    """A small Qwen2."""
    return _made(folder, chat, transformers.Qwen2Config, **more)


def _made(folder: Path, chat: str | None, config: Any, **more: Any) -> Path:
    tokenizer = causal_tokenizer(folder, chat)
    sizes = {
        "vocab_size": len(tokenizer),
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 4,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 8192,
        "bos_token_id": 1,
        "eos_token_id": 2,
    }
    kind: Any = transformers.AutoModelForCausalLM
    save(kind.from_config(config(**{**sizes, **more})), folder)
    return folder


def relations(folder: Path) -> Path:
    """A small NLI model whose three classes all occur among pairs of words."""
    names = ("CONTRADICTION", "ENTAILMENT", "NEUTRAL")
    return roberta(
        folder,
        3,
        id2label=dict(enumerate(names)),
        label2id={name: number for number, name in enumerate(names)},
    )
