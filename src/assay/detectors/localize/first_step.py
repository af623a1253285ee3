"""`two-step=self`: the model that localizes first says itself whether anything is wrong."""

from dataclasses import dataclass

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.judgements import Finding
from assay.core.taxonomies import BINARY
from assay.core.verdicts import Verdict
from assay.detectors.judges.judging import PromptTexts, ReplyFormat
from assay.detectors.protocol import Capabilities
from assay.llm.client import Client
from assay.llm.fences import Fences
from assay.llm.forms import read_choice
from assay.llm.prompts import Prompt
from assay.llm.verdict_lines import VerdictLine
from assay.text.units import response_unit

_CAPABILITIES = Capabilities("response", BINARY, scores=False, asks_model=True)


@dataclass(frozen=True, slots=True)
class SelfStep:
    """Asks for reasoning, step by step, and then for yes or no on the whole response."""

    prompt: Prompt
    name: str = "localize-self"
    capabilities: Capabilities = _CAPABILITIES

    def __post_init__(self) -> None:
        if self.prompt.form.kind not in ("choice", "line"):
            raise InputError(
                f"the prompt '{self.prompt.name}' of a first step ends in a choice; its header "
                "needs 'reply: choice' and choices for faithful and unfaithful"
            )

    @property
    def prompts(self) -> tuple[Prompt]:
        """Its only prompt."""
        return (self.prompt,)

    async def findings(self, client: Client, example: Example) -> list[Finding]:
        """The verdict on the response, with the reasoning as its note."""
        answer = await PromptTexts(example).ask(client, self.prompt, self._format())
        said, unit = answer.value, response_unit(example)
        note = " ".join(said.rest.split())
        return [Finding(unit, Verdict(unit.id, BINARY[said.choice], note=note))]

    def _format(self) -> ReplyFormat[VerdictLine]:
        form = self.prompt.form
        menu = form.menu(BINARY)

        def read(reply: str, fences: Fences) -> VerdictLine:
            return read_choice(reply, form, menu, fences)

        word = next((w for w, label in form.choices.items() if label == "unfaithful"), "unfaithful")
        return ReplyFormat(read, f"One detail is wrong.\n{form.marker or 'Answer'}: {word}")
