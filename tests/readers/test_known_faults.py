"""Kinds of faults that people reported of other tools, and the tests that hold them off.

Each row: what was reported, where, and the tests (module::function) that make such an input themselves.
Rows about drawing and dialogs are held by the tests of the window; here stands what reading owes them.
"""

from __future__ import annotations

import importlib

import pytest

D, C, V, E = "test_csv_dialects", "test_clocks", "test_vectors_and_parts", "test_errors"

FAULTS: dict[str, tuple[str, list[str]]] = {
    "A1": (
        "semicolon file is one column (PlotJuggler #479)",
        [
            f"{D}::test_that_the_delimiter_is_told_from_the_content",
            f"{D}::test_that_a_chosen_delimiter_wins_over_what_is_detected",
        ],
    ),
    "A2": (
        "tab, pipe, colon, blanks as delimiters (PlotJuggler #828)",
        [f"{D}::test_that_the_delimiter_is_told_from_the_content"],
    ),
    "A3": (
        "decimal mark from the locale cuts numbers (PlotJuggler #1237)",
        [
            f"{D}::test_that_the_decimal_mark_comes_from_the_content_and_never_from_the_locale",
            f"{D}::test_that_a_cell_not_consumed_to_its_end_is_an_error_with_line_and_column",
        ],
    ),
    "A4": (
        "comma in a quoted name adds a column (PlotJuggler #378)",
        [f"{D}::test_that_quoted_cells_may_hold_the_delimiter_and_quotes"],
    ),
    "A5": (
        "slash in a name is a tree separator (PlotJuggler #525)",
        [f"{D}::test_that_names_stay_exactly_as_the_file_spells_them"],
    ),
    "A6": (
        "duplicate names crash (PlotJuggler #529)",
        [f"{D}::test_that_duplicate_names_are_numbered_and_said"],
    ),
    "A7": (
        "preamble; time in two columns (PlotJuggler #734)",
        [
            f"{D}::test_that_a_preamble_before_the_header_is_kept_as_metadata",
            f"{D}::test_that_the_header_line_can_be_chosen",
            f"{C}::test_that_a_time_split_over_two_columns_is_joined_exactly",
        ],
    ),
    "A8": (
        "byte order mark glued to the first name (pandas #4793)",
        [f"{D}::test_that_the_encoding_is_told_and_no_mark_sticks_to_the_first_name"],
    ),
    "A10": (
        "writer died inside a number (pandas #44082)",
        [
            f"{D}::test_that_a_last_line_cut_inside_a_number_is_dropped_and_said",
            f"{D}::test_that_a_last_line_with_cells_missing_is_dropped_and_a_whole_one_kept",
        ],
    ),
    "A12": (
        "short rows look like missing data (pandas #9729)",
        [f"{D}::test_that_ragged_rows_are_counted_listed_and_told_from_empty_cells"],
    ),
    "A16": (
        "union of topics with empty cells (PlotJuggler #1038)",
        [f"{C}::test_that_a_union_of_rates_gives_each_signal_its_own_clock"],
    ),
    "A17": ("no time column (PlotJuggler #508)", [f"{C}::test_that_a_rate_is_never_invented"]),
    "A18": (
        "state left from the file before (PlotJuggler #61)",
        [f"{C}::test_that_loaders_keep_no_state_between_files"],
    ),
    "A20": (
        "generic error for mixed cells (pulseview #93)",
        [
            f"{D}::test_that_mixed_cells_give_an_error_that_names_place_text_and_what_to_do",
            f"{D}::test_that_hexadecimal_cells_are_integers",
        ],
    ),
    "A21": (
        "a line that starts with NaN hangs (3DTK #6)",
        [
            f"{D}::test_that_spellings_of_nothing_are_missing_values",
            f"{D}::test_that_spellings_of_infinity_are_infinite",
            f"{E}::test_that_reading_can_be_cancelled",
        ],
    ),
    "A23": (
        "a wrong time format ends the import (PlotJuggler #526)",
        [f"{C}::test_that_columns_that_do_not_exist_are_refused_with_the_closest_names"],
    ),
    "A24": (
        "the delimiter is forgotten (PlotJuggler #557)",
        ["test_mapfile::test_that_what_was_written_reads_back_equal"],
    ),
    "A25": (
        "large files crash (PlotJuggler #549)",
        [
            f"{V}::test_that_block_borders_do_not_matter",
            "test_large::test_that_a_large_table_is_read_in_bounded_memory",
        ],
    ),
    "A28": (
        "blank lines and odd line ends (DPS5005_pyGUI #14)",
        [f"{D}::test_that_all_line_ends_and_blank_lines_are_accepted"],
    ),
    "B1": (
        "rows out of order abort (PlotJuggler PR 721)",
        [
            f"{C}::test_that_rows_out_of_order_are_sorted_counted_and_located",
            f"{C}::test_that_row_order_and_splitting_can_be_chosen",
        ],
    ),
    "B3": (
        "int64 nanoseconds become floats (pyqtgraph #2119)",
        [
            f"{C}::test_that_integer_nanoseconds_are_kept_without_loss",
            f"{C}::test_that_nanoseconds_with_missing_stamps_are_kept_without_loss",
        ],
    ),
    "B4": (
        "epoch axis loses its resolution (pyqtgraph #2020)",
        [f"{C}::test_that_epoch_seconds_are_drawn_relative_with_even_steps"],
    ),
    "B6": (
        "start times with and without a zone (asammdf #1072)",
        [f"{C}::test_that_dates_are_stamps_and_only_those_with_a_zone_are_comparable"],
    ),
    "B7": (
        "simulator from 0, robot from 1970 (drcsim #391)",
        [
            f"{C}::test_that_an_epoch_and_a_clock_from_zero_are_not_put_on_one_origin",
            f"{C}::test_that_overlapping_epochs_are_put_on_one_origin",
        ],
    ),
    "B9": (
        "receive time against sensor stamp (PlotJuggler #344)",
        [f"{C}::test_that_two_time_columns_are_compared_and_the_clock_in_use_is_named"],
    ),
    "B10": (
        "stamps fall to 0 between episodes (unitree_lerobot #41)",
        [
            f"{C}::test_that_a_restart_of_the_clock_begins_a_new_episode",
            f"{C}::test_that_a_restart_of_the_step_counter_splits_rows_without_a_clock",
        ],
    ),
    "B11": ("jitter rejected (lerobot #2364)", [f"{C}::test_that_jitter_is_no_ground_to_refuse"]),
    "B12": (
        "the wrong stream is the base clock (robot-log-visualizer PR 72)",
        [f"{V}::test_that_command_and_measurement_in_two_files_are_one_recording"],
    ),
    "B16": (
        "relative and absolute series in one plot (PlotJuggler #202)",
        [f"{C}::test_that_a_column_that_counts_from_another_origin_is_said_to"],
    ),
    "B17": (
        "steps that are no samples (PlotJuggler #486)",
        [f"{C}::test_that_the_unit_is_inferred_and_the_reason_said"],
    ),
    "B18": (
        "nominal and real rate differ (IsaacLab #902)",
        [
            f"{C}::test_that_a_nominal_rate_and_a_measured_rate_stand_side_by_side",
            f"{C}::test_that_a_constant_dt_column_that_does_not_fit_the_stamps_is_said",
        ],
    ),
    "B19": (
        "a file opens after its first sample (lichtblick #409)",
        [f"{C}::test_that_small_stamps_stay_as_the_file_has_them"],
    ),
}

ALL_A = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 17, 18, 20, 21, 23, 24, 25, 28]
ALL_B = [1, 3, 4, 6, 7, 9, 10, 11, 12, 16, 17, 18, 19]


def test_that_every_row_is_there():
    assert set(FAULTS) >= {*(f"A{n}" for n in ALL_A), *(f"B{n}" for n in ALL_B)}


@pytest.mark.parametrize("row", FAULTS)
def test_that_every_fault_has_tests_that_exist(row):
    what, tests = FAULTS[row]
    assert what
    assert tests
    for test in tests:
        module, name = test.split("::")
        assert callable(getattr(importlib.import_module(f"tests.readers.{module}"), name))
