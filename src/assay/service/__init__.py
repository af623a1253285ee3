"""The service: checks and jobs over HTTP. It translates; what it does is done in `assay.app`."""
