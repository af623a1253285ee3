"""Step 1 for a student of the large model: the large model's items in the small model's tokens.

    python -m training.prepare_student --base BASE.gguf --data DATA --out prepared-student

Writes what `training.prepare` writes, but with the sources of all folds and with the responses that
nobody judged, whose sentences only a teacher can label; `train-folds.npz` says which folds keep
each row apart. `folds/`, `everyday/`, `withstand/` and `variants/` are measured on as well. The
same seed gives the same files.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from training.base import Base, read_base
from training.measured import write_gold
from training.prepare import development_rows, prepare_training, save_rows
from training.prepare_large import Texts, dealt_out, read_texts, save_folds


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    prepare(read_base(options.base), read_texts(options.data), options.out)


def prepare(base: Base, texts: Texts, out: Path) -> None:
    """Writes everything that training reads."""
    items = [*texts.items, *texts.unlabelled]
    tokenizer, rows = prepare_training(base, items, out)
    save_folds(rows, items, dealt_out(texts), out / "train-folds.npz")
    measured = {
        "": texts.examples,
        "folds": texts.crossed,
        "everyday": texts.everyday,
        "withstand": texts.withstood,
        "variants": texts.changed,
    }
    for name, examples in measured.items():
        (out / name).mkdir(exist_ok=True)
        save_rows(development_rows(examples, tokenizer), out / name / "development.npz")
        write_gold(examples, out / name / "development.jsonl")


if __name__ == "__main__":
    main()
