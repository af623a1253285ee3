"""The outputs of `assay check`: each takes results as they come, and is whole at the end."""

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from assay import __version__
from assay.app.check import Check, Inputs
from assay.cli.check_rules import OpenRules
from assay.cli.check_writers import (
    SUMMARY,
    AnnotationOutput,
    DocumentOutput,
    PageOutput,
    ResultWriter,
    StepSummary,
    SummaryOutput,
    ViewOutput,
    closing,
    without_commands,
)
from assay.cli.options import Priced
from assay.core.errors import InputError
from assay.core.options import Option
from assay.core.results import Totals
from assay.core.system.files import is_same, refuse_as_output
from assay.core.taxonomies import taxonomy

if TYPE_CHECKING:
    from assay.report.check_summary import CheckSummary

_ROOTS = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")  # where a server says that the repository is


@dataclass(frozen=True, slots=True)
class Outputs(Priced):
    """The form in which a check is shown, and the files that are written as well."""

    html: Annotated[str | None, Option("Also write an HTML page.", "FILE")] = None
    csv: Annotated[
        str | None, Option("Also write CSV, a line for each sentence; - prints it instead.", "FILE")
    ] = None
    markdown: Annotated[
        str | None, Option("Also write a summary in Markdown; - prints it instead.", "FILE")
    ] = None
    junit: Annotated[
        str | None, Option("Also write JUnit XML: a test case for each response.", "FILE")
    ] = None
    sarif: Annotated[
        str | None, Option("Also write SARIF, which servers show beside the data.", "FILE")
    ] = None
    github: Annotated[
        bool, Option("Annotate the data in GitHub Actions, and add to the summary of the step.")
    ] = False
    every: Annotated[
        bool, Option("Of many responses, also show the faithful sentences.", name="all")
    ] = False

    @property
    def is_printed(self) -> bool:
        """True if an output takes the place of what is shown."""
        return self.json or "-" in (self.csv, self.markdown)

    def require(self, inputs: Inputs, *others: str | None) -> None:
        """Raises if an output is an input or another output, or two would be printed.

        `others` are files that the check reads as well.
        """
        for name in ("html", "junit", "sarif"):
            if getattr(self, name) == "-":
                raise InputError(f"--{name} writes a file; give its name")
        if (self.csv, self.markdown).count("-") + self.json > 1:
            raise InputError("only one document can be printed; give a file for the others")
        named = (self.html, self.csv, self.markdown, self.junit, self.sarif)
        paths = [path for path in named if path and path != "-"]
        for path in paths:
            inputs.refuse_as_output(path)
            refuse_as_output(path, *others)
        for one, other in combinations(paths, 2):
            if is_same(one, other):
                raise InputError(f"two outputs would be written to {one}; give each its own file")


@dataclass(frozen=True, slots=True)
class Opening:
    """All that is needed to open the outputs of a check."""

    stack: ExitStack
    outputs: Outputs
    checking: Check
    inputs: Inputs
    rules: OpenRules
    totals: Totals
    many: bool

    def writers(self) -> Iterator[ResultWriter]:
        """The outputs that are wanted; what cannot be written is said before anything is judged."""
        outputs = self.outputs
        if outputs.json:
            yield self._document()
        if outputs.html is not None:
            yield self._page(outputs.html)
        if outputs.junit is not None:
            yield self._junit(outputs.junit)
        if outputs.sarif is not None:
            yield self._sarif(outputs.sarif)
        if outputs.github:  # what is opened later is written earlier
            yield from self._github()
        if outputs.csv is not None:
            yield self._table(outputs.csv)
        if outputs.markdown is not None:
            yield self._summary(outputs.markdown)
        if not (outputs.is_printed or outputs.quiet):
            yield self._view()

    def _document(self) -> ResultWriter:
        from assay.cli.output import json_output
        from assay.core.codec import DocumentWriter

        writer = DocumentWriter(json_output(), self.checking.manifest, __version__)
        document = DocumentOutput(writer, self.checking)
        self.stack.callback(document.close)
        return document

    def _page(self, path: str) -> ResultWriter:
        from assay.report.pages.page import (
            PageWriter,  # the template engine is not needed otherwise
        )

        given = self.inputs
        files = (given.file, given.otel, given.response, given.source)
        names = [Path(each).name if each != "-" else "standard input" for each in files if each]
        writer = PageWriter(path, self.checking.manifest, ", ".join(names))
        return PageOutput(self.stack.enter_context(writer))

    def _junit(self, path: str) -> ResultWriter:
        from assay.report.junit import junit_file

        name = f"assay.{self.checking.manifest.author.name}"
        # Without any rule, what is unfaithful fails its test case, though not the check.
        fails = self.rules.fails or self.rules.gate.max_unfaithful is None
        return self.stack.enter_context(junit_file(path, name, _root(), fails=fails))

    def _sarif(self, path: str) -> ResultWriter:
        from assay.report.sarif import SarifScope, sarif_file

        known, manifest = self.rules.known, self.checking.manifest
        scope = SarifScope(
            _root(),
            fails=self.rules.fails,
            has_baseline=bool(known and known.baseline),
            has_accepted=bool(known and known.accepted),
        )
        menu = taxonomy(manifest.taxonomy)
        return self.stack.enter_context(sarif_file(path, manifest, menu, scope))

    def _table(self, path: str) -> ResultWriter:
        from assay.cli.output import text_output
        from assay.report.result_table import ResultTable

        if path == "-":  # the table is a file for whoever reads it
            self.stack.enter_context(without_commands(sys.stderr))
        return ResultTable(self.stack.enter_context(text_output(path)), _root())

    def _summary(self, path: str) -> ResultWriter:
        from assay.core.system.files import require_writable

        if path == "-":
            self.stack.enter_context(without_commands(sys.stderr))
        else:
            require_writable(path)
        return self.stack.enter_context(closing(SummaryOutput(self._new_summary(), path)))

    def _github(self) -> Iterator[ResultWriter]:
        from assay.report.annotations import AnnotationWriter

        annotations = AnnotationWriter(_root(), fails=self.rules.fails)
        stream = sys.stderr if self.outputs.is_printed else sys.stdout
        yield self.stack.enter_context(closing(AnnotationOutput(annotations, stream)))
        if path := os.environ.get(SUMMARY):
            summary = StepSummary(self._new_summary(), path)
            summary.append("")  # what cannot be written is said before anything is judged
            yield self.stack.enter_context(closing(summary))

    def _new_summary(self) -> "CheckSummary":
        from assay.report.check_summary import CheckSummary

        manifest = self.checking.manifest
        title = f"Assay, {manifest.author.name}"
        return CheckSummary(_root(), title, taxonomy(manifest.taxonomy), fails=self.rules.fails)

    def _view(self) -> ResultWriter:
        from assay.cli.output import make_console
        from assay.report.terminal import TerminalView

        menu, only_flagged = taxonomy(self.checking.manifest.taxonomy), not self.outputs.every
        if self.outputs.github:
            self.stack.enter_context(without_commands(sys.stdout))
        console = make_console(width=None)
        view = TerminalView(
            console, menu, self.totals, many=self.many, only_flagged=self.many and only_flagged
        )
        self.stack.callback(view.close)
        return ViewOutput(view)


def _root() -> Path:
    """The root of the repository, or else the working folder."""
    named = (os.environ.get(name) for name in _ROOTS)
    folders = (Path(each) for each in named if each)
    return next((each for each in folders if each.is_dir()), Path.cwd())
