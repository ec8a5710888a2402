"""Opening a pair: what is paired with what, at which offset, and what is refused."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.session.files import exercise_files, shifted_files
from tracescope.model.correction import Correction
from tracescope.model.errors import Cancelled, TraceReadError, UsageError
from tracescope.readers import open_trace
from tracescope.session.open import OpenOptions, open_session, side_of
from tracescope.session.session import SideChoices


def opened(files, **options):
    return open_session(side_of(str(files[0])), side_of(str(files[1])), OpenOptions(**options))


def test_that_an_episode_stands_behind_two_colons():
    assert side_of("a/b.h5::data/demo_3") == SideChoices("a/b.h5", "data/demo_3")
    assert side_of("a/b.h5::data/demo_3", "demo_1").episode == "demo_1"
    assert side_of("a/b.h5") == SideChoices("a/b.h5")
    assert side_of("b.h5::") == SideChoices("b.h5")


def test_that_a_file_may_have_two_colons_in_its_name(tmp_path):
    path = tmp_path / "odd::name.csv"
    path.write_text("x", encoding="utf-8")
    assert side_of(str(path)).path == str(path)


def test_that_counters_pair_the_rows_and_read_the_clock(tmp_path):
    session = opened(exercise_files(tmp_path))
    assert session.alignment.mode == "step"
    assert session.alignment.offset_s == pytest.approx(0.01, abs=1e-9)
    assert session.proposal is None


def test_that_without_counters_a_clear_estimate_is_applied(tmp_path):
    session = opened(shifted_files(tmp_path, 0.137))
    assert session.alignment.mode == "time"
    assert session.alignment.how == "estimated"
    assert session.alignment.offset_s == pytest.approx(0.137, abs=0.002)


def test_that_the_window_gets_the_estimate_as_a_proposal(tmp_path):
    session = opened(shifted_files(tmp_path, 0.137), propose=True)
    assert session.alignment.how == "assumed"
    assert session.proposal is not None
    assert session.proposal.offset_s == pytest.approx(0.137, abs=0.002)


@pytest.mark.parametrize("propose", [True, False])
def test_that_the_window_keeps_why_nothing_was_estimated_as_the_command_line_does(
    tmp_path, propose
):
    sim, target = shifted_files(tmp_path, 0.137)
    for path in (sim, target):
        lines = Path(path).read_text(encoding="utf-8").splitlines()
        Path(path).write_text("\n".join(lines[:12]) + "\n", encoding="utf-8")
    session = opened((sim, target), propose=propose)
    assert session.alignment.how == "assumed"
    assert session.proposal is None
    assert "estimate not possible: " in session.alignment.note
    corrected = replace(session, corrections=(Correction("q", 2.0),))
    assert corrected.alignment.note == session.alignment.note


def test_that_first_samples_are_put_together_when_asked(tmp_path):
    session = opened(shifted_files(tmp_path, 0.137), align="first-sample")
    assert session.alignment.offset_s == pytest.approx(0.4 + 0.137)
    assert session.alignment.how == "assumed"


def test_that_time_is_used_when_asked_although_counters_exist(tmp_path):
    assert opened(exercise_files(tmp_path), align="time").alignment.mode == "time"


def test_that_given_numbers_win(tmp_path):
    session = opened(exercise_files(tmp_path), offset_s=0.2, drift_ppm=50.0)
    assert session.alignment.how == "given"
    assert session.alignment.mode == "time"
    assert session.alignment.offset_s == 0.2
    assert session.alignment.drift == pytest.approx(50e-6)


def test_that_a_step_shift_pairs_by_step(tmp_path):
    session = opened(exercise_files(tmp_path), step_shift=2)
    assert (session.alignment.mode, session.alignment.step_shift) == ("step", 2)
    interval_s = session.pair.target.interval_s
    assert session.alignment.offset_s == pytest.approx(0.01 + 2 * interval_s, abs=1e-9)


def test_that_a_step_shift_leaves_a_given_offset(tmp_path):
    session = opened(exercise_files(tmp_path), step_shift=2, offset_s=0.3)
    assert (session.alignment.step_shift, session.alignment.offset_s) == (2, 0.3)


@pytest.mark.parametrize(
    ("options", "flag"),
    [
        ({"align": "time", "step_shift": 3}, "--step-shift"),
        ({"align": "first-sample", "step_shift": 3}, "--step-shift"),
        ({"align": "first-sample", "offset_s": 0.1}, "--offset"),
    ],
)
def test_that_numbers_that_contradict_the_way_of_aligning_are_refused(tmp_path, options, flag):
    with pytest.raises(UsageError) as caught:
        opened(exercise_files(tmp_path), **options)
    (problem,) = caught.value.problems
    assert problem.where == flag
    assert problem.found
    assert "--align time" in problem.todo


@pytest.mark.parametrize(
    ("options", "mode"),
    [
        ({"align": "step", "step_shift": 3}, "step"),
        ({"align": "step", "offset_s": 0.1}, "step"),
        ({"align": "time", "offset_s": 0.1}, "time"),
        ({"align": "first-sample", "drift_ppm": 5.0}, "time"),
    ],
)
def test_that_numbers_that_fit_the_way_of_aligning_keep_it(tmp_path, options, mode):
    assert opened(exercise_files(tmp_path), **options).alignment.mode == mode


def test_that_aligning_by_step_needs_counters(tmp_path):
    with pytest.raises(UsageError) as caught:
        opened(shifted_files(tmp_path, 0.1), align="step")
    assert len(caught.value.problems) == 2
    assert "--align time" in caught.value.problems[0].todo


@pytest.mark.parametrize(
    "options",
    [
        {"offset_s": float("nan")},
        {"offset_s": float("inf")},
        {"drift_ppm": 1e6},
        {"confidence": 1.0},
        {"confidence": float("nan")},
    ],
)
def test_that_numbers_without_meaning_are_refused(tmp_path, options):
    with pytest.raises(UsageError):
        opened(exercise_files(tmp_path), **options)


def test_that_both_sides_problems_come_in_one_error(tmp_path):
    with pytest.raises(TraceReadError) as caught:
        opened((tmp_path / "no.csv", tmp_path / "none.h5"))
    places = " ".join(problem.where for problem in caught.value.problems)
    assert "no.csv" in places
    assert "none.h5" in places


def test_that_a_correction_of_an_unknown_channel_names_the_closest(tmp_path):
    with pytest.raises(UsageError) as caught:
        opened(exercise_files(tmp_path), corrections=(Correction("obz_0", 1.5),))
    assert "obs" in caught.value.problems[0].todo


def test_that_progress_may_cancel(tmp_path):
    files = exercise_files(tmp_path)

    def stop(done: float, what: str) -> None:
        raise Cancelled(what)

    with pytest.raises(Cancelled):
        open_session(side_of(str(files[0])), side_of(str(files[1])), OpenOptions(), stop)


def test_that_progress_never_goes_back(tmp_path):
    seen: list[float] = []
    files = exercise_files(tmp_path)
    open_session(
        side_of(str(files[0])), side_of(str(files[1])), OpenOptions(), lambda d, _: seen.append(d)
    )
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


LONG = "a" * 300


@pytest.mark.parametrize("text", [LONG, f"{LONG}.h5::data/demo_0"], ids=["file", "episode"])
def test_that_a_name_too_long_for_the_disk_is_said_and_breaks_nothing(text):
    side = side_of(text)
    assert side.path == text.partition("::")[0]
    with pytest.raises(TraceReadError, match="cannot be opened") as caught:
        open_session(side, side)
    assert caught.value.problems[0].todo


def test_that_a_long_episode_name_is_taken_off_a_short_path():
    side = side_of(f"a.h5::{LONG}")
    assert (side.path, side.episode) == ("a.h5", LONG)
    with pytest.raises(TraceReadError, match="no such file"):
        open_trace(f"a.h5::{LONG}")
