"""Pages: templates filled with what a use case gives, the same that its JSON twin answers."""

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any

from fastapi import Request
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup
from starlette.responses import HTMLResponse

from assay.annotation.access import ROLES, Action
from assay.annotation.studio import Person
from assay.core.labels import Label
from assay.core.taxonomies import taxonomy
from assay.report.pages.badges import label_badge
from assay.studio.dependencies import page_token
from assay.studio.phrases import changed, details, happened

# What a project has: a name, the path below the project's own, and what it takes to go there.
PLACES: tuple[tuple[str, str, Action], ...] = (
    ("Work", "", "see-project"),
    ("Items", "/items", "see-project"),
    ("Training", "/training", "see-project"),
    ("Board", "/board", "see-board"),
    ("Adjudication", "/adjudication", "adjudicate"),
    ("Audit", "/audit", "audit"),
    ("History", "/history", "see-history"),
    ("Settings", "/settings", "manage-project"),
)


@dataclass(frozen=True, slots=True)
class BarEntry:
    """An entry of the bar above a page of a project."""

    name: str
    href: str
    is_here: bool


def page(
    request: Request,
    template: str,
    who: Person | None = None,
    *,
    project: str = "",
    place: str = "",
    status: int = 200,
    **data: Any,
) -> HTMLResponse:
    """A page for somebody; `project` is the slug of the project that it belongs to.

    `place` names the entry of the bar that it belongs to, where its path does not tell.
    """
    filled = {
        "who": who,
        "project": project,
        "places": places(request.url.path, who, project, place),
        "token": page_token(request),
        **data,
    }
    return HTMLResponse(templates().get_template(template).render(filled), status_code=status)


def places(path: str, who: Person | None, project: str, place: str = "") -> list[BarEntry]:
    """The pages of a project that somebody may see.

    They are at the place that is named, or else at the longest path that fits.
    """
    if not who or not project:
        return []
    root = f"/projects/{project}"
    found = [(name, root + below) for name, below, action in PLACES if who.role in ROLES[action]]
    fitting = max((href for _, href in found if path.startswith(href)), key=len, default="")
    here = next((href for name, href in found if name == place), fitting)
    return [BarEntry(name, href, href == here) for name, href in found]


@cache
def templates() -> Environment:
    """The templates; whatever they show is escaped, and a name that is missing raises."""
    environment = Environment(
        loader=PackageLoader("assay.studio"),
        autoescape=select_autoescape(("html",)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(percent=percent, clock=clock, day=day, sign=sign, tone=tone)
    environment.filters.update(happened=happened, details=details, changed=changed)
    return environment


def percent(value: float | None, places: int = 0) -> str:
    """A share in percent; a dash where there is none."""
    return "–" if value is None else f"{100 * value:.{places}f} %"


def clock(seconds: float | None) -> str:
    """A length of time as people say it: `48 s`, `12 min`, `3 h 05`."""
    if seconds is None:
        return "–"
    whole = round(seconds)
    if whole < 90:
        return f"{whole} s"
    minutes = round(whole / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02}"


def day(at: str) -> str:
    """A time in ISO 8601 to the minute, in UTC; `times.js` shows it in the reader's own time."""
    try:
        time = datetime.fromisoformat(at)
    except ValueError:
        return at
    time = time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
    shown = time.isoformat(" ", "minutes").removesuffix("+00:00")
    element = Markup('<time datetime="{}">{} UTC</time>')
    return element.format(time.isoformat(timespec="seconds"), shown)


def tone(label: str) -> str:
    """The class of the style sheet that colours a label, by its name in any of our menus."""
    return "tone-" + label.casefold().replace(".", "-").replace(" ", "-")


def sign(label: str) -> str:
    """The sign of a label, for whoever does not see its colour."""
    found = _label(label)
    return label_badge(found).symbol if found else "∅"


def _label(name: str) -> Label | None:
    for menu in ("gray7", "faithbench"):
        labels = {each.name: each for each in taxonomy(menu).labels}
        if name in labels:
            return labels[name]
    return None
