"""`python -m assay` is the same as `assay`."""

from assay.cli import main

main()
