"""The judge whose errors are looked at: what it said, and how it can be asked again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from assay.checking.loading import JudgeChoice, learns_from_peers
from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.runs import Run
from assay.detectors.judges.protocol import Judge
from assay.detectors.p_true import PTrue, make_p_true
from assay.detectors.protocol import Detector
from assay.detectors.replay import Replay
from assay.evaluate.errors.levels import Level, level_of
from assay.evaluate.localization.hearing import Asking
from assay.evaluate.localization.selecting import is_file
from assay.llm.options import Options
from assay.store.folder import RunsFolder

_SETTINGS = ("base_url", "temperature", "max_tokens", "seed", "logprobs")


@dataclass(frozen=True, slots=True)
class Subject:
    """`said` says again what the judge said; `asked` is the detector to ask anew, if it is known.

    `refusal` says why it cannot be asked anew.
    """

    name: str
    said: Detector
    level: Level
    asked: str = ""
    model: str = ""
    votes: int = 1
    options: Options = field(default_factory=Options)
    refusal: str = ""
    digests: Mapping[str, str] = field(default_factory=dict)  # of the prompts, where they are known

    def again(self, asking: Asking) -> Detector:
        """The same judge, to be asked about other responses; raises if that cannot be."""
        if self.refusal:
            raise InputError(f"{self.name} cannot be asked again: {self.refusal}")
        choice = JudgeChoice(self.asked, votes=self.votes)
        clients = (asking.client(self.model, self.options),) if choice.asks_model else ()
        judge = choice.load(clients)
        self._refuse_other_prompts(judge)
        return judge

    def believer(self, asking: Asking, repeat: int) -> PTrue:
        """The judge's own model, which is sampled and tells the probabilities of its tokens."""
        options = replace(self.options, temperature=1.0, logprobs=True)
        return make_p_true(asking.client(self.model, options), f"repeat={repeat}")

    def _refuse_other_prompts(self, judge: Detector) -> None:
        now = judge.prompt_digests if isinstance(judge, Judge) else {}
        changed = [name for name, digest in self.digests.items() if now.get(name) != digest]
        if changed:
            raise InputError(
                f"{self.name} cannot be asked again: its prompt '{changed[0]}' is another one now; "
                "make a new run"
            )

    @property
    def is_heard_now(self) -> bool:
        """Whether it has yet to judge."""
        return not isinstance(self.said, Replay)

    def judged(self, corpus: Sequence[Example]) -> list[Example]:
        """The examples that it judged: a run or file may be about a part of a corpus."""
        if not isinstance(self.said, Replay):
            return list(corpus)
        known = set(self.said.ids)
        return [example for example in corpus if example.id in known]


def find_subject(name: str, model: str, corpus: Sequence[Example], asking: Asking) -> Subject:
    """The judge of that name: `run:NAME`, a file of `assay check --json`, or a detector.

    A judge that asks no model, or of which the model is not known, believes what `model` does.
    """
    said = asking.find(name, model, corpus)
    kind, _, rest = name.partition(":")
    if kind == "run":
        with RunsFolder(asking.runs).open(rest) as journal:
            return subject_of_run(name, said, journal.run, model, asking.options)
    if is_file(name):
        level = level_of(said, said.name.removeprefix("recorded "))
        refusal = "a file tells what was said, not how; give run:NAME or a detector"
        return Subject(name, said, level, model=model, options=asking.options, refusal=refusal)
    return Subject(name, said, level_of(said, name), name, model, options=asking.options)


def subject_of_run(name: str, said: Detector, run: Run, model: str, options: Options) -> Subject:
    """The judge of a run with its own model and settings; budget and the like are today's."""
    same = {each: run.parameters[each] for each in _SETTINGS if each in run.parameters}
    return Subject(
        name,
        said,
        level_of(said, run.detector),
        run.detector,
        run.model or model,
        run.votes,
        replace(options, **same) if run.model else options,  # type: ignore[arg-type]
        _refusal(run),
        run.prompt_digests,
    )


def _refusal(run: Run) -> str:
    if run.model and "model" not in run.parameters:
        return "several models voted; give a run of one of them"
    if run.knowledge:
        return f"it looked things up in {run.knowledge}; give a run without --knowledge"
    if run.peers or learns_from_peers(run.detector):
        return "its judge learns from annotated responses, and none are annotated like these"
    return ""
