"""The whole way from documents to a published leaderboard, without a key: `make story`.

    python examples/story/story.py [folder] [--no-browser]

Every step prints the command that it runs and what it says. Everything is made anew in the folder
`story`, or the one that is named. docs/story.md tells the same story in words.
"""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import auditor
import people

ROOT = Path(__file__).resolve().parents[2]
HERE = Path("examples/story")
ASSAY = Path(sys.executable).with_name("assay")
MODELS = ("heron-large", "heron-small", "kestrel")
# What two of them said was recorded, so that the story stays the same when their model changes.
DETECTORS = (
    f"{HERE}/verdicts/embedded.json",
    "overlap",
    f"{HERE}/verdicts/discourse-offline.json",
)
VOTERS = ("osprey", "plover", "wagtail")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PROJECT = "story"
TITLE = "Three models on hard documents"
MARK = ".story"  # tells a folder that was filled here from any other
PASSWORD = "correct horse battery"  # of everybody, in a studio that lives for a minute


class Story:
    """One telling: the folder that it fills, and the environment of its commands."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {
            **os.environ,
            "ASSAY_STUDIO": str(folder / "studio.sqlite"),
            "ASSAY_STATE": str(folder / "state"),
            "ASSAY_RUNS": str(folder / "runs"),
            "COLUMNS": "120",
        }
        self._number = 0

    def step(self, title: str) -> None:
        """Announces a step."""
        self._number += 1
        tell(f"\n{self._number}. {title}\n")

    def assay(self, *arguments: str, typed: str = "", codes: tuple[int, ...] = (0,)) -> str:
        """Runs a command from the root of the checkout, shows it, and gives what it printed."""
        tell(f"$ {shlex.join(('assay', *arguments))}")
        done = subprocess.run(
            [ASSAY, *arguments],
            cwd=ROOT,
            env=self.environment,
            input=typed,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        tell(done.stdout.rstrip())
        if done.returncode not in codes:
            sys.exit(f"this ended with {done.returncode}, and the story with it")
        return done.stdout

    def file(self, name: str) -> str:
        """The path of a file of the story."""
        return str(self.folder / name)

    @contextmanager
    def studio(self) -> Iterator[str]:
        """The studio, served on a free port for as long as people work; its address."""
        arguments = ("studio", "--port", "0", "--no-browser")
        tell(f"$ {shlex.join(('assay', *arguments))} &")
        serving = subprocess.Popen(
            [ASSAY, *arguments],
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        with serving:
            try:
                url = serving.stdout.readline().strip() if serving.stdout else ""
                _wait_for(url)
                yield url
            finally:
                serving.terminate()


def tell(text: str) -> None:
    """Prints at once, so that commands and what they say stay in order."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main(folder: Path) -> None:
    """Tells the story from beginning to end; a step that fails ends it."""
    begun = time.monotonic()
    clear(ROOT / folder)
    story = Story(folder)
    construct(story)
    annotate(story)
    audit(story)
    publish(story)
    tell(f"\nThe end, after {time.monotonic() - begun:.0f} s. Everything is in {folder}.")


def clear(folder: Path) -> None:
    """Empties the folder of an earlier story; a folder with anything else in it is left alone."""
    if folder.exists() and any(folder.iterdir()) and not (folder / MARK).exists():
        sys.exit(f"{folder} has other files in it; name another folder")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / MARK).touch()


def construct(story: Story) -> None:
    """From documents to the responses that are worth annotating."""
    story.step("Three models respond to twelve documents; their replies were recorded")
    replies = (("--replies", f"{each}={HERE}/replies/{each}.jsonl") for each in MODELS)
    responses = story.file("responses.jsonl")
    given = (argument for pair in replies for argument in pair)
    story.assay("collect", f"{HERE}/sources", *given, "--out", responses)

    story.step("What cannot be annotated is left out, each with its reason")
    kept, dropped = story.file("kept.jsonl"), story.file("dropped.jsonl")
    story.assay("filter", responses, "--out", kept, "--dropped", dropped)

    story.step("Sources are chosen whose responses detectors disagree about")
    hard = story.file("hard.jsonl")
    story.assay("mine", kept, *DETECTORS, "--at-least", "2", "--out", hard)


def annotate(story: Story) -> None:
    """Two people annotate what was chosen, and a third settles what they differ about."""
    story.step("People are invited to a studio, and two of them get all items, blind")
    story.assay("studio", "account", "ada", typed=f"{PASSWORD}\n")
    with story.studio() as url:
        ada = people.Visitor(url, "ada", PASSWORD)
        ada.sign_in()
        team = [people.invite(ada, name, "annotator", PASSWORD) for name in people.ANNOTATORS]
        cleo = people.invite(ada, people.ADJUDICATOR, "adjudicator", PASSWORD)
        tell(f"ada has invited {', '.join(each.name for each in (*team, cleo))}")
        names = ",".join(people.ANNOTATORS)
        hard = story.file("hard.jsonl")
        story.assay("batch", hard, "--annotators", names, "--studio", PROJECT)
        ada.ask(f"projects/{PROJECT}/members", {"name": cleo.name})

        story.step("They annotate, and an adjudicator settles what they differ about")
        for each in team:
            tell(f"{each.name} has annotated {people.annotate(each, PROJECT)} responses")
        tell(f"{cleo.name} has settled {people.adjudicate(cleo, PROJECT)} of them")
    story.step("How far they agree")
    story.assay("agree", f"studio:{PROJECT}")
    story.assay("studio", "export", PROJECT, "--out", story.file("annotated.jsonl"))


def audit(story: Story) -> None:
    """Labels that a detector contradicts are looked at again, and one of them is revised."""
    data, flags = story.file("annotated.jsonl"), story.file("flags.jsonl")
    story.step("A detector contradicts some labels")
    about = ("--reading", "verigray", "--show", "3")  # only faithful against unfaithful
    story.assay("audit", "flag", data, "discourse-offline", *about, "--out", flags)

    story.step("An auditor decides about each of them, in the file")
    counts = auditor.fill_in(ROOT / flags, people.ADJUDICATOR)
    made = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
    tell(f"{people.ADJUDICATOR} has written into {flags}: {made}")
    story.assay("audit", "adjudicate", flags)

    story.step("Three judges vote on the revision; what they say was recorded")
    verified = story.file("verified.jsonl")
    votes = (("--vote", f"{HERE}/votes/{each}.json") for each in VOTERS)
    given = (argument for pair in votes for argument in pair)
    story.assay("audit", "verify", flags, *given, "--out", verified)

    story.step("The revision goes into a new version of the data")
    story.assay("audit", "apply", data, verified, "--out", story.file("revised.jsonl"))


def publish(story: Story) -> None:
    """The leaderboard before and after the audit, and as a site."""
    before, after = story.file("annotated.jsonl"), story.file("revised.jsonl")
    story.step("The leaderboard before the audit")
    story.assay("board", "build", before, "gold", "--levels", "unfaithful")
    story.step("The leaderboard after the audit")
    story.assay("board", "build", after, "gold", "--levels", "unfaithful")

    story.step("A site with all levels and all detectors, which can be published as it is")
    site = story.file("site")
    story.assay("board", "build", after, "--title", TITLE, "--site", site, "--quiet")
    page = (ROOT / site / "index.html").resolve()
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None or "--no-browser" in sys.argv:
        tell(f"open {page.as_uri()} in a browser")
        return
    picture = ROOT / story.file("site.png")
    photograph(browser, page, picture)
    tell(f"opened {page.as_uri()} in {Path(browser).name}; it looks like {story.file('site.png')}")


def photograph(browser: str, page: Path, picture: Path) -> None:
    """Opens a page in a browser without a window and keeps a picture; it has to show all models."""
    options = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars")
    size = ("--window-size=1280,900", "--virtual-time-budget=5000")
    with tempfile.TemporaryDirectory() as profile:
        kept = (f"--user-data-dir={profile}", f"--screenshot={picture}", "--dump-dom")
        shown = subprocess.run(
            [browser, *options, *size, *kept, page.as_uri()],
            capture_output=True,
            text=True,
            timeout=60,
        )
    missing = [each for each in MODELS if each not in shown.stdout]
    if shown.returncode or missing or not picture.exists():
        sys.exit(f"{browser} does not show {', '.join(missing) or 'anything'} on {page}")


def _wait_for(url: str) -> None:
    for _ in range(300):
        try:
            urlopen(f"{url}static/icon.svg", timeout=5).close()
            return
        except URLError:
            time.sleep(0.1)
    sys.exit(f"no studio answers at {url}")


if __name__ == "__main__":
    named = [each for each in sys.argv[1:] if not each.startswith("-")]
    main(Path(named[0] if named else os.environ.get("STORY_DIR", "story")))
