"""tracescope: take the two traces of a sim-to-target episode apart by hand.

For scripts: :func:`open_session`, :func:`check`, :func:`export`, :func:`result` and :func:`sample`, from
:mod:`tracescope.api`, which is read when one of them is first used.
"""

__version__ = "0.1.0"

__all__ = ["__version__", "check", "export", "open_session", "result", "sample"]


def __getattr__(name: str) -> object:
    if name in __all__:
        from importlib import import_module  # so that importing a part of the package stays light

        return getattr(import_module("tracescope.api"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
