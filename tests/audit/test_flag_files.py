"""Files of flags: copies of the same lines are joined, and whatever does not fit is told."""

from pathlib import Path

from assay import Annotated
from assay.audit.flag_files import read_flags
from assay.core.codec import write_example
from tests.audit.ferries import Edit, detector, ferry, filled, flagged, incorrect, stands

(LINE,) = flagged(ferry("a", "-++"), by=(detector("d", a="+++"),)).lines


def write(path: Path, line: Annotated) -> str:
    path.write_bytes(write_example(line) + b"\n")
    return str(path)


def copies(folder: Path, **edits: Edit) -> list[str]:
    """A copy of the line for each person, who filled it in."""
    return [
        write(folder / f"{name}.jsonl", filled(LINE, edit, name).annotated)
        for name, edit in edits.items()
    ]


def test_copies_that_several_people_filled_in_are_one_flag(tmp_path: Path) -> None:
    found = read_flags(copies(tmp_path, ann=incorrect(), bo=stands("ambiguous")))
    (flag,) = found.flags
    assert found.problems == ()
    assert [(each.by, each.state) for each in flag.decisions] == [
        ("ann", "incorrect"),
        ("bo", "ambiguous"),
    ]


def test_person_who_decides_in_two_ways_in_two_files_is_told(tmp_path: Path) -> None:
    (first,) = copies(tmp_path, ann=incorrect())
    second = write(tmp_path / "again.jsonl", filled(LINE, stands("ambiguous"), "ann").annotated)
    (problem,) = read_flags([first, second]).problems
    told = f"{second} line 1: example 'a', unit s1: ann decides otherwise in {first} line 1"
    assert str(problem) == told


def test_another_gold_label_in_another_file_is_told(tmp_path: Path) -> None:
    (other,) = flagged(ferry("a", "+++"), by=(detector("d", a="-++"),)).lines
    paths = [write(tmp_path / "one.jsonl", LINE), write(tmp_path / "two.jsonl", other)]
    (problem,) = read_flags(paths).problems
    told = "example 'a', unit s1: its gold label differs in the files"
    assert str(problem) == f"{paths[1]} line 1: {told}"
