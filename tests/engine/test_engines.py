"""The choice of an engine, and what cannot be one."""

import pytest

from assay.core.errors import InputError
from assay.engine.engines import EngineChoice


def test_nothing_named_is_this_process() -> None:
    assert (EngineChoice().engine, EngineChoice().address) == ("", "")


def test_ray_finds_its_cluster_itself() -> None:
    assert EngineChoice("ray", 3, 2).address == ""


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ("ray://head:20001", "ray://head:20001"),
        ("ray://head", "ray://head:10001"),
        ("ray://10.0.0.1:7", "ray://10.0.0.1:7"),
        ("ray://[::1]:7", "ray://[::1]:7"),
    ],
)
def test_cluster_has_an_address(given: str, address: str) -> None:
    assert EngineChoice(given).address == address


@pytest.mark.parametrize("given", ["spark", "ray:", "ray://", "ray://a:b", "ray://a/b", "Ray"])
def test_other_engine_is_refused(given: str) -> None:
    with pytest.raises(InputError, match=r"the engine is ray or ray://HOST:PORT, not '") as found:
        EngineChoice(given)
    assert found.value.field == "engine"


def test_no_workers_are_refused() -> None:
    with pytest.raises(InputError, match="the workers are 1 or more, not 0") as found:
        EngineChoice("ray", 0)
    assert found.value.field == "workers"
    with pytest.raises(InputError, match="the worker cpus are 1 or more, not 0"):
        EngineChoice("ray", 1, 0)


def test_workers_without_an_engine_are_refused() -> None:
    with pytest.raises(InputError, match="the workers are those of an engine, and none is named"):
        EngineChoice(workers=2)
