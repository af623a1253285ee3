"""A model's server on loopback, and nothing of the machine's own settings."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assay import DetectorSpec
from assay.llm.settings.options import Options
from tests.cli.loopback import Loopback


@pytest.fixture(autouse=True)
def _own_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("OPENAI_API_KEY", "a-key")
    for name in ("ASSAY_MODEL", "ASSAY_CONFIG", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    """A server that finds everything faithful; models without a provider are asked there."""
    made = Loopback()
    monkeypatch.setenv("OPENAI_BASE_URL", made.url)
    yield made
    made.close()


@pytest.fixture
def judge(server: Loopback) -> Callable[..., DetectorSpec]:
    """A judge of responses that asks the server."""

    def make(name: str = "judge-simple", votes: int = 1, **options: object) -> DetectorSpec:
        settings = Options(base_url=server.url, attempts=1, **options)  # type: ignore[arg-type]
        return DetectorSpec(name, ("m",), votes, settings)

    return make
