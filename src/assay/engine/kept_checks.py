"""Checks that ask a model, kept until they are complete: their rows and their journals."""

import os
import secrets
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from assay.core.codec import write_example
from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import Judgement
from assay.core.problems import Problem
from assay.core.results import Result
from assay.core.system.files import replacing
from assay.core.system.notices import warn

if TYPE_CHECKING:
    from assay.store.runs import FolderRuns

OnProblem = Callable[[Problem], None]
Row = Annotated | Example | Problem

_ASIDE = "setting-aside-"  # and the process that did
_DAMAGED = ".damaged"
_NOT_DAMAGED = ("newer-run", "disk-full")  # codes of errors that tell of other things
_KEPT = 30 * 24 * 3600  # seconds for which a check that was cut off can go on


def state_folder() -> Path:
    """The folder of checks that are not finished: ASSAY_STATE, or the user's folder for that."""
    named = os.environ.get("ASSAY_STATE")
    usual = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "assay"
    folder = Path(named) if named else usual
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"cannot keep the check at {folder}: {error.strerror}; name another folder with "
            "ASSAY_STATE"
        ) from None
    return folder


def numbered(
    rows: Iterable[Row], waiting: dict[int, Example], on_problem: OnProblem
) -> Iterator[Example]:
    """The examples under numbers, from 0; `waiting` has them as they were until they are taken."""
    number = 0
    for row in rows:
        if isinstance(row, Problem):
            on_problem(row)
            continue
        example = row.example if isinstance(row, Annotated) else row
        waiting[number] = example
        yield replace(example, id=str(number))
        number += 1


def set_aside(
    rows: Iterable[Row], folder: Path, on_problem: OnProblem, asked: str
) -> tuple[Path, str]:
    """A new file with the examples, and a digest of these and of what is asked about them."""
    digest = blake2b(asked.encode(errors="replace"), digest_size=8)
    whole = folder / f"{_ASIDE}{os.getpid()}-{secrets.token_hex(8)}.jsonl"
    with replacing(whole) as part, part.open("wb") as file:
        for line in lines_of(rows, on_problem):
            digest.update(line)
            file.write(line + b"\n")
    return whole, digest.hexdigest()


def lines_of(rows: Iterable[Row], on_problem: OnProblem) -> Iterator[bytes]:
    """The examples as they are set aside: the number of each stands before its own id."""
    waiting: dict[int, Example] = {}
    for example in numbered(rows, waiting, on_problem):
        own = waiting.pop(int(example.id)).id
        yield write_example(Annotated(replace(example, id=f"{example.id} {own}")))


def result_of(aside: Example, judgement: Judgement) -> Result:
    """The result of an example that was set aside, under its own id again."""
    own = aside.id.partition(" ")[2]
    return Result(replace(aside, id=own), replace(judgement, example=own))


def clean(store: "FolderRuns") -> None:
    """Removes what was set aside by processes that are gone, and checks nobody went on with."""
    for path in store.folder.glob(f"{_ASIDE}*.jsonl"):
        if not _is_alive(path.name.removeprefix(_ASIDE).partition("-")[0]):
            path.unlink(missing_ok=True)
    for name in store.names():
        if _is_old(store.path(name)):
            clear(store, name)
    for path in store.folder.glob(f"*{_DAMAGED}*"):
        if _is_old(path):
            path.unlink(missing_ok=True)


def _is_old(path: Path) -> bool:
    with suppress(FileNotFoundError):
        return time.time() - path.stat().st_mtime > _KEPT
    return False


def _is_alive(process: str) -> bool:
    try:
        os.kill(int(process), 0)
    except (ProcessLookupError, ValueError):
        return False
    except PermissionError:
        return True
    return True


def clear(store: "FolderRuns", name: str) -> None:
    """Removes what was kept for a check, unless the very same check has just gone on with it."""
    from assay.store.runs import lock_path

    with suppress(InputError), store.lock(name):
        store.remove(name)
        lock_path(store.path(name)).unlink(missing_ok=True)


def set_damaged_aside(store: "FolderRuns", name: str) -> None:
    """Renames what was kept for a check where it cannot be read, so that the check begins anew."""
    if not store.has(name):
        return
    with suppress(InputError), store.lock(name):  # who opens it next says what else is wrong
        try:
            with store.open(name) as journal:
                deque(journal.read(), maxlen=0)
        except InputError as error:
            if error.code in _NOT_DAMAGED or not store.has(name):
                return
            aside = _rename(store.path(name))
            warn(
                f"{error}; this check was cut off before, and what was kept of it is now at "
                f"{aside}: the check begins anew, its budget too, since nobody can say what was "
                "spent"
            )


def _rename(path: Path) -> Path:
    aside = path.with_suffix(_DAMAGED)
    for suffix in ("-wal", "-shm", ""):
        with suppress(FileNotFoundError):
            path.with_name(path.name + suffix).replace(aside.with_name(aside.name + suffix))
    return aside
