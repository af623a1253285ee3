"""Documents from the files of a corpus."""

import gzip
import json
from pathlib import Path

import pytest

from assay.knowledge.corpora.documents import (
    FIELDS,
    LARGEST,
    CorpusFile,
    Document,
    Unreadable,
    read_documents,
)


def documents(path: Path) -> list[Document]:
    items = list(read_documents(CorpusFile(path, path.name)))
    return [item for item in items if isinstance(item, Document)]


def problems(path: Path) -> list[str]:
    items = list(read_documents(CorpusFile(path, path.name)))
    return [str(item) for item in items if isinstance(item, Unreadable)]


def test_every_kind_of_file_has_its_title(folder: Path) -> None:
    found = {path.name: documents(path)[0] for path in folder.iterdir()}
    titles = {name: document.title for name, document in found.items()}
    assert titles == {
        "ferry.txt": "ferry",
        "bridge.md": "The bridge of Vass",
        "library.html": "Library",
    }
    assert found["library.html"].text == "The library of Maro holds old maps."
    assert found["ferry.txt"].time.endswith("Z")


@pytest.mark.parametrize(("field", "name"), [(f, n) for f, names in FIELDS.items() for n in names])
def test_rows_may_name_their_fields_otherwise(field: str, name: str, tmp_path: Path) -> None:
    row = {"text": "The text.", name: "The value."}
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row), "utf-8")
    (document,) = documents(path)
    expected = "The text." if name != "text" and field == "text" else "The value."
    assert getattr(document, field) == expected


def test_rows_without_an_address_are_called_by_file_and_number(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    path.write_text('[{"text": "a"}, "b", {"text": "c", "url": "https://x.org/c"}]', "utf-8")
    assert [each.address for each in documents(path)] == [
        "rows.json#1",
        "rows.json#2",
        "https://x.org/c",
    ]


def test_bad_rows_are_told_and_the_others_read(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'{"text": "a"}\n{"text": \n[1]\n\n{"title": "t"}\n\xff\n{"text": "b"}\n')
    assert [each.text for each in documents(path)] == ["a", "b"]
    found = problems(path)
    assert [each.split(":")[0] for each in found] == [
        "rows.jsonl#2",
        "rows.jsonl#3",
        "rows.jsonl#5",
        "rows.jsonl#6",
    ]
    assert "its fields: title" in found[2]


def test_a_number_is_a_title_but_no_text(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"text": 5}\n{"text": 5, "content": "a", "title": 1984}', "utf-8")
    assert [(each.text, each.title) for each in documents(path)] == [("a", "1984")]
    assert problems(path) == ["rows.jsonl#1: none of its fields contains text; its fields: text"]


@pytest.mark.parametrize("name", ["long.json", "long.jsonl"])
def test_number_without_end_is_told_in_plain_words(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text('{"text": ' + "1" * 5_000 + "}", "utf-8")
    (said,) = problems(tmp_path / name)
    assert said.endswith(": it is not JSON: a number has more than 4,300 digits")


def test_packed_lines_are_unpacked_and_broken_ones_told(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl.gz"
    packed = gzip.compress(b'{"text": "a"}\n' * 5000)
    path.write_bytes(packed)
    assert len(documents(path)) == 5000
    path.write_bytes(packed[: len(packed) // 2])
    assert "cannot be read" in problems(path)[-1]


def test_text_in_another_encoding_is_told(tmp_path: Path) -> None:
    path = tmp_path / "latin.txt"
    path.write_bytes("Façade".encode("latin-1"))
    assert problems(path) == [
        "latin.txt: it is not UTF-8: byte 0xe7 at position 2; save it as UTF-8"
    ]


def test_files_without_text_are_told(tmp_path: Path) -> None:
    path = tmp_path / "empty.md"
    path.write_text(" \n", "utf-8")
    assert problems(path) == ["empty.md: it has no text"]


@pytest.mark.parametrize(("name", "text"), [("none.jsonl", "\n"), ("none.json", "[]")])
def test_files_without_rows_are_told(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    assert problems(path) == [f"{name}: it has no rows"]


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfText.")
    assert documents(path)[0].text == "Text."


def test_halves_of_characters_are_marked(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"text": "a\\ud83d b"}', "utf-8")
    assert documents(path)[0].text == "a\ufffd b"


def test_a_file_too_large_for_one_document_is_told(tmp_path: Path) -> None:
    path = tmp_path / "large.txt"
    with path.open("wb") as file:
        file.truncate(LARGEST + 1)
    assert "one document may have up to 64 MiB" in problems(path)[0]


def test_json_lines_named_json_get_a_hint(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    path.write_text('{"text": "a"}\n{"text": "b"}', "utf-8")
    assert "rename it to .jsonl" in problems(path)[0]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Some words.\n\n  ## Ferries ##  \n", "Ferries"),
        ("# C#\n", "C#"),
        ("#hash\n\n# Real one", "Real one"),
        ("# ##\n", "page"),
        ("#\n\nText", "page"),
    ],
)
def test_a_heading_is_the_title_of_a_page(text: str, title: str, tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(text)
    assert documents(path)[0].title == title


@pytest.mark.parametrize("suffix", [".json", ".jsonl"])
@pytest.mark.parametrize("value", ["[" * 100_000 + "]" * 100_000, "9" * 5_000, "1e400", "NaN"])
def test_odd_values_do_not_end_the_reading_of_a_file(
    value: str, suffix: str, tmp_path: Path
) -> None:
    path = tmp_path / f"data{suffix}"
    row = f'{{"text": "The ferry sails.", "title": {value}}}'
    path.write_text(f"[{row}]" if suffix == ".json" else f'{row}\n{{"text": "The bridge."}}\n')
    found = list(read_documents(CorpusFile(path, path.name)))
    assert found
    if suffix == ".jsonl":
        assert isinstance(found[1], Document)
