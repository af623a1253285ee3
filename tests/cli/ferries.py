"""A small corpus in RAGTruth's format, in a folder of its own."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

SOURCE = "The ferry crosses the strait twice a day. It carried 48,200 passengers last year."
GOOD = "The ferry crosses the strait twice a day."
BAD = "The red ferry crosses the strait twice a day."


def rows(count: int) -> Iterator[dict[str, Any]]:
    """Responses of which every second one has an error, which is true of the world."""
    label = {"start": 4, "end": 7, "text": "red", "label_type": "Evident Baseless Info"}
    about = {"meta": "No colour is given, so not red.", "implicit_true": True}
    for n in range(count):
        yield {
            "id": str(n),
            "source_id": str(n),
            "model": "m",
            "split": "test",
            "response": BAD if n % 2 else GOOD,
            "labels": [{**label, **about}] if n % 2 else [],
        }


def make_folder(folder: Path, monkeypatch: pytest.MonkeyPatch, count: int = 4) -> Path:
    """A working folder with so many responses."""
    monkeypatch.chdir(folder)
    for name in ("ASSAY_RUNS", "ASSAY_MODEL", "ASSAY_CONFIG", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "a-key")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
    monkeypatch.setenv("ASSAY_DATA", str(folder))
    corpus = folder / "ragtruth"
    corpus.mkdir()
    about = (
        {"source_id": str(n), "task_type": "Summary", "source_info": f"{SOURCE} Story {n}."}
        for n in range(count)
    )
    (corpus / "source_info.jsonl").write_text("\n".join(map(json.dumps, about)), "utf-8")
    (corpus / "response.jsonl").write_text("\n".join(map(json.dumps, rows(count))), "utf-8")
    return folder
