"""Questions to models outside of runs over data: matching, explaining, believing.

Every reply is kept in a journal of its own among the runs, so that whatever cuts the work off,
the same command goes on and pays for nothing twice.
"""

import re
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from assay import __version__
from assay.app.judging import Asking
from assay.core.errors import BudgetError
from assay.core.judgements import Author, Manifest
from assay.llm.client import Client
from assay.llm.options import Options
from assay.run.engine import Tick, journaled, wait_for
from assay.run.models import ModelPool
from assay.run.opening import open_journal
from assay.store.journal import Journal
from assay.store.runs import LONGEST_NAME, open_store

T = TypeVar("T")
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9.+]+")


@dataclass(frozen=True, slots=True)
class Questions:
    """Models that are asked, and the journal that keeps what they answer."""

    pool: ModelPool
    journal: Journal

    @property
    def clients(self) -> tuple[Client, ...]:
        """A client for each model, in the order in which they were named."""
        return self.pool.clients

    @property
    def usage(self) -> str:
        """What was asked and what that cost, in words."""
        return self.pool.usage.describe()

    def answer(self, work: Coroutine[Any, Any, T], tick: Tick) -> T:
        """The result of work that asks the clients."""
        state = "stopped"
        self.journal.keep(state="running")
        self.journal.flush()
        try:
            result = wait_for(journaled(work, self.journal, self.pool), tick)
            state = "complete"
            return result
        except KeyboardInterrupt:
            state = "interrupted"
            raise
        except BudgetError:
            state = "budget"
            raise
        finally:
            self.journal.keep(state=state)
            self.journal.flush()


@contextmanager
def open_questions(
    purpose: str, about: str, models: tuple[str, ...], asking: Asking
) -> Iterator[Questions]:
    """Models to be asked for a purpose about some data, with all that they answered before."""
    pool = ModelPool(models, asking.options)
    manifest = Manifest(
        author=Author(f"{purpose} {', '.join(pool.models)}", version=__version__),
        version=__version__,
        detector=purpose,
        dataset=about,
        model=", ".join(pool.models),
        parameters=pool.describe(),
    )
    words = (_NOT_IN_NAMES.sub("-", each).strip("-.+") for each in (about, purpose, *pool.models))
    name = "--".join(filter(None, words))[:LONGEST_NAME]
    store = open_store(asking.runs)
    with open_journal(store, name, manifest, goes_on=store.has(name)) as journal:
        pool.attach(journal)
        yield Questions(pool, journal)


def remaining(options: Options, usage: dict[str, Any]) -> Options:
    """The options with the budget that earlier work of the same use case has left."""
    spent = {
        "budget_usd": usage.get("cost") or 0.0,
        "budget_tokens": usage.get("prompt_tokens", 0) + usage.get("completion_tokens", 0),
        "budget_calls": usage.get("calls", 0),
    }
    left: dict[str, Any] = {}
    for name, used in spent.items():
        limit = getattr(options, name)
        if limit is not None:
            left[name] = limit - used
            if left[name] <= 0:
                raise BudgetError("the budget is used up", field=name)
    return replace(options, **left)
