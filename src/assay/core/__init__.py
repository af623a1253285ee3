"""The nouns: what is judged, by which menu of labels, and what is said of it."""

from assay.core.decision import Answers, Decision, Interpretation, Reading, contradictions, decide
from assay.core.errors import AssayError, InputError, UnknownNameError
from assay.core.examples import Example, Judgement
from assay.core.labels import Label, Taxonomy
from assay.core.mappings import Mapping, mapping
from assay.core.rendering import read_source
from assay.core.runs import Run
from assay.core.spans import Span
from assay.core.taxonomies import taxonomy
from assay.core.texts import Passage, Response, Source
from assay.core.units import Relation, Unit
from assay.core.verdicts import ExternalEvidence, Failure, Outcome, Verdict

__all__ = [
    "Answers",
    "AssayError",
    "Decision",
    "Example",
    "ExternalEvidence",
    "Failure",
    "InputError",
    "Interpretation",
    "Judgement",
    "Label",
    "Mapping",
    "Outcome",
    "Passage",
    "Reading",
    "Relation",
    "Response",
    "Run",
    "Source",
    "Span",
    "Taxonomy",
    "Unit",
    "UnknownNameError",
    "Verdict",
    "contradictions",
    "decide",
    "mapping",
    "read_source",
    "taxonomy",
]
