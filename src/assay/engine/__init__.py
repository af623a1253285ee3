"""The one engine: whatever judges, every judgement and every reply is on disk before it counts."""
