"""Examples from files and rows, by the field names people use."""

from assay.datasets.fields import ALIASES, Columns
from assay.datasets.files import Problem, read_file
from assay.datasets.rows import read_rows

__all__ = ["ALIASES", "Columns", "Problem", "read_file", "read_rows"]
