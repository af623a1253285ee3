"""Settings: options of the user, files and variables they come from, services, trust."""
