"""A process that writes runs through the journal, for tests that kill it: see test_many_writers."""

import sys
from itertools import islice

from assay.core.errors import InputError
from assay.store.runs import RunStore, open_store
from tests.store.conftest import MANIFEST, entry

TOGETHER = 16  # judgements in a transaction, as with 16 calls at once


def write(store: RunStore, name: str, count: int) -> None:
    """Goes on with a run until it has so many judgements, as whoever resumes one does."""
    with store.lock(name):
        is_new = not store.has(name)
        with store.create(name, MANIFEST) if is_new else store.open(name, to_write=True) as run:
            done = run.positions()
            open_ones = (at for at in range(count) if at >= len(done) or not done[at])
            run.keep(state="running")
            while together := list(islice(open_ones, TOGETHER)):
                for position in together:
                    run.add_reply(f"k{position}", f"reply {position}")
                    run.add(entry(position))
                run.flush()
            run.keep(state="complete")


def main() -> None:
    """Writes a run; one that a process killed before still has for a moment is waited for."""
    place, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    store = open_store(place)
    while True:
        try:
            write(store, name, count)
            return
        except InputError as error:
            if error.code != "run-locked":
                raise


if __name__ == "__main__":
    main()
