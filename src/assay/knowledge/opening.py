"""Opens sources by name. Nothing is imported, opened or contacted before it is needed."""

import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from assay.core.errors import InputError, UnknownNameError
from assay.core.options import Option
from assay.knowledge.sources import KnowledgeSource

if TYPE_CHECKING:
    from assay.knowledge.web.fetching import Fetcher

_OUTSIDE = "Outside knowledge"
_LANGUAGE = re.compile(r"[a-z][a-z-]{1,20}")


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """Options for the use of a source.

    `pages` reads the pages behind the snippets of a web search. `keep` is a file of snapshots that
    records every search; `offline` replays it instead of searching. `allow_private` permits pages
    and services on private networks.
    """

    pages: Annotated[bool, Option("Read the pages that brave or tavily found.", panel=_OUTSIDE)] = (
        False
    )
    keep: Annotated[
        str | Path | None, Option("Save snapshots of what was found.", "FILE.sqlite", _OUTSIDE)
    ] = None
    offline: Annotated[bool, Option("Only replay snapshots that were kept.", panel=_OUTSIDE)] = (
        False
    )
    allow_private: Annotated[bool, Option("Allow servers on private networks.", panel=_OUTSIDE)] = (
        False
    )


_DEFAULT = SourceOptions()


@dataclass(frozen=True, slots=True)
class KnowledgeChoice:
    """The name of a source, or none, and the options for it."""

    source: Annotated[
        str,
        Option(
            "Consult an outside source about what the text's own source does not support: a "
            "FILE.sqlite of 'assay knowledge index', wikipedia, wikipedia:LANGUAGE, "
            "mediawiki:ADDRESS, brave or tavily.",
            "SOURCE",
            _OUTSIDE,
            "knowledge",
        ),
    ] = ""
    options: SourceOptions = _DEFAULT

    def __post_init__(self) -> None:
        given = [field.name for field in fields(self.options) if getattr(self.options, field.name)]
        if given and not self.source:
            raise InputError(
                f"'{given[0]}' is an option of a knowledge source, and none was given",
                field=given[0],
                code="no-knowledge-source",
            )

    def open(self) -> KnowledgeSource | None:
        """The source, if one was named."""
        return open_source(self.source, self.options) if self.source else None


def open_source(name: str, options: SourceOptions = _DEFAULT) -> KnowledgeSource:
    """The source of this name, or the local corpus in this file.

    Names are `wikipedia`, `wikipedia:de`, `mediawiki:ADDRESS`, `brave`, `tavily`, `corpus:FILE`.
    Anything that is wrong and can be known now raises now.
    """
    if options.offline and options.keep is None:
        raise InputError("working offline needs a file of snapshots to replay", field="keep")
    kind, _, argument = name.partition(":")
    if kind not in SOURCES:
        if not (name.endswith(".sqlite") or Path(name).is_file()):
            choices = (*SOURCES, "FILE.sqlite")
            raise UnknownNameError("knowledge source", name, choices, field="knowledge")
        kind, argument = "corpus", name
    if options.keep is None:
        return SOURCES[kind](argument, options)
    from assay.knowledge.snapshots import RecordingSource, ReplayedSource, Snapshots

    if options.offline:
        kept = Snapshots(options.keep, to_write=False)
        return ReplayedSource(_name(kind, argument, options), kept)
    return RecordingSource(SOURCES[kind](argument, options), Snapshots(options.keep))


def _name(kind: str, argument: str, options: SourceOptions) -> str:
    """The name of a source; for a corpus, even if its file is not on this machine."""
    from assay.knowledge.corpora.corpus import corpus_name

    is_corpus = kind == "corpus"
    return corpus_name(argument) if is_corpus else SOURCES[kind](argument, options).name


def _corpus(argument: str, options: SourceOptions) -> KnowledgeSource:
    from assay.knowledge.corpora.corpus import LocalCorpus

    if options.pages:
        raise InputError("a local corpus has no web pages to read", field="pages")
    return LocalCorpus(argument)


def _wikipedia(argument: str, options: SourceOptions) -> KnowledgeSource:
    language = argument or "en"
    if not _LANGUAGE.fullmatch(language):
        raise InputError(
            f"'{language}' is not a language of Wikipedia; write for example wikipedia:de",
            field="knowledge",
        )
    return _mediawiki(f"https://{language}.wikipedia.org/w/api.php", options)


def _mediawiki(argument: str, options: SourceOptions) -> KnowledgeSource:
    from assay.knowledge.web.mediawiki import MediaWiki

    if options.pages:
        raise InputError("the pages of a wiki are always read in full", field="pages")
    return MediaWiki(_fetcher(options), argument)


def _web(service: str, argument: str, options: SourceOptions) -> KnowledgeSource:
    from assay.knowledge.web.web_search import SERVICES, WebSearch, WithPages

    fetcher = _fetcher(options)
    unused = "unused" if options.offline else ""  # replaying needs no key
    source = WebSearch(SERVICES[service], fetcher, address=argument, key=unused)
    return WithPages(source, fetcher) if options.pages else source


def _fetcher(options: SourceOptions) -> "Fetcher":
    from assay.knowledge.web.addresses import anywhere, is_public
    from assay.knowledge.web.fetching import Fetcher

    is_free = options.allow_private or options.offline  # offline, nothing is contacted
    return Fetcher(allow=anywhere if is_free else is_public)


SOURCES: dict[str, Callable[[str, SourceOptions], KnowledgeSource]] = {
    "corpus": _corpus,
    "wikipedia": _wikipedia,
    "mediawiki": _mediawiki,
    "brave": partial(_web, "brave"),
    "tavily": partial(_web, "tavily"),
}
