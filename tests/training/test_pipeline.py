"""The whole pipeline on the CPU: a tiny base model, made data, every step once."""

import json
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("torch", reason="training needs the 'train' extra: pip install 'assay[train]'")

import torch

from assay import check
from training import agree, evaluate, made, ship, train
from training.arrays import load_arrays, save_arrays
from training.base import SPECIALS, Base
from training.items import Item
from training.measured import Measured, suite
from training.prepare import prepare

pytestmark = pytest.mark.soak

WIDTH, INNER, LAYERS = 64, 128, 3


def tiny_base() -> Base:
    random_ = np.random.default_rng(3)

    def matrix(rows: int, columns: int) -> NDArray[np.float32]:
        return random_.normal(0, 0.1, (rows, columns)).astype(np.float32)

    words = [bytes([byte]) for byte in range(256)] + [b" t", b"he", b" the", b"in", b"er", b"on"]
    weights = {"token_embd.weight": matrix(SPECIALS + len(words), WIDTH)}
    weights["output_norm.weight"] = np.ones(WIDTH, dtype=np.float32)
    for layer in range(LAYERS):
        place = f"blk.{layer}"
        weights[f"{place}.attn_norm.weight"] = np.ones(WIDTH, dtype=np.float32)
        weights[f"{place}.ffn_norm.weight"] = np.ones(WIDTH, dtype=np.float32)
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            weights[f"{place}.{name}.weight"] = matrix(WIDTH, WIDTH)
        weights[f"{place}.ffn_gate.weight"] = matrix(INNER, WIDTH)
        weights[f"{place}.ffn_up.weight"] = matrix(INNER, WIDTH)
        weights[f"{place}.ffn_down.weight"] = matrix(WIDTH, INNER)
    return Base(weights, words, heads=1, key_heads=1)


def made_items() -> list[Item]:
    rng = random.Random(1)
    items = list(made.records(4, seed=2))
    written = list(islice((i for i in made.written({}, rng) if len(i.source) < 900), 8))
    altered = [made.altered(i.source, [s.text for s in i.sentences], rng) for i in written]
    copied = [made.copied(item.source, rng) for item in written]
    return [*items, *written, *(item for item in (*altered, *copied) if item)]


def made_examples() -> list[Measured]:
    """Cases of the suite, some of them under the names that calibration looks for."""
    cases = list(suite())[:36]
    tasks = [f"ragtruth-{task}" for task in ("summary", "qa", "data2txt")]
    named = [replace(case, group=tasks[n % 3]) for n, case in enumerate(cases)]
    faithbench = [replace(case, group="faithbench-sentences", question="") for case in cases[:12]]
    return [*named, *faithbench, *cases]


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Threads that wait for each other take most of the time of so small a network."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def folders(one_thread: None, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """The prepared data, the trained student and the shipped model."""
    root = tmp_path_factory.mktemp("pipeline")
    prepared, teacher, student, model = (
        root / n for n in ("prepared", "teacher", "student", "model")
    )
    prepare(tiny_base(), made_items(), made_examples(), prepared)
    common = ["--prepared", str(prepared), "--batch", "4096", "--tokens", "12000"]
    train.main([*common, "--layers", "3", "--label", "--out", str(teacher)])
    logits = str(teacher / "train-logits.npz")
    options = ["--layers", "2", "--teacher", logits, "--round-from", "0.5", "--average", "0.3"]
    train.main([*common, *options, "--mix", "records=0.5", "--export", "--out", str(student)])
    paths = ["--prepared", str(prepared), "--trained", str(student)]
    ship.main([*paths, "--out", str(model)])
    evaluate.main([*paths, "--model", str(model), "--replicates", "20"])
    return prepared, student, model


def test_student_learns_from_soft_labels_where_there_are_any(
    folders: tuple[Path, Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    prepared = folders[0]
    keys = np.unique(load_arrays(prepared / "train-keys.npz")["keys"])
    told = {"keys": keys[::2], "logits": np.tile([0.0, 0.0, 9.0], (len(keys[::2]), 1))}
    save_arrays(tmp_path / "soft.npz", told)
    paths = ["--prepared", str(prepared), "--soft", str(tmp_path / "soft.npz")]
    sizes = ["--batch", "4096", "--tokens", "40000", "--layers", "1", "--rate", "3e-3"]
    train.main([*paths, *sizes, "--share", "1", "--label", "--out", str(tmp_path / "out")])
    said = capsys.readouterr().out
    assert re.search(r"^[45]\d\.\d% of the sentences have soft labels", said)
    found = load_arrays(tmp_path / "out" / "train-logits.npz")["logits"].astype(float)
    known = np.isin(load_arrays(prepared / "train-keys.npz")["keys"], keys[::2])
    assert found[known, 2].mean() > found[known, 0].mean()


def test_shipped_model_gives_verdicts(folders: tuple[Path, Path, Path]) -> None:
    detector = f"embedded:{folders[2]}"
    (finding,) = check("The ferry left at noon.", "The ferry left.", detector=detector).sentences
    assert finding.verdict


def test_shipped_form_agrees_with_the_trained_network(
    folders: tuple[Path, Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    prepared, student, model = folders
    paths = ["--prepared", str(prepared), "--trained", str(student), "--model", str(model)]
    agree.main([*paths, "--count", "20"])
    assert capsys.readouterr().out.startswith("0 of 20 responses")


def test_figures_are_written_with_their_intervals(folders: tuple[Path, Path, Path]) -> None:
    figures = json.loads((folders[1] / "figures.json").read_text())
    assert "n=12" in figures["ragtruth-qa"]["sentence AUC"]
    assert figures["suite"]["all perturbations"].count("to") == 1


def test_card_says_what_the_model_is(folders: tuple[Path, Path, Path]) -> None:
    card = json.loads((folders[2] / "model.json").read_text())
    assert card["calibration"] == {"scale": 1.0, "shift": 0.0}
    assert card["layers"] == 2


def test_shipped_form_has_the_word_head(folders: tuple[Path, Path, Path]) -> None:
    shipped = load_arrays(folders[2] / "weights.npz")
    assert shipped["words"].shape == (3, WIDTH)
    assert shipped["words_bias"].shape == (1,)
    assert shipped["words"].any()


def test_same_seed_prepares_the_same_rows(folders: tuple[Path, Path, Path], tmp_path: Path) -> None:
    prepare(tiny_base(), made_items(), made_examples(), tmp_path)
    with np.load(tmp_path / "train.npz") as again, np.load(folders[0] / "train.npz") as first:
        assert np.array_equal(again["tokens"], first["tokens"])
        assert np.array_equal(again["targets"], first["targets"])
