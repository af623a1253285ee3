"""Shared fixtures: the released corpora beside a checkout, examples, detectors with a script."""

import os
import signal
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import pytest
from hypothesis import settings
from sqlalchemy import Engine, event

from assay.core.examples import Example
from assay.core.judgements import Author, Finding, Judgement
from assay.core.labels import Taxonomy
from assay.core.rendering import read_source
from assay.core.taxonomies import GRAY7
from assay.core.texts import Response
from assay.core.units import Unit, UnitKind
from assay.core.verdicts import Outcome
from assay.detectors.protocol import Capabilities, Detector, judgement_of
from assay.text.sentences import response_unit, sentence_units
from tests import postgres as postgresql

settings.register_profile("assay", deadline=None, derandomize=True, database=None)
settings.register_profile("brief", settings.get_profile("assay"), max_examples=20)
settings.load_profile("assay")

# A shell that starts us in the background ignores Ctrl-C for us and for what our tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Names the tests that were skipped, by what they lack; the cases of a test are counted."""
    lacking: dict[str, Counter[str]] = {}
    for report in terminalreporter.stats.get("skipped", []):
        why = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        test = report.nodeid.partition("[")[0]
        lacking.setdefault(why.removeprefix("Skipped: "), Counter())[test] += 1
    if lacking:
        terminalreporter.section(f"{sum(map(Counter.total, lacking.values()))} tests skipped")
    for why, tests in sorted(lacking.items()):
        terminalreporter.write_line(f"{tests.total()} skipped: {why}")
        for test, cases in sorted(tests.items()):
            terminalreporter.write_line(f"    {test}{f' ({cases} cases)' if cases > 1 else ''}")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of the released corpora; without it the test is skipped."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("ASSAY_DATA", beside))
    if not folder.is_dir():
        pytest.skip(f"the released corpora are not at {folder}; set ASSAY_DATA to their folder")
    return folder


@event.listens_for(Engine, "connect")
def _is_not_flushed(connection: object, _: object) -> None:
    """SQLite leaves it to the system when to write to the disk: no test takes away the power."""
    if isinstance(connection, sqlite3.Connection):
        connection.execute("PRAGMA synchronous = OFF")


@pytest.fixture(scope="session")
def _places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Paths for one test each; they are not made, since most tests keep nothing."""
    folder = tmp_path_factory.mktemp("kept")
    return (folder / str(number) for number in count())


@pytest.fixture(autouse=True)
def _own_places(_places: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test runs or checks is kept in folders of its own."""
    folder = next(_places)
    monkeypatch.setenv("ASSAY_STATE", str(folder / "state"))
    monkeypatch.setenv("ASSAY_RUNS", str(folder / "runs"))
    monkeypatch.setenv("ASSAY_MODELS", str(folder / "models"))


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a PostgreSQL server of this session's own; without one the test is skipped."""
    with postgresql.server() as address:
        yield address


@pytest.fixture
def database(postgres: str) -> Iterator[str]:
    """The URL of an empty PostgreSQL database."""
    with postgresql.database(postgres) as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def runs_at(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where runs are kept, in turn: a folder that is not there yet, and an empty database."""
    if request.param == "sqlite":
        return str(tmp_path / "runs")
    return str(request.getfixturevalue("database"))


@pytest.fixture
def make_example() -> Callable[..., Example]:
    """Examples from two texts."""

    def make(source: object = "The cat sat.", response: str = "It sat.", id: str = "1") -> Example:
        return Example(id, read_source(source), Response(response))

    return make


@dataclass(frozen=True)
class Scripted:
    """A detector that says what its script says of each unit, and logs what it was asked."""

    script: Callable[[Unit], Outcome]
    name: str = "scripted"
    unit_kind: UnitKind = "sentence"
    taxonomy: Taxonomy = GRAY7
    log: list[str] = field(default_factory=list)
    prompt_digests: Mapping[str, str] = field(default_factory=dict)

    @property
    def author(self) -> Author:
        return Author(self.name)

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(self.unit_kind, self.taxonomy)

    async def judge(self, examples: Iterable[Example]) -> AsyncIterator[Judgement]:
        for example in examples:
            is_whole = self.unit_kind == "response"
            units = (response_unit(example),) if is_whole else sentence_units(example)
            self.log.extend(unit.text for unit in units)
            findings = (Finding(unit, self.script(unit)) for unit in units)
            yield judgement_of(example, self.author, findings)


@pytest.fixture
def scripted() -> Callable[..., Detector]:
    """Makes detectors from a script: `scripted(lambda unit: Verdict(unit.id, score=0.5))`."""
    return Scripted
