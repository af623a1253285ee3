"""Assay tells whether a text is faithful to its source, sentence by sentence.

>>> from assay import check
>>> report = check(source="Ada was born in 1815.", response="Ada was born in 1852.")
>>> report.coarse
'unfaithful'
>>> report.sentences[0].label == "contradicting"
True
"""

__version__ = "0.3.0"

TYPE_CHECKING = False  # which type checkers take for True; typing is slow to import
if TYPE_CHECKING:
    from assay.app.api import acheck as acheck
    from assay.app.api import build_board as build_board
    from assay.app.api import calibrate as calibrate
    from assay.app.api import check as check
    from assay.app.api import check_each as check_each
    from assay.app.api import compare as compare
    from assay.app.api import evaluate as evaluate
    from assay.app.api import localize as localize
    from assay.app.api import run as run
    from assay.app.board import BoardRequest as BoardRequest
    from assay.app.board import BoardResult as BoardResult
    from assay.app.calibrate import Calibrated as Calibrated
    from assay.app.calibrate import CalibrateRequest as CalibrateRequest
    from assay.app.evaluate import Compared as Compared
    from assay.app.evaluate import Evaluated as Evaluated
    from assay.app.evaluate import EvaluateRequest as EvaluateRequest
    from assay.app.guard import Guard as Guard
    from assay.app.guard import Guarded as Guarded
    from assay.app.localize import Localized as Localized
    from assay.app.localize import LocalizeRequest as LocalizeRequest
    from assay.app.results import Report as Report
    from assay.app.runs import RunOutcome as RunOutcome
    from assay.app.runs import RunRequest as RunRequest
    from assay.client.client import Client as Client
    from assay.client.client import RemoteDetector as RemoteDetector
    from assay.client.jobs import JobStatus as JobStatus
    from assay.client.jobs import RemoteJob as RemoteJob
    from assay.core.consistency import Cited as Cited
    from assay.core.consistency import contradictions as contradictions
    from assay.core.decision import Answers as Answers
    from assay.core.decision import Decision as Decision
    from assay.core.decision import Interpretation as Interpretation
    from assay.core.decision import Sense as Sense
    from assay.core.decision import decide as decide
    from assay.core.errors import AssayError as AssayError
    from assay.core.errors import BudgetError as BudgetError
    from assay.core.errors import GuardError as GuardError
    from assay.core.errors import InputError as InputError
    from assay.core.errors import MissingExtraError as MissingExtraError
    from assay.core.errors import ServiceError as ServiceError
    from assay.core.errors import SpanError as SpanError
    from assay.core.errors import UndecidedError as UndecidedError
    from assay.core.errors import UnknownNameError as UnknownNameError
    from assay.core.examples import Annotated as Annotated
    from assay.core.examples import Example as Example
    from assay.core.judgements import Author as Author
    from assay.core.judgements import Finding as Finding
    from assay.core.judgements import Judgement as Judgement
    from assay.core.judgements import Judgements as Judgements
    from assay.core.judgements import Manifest as Manifest
    from assay.core.labels import Label as Label
    from assay.core.labels import Taxonomy as Taxonomy
    from assay.core.problems import Problem as Problem
    from assay.core.readings import Reading as Reading
    from assay.core.readings import reading as reading
    from assay.core.rendering import read_source as read_source
    from assay.core.results import Result as Result
    from assay.core.taxonomies import taxonomy as taxonomy
    from assay.core.texts import Passage as Passage
    from assay.core.texts import Response as Response
    from assay.core.texts import Source as Source
    from assay.core.texts import Span as Span
    from assay.core.units import Link as Link
    from assay.core.units import Unit as Unit
    from assay.core.verdicts import Attributes as Attributes
    from assay.core.verdicts import ExternalEvidence as ExternalEvidence
    from assay.core.verdicts import Failure as Failure
    from assay.core.verdicts import Outcome as Outcome
    from assay.core.verdicts import Verdict as Verdict
    from assay.datasets.fields import Columns as Columns
    from assay.datasets.formats.otel.traces import read_traces as read_traces
    from assay.datasets.selection import DataChoice as DataChoice
    from assay.detectors.local import FittedCalibration as FittedCalibration
    from assay.detectors.local import LocalOptions as LocalOptions
    from assay.detectors.local import read_calibration as read_calibration
    from assay.detectors.protocol import Capabilities as Capabilities
    from assay.detectors.protocol import Detector as Detector
    from assay.detectors.registry import DetectorSpec as DetectorSpec
    from assay.detectors.registry import DetectorType as DetectorType
    from assay.detectors.registry import Ingredients as Ingredients
    from assay.detectors.registry import open_detector as open_detector
    from assay.engine.check import CheckRequest as CheckRequest
    from assay.evaluation.references import open_judgements as open_judgements
    from assay.knowledge.opening import KnowledgeChoice as KnowledgeChoice
    from assay.knowledge.opening import SourceOptions as SourceOptions
    from assay.llm.settings.options import Options as Options
    from assay.testing.assertions import aassert_faithful as aassert_faithful
    from assay.testing.assertions import assert_faithful as assert_faithful

# Module -> the public names in it; nothing is imported before it is used.
_NAMES = {
    "app.api": "acheck build_board calibrate check check_each compare evaluate localize run",
    "app.board": "BoardRequest BoardResult",
    "app.calibrate": "CalibrateRequest Calibrated",
    "engine.check": "CheckRequest",
    "app.evaluate": "Compared EvaluateRequest Evaluated",
    "app.guard": "Guard Guarded",
    "app.localize": "LocalizeRequest Localized",
    "app.results": "Report",
    "app.runs": "RunOutcome RunRequest",
    "client.client": "Client RemoteDetector",
    "client.jobs": "JobStatus RemoteJob",
    "core.consistency": "Cited contradictions",
    "core.decision": "Answers Decision Interpretation Sense decide",
    "core.errors": "AssayError BudgetError GuardError InputError MissingExtraError ServiceError "
    "SpanError UndecidedError UnknownNameError",
    "core.examples": "Annotated Example",
    "core.judgements": "Author Finding Judgement Judgements Manifest",
    "core.labels": "Label Taxonomy",
    "core.problems": "Problem",
    "core.readings": "Reading reading",
    "core.rendering": "read_source",
    "core.results": "Result",
    "core.taxonomies": "taxonomy",
    "core.texts": "Passage Response Source Span",
    "core.units": "Link Unit",
    "core.verdicts": "Attributes ExternalEvidence Failure Outcome Verdict",
    "datasets.fields": "Columns",
    "datasets.formats.otel.traces": "read_traces",
    "datasets.selection": "DataChoice",
    "detectors.local": "FittedCalibration LocalOptions read_calibration",
    "detectors.protocol": "Capabilities Detector",
    "detectors.registry": "DetectorSpec DetectorType Ingredients open_detector",
    "evaluation.references": "open_judgements",
    "knowledge.opening": "KnowledgeChoice SourceOptions",
    "llm.settings.options": "Options",
    "testing.assertions": "aassert_faithful assert_faithful",
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}

if not TYPE_CHECKING:  # a name that is not there is an error to the type checker too
    __all__ = sorted(("__version__", *_HOMES))

    def __getattr__(name: str) -> object:
        """Imports a public name on first use, so that `import assay` costs nothing."""
        if name not in _HOMES:
            raise AttributeError(f"module 'assay' has no attribute '{name}'")
        from importlib import import_module

        return getattr(import_module(f"assay.{_HOMES[name]}"), name)

    def __dir__() -> list[str]:
        return __all__
