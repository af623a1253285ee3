"""Errors of Python's JSON parser in plain words."""

import sys

_DIGITS = "integer string conversion"  # of the error about a number that is too long


def why_not_json(error: ValueError | RecursionError) -> str:
    """What is wrong with a text that should be JSON; Python's words for its limits say little.

    >>> why_not_json(RecursionError("maximum recursion depth exceeded"))
    'it is nested too deeply'
    """
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    most = sys.get_int_max_str_digits()
    return f"a number has more than {most:,} digits" if _DIGITS in str(error) else str(error)
