"""What annotators wrote down, taken out of the notes in which the loaders keep it."""

import re

_FLAGS = frozenset({"implicit_true", "due_to_null"})
# A line that only repeats the type of the span, as in EVIDENT CONFLICT or LOW INTRO OF NEW INFO.
_HEADING = re.compile(
    r"(?:(?:high|low|evident|subtle) )?"
    r"(?:conflict|intro(?:duction)? (?:of|to) (?:new )?info(?:rmation)?)[\s:|]*",
    re.IGNORECASE,
)
_PARTS = re.compile(r"^(error|explanation|instruction|corrected|evidence): ", re.MULTILINE)


def description_in(note: str) -> str:
    """The annotator's own words on one line, without headings and flags.

    A single word names a kind of error and describes none.

    >>> description_in("EVIDENT CONFLICT\\nOriginal: Tuesday\\nGenerative: Monday\\nimplicit_true")
    'Original: Tuesday Generative: Monday'
    """
    lines = (line.strip() for line in note.splitlines())
    kept = (line for line in lines if line not in _FLAGS and not _HEADING.fullmatch(line))
    words = " ".join(kept).split()
    return " ".join(words) if len(words) > 1 else ""


def flags_in(note: str) -> frozenset[str]:
    """The marks that RAGTruth gives a span beside its type."""
    return _FLAGS & set(note.splitlines())


def parts_of(note: str) -> dict[str, str]:
    """The parts of a DeFacto note by name: error, explanation, instruction, corrected, evidence.

    >>> parts_of("error: intrinsic\\nexplanation: The day\\nis wrong.")
    {'error': 'intrinsic', 'explanation': 'The day\\nis wrong.'}
    """
    _, *pieces = _PARTS.split(note)
    parts: dict[str, str] = {}
    for name, text in zip(pieces[::2], pieces[1::2], strict=True):
        parts.setdefault(name, text.strip())
    return parts
