"""Objects of stores: read in ranges, whole or not there, and errors in one line."""

import sys
from collections.abc import Iterator

import pytest

from assay.core.errors import InputError, MissingExtraError
from assay.core.system.files import is_file, is_same, replacing, require_writable, writing
from assay.core.system.object_stores import find_objects, is_remote, open_object

MemoryFileSystem = pytest.importorskip(
    "fsspec.implementations.memory", reason="the extra 'remote' is not installed"
).MemoryFileSystem


@pytest.fixture(autouse=True)
def _empty() -> Iterator[None]:
    MemoryFileSystem.store.clear()
    yield
    MemoryFileSystem.store.clear()


def put(name: str, content: bytes) -> None:
    with writing(name) as file:
        file.write(content)


def _nothing() -> bytes:
    raise TypeError


def content(name: str) -> bytes:
    with open_object(name) as file:
        return file.read()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("s3://b/k", True),
        ("gs://b/k", True),
        ("memory://k", True),
        ("k.jsonl", False),
        ("run:s3", False),
        ("https://example.org/k", False),
        ("postgresql://host/base", False),
    ],
)
def test_only_names_of_known_stores_are_remote(name: str, expected: bool) -> None:
    assert is_remote(name) is expected


def test_what_was_written_is_read() -> None:
    put("memory://lab/x", b"one\ntwo\n")
    assert content("memory://lab/x") == b"one\ntwo\n"
    assert is_file("memory://lab/x")
    assert not is_file("memory://lab/y")
    assert find_objects("memory://lab/") == {"memory://lab/x": 8}


def test_object_is_not_there_until_it_is_whole() -> None:
    with writing("memory://lab/x") as file:
        file.write(b"half")
        assert not is_file("memory://lab/x")
    assert is_file("memory://lab/x")


def test_older_object_stays_where_writing_ends_early() -> None:
    put("memory://lab/x", b"older")
    with pytest.raises(TypeError), writing("memory://lab/x") as file:
        file.write(b"half" + _nothing())
    with pytest.raises(TypeError), replacing("memory://lab/x") as part:
        part.write_bytes(_nothing())
    assert content("memory://lab/x") == b"older"


def test_file_made_here_is_sent_when_it_is_whole() -> None:
    with replacing("memory://lab/page.html") as part:
        part.write_text("<p>")
    assert content("memory://lab/page.html") == b"<p>"


def test_asking_for_rights_leaves_nothing_behind() -> None:
    require_writable("memory://lab/x")
    assert find_objects("memory://lab/") == {}


def test_one_name_is_one_object() -> None:
    assert is_same("s3://lab/x", "s3://lab/x")
    assert not is_same("s3://lab/x", "s3://lab/y")


def test_credentials_in_a_name_are_refused_and_not_shown() -> None:
    with pytest.raises(InputError, match="has no credentials in it") as error:
        open_object("s3://me:secret@lab/x")
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("name", ["s3://", "memory:///"])
def test_name_without_an_object_is_told(name: str) -> None:
    with pytest.raises(InputError, match="names no object"):
        open_object(name)


def test_missing_extra_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(MissingExtraError, match=r"assay-faith\[remote\]"):
        open_object("s3://lab/x")


def test_package_of_another_store_is_named() -> None:
    with pytest.raises(InputError, match="names such as gs:// need another package"):
        open_object("gs://lab/x")
