"""Keys: their digests in a file or the environment, and who they stand for."""

from hashlib import sha256
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.service.keys import VARIABLE, Keys, NoAccessError, new_key, read_keys

ANN, BOB = (sha256(each).hexdigest() for each in (b"key of ann", b"key of bob"))


def test_new_key_opens_as_its_line_says(tmp_path: Path) -> None:
    key, line = new_key("ci-runner")
    (tmp_path / "keys").write_text(f"# mine\n\n{line}\nbob: {BOB}\n")
    keys = read_keys(str(tmp_path / "keys"))
    assert keys.owner(key) == "ci-runner"
    assert keys.owner("key of bob") == "bob"
    assert key not in line
    assert new_key("ci-runner")[0] != key


@pytest.mark.parametrize("shown", ["", "key of Ann", "key of ann ", ANN, "\ud800", "\0"])
def test_what_is_no_key_opens_nothing(shown: str) -> None:
    keys = Keys((("ann", bytes.fromhex(ANN)),))
    with pytest.raises(NoAccessError):
        keys.owner(shown)


def test_environment_has_keys_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(VARIABLE, f"ann {ANN}, bob={BOB}")
    assert read_keys(None).owner("key of bob") == "bob"
    (tmp_path / "keys").write_text(f"eve {'0' * 64}")
    assert read_keys(str(tmp_path / "keys")).owner("key of ann") == "ann"
    monkeypatch.delenv(VARIABLE)
    assert not read_keys(None)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has no keys"),
        ("# none yet\n", "has no keys"),
        ("ann", "line 1: a line is a name and the SHA-256 of a key"),
        (f"ann {ANN}\nassay-a-key-by-mistake", "line 2: a line is a name and the SHA-256"),
        (f"ann {ANN[:-1]}", "64 hexadecimal digits"),
        (f"ann {ANN}\nann {BOB}", "two keys have the name 'ann'"),
        (f"a/b {ANN}", "line 1"),
    ],
)
def test_file_that_cannot_be_used_is_refused_without_showing_it(
    tmp_path: Path, text: str, said: str
) -> None:
    file = tmp_path / "keys"
    file.write_text(text)
    with pytest.raises(InputError, match=said) as caught:
        read_keys(str(file))
    assert caught.value.field == "keys"
    assert "mistake" not in caught.value.message


def test_file_that_is_not_there_or_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_keys(str(tmp_path / "nothing"))
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="is not UTF-8"):
        read_keys(str(tmp_path / "bytes"))


@pytest.mark.parametrize("name", ["", "a b", "a\nb", "-a", "é", "x" * 65])
def test_name_of_a_key_is_a_plain_word(name: str) -> None:
    with pytest.raises(InputError, match="a key's name has up to 64 letters"):
        new_key(name)
