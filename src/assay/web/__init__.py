"""Shared by the studio and the service: guard of requests, errors, OpenAPI, socket."""
