"""What is needed to repeat a run."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Run:
    """A detector over a data set, described so that it can be run again and compared."""

    detector: str
    version: str
    dataset: str = ""
    dataset_digest: str = ""
    model: str = ""
    parameters: dict[str, str | int | float | bool] = field(default_factory=dict)
    prompt_digests: dict[str, str] = field(default_factory=dict)
