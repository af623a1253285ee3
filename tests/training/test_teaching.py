"""Teachers and learning curves on tiny networks: labels in parts, ensembles, bits, shares."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs the 'train' extra: pip install 'assay[train]'")

import torch

from assay.detectors.embedded.packing import FORMS
from tests.detectors.embedded.large.tiny_base import write_base
from tests.training.test_large import RANK, made_texts
from training import evaluate_large, flips, label_large, pack_large, ship_large, train_large
from training.adapter import read_adapter
from training.arrays import load_arrays, rows_of_marks, save_arrays
from training.folds import Folds, labelled_rows, lot_of
from training.label_large import chosen_rows
from training.prepare_large import prepare
from training.qwen import read_file
from training.rows import Rows
from training.soft import SoftLabels, teachers_of

pytestmark = pytest.mark.soak


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """What training reads; threads would wait for each other in so small a network."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    root = tmp_path_factory.mktemp("teaching")
    prepare(read_file(write_base(root / "base.gguf")), made_texts(), root / "prepared")
    yield root / "prepared"
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def runs(prepared: Path) -> dict[str, Path]:
    """A trunk and two adapters of fold 1, trained for two steps each."""
    found = {}
    for name, more in {
        "trunk": ["--trunk", "--fold", "-1"],
        "one": ["--fold", "1"],
        "two": ["--fold", "1", "--seed", "2"],
    }.items():
        found[name] = prepared.parent / name
        options = ["--prepared", str(prepared), "--out", str(found[name]), *more]
        train_large.main([*options, "--rank", str(RANK), "--batch", "3840", "--steps", "2"])
    return found


def label(prepared: Path, trained: Path, fold: int, *more: str) -> list[Path]:
    """The files that labelling leaves."""
    options = ["--prepared", str(prepared), "--trained", str(trained), "--fold", str(fold), *more]
    label_large.main([*options, "--rank", str(RANK), "--batch", "3840", "--parts", "3"])
    return sorted(trained.glob("soft-*.npz"))


def test_labelling_takes_up_where_it_was_cut_off(
    prepared: Path, runs: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    nothing = label(prepared, runs["one"], 1, "--rows", "others", "--seconds", "0")
    assert not nothing
    assert "6 parts are left: run it again" in capsys.readouterr().out
    files = label(prepared, runs["one"], 1, "--rows", "others")
    assert [path.name for path in files[:3]] == [f"soft-train-others-{n}.npz" for n in range(3)]
    kept = files[0].stat().st_mtime_ns
    files[1].unlink()
    again = label(prepared, runs["one"], 1, "--rows", "others")
    assert again == files
    assert again[0].stat().st_mtime_ns == kept
    assert "all parts are there" in capsys.readouterr().out


def test_student_of_a_fold_is_taught_every_row_by_teachers_that_have_not_met_it(
    prepared: Path, runs: dict[str, Path]
) -> None:
    files = [
        *label(prepared, runs["trunk"], 1, "--rows", "free"),
        *label(prepared, runs["one"], 1, "--rows", "others"),
        *label(prepared, runs["two"], 1, "--rows", "others"),
    ]
    assert teachers_of(files, 1) == files
    folds = load_arrays(prepared / "train-folds.npz")
    rows = Rows(prepared / "train.npz")
    known = ~np.isnan(SoftLabels(teachers_of(files, 1)).of(folds["keys"])[:, 0])
    may_be_met = (folds["mask"] >> 1 & 1 == 0)[rows_of_marks(rows.mark_ends)]
    assert np.array_equal(known, may_be_met)
    of_others = [path for path in files if path.parent != runs["trunk"]]
    assert teachers_of(files, 0) == [path for path in files if path not in of_others]
    with pytest.raises(ValueError, match="every teacher has met the sources of fold 0"):
        teachers_of(of_others, 0)
    assert teachers_of(of_others, -1) == of_others


def test_adapters_that_label_the_same_rows_count_alike(
    prepared: Path, runs: dict[str, Path]
) -> None:
    keys = load_arrays(prepared / "train-folds.npz")["keys"]
    said = []
    for name in ("one", "two"):
        label(prepared, runs[name], 1, "--rows", "others")
        said.append(SoftLabels(runs[name].glob("soft-train-others-*.npz")).of(keys))
    both = [p for name in ("one", "two") for p in runs[name].glob("soft-train-others-*.npz")]
    assert np.allclose(SoftLabels(both).of(keys), np.mean(said, axis=0), atol=1e-6, equal_nan=True)
    assert not np.allclose(said[0], said[1], equal_nan=True)


def test_adapter_that_met_a_fold_is_no_teacher_of_it(prepared: Path, runs: dict[str, Path]) -> None:
    with pytest.raises(ValueError, match="kept fold 1 apart, not 2"):
        label(prepared, runs["one"], 2)
    with pytest.raises(ValueError, match="measure the adapter"):
        label(prepared, prepared, 2)


def test_every_row_is_of_one_kind() -> None:
    masks = np.arange(16, dtype=np.uint8)
    for fold in range(-1, 4):
        kinds = np.array([chosen_rows(masks, fold, which) for which in label_large.ROWS])
        allowed = (masks >> max(fold, 0)) & 1 == 0 if fold >= 0 else np.ones(16, dtype=bool)
        assert (kinds[1:, allowed].sum(axis=0) == 1).all()
        assert kinds.sum(axis=0).max() == 1


@pytest.mark.parametrize("bits", FORMS)
def test_adapter_in_any_bits_is_read_and_shipped(
    prepared: Path, runs: dict[str, Path], tmp_path: Path, bits: int
) -> None:
    packed, model = tmp_path / "packed", tmp_path / "model"
    pack_large.main(["--trained", str(runs["one"]), "--out", str(packed), "--bits", str(bits)])
    whole, again = read_adapter(runs["one"]), read_adapter(packed)
    assert set(again) == set(whole)
    for name, array in whole.items():
        step = np.ptp(array) / (2**bits - 1)
        assert np.abs(again[name] - array).max() <= 0.6 * step + 2e-3
    base = prepared.parent / "base.gguf"
    ship_large.main(["--packed", str(packed), "--base", str(base), "--out", str(model)])
    card = json.loads((model / "model.json").read_text())
    stored = load_arrays(model / "adapter.npz")
    assert card["bits"] == bits
    assert ("bits" in stored) == (bits != 4)
    assert card["parameters"] == sum(array.size for array in whole.values())


def test_smaller_share_of_sources_is_part_of_a_larger_one(prepared: Path) -> None:
    folds = load_arrays(prepared / "train-folds.npz")
    quarter, half, whole = (labelled_rows(folds["lot"], share) for share in (0.25, 0.5, 1.0))
    assert whole.all()
    assert (half | ~quarter).all()
    free = folds["mask"] == 0
    assert quarter[free].all()
    assert not half[~free].all()
    options = ["--prepared", str(prepared), "--out", ".", "--fold", "1", "--labelled", "0.5"]
    shares = train_large.allowed_shares(train_large.read_options(options))
    assert not shares[~half].any()
    assert shares[half & (folds["mask"] >> 1 & 1 == 0)].all()


def test_lot_is_that_of_a_source_people_labelled() -> None:
    folds, text = Folds(), "The ferry has crossed the strait of Otranto since the year 1986. " * 3
    folds.add("11805", text)
    assert folds.lot(text) == 0
    folds.add("11805", text, labelled=True)
    assert folds.lot(text + "More.") == lot_of("11805") > 0


def test_figures_of_earlier_sources_alone(
    prepared: Path, runs: dict[str, Path], tmp_path: Path
) -> None:
    every = evaluate_large.Trained(prepared, runs["one"]).crossed
    assert every is not None
    left_out = every.examples[0]["cluster"]
    names = {each.cluster for each in made_texts().crossed} - {left_out}
    path = tmp_path / "source_info.jsonl"
    path.write_text("\n".join(json.dumps({"source_id": name}) for name in names))
    named = evaluate_large.read_sources(path)
    some = evaluate_large.Trained(prepared, runs["one"], sources=named).crossed
    assert some is not None
    assert some.examples == [each for each in every.examples if each["cluster"] != left_out]
    assert len(some.sentences) == len(some.examples)


def test_labels_without_a_word_about_folds_are_refused(tmp_path: Path) -> None:
    save_arrays(tmp_path / "soft.npz", {"logits": np.zeros((1, 3), dtype=np.float16)})
    with pytest.raises(KeyError):
        teachers_of([tmp_path / "soft.npz"], 0)


def test_verdicts_that_change_sides_are_counted(
    prepared: Path, runs: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    paths = ["--prepared", str(prepared), "--first", str(runs["one"]), "--second"]
    flips.main([*paths, str(runs["one"])])
    said = capsys.readouterr().out
    assert re.fullmatch(r"responses: 0 of \d+ \(0.0%\)\nsentences: 0 of \d+ \(0.0%\)\n", said)
    other = Path(shutil.copytree(runs["one"], prepared.parent / "turned"))
    turned = load_arrays(other / "folds" / "development.npz")
    turned["logits"] *= -9
    save_arrays(other / "folds" / "development.npz", turned)
    flips.main([*paths, str(other)])
    assert int(capsys.readouterr().out.split()[1]) > 0
    with pytest.raises(ValueError, match="the same folds"):
        flips.main([*paths, str(runs["trunk"])])
