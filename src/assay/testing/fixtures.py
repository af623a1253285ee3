"""The checks of a test session, with its options where a test gives none of its own."""

from dataclasses import dataclass
from typing import Unpack

from assay import Report, check
from assay.app.api import CheckArguments
from assay.testing import ALLOWED
from assay.testing.assertions import Names, aassert_faithful, assert_faithful
from assay.testing.watching import tell


@dataclass(frozen=True, slots=True)
class Faithfulness:
    """The value of the fixture `faithfulness`; an empty detector or model is the usual one."""

    detector: str = ""
    model: str = ""
    allow: str = ALLOWED

    def assert_faithful(
        self,
        response: object,
        source: object = None,
        question: str = "",
        *,
        allow: Names | None = None,
        **how: Unpack[CheckArguments],
    ) -> Report:
        """`assay.assert_faithful` with the options of the session."""
        __tracebackhide__ = True
        allowed = self.allow if allow is None else allow
        return assert_faithful(response, source, question, allow=allowed, **self._with(how))

    async def aassert_faithful(
        self,
        response: object,
        source: object = None,
        question: str = "",
        *,
        allow: Names | None = None,
        **how: Unpack[CheckArguments],
    ) -> Report:
        """The same for a test with an event loop of its own."""
        __tracebackhide__ = True
        allowed = self.allow if allow is None else allow
        return await aassert_faithful(response, source, question, allow=allowed, **self._with(how))

    def check(
        self,
        source: object,
        response: object = None,
        question: str = "",
        **how: Unpack[CheckArguments],
    ) -> Report:
        """`assay.check` with the options of the session; it stands in the session's report."""
        return tell(check(source, response, question, **self._with(how)))

    def _with(self, how: CheckArguments) -> CheckArguments:
        """The arguments; a detector of the test's own does not ask the session's model."""
        if "detector" in how:
            return how
        if self.model:
            how.setdefault("model", self.model)
        if self.detector:
            how["detector"] = self.detector
        return how
