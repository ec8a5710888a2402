"""``tracescope plugins``: what is installed, and what is broken, each in one line."""

from __future__ import annotations

import argparse

from tracescope.findings.numbers import band_text
from tracescope.readers.registry import READERS, plugin_readers
from tracescope.session.catalogue import all_checks, all_formats, plugins


def run(options: argparse.Namespace) -> int:
    """Print built-ins and plug-ins; return 0."""
    del options
    print("checks")
    for check in all_checks():
        print(f"  {check.id:22}{check.question}")
        for tolerance in check.tolerances:
            band = band_text(tolerance.band, tolerance.unit)
            print(f"    {tolerance.key}: {band}; {tolerance.why}")
    print("readers")
    for reader in (*READERS, *plugin_readers()):
        print(f"  {reader.name:22}{reader.title}")
    print("note formats")
    for fmt in all_formats():
        print(f"  {fmt.name:22}{fmt.title}")
    print("plug-ins")
    found = False
    for plugin in plugins():
        found = True
        state = f"not usable: {plugin.problem}" if plugin.problem else "in use"
        print(f"  {plugin.group}: {plugin.name} from {plugin.origin}: {state}")
    if not found:
        print("  none installed")
    return 0
