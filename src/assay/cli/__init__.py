"""The `assay` command: one module per command, each a translator of a use case in `assay.app`."""

import sys

from assay.cli.application import app
from assay.cli.errors import prepare_streams, stop, told
from assay.core.errors import AssayError

__all__ = ["app", "main"]


def main() -> None:
    """Runs the command line; what went wrong is one line on standard error and exit code 2."""
    prepare_streams()
    try:
        app()
    except AssayError as error:
        stop(told(error))
    except BrokenPipeError:  # the reader of our output, such as `head`, has gone
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        stop(": ".join(filter(None, (error.filename, error.strerror or str(error)))))
