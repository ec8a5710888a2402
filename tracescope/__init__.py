"""tracescope: take the two traces of a sim-to-target episode apart by hand."""

__version__ = "0.1.0"
