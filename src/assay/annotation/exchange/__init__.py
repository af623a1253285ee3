"""Projects: their files, in and out, and the detectors that judge them."""
