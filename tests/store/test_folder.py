"""The folder of runs."""

from pathlib import Path

import pytest

from assay.core import InputError, UnknownNameError
from assay.store.folder import RunsFolder
from assay.store.locking import lock_path, locked
from tests.store.conftest import RUN, entry


def test_runs_are_listed_by_name_and_opened(tmp_path: Path) -> None:
    folder = RunsFolder(tmp_path / "runs")
    assert folder.names() == []
    folder.make()
    for name in ("b", "a.1"):
        folder.create(name, RUN).close()
    assert folder.names() == ["a.1", "b"]
    with folder.open("a.1") as journal:
        assert journal.run == RUN


def test_folder_is_the_one_given_or_of_the_environment_or_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ASSAY_RUNS", raising=False)
    assert RunsFolder().folder == Path("assay-runs")
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path))
    assert RunsFolder().folder == tmp_path
    assert RunsFolder("mine").folder == Path("mine")


def test_unknown_run_raises_with_the_nearest_name(tmp_path: Path) -> None:
    folder = RunsFolder(tmp_path)
    with pytest.raises(InputError, match="there are no runs at"):
        folder.open("a")
    folder.create("faithbench--overlap", RUN).close()
    with pytest.raises(UnknownNameError, match="Did you mean 'faithbench--overlap'"):
        folder.open("faithbench-overlap")
    with pytest.raises(UnknownNameError):
        folder.open("../faithbench--overlap")


@pytest.mark.parametrize("name", ["", ".hidden", "a/b", "a b", "ä", "x" * 121, "-a"])
def test_name_that_no_file_should_have_raises(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a run cannot be named"):
        RunsFolder(tmp_path).path(name)


def test_delete_leaves_only_the_lock_for_who_waits_for_it(tmp_path: Path) -> None:
    folder = RunsFolder(tmp_path)
    journal = folder.create("a", RUN)
    journal.add(entry(0))
    with locked(folder.path("a")), pytest.raises(InputError, match="another process"):
        folder.delete("a")
    journal.close()
    folder.delete("a")
    assert list(tmp_path.iterdir()) == [lock_path(folder.path("a"))]
    folder.create("a", RUN).close()
