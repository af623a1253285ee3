"""Pages from outside: fetched under guard, kept, and shown to those who may know of them."""

from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Semaphore

import pytest
from sqlalchemy import select

from assay.annotation.access import NotFoundError
from assay.annotation.items import item_view, work
from assay.annotation.items import snapshots as external
from assay.annotation.items.snapshots import KeptLink, keep_external, snapshot
from assay.annotation.settings import ProjectSettings
from assay.annotation.studio import Person, Purpose, Studio
from assay.core.errors import InputError
from assay.knowledge.sources import FetchError
from assay.knowledge.web.addresses import anywhere
from assay.store.annotation import tables
from tests.annotating import EXAMPLES, MakePerson, MakeProject, on_both_databases
from tests.annotation.working import SUPPORTED, label_all, mine, take
from tests.knowledge.conftest import Site, site

__all__ = ["site"]
HERE: tuple[str, int, Purpose] = ("demo", 1, "real")
PAGE = "<title>Cats &amp; mats</title><nav>Home</nav><p>Cats <b>sit</b>.</p><script>x()</script>"


@pytest.fixture
def team(studio: Studio, make_person: MakePerson, make_project: MakeProject) -> list[Person]:
    """Two annotators with the same item, an adjudicator, an administrator, a stranger."""
    team = [
        make_person("ann"),
        make_person("ben"),
        make_person("ada", "adjudicator"),
        make_person("root", "administrator"),
        make_person("eve", "adjudicator"),
    ]
    make_project(settings=ProjectSettings(k=2), examples=EXAMPLES[:1], members=team[:3])
    for who in team[:2]:
        take(studio, who)
    return team


def keep(studio: Studio, who: Person, address: str) -> KeptLink:
    return keep_external(studio, who, HERE, address, allow=anywhere)


@on_both_databases
def test_a_page_is_kept_as_text(studio: Studio, team: list[Person], site: Site) -> None:
    site.answers["/cats"] = (200, "text/html", PAGE)
    kept = keep(studio, team[0], f"{site.base}/cats")
    assert (kept.external.title, kept.problem) == ("Cats & mats", "")
    shown = snapshot(studio, team[0], kept.external.digest)
    assert (shown.text, shown.address) == ("Cats sit.", f"{site.base}/cats")
    with studio.read() as connection:
        content = connection.execute(select(tables.snapshots.c.content)).scalar_one()
    assert content == PAGE.encode()


def test_a_page_that_cannot_be_read_is_linked_all_the_same(
    studio: Studio, team: list[Person], site: Site
) -> None:
    site.answers["/zip"] = (200, "application/zip", b"PK")
    site.answers["/empty"] = (200, "text/html", "<p> </p>")
    for path, why in (
        ("/gone", "answered with status 404"),
        ("/zip", "has type application/zip"),
        ("/empty", "the page has no text"),
    ):
        kept = keep(studio, team[0], f"{site.base}{path}")
        assert (kept.external.address, kept.external.digest) == (f"{site.base}{path}", "")
        assert why in kept.problem


def test_internal_addresses_are_not_contacted(
    studio: Studio, team: list[Person], site: Site
) -> None:
    for host in (f"127.0.0.1:{site.port}", f"localhost:{site.port}", "169.254.169.254", "[::1]"):
        kept = keep_external(studio, team[0], HERE, f"http://{host}/")
        assert "is not a public address" in kept.problem
    assert site.asked == []


def test_what_an_internal_name_resolves_to_is_not_told(
    studio: Studio, team: list[Person], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def resolve(*_: object) -> list[dict[str, object]]:
        return [{"host": "10.20.30.40", "port": 80, "family": 2, "proto": 0, "flags": 0}]

    monkeypatch.setattr("aiohttp.resolver.ThreadedResolver.resolve", resolve)
    for name in ("intranet.example", "localhost"):
        kept = keep_external(studio, team[0], HERE, f"http://{name}/")
        assert kept.problem == "no snapshot was kept: that is not a public address"


def test_a_name_that_cannot_be_decoded_is_linked_without_a_snapshot(
    studio: Studio, team: list[Person]
) -> None:
    kept = keep_external(studio, team[0], HERE, "http://xn--a/")
    assert "is not an http or https address" in kept.problem


def test_a_page_over_two_mebibytes_is_not_read(
    studio: Studio, team: list[Person], site: Site
) -> None:
    site.answers["/long"] = (200, "text/html", "<p>" + "word " * (2 * 2**20 // 5) + "</p>")
    kept = keep(studio, team[0], f"{site.base}/long")
    assert "more than 2,097,152 bytes" in kept.problem
    assert kept.external.digest == ""


def test_somebody_reads_two_pages_at_a_time(
    studio: Studio, team: list[Person], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, goes_on = Semaphore(0), Event()

    def fetch(coroutine: Coroutine[object, object, object]) -> object:
        coroutine.close()
        begun.release()
        assert goes_on.wait(30)
        raise FetchError("refused", "it is slow")

    monkeypatch.setattr("assay.core.system.bridge.run", fetch)
    with ThreadPoolExecutor(3) as pool:
        waiting = [pool.submit(keep, studio, team[0], f"http://a.example/{n}") for n in "12"]
        for _ in waiting:
            assert begun.acquire(timeout=30)
        with pytest.raises(InputError, match="2 pages"):
            keep(studio, team[0], "http://a.example/3")
        other = pool.submit(keep, studio, team[1], "http://a.example/3")
        assert begun.acquire(timeout=30)
        goes_on.set()
        assert all("it is slow" in each.result().problem for each in (*waiting, other))
    assert "it is slow" in keep(studio, team[0], "http://a.example/3").problem


@pytest.mark.parametrize("address", ["", "file:///etc/passwd", "javascript:1", "http://", "x" * 9])
def test_only_web_addresses_are_links(studio: Studio, team: list[Person], address: str) -> None:
    with pytest.raises(InputError):
        keep(studio, team[0], address)


def test_a_snapshot_is_as_blind_as_the_item(studio: Studio, team: list[Person], site: Site) -> None:
    ann, ben, ada, root, eve = team
    site.answers["/cats"] = (200, "text/plain", "Cats sit.\0")
    digest = keep(studio, ann, f"{site.base}/cats").external.digest
    for who in (ben, ada, root, eve):
        with pytest.raises(NotFoundError):
            snapshot(studio, who, digest)
    for who in (ann, ben):
        view = item_view.open_item(studio, who, "demo", 1)
        version = label_all(studio, who, view, [SUPPORTED, SUPPORTED])
        work.submit(studio, who, mine(view).id, version)
    for who in (ann, ben, ada, root):
        assert snapshot(studio, who, digest).text == "Cats sit.\ufffd"
    with pytest.raises(NotFoundError):
        snapshot(studio, eve, digest)


def test_two_people_who_read_the_same_page_share_a_snapshot(
    studio: Studio, team: list[Person], site: Site
) -> None:
    site.answers["/a"] = site.answers["/b"] = (200, "text/plain", "Cats sit.")
    first = keep(studio, team[0], f"{site.base}/a").external
    second = keep(studio, team[1], f"{site.base}/b").external
    assert first.digest == second.digest
    assert snapshot(studio, team[1], second.digest).address == f"{site.base}/b"


def test_nobody_reads_pages_for_an_item_that_is_not_theirs(
    studio: Studio, team: list[Person], site: Site
) -> None:
    for who in team[2:]:
        with pytest.raises(NotFoundError):
            keep(studio, who, f"{site.base}/cats")
    assert site.asked == []


def test_the_pages_for_an_item_are_limited(
    studio: Studio, team: list[Person], site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(external, "MOST_FETCHES", 1)
    site.answers["/cats"] = (200, "text/plain", "Cats sit.")
    keep(studio, team[0], f"{site.base}/cats")
    with pytest.raises(InputError, match="that is the limit"):
        keep(studio, team[0], f"{site.base}/dogs")
