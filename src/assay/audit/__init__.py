"""Gold labels looked at again: flagged, decided about, verified, revised."""
