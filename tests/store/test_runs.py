"""Runs by name, in a folder and on a server."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from assay.core.errors import InputError, MissingExtraError, UnknownNameError
from assay.store import database as databases
from assay.store.runs import (
    FolderRuns,
    RunStore,
    ServerRuns,
    delete_run,
    lock_path,
    open_run_judgements,
    open_store,
)
from tests.store.conftest import MANIFEST, entry, judged


def test_runs_are_listed_by_name_and_opened(store: RunStore) -> None:
    assert store.names() == []
    for name in ("b", "a.1"):
        store.create(name, MANIFEST).close()
    assert store.names() == ["a.1", "b"]
    assert (store.has("b"), store.has("c")) == (True, False)
    with store.open("a.1") as journal:
        assert (journal.name, journal.manifest) == ("a.1", MANIFEST)


def test_manifest_keeps_half_characters_and_zeros(store: RunStore) -> None:
    manifest = replace(MANIFEST, dataset="a\0b\ud83d.jsonl", parameters={"stop": "\0"})
    with store.create("a", manifest) as journal:
        assert journal.manifest == manifest


def test_unknown_run_raises_with_the_nearest_name(store: RunStore) -> None:
    with pytest.raises(InputError, match="there are no runs at") as none:
        store.open("a")
    assert (none.value.field, none.value.code) == ("runs", "no-runs")
    store.create("faithbench--overlap", MANIFEST).close()
    with pytest.raises(UnknownNameError, match="Did you mean 'faithbench--overlap'"):
        store.open("faithbench-overlap")
    with pytest.raises(UnknownNameError):
        store.open("../faithbench--overlap")


@pytest.mark.parametrize("name", ["", ".hidden", "a/b", "a b", "ä", "x" * 121, "-a", "a\n", "a\0"])
def test_name_that_no_run_can_have_raises(name: str, store: RunStore) -> None:
    with pytest.raises(InputError, match="a run cannot be named") as caught:
        store.has(name)
    assert caught.value.field == "name"
    with pytest.raises(InputError, match="a run cannot be named"):
        store.create(name, MANIFEST)


def test_deleted_run_is_gone_with_all_that_was_kept_and_can_be_made_again(store: RunStore) -> None:
    for name in ("a", "b"):
        with store.create(name, MANIFEST) as journal:
            journal.add(entry(0, failures=1))
            journal.add_reply("k", name)
            journal.add_search("k", name)
    delete_run(store, "a")
    assert store.names() == ["b"]
    with store.create("a", MANIFEST) as journal:
        assert (journal.count(), journal.find_reply("k")) == (0, None)
    with store.open("b") as other:
        assert (other.count(), other.find_reply("k"), other.find_search("k")) == (1, "b", "b")


def test_run_that_a_process_has_is_not_deleted(store: RunStore) -> None:
    store.create("a", MANIFEST).close()
    with store.lock("a"), pytest.raises(InputError, match="another process"):
        delete_run(store, "a")
    assert store.names() == ["a"]
    with pytest.raises(UnknownNameError):
        delete_run(store, "b")


def test_run_is_a_set_of_judgements_that_can_be_read_again_and_again(
    store: RunStore, runs_at: str
) -> None:
    with store.create("a", MANIFEST) as journal:
        journal.add(entry(1))
        journal.add(entry(0))
        journal.keep(usage={"seconds": 1.5, "cost": 0.25})
    found = open_run_judgements("a", runs_at)
    assert (found.reference, found.manifest, found.seconds) == ("run:a", MANIFEST, 1.5)
    assert found.cost is None  # nobody was paid: the manifest names no model
    assert list(found) == list(found) == [judged(0), judged(1)]


def test_place_is_the_one_given_or_of_the_environment_or_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ASSAY_RUNS", raising=False)
    assert open_store().place == "assay-runs"
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path))
    assert open_store().place == str(tmp_path)
    assert open_store("mine").place == "mine"
    assert isinstance(open_store("postgresql://h/runs"), ServerRuns)


def test_deleting_leaves_only_the_lock_for_whoever_waits_for_it(tmp_path: Path) -> None:
    store = FolderRuns(tmp_path)
    store.create("a", MANIFEST).close()
    delete_run(store, "a")
    assert list(tmp_path.iterdir()) == [lock_path(store.path("a"))]


def test_copied_file_is_a_run_of_its_own_name(tmp_path: Path) -> None:
    store = FolderRuns(tmp_path)
    with store.create("a", MANIFEST) as journal:
        journal.add(entry(0))
    shutil.copy(store.path("a"), store.path("b"))
    with store.open("b") as copy:
        assert (copy.name, copy.count()) == ("b", 1)


def test_other_files_of_the_folder_are_not_listed(tmp_path: Path) -> None:
    for name in (".hidden.sqlite", "notes.txt", "b c.sqlite", "a.sqlite"):
        (tmp_path / name).touch()
    assert FolderRuns(tmp_path).names() == ["a"]


def test_folder_that_cannot_be_made_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot make the folder") as caught:
        FolderRuns(tmp_path / "file" / "runs").create("a", MANIFEST)
    assert caught.value.field == "runs"


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("mysql://me:secret@h/runs", "not at mysql://h/runs"),
        ("postgresql://me:secret@h:port/runs", "postgresql://h:port/runs is not the URL"),
        (
            "postgresql://me:secret@127.0.0.1:1/runs?password=secret",
            "cannot use the database postgresql://127.0.0.1:1/runs: ",
        ),
    ],
)
def test_server_that_cannot_be_used_is_one_line_without_its_password(
    url: str, message: str
) -> None:
    with pytest.raises(InputError, match=message) as caught:
        open_store(url).names()
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_without_a_driver_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def without(*_: object, **__: object) -> None:
        raise ModuleNotFoundError("No module named 'psycopg'")

    monkeypatch.setattr(databases, "create_engine", without)
    with pytest.raises(MissingExtraError, match="postgres"):
        open_store("postgresql://h/runs").names()


def test_name_that_is_taken_on_a_server_is_one_line(database: str) -> None:
    store = open_store(database)
    store.create("a", MANIFEST).close()
    with pytest.raises(InputError, match="duplicate key") as caught:
        store.create("a", MANIFEST)
    assert "\n" not in str(caught.value)
