"""Files, locks, signals, secrets and plugins: what the nouns need of the system they run on."""
