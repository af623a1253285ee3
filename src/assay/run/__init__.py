"""The one engine: whoever judges, every judgement and every reply is on disk before it counts."""
