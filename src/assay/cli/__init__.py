"""The `assay` command: one module per command, each a translator of a use case in `assay.app`."""

import sys

from assay.cli.application import app
from assay.cli.errors import (
    INTERRUPTED,
    TERMINATED,
    leave_closed_pipe,
    prepare_streams,
    stop,
    stop_at_system_error,
    told,
)
from assay.cli.faults import is_foreign, stop_at_fault
from assay.core.errors import AssayError
from assay.core.system.signals import raising_on_sigterm

__all__ = ["app", "main"]


def main() -> None:
    """Runs the command line; SIGTERM ends it like Ctrl-C, with an exit code of its own."""
    with raising_on_sigterm() as came:
        try:
            _run()
        except SystemExit as error:
            if came and error.code == INTERRUPTED:
                sys.exit(TERMINATED)
            raise


def _run() -> None:
    """Runs the command line; what went wrong is one line on standard error and an exit code."""
    prepare_streams()
    try:
        try:
            app()
        finally:
            sys.stdout.flush()
    except SystemExit as error:
        if is_foreign(error):
            stop_at_fault(error)
        raise
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except AssayError as error:
        stop(told(error))
    except BrokenPipeError:  # the reader of our output, such as `head`, has gone
        sys.exit(leave_closed_pipe())
    except OSError as error:
        stop_at_system_error(error)
    except BaseException as error:  # noqa: BLE001 - panics of extensions are no Exception
        stop_at_fault(error)
