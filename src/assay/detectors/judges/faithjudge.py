"""`faithjudge`: a response judged with other annotated responses to its source in view."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.judgements import Finding
from assay.core.labels import Label
from assay.core.taxonomies import BINARY, FAITHBENCH
from assay.core.texts import Passage, Source
from assay.core.units import RESPONSE
from assay.core.verdicts import Attributes, Failure, Outcome, Verdict
from assay.detectors.judges.judging import ModelJudge, PromptTexts, ReplyFormat
from assay.detectors.judges.options import Chosen, check_form, load_prompt, read_options
from assay.detectors.judges.peers import (
    CHARACTERS,
    PeerLimits,
    PeerPool,
    ShownPeers,
    choose_peers,
    taxonomies_of,
)
from assay.detectors.protocol import Capabilities
from assay.detectors.registry import DetectorType, Ingredients
from assay.llm.client import ModelClient
from assay.llm.fences import Fences
from assay.llm.prompts import Prompt, label_menu
from assay.llm.replies.final_choices import find_ruling
from assay.llm.replies.forms import OWN_FORM, Kind, ReplyForm, read_choice
from assay.llm.replies.menus import Menu
from assay.llm.replies.verdict_lines import VerdictLine, marker_for
from assay.text.sentences import response_unit

INVALID = "Invalid"
PHRASE = "Final classification"

Classes = Mapping[str, Label]  # by the name that the model is told; `Invalid` has no label


def classes_of(*, ternary: bool) -> Classes:
    """The classes that the model chooses from, beside `Invalid`."""
    if ternary:
        return {name: FAITHBENCH[name] for name in ("Consistent", "Benign", "Unwanted")}
    return {name: BINARY[name] for name in ("Consistent", "Inconsistent")}


def by_label(classes: Classes) -> dict[str, str]:
    """All classes by the names of their labels, which the header of a prompt uses.

    >>> by_label(classes_of(ternary=False))
    {'faithful': 'Consistent', 'unfaithful': 'Inconsistent', 'invalid': 'Invalid'}
    """
    return {**{label.name: name for name, label in classes.items()}, INVALID.casefold(): INVALID}


def ruling_format(
    classes: Classes, marker: str, form: ReplyForm = OWN_FORM
) -> ReplyFormat[VerdictLine]:
    """Reasons in prose, then a line with the marker and one of the classes, or with that alone.

    A prompt that names the form of its reply may have other words for the classes.
    """
    names = by_label(classes)
    words = {word: names[label] for word, label in form.choices.items()}
    menu = Menu.of((*classes, INVALID), words, told=words)
    first = next(iter(classes))
    said = next((word for word, name in words.items() if name == first), first)

    def read(text: str, fences: Fences) -> VerdictLine:
        if form.kind == "own":
            return find_ruling(text, marker, menu, fences)
        return read_choice(text, form, menu, fences)

    line = f"{marker}: {said}" if marker else said
    return ReplyFormat(read, f"It agrees with the source.\n{form.tagged(line)}")


NAME = "faithjudge"
_ZERO = f"{NAME}-zero"
_NEEDED = ("source", "response", "marker")
_FORMS: tuple[Kind, ...] = ("choice", "line")

# Where a statement belongs that the response shares with a peer, if people called it benign or
# questionable there: the leaderboard of FaithJudge counts both as inconsistent.
_GRAY_BINARY = (
    "Every kind of error counts, also the mild ones: if the response repeats a statement that "
    "people called benign (true of the world, though the source does not say it) or questionable "
    "(hard to tell), it is Inconsistent."
)
_GRAY_TERNARY = (
    "A repeated statement keeps the label that people gave it in the peer: benign makes the "
    "response Benign, unless something in it is worse, and unwanted makes it Unwanted. Where they "
    "called it questionable, decide by the source which class it is."
)


@dataclass(frozen=True, slots=True)
class WritingTask:
    """A task: what a response to it is called, what its writer was to do, and what is no answer."""

    noun: str
    request: str
    invalid: str


SUMMARY = WritingTask(
    "summary",
    "summarise the source",
    "It does not summarise the source at all: it is empty or unreadable, it refuses, or it is "
    "about something else.",
)
ANSWER = WritingTask(
    "answer",
    "answer the question from the source",
    "It does not deal with the question at all: it is empty or unreadable, it refuses, or it is "
    "about something else. An answer that says the source does not tell is not invalid.",
)
DESCRIPTION = WritingTask(
    "description",
    "describe in prose what the structured data of the source says",
    "It does not describe the data at all: it is empty or unreadable, it refuses, or it is about "
    "something else.",
)
TASKS = (SUMMARY, ANSWER, DESCRIPTION)

_NAMED = (
    (DESCRIPTION, re.compile(r"data[\W_]*(2|to)[\W_]*te?xt")),
    (ANSWER, re.compile(r"(?<![a-z])(lf)?qa(?![a-z])|question|answer")),
    (SUMMARY, re.compile(r"summar")),
)
_PASSAGE = re.compile(r"passage \d+$")


def _load(name: str, file: str = "", *, ternary: bool = False) -> Prompt:
    """Our prompt or the user's, whose header may name a form and words for the classes."""
    needs = _NEEDED if name == _ZERO else ("peers", *_NEEDED)
    prompt = load_prompt(name, file, needs=needs, forms=None)
    check_form(prompt.form, _FORMS, [*by_label(classes_of(ternary=ternary))], file)
    return prompt


@dataclass(frozen=True, slots=True)
class FaithJudge:
    """Shows the model annotated responses to the same source, within the limits.

    A source without peers is judged zero-shot, and the verdict says so; if they are required, it
    is a failure. Where peers are wanted and there is no pool of them, nothing is judged.
    """

    pool: PeerPool | None = None
    limits: PeerLimits = field(default_factory=PeerLimits)
    ternary: bool = False
    requires_peers: bool = False
    prompt: Prompt = field(default_factory=lambda: _load(NAME))
    zero_prompt: Prompt = field(default_factory=lambda: _load(_ZERO))

    @property
    def name(self) -> str:
        """The name of the form: one of two."""
        return f"{NAME} ternary" if self.ternary else NAME

    @property
    def capabilities(self) -> Capabilities:
        """Binary; or FaithBench's labels, of which it gives consistent, benign and unwanted."""
        return _capabilities(self.ternary, self.limits.peers)

    @property
    def classes(self) -> Classes:
        """The classes that the model chooses from, beside `Invalid`."""
        return classes_of(ternary=self.ternary)

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        """Both prompts in the words of each task."""
        return tuple(
            replace(in_words_of(task, self.classes, prompt), name=f"{prompt.name}/{task.noun}")
            for prompt in (self.prompt, self.zero_prompt)
            for task in TASKS
        )

    def peers_shown(self, example: Example) -> ShownPeers:
        """The peers that the prompt for a response shows; the response itself is never one."""
        found = self.pool.peers_for(example) if self.pool else ()
        return choose_peers(found, self.limits, example.question)

    async def findings(self, client: ModelClient, example: Example) -> list[Finding]:
        """The response; one that is no real answer is an `invalid` failure."""
        self.check_pool()
        unit, shown = response_unit(example), self.peers_shown(example)
        if self.requires_peers and not shown.peers:
            basis = shown.basis.partition(":")[0]
            return [Finding(unit, Failure(RESPONSE, "missing", f"{basis}, and they are required"))]
        return [Finding(unit, await self._outcome(client, example, shown))]

    async def _outcome(self, client: ModelClient, example: Example, shown: ShownPeers) -> Outcome:
        texts = PromptTexts(example, **shown.texts)
        prompt = self.prompt if shown.peers else self.zero_prompt
        is_own = prompt.form.kind == "own"
        marker = marker_for(texts.fences, PHRASE) if is_own else prompt.form.marker
        answer = await texts.ask(
            client,
            in_words_of(task_of(example), self.classes, prompt),
            ruling_format(self.classes, marker, prompt.form),
            peers=shown.render(texts.fences, prompt.form.texts),
            labels="\n".join(map(label_menu, taxonomies_of(shown.peers))),
            marker=marker,
        )
        ruling = answer.value
        note = f"{shown.basis} {ruling.rest}".strip()
        if ruling.choice == INVALID:
            detail = f"the judge calls the response invalid. {note}"
            return Failure(RESPONSE, "invalid", detail, answer.reply.text)
        confidence = ruling.probability(answer.reply)
        label = self.classes[ruling.choice]
        counted = None if self.limits.peers == 0 else len(shown.peers)
        attributes = Attributes(peers=counted)
        return Verdict(RESPONSE, label, confidence=confidence, note=note, attributes=attributes)

    def check_pool(self) -> None:
        """Raises where there is nothing to learn from, before anything is asked."""
        if self.limits.peers == 0 or self.pool:
            return
        lack = "there are none" if self.pool is None else "none of those given is annotated"
        raise InputError(
            f"faithjudge learns from annotated responses to the same sources, and {lack}: give it "
            "peers, or data that is annotated itself; faithjudge:peers=0 judges without them",
            field="peers",
            code="no-peers",
        )


def task_of(example: Example) -> WritingTask:
    """The task that the example names; else its question or the form of its source tells."""
    name = example.task.casefold()
    named = (task for task, words in _NAMED if words.search(name))
    return next(named, None) or _by_form(example)


def in_words_of(task: WritingTask, classes: Classes, prompt: Prompt) -> Prompt:
    """The prompt for one task and one menu of classes; a user's prompt may leave words out."""
    meanings = {**{name: label.meaning for name, label in classes.items()}, INVALID: task.invalid}
    words = {
        "noun": task.noun,
        "request": task.request,
        "classes": "\n".join(f"- {name}: {meaning}" for name, meaning in meanings.items()),
        "menu": f"{', '.join(classes)} or {INVALID}",
        "gray": _GRAY_TERNARY if "Benign" in classes else _GRAY_BINARY,
    }
    return prompt.fix(**{name: words[name] for name in prompt.inputs & words.keys()})


def _by_form(example: Example) -> WritingTask:
    if example.question.strip():
        return ANSWER
    passages = example.source.passages
    if passages and all(_is_field(example.source, passage) for passage in passages):
        return DESCRIPTION
    return SUMMARY


def _is_field(source: Source, passage: Passage) -> bool:
    """True if it is a field of a record (`name: value`), not a passage with or without a title."""
    first = source.text[passage.start : passage.end].partition("\n")[0]
    return not _PASSAGE.search(passage.name) and ": " in first and first != passage.name


def _options(argument: str) -> Chosen:
    """The options after the colon: `ternary,peers=N,seed=N,characters=N,prompt=FILE`."""
    settings = {"peers": "N", "seed": "N", "characters": "N", "prompt": "FILE"}
    switches = ("ternary", "require-peers")
    chosen = read_options(NAME, argument, switches=switches, settings=settings)
    if "require-peers" in chosen and _peers(chosen) == 0:
        raise InputError(f"{NAME}: peers=0 judges without peers, and require-peers wants some")
    return chosen


def _peers(chosen: Chosen) -> int | None:
    return chosen.count("peers", 0) if chosen["peers"] else None


def _capabilities(ternary: bool, peers: int | None) -> Capabilities:
    return Capabilities(
        "response",
        FAITHBENCH if ternary else BINARY,
        scores=False,
        asks_model=True,
        reads_annotations=peers != 0,
    )


def _declared(argument: str) -> Capabilities:
    chosen = _options(argument)
    return _capabilities("ternary" in chosen, _peers(chosen))


def _make(parts: Ingredients) -> ModelJudge:
    """A prompt of the user's is for responses with peers; where no peers are wanted, for all."""
    chosen = _options(parts.argument)
    ternary, is_zero = "ternary" in chosen, _peers(chosen) == 0
    prompt = _load(_ZERO if is_zero else NAME, chosen["prompt"], ternary=ternary)
    method = FaithJudge(
        limits=PeerLimits(
            _peers(chosen), chosen.count("characters", CHARACTERS), chosen.count("seed", 0)
        ),
        ternary=ternary,
        requires_peers="require-peers" in chosen,
    )
    method = replace(method, zero_prompt=prompt) if is_zero else replace(method, prompt=prompt)
    if method.limits.peers == 0 or parts.annotations is None:
        return ModelJudge(parts.model, method)
    pool = PeerPool.of(parts.annotations())
    method = replace(method, pool=pool)
    method.check_pool()
    return ModelJudge(parts.model, method, digests={"peers": pool.digest})


FAITHJUDGE = DetectorType(
    "asks a model that is shown how people judged other responses to the same source",
    _declared,
    _make,
)
