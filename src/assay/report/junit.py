"""Results as JUnit's XML, which servers that run tests show: a test case for each response."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO
from xml.sax.saxutils import escape, quoteattr

from assay.core.judgements import Finding
from assay.core.results import Result
from assay.core.system.files import replacing
from assay.core.texts import shortened

_LONGEST = 1_000  # characters of a sentence, a reason or a passage
_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

Breaks = Callable[[Result], Iterable[Finding]]


class JUnitWriter:
    """Takes results one by one; `breaks` gives the findings for which a response fails."""

    def __init__(self, cases: IO[str], suite: str, breaks: Breaks) -> None:
        self._cases = cases
        self._suite = suite
        self._breaks = breaks
        self._counts: Counter[str] = Counter()

    def add(self, result: Result) -> None:
        """Takes one result, which fails where it breaks a rule or has no verdict."""
        told = [("failure", each) for each in self._breaks(result)]
        told += [("error", each) for each in result.counted if each.failure]
        self._case(result.id, "".join(_element(*each) for each in told), told[0][0] if told else "")

    def add_problem(self, where: str, message: str) -> None:
        """Takes a row that could not be read."""
        self._case(where, _tagged("error", "unreadable", message, ""), "error")

    def document(self) -> Iterator[str]:
        """The document, in pieces."""
        counts = " ".join(
            f'{name}="{self._counts[name]}"' for name in ("tests", "failures", "errors")
        )
        yield f'<?xml version="1.0" encoding="utf-8"?>\n<testsuites {counts}>\n'
        yield f"<testsuite name={_attribute(self._suite)} {counts}>\n"
        self._cases.seek(0)
        yield from self._cases
        yield "</testsuite>\n</testsuites>\n"

    def _case(self, name: str, inside: str, kind: str) -> None:
        """Writes a case and counts it: once, as what is told of it first."""
        self._counts["tests"] += 1
        self._counts[f"{kind}s"] += 1
        self._cases.write(
            f"<testcase classname={_attribute(self._suite)} name={_attribute(name)}>"
            f"{inside}</testcase>\n"
        )


@contextmanager
def junit_file(path: str | Path, suite: str, breaks: Breaks) -> Iterator[JUnitWriter]:
    """A writer whose file appears, whole, at the end; whatever goes wrong, an older one stays."""
    with replacing(path) as part, TemporaryFile("w+", encoding="utf-8", newline="") as cases:
        part.touch(exist_ok=False)  # what cannot be written is said before anything is judged
        writer = JUnitWriter(cases, suite, breaks)
        yield writer
        with open(part, "w", encoding="utf-8", newline="") as file:
            file.writelines(writer.document())


def _element(kind: str, finding: Finding) -> str:
    if finding.failure:
        return _tagged(kind, finding.failure.reason, finding.text, finding.failure.detail)
    label = finding.label.name if finding.label else finding.coarse or ""
    evidence = [f"source: {shortened(each.text, _LONGEST)}" for each in finding.evidence]
    return _tagged(kind, label, finding.text, "\n".join((finding.note, *evidence)))


def _tagged(kind: str, type_: str, message: str, text: str) -> str:
    attributes = f"type={_attribute(type_)} message={_attribute(f'{type_}: {message}')}"
    return f"<{kind} {attributes}>{escape(_writable(text))}</{kind}>"


def _attribute(text: str) -> str:
    return quoteattr(_writable(shortened(text, _LONGEST)))


def _writable(text: str) -> str:
    """The text without characters that XML cannot hold, which are spelled out."""
    return _UNWRITABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
