"""Files that are written next to data: no input and no work of people is lost."""

import gzip
import json
import os
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay import Annotated, InputError
from assay.app.targets import require_targets
from assay.core.codec import read_example, write_example
from assay.core.texts import Span
from assay.datasets.example_files import write_example_file
from assay.evaluation.corpora.label_counts import response_label
from tests.audit.ferries import detector, ferry, flagged
from tests.error_analysis.cases import PLACE
from tests.error_analysis.tasks import PLAIN, task_of
from tests.evaluation.localization.stories import WRECK

Edit = Callable[[dict[str, Any]], None]


@pytest.fixture
def flags() -> list[Annotated]:
    """Two lines with forms that nobody has looked at."""
    said = detector("d", a="-+-", b="-+-")
    found = flagged(ferry("a"), ferry("b"), by=(said,))
    return list(found.lines)


def _written(path: Path, lines: list[Annotated], edit: Edit | None = None) -> str:
    records = [json.loads(write_example(each)) for each in lines]
    if edit:
        edit(next(e for e in records[1]["judgements"] if not e["author"]["name"]))
    path.write_text("".join(json.dumps(each) + "\n" for each in records), "utf-8")
    return str(path)


def _sign(form: dict[str, Any]) -> None:
    form["author"]["name"] = "ann"


def _note(form: dict[str, Any]) -> None:
    form["units"][0]["verdict"]["note"] = "I am not sure yet."


def _relabel(form: dict[str, Any]) -> None:
    form["units"][0]["verdict"]["label"] = "unfaithful"


def _cite(form: dict[str, Any]) -> None:
    form["units"][0]["verdict"]["attributes"]["cited"] = "48 people"


def _decide(form: dict[str, Any]) -> None:
    form["units"][0]["verdict"]["attributes"]["decision"] = "ambiguous"


@pytest.mark.parametrize("edit", [_sign, _note, _relabel, _cite, _decide])
def test_whatever_somebody_wrote_in_a_form_is_kept(
    flags: list[Annotated], tmp_path: Path, edit: Edit
) -> None:
    path = _written(tmp_path / "flags.jsonl", flags, edit)
    with pytest.raises(InputError, match="decisions of people that would be lost") as caught:
        require_targets({"out": path})
    assert caught.value.field == "out"


def test_forms_that_nobody_touched_may_be_made_anew(flags: list[Annotated], tmp_path: Path) -> None:
    require_targets({"out": _written(tmp_path / "flags.jsonl", flags)})
    require_targets({"out": _written(tmp_path / "gold.jsonl", [ferry("a", "++-", "+++")])})


@pytest.mark.parametrize("name", ["flags.parquet", "flags.arrow"])
def test_what_stands_in_columns_is_looked_at_too(
    flags: list[Annotated], tmp_path: Path, name: str
) -> None:
    path = _written(tmp_path / "flags.jsonl", flags, _note)
    noted = [read_example(line) for line in Path(path).read_bytes().splitlines()]
    for lines, held in ((flags, False), (noted, True)):
        write_example_file(lines, str(tmp_path / name), response_label)
        with pytest.raises(InputError, match="decisions of people") if held else nullcontext():
            require_targets({"out": str(tmp_path / name)})


def test_columns_that_cannot_be_read_are_kept_and_an_empty_file_is_not(tmp_path: Path) -> None:
    path = tmp_path / "out.parquet"
    path.touch()
    require_targets({"out": str(path)})
    path.write_bytes(b"x")
    with pytest.raises(InputError, match="something that cannot be read"):
        require_targets({"out": str(path)})


def test_note_in_a_task_is_kept_and_evidence_that_a_detector_proposes_is_none(
    tmp_path: Path,
) -> None:
    task = task_of(PLAIN, PLACE)
    (form,) = (each for each in task.judgements if not each.author.name)
    shown = tuple(
        replace(each, evidence=(Span.cut(WRECK.source.text, 0, 5, "source"),))
        for each in form.verdicts
    )
    untouched = replace(task, judgements=(*task.judgements[:-1], replace(form, outcomes=shown)))
    require_targets({"out": _written(tmp_path / "tasks.jsonl", [PLAIN, untouched])})
    with pytest.raises(InputError, match="decisions of people that would be lost"):
        require_targets({"out": _written(tmp_path / "noted.jsonl", [PLAIN, untouched], _note)})


def test_decisions_that_are_carried_over_are_not_lost(
    flags: list[Annotated], tmp_path: Path
) -> None:
    path = _written(tmp_path / "flags.jsonl", flags, _sign)
    lines = [read_example(each) for each in Path(path).read_bytes().splitlines()]
    require_targets({"out": path}, carried=lines)
    with pytest.raises(InputError, match="decisions of people"):
        require_targets({"out": path}, carried=lines[:1])


@pytest.mark.parametrize("damaged", [0, 1])
def test_a_line_that_cannot_be_read_is_kept(
    flags: list[Annotated], tmp_path: Path, damaged: int
) -> None:
    path = tmp_path / "flags.jsonl"
    _written(path, flags)
    lines = path.read_text("utf-8").splitlines()
    lines[damaged] = lines[damaged][:-1]
    path.write_text("\n".join(lines), "utf-8")
    with pytest.raises(InputError, match=rf"an unreadable line \({damaged + 1}\)"):
        require_targets({"out": str(path)})


def test_a_form_with_an_unknown_label_is_kept(flags: list[Annotated], tmp_path: Path) -> None:
    def typo(form: dict[str, Any]) -> None:
        form["units"][0]["verdict"]["label"] = "fathful"

    with pytest.raises(InputError, match=r"an unreadable line \(2\)"):
        require_targets({"out": _written(tmp_path / "flags.jsonl", flags, typo)})


def test_forms_are_found_whatever_the_file_is_called(
    flags: list[Annotated], tmp_path: Path
) -> None:
    path = _written(tmp_path / "flags.md", flags, _sign)
    with pytest.raises(InputError, match="decisions of people"):
        require_targets({"markdown": path})
    packed = tmp_path / "flags.jsonl.gz"
    packed.write_bytes(gzip.compress(Path(path).read_bytes()))
    with pytest.raises(InputError, match="decisions of people"):
        require_targets({"out": str(packed)})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("plan.csv", "batch,annotator,id,source,label\n1,ann,x,text,\n1,bo,x,text,faithful\n"),
        ("plan.csv", "\ufeffbatch;annotator;id;source;verdict\n1;ann;x;text;ok\n"),
        ("plan.jsonl", '{"batch": 1, "annotator": "ann", "id": "x", "label": "faithful"}\n'),
    ],
)
def test_labels_in_a_plan_are_kept(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    with pytest.raises(InputError, match="labels of annotators that would be lost"):
        require_targets({"out": str(path)})


def test_a_plan_without_labels_may_be_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "plan.csv"
    path.write_text("batch,annotator,id,source,label\n1,ann,x,text,\n", "utf-8")
    require_targets({"out": str(path)})


def test_a_project_of_the_studio_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "annotated.jsonl"
    path.write_text('{"schema": "urn:assay:project:1", "name": "x"}\n', "utf-8")
    with pytest.raises(InputError, match="a project of the studio"):
        require_targets({"out": str(path)})


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_an_input_is_no_target_through_links_either(
    tmp_path: Path, link: Callable[[Path, Path], None]
) -> None:
    data, other = tmp_path / "data.jsonl", tmp_path / "other.jsonl"
    data.write_text("{}\n", "utf-8")
    link(data, other)
    with pytest.raises(InputError, match="is an input and would be lost"):
        require_targets({"csv": str(other)}, "", None, str(data))


def test_two_outputs_to_one_file_are_refused(tmp_path: Path) -> None:
    one = str(tmp_path / "key.csv")
    with pytest.raises(InputError, match="two outputs would go to"):
        require_targets({"out": one, "key": str(tmp_path / "." / "key.csv")})
    require_targets({"out": "-", "csv": "-", "markdown": None})
