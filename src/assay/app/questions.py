"""Questions to models outside of runs over data: matching, explaining, believing.

Every reply is kept in a journal of its own among the runs, so that whatever cuts the work off,
the same command goes on and pays for nothing twice.
"""

from collections.abc import Coroutine, Iterator, Sequence
from contextlib import AsyncExitStack, closing, contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from assay import __version__
from assay.app.judging import Asking
from assay.core.errors import BudgetError
from assay.core.judgements import Author, Manifest
from assay.core.system import bridge
from assay.engine.models import ModelPool, RunUsage
from assay.engine.opening import open_journal
from assay.engine.session import (
    RunProgress,
    Tick,
    interrupted_state,
    journaled,
    require_room,
    wait_for,
)
from assay.llm.client import ModelClient
from assay.llm.settings.options import Options
from assay.store.journal import Journal
from assay.store.runs import make_name, open_store

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Asked:
    """A model in one of the roles of a use case: the matcher, the explainer, ..."""

    role: str
    models: tuple[str, ...]
    options: Options


@dataclass(frozen=True, slots=True)
class QuestionsUnderway:
    """Questions under way, as a progress bar shows them."""

    name: str
    standing: RunProgress
    usage: RunUsage


class Questions:
    """Models that are asked, by their roles, and the journal that keeps what they answer."""

    def __init__(self, pools: dict[str, ModelPool], journal: Journal | None = None) -> None:
        self._pools = pools
        self._journal = journal

    def clients(self, role: str) -> tuple[ModelClient, ...]:
        """The models in a role; none where nobody has it."""
        return self._pools[role].clients if role in self._pools else ()

    @property
    def usage(self) -> str:
        """The questions asked and their cost, in words; empty if no model was asked."""
        return next((pool.usage.describe() for pool in self._pools.values()), "")

    def underway(self, standing: RunProgress) -> QuestionsUnderway | None:
        """The work as a progress bar shows it; None if no model is asked."""
        for pool in self._pools.values():
            return QuestionsUnderway(
                self._journal.name if self._journal else "", standing, pool.usage
            )
        return None

    def adaptations(self, role: str) -> tuple[str, ...]:
        """Settings that the servers of a role refused, in this session or an earlier one."""
        before = self._journal.fact("role_adaptations", {}) if self._journal else {}
        now = self._pools[role].adaptations if role in self._pools else ()
        return tuple(dict.fromkeys((*before.get(role, ()), *now)))

    def answer(self, work: Coroutine[Any, Any, T], tick: Tick = lambda: None) -> T:
        """The result of work that asks the clients; all replies are on disk before they count."""
        if self._journal is None:
            return bridge.run(work)
        state = "stopped"
        self._journal.keep(state="running")
        self._journal.flush()
        try:
            with closing(work):  # which may never begin
                require_room(self._journal, *self._pools.values())
                result = wait_for(self._work(work, self._journal), tick)
            state = "complete"
            return result
        except KeyboardInterrupt as error:
            state = interrupted_state(error)
            raise
        except BudgetError:
            state = "budget"
            raise
        finally:
            told = {role: list(self.adaptations(role)) for role in self._pools}
            self._journal.keep(state=state, role_adaptations=told)
            self._journal.flush()

    async def _work(self, work: Coroutine[Any, Any, T], journal: Journal) -> T:
        first, *others = self._pools.values()
        async with AsyncExitStack() as opened:
            for pool in others:
                await opened.enter_async_context(pool)
            return await journaled(work, journal, first)


@contextmanager
def open_questions(
    purpose: str, about: str, asked: Sequence[Asked], asking: Asking, name: str = ""
) -> Iterator[Questions]:
    """Models to be asked for a purpose about some data, with all that they answered before.

    All share one budget. Where nobody is asked, nothing is kept either. The journal is named by
    data, purpose and models, unless it has a name of its own, which further models may share.
    """
    if not asked:
        yield Questions({})
        return
    usage = RunUsage()
    pools = {
        each.role: ModelPool(each.models, each.options, budget=asking.budget, usage=usage)
        for each in asked
    }
    models = list(dict.fromkeys(model for pool in pools.values() for model in pool.models))
    manifest = Manifest(
        author=Author(f"{purpose} {', '.join(models)}", version=__version__),
        version=__version__,
        detector=purpose,
        dataset=about,
        model=", ".join(models),
        parameters={
            f"{role} {name}": value
            for role, pool in pools.items()
            for name, value in pool.describe().items()
        },
    )
    name = name or make_name(*about.split("--"), purpose, *models)
    store = open_store(asking.runs)
    with open_journal(store, name, manifest, goes_on=store.has(name), must_match=False) as journal:
        for pool in pools.values():
            pool.attach(journal)
        yield Questions(pools, journal)
