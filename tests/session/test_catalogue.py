"""Plug-ins: what they bring is used, what is broken is one sentence and never a crash."""

from importlib.metadata import EntryPoint

import pytest

from tests.findings import hand
from tracescope.checks.base import Check
from tracescope.findings.note.formats import NoteFormat
from tracescope.model.check import CheckResult
from tracescope.model.tolerance import Tolerance
from tracescope.session import catalogue
from tracescope.session.export import export_note
from tracescope.session.tolerances import all_tolerances

OWN = Check(
    "grip",
    "Grip",
    "Does it hold?",
    (Tolerance("grip.force", 0.0, 1.0, "N", "what the pads bear"),),
    lambda _bench, _upstream: CheckResult.inconclusive("grip", "not tried"),
)
SHOUT = NoteFormat(
    "shout", "capitals", lambda document: document.title.upper().encode(), draws=False
)
NOT_A_CHECK = "text"
TWIN = NoteFormat("md", "another Markdown", lambda _: b"")


@pytest.fixture
def installed(monkeypatch):
    """Install entry points of this module under the groups given, for one test."""

    def install(**groups: list[str]) -> None:
        points = {
            f"tracescope.{group}": [
                EntryPoint(name, f"tests.session.test_catalogue:{name}", f"tracescope.{group}")
                for name in names
            ]
            for group, names in groups.items()
        }
        monkeypatch.setattr(catalogue, "entry_points", lambda group: points.get(group, []))
        clear()

    def clear() -> None:
        catalogue._loaded_checks.cache_clear()  # noqa: SLF001
        catalogue._loaded_formats.cache_clear()  # noqa: SLF001

    yield install
    monkeypatch.undo()
    clear()


def test_that_a_check_of_a_plugin_stands_behind_the_built_in_ones(installed):
    installed(checks=["OWN"])
    assert catalogue.all_checks()[-1] is OWN
    assert catalogue.check_of("grip") is OWN
    assert "grip.force" in [tolerance.key for tolerance in all_tolerances()]


def test_that_a_note_format_of_a_plugin_is_exported_by_its_ending(installed, tmp_path):
    installed(notes=["SHOUT"])
    export_note(hand.judged_session(), tmp_path / "n.shout", hand.DATE)
    assert (tmp_path / "n.shout").read_bytes() == b"FINDINGS: TEST.CSV AGAINST TEST.CSV"


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        ({"checks": ["NOT_A_CHECK"]}, "is a str, not a Check"),
        ({"checks": ["MISSING"]}, "AttributeError"),
        ({"notes": ["TWIN"]}, "'md' exists already"),
        ({"readers": ["MISSING"]}, "AttributeError"),
    ],
)
def test_that_a_broken_plugin_is_one_sentence(installed, groups, said):
    installed(**groups)
    (plugin,) = catalogue.plugins()
    assert said in plugin.problem
    assert len(catalogue.all_checks()) == 7
    assert [fmt.name for fmt in catalogue.all_formats()] == ["md", "html", "pdf", "json"]


def test_that_without_plugins_there_is_nothing_to_say(installed):
    installed()
    assert list(catalogue.plugins()) == []
