"""The released data of one run; a corpus that several tables need is read once."""

from pathlib import Path

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.datasets.corpus import data_root, load_corpus


class Shelf:
    """Examples and files below one folder of corpora."""

    def __init__(self, root: str | Path | None = None) -> None:
        self.root = data_root(root)
        if not self.root.is_dir():
            raise InputError(
                f"no released data at {self.root}: give its folder with --data DIR or ASSAY_DATA"
            )
        self._examples: dict[str, list[Example]] = {}

    def examples(self, name: str) -> list[Example]:
        """The examples of a corpus."""
        if name not in self._examples:
            self._examples[name] = list(load_corpus(name, self.root))
        return self._examples[name]
