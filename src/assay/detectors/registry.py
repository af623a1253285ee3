"""The detectors by name, and how one is opened from its spec. Nothing is imported before that."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING
from typing import Annotated as With

from assay.core.errors import InputError, UnknownNameError
from assay.core.examples import Annotated
from assay.core.options import Option
from assay.core.results import plural_of
from assay.core.system.plugins import find_plugins, load_plugin
from assay.detectors.local import LocalOptions
from assay.detectors.protocol import Capabilities, Detector
from assay.llm.settings.options import MODEL, Options

if TYPE_CHECKING:
    from assay.llm.client import ModelClient

Annotations = Callable[[], Iterable[Annotated]]

DEFAULT = "auto"

# Name -> where its `DetectorType` is, below `assay.detectors`.
DETECTORS: dict[str, str] = {
    "auto": "combinators.auto:AUTO",
    "embedded": "embedded.detector:EMBEDDED",
    "embedded-large": "embedded.large.detector:EMBEDDED_LARGE",
    "overlap": "overlap:OVERLAP",
    "judge-gray7": "judges.sentences:GRAY7_JUDGE",
    "judge-simple": "judges.responses:SIMPLE",
    "judge-grounding": "judges.responses:GROUNDING",
    "judge-claims": "judges.claims:CLAIMS",
    "judge-fewshot": "judges.sentences:FEWSHOT",
    "judge-finesure": "judges.sentences:FINESURE",
    "faithjudge": "judges.faithjudge:FAITHJUDGE",
    "discourse": "discourse.model:DISCOURSE",
    "discourse-offline": "discourse.offline:DISCOURSE_OFFLINE",
    "localize-zero": "localize.making:ZERO",
    "localize-few": "localize.making:FEW",
    "localize-cot": "localize.making:COT",
    "localize-cot-hint": "localize.making:COT_HINT",
    "localize-pipeline": "localize.making:PIPELINE",
    "localize-recall": "localize.making:RECALL",
    "claimwise": "combinators.claimwise:CLAIMWISE",
    "cascade": "combinators.cascade:CASCADE",
    "vote": "combinators.vote:VOTE",
    "p-true": "judges.p_true:P_TRUE",
    "minicheck": "published.kinds:MINICHECK",
    "nli": "published.kinds:NLI",
    "alignscore": "published.kinds:ALIGNSCORE",
    "summac": "published.kinds:SUMMAC",
    "infuse": "published.kinds:INFUSE",
    "lynx": "judges.lynx:LYNX",
    "anah": "judges.anah:ANAH",
    "granite-guardian": "judges.granite:GRANITE_GUARDIAN",
    "ragas": "judges.claims:RAGAS",
    "trulens": "judges.trulens:TRULENS",
    "facts": "judges.responses:FACTS",
    "lettuce": "published.kinds:LETTUCE",
    "hhem": "published.kinds:HHEM",
    "trueteacher": "published.kinds:TRUETEACHER",
    "true-nli": "published.kinds:TRUE_NLI",
    "llm-check": "published.kinds:LLM_CHECK",
    "ccp": "published.kinds:CCP",
}


@dataclass(frozen=True, slots=True)
class Ingredients:
    """The ingredients of a detector: the text after the colon of its name, clients, annotations.

    One that combines others has all `clients`, and the number of votes of each, for its parts.
    """

    argument: str = ""
    client: "ModelClient | None" = None
    annotations: Annotations | None = None
    local: LocalOptions = field(default_factory=LocalOptions)
    clients: "tuple[ModelClient, ...]" = ()
    votes: int = 1

    @property
    def model(self) -> "ModelClient":
        """The client; a detector that asks a model cannot be made without one."""
        if self.client is None:
            raise InputError("this detector asks a model, and none was given", field="model")
        return self.client


@dataclass(frozen=True, slots=True)
class DetectorType:
    """A kind of detector: what it is, what it can do, and how it is made.

    A package offers one as an entry point of the group `assay.detectors`. `capabilities` may depend
    on the text after the colon of the name; and so may `facts`, which gives more to show about it,
    by heading. One that `combines` other detectors passes on to them what they need; `refuse`
    raises for local options that have no one meaning to them. `stands_for` gives the name of
    another detector, which may depend on what is on this machine: a spec has that name then.
    """

    summary: str
    capabilities: Callable[[str], Capabilities] | Capabilities
    make: Callable[[Ingredients], Detector]
    facts: Callable[[str], Mapping[str, str]] | None = None
    takes_argument: bool = True
    combines: bool = False
    refuse: Callable[[str, LocalOptions], None] | None = None
    stands_for: Callable[[str, LocalOptions], str] | None = None

    def capabilities_with(self, argument: str) -> Capabilities:
        """Its capabilities with this text after the colon."""
        declared = self.capabilities
        return declared if isinstance(declared, Capabilities) else declared(argument)


PEERS = Option("Annotated responses for faithjudge to learn from.", "NAME|FILE", MODEL)


@dataclass(frozen=True)
class DetectorSpec:
    """A detector as data: its name, whom it asks, how often, and how they are asked.

    Several models, and several samples of each, vote. `local` is for one that runs a model here.
    With `discourse`, the detector is the one that checks claims and relations. A name that stands
    for another one is replaced by it; `asked` is the one that was given.
    """

    # What follows a colon is given to the detector: `judge-gray7:batch`.
    name: With[
        str,
        Option("Detector to use; 'assay detectors list' names them.", "NAME", name="detector"),
    ] = DEFAULT
    models: With[
        tuple[str, ...],
        Option(
            "Model that a judge asks, as in openai/gpt-4o; give several and they vote.",
            "MODEL",
            MODEL,
            "model",
        ),
    ] = ()
    votes: With[int, Option("Ask every question N times and let the answers vote.", "N", MODEL)] = 1
    options: Options = field(default_factory=Options)
    local: LocalOptions = field(default_factory=LocalOptions)
    discourse: With[
        bool,
        Option("Check claims and the relations between them, by a model if one is configured."),
    ] = field(default=False, repr=False, compare=False)
    asked: str = field(default="", init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.discourse:
            object.__setattr__(self, "name", self._discourse_name())
            object.__setattr__(self, "discourse", False)
        object.__setattr__(self, "asked", self.name)
        if self.type.stands_for:
            object.__setattr__(self, "name", self.type.stands_for(self.argument, self.local))
        if self.votes < 1:
            raise InputError(f"votes must be 1 or more, not {self.votes}", field="votes")
        twice = [name for name in self.models if self.models.count(name) > 1]
        if twice:
            raise InputError(
                f"the model {twice[0]} is given twice; several votes ask one model several times",
                field="model",
            )
        if not self.capabilities.asks_model:
            self._refuse_model_settings()
        if self.local.changed and not self.capabilities.runs_here:
            raise InputError(
                f"detector '{self.name}' runs no model here; leave out {self.local.changed[0]}",
                field=self.local.changed[0],
            )
        if self.local.changed and self.type.refuse:
            self.type.refuse(self.argument, self.local)

    @property
    def type(self) -> DetectorType:
        """The kind of detector that its name stands for."""
        return find_type(self.name)

    @property
    def argument(self) -> str:
        """The text after the colon of its name."""
        return self.name.partition(":")[2]

    @cached_property
    def capabilities(self) -> Capabilities:
        """The detector's capabilities, known before it is opened."""
        can = self.type.capabilities_with(self.argument)
        if can.unit_kind == "claim" and (self.votes > 1 or len(self.models) > 1):
            return replace(can, unit_kind="response", finds_units=False)  # their folds vote
        return can

    def _discourse_name(self) -> str:
        """The detector that checks claims and relations: by a model if the user chose one."""
        if self.name != DEFAULT:
            raise InputError(
                f"discourse is checked by a detector of its own; leave out {self.name}",
                field="detector",
            )
        from assay.llm.settings.model_settings import is_model_chosen

        by_model = self.models or is_model_chosen(self.options)
        return "discourse" if by_model else "discourse-offline"

    def _refuse_model_settings(self) -> None:
        usual = asdict(Options())
        wrong = ["model"] * bool(self.models) + ["votes"] * (self.votes > 1)
        wrong += [name for name, value in asdict(self.options).items() if value != usual[name]]
        if wrong:
            raise InputError(
                f"detector '{self.name}' asks no model; leave out {wrong[0].replace('_', ' ')}",
                field=wrong[0],
            )


def part_spec(name: str) -> DetectorSpec:
    """The spec of a part of another detector, whose name has to say who judges."""
    spec = DetectorSpec(name)
    if spec.asked != spec.name:
        raise InputError(
            f"'{name}' stands for one detector or another, and cannot be a part: name its own"
            f" detectors, as in {spec.name}",
            field="detector",
        )
    return spec


def open_detector(
    spec: DetectorSpec,
    clients: "Sequence[ModelClient]" = (),
    annotations: Annotations | None = None,
) -> Detector:
    """The detector of a spec; one that asks a model asks these clients, which all vote.

    It judges what a reader sees of HTML and Markdown.
    """
    from assay.detectors.combinators.viewing import Viewing, show_peers

    if annotations is None:
        return Viewing(make_detector(spec, clients))
    read = annotations
    return Viewing(make_detector(spec, clients, lambda: show_peers(read())))


def make_detector(
    spec: DetectorSpec,
    clients: "Sequence[ModelClient]" = (),
    annotations: Annotations | None = None,
) -> Detector:
    """The same for a part of another detector, whose examples have been viewed already."""
    kind = spec.type
    if spec.argument and not kind.takes_argument:
        raise InputError(f"detector '{spec.name.partition(':')[0]}' takes nothing after its name")
    if annotations is not None and not spec.capabilities.reads_annotations:
        raise InputError(f"detector '{spec.name}' learns from no peers", field="peers")
    if not spec.capabilities.asks_model:
        return kind.make(Ingredients(spec.argument, annotations=annotations, local=spec.local))
    if not clients:
        raise InputError(f"detector '{spec.name}' asks a model, and none is given", field="model")

    if kind.combines:
        given = tuple(clients)
        return kind.make(
            Ingredients(spec.argument, given[0], annotations, spec.local, given, spec.votes)
        )

    def make(client: "ModelClient") -> Detector:
        return kind.make(Ingredients(spec.argument, client, annotations, spec.local))

    if len(clients) == spec.votes == 1:
        return make(clients[0])
    from assay.detectors.combinators.vote import vote
    from assay.llm.client import Numbered

    samples = range(spec.votes)
    return vote(*(make(Numbered(client, sample=n)) for client in clients for n in samples))


def find_type(name: str) -> DetectorType:
    """The kind of detector of that name, ours or one that an installed package brings."""
    key = name.partition(":")[0]
    if key in DETECTORS:
        module, _, attribute = DETECTORS[key].partition(":")
        found: DetectorType = getattr(import_module(f"assay.detectors.{module}"), attribute)
        return found
    plugins = find_plugins("assay.detectors")
    if key in plugins:
        return load_plugin("assay.detectors", key, DetectorType)
    raise UnknownNameError("detector", key, detector_names(), field="detector")


def detector_names() -> tuple[str, ...]:
    """The names of all detectors, ours first."""
    return (
        *DETECTORS,
        *(name for name in find_plugins("assay.detectors") if name not in DETECTORS),
    )


def detector_facts(name: str) -> Mapping[str, str]:
    """Facts about a detector, by heading; for a judge also its prompts."""
    spec = DetectorSpec(name)
    kind, can = find_type(name), spec.capabilities
    facts = {
        "detector": name,
        "what it is": kind.summary,
        "judges": plural_of(can.unit_kind),
        "labels": can.taxonomy.name,
    }
    if can.asks_model and not kind.combines:
        facts["prompts"] = _prompts(spec)
    return {**facts, **(kind.facts(name.partition(":")[2]) if kind.facts else {})}


def _prompts(spec: DetectorSpec) -> str:
    """The prompts of a judge with their digests; no model is asked."""
    from assay.llm.client import Scripted

    judge = spec.type.make(Ingredients(spec.argument, Scripted(())))
    return ", ".join(f"{name} ({digest})" for name, digest in judge.prompt_digests.items())
