"""Bytes to traces: the only package that knows file formats."""

from tracescope.readers.registry import inspect_file, open_trace

__all__ = ["inspect_file", "open_trace"]
