"""Studios, people, projects and browsers that are signed in; a real server for real browsers."""

from collections.abc import Iterator

import pytest

from tests.annotating import client, make_person, make_project, studio, studio_at
from tests.studio.serving import Served, served

__all__ = ["client", "make_person", "make_project", "studio", "studio_at"]


@pytest.fixture
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with a studio of its own in a file."""
    place = tmp_path_factory.mktemp("served") / "studio.sqlite"
    with served(str(place)) as made:
        yield made
