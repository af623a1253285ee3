"""A detector that can be held."""

from tests.service.conftest import held

__all__ = ["held"]
