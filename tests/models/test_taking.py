"""A file that is there is taken once it was read; what changes in the folder is noticed."""

import os
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.models.cache import base_file, look, models_folder, remove
from assay.models.catalogue import PublicModel
from assay.models.pulling import pull, take
from tests.models.file_server import CONTENT, FileServer
from tests.models.test_pulling import begun, names


def unwatched(doing: str, done: int) -> None:
    pass


def other_disk(*_: object) -> None:
    raise OSError(18, "Invalid cross-device link")


@pytest.fixture
def given(tmp_path: Path) -> Path:
    """A file with the content of the model, under a name of the user's."""
    path = tmp_path / "mine.bin"
    path.write_bytes(CONTENT)
    return path


def test_file_is_linked_and_stays_where_it_was(
    model: PublicModel, given: Path, folder: Path
) -> None:
    assert take(model, given, unwatched).result == "linked"
    assert os.path.samefile(base_file("large"), given)
    remove(model)
    assert given.read_bytes() == CONTENT
    assert names(folder) == set()


def test_file_of_another_disk_is_copied(
    model: PublicModel, given: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.link", other_disk)
    assert take(model, given, unwatched).result == "copied"
    assert base_file("large").read_bytes() == CONTENT
    assert not os.path.samefile(base_file("large"), given)


@pytest.mark.parametrize("link", [True, False])
def test_file_with_another_digest_is_refused(
    model: PublicModel, given: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, link: bool
) -> None:
    if not link:
        monkeypatch.setattr("os.link", other_disk)
    given.write_bytes(b"x" * len(CONTENT))
    with pytest.raises(InputError, match=r"has the sha256 [0-9a-f]{64}, but tiny\.gguf has"):
        take(model, given, unwatched)
    assert names(folder) == set()
    assert given.is_file()


def test_file_of_another_size_folder_and_missing_file_are_refused(
    model: PublicModel, given: Path, tmp_path: Path
) -> None:
    given.write_bytes(b"short")
    with pytest.raises(InputError, match=r"has 5 bytes, but tiny\.gguf has 2,097,152"):
        take(model, given, unwatched)
    with pytest.raises(InputError, match="it is not a file"):
        take(model, tmp_path, unwatched)
    with pytest.raises(InputError, match="there is no such file"):
        take(model, tmp_path / "none", unwatched)


def test_file_takes_the_place_of_a_download_that_broke_off(
    model: PublicModel, server: FileServer, given: Path, folder: Path
) -> None:
    begun(model, server)
    take(model, given, unwatched)
    assert names(folder) == {"tiny.gguf", "tiny.gguf.json"}


def test_copy_that_was_killed_is_removed_by_whatever_comes_next(
    model: PublicModel,
    server: FileServer,
    given: Path,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("os.link", other_disk)

    def killed() -> None:
        """Copies, and keeps what is there when the copy ends, as a killed process leaves it."""
        kept: list[Path] = []

        def watch(doing: str, done: int) -> None:
            kept.extend(folder.glob(".*.copy") if not kept else ())
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(Path, "unlink", lambda *_, **__: None)
            with pytest.raises(KeyboardInterrupt):
                take(model, given, watch)
        assert [path.is_file() for path in kept] == [True]

    killed()
    remove(model)
    assert names(folder) == set()
    killed()
    pull(model, unwatched)
    assert names(folder) == {"tiny.gguf", "tiny.gguf.json"}
    remove(model)
    killed()
    take(model, given, unwatched)
    assert names(folder) == {"tiny.gguf", "tiny.gguf.json"}


def test_file_that_changes_after_it_was_checked_is_not_used(
    model: PublicModel, given: Path
) -> None:
    take(model, given, unwatched)
    os.utime(given, ns=(1, 1))  # it is the same file as the one in the folder
    assert look(model).state == "unchecked"
    with pytest.raises(InputError, match=r"has changed since: run 'assay models pull large'"):
        base_file("large")
    assert pull(model, unwatched).result == "checked"
    assert base_file("large").read_bytes() == CONTENT


def test_file_put_into_the_folder_by_hand_is_checked_and_not_fetched(
    model: PublicModel, server: FileServer, folder: Path
) -> None:
    folder.mkdir()
    (folder / "tiny.gguf").write_bytes(CONTENT)
    assert take(model, folder / "tiny.gguf", unwatched).result == "checked"
    assert base_file("large").read_bytes() == CONTENT
    assert server.asked == []


def test_other_file_in_its_place_is_refused_and_stays(
    model: PublicModel, server: FileServer, folder: Path, given: Path
) -> None:
    folder.mkdir()
    for content in (b"mine", b"x" * len(CONTENT)):
        (folder / "tiny.gguf").write_bytes(content)
        with pytest.raises(InputError, match="its size or its sha256 differs") as caught:
            pull(model, unwatched)
        assert caught.value.code == "model-differs"
        assert (folder / "tiny.gguf").read_bytes() == content
        with pytest.raises(InputError, match="run 'assay models"):
            base_file("large")
    assert server.asked == []


def test_part_is_removed_too_and_nothing_is_an_error(
    model: PublicModel, server: FileServer, folder: Path
) -> None:
    begun(model, server)
    assert remove(model).state == "in part"
    assert names(folder) == set()
    with pytest.raises(InputError, match="nothing of 'large' is at"):
        remove(model)


def test_folder_is_the_users_cache_unless_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASSAY_MODELS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert models_folder() == Path("/somewhere/assay/models")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/ann")
    assert models_folder() == Path("/home/ann/.cache/assay/models")
    monkeypatch.setenv("ASSAY_MODELS", "/there")
    assert models_folder() == Path("/there")


def test_folder_that_cannot_be_made_is_named(
    model: PublicModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ASSAY_MODELS", str(tmp_path / "file" / "below"))
    with pytest.raises(InputError, match="name another folder with ASSAY_MODELS"):
        pull(model, unwatched)
