"""Assay tells whether a text is faithful to its source, sentence by sentence.

>>> from assay import check
>>> report = check(source="Ada was born in 1815.", response="Ada was born in 1852.")
>>> report.coarse
'unfaithful'
>>> report.sentences[0].label == "contradicting"
True
"""

__version__ = "0.2.0"

TYPE_CHECKING = False  # which type checkers take for True; typing is slow to import
if TYPE_CHECKING:
    from assay.app.api import (
        acheck,
        build_board,
        calibrate,
        check,
        check_each,
        compare,
        evaluate,
        localize,
        run,
    )
    from assay.app.board import BoardRequest, BoardResult
    from assay.app.calibrate import Calibrated, CalibrateRequest
    from assay.app.check import CheckRequest
    from assay.app.evaluate import Compared, Evaluated, EvaluateRequest
    from assay.app.localize import Localized, LocalizeRequest
    from assay.app.results import Report
    from assay.app.run import RunOutcome, RunRequest
    from assay.core.consistency import Cited, contradictions
    from assay.core.decision import Answers, Decision, Interpretation, Sense, decide
    from assay.core.errors import (
        AssayError,
        BudgetError,
        InputError,
        MissingExtraError,
        ServiceError,
        SpanError,
        UndecidedError,
        UnknownNameError,
    )
    from assay.core.examples import Annotated, Example
    from assay.core.judgements import Author, Finding, Judgement, Judgements, Manifest
    from assay.core.labels import Label, Taxonomy
    from assay.core.problems import Problem
    from assay.core.readings import Reading, reading
    from assay.core.rendering import read_source
    from assay.core.results import Result
    from assay.core.spans import Span
    from assay.core.taxonomies import taxonomy
    from assay.core.texts import Passage, Response, Source
    from assay.core.units import Link, Unit
    from assay.core.verdicts import Attributes, ExternalEvidence, Failure, Outcome, Verdict
    from assay.datasets.fields import Columns
    from assay.datasets.selection import DataChoice
    from assay.detectors.local import FittedCalibration, LocalOptions, read_calibration
    from assay.detectors.protocol import Capabilities, Detector
    from assay.detectors.registry import DetectorSpec, DetectorType, Ingredients, open_detector
    from assay.evaluation.references import open_judgements
    from assay.knowledge.opening import KnowledgeChoice, SourceOptions
    from assay.llm.options import Options

# Module -> the public names in it; nothing is imported before it is used.
_NAMES = {
    "app.api": "acheck build_board calibrate check check_each compare evaluate localize run",
    "app.board": "BoardRequest BoardResult",
    "app.calibrate": "CalibrateRequest Calibrated",
    "app.check": "CheckRequest",
    "app.evaluate": "Compared EvaluateRequest Evaluated",
    "app.localize": "LocalizeRequest Localized",
    "app.results": "Report",
    "app.run": "RunOutcome RunRequest",
    "core.consistency": "Cited contradictions",
    "core.decision": "Answers Decision Interpretation Sense decide",
    "core.errors": "AssayError BudgetError InputError MissingExtraError ServiceError SpanError "
    "UndecidedError UnknownNameError",
    "core.examples": "Annotated Example",
    "core.judgements": "Author Finding Judgement Judgements Manifest",
    "core.labels": "Label Taxonomy",
    "core.problems": "Problem",
    "core.readings": "Reading reading",
    "core.rendering": "read_source",
    "core.results": "Result",
    "core.spans": "Span",
    "core.taxonomies": "taxonomy",
    "core.texts": "Passage Response Source",
    "core.units": "Link Unit",
    "core.verdicts": "Attributes ExternalEvidence Failure Outcome Verdict",
    "datasets.fields": "Columns",
    "datasets.selection": "DataChoice",
    "detectors.local": "FittedCalibration LocalOptions read_calibration",
    "detectors.protocol": "Capabilities Detector",
    "detectors.registry": "DetectorSpec DetectorType Ingredients open_detector",
    "evaluation.references": "open_judgements",
    "knowledge.opening": "KnowledgeChoice SourceOptions",
    "llm.options": "Options",
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = [
    "Annotated",
    "Answers",
    "AssayError",
    "Attributes",
    "Author",
    "BoardRequest",
    "BoardResult",
    "BudgetError",
    "CalibrateRequest",
    "Calibrated",
    "Capabilities",
    "CheckRequest",
    "Cited",
    "Columns",
    "Compared",
    "DataChoice",
    "Decision",
    "Detector",
    "DetectorSpec",
    "DetectorType",
    "EvaluateRequest",
    "Evaluated",
    "Example",
    "ExternalEvidence",
    "Failure",
    "Finding",
    "FittedCalibration",
    "Ingredients",
    "InputError",
    "Interpretation",
    "Judgement",
    "Judgements",
    "KnowledgeChoice",
    "Label",
    "Link",
    "LocalOptions",
    "LocalizeRequest",
    "Localized",
    "Manifest",
    "MissingExtraError",
    "Options",
    "Outcome",
    "Passage",
    "Problem",
    "Reading",
    "Report",
    "Response",
    "Result",
    "RunOutcome",
    "RunRequest",
    "Sense",
    "ServiceError",
    "Source",
    "SourceOptions",
    "Span",
    "SpanError",
    "Taxonomy",
    "UndecidedError",
    "Unit",
    "UnknownNameError",
    "Verdict",
    "__version__",
    "acheck",
    "build_board",
    "calibrate",
    "check",
    "check_each",
    "compare",
    "contradictions",
    "decide",
    "evaluate",
    "localize",
    "open_detector",
    "open_judgements",
    "read_calibration",
    "read_source",
    "reading",
    "run",
    "taxonomy",
]


if not TYPE_CHECKING:  # a name that is not there is an error to the type checker too

    def __getattr__(name: str) -> object:
        """Imports a public name on first use, so that `import assay` costs nothing."""
        if name not in _HOMES:
            raise AttributeError(f"module 'assay' has no attribute '{name}'")
        from importlib import import_module

        return getattr(import_module(f"assay.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
