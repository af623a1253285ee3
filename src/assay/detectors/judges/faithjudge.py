"""`faithjudge`: a response judged with other annotated responses to its source in view."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from assay.core.errors import InputError
from assay.core.examples import Example, Judgement
from assay.core.labels import Taxonomy
from assay.core.taxonomies import BINARY, FAITHBENCH
from assay.core.units import UnitKind
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.detectors.judges.faithjudge_question import (
    INVALID,
    Classes,
    in_words_of,
    marker_in,
    ruling_form,
)
from assay.detectors.judges.faithjudge_tasks import TASKS, task_of
from assay.detectors.judges.judging import Material, failed, judged
from assay.detectors.judges.options import read_options
from assay.detectors.judges.peer_choice import CHARACTERS, Limits, Shown, choose_peers
from assay.detectors.judges.peer_text import taxonomies_of
from assay.detectors.judges.peers import PeerPool
from assay.detectors.judges.protocol import detect_in_order
from assay.detectors.judges.templates import load_prompt
from assay.detectors.units import response_unit
from assay.llm.asking import Answer
from assay.llm.client import CallError, Client
from assay.llm.prompts import Prompt, label_menu
from assay.llm.verdict_lines import VerdictLine

NAME = "faithjudge"
_ZERO = f"{NAME}-zero"
_NEEDED = ("source", "response", "marker")


def _load(name: str, file: str = "") -> Prompt:
    return load_prompt(name, file, needs=_NEEDED if name == _ZERO else ("peers", *_NEEDED))


@dataclass(frozen=True, slots=True)
class FaithJudge:
    """Shows the model up to `peers` annotated responses (None: all) in at most `characters`.

    First their number is limited: the first in the order of the data stay. Then the longest are
    left out until they fit. A source without peers is judged zero-shot, and the note says so.
    """

    client: Client
    pool: PeerPool | None = None
    peers: int | None = None
    ternary: bool = False
    characters: int = CHARACTERS
    prompt: Prompt = field(default_factory=lambda: _load(NAME))
    zero_prompt: Prompt = field(default_factory=lambda: _load(_ZERO))
    unit_kind: UnitKind = "response"

    @property
    def name(self) -> str:
        """Which of its two forms it is, and the model."""
        return f"{NAME}{' ternary' if self.ternary else ''} {self.client.model}"

    @property
    def taxonomy(self) -> Taxonomy:
        """Binary; or FaithBench's, of which it gives consistent, benign and unwanted."""
        return FAITHBENCH if self.ternary else BINARY

    @property
    def classes(self) -> Classes:
        """What the model chooses from, beside `Invalid`."""
        if self.ternary:
            return {name: FAITHBENCH[name] for name in ("Consistent", "Benign", "Unwanted")}
        return {name: BINARY[name] for name in ("Consistent", "Inconsistent")}

    @property
    def prompt_digests(self) -> Mapping[str, str]:
        """Both prompts in the words of each task, and the peers: they are asked with as well."""
        digests = {
            f"{prompt.name}/{task.noun}": in_words_of(task, self.classes, prompt).digest
            for prompt in (self.prompt, self.zero_prompt)
            for task in TASKS
        }
        return {**digests, "peers": self.pool.digest} if self.pool else digests

    def with_peers(self, examples: Iterable[Example]) -> "FaithJudge":
        """The same judge with annotated responses to learn from; raises if none is annotated."""
        if self.peers == 0:
            return self
        judge = replace(self, pool=PeerPool.of(examples))
        judge.check_peers()
        return judge

    def check_peers(self) -> None:
        """Raises where there is nothing to learn from, so before anything is asked."""
        if self.peers == 0 or self.pool:
            return
        lack = "has none" if self.pool is None else "none of those given is annotated"
        raise InputError(
            f"faithjudge learns from annotated responses to the same sources, and {lack}: give "
            "--peers NAME|FILE, or data that is annotated itself; peers=0 judges without them"
        )

    def peers_shown(self, example: Example) -> Shown:
        """The peers that the prompt for a response shows; the response itself is never one."""
        found = self.pool.peers_for(example) if self.pool else ()
        return choose_peers(found, Limits(self.peers, self.characters), example.question)

    def detect(self, examples: Iterable[Example]) -> Iterator[Judgement]:
        """One outcome a response, in the order of the examples."""
        self.check_peers()
        return detect_in_order(self, examples)

    async def judge(self, example: Example) -> Judgement:
        """The verdict on a response; a response that is no real answer is an `invalid` failure."""
        self.check_peers()
        shown = self.peers_shown(example)
        try:
            outcome = self._outcome(example, shown, await self._ask(example, shown))
        except CallError as error:
            outcome = failed(response_unit(example), error)
        return judged(example, [outcome])

    async def _ask(self, example: Example, shown: Shown) -> Answer[VerdictLine]:
        material = Material(example, **shown.texts)
        marker = marker_in(material.fences)
        prompt = self.prompt if shown.peers else self.zero_prompt
        return await material.ask(
            self.client,
            in_words_of(task_of(example), self.classes, prompt),
            ruling_form(self.classes, marker),
            peers=shown.render(material.fences),
            labels="\n".join(map(label_menu, taxonomies_of(shown.peers))),
            marker=marker,
        )

    def _outcome(self, example: Example, shown: Shown, answer: Answer[VerdictLine]) -> Outcome:
        unit, ruling = response_unit(example), answer.value
        note = f"{shown.basis} {ruling.rest}".strip()
        if ruling.choice == INVALID:
            detail = f"the judge calls the response invalid. {note}"
            return Failure(unit, "invalid", detail, answer.reply.text)
        confidence = ruling.probability(answer.reply)
        return Verdict(unit, self.classes[ruling.choice], confidence=confidence, note=note)


def make_faithjudge(client: Client, argument: str = "") -> FaithJudge:
    """The judge with the options after the colon: `ternary,peers=N,characters=N,prompt=FILE`."""
    settings = {"peers": "N", "characters": "N", "prompt": "FILE"}
    chosen = read_options(NAME, argument, switches=["ternary"], settings=settings)
    return FaithJudge(
        client,
        peers=chosen.count("peers", 0) if chosen["peers"] else None,
        ternary="ternary" in chosen,
        characters=chosen.count("characters", CHARACTERS),
        prompt=_load(NAME, chosen["prompt"]),
    )
