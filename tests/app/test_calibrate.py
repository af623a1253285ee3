"""Calibrating a detector on labelled rows."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import assay
from assay.app.calibrate import Calibrated
from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.judgements import Judgement
from assay.detectors.embedded.calibration import Calibration
from assay.detectors.embedded.detector import EmbeddedDetector, EntailmentDetector
from assay.detectors.local import FittedCalibration
from assay.metrics import Estimate
from tests.detectors.embedded.conftest import write_tiny_model

WORDS = "ferry harbour pier school lamp roof garden bridge train choir".split()

EVEN = (1.05, 0.0, 0.0)  # the bias with which the scores of these rows lie around 0.5


@pytest.fixture(scope="module")
def detector(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("calibrate") / "model"
    return f"embedded:{write_tiny_model(folder, EVEN)}"


def rows(n: int, unfaithful: int) -> list[dict[str, str]]:
    return [
        {
            "source": f"The {WORDS[k % 10]} number {k} opened in {1950 + k}.",
            "response": f"The {WORDS[k % 10]} opened in {1950 + k + (k < unfaithful)}.",
            "label": "unfaithful" if k < unfaithful else "faithful",
        }
        for k in range(n)
    ]


def learnable(detector: str, n: int, unfaithful: int) -> list[dict[str, str]]:
    """Rows with labels that the detector's scores tell apart: the lowest are unfaithful."""
    given = rows(n, n // 2)
    scores = [each.score or 0.0 for each in assay.check(given, detector=detector).sentences]
    lowest = set(sorted(range(n), key=scores.__getitem__)[:unfaithful])
    return [
        {**row, "label": "unfaithful" if k in lowest else "faithful"} for k, row in enumerate(given)
    ]


def write(path: Path, rows: list[dict[str, str]]) -> str:
    path.write_text("\n".join(map(json.dumps, rows)))
    return str(path)


def test_file_is_written_that_a_check_takes(detector: str, tmp_path: Path) -> None:
    path = write(tmp_path / "rows.jsonl", learnable(detector, 40, 20))
    found = assay.calibrate(path, detector=detector)
    assert (found.unit, found.units, found.unfaithful, found.sources) == ("response", 40, 20, 40)
    assert found.before.keys() == found.after.keys()
    whole = ("balanced accuracy", "calibration error", "share that is sure")
    assert [found.after[name].n for name in whole] == [40, 40, 40]
    assert found.after["recall of unfaithful"].n == 20
    found.save(tmp_path / "calibration.json")
    said = json.loads((tmp_path / "calibration.json").read_text())
    assert said["schema"] == "urn:assay:calibration:1"
    version = EmbeddedDetector(detector.partition(":")[2]).author.version
    assert (said["detector"], said["model"]) == ("embedded", version)
    assert said["n"] == {
        "responses": 40,
        "unfaithful": 20,
        "sources": 40,
        "without a score": 0,
        "repeated": 0,
    }
    assert said["warnings"] == []
    assert said["after"]["balanced accuracy"]["n"] == 40
    report = assay.check(rows(3, 1), detector=detector, calibration=tmp_path / "calibration.json")
    assert report.manifest.parameters["calibration"] == found.fitted.digest
    (made,) = assay.check(rows(1, 1), detector=detector, calibration=found.fitted).sentences
    assert made.score == report.sentences[0].score


def test_labels_of_sentences_are_used_where_some_are_unfaithful(
    detector: str, tmp_path: Path
) -> None:
    lines = []
    for number, row in enumerate(learnable(detector, 30, 12)):
        text = row["response"]
        unit = {"id": "s1", "kind": "sentence", "text": text, "start": 0, "end": len(text)}
        judgement = {
            "example": str(number),
            "author": {"name": "gold", "kind": "person"},
            "taxonomy": "binary",
            "units": [{**unit, "verdict": {"label": row["label"]}}],
        }
        lines.append(
            {
                "schema": "urn:assay:example:1",
                "id": str(number),
                "source": row["source"],
                "response": text,
                "judgements": [judgement],
            }
        )
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    found = assay.calibrate(str(path), detector=detector)
    assert (found.unit, found.units, found.unfaithful) == ("sentence", 30, 12)
    assert assay.calibrate(str(path), detector=detector, unit="response").unit == "response"


@pytest.mark.parametrize(
    ("count", "unfaithful", "message"),
    [
        (10, 5, "5 faithful responses and 5 unfaithful, where 20 are needed"),
        (40, 0, "40 faithful responses and 0 unfaithful"),
        (40, 40, "0 faithful responses and 40 unfaithful"),
        (40, 4, "and 5 of each kind"),
    ],
)
def test_too_little_is_refused_in_one_line(
    detector: str, tmp_path: Path, count: int, unfaithful: int, message: str
) -> None:
    path = write(tmp_path / "rows.jsonl", rows(count, unfaithful))
    with pytest.raises(InputError, match=message) as told:
        assay.calibrate(path, detector=detector, unit="response")
    assert told.value.code == "too-few-labels"
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("named", [{"source_id": "x"}, {}])
def test_one_source_is_refused(detector: str, tmp_path: Path, named: dict[str, str]) -> None:
    one = rows(1, 1)[0]["source"]
    given = [{**row, "source": one, **named} for row in rows(30, 15)]
    with pytest.raises(InputError, match="about one source"):
        assay.calibrate(write(tmp_path / "rows.jsonl", given), detector=detector)


def test_rows_about_the_same_text_are_one_source(detector: str, tmp_path: Path) -> None:
    pairs = [row for row in learnable(detector, 40, 20) for _ in range(2)]
    given = [
        {**row, "id": str(k), "response": row["response"] + " It is old." * (k % 2)}
        for k, row in enumerate(pairs)
    ]
    found = assay.calibrate(write(tmp_path / "rows.jsonl", given), detector=detector)
    assert (found.units, found.sources) == (80, 40)


def test_row_that_repeats_another_counts_once(detector: str, tmp_path: Path) -> None:
    given = [
        {**row, "id": f"{turn}-{k}"}
        for turn in range(3)
        for k, row in enumerate(learnable(detector, 40, 20))
    ]
    found = assay.calibrate(write(tmp_path / "rows.jsonl", given), detector=detector)
    assert (found.units, found.sources, found.repeated) == (40, 40, 80)
    assert "80 that repeat another left out" in str(found)
    few = [{**row, "id": f"{turn}-{k}"} for turn in range(12) for k, row in enumerate(rows(2, 1))]
    with pytest.raises(InputError, match="1 faithful response and 1 unfaithful"):
        assay.calibrate(write(tmp_path / "few.jsonl", few), detector=detector)


def test_labels_the_wrong_way_round_are_refused(detector: str, tmp_path: Path) -> None:
    other = {"faithful": "unfaithful", "unfaithful": "faithful"}
    given = [{**row, "label": other[row["label"]]} for row in learnable(detector, 40, 20)]
    with pytest.raises(InputError) as told:
        assay.calibrate(write(tmp_path / "rows.jsonl", given), detector=detector)
    assert told.value.code == "no-use"
    assert "\n" not in str(told.value)


def test_calibration_that_makes_things_worse_is_written_only_if_forced(tmp_path: Path) -> None:
    own, name = Calibration(1, 0), "balanced accuracy"
    fitted = FittedCalibration("embedded", "1", own)
    before, after = {name: Estimate(0.75, 40)}, {name: Estimate(0.725, 40)}
    worse = Calibrated(fitted, own, "rows.jsonl", "response", 40, 20, 40, 0, 0, before, after)
    out = tmp_path / "calibration.json"
    out.write_text("an earlier one")
    with pytest.raises(InputError, match=r"accuracy 0\.725.* that has 0\.750") as told:
        worse.save(out)
    assert (told.value.code, out.read_text()) == ("worse-calibration", "an earlier one")
    worse.save(out, force=True)
    assert json.loads(out.read_text())["after"][name]["value"] == 0.725
    same = replace(worse, after=worse.before)
    same.save(out)
    assert same.why_worse == ""


def test_calibrating_that_was_cut_off_goes_on_where_it_stopped(
    detector: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "rows.jsonl", learnable(detector, 40, 20))
    judge, judged = EntailmentDetector.judge_batch, 0

    def count(self: EntailmentDetector, examples: Iterable[Example]) -> Iterator[Judgement]:
        nonlocal judged
        given = list(examples)
        if judged >= 10 and stops:
            raise KeyboardInterrupt
        judged += len(given)
        return judge(self, given)

    monkeypatch.setattr(EntailmentDetector, "judge_batch", count)
    stops = True
    with pytest.raises(KeyboardInterrupt):
        assay.calibrate(path, detector=detector)
    before, stops = judged, False
    assert 10 <= before < 40
    assert assay.calibrate(path, detector=detector).units == 40
    assert judged == 40  # each was judged once


def test_data_is_never_written_over(detector: str, tmp_path: Path) -> None:
    path = write(tmp_path / "rows.jsonl", learnable(detector, 40, 20))
    found = assay.calibrate(path, detector=detector)
    before = Path(path).read_text()
    with pytest.raises(InputError, match="is an input and would be lost"):
        found.save(path)
    assert Path(path).read_text() == before


def test_file_without_labels_is_refused(detector: str, tmp_path: Path) -> None:
    plain = [{k: v for k, v in row.items() if k != "label"} for row in rows(30, 15)]
    with pytest.raises(InputError, match="label"):
        assay.calibrate(write(tmp_path / "rows.jsonl", plain), detector=detector)


@pytest.mark.parametrize("name", ["overlap", "judge-gray7", "claimwise"])
def test_detector_without_a_model_here_cannot_be_calibrated(name: str) -> None:
    with pytest.raises(InputError, match="no scores that could be calibrated"):
        assay.calibrate("rows.jsonl", detector=name)


def test_detector_that_changes_scores_cannot_be_calibrated(tmp_path: Path) -> None:
    path = write(tmp_path / "rows.jsonl", rows(30, 15))
    with pytest.raises(InputError, match="calibrate the detector that it rests on"):
        assay.calibrate(path, detector="discourse-offline")


@pytest.mark.parametrize("sure", [0.4, 1.0])
def test_sure_is_a_chance(sure: float) -> None:
    with pytest.raises(InputError, match="does not lie from"):
        assay.calibrate("rows.jsonl", sure=sure)
