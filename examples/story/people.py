"""The people of the story: they accept their invitations, annotate and adjudicate in the studio.

They do what browsers do, over HTTP: every label is saved as a change of a draft, and a finished
draft is submitted. What they say stands in `people.toml`. Only the standard library is needed.
"""

import json
import tomllib
from collections.abc import Iterator
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import HTTPCookieProcessor, Request, build_opener

HERE = Path(__file__).parent
ANNOTATORS = ("ann", "ben")
ADJUDICATOR = "cleo"

# The answers to the questions of the decision tree that lead to each label.
_FACT = {"states_fact": True, "several_readings": False}
_NOT_ENTAILED = {**_FACT, "entailed": False}
ANSWERS: dict[str, dict[str, bool]] = {
    "explicitly-supported": {**_FACT, "entailed": True, "explicit": True},
    "implicitly-supported": {**_FACT, "entailed": True, "explicit": False},
    "contradicting": {**_NOT_ENTAILED, "contradicted": True},
    "out-dependent": {**_NOT_ENTAILED, "contradicted": False, "entailed_with_knowledge": True},
    "fabricated": {**_NOT_ENTAILED, "contradicted": False, "entailed_with_knowledge": False},
    "no-fact": {"states_fact": False},
    "ambiguous": {"states_fact": True, "several_readings": True},
}


def load_opinions(name: str) -> dict[str, dict[str, Any]]:
    """What somebody says, by the text of the sentence; annotators do not see who wrote it."""
    with (HERE / "people.toml").open("rb") as file:
        sentences = tomllib.load(file)["sentence"]
    return {each["text"]: each.get(name, each) for each in sentences}


class Visitor:
    """Somebody at the studio: a browser without a window."""

    def __init__(self, url: str, name: str, password: str) -> None:
        self.url = url.rstrip("/")
        self.name = name
        self.password = password
        self._opener = build_opener(HTTPCookieProcessor(CookieJar()))
        self._token = ""

    def ask(self, path: str, body: Any = None) -> Any:
        """The answer of the studio, read from JSON; a body is posted."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "Origin": self.url}
        if self._token:
            headers["X-Assay-Token"] = self._token
        request = Request(f"{self.url}/api/{path}", data, headers)
        try:
            with self._opener.open(request, timeout=60) as reply:
                return json.load(reply)
        except HTTPError as error:
            told = error.read().decode(errors="replace")
            raise RuntimeError(f"{self.name} asked for {path}: {error.code} {told}") from None

    def sign_in(self) -> None:
        """Signs in to an account."""
        self._enter("session")

    def accept(self, invitation: str) -> None:
        """Accepts an invitation, which makes the account."""
        self._enter(f"invitations/{invitation}")

    def _enter(self, path: str) -> None:
        self._token = self.ask("session")["token"]  # of the page that has the form
        credentials = {"name": self.name, "password": self.password}
        self._token = self.ask(path, credentials)["token"]


def invite(administrator: Visitor, name: str, role: str, password: str) -> Visitor:
    """Somebody with a new account, whom an administrator has invited."""
    made = administrator.ask("invitations", {"role": role, "note": f"for {name}"})
    person = Visitor(administrator.url, name, password)
    person.accept(made["token"])
    return person


def annotate(person: Visitor, project: str) -> int:
    """Judges all items that somebody was given; how many there were."""
    said, count = load_opinions(person.name), 0
    while position := person.ask(f"projects/{project}/next", {"stage": "annotate"})["position"]:
        _judge(person, project, position, said)
        count += 1
    return count


def adjudicate(person: Visitor, project: str) -> int:
    """Settles all items that annotators differ about; how many there were."""
    said = load_opinions(person.name)
    waiting = person.ask(f"projects/{project}/adjudication")["disputes"]
    for each in waiting:
        person.ask(f"projects/{project}/adjudication/{each['position']}", {})
        _judge(person, project, each["position"], said)
    return len(waiting)


def _judge(person: Visitor, project: str, position: int, said: dict[str, dict[str, Any]]) -> None:
    """Judges the sentences of one item, each in a change of its own, and submits it."""
    item = person.ask(f"projects/{project}/items/{position}")
    source, work = item["example"]["source"]["text"], item["work"]
    version = work["version"]
    for unit in work["units"]:
        judged = {**unit, "verdict": verdict(said[unit["text"]], source)}
        change = {"base": version, "kind": "edit", "changes": [{"id": unit["id"], "unit": judged}]}
        version = person.ask(f"work/{work['id']}/changes", change)["version"]
    person.ask(f"work/{work['id']}/submit", {"base": version})


def verdict(opinion: dict[str, Any], source: str) -> dict[str, Any]:
    """An opinion in the studio's form: label, answers, reason, and places in the source."""
    label, readings = opinion["label"], opinion.get("readings", [])
    answers: dict[str, Any] = dict(ANSWERS[label])
    if readings:
        answers["senses"] = [
            {"meaning": each["meaning"], "answers": ANSWERS[each["label"]]} for each in readings
        ]
    made = {
        "label": label,
        "answers": answers,
        "note": opinion.get("reason", ""),
        "evidence": list(_places(opinion.get("evidence", []), source)),
        "external": [{"address": opinion["link"]}] if "link" in opinion else [],
        "interpretations": readings,
    }
    return {key: value for key, value in made.items() if value}


def _places(quotations: list[str], source: str) -> Iterator[dict[str, Any]]:
    """Where words stand in the source; words that do not stand there raise."""
    for words in quotations:
        start = source.index(words)
        yield {"start": start, "end": start + len(words), "text": words}
