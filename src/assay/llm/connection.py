"""A model ready to be asked: a client with everything around it that the settings call for."""

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Self

from assay.core.errors import InputError
from assay.core.system.urls import is_url, shown
from assay.llm.calls.cache import Cached, ReplyStore, SqliteReplies
from assay.llm.calls.shared_replies import SharedReplies, TextStore
from assay.llm.calls.traced import Traced
from assay.llm.client import ModelClient, Wrapper
from assay.llm.costs.budget import Budget, Budgeted, Secure
from assay.llm.costs.estimates import DryRun
from assay.llm.costs.prices import Meter, Metered
from assay.llm.settings.model_settings import ModelSettings, resolve
from assay.llm.settings.options import Options

OpenTexts = Callable[[str], TextStore]
_OPEN = Options()


class Connection(Wrapper):
    """A model with its settings, its meter and its budget, which may be shared with others."""

    def __init__(
        self,
        settings: ModelSettings,
        replies: ReplyStore | None = None,
        budget: Budget | None = None,
        secure: Secure | None = None,
        open_texts: OpenTexts | None = None,
    ) -> None:
        from assay.llm.calls.http import HttpClient

        self.settings = settings
        self.meter = Meter()
        self.budget = budget or _budget(settings)
        self._http = HttpClient(settings.endpoint, settings.parameters, timeout=settings.timeout)
        self._kept = _cache(settings.cache, open_texts) if settings.cache else None
        self._users = 0
        client = _limited(self._http, settings, self.budget, secure)
        if self._kept:
            named_in = settings.cache_named_in
            place = f"{self._kept.place}, as {named_in} says" if named_in else ""
            client = Cached(client, self._kept, place)
        if replies:
            client = Cached(client, replies)
        client = Metered(client, self.meter, settings.price)
        super().__init__(Traced(client, settings.endpoint, settings.parameters))

    @property
    def adaptations(self) -> tuple[str, ...]:
        """Settings that the server rejects, and what was sent instead, in short sentences."""
        return self._http.adaptations

    async def __aenter__(self) -> Self:
        await super().__aenter__()
        self._users += 1
        return self

    async def __aexit__(self, *error: Any) -> None:
        self._users -= 1
        try:
            await super().__aexit__(*error)
        finally:
            if self._kept and not self._users:
                self._kept.close()


def connect(  # noqa: PLR0913 - each by its name
    model: str = "",
    options: Options = _OPEN,
    *,
    replies: ReplyStore | None = None,
    budget: Budget | None = None,
    secure: Secure | None = None,
    open_texts: OpenTexts | None = None,
    environ: Mapping[str, str] | None = None,
) -> Connection:
    """The named model, or the one that the environment or the settings file names.

    `replies` keeps the replies, in addition to a cache named in the options. `budget` is a budget
    shared with others, instead of one of its own; `secure` writes down what is set aside of it.
    `open_texts` opens a cache that is not a file but the URL of a server.
    Whatever can be known to be wrong before anything is sent raises here.
    """
    settings = _resolved(model, options, environ)
    if settings.missing_key:
        raise InputError(settings.missing_key, field="key_env", code="no-key")
    return Connection(settings, replies, budget, secure, open_texts)


def connect_dry(
    model: str = "", options: Options = _OPEN, *, environ: Mapping[str, str] | None = None
) -> DryRun:
    """The same for a dry run, which needs no key and sends nothing."""
    settings = _resolved(model, options, environ)
    return DryRun(settings.endpoint, settings.parameters, settings.price)


def _cache(place: str, open_texts: OpenTexts | None) -> SqliteReplies | SharedReplies:
    """The cache in a file or at a URL; it is opened only to see whether it can be used."""
    if not is_url(place):
        kept = SqliteReplies(place)
        kept.close()
        return kept
    if open_texts is None:
        raise InputError(
            f"a client by itself keeps replies in a file, not at {shown(place)}", field="cache"
        )
    return SharedReplies(open_texts(place))


def _resolved(model: str, options: Options, environ: Mapping[str, str] | None) -> ModelSettings:
    chosen = replace(options, model=model) if model else options
    return resolve(chosen, os.environ if environ is None else environ)


def _budget(settings: ModelSettings) -> Budget | None:
    limits = (settings.budget_usd, settings.budget_tokens, settings.budget_calls)
    return Budget(*limits) if any(limits) else None


def _limited(
    client: ModelClient, settings: ModelSettings, budget: Budget | None, secure: Secure | None
) -> ModelClient:
    """The client with the limits that are set around it."""
    from assay.llm.calls.limits import Concurrent, RateLimited
    from assay.llm.calls.retry import Retrying

    if settings.requests_per_minute or settings.tokens_per_minute:
        client = RateLimited(client, settings.requests_per_minute, settings.tokens_per_minute)
    if budget:
        most = settings.parameters.max_tokens
        client = Budgeted(client, budget, settings.price, most, secure)
    client = Concurrent(client, settings.concurrency)
    return Retrying(client, attempts=settings.attempts, deadline=settings.deadline)
