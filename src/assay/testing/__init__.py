"""Faithfulness in a test suite: an assertion, and a plugin for pytest.

The plugin is loaded by every pytest session where Assay is installed. So this file imports nothing.
"""

ALLOWED = (
    "not-sure"  # passes unless a test says otherwise, as in `assay check --fail-on unfaithful`
)
