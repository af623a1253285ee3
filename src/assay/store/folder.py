"""The folder of runs: each is a file named after it."""

import os
import re
from contextlib import suppress
from pathlib import Path

from assay.core.errors import InputError, UnknownNameError
from assay.core.runs import Run
from assay.store.journal import Journal, create_journal, open_journal
from assay.store.locking import locked

SUFFIX = ".sqlite"
LONGEST_NAME = 120
_NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._+-]{{0,{LONGEST_NAME - 1}}}")


class RunsFolder:
    """The runs below a folder: as given, at ASSAY_RUNS, or `assay-runs` where one stands."""

    def __init__(self, folder: str | Path | None = None) -> None:
        self.folder = Path(folder or os.environ.get("ASSAY_RUNS") or "assay-runs")

    def names(self) -> list[str]:
        """The runs that there are, by name."""
        return sorted(path.stem for path in self.folder.glob(f"*{SUFFIX}"))

    def path(self, name: str) -> Path:
        """Where the run of that name is or would be; a name that no file can have raises."""
        if not _NAME.fullmatch(name):
            wanted = f"up to {LONGEST_NAME} letters, digits and . _ + - (not . at the beginning)"
            raise InputError(f"a run cannot be named '{name}'; a name has {wanted}")
        return self.folder / f"{name}{SUFFIX}"

    def has(self, name: str) -> bool:
        """Whether there is a run of that name."""
        return self.path(name).exists()

    def create(self, name: str, run: Run) -> Journal:
        """A new run."""
        return create_journal(self.path(name), run)

    def open(self, name: str, *, to_write: bool = False) -> Journal:
        """The run of that name; an unknown one raises and names those that there are."""
        self._require(name)
        return open_journal(self.path(name), to_write=to_write)

    def delete(self, name: str) -> None:
        """Removes a run, unless a process has it; the file of its lock stays, as it must."""
        self._require(name)
        with locked(self.path(name)):
            self.remove(name)

    def remove(self, name: str) -> None:
        """Removes the files of a run, for whoever has it locked."""
        path = self.path(name)
        for suffix in ("-wal", "-shm", ""):
            with suppress(FileNotFoundError):
                path.with_name(path.name + suffix).unlink()

    def make(self) -> None:
        """Makes the folder."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot make the folder {self.folder}: {error.strerror}") from None

    def _require(self, name: str) -> None:
        if _NAME.fullmatch(name) and self.has(name):
            return
        names = self.names()
        if not names:
            raise InputError(f"there are no runs at {self.folder}; name another with --runs DIR")
        raise UnknownNameError("run", name, names)
