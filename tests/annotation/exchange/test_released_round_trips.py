"""Released corpora go through a studio and come out as they were."""

import json
from pathlib import Path

import pytest

from assay.annotation.exchange.imports import import_file
from assay.annotation.studio import KEEPER, open_studio
from tests.annotation.exchange.test_round_trips import content, export, files, make, zipped


@pytest.mark.soak
@pytest.mark.shared_data
def test_released_batches_come_back_byte_for_byte(shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "faithbench" / "data_for_release"
    released = sorted(folder.glob("batch_*.json"))
    if not released:
        pytest.skip(f"faithbench is not at {shared_data}")
    studio = open_studio(str(tmp_path / "studio.sqlite"))
    every = make(studio, "Every", "spans")
    for path in released:
        slug = make(studio, path.stem, "spans")
        for project in (slug, every):
            assert import_file(studio, KEEPER, project, str(path)).refused == 0
        made = export(studio, slug, "faithbench")
        assert (made.name, content(made)) == (path.name, path.read_bytes())
    packed = content(export(studio, every, "faithbench"))
    assert files(packed) == {path.name: path.read_bytes() for path in released}
    back = make(studio, "Back", "spans")
    (tmp_path / "all.zip").write_bytes(packed)
    assert import_file(studio, KEEPER, back, str(tmp_path / "all.zip")).added == 750
    assert content(export(studio, back, "faithbench")) == packed
    studio.close()


@pytest.mark.shared_data
def test_released_ragtruth_comes_back(shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "ragtruth"
    if not (folder / "response.jsonl").exists():
        pytest.skip(f"ragtruth is not at {shared_data}")
    responses = (folder / "response.jsonl").read_bytes().splitlines(keepends=True)[:200]
    given = {
        "response.jsonl": b"".join(responses),
        "source_info.jsonl": (folder / "source_info.jsonl").read_bytes(),
    }
    (tmp_path / "r.zip").write_bytes(zipped(given))
    studio = open_studio(str(tmp_path / "studio.sqlite"))
    slug, back = make(studio, "Demo"), make(studio, "Back")
    assert import_file(studio, KEEPER, slug, str(tmp_path / "r.zip")).refused == 0
    packed = content(export(studio, slug, "ragtruth"))
    written = [json.loads(line) for line in files(packed)["response.jsonl"].splitlines()]
    assert written == [json.loads(line) for line in responses]
    known = {json.dumps(json.loads(line)) for line in given["source_info.jsonl"].splitlines()}
    sources = files(packed)["source_info.jsonl"].splitlines()
    assert {json.dumps(json.loads(line)) for line in sources} <= known
    (tmp_path / "b.zip").write_bytes(packed)
    import_file(studio, KEEPER, back, str(tmp_path / "b.zip"))
    assert content(export(studio, back, "ragtruth")) == packed
    studio.close()
