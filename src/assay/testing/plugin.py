"""The plugin for pytest: options, a fixture, JUnit properties, and one page of all checks.

Every session loads it where Assay is installed. So it imports pytest and the standard library, and
the rest of Assay only in a session that checks something.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from assay.testing import ALLOWED
from assay.testing.watching import watchers

if TYPE_CHECKING:
    from assay import Report
    from assay.testing.fixtures import Faithfulness
    from assay.testing.pages import PackedReport

# Settings of the fixture: each is an option, and an entry of the configuration file.
SETTINGS = {
    "detector": ("NAME", "", "Detector of the checks by the fixture 'faithfulness'."),
    "model": ("MODEL", "", "Model that this detector asks, as in openai/gpt-4.1-mini."),
    "allow": (
        "LABEL,...",
        ALLOWED,
        f"Labels that pass there beside faithful ones; {ALLOWED} if left out.",
    ),
}
_ATTRIBUTE = "assay_checks"  # of a test report, on its way from a worker of xdist
# Figures of the session: the properties of its tests, and the words for them.
_FIGURES = {
    "checks": "checks",
    "units": "units",
    "unfaithful": "unfaithful",
    "not-sure": "not sure",
    "no-verdict": "without a verdict",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declares the options."""
    group = parser.getgroup("assay", "faithfulness of texts (assay)")
    for name, (metavar, default, text) in SETTINGS.items():
        group.addoption(f"--assay-{name}", metavar=metavar, default=None, help=text)
        parser.addini(f"assay_{name}", text, default=default)
    group.addoption(
        "--assay-report",
        metavar="FILE",
        default=None,
        help="Write an HTML page of all checks that the tests made.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Begins to watch the checks of this session."""
    path = config.getoption("assay_report")
    if path is not None and Path(config.invocation_params.dir, path).is_dir():
        raise pytest.UsageError(f"--assay-report writes a file; '{path or '.'}' is a folder")
    config.pluginmanager.register(_Watch(config), "assay-watch")


@pytest.fixture(scope="session")
def faithfulness(pytestconfig: pytest.Config) -> Faithfulness:
    """`assert_faithful` and `check` with the options of the session."""
    from assay.testing.fixtures import Faithfulness

    return Faithfulness(**{name: _setting(pytestconfig, name) for name in SETTINGS})


def _setting(config: pytest.Config, name: str) -> str:
    """The option, even an empty one, or else the entry of the configuration file."""
    given = config.getoption(f"assay_{name}")
    return str(config.getini(f"assay_{name}") if given is None else given)


class _Watch:
    """Keeps what is checked, by test; a worker of xdist sends it on with its reports."""

    def __init__(self, config: pytest.Config) -> None:
        path = config.getoption("assay_report")
        self._path = Path(config.invocation_params.dir, path) if path else None
        self._is_worker = hasattr(config, "workerinput")
        self._collects_only = bool(config.getoption("collectonly"))
        self._made: list[Report] = []  # by the test that runs now
        self._sent = 0  # of these
        self._kept: dict[str, list[PackedReport]] = {}
        self._places: dict[str, int] = {}
        self._figures: dict[str, dict[str, object]] = {}
        self._said = ""
        watchers.append(self._made_check)

    def _made_check(self, report: Report) -> None:
        self._made.append(report)

    def pytest_unconfigure(self) -> None:
        watchers.remove(self._made_check)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self) -> None:
        self._made, self._sent = [], 0

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, Any, None]:
        if self._made:
            from assay.testing.pages import pack, properties_of

            own = properties_of(self._made)
            others = [each for each in item.user_properties if each[0] not in own]
            item.user_properties[:] = [*others, *own.items()]
        outcome = yield
        fresh = self._made[self._sent :]
        if fresh and self._path:
            setattr(outcome.get_result(), _ATTRIBUTE, list(map(pack, fresh)))
        self._sent = len(self._made)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if self._is_worker:
            return
        if report.when == "setup":  # a test that is run again is told once
            self._kept.pop(report.nodeid, None)
        if packed := vars(report).pop(_ATTRIBUTE, None):
            self._kept.setdefault(report.nodeid, []).extend(packed)
        if report.when == "teardown":
            ours = (each for each in report.user_properties if each[0].startswith("assay."))
            self._figures[report.nodeid] = dict(ours)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._remember(item.nodeid for item in session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        self._remember(ids)

    def _remember(self, ids: Iterable[str]) -> None:
        for each in ids:
            self._places.setdefault(each, len(self._places))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._is_worker or self._path is None or self._collects_only:
            return
        if not self._kept:
            self._said = f"no check was made, so {self._path} was not written"
            return
        from assay.core.errors import AssayError
        from assay.testing.pages import write_page

        last = len(self._places)
        tests = sorted(self._kept.items(), key=lambda each: self._places.get(each[0], last))
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_page(self._path, dict(tests))
            self._said = f"all checks: {self._path}"
        except (AssayError, OSError) as error:
            self._said = f"there is no page of the checks: {error}"
            session.exitstatus = pytest.ExitCode.INTERNAL_ERROR

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        totals = {
            name: sum(int(str(each.get(f"assay.{name}", 0))) for each in self._figures.values())
            for name in _FIGURES
        }
        if totals["checks"]:
            told = (_count_of(totals[name], words) for name, words in _FIGURES.items())
            terminalreporter.write_line(f"assay: {', '.join(told)}")
        if self._said:
            terminalreporter.write_line(f"assay: {self._said}")


def _count_of(number: int, words: str) -> str:
    return f"{number:,} {words[:-1] if number == 1 and words.endswith('s') else words}"
