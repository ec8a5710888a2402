"""What the window is opened on, sorted out before Qt is imported."""

import argparse
import sys
from pathlib import Path

import pytest

from tracescope.cli.arguments import top_parser
from tracescope.cli.window_command import window_arguments
from tracescope.model.errors import UsageError
from tracescope.session.session import SideChoices


def sorted_out(*arguments: str):
    return window_arguments(top_parser().parse_args(arguments))


def test_that_nothing_is_the_start_page():
    assert sorted_out() == (None, None, None)


@pytest.mark.parametrize("name", ["a.tracescope", "note.json"])
def test_that_a_session_or_a_note_is_opened_again(name):
    assert sorted_out(name) == (None, None, Path(name))


def test_that_two_traces_are_a_pair_with_their_episodes():
    sim, target, session = sorted_out("a.h5::data/demo_1", "b.csv", "--target-episode", "2")
    assert sim == SideChoices("a.h5", "data/demo_1")
    assert target == SideChoices("b.csv", "2")
    assert session is None


def test_that_one_trace_alone_is_opened():
    sim, target, session = sorted_out("a.csv")
    assert (sim, target, session) == (SideChoices("a.csv"), None, None)


def test_that_three_are_too_many():
    with pytest.raises(UsageError):
        sorted_out("a", "b", "c")


def test_that_options_are_never_shortened_by_guess():
    with pytest.raises(SystemExit):
        top_parser().parse_args(["--target-ep", "2", "--sim", "1"])


def test_that_sorting_needs_no_qt():
    assert isinstance(top_parser(), argparse.ArgumentParser)
    assert "tracescope.cli.gui" not in sys.modules or "PySide6" in sys.modules
