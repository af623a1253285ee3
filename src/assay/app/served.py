"""The detectors that a service offers, each with the settings that are for it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated

from assay.core.errors import InputError
from assay.core.options import Option
from assay.detectors.local import LocalOptions
from assay.detectors.registry import DEFAULT, PEERS, DetectorSpec
from assay.engine.check import CheckRequest
from assay.knowledge.opening import KnowledgeChoice
from assay.llm.settings.options import MODEL, Options


@dataclass(frozen=True, slots=True)
class DetectorChoice:
    """The detectors by name, of which the first is the default; settings go to those they are for.

    Models and their settings are for judges, `local` is for detectors that run a model here, and
    `peers` for those that learn from annotated responses. What is for none of them raises.
    """

    names: Annotated[
        tuple[str, ...],
        Option(
            "Detector to serve; may be repeated, and the first one is the default.",
            "NAME",
            name="detector",
        ),
    ] = (DEFAULT,)
    models: Annotated[
        tuple[str, ...],
        Option(
            "Model that judges ask, as in openai/gpt-4o; give several and they vote.",
            "MODEL",
            MODEL,
            "model",
        ),
    ] = ()
    votes: Annotated[
        int, Option("Ask every question N times and let the answers vote.", "N", MODEL)
    ] = 1
    options: Options = field(default_factory=Options)
    local: LocalOptions = field(default_factory=LocalOptions)
    peers: Annotated[str, PEERS] = ""
    knowledge: KnowledgeChoice = field(default_factory=KnowledgeChoice)

    def requests(self) -> dict[str, CheckRequest]:
        """A request for each detector by its name, the default first; what is wrong raises."""
        names = tuple(dict.fromkeys(self.names)) or (DEFAULT,)
        plain = [DetectorSpec(name) for name in names]
        self._require_use(plain)
        return {name: self._request(spec) for name, spec in zip(names, plain, strict=True)}

    def _request(self, spec: DetectorSpec) -> CheckRequest:
        can = spec.capabilities
        asking = (self.models, self.votes, self.options) if can.asks_model else ((), 1, Options())
        local = self.local if can.runs_here else LocalOptions()
        made = DetectorSpec(spec.asked, *asking, local)
        peers = self.peers if can.reads_annotations else ""
        return CheckRequest(made, peers, self.knowledge if can.consults else KnowledgeChoice())

    def _require_use(self, specs: Sequence[DetectorSpec]) -> None:
        can = [spec.capabilities for spec in specs]
        asked = [*["model"] * bool(self.models), *["votes"] * (self.votes > 1)]
        if asked and not any(each.asks_model for each in can):
            raise InputError(f"no detector here asks a model; leave out {asked[0]}", field=asked[0])
        if self.local.changed and not any(each.runs_here for each in can):
            raise InputError(
                f"no detector here runs a model of its own; leave out {self.local.changed[0]}",
                field=self.local.changed[0],
            )
        if self.knowledge.source and not any(each.consults for each in can):
            raise InputError("none of the detectors looks anything up", field="knowledge")
        if self.peers and not any(each.reads_annotations for each in can):
            raise InputError("none of the detectors learns from peers", field="peers")
