"""The plugin in sessions of pytest: what it loads, writes and sends."""

import os
import tomllib
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

import assay
from tests.testing.test_pages import ids_on

pytest_plugins = ["pytester"]

Session = Callable[..., pytest.RunResult]
ROOT = Path(__file__).resolve().parents[2]
TESTS = """
import pytest
from assay import assert_faithful

SOURCE = "The ferry runs."

def test_good(faithfulness):
    faithfulness.assert_faithful("It is explicitly-supported.", SOURCE)

def test_bad():
    assert_faithful("It is fabricated.", SOURCE, detector="spoken")

def test_unsure(faithfulness):
    faithfulness.check(SOURCE, "It is no-fact.")
    faithfulness.assert_faithful("Perhaps fabricated?.", SOURCE)

def test_other():
    pass
"""
SPOKEN = ("--assay-detector", "spoken")


@pytest.fixture
def session(pytester: pytest.Pytester, packages: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    """Runs pytest in a process of its own, with the plugin found as an installed package's."""
    paths = [str(packages), str(Path(str(assay.__file__)).parents[1])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # the others take time to load

    def run(*arguments: str, plugin: str = "assay") -> pytest.RunResult:
        common = ("-p", plugin, "-p", "xdist", "-p", "no:cacheprovider", "-W", "error")
        return pytester.runpytest_subprocess(*common, *arguments, timeout=120)

    return run


def properties(path: Path) -> dict[str, dict[str, str]]:
    """The properties of each test in a JUnit file."""
    return {
        str(case.get("name")): {
            str(each.get("name")): str(each.get("value")) for each in case.iter("property")
        }
        for case in ET.parse(path).iter("testcase")
    }


def test_package_declares_the_plugin() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"assay": "assay.testing.plugin"}


def test_session_that_checks_nothing_loads_nothing(
    session: Session, pytester: pytest.Pytester
) -> None:
    pytester.makeconftest(
        """
        import sys
        def pytest_unconfigure():
            print("loaded", *sys.modules)
        """
    )
    pytester.makepyfile("def test_it(): pass")

    def loaded(*arguments: str, plugin: str = "assay") -> set[str]:
        lines = session(*arguments, plugin=plugin).outlines
        return {name for line in lines if line.startswith("loaded ") for name in line.split()}

    ours = {"assay", "assay.testing", "assay.testing.plugin", "assay.testing.watching"}
    without = loaded(plugin="xdist")
    assert "pytest" in without
    assert loaded() - without == ours
    assert loaded("--collect-only", "--assay-report", "page.html") - without == ours


def test_fixture_takes_the_options_of_the_session(
    session: Session, pytester: pytest.Pytester
) -> None:
    pytester.makepyfile(TESTS)
    result = session(*SPOKEN)
    result.assert_outcomes(passed=3, failed=1)
    for allow, outcomes in (
        ("", {"passed": 2, "failed": 2}),
        ("not-sure", {"passed": 3, "failed": 1}),
    ):
        session(*SPOKEN, "--assay-allow", allow).assert_outcomes(**outcomes)


def test_configuration_file_has_the_same_settings(
    session: Session, pytester: pytest.Pytester
) -> None:
    pytester.makepyfile(TESTS)
    pytester.makeini("[pytest]\nassay_detector = spoken\nassay_allow = ambiguous\n")
    session("--strict-config").assert_outcomes(passed=2, failed=2)


def test_options_win_over_the_configuration_file(
    session: Session, pytester: pytest.Pytester
) -> None:
    pytester.makepyfile(TESTS)
    pytester.makeini("[pytest]\nassay_detector = nobody\n")
    session(*SPOKEN).assert_outcomes(passed=3, failed=1)


def test_test_with_a_detector_of_its_own_does_not_ask_the_sessions_model(
    session: Session, pytester: pytest.Pytester
) -> None:
    pytester.makepyfile(
        "def test_it(faithfulness):\n"
        "    faithfulness.assert_faithful('It is no-fact.', 'x y', detector='spoken')\n"
    )
    options = ("--assay-detector", "judge-gray7", "--assay-model", "m")
    session(*options).assert_outcomes(passed=1)


def test_traceback_ends_in_the_test_and_shows_the_sentence(
    session: Session, pytester: pytest.Pytester
) -> None:
    pytester.makepyfile(TESTS)
    result = session(*SPOKEN, "-k", "bad")
    result.stdout.fnmatch_lines(
        [
            ">*assert_faithful(*",
            "E *AssertionError: not faithful to the source: 1 sentence labelled fabricated",
            "E *- s1 response: It is fabricated.",
            "E *+    source:   The ferry runs.",
        ]
    )
    assert "assertions.py" not in result.stdout.str()


def test_mistake_is_one_line_and_no_traceback_of_ours(
    session: Session, pytester: pytest.Pytester
) -> None:
    pytester.makepyfile(
        "def test_it(faithfulness):\n    faithfulness.assert_faithful('It runs.', '')\n"
    )
    result = session(*SPOKEN)
    result.stdout.fnmatch_lines(["E *InputError: the texts: the source is empty"])
    assert "src/assay" not in result.stdout.str()


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_page_and_junit_file_have_all_checks_by_test(
    session: Session, pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    pytester.makepyfile(test_it=TESTS)
    files = ("--assay-report", "new/page.html", "--junitxml", "junit.xml")
    result = session(*SPOKEN, *files, *workers)
    names = ("test_good", "test_bad", "test_unsure", "test_unsure #2")
    assert ids_on(pytester.path / "new" / "page.html") == [f"test_it.py::{each}" for each in names]
    found = properties(pytester.path / "junit.xml")
    assert found["test_bad"]["assay.worst-label"] == "fabricated"
    assert found["test_bad"]["assay.detector"] == "spoken"
    assert found["test_bad"]["assay.detector-version"] == "7"
    two = found["test_unsure"]
    assert (two["assay.checks"], two["assay.units"], two["assay.not-sure"]) == ("2", "2", "1")
    assert (two["assay.unfaithful"], two["assay.coarse"]) == ("0", "not-sure")
    assert found["test_other"] == {}
    result.stdout.fnmatch_lines(
        [
            "assay: 4 checks, 4 units, 1 unfaithful, 1 not sure, 0 without a verdict",
            "assay: all checks: *page.html",
        ]
    )


def test_worker_that_dies_loses_only_the_test_that_killed_it(
    session: Session, pytester: pytest.Pytester
) -> None:
    pytester.makepyfile(
        test_it="""
        import os, pytest
        @pytest.mark.parametrize("n", range(6))
        def test_it(faithfulness, n):
            faithfulness.check("The ferry runs.", "It is no-fact.")
            if n == 3:
                os._exit(1)
        """
    )
    session(*SPOKEN, "--assay-report", "page.html", "-n", "2")
    found = ids_on(pytester.path / "page.html")
    assert found == [f"test_it.py::test_it[{n}]" for n in (0, 1, 2, 4, 5)]


def test_session_that_is_interrupted_leaves_its_page(
    session: Session, pytester: pytest.Pytester
) -> None:
    stopping = "\ndef test_stop():\n    raise KeyboardInterrupt\n\ndef test_never(): pass\n"
    pytester.makepyfile(test_it=TESTS + stopping)
    session(*SPOKEN, "--assay-report", "page.html")
    assert len(ids_on(pytester.path / "page.html")) == 4


def test_test_that_is_run_again_stands_on_the_page_once(
    session: Session, pytester: pytest.Pytester
) -> None:
    pytester.makeconftest(
        """
        from _pytest.runner import runtestprotocol
        def pytest_runtest_protocol(item, nextitem):
            for again in range(2):
                runtestprotocol(item, nextitem=nextitem)
            return True
        """
    )
    pytester.makepyfile(test_it=TESTS)
    result = session(*SPOKEN, "--assay-report", "page.html", "-k", "good", "--junitxml", "j.xml")
    assert ids_on(pytester.path / "page.html") == ["test_it.py::test_good"]
    result.stdout.fnmatch_lines(["assay: 1 check, 1 unit, *"])
    assert properties(pytester.path / "j.xml")["test_good"]["assay.checks"] == "1"


def test_checks_of_shared_fixtures_belong_to_the_test_that_made_them(
    session: Session, pytester: pytest.Pytester
) -> None:
    pytester.makepyfile(
        test_it="""
        import pytest
        @pytest.fixture(scope="session")
        def shared(faithfulness):
            yield faithfulness.check("The ferry runs.", "It is no-fact.")
            faithfulness.check("The ferry runs.", "It is fabricated.")
        def test_a(shared): assert shared.coarse == "no-fact"
        def test_b(shared): pass
        """
    )
    session(*SPOKEN, "--assay-report", "page.html").assert_outcomes(passed=2)
    assert ids_on(pytester.path / "page.html") == ["test_it.py::test_a", "test_it.py::test_b"]


def test_page_that_cannot_be_written_is_said_and_fails_the_session(
    session: Session, pytester: pytest.Pytester
) -> None:
    pytester.makepyfile(TESTS)
    pytester.makefile(".txt", taken="a file")
    result = session(*SPOKEN, "-k", "good", "--assay-report", "taken.txt/page.html")
    result.stdout.fnmatch_lines(
        ["assay: there is no page of the checks: *taken.txt*", "*1 passed*"]
    )
    assert result.ret != 0


def test_folder_is_refused_as_the_page_before_any_test(
    session: Session, pytester: pytest.Pytester
) -> None:
    result = session("--assay-report", ".")
    result.stderr.fnmatch_lines(["ERROR: --assay-report writes a file; '.' is a folder"])
    assert result.ret == pytest.ExitCode.USAGE_ERROR


def test_no_page_is_written_of_no_check(session: Session, pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it(): pass")
    result = session("--assay-report", "page.html")
    result.stdout.fnmatch_lines(["assay: no check was made, so *page.html was not written"])
    assert not (pytester.path / "page.html").exists()


def test_model_is_loaded_once_in_a_process(session: Session, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest
        from assay import assert_faithful
        from assay.detectors.embedded.network import Network

        loads = []
        load = Network.from_arrays.__func__

        @pytest.fixture(scope="module", autouse=True)
        def counted():
            Network.from_arrays = classmethod(
                lambda kind, *given, **how: loads.append(1) or load(kind, *given, **how)
            )

        @pytest.mark.parametrize("year", [1815, 1816, 1817])
        def test_it(year, faithfulness):
            source = f"Ada was born in {year}."
            assert_faithful(source, source, detector="embedded")
            faithfulness.check(source, source, detector="embedded")
            assert loads == [1]
        """
    )
    session().assert_outcomes(passed=3)


def test_finding_in_a_plain_assertion_is_one_short_line(
    session: Session, pytester: pytest.Pytester
) -> None:
    pytester.makepyfile(
        """
        def test_it(faithfulness):
            found = faithfulness.check("The ferry runs. " * 90, "It is fabricated.").sentences[0]
            assert not found
        """
    )
    result = session(*SPOKEN)
    result.stdout.fnmatch_lines(["E *assert not <Finding s1: fabricated 0.10 *>"])
    assert max(map(len, result.outlines)) < 160
