"""The web application in which people annotate: a translator of the use cases in `assay.app`."""
