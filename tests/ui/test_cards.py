"""Cards and strips of hand-made results: worst first, the state's own colour, numbers never cut."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QLineEdit

from tests.ui import hands
from tracescope.model.check import (
    CheckResult,
    Coverage,
    Measurement,
    State,
    Untold,
    Would,
)
from tracescope.ui.panels.check_card import counts_text, coverage_text, used_text, would_text
from tracescope.ui.panels.measurement_list import MeasurementList, scale_of, tip_of, worst_first
from tracescope.ui.panels.tolerance_form import end_from, end_text
from tracescope.ui.words import band_text, brief_text, duration_text, measured_text

BAND = (0.95, 1.05)
PASS = Measurement("scale", "a", 1.0, (0.99, 1.01), tolerance=BAND, n=588)
FAIL = Measurement("scale", "b", 1.5, (1.47, 1.53), tolerance=BAND)
WORSE = Measurement("scale", "c", 652.0, (651.0, 653.0), tolerance=BAND)
DOUBT = Measurement("scale", "d", 1.0, (0.2, 1.8), tolerance=BAND)
REPORTED = Measurement("spread", "e", 3.0, None)


def test_that_the_worst_measurement_comes_first_and_reports_last():
    ordered = worst_first([PASS, REPORTED, DOUBT, FAIL, WORSE])
    assert [m.channel for m in ordered] == ["c", "b", "d", "a", "e"]


@pytest.mark.parametrize("measurement", [PASS, FAIL, WORSE, DOUBT, REPORTED])
def test_that_estimate_interval_and_band_lie_on_the_strip(measurement: Measurement):
    scale = scale_of(measurement)
    points = [measurement.estimate, *(measurement.interval or ()), *(measurement.tolerance or ())]
    places = [scale.place(point) for point in points]
    assert all(0 < place < 1 for place in places)
    assert places[0] == pytest.approx(sorted(places)[sorted(points).index(points[0])])


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_that_what_is_not_finite_still_draws(qtbot, look, value):
    rows = MeasurementList(look)
    qtbot.addWidget(rows)
    rows.show_measurements(
        [Measurement("scale", "a", value, (value, value), tolerance=(-math.inf, 1.0))]
    )
    rows.resize(320, rows.sizeHint().height())
    assert not rows.grab().isNull()
    assert "inconclusive" in rows.accessibleDescription()


@pytest.mark.parametrize("measurement", [PASS, FAIL, DOUBT])
def test_that_dot_and_interval_have_the_colour_of_the_measurements_own_state(
    qtbot, look, measurement: Measurement
):
    rows = MeasurementList(look)
    qtbot.addWidget(rows)
    rows.show_measurements([measurement])
    rows.resize(320, rows.sizeHint().height())
    image = rows.grab().toImage()
    seen = {
        image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())
    }
    own = QColor(look.theme.state(measurement.state)).name()
    others = {QColor(look.theme.state(s)).name() for s in State if s is not measurement.state}
    assert own in seen
    assert not others & seen


def test_that_numbers_are_written_as_in_the_note():
    assert (
        measured_text(Measurement("offset", "", 0.0348, (0.0342, 0.0354), "s"))
        == "34.8 ms [34.2, 35.4]"
    )
    assert measured_text(FAIL) == "1.500 [1.470, 1.530]"
    assert measured_text(REPORTED) == "3"
    assert measured_text(Measurement("x", "", math.nan, None)) == "not measured"


def test_that_brief_numbers_keep_sign_unit_and_ends():
    wide = Measurement("lag", "", -10.1234, (-10.5, -9.9), "rows")
    assert brief_text(wide) == "−10.12 rows [−10.5, −9.9]"


def test_that_an_interval_never_reads_as_from_one_number_to_the_same():
    sharp = Measurement("lag", "", -10.0, (-10.00001, -9.99999), "rows")
    assert brief_text(sharp) == measured_text(sharp) == "−10 rows ± < 0.01 rows"
    late = Measurement("offset", "", 0.01, (0.0099999999, 0.0100000001), "s")
    assert measured_text(late) == "10 ms ± < 0.01 ms"
    rounding = Measurement("offset", "", 0.3, (0.3, 0.1 + 0.2), "rad")
    assert measured_text(rounding) == "0.3 rad"


def test_that_what_decides_stands_before_what_was_counted():
    counted = Measurement("rows back in time", "", 0.0, (0.0, 0.0), tolerance=(0.0, 1.0))
    optional = Measurement("drift", "", 0.4, (0.3, 0.5), tolerance=(-0.5, 0.5), required=False)
    deciding = Measurement("remaining lag", "", 0.1, (0.0, 0.2), tolerance=(-0.5, 0.5))
    assert worst_first([counted, optional, deciding]) == [deciding, counted, optional]


def test_that_a_name_that_does_not_fit_stands_above_its_numbers_whole(qtbot, look):
    long = replace(FAIL, quantity="response latency, target less sim", channel="")
    rows = MeasurementList(look)
    qtbot.addWidget(rows)
    rows.show_measurements([PASS, long])
    wide, narrow = rows.heightForWidth(700), rows.heightForWidth(260)
    assert narrow > wide
    rows.resize(260, narrow)
    assert not rows.grab().isNull()
    rows.show_measurements([PASS])
    assert rows.heightForWidth(260) < wide


def test_that_bands_read_as_bands():
    assert band_text(BAND, "") == "0.95 to 1.05"
    assert band_text((-math.inf, 0.02), "s") == "at most 20 ms"
    assert "never judged" in band_text(None, "")
    assert duration_text(12.0) == "12 s"
    assert duration_text(1200.0) == "20 min"


def test_that_a_card_says_what_it_rests_on_and_what_it_speaks_for():
    result = CheckResult(
        "dynamics",
        State.INCONCLUSIVE,
        "4 of 587 transitions are comparable",
        (PASS,),
        (Coverage("q", (0.0, 2.0), "seen on 97 % of steps"), Coverage("", None, "no reversals")),
        ("clock",),
        ("q ÷ 1.5",),
        would=Would(("q ÷ 1.5",), State.PASS, "33 transitions agree"),
        counts=(("comparable transitions", 4),),
        untested=(Untold("reversals", "a reversing command"),),
    )
    assert used_text(result) == "Uses: clock. Not applied: q ÷ 1.5."
    assert counts_text(result) == "effective n 588 · comparable transitions 4"
    assert "q 0 to 2: seen on 97 % of steps" in coverage_text(result)
    assert would_text(result) == "With q ÷ 1.5: would be pass. 33 transitions agree"
    named = Would(("q ÷ 1.5",), State.PASS, "with q ÷ 1.50: 33 transitions agree")
    assert would_text(replace(result, would=named)) == (
        "Would be pass with q ÷ 1.50: 33 transitions agree"
    )


def test_that_a_tooltip_says_tolerance_confidence_n_and_why_it_is_not_judged():
    blocked = Measurement(
        "scale", "a", 1.0, (0.9, 1.1), tolerance=BAND, n=12, blocked="alignment", note="route B"
    )
    tip = tip_of(blocked)
    for part in ("0.95 to 1.05", "99 %", "12", "not judged: alignment", "route B"):
        assert part in tip


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("0.95", 0.95),
        ("0,95", 0.95),
        ("−1e-3", -1e-3),
        ("", -math.inf),
        ("∞", -math.inf),
        ("many", None),
        ("nan", None),
    ],
)
def test_that_one_end_of_a_band_is_read_as_a_person_writes_it(typed, value):
    assert end_from(typed, -math.inf) == value


@pytest.mark.parametrize("value", [0.95, 1e-12, 123456.789, -3.0])
def test_that_an_end_survives_being_shown_for_editing(value):
    assert end_from(end_text(value), math.inf) == value


def test_that_a_tolerance_of_a_share_is_edited_in_per_cent(window):
    key = "timing.stale-rows"
    window.parts.checks.cards[3].tolerances.click()
    fields = {f.accessibleName(): f for f in window.parts.checks.findChildren(QLineEdit)}
    low, high = fields[f"{key} low"], fields[f"{key} high"]
    assert (low.text(), high.text()) == ("0", "1")
    assert "Default 0 to 1 %" in high.toolTip()
    high.clear()
    hands.type_text(high, "5")
    hands.key(window, Qt.Key.Key_Return)
    assert dict(window.model.open_session.tolerances.chosen) == {key: (0.0, 0.05)}


def test_that_a_share_is_shown_in_per_cent_with_its_tolerance():
    stale = Measurement("stale rows", "", 20 / 76, (20 / 76,) * 2, tolerance=(0.0, 0.01))
    assert measured_text(replace(stale, interval=None)) == "26.32 %"
    assert brief_text(replace(stale, interval=(0.2, 0.3))) == "26.32 % [20, 30]"
    assert "tolerance: 0 to 1 %" in tip_of(stale)


def test_that_where_there_is_little_room_no_row_has_more_digits_than_where_there_is_much(look):
    lag = Measurement("lag", "", -0.01178, (-0.1457, 0.1221), "rows", 40, (-0.5, 0.5))
    assert len(brief_text(lag)) > len(measured_text(lag))
    rows = MeasurementList(look)
    rows.show_measurements((lag,))
    for width in (190, 900):
        assert rows._place(width).texts == [measured_text(lag)]  # noqa: SLF001


@pytest.mark.parametrize("ends", [(-52.6, 0.83), (0.949, 7.2), (-3.0, 0.9494)])
def test_that_a_card_shows_on_which_side_of_its_limit_an_interval_ends(ends):
    low, high = ends
    m = Measurement("scale", "x", (low + high) / 2, ends, n=50, tolerance=(0.95, 1.05))
    shown = [float(end) for end in measured_text(m).replace("−", "-").split("[")[1][:-1].split(",")]
    assert [end < 0.95 for end in shown] == [end < 0.95 for end in ends]
