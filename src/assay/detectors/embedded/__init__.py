"""The detector that comes with the package, and the small model inside it."""
