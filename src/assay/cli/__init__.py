"""The `assay` command: one module per command; this one only puts them together."""

import io
import sys

from assay.cli.application import app
from assay.core.errors import AssayError

__all__ = ["app", "main"]


def main() -> None:
    """Runs the command line; what went wrong is one line on standard error and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # signs that it cannot show become question marks
            stream.reconfigure(errors="replace")
    try:
        app()
    except AssayError as error:
        _stop(str(error))
    except BrokenPipeError:  # the reader of our output, such as `head`, has gone
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        _stop(": ".join(filter(None, (error.filename, error.strerror or str(error)))))


def _stop(message: str) -> None:
    sys.stderr.write(f"assay: {message}\n")
    sys.exit(2)
