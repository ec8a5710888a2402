"""Fails while it is imported."""

raise RuntimeError("this module\nnever loads")
