"""How the embedded model is made. Nothing here is in the wheel; see README.md for the steps."""
