"""A run opened: a new one, or one that goes on if nothing about it has changed."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from hashlib import sha256
from typing import Any

from assay.core.codec import Reader, encode
from assay.core.errors import AssayError, InputError
from assay.core.judgements import Manifest, differences
from assay.detectors.combinators.auto import CHOICES, is_for_one_model
from assay.detectors.combinators.auto import NAME as AUTO
from assay.detectors.protocol import Detector
from assay.engine.models import ModelPool, SharedBudget, may_be_charged
from assay.engine.opened_detectors import OpenedDetectors
from assay.engine.prepared import consulting
from assay.engine.request import RunRequest, make_manifest
from assay.engine.session import Crew, Session
from assay.engine.summary import keep_unread
from assay.engine.tasks import Tasks
from assay.knowledge.sources import KnowledgePassage, KnowledgeSource, SourceWrapper
from assay.llm.client import ModelClient
from assay.store.journal import Journal
from assay.store.runs import RunStore

_found = Reader(list[Any])


class KeptSearches(SourceWrapper):
    """A source that is asked once for each query; nothing is kept until there is a journal."""

    def __init__(self, source: KnowledgeSource) -> None:
        super().__init__(source)
        self.source = source
        self.journal: Journal | None = None

    @property
    def name(self) -> str:
        return self.source.name

    @property
    def digest(self) -> str:
        return self.source.digest

    async def search(self, query: str, most: int = 5) -> tuple[KnowledgePassage, ...]:
        """The passages found when the run asked first, or those that the source finds now."""
        journal = self.journal
        if journal is None:
            return await self.source.search(query, most)
        key = sha256(f"{most} {query}".encode(errors="surrogatepass")).hexdigest()
        kept = journal.find_search(key)
        if kept is not None:
            records = _found.read(kept, "a search of the run")
            return tuple(KnowledgePassage.from_dict(each) for each in records)
        found = await self.source.search(query, most)
        journal.add_search(key, encode([each.to_dict() for each in found]).decode())
        await journal.written()
        return found


@contextmanager
def open_run(
    request: RunRequest,
    store: RunStore,
    *,
    resume: bool | None = False,
    retry: bool = False,
    budget: SharedBudget | None = None,
    opened: OpenedDetectors | None = None,
) -> Iterator[Session]:
    """A session of the run; whatever is wrong and can be known raises before anything is asked.

    `resume` goes on with a run that must be there; None goes on with it if it is there. `retry`
    asks again for what failed, besides going on. `opened` has detectors of earlier runs.
    """
    request = _as_begun(request, store, resume if resume is None else resume or retry)
    pool = ModelPool.of(request.detector, budget)
    name = request.run_name(pool.models, tells_apart=resume is None)
    goes_on = store.has(name) if resume is None else resume or retry
    _require_state(store, name, exists=goes_on)
    searches = _searches(request)
    with ExitStack() as stack:
        load = _loading(request, searches, opened or OpenedDetectors(), stack)
        seen = request.data.survey()
        detector = load(pool.clients)
        manifest = make_manifest(request, seen, detector, pool, searches)
        journal = stack.enter_context(
            open_journal(store, name, manifest, goes_on=goes_on, any_version=request.any_version)
        )
        keep_unread(journal, seen.unread)
        pool.attach(journal)
        if searches:
            searches.journal = journal
        attempt = _next_attempt(journal) if retry else 0
        again = load(pool.asking_again(attempt)) if attempt else detector
        pool.usage.watch_stages(detector, *(() if again is detector else (again,)))
        tasks = Tasks(request.data, seen, journal, attempt)
        yield Session(journal, tasks, Crew(detector, again, pool, searches))


@contextmanager
def open_journal(
    store: RunStore,
    name: str,
    manifest: Manifest,
    *,
    goes_on: bool,
    must_match: bool = True,
    any_version: bool = False,
) -> Iterator[Journal]:
    """The journal of a run, which no other process has meanwhile.

    One to go on with must have the same manifest, unless it holds nothing but replies, which are
    found by all that they depend on. A new one is removed again if an error leaves nothing
    judged and nothing that may be charged or that counts for a budget.
    """
    with store.lock(name):
        _require_state(store, name, exists=goes_on)
        if goes_on:
            with store.open(name, to_write=True) as journal:
                if must_match:
                    _require_same(journal, manifest, any_version=any_version)
                yield journal
            return
        with _begun(store, name, manifest) as journal:
            yield journal


@contextmanager
def _begun(store: RunStore, name: str, manifest: Manifest) -> Iterator[Journal]:
    is_empty = False
    try:
        with store.create(name, manifest) as journal:
            try:
                yield journal
            except AssayError:
                with suppress(AssayError):  # a database that has gone keeps what it has
                    is_empty = not journal.count() and not may_be_charged(journal.fact("usage", {}))
                raise
    finally:
        if is_empty:
            store.remove(name)


def _as_begun(request: RunRequest, store: RunStore, resume: bool | None) -> RunRequest:
    """The request with the detector that its run began with, where it asks for no certain one.

    What `auto` stands for may be another detector by now, and a run to go on with have its name.
    """
    spec = request.detector
    if spec.asked != AUTO or is_for_one_model(spec.local):
        return request
    others = [each for each in CHOICES if each != spec.name] if resume else []
    for name in (spec.name, *others):
        one = replace(request, detector=replace(spec, name=name))
        run = one.run_name((), tells_apart=resume is None)
        if store.has(run):
            with store.open(run) as journal:
                began_with = journal.manifest.detector
            known = began_with if began_with in CHOICES else name
            return replace(request, detector=replace(spec, name=known))
    return request


def _searches(request: RunRequest) -> KeptSearches | None:
    source = request.knowledge.open()
    return KeptSearches(source) if source else None


def _loading(
    request: RunRequest, searches: KeptSearches | None, opened: OpenedDetectors, stack: ExitStack
) -> Callable[[Sequence[ModelClient]], Detector]:
    """Makes the detector of the run, whichever clients it asks, here or on its engine."""
    annotations = request.annotations()
    if request.engine.engine:
        from assay.engine.ray.detector import RayOpening

        there = RayOpening(request.engine, request.detector, annotations, searches)
        stack.callback(there.close)
        return there.open

    def load(clients: Sequence[ModelClient]) -> Detector:
        return consulting(opened.open(request.detector, clients, annotations), searches)

    return load


def _require_state(store: RunStore, name: str, *, exists: bool) -> None:
    """Raises where a run that should be new is there already, or one to go on with is not."""
    if store.has(name) == exists:
        return
    if exists:
        raise InputError(f"there is no run '{name}' at {store.place}", code="no-such-run")
    with store.open(name) as journal:
        done, total = journal.count(), journal.manifest.chosen
    if store.is_locked(name):
        raise InputError(
            f"the run '{name}' is being run by another process: {done:,} of {total:,}",
            code="run-locked",
        )
    raise InputError(
        f"the run '{name}' exists, {done:,} of {total:,} examples are judged",
        code="run-exists" if done < total else "run-complete",
        field="name",
    )


def _require_same(journal: Journal, manifest: Manifest, *, any_version: bool) -> None:
    """Raises and lists what changed, if anything."""
    both = (journal.manifest, manifest)
    changes = list(differences(*map(_without_version, both) if any_version else both))
    if changes:
        lines = "\n  ".join(changes)
        raise InputError(
            f"the run '{journal.name}' cannot be resumed, because these have changed:\n"
            f"  {lines}\nRestore them, or start another run under another name",
            code="run-changed",
        )


def _without_version(manifest: Manifest) -> Manifest:
    """The manifest without the version of Assay, which is part of that of most detectors, too."""
    parts = manifest.author.version.split(" + ")
    own = " + ".join(each for each in parts if each != manifest.version)
    return replace(manifest, version="", author=replace(manifest.author, version=own))


def _next_attempt(journal: Journal) -> int:
    """The number of this pass over the failures; one that was cut off goes on."""
    retry = journal.fact("retry", {"attempt": 0, "open": False})
    attempt = int(retry["attempt"]) + (not retry["open"])
    journal.keep(retry={"attempt": attempt, "open": True})
    journal.flush()
    return attempt
