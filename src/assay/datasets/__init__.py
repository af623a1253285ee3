"""Corpora and files of examples, with what people and detectors said about them."""
