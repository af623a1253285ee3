"""GGUF files: read as their authors' own reader reads them, and never trusted."""

import struct
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("gguf")

from gguf import GGUFReader, GGUFWriter, dequantize
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.core.errors import InputError
from assay.detectors.embedded.large.gguf import read_gguf

ANY = settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])


def test_values_and_tensors_are_those_of_the_reference(base_path: Path) -> None:
    found, reference = read_gguf(base_path), GGUFReader(base_path)
    assert {name for name in reference.fields if not name.startswith("GGUF.")} == set(found.values)
    for name, value in found.values.items():
        assert value == reference.fields[name].contents()
    assert set(found.tensors) == {each.name for each in reference.tensors}
    for each in reference.tensors:
        expected = np.atleast_2d(dequantize(each.data, each.tensor_type))
        np.testing.assert_array_equal(found.tensors[each.name].unpack(), expected)


def test_some_rows_are_unpacked_alone(base_path: Path) -> None:
    tensor = read_gguf(base_path).tensors["blk.0.ffn_up.weight"]
    whole = tensor.unpack()
    np.testing.assert_array_equal(tensor.take(slice(5, 9)).unpack(), whole[5:9])
    np.testing.assert_array_equal(tensor.take(np.array([7, 0, 7])).unpack(), whole[[7, 0, 7]])


def test_values_of_every_kind_are_read(tmp_path: Path) -> None:
    path = tmp_path / "values.gguf"
    writer = GGUFWriter(path, "none")
    kinds = ("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64")
    given = dict.fromkeys(kinds, 7) | {"float32": 0.5, "float64": 0.25, "string": "é"}
    for name, value in given.items():
        getattr(writer, f"add_{name}")(name, value)
    writer.add_bool("bool", val=True)
    writer.add_array("numbers", [1, -2])
    writer.add_array("words", ["a", "b c"])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    found = read_gguf(path).values
    more = {"bool": True, "numbers": [1, -2], "words": ["a", "b c"], "general.architecture": "none"}
    assert found == given | more


@ANY
@given(st.data())
def test_file_that_ends_too_early_is_refused(
    base_path: Path, tmp_path: Path, data: st.DataObject
) -> None:
    whole = base_path.read_bytes()
    path = tmp_path / "cut.gguf"
    path.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 64))])
    with pytest.raises(InputError, match=r"cut\.gguf (cannot be read: it is empty|is damaged: it)"):
        read_gguf(path)


@ANY
@given(st.data())
def test_file_with_other_bytes_is_read_or_refused(
    base_path: Path, tmp_path: Path, data: st.DataObject
) -> None:
    changed = bytearray(base_path.read_bytes())
    for _ in range(3):
        changed[data.draw(st.integers(0, 12_000))] = data.draw(st.integers(0, 255))
    path = tmp_path / "changed.gguf"
    path.write_bytes(changed)
    with suppress(InputError):
        assert read_gguf(path).path == path


@pytest.mark.parametrize(
    ("begins", "says"),
    [
        (b"PK\x03\x04", "it is no GGUF file"),
        (b"GGUF" + struct.pack("<I", 1), "it is of version 1"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 2**60), "it ends too early"),
        (b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 2**63), "it ends too early"),
        (b"GGUF" + struct.pack("<IQQQBI", 3, 0, 1, 1, 65, 77), "value of an unknown kind, 77"),
        (b"GGUF" + struct.pack("<IQQQBIIQ", 3, 0, 1, 1, 65, 9, 4, 2**62), "it ends too early"),
        (b"GGUF" + struct.pack("<IQQQBI", 3, 1, 0, 1, 65, 9), "its tensor A has 9 dimensions"),
        (b"GGUF" + struct.pack("<IQQQBIQIQ", 3, 1, 0, 1, 65, 1, 8, 99, 0), "packed in a way, 99"),
        (b"GGUF" + struct.pack("<IQQQBIQIQ", 3, 1, 0, 1, 65, 1, 8, 8, 0), "not whole blocks"),
        (b"GGUF" + struct.pack("<IQQQBIQIQ", 3, 1, 0, 1, 65, 1, 2**60, 0, 0), "ends too early"),
        (
            b"GGUF" + struct.pack("<IQQQBI4QIQ", 3, 1, 0, 1, 65, 4, 0, *[2**63] * 3, 0, 0),
            "its tensor A is empty",
        ),
        (b"GGUF" + struct.pack("<IQQQBI2QIQ", 3, 1, 0, 1, 65, 2, 8, 0, 0, 0), "A is empty"),
        (b"GGUF" + struct.pack("<IQQQBI2QIQ", 3, 1, 0, 1, 65, 2, 2**63, 2**63, 0, 0), "too early"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, begins: bytes, says: str) -> None:
    path = tmp_path / "odd.gguf"
    path.write_bytes(begins)
    with pytest.raises(InputError, match=f"odd.gguf is damaged: .*{says}"):
        read_gguf(path)


def test_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.gguf cannot be read: No such file"):
        read_gguf(tmp_path / "none.gguf")
