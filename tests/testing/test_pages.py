"""The checks of a session between processes, counted, and on one page."""

import json
from pathlib import Path

import pytest

import assay
from assay.testing.pages import pack, properties_of, write_page

SOURCE = "The ferry runs."


def checked(response: str, detector: str = "spoken", source: object = SOURCE) -> assay.Report:
    return assay.check(source, response, detector=detector)


def ids_on(page: Path) -> list[str]:
    """The names in the index of a page, in order."""
    text = page.read_text(encoding="utf-8")
    index = text.partition('id="index">')[2].partition("</script>")[0]
    names, *rows = json.loads(index)
    return [row[names.index("id")] for row in rows]


@pytest.mark.usefixtures("spoken")
def test_page_has_every_check_under_the_name_of_its_test(tmp_path: Path) -> None:
    rows = [{"source": SOURCE, "response": f"It is {word}."} for word in ("no-fact", "fabricated")]
    many = assay.check(rows, detector="spoken")
    tests = {
        "a.py::x": [pack(checked("It is fabricated.")), pack(checked("It is no-fact."))],
        "a.py::y[ü]": [pack(many)],
    }
    assert write_page(tmp_path / "page.html", tests) == 4
    names = ["a.py::x", "a.py::x #2", "a.py::y[ü] row 1", "a.py::y[ü] row 2"]
    assert ids_on(tmp_path / "page.html") == names


@pytest.mark.usefixtures("spoken")
def test_page_of_several_detectors_names_them(tmp_path: Path) -> None:
    reports = [pack(checked("It is fabricated.")), pack(checked("It runs.", "overlap"))]
    write_page(tmp_path / "page.html", {"a.py::x": reports})
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Detector <b><bdi>spoken, overlap</bdi></b>" in page


def test_what_is_sent_is_plain_and_comes_back_whole(tmp_path: Path) -> None:
    source = {"name": "Ærø </script>\u2028", "cars": [90, {"x": None}]}
    packed = pack(checked("Ærø </script> has 91 cars. \x01 It is \U0001f6a2.", "overlap", source))
    sent = json.loads(json.dumps(packed))
    assert sent == packed
    write_page(tmp_path / "page.html", {"x": [sent]})
    assert "has 91 cars" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_row_that_could_not_be_read_stands_on_the_page(tmp_path: Path) -> None:
    rows = [{"source": SOURCE, "response": ""}, {"source": SOURCE, "response": "It runs."}]
    report = assay.check(rows, detector="overlap", on_error="keep")
    write_page(tmp_path / "page.html", {"a.py::x": [pack(report)]})
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "a.py::x row 1: row 1" in page
    assert "the response is empty" in page


@pytest.mark.usefixtures("spoken")
def test_properties_add_up_the_checks_of_a_test() -> None:
    first = checked("It is no-fact. It is fabricated. Perhaps contradicting?.")
    second = checked("It is unjudged. It is explicitly-supported.")
    assert properties_of([second, first]) == {
        "assay.checks": 2,
        "assay.units": 5,
        "assay.unfaithful": 1,
        "assay.not-sure": 1,
        "assay.no-verdict": 1,
        "assay.coarse": "unfaithful",
        "assay.worst-label": "fabricated",  # of those that are sure
        "assay.detector": "spoken",
        "assay.detector-version": "7",
    }


def test_checks_without_a_verdict_are_no_faithful_ones() -> None:
    kept = assay.check([{"source": "", "response": ""}], detector="overlap", on_error="keep")
    said = properties_of([kept])
    assert (said["assay.coarse"], said["assay.worst-label"]) == ("no-verdict", "")
