"""Judging on Ray: workers judge and ask this process, which reads, asks models and writes."""
