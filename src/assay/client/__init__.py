"""The client of a service: `assay.Client`."""
