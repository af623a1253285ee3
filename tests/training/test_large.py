"""The large model's pipeline on the CPU: a tiny base in a GGUF file, made data, every step."""

import json
import random
import shutil
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs the 'train' extra: pip install 'assay[train]'")

import torch

from assay.core.texts import Source
from assay.metrics import Resampling
from tests.detectors.embedded.large.tiny_base import INNER, KEYS, LAYERS, WIDTH, write_base
from tests.training.test_pipeline import tiny_base
from training import (
    average_large,
    calibrate,
    evaluate_large,
    evaluate_withstand,
    evaluate_words,
    label_large,
    made,
    pack_large,
    point_large,
    prepare_student,
    ship_large,
    train,
    train_large,
)
from training.adapter import WORD_HEAD, load_adapter, load_large, read_adapter
from training.arrays import load_arrays, rows_of_marks, save_arrays
from training.evaluate import Judged
from training.everyday import WHOLE, WRITTEN
from training.folds import Folds, allowed_rows, fold_of, row_shares
from training.items import ENTAILED, NEUTRAL, NOT_ENTAILED, UNKNOWN, WRONG, Item
from training.measured import suite
from training.network import Network
from training.point import Marked
from training.pointing import FIT
from training.prepare_large import Texts, prepare
from training.qwen import read_file
from training.rows import Ints, Rows
from training.ship import write_card
from training.soft import SoftLabels
from training.train import loss_of
from training.train_large import Rewind, make_optimizer, mark_weights
from training.withstand.reading import ANSWER

pytestmark = pytest.mark.soak

CPU = torch.device("cpu")
RANK = 4


def made_texts() -> Texts:
    """Items, of which some are about the sources of the folds, and examples."""
    rng = random.Random(1)
    written = list(islice((i for i in made.written({}, rng) if len(i.source) < 900), 8))
    cases = list(suite())[:80:2]
    tasks = [f"ragtruth-{task}" for task in ("summary", "qa", "data2txt")]
    crossed = [
        replace(case, group=tasks[n % 3], wrong=(() if case.response else ((0, 9),),))
        for n, case in enumerate(cases)
    ]
    sources = {case.cluster: case.source.text for case in cases}
    about = [Item("ragtruth-qa", text, written[0].sentences) for text in sources.values()]
    sets = ("summedits-podcast", "faithbench-sentences")
    named = [replace(case, group=sets[n % 2], question="") for n, case in enumerate(cases)]
    items = [*written, *about]
    suite_of_two = [replace(case, group="withstand-name") for case in cases[:12]]
    suite_of_two += [replace(case, group=ANSWER) for case in cases[12:20]]
    changed = [
        replace(case, id=f"{case.id}+lower", group=f"lower|{case.group}") for case in suite_of_two
    ]
    mixed = [replace(item, group="mixed") for item in about[:6]]
    everyday = [replace(case, group=WHOLE) for case in cases[20:30]]
    everyday += [replace(case, group=WRITTEN) for case in cases[:20]]
    source = "The ferry leaves at nine. It takes an hour. Dogs travel free."
    marked = [Marked(Source(source), "Dogs cost nothing.", ((0, 61),))] * 3
    return Texts(
        items,
        [*named, *cases],
        crossed,
        mixed,
        suite_of_two,
        changed,
        everyday,
        {FIT: marked, "WiCE": marked},
    )


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Threads that wait for each other take most of the time of so small a network."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def prepared(one_thread: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What training reads."""
    root = tmp_path_factory.mktemp("large")
    prepare(read_file(write_base(root / "base.gguf")), made_texts(), root / "prepared")
    return root / "prepared"


@pytest.fixture(scope="module")
def trained(prepared: Path) -> list[Path]:
    """Two folds, trained."""
    folders = [prepared.parent / f"fold-{fold}" for fold in (0, 1)]
    for fold, folder in enumerate(folders):
        options = ["--prepared", str(prepared), "--out", str(folder), "--fold", str(fold)]
        short = ["--rank", str(RANK), "--batch", "3840", "--steps", "3", "--mix", "written=0.5"]
        train_large.main([*options, *short])
    return folders


def test_new_adapter_changes_nothing_in_the_base(prepared: Path) -> None:
    torch.manual_seed(1)
    one, other = (load_large(prepared, rank, CPU) for rank in (RANK, 2))
    tokens = torch.arange(24).view(2, 12)
    assert torch.equal(one.hidden(tokens), other.hidden(tokens))
    trained_numbers = sum(p.numel() for name, p in one.named_parameters() if "layers" in name)
    sizes = (WIDTH + 2 * KEYS + WIDTH, 2 * WIDTH, WIDTH + 2 * INNER, INNER + WIDTH)
    assert trained_numbers == LAYERS * (RANK * sum(sizes) + 2 * WIDTH)


def test_later_tokens_do_not_change_earlier_ones(prepared: Path) -> None:
    network = load_large(prepared, RANK, CPU)
    first, second = torch.arange(12)[None], torch.arange(12)[None].clone()
    second[0, 8:] += 20
    before, after = network.hidden(first), network.hidden(second)
    assert torch.equal(before[:8], after[:8])
    assert not torch.equal(before[8:], after[8:])


def test_training_moves_the_adapter_and_never_the_base(prepared: Path, trained: list[Path]) -> None:
    stored = load_arrays(trained[0] / "adapter-0.npz")
    assert {array.dtype for array in stored.values()} == {np.dtype(np.float16)}
    assert all(stored[name].any() for name in stored if name.endswith(".wide"))
    assert not [name for name in stored if name.endswith(("weight", "qkv_bias", "embedding"))]


def test_stored_adapter_gives_the_logits_that_were_measured(
    prepared: Path, trained: list[Path], tmp_path: Path
) -> None:
    options = ["--prepared", str(prepared), "--out", str(tmp_path), "--rank", str(RANK)]
    again = ["--from", str(trained[0]), "--seconds", "0", "--batch", "3840"]
    train_large.main([*options, *again])
    first, second = (
        load_arrays(folder / "development.npz")["logits"] for folder in (trained[0], tmp_path)
    )
    assert np.abs(first - second).max() < 0.02  # stored in 16 bits
    network = load_large(prepared, RANK, CPU)
    load_adapter(network, tmp_path)
    stored = load_arrays(tmp_path / "adapter-0.npz")["head"]
    assert np.array_equal(network.head.detach().numpy().astype(np.float16), stored)


def test_jump_of_the_loss_takes_back_the_weights_and_halves_the_rate(prepared: Path) -> None:
    network = load_large(prepared, RANK, CPU)
    optimizer = make_optimizer(network, 0.1)
    rewind = Rewind(network, optimizer)

    def step() -> torch.Tensor:
        torch.autograd.backward(network.head.square().sum())
        optimizer.step()
        optimizer.zero_grad()
        return network.head.detach().clone()

    good = step()
    assert not rewind.check(0.2)
    step()
    assert rewind.check(0.31)
    assert torch.equal(network.head, good)
    assert [group["highest"] for group in optimizer.param_groups] == [0.05, 0.1]
    assert rewind.check(float("nan"))
    assert [group["highest"] for group in optimizer.param_groups] == [0.025, 0.05]
    step()
    assert not rewind.check(0.29)
    assert rewind.times == 2


def test_trunk_meets_only_sources_of_no_fold_and_branches_meet_them_less(prepared: Path) -> None:
    masks = np.array([0, 1, 2, 0], dtype=np.uint8)
    paths = ["--prepared", str(prepared), "--out", "."]
    trunk = train_large.read_options([*paths, "--trunk"])
    branch = train_large.read_options([*paths, "--fold", "1", "--replay", "0.25"])
    shares = [
        row_shares(masks, each.fold, trunk=each.trunk, replay=each.replay)
        for each in (trunk, branch)
    ]
    assert [each.tolist() for each in shares] == [[1, 0, 0, 1], [0.25, 1, 0, 0.25]]


def test_adapters_are_labelled_by_packed_and_averaged(prepared: Path, trained: list[Path]) -> None:
    out = prepared.parent / "more"
    pack_large.main(["--trained", str(trained[0]), "--out", str(out / "packed")])
    average_large.main(["--trained", *map(str, trained), "--out", str(out / "mean")])
    one, two, packed, mean = (
        read_adapter(folder) for folder in (*trained, out / "packed", out / "mean")
    )
    assert set(packed) == set(mean) == set(one)
    for name, array in one.items():
        assert packed[name].shape == array.shape
        assert np.abs(packed[name] - array).max() <= np.ptp(array) / 25 + 1e-3
        assert np.allclose(mean[name], (array + two[name]) / 2, atol=2e-3)
    for fold, folder in enumerate(trained):
        options = ["--prepared", str(prepared), "--trained", str(folder), "--fold", str(fold)]
        label_large.main([*options, "--rank", str(RANK), "--batch", "3840"])
    folds = load_arrays(prepared / "train-folds.npz")
    rows = Rows(prepared / "train.npz")
    apart = rows_of_marks(rows.mark_ends)
    labels = SoftLabels(path for folder in trained for path in folder.glob("soft-train-own-*.npz"))
    known = ~np.isnan(labels.of(folds["keys"])[:, 0])
    assert np.array_equal(known, np.isin(folds["mask"], (1, 2))[apart])
    assert (trained[0] / "soft-unlabelled-own-0.npz").exists()


def test_calibration_is_fitted_on_folds_and_everyday_texts(
    prepared: Path, trained: list[Path], tmp_path: Path
) -> None:
    options = ["--prepared", str(prepared), "--trained", *map(str, trained)]
    calibrate.main([*options, "--model", str(tmp_path)])
    card = json.loads((tmp_path / "model.json").read_text())["calibration"]
    low, high = card["unsure"]
    assert card["scale"] > 0
    assert 0.1 <= low <= card["threshold"] == 0.5 <= high <= 0.9
    evaluate_large.main([*options, "--model", str(tmp_path), "--replicates", "10"])


def test_band_reaches_as_far_as_the_errors_that_it_takes_in() -> None:
    chances = np.linspace(0.05, 0.95, 19)
    judged = Judged(chances, np.arange(19) % 2 == 0, [str(n) for n in range(19)])
    whole, sentences = Mock(), Mock()
    whole.responses.return_value = whole.labelled.return_value = judged
    sentences.labelled.return_value = judged
    folds = [calibrate.Fold(sentences, whole)]
    low, high = calibrate._band(folds, 1.0, 0.0, calibrate.Bounds(0.3, 0.3))
    # Three of ten faithful responses lie below 0.32, three of ten unfaithful sentences above 0.69.
    assert (low, high) == (0.32, 0.69)
    assert calibrate._band(folds, 1.0, 0.0, calibrate.Bounds(0.0, 0.0)) == (0.1, 0.9)
    assert calibrate._band(folds, 1.0, 0.0, calibrate.Bounds(0.9, 0.9)) == (0.5, 0.5)


def test_words_that_people_marked_are_measured(
    prepared: Path, trained: list[Path], tmp_path: Path
) -> None:
    folder = tmp_path / "fold-0"
    shutil.copytree(trained[0], folder)
    rows = Rows(prepared / "folds" / "development.npz")
    said = load_arrays(folder / "folds" / "development.npz")
    known = rows.arrays["words"]
    assert len(said["words"]) == len(known) == rows.word_ends[-1]
    said["words"] = np.where(known == WRONG, 2.0, -2.0).astype(np.float16)
    said["logits"] = np.zeros_like(said["logits"])
    save_arrays(folder / "folds" / "development.npz", said)
    write_card(tmp_path, {"calibration": {"scale": 1.0, "shift": 0.0}})
    paths = ["--prepared", str(prepared), "--trained", str(folder), "--model", str(tmp_path)]
    evaluate_words.main([*paths, "--replicates", "10"])
    found = json.loads((folder / "words.json").read_text())
    assert found["example F1"].startswith("1.000")
    assert float(found["character F1"][:5]) > 0.8  # whole words are marked, people marked letters
    assert json.loads((tmp_path / "model.json").read_text())["marks"]["cut"] < 0.88


def test_heads_are_chosen_and_the_packed_adapter_is_put_into_a_folder(
    prepared: Path, trained: list[Path], tmp_path: Path
) -> None:
    point_large.main(
        ["--prepared", str(prepared), "--trained", str(trained[0]), "--rank", str(RANK)]
    )
    heads = trained[0] / "heads.json"
    assert json.loads(heads.read_text())["heads"][0][0] < LAYERS
    packed, base = tmp_path / "packed", prepared.parent / "base.gguf"
    pack_large.main(["--trained", str(trained[0]), "--out", str(packed)])
    options = ["--packed", str(packed), "--base", str(base), "--heads", str(heads)]
    ship_large.main([*options, "--out", str(tmp_path / "model")])
    card = json.loads((tmp_path / "model" / "model.json").read_text())
    stored = load_arrays(tmp_path / "model" / "adapter.npz")
    assert stored["words"].shape == (3, WIDTH)
    assert card["layers"] == LAYERS
    assert card["base"]["bytes"] == base.stat().st_size
    assert card["evidence"]["heads"] == json.loads(heads.read_text())["heads"]


def test_adapter_of_an_earlier_run_gets_a_new_word_head(
    prepared: Path, trained: list[Path], tmp_path: Path
) -> None:
    stored = load_arrays(trained[0] / "adapter-0.npz")
    assert stored["words"].any()
    earlier = {name: array for name, array in stored.items() if name not in WORD_HEAD}
    save_arrays(tmp_path / "adapter-0.npz", earlier)
    network = load_large(prepared, RANK, CPU)
    torch.nn.init.ones_(network.words)
    load_adapter(network, tmp_path)
    assert not network.words.any()
    average_large.main(["--trained", str(trained[0]), str(tmp_path), "--out", str(tmp_path)])
    assert np.array_equal(load_arrays(tmp_path / "adapter-0.npz")["words"], stored["words"])


def test_what_is_withstood_is_reported(
    prepared: Path, trained: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = ["--prepared", str(prepared), "--trained", str(trained[0]), "--model", str(tmp_path)]
    calibration = {"scale": 1, "shift": 0, "unsure": [0.2, 0.7]}
    card = {"calibration": calibration, "figures": {"another": "stays"}}
    (tmp_path / "model.json").write_text(json.dumps(card))
    evaluate_withstand.main([*paths, "--replicates", "20", "--card"])
    figures = json.loads((tmp_path / "model.json").read_text())["figures"]
    assert list(figures) == ["another", "everyday sentences", "everyday answers without an error"]
    assert figures["everyday sentences"].startswith("errors noticed ")
    said = capsys.readouterr().out
    assert "all kinds: noticed at 15 % false alarms" in said
    assert "whole answers: unfaithful noticed" in said
    # The variants of this made suite are the plain examples again.
    assert json.loads((trained[0] / "withstand.json").read_text())["lower: changed"].startswith("0")


def test_fold_is_not_trained_on(prepared: Path) -> None:
    masks = load_arrays(prepared / "train-folds.npz")["mask"]
    rows = Rows(prepared / "train.npz")
    about = np.array([name.startswith("ragtruth") for name in rows.groups])[rows.arrays["group"]]
    expected = [1 << fold_of(name) for name in {each.cluster: 0 for each in made_texts().crossed}]
    assert len(set(expected)) > 2
    assert masks[about].tolist() == expected
    assert not masks[~about].any()
    for fold in range(4):
        left_out = ~allowed_rows(masks, fold)
        assert left_out[about].tolist() == [mask == 1 << fold for mask in expected]
    assert allowed_rows(masks, -1).all()


def test_source_of_two_folds_is_left_out_of_both() -> None:
    folds, text = Folds(), "The ferry has crossed the strait of Otranto since the year 1986. " * 3
    folds.add("11805", text)
    folds.add("11803", text)
    assert folds.mask(text + "More.") == 0b1001
    assert folds.mask("Another source, which is long enough to have a print of its own.") == 0


def test_unfaithful_sentences_of_ragtruth_count_twice(prepared: Path) -> None:
    rows = Rows(prepared / "train.npz")
    targets = np.resize([ENTAILED, NEUTRAL, NOT_ENTAILED, UNKNOWN], len(rows.arrays["marks"]))
    weights = mark_weights(rows, targets)
    names = np.array(rows.groups)[rows.arrays["group"]]
    of_ragtruth = np.repeat(names == "ragtruth-qa", rows.mark_ends - rows.mark_starts)
    heavy = of_ragtruth & np.isin(targets, (NEUTRAL, NOT_ENTAILED))
    assert heavy.any()
    assert np.array_equal(weights, np.where(heavy, 2, 1))


def test_weights_change_the_share_of_a_mark_in_the_loss() -> None:
    logits = torch.tensor([[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]]).log()
    targets, line = torch.tensor([ENTAILED, NEUTRAL]), torch.tensor([0, 0])
    found = loss_of(logits, targets, line, weights=torch.tensor([1.0, 2.0])).item()
    assert found == pytest.approx(-(np.log(0.5) + 2 * np.log(0.3)) / 3, abs=1e-6)


def test_folds_are_measured_each_on_its_own_sources(
    prepared: Path, trained: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    runs = [evaluate_large.Trained(prepared, folder) for folder in trained]
    for fold, run in enumerate(runs):
        assert run.crossed is not None
        assert {fold_of(each["cluster"]) for each in run.crossed.examples} == {fold}
    paths = ["--prepared", str(prepared), "--trained", *map(str, trained)]
    evaluate_large.main([*paths, "--replicates", "20"])
    figures = json.loads((trained[0] / "figures.json").read_text())
    judged = sum(len(run.crossed.examples) for run in runs if run.crossed)
    assert f"n={judged};" in figures["ragtruth response F1 of unfaithful"]
    assert "runs" in figures["summedits-podcast response AUC"]
    assert "suite noticed at 15 % false alarms" in capsys.readouterr().out


def test_share_noticed_is_at_the_threshold_of_the_false_alarms() -> None:
    scores = np.concatenate([np.arange(100) / 100, [0.05, 0.145, 0.155, 0.9]])
    gold = np.arange(104) < 100
    judged = Judged(scores, gold, [str(number) for number in range(104)])
    assert evaluate_large.noticed_at(judged, 0.15) == 0.5
    report = evaluate_large.Report([], Resampling(10))
    assert report._noticed(judged).value == 0.5


def test_f1_is_that_of_the_unfaithful_responses() -> None:
    gold = np.array([True, False, False, False])
    judged = Judged(np.array([0.1, 0.1, 0.1, 0.9]), gold, list("abcd"))
    found = evaluate_large.Report([], Resampling(10))._f1(judged).value
    assert found == pytest.approx(2 * 2 / (3 + 3))


def test_question_and_source_are_in_the_row(prepared: Path) -> None:
    rows = Rows(prepared / "development.npz")
    first = rows.arrays["tokens"][: rows.ends[0]]
    assert first[0] == 0
    assert (first == 1).sum() == (first == 2).sum() == 1
    assert first[-1] == 3


def test_student_is_kept_from_the_sources_of_its_fold_and_measured_on_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    met: set[int] = set()
    real = train.Lesson.loss

    def loss(lesson: train.Lesson, network: Network, chosen: Ints) -> torch.Tensor:
        met.update(chosen.tolist())
        return real(lesson, network, chosen)

    monkeypatch.setattr(train.Lesson, "loss", loss)
    prepared, out = tmp_path / "prepared", tmp_path / "out"
    prepare_student.prepare(tiny_base(), made_texts(), prepared)
    mask = load_arrays(prepared / "train-folds.npz")["mask"]
    keys = load_arrays(prepared / "train-keys.npz")["keys"]
    rows = Rows(prepared / "train.npz")
    apart = set(np.flatnonzero(mask & 0b10).tolist())
    assert len(keys) == len(rows.arrays["marks"])
    assert "mixed" in rows.groups
    options = ["--prepared", str(prepared), "--out", str(out), "--layers", "1", "--fold", "1"]
    train.main([*options, "--batch", "4096", "--tokens", "49152"])
    assert apart
    assert met == set(range(len(rows))) - apart
    assert json.loads((out / "log.json").read_text(encoding="utf-8"))["fold"] == 1
    evaluate_large.main(["--prepared", str(prepared), "--trained", str(out), "--replicates", "10"])
    figures = json.loads((out / "figures.json").read_text(encoding="utf-8"))
    assert "ragtruth-qa sentence AUC" in figures
    assert (out / "withstand" / "development.npz").exists()
