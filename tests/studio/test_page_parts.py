"""What all pages have: the bar that says where one is, and times that say their zone."""

import re

import pytest

from assay.annotation.settings import ProjectSettings
from assay.annotation.studio import Studio
from assay.annotation.team import adjudication, training
from assay.annotation.team.batches import BatchRequest, give_out
from assay.annotation.team.exercises import add_shipped
from assay.studio.pages import templates
from tests.annotating import Client, MakePerson, MakeProject
from tests.annotation.acting import annotate

OK, WRONG = "explicitly-supported", "contradicting"
HERE = re.compile(r'aria-current="page">([A-Z][a-z]{1,20})<')


def test_the_bar_says_where_an_item_belongs(
    studio: Studio, make_person: MakePerson, make_project: MakeProject, client: Client
) -> None:
    root, judy = make_person("root", "administrator"), make_person("judy", "adjudicator")
    ann, bob = make_person("ann"), make_person("bob")
    make_project("demo", ProjectSettings(k=2), members=[judy, ann, bob])
    give_out(studio, root, "demo", BatchRequest(10, annotators=("ann", "bob")))

    def here(who: str, path: str) -> list[str]:
        got = client({"ann": ann, "judy": judy}[who]).get(f"/projects/demo/{path}")
        assert got.status_code == 200
        return HERE.findall(got.text)

    assert here("ann", "items/1") == ["Items"]
    annotate(studio, ann, "demo", 1, [OK, OK])
    annotate(studio, bob, "demo", 1, [OK, WRONG])
    adjudication.take(studio, judy, "demo", 1)
    assert here("judy", "items/1") == ["Adjudication"]
    assert here("judy", "adjudication/1") == ["Adjudication"]
    assert here("ann", "items/1") == ["Items"]  # who has no part in the adjudication
    add_shipped(studio, root, "demo")
    training.begin_training(studio, ann, "demo")
    assert here("ann", "items/1?purpose=training") == ["Training"]


@pytest.mark.parametrize(
    ("at", "shown"),
    [
        (
            "2025-06-09T21:05:33.123+00:00",
            '<time datetime="2025-06-09T21:05:33+00:00">2025-06-09 21:05 UTC</time>',
        ),
        (
            "2025-06-09T23:05:33+02:00",
            '<time datetime="2025-06-09T21:05:33+00:00">2025-06-09 21:05 UTC</time>',
        ),
        ("2025-06-09", '<time datetime="2025-06-09T00:00:00+00:00">2025-06-09 00:00 UTC</time>'),
        ("<b>", "&lt;b&gt;"),
        ("", ""),
    ],
)
def test_times_say_that_they_are_utc(at: str, shown: str) -> None:
    template = templates().from_string("{% autoescape true %}{{ at | day }}{% endautoescape %}")
    assert template.render(at=at) == shown
